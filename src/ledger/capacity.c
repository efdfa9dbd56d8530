/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/capacity.h"

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

void tw_capacity_send(struct tw_capacity *c, const struct tw_event *e, int64_t min_rtt)
{
	const struct tw_thresholds *t = &tw_thresholds;
	int64_t part = (int64_t)(t->pair_window_rtts * (double)min_rtt);
	int64_t window = min_rtt && part < t->pair_window ? part : t->pair_window;
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
	if (c->window_at && e->at - c->last_at >= window)
		c->window_at = 0;
	if (c->window_at && e->at - c->window_at >= window) {
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

/* The rate at quantile q. */
static double rate_at(const struct tw_rate_flight *r, uint32_t n, double q)
{
	struct tw_sketch rates = { 0 };
	double rate;

	for (uint32_t i = 0; i < n; i++)
		tw_sketch_add(&rates, (int64_t)r[i].rate);
	rate = (double)tw_sketch_quantile(&rates, q);
	tw_sketch_release(&rates);
	return rate;
}

double tw_rate_high(const struct tw_rate_flight *r, uint32_t n)
{
	/* Bunched ACKs make single rounds look faster than anything there is. */
	return n ? rate_at(r, n, n < 10 ? 1 : 0.9) : 0;
}

double tw_rate_median(const struct tw_rate_flight *r, uint32_t n)
{
	return n < tw_thresholds.plateau_rounds ? 0 : rate_at(r, n, 0.5);
}

double tw_capacity_plateau(const struct tw_rate_flight *r, uint32_t n)
{
	const struct tw_thresholds *t = &tw_thresholds;
	struct tw_sketch flights = { 0 };
	double top;
	bool flat;

	if (n < t->plateau_rounds)
		return 0;
	top = rate_at(r, n, 0.9);
	for (uint32_t i = 0; i < n; i++)
		if (r[i].rate >= top * (1 - t->plateau_band) && r[i].rate <= top * (1 + t->plateau_band))
			tw_sketch_add(&flights, (int64_t)r[i].flight);
	flat = flights.n >= t->plateau_rounds && flights.n * 4 >= n &&
	       (double)tw_sketch_quantile(&flights, 0.9) >=
		       t->plateau_flight * (double)tw_sketch_quantile(&flights, 0.1);
	tw_sketch_release(&flights);
	return flat ? top : 0;
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
