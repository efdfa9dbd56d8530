/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/headers.h"
#include "lab/loss.h"
#include "lab/mtu.h"
#include "lab/path.h"
#include "lab/policer.h"
#include "lab/pool.h"
#include "lab/queue.h"
#include "lab/random.h"
#include "lab/rewrite.h"
#include "lab/schedule.h"
#include "lab/thin.h"
#include "lab/track.h"

enum {
	MEMORY_USUAL = 128 << 20,
	REPLIES =
		16, /* routers limit the rate of what they answer, too: RFC 1812 section 4.3.2.8 */
};

/* Far from where sums with any delay overflow. */
static const int64_t time_limit = INT64_C(1) << 61;

struct tw_link {
	struct tw_link_options options;
	uint64_t seed;  /* of the path: what both directions must agree about */
	uint64_t draws; /* of this direction */
	struct tw_pool pool;
	struct tw_schedule schedule;
	struct tw_queue queue;
	struct tw_policer policer;
	struct tw_loss loss;
	struct tw_tracks tracks; /* unused where nothing counts by connection */
	struct tw_thin thin;
	int64_t now;
	int64_t first;               /* when the first frame entered */
	int64_t last_due;            /* of the frames that keep their place */
	uint64_t newest;             /* number that has left */
	struct tw_slot *out, *reply; /* lent to the caller */
	struct tw_slot *replies[REPLIES];
	uint32_t reply_head, n_replies;
	struct tw_link_figures figures;
};

int tw_link_new(struct tw_link **out, const struct tw_link_options *options, uint64_t seed)
{
	struct tw_link *link;
	int ret;

	if (!tw_link_options_valid(options))
		return -EINVAL;
	link = calloc(1, sizeof(*link));
	if (!link)
		return -ENOMEM;
	link->options = *options;
	link->seed = seed;
	link->draws = tw_random_mix(seed + (uint64_t)(options->is_back != 0));
	link->now = link->last_due = -time_limit;
	link->thin.ratio = options->thin;
	if (tw_loss_tracks(options) || options->thin) {
		ret = tw_tracks_init(&link->tracks, seed);
		if (ret) {
			free(link);
			return ret;
		}
	}
	tw_pool_init(&link->pool, (uint64_t)(options->memory ? options->memory : MEMORY_USUAL));
	tw_queue_init(&link->queue, options);
	tw_policer_init(&link->policer, options->police, options->burst);
	*out = link;
	return 0;
}

/* One place that held the slot does so no more. */
static void put(struct tw_link *link, struct tw_slot **place)
{
	struct tw_slot *slot = *place;

	*place = NULL;
	if (slot && --slot->refs == 0)
		tw_pool_give(&link->pool, slot);
}

static void drop(struct tw_link *link, struct tw_slot *slot, uint64_t *count)
{
	++*count;
	link->figures.waiting--;
	put(link, &slot);
}

void tw_link_free(struct tw_link *link)
{
	struct tw_slot *slot;
	int64_t at;

	if (!link)
		return;
	put(link, &link->out);
	put(link, &link->reply);
	while (link->n_replies)
		put(link, &link->replies[(link->reply_head + --link->n_replies) % REPLIES]);
	while ((slot = tw_thin_release_due(&link->thin, INT64_MAX - 1, &at)))
		put(link, &slot);
	while ((slot = tw_schedule_pop(&link->schedule)))
		put(link, &slot);
	tw_thin_release(&link->thin);
	tw_schedule_release(&link->schedule);
	tw_queue_release(&link->queue);
	tw_tracks_release(&link->tracks);
	tw_pool_release(&link->pool);
	free(link);
}

static void answer(struct tw_link *link, const struct tw_headers *h, const struct tw_slot *slot,
		   int64_t now)
{
	uint8_t bytes[TW_MTU_REPLY_MAX];
	uint32_t n = tw_mtu_reply(h, slot->bytes, (uint32_t)link->options.mtu, bytes);
	struct tw_slot *reply;

	if (!n)
		return;
	if (link->n_replies == REPLIES || tw_pool_take(&link->pool, &reply, bytes, n)) {
		link->figures.replies_dropped++;
		return;
	}
	reply->refs = 1;
	reply->frame.number = slot->frame.number;
	reply->frame.entered = reply->frame.passed = reply->frame.due = now;
	link->replies[(link->reply_head + link->n_replies++) % REPLIES] = reply;
	link->figures.replies++;
}

