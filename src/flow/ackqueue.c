/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/ackqueue.h"

#include <errno.h>
#include <stdlib.h>

void tw_ack_queue_release(struct tw_ack_queue *q)
{
	free(q->ring);
	*q = (struct tw_ack_queue){ 0 };
}

int tw_ack_queue_push(struct tw_ack_queue *q, const struct tw_ack *ack)
{
	if (q->n >= TW_ACK_QUEUE_MAX)
		return -ENOBUFS;
	if (q->n == q->cap) {
		uint16_t cap = q->cap ? (uint16_t)(q->cap * 2) : 1;
		struct tw_ack *ring = malloc(cap * sizeof(*ring));

		if (!ring)
			return -ENOMEM;
		for (uint32_t i = 0; i < q->n; i++)
			ring[i] = q->ring[(q->head + i) & (q->cap - 1)];
		free(q->ring);
		q->ring = ring;
		q->cap = cap;
		q->head = 0;
	}
	q->ring[(q->head + q->n++) & (q->cap - 1)] = *ack;
	return 0;
}

struct tw_ack *tw_ack_queue_first(const struct tw_ack_queue *q)
{
	return q->n ? &q->ring[q->head] : NULL;
}

void tw_ack_queue_pop(struct tw_ack_queue *q)
{
	q->head = (uint16_t)((q->head + 1) & (q->cap - 1));
	q->n--;
	if (!q->n && q->cap <= 16)
		tw_ack_queue_release(q);
}

bool tw_ack_in_effect(const struct tw_ack *ack, int64_t lag, int64_t now, bool has_ts,
		      uint32_t tsecr)
{
	if (has_ts && ack->has_ts) {
		int32_t newer = (int32_t)(tsecr - ack->tsval);

		if (newer < 0)
			return false; /* the sender had not seen this ACK when it sent */
		if (newer > 0)
			return true; /* it answered to a later one */
	}
	return ack->at + lag <= now;
}

int64_t tw_ack_effect(const struct tw_ack *ack, int64_t lag, int64_t now, int64_t data_at,
		      bool has_ts, uint32_t data_tsecr)
{
	int64_t at = ack->at + lag;

	if (has_ts && ack->has_ts && (int32_t)(data_tsecr - ack->tsval) < 0 && at < data_at)
		at = data_at;
	return at < now ? at : now;
}
