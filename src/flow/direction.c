/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/direction.h"

#include <stdlib.h>

#include "flow/event.h"

void tw_direction_init(struct tw_direction *d)
{
	*d = (struct tw_direction){
		.mss = TW_MSS_ASSUMED,
		.fin_at = INT64_MAX,
		.last_sent_at = TW_NO_TIME,
		.done_at = TW_NO_TIME,
		.zero_since = TW_NO_TIME,
		.last_news_at = TW_NO_TIME,
		.by_seq.at = TW_NO_TIME,
		.by_ts.at = TW_NO_TIME,
		.acked_here = INT64_MIN,
		.clock = TW_NO_TIME,
	};
}

void tw_direction_release(struct tw_direction *d)
{
	tw_scoreboard_release(&d->board);
	tw_ack_queue_release(&d->queue);
	tw_sketch_release(&d->rtts);
	if (d->waits) {
		tw_sketch_release(&d->waits->delays);
		tw_sketch_release(&d->waits->waits);
	}
	free(d->waits);
	d->waits = NULL;
	free(d->sample);
	free(d->trouble);
	d->sample = NULL;
	d->trouble = NULL;
}

struct tw_trouble *tw_direction_trouble(struct tw_direction *d)
{
	if (!d->trouble) {
		d->trouble = calloc(1, sizeof(*d->trouble));
		if (d->trouble)
			d->trouble->last_timer_from = INT64_MIN;
	}
	return d->trouble;
}

int64_t tw_direction_last_resend(const struct tw_direction *d)
{
	return d->trouble && d->trouble->last_resend_at ? d->trouble->last_resend_at : TW_NO_TIME;
}

void tw_marks_add(struct tw_marks *marks, uint64_t packet, int64_t at)
{
	if (!marks)
		return;
	if (marks->count < TW_MARKS) {
		marks->first[marks->count].packet = packet;
		marks->first[marks->count].at = at;
	}
	marks->count++;
}

static uint32_t mss_of(const struct tw_direction *d, const struct tw_direction *peer)
{
	uint32_t option = d->mss_option;

	if (peer->mss_option && (!option || peer->mss_option < option))
		option = peer->mss_option;
	if (option >= 64) {
		/* The option leaves out TCP options, which every segment then carries (RFC 6691). */
		option -= d->timestamps && peer->timestamps ? 12 : 0;
		/* A path MTU a little lower shows as a largest payload a little lower. */
		if (d->data_packets >= TW_MSS_PACKETS && d->largest_payload < option &&
		    d->largest_payload >= option - option / 8)
			return d->largest_payload;
		return option;
	}
	/*
	 * No SYN: what fits an Ethernet frame, else (jumbo frames, or nothing but merged segments)
	 * the largest seen. The largest payload alone would hide Nagle in flows of small messages.
	 */
	if (d->largest_frame_payload >= 536)
		return d->largest_frame_payload;
	if (d->largest_payload > 1460 && d->largest_payload <= 9000)
		return d->largest_payload;
	return 0;
}

void tw_direction_judge_mss(struct tw_direction *d, const struct tw_direction *peer)
{
	uint32_t mss = mss_of(d, peer);

	d->mss = mss ? mss : TW_MSS_ASSUMED;
}

double tw_direction_tick(const struct tw_direction *d)
{
	enum { TICKS_MIN = 50 };
	uint32_t ticks = d->tsval_high - d->tsval_first;
	uint32_t took = (uint32_t)(d->tsval_high_at >> 20) - d->tsval_first_at;

	if (!d->tsval_first_at || ticks < TICKS_MIN || ticks > INT32_MAX || !took || took > INT32_MAX)
		return 0;
	return (double)took * (1 << 20) / ticks;
}
