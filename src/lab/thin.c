/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/thin.h"

#include <errno.h>
#include <stdlib.h>

static struct tw_withheld *place(const struct tw_thin *thin, uint64_t i)
{
	return &thin->ring[i & (thin->cap - 1)];
}

int tw_thin_reserve(struct tw_thin *thin)
{
	struct tw_withheld *ring;
	uint32_t cap = thin->cap ? thin->cap * 2 : 64;

	if (!thin->ratio || thin->tail - thin->head < thin->cap)
		return 0;
	ring = malloc(cap * sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	for (uint64_t i = thin->head; i < thin->tail; i++)
		ring[i & (cap - 1)] = *place(thin, i);
	free(thin->ring);
	thin->ring = ring;
	thin->cap = cap;
	return 0;
}

static void drop_replaced(struct tw_thin *thin)
{
	while (thin->head < thin->tail && !place(thin, thin->head)->slot)
		thin->head++;
}

struct tw_slot *tw_thin_replace(struct tw_thin *thin, struct tw_track *track)
{
	uint64_t i = track->withheld - 1;
	struct tw_slot *slot = NULL;

	/* What was let go by time has left the ring. */
	if (track->withheld && i >= thin->head) {
		slot = place(thin, i)->slot;
		place(thin, i)->slot = NULL;
		drop_replaced(thin);
	}
	track->withheld = 0;
	return slot;
}

static bool has_sack(const struct tw_headers *h, const uint8_t *frame)
{
	uint32_t at = 0, length = 0;

	while (tw_headers_option(h, frame, &at, &length))
		if (frame[at] == TW_OPTION_SACK)
			return true;
	return false;
}

bool tw_thin_judge(struct tw_thin *thin, const struct tw_headers *h, const uint8_t *frame,
		   struct tw_track *track)
{
	bool moves_on = track->has_ack && (int32_t)(h->ack - track->last_ack) > 0;

	if (h->flags & TW_TCP_ACK && (moves_on || !track->has_ack)) {
		track->last_ack = h->ack;
		track->has_ack = true;
	}
	if (moves_on && tw_headers_only_ack(h) && !(h->flags & (TW_TCP_ECE | TW_TCP_CWR)) &&
	    !has_sack(h, frame) && ++track->run < thin->ratio)
		return true;
	track->run = 0;
	return false;
}

void tw_thin_withhold(struct tw_thin *thin, struct tw_track *track, struct tw_slot *slot,
		      int64_t now)
{
	*place(thin, thin->tail++) = (struct tw_withheld){ slot, now + TW_THIN_HOLD };
	track->withheld = thin->tail; /* from 1 */
}

int64_t tw_thin_due(const struct tw_thin *thin)
{
	return thin->head < thin->tail ? place(thin, thin->head)->until : INT64_MAX;
}

struct tw_slot *tw_thin_release_due(struct tw_thin *thin, int64_t now, int64_t *at)
{
	struct tw_slot *slot;

	if (tw_thin_due(thin) > now)
		return NULL;
	slot = place(thin, thin->head)->slot;
	*at = place(thin, thin->head)->until;
	thin->head++;
	drop_replaced(thin);
	return slot;
}

void tw_thin_release(struct tw_thin *thin)
{
	free(thin->ring);
	*thin = (struct tw_thin){ 0 };
}