/*
 * What jitter adds at `at`: points four jitters apart in time are drawn, and between them it moves
 * in a straight line. So frames close to each other are delayed alike, and the delay falls by half
 * of the time that passes at most: nothing overtakes. A draw per frame would, kept in order, give
 * every frame of a dense stream the largest delay drawn of late.
 */
static int64_t jitter_at(const struct tw_link *link, int64_t at)
{
	int64_t span = link->options.jitter, period = 4 * span, from, to;
	uint64_t point = (uint64_t)(at - link->first) / (uint64_t)period;

	from = tw_random_around(link->draws, TW_CHANCE_JITTER, point, span);
	to = tw_random_around(link->draws, TW_CHANCE_JITTER, point + 1, span);
	return from + (int64_t)((__int128)(to - from) * ((at - link->first) % period) / period);
}

/* When a frame whose last bit has left the queue is due: delay, jitter, reordering. */
static int64_t due_of(struct tw_link *link, struct tw_slot *slot)
{
	const struct tw_link_options *o = &link->options;
	uint64_t number = slot->frame.number;
	int64_t due = o->delay;
	bool moves = tw_random_hit(link->draws, TW_CHANCE_REORDER, number, o->reorder);

	if (o->jitter)
		due += jitter_at(link, slot->frame.passed);
	due = slot->frame.passed + (due > 0 ? due : 0);
	if (moves && !o->reorder_by) {
		link->figures.reordered += slot->frame.passed < link->last_due;
		return slot->frame.passed;
	}
	if (due < link->last_due)
		due = link->last_due;
	if (moves) {
		slot->late = true;
		return due + o->reorder_by;
	}
	link->last_due = due;
	return due;
}

/* The wire: queue, rate, delay. */
static void send_on(struct tw_link *link, const struct tw_headers *h, struct tw_slot *slot,
		    int64_t now)
{
	struct tw_link_figures *figures = &link->figures;
	enum tw_queue_verdict verdict = tw_queue_judge(&link->queue, now, slot->frame.n);
	bool twice;

	if (verdict == TW_QUEUE_DROPS) {
		drop(link, slot, &figures->dropped_queue);
		return;
	}
	if (verdict == TW_QUEUE_MARKS)
		figures->marked_ce += tw_rewrite_mark(h, slot->bytes);
	slot->frame.passed = tw_queue_send(&link->queue, now, slot->frame.n);
	if (link->queue.bytes > figures->queue_max)
		figures->queue_max = (uint32_t)link->queue.bytes;
	slot->frame.due = due_of(link, slot);
	tw_schedule_add(&link->schedule, slot->frame.due, slot);
	twice = tw_random_hit(link->draws, TW_CHANCE_DUPLICATE, slot->frame.number,
			      link->options.duplicate);
	if (twice) {
		slot->refs++;
		figures->duplicated++;
		figures->waiting++;
		tw_schedule_add(&link->schedule, slot->frame.due, slot);
	}
}

/* What loss and thinning have let through. */
static void pass_on(struct tw_link *link, const struct tw_headers *h, struct tw_slot *slot,
		    int64_t now)
{
	const struct tw_link_options *o = &link->options;
	bool changed;

	if (!tw_policer_admits(&link->policer, now, slot->frame.n)) {
		drop(link, slot, &link->figures.dropped_policer);
		return;
	}
	if (tw_mtu_exceeded(h, o->mtu)) {
		if (o->icmp)
			answer(link, h, slot, now);
		drop(link, slot, &link->figures.dropped_mtu);
		return;
	}
	changed = tw_rewrite_strip(h, slot->bytes, o->strip);
	if (o->seqrand)
		changed |= tw_rewrite_sequence(h, slot->bytes, link->seed);
	link->figures.rewritten += changed;
	send_on(link, h, slot, now);
}

/* Brings the link to `now`: what is withheld no longer goes on at the time it was let go. */
static void advance(struct tw_link *link, int64_t now)
{
	struct tw_headers h;
	struct tw_slot *slot;
	int64_t at;

	put(link, &link->out);
	put(link, &link->reply);
	if (now > time_limit)
		now = time_limit;
	if (now > link->now)
		link->now = now;
	while ((slot = tw_thin_release_due(&link->thin, link->now, &at))) {
		tw_headers_find(&h, slot->bytes, slot->frame.n);
		pass_on(link, &h, slot, at);
	}
}

