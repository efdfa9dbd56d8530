/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/capacity.h"

#include <stdlib.h>

#include "ledger/thresholds.h"

void tw_capacity_release(struct tw_capacity *c)
{
	tw_sketch_release(&c->trains);
	tw_sketch_release(&c->pairs);
	tw_sketch_release(&c->windows);
}

static int64_t rate_of(uint64_t bytes, int64_t ns)
{
	return ns > 0 ? (int64_t)((double)bytes * 1e9 / (double)ns) : 0;
}

void tw_capacity_ack(struct tw_capacity *c, const struct tw_event *e)
{
	const struct tw_thresholds *t = &tw_thresholds;
	int64_t bytes, departed, arrived;

	if (!e->newly_acked)
		return;
	/* Recovery's cumulative ACKs tell when a hole was filled, not how fast data arrives. */
	if (e->hole || e->acked_sent_at == TW_NO_TIME || !e->flight_known) {
		c->train_open = false;
		return;
	}
	bytes = e->una - c->train_una;
	if (c->train_open && bytes < (int64_t)t->train_mss * e->mss)
		return;
	departed = e->acked_sent_at - c->train_sent_at;
	arrived = e->at - c->train_acked_at;
	if (c->train_open && bytes <= (int64_t)t->train_max_mss * e->mss && departed >= 0 &&
	    (double)departed <= t->train_slowdown * (double)arrived)
		tw_sketch_add(&c->trains, rate_of((uint64_t)bytes, arrived));
	c->train_open = true;
	c->train_una = e->una;
	c->train_acked_at = e->at;
	c->train_sent_at = e->acked_sent_at;
}

void tw_capacity_send(struct tw_capacity *c, const struct tw_event *e)
{
	uint32_t len = (uint32_t)(e->to - e->from);
	int64_t gap = e->at - c->last_at;

	/* Merged segments (GRO) hide the gaps within them: what is left is the sender's own pace. */
	if (e->is_resend || e->is_late || len != e->mss) {
		c->last_len = 0;
		return;
	}
	if (c->last_len && gap > 0) {
		tw_sketch_add(&c->pairs, rate_of(len, gap));
		c->gap_sum += gap;
	}
	/* A pause is the sender's, or its window's: the link was not busy meanwhile. */
	if (c->window_at && e->at - c->last_at >= tw_thresholds.pair_window)
		c->window_at = 0;
	if (c->window_at && e->at - c->window_at >= tw_thresholds.pair_window) {
		tw_sketch_add(&c->windows, rate_of(c->window_bytes, e->at - c->window_at));
		c->window_at = 0;
	}
	if (!c->window_at) {
		c->window_at = e->at;
		c->window_bytes = 0;
	}
	c->window_bytes += len;
	c->last_at = e->at;
	c->last_len = len;
}

static int by_rate(const void *a, const void *b)
{
	const struct tw_rate_flight *x = a, *y = b;

	return (x->rate > y->rate) - (x->rate < y->rate);
}

static int by_flight(const void *a, const void *b)
{
	const struct tw_rate_flight *x = a, *y = b;

	return (x->flight > y->flight) - (x->flight < y->flight);
}

double tw_rate_high(struct tw_rate_flight *r, uint32_t n)
{
	if (!n)
		return 0;
	qsort(r, n, sizeof(*r), by_rate);
	/* Bunched ACKs make single rounds look faster than anything there is. */
	return r[n < 10 ? n - 1 : (n - 1) * 9 / 10].rate;
}

double tw_rate_median(struct tw_rate_flight *r, uint32_t n)
{
	if (n < tw_thresholds.plateau_rounds)
		return 0;
	qsort(r, n, sizeof(*r), by_rate);
	return r[n / 2].rate;
}

double tw_capacity_plateau(struct tw_rate_flight *r, uint32_t n)
{
	const struct tw_thresholds *t = &tw_thresholds;
	uint32_t from, to, members;
	double top;

	if (n < t->plateau_rounds)
		return 0;
	qsort(r, n, sizeof(*r), by_rate);
	top = r[(n - 1) * 9 / 10].rate;
	for (from = 0; r[from].rate < top * (1 - t->plateau_band); from++)
		;
	for (to = n; r[to - 1].rate > top * (1 + t->plateau_band); to--)
		;
	members = to - from;
	if (members < t->plateau_rounds || members * 4 < n)
		return 0;
	qsort(r + from, members, sizeof(*r), by_flight);
	if (r[from + (members - 1) * 9 / 10].flight <
	    t->plateau_flight * r[from + (members - 1) / 10].flight)
		return 0;
	return top;
}

double tw_capacity_estimate(const struct tw_capacity *c, bool at_sender)
{
	const struct tw_thresholds *t = &tw_thresholds;
	if (at_sender) {
		double p90 = (double)tw_sketch_quantile(&c->trains, 0.9);

		if (c->trains.n < t->trains ||
		    p90 > t->trains_agree * (double)tw_sketch_quantile(&c->trains, 0.5))
			return 0;
		/* Cross traffic stretches trains, bunched ACKs squeeze them: neither extreme. */
		return (double)tw_sketch_quantile(&c->trains, 0.75);
	}
	if (c->pairs.n < t->pairs)
		return 0;
	if (c->gap_sum / (int64_t)c->pairs.n < t->pair_fine)
		return c->windows.n < t->trains ? 0 : (double)tw_sketch_quantile(&c->windows, 0.9);
	return (double)tw_sketch_quantile(&c->pairs, 0.9);
}