static bool in_outage(const struct tw_link *link, int64_t now)
{
	struct tw_span outage = link->options.outage;

	return now - link->first >= outage.from && now - link->first < outage.to;
}

static bool is_withheld(struct tw_link *link, const struct tw_headers *h, struct tw_track *track,
			struct tw_slot *slot)
{
	struct tw_slot *replaced;

	if (!link->options.thin || !track)
		return false;
	replaced = h->flags & TW_TCP_ACK ? tw_thin_replace(&link->thin, track) : NULL;
	if (replaced)
		drop(link, replaced, &link->figures.dropped_thinned);
	if (!tw_thin_judge(&link->thin, h, slot->bytes, track))
		return false;
	tw_thin_withhold(&link->thin, track, slot, link->now);
	return true;
}

/*
 * All memory that the frame and those withheld may need, twice each in the schedule, so that
 * nothing fails once it has been counted.
 */
static int reserve(struct tw_link *link)
{
	uint32_t frames = 1 + (uint32_t)(link->thin.tail - link->thin.head);
	int ret = tw_schedule_reserve(&link->schedule, 2 * frames);

	if (!ret)
		ret = tw_queue_reserve(&link->queue, frames);
	return ret ? ret : tw_thin_reserve(&link->thin);
}

int tw_link_enter(struct tw_link *link, int64_t now, const uint8_t *frame, uint32_t n)
{
	struct tw_track *track = NULL;
	struct tw_headers h;
	struct tw_slot *slot;
	int ret;

	if (n > TW_LINK_FRAME_MAX)
		return -EMSGSIZE;
	advance(link, now);
	ret = reserve(link);
	if (!ret)
		ret = tw_pool_take(&link->pool, &slot, frame, n);
	if (ret && ret != -ENOSPC)
		return ret;
	if (!link->figures.entered++)
		link->first = link->now;
	link->figures.bytes_entered += n;
	if (ret) {
		link->figures.dropped_queue++;
		link->figures.dropped_memory++;
		return 0;
	}
	link->figures.waiting++;
	slot->refs = 1;
	slot->frame.number = link->figures.entered;
	slot->frame.entered = link->now;
	tw_headers_find(&h, slot->bytes, n);
	if (h.tcp && link->tracks.track)
		track = tw_tracks_find(&link->tracks, &h, slot->bytes, slot->frame.number);
	if (in_outage(link, link->now))
		drop(link, slot, &link->figures.dropped_outage);
	else if (tw_loss_hits(&link->loss, &link->options, &h, track, link->draws,
			      slot->frame.number))
		drop(link, slot, &link->figures.dropped_loss);
	else if (!is_withheld(link, &h, track, slot))
		pass_on(link, &h, slot, link->now);
	return 0;
}

int64_t tw_link_due(const struct tw_link *link)
{
	int64_t due = tw_schedule_due(&link->schedule), withheld = tw_thin_due(&link->thin);

	return due < withheld ? due : withheld;
}

const struct tw_link_frame *tw_link_leave(struct tw_link *link, int64_t now)
{
	struct tw_slot *slot;

	advance(link, now);
	if (tw_schedule_due(&link->schedule) > link->now)
		return NULL;
	slot = tw_schedule_pop(&link->schedule);
	link->out = slot;
	link->figures.waiting--;
	link->figures.left++;
	link->figures.bytes_left += slot->frame.n;
	link->figures.reordered += slot->late && link->newest > slot->frame.number;
	slot->late = false;
	if (slot->frame.number > link->newest)
		link->newest = slot->frame.number;
	return &slot->frame;
}

const struct tw_link_frame *tw_link_reply(struct tw_link *link)
{
	put(link, &link->out);
	put(link, &link->reply);
	if (!link->n_replies)
		return NULL;
	link->reply = link->replies[link->reply_head];
	link->reply_head = (link->reply_head + 1) % REPLIES;
	link->n_replies--;
	return &link->reply->frame;
}

void tw_link_figures(const struct tw_link *link, struct tw_link_figures *out)
{
	*out = link->figures;
	out->forgotten = link->tracks.forgotten;
}
