/* SPDX-License-Identifier: BSD-2-Clause */
#include "finding/loss_pattern.h"

static const struct {
	uint64_t few;         /* recoveries: fewer cannot agree */
	uint64_t policed;     /* the same without a queue that agrees as well */
	double flight_spread; /* upper quartile over lower; scattered losses: 1.5 and more (lab) */
	double same_flight;   /* where nothing but the flight tells */
	uint32_t burst_mss;
	double queue_spread;  /* quartiles apart, as a share of the median */
	double bytes_spread;  /* between losses: those of chance are spread by ln 4 / ln 4/3 = 4.8 */
	double rate_spread;
	double over;          /* the path let through this many times the rate, while the bucket lasted */
	int64_t queue;        /* a rise below that is not seen, ... */
	double of_rtt;        /* ... nor below this part of the least round trip */
	double flat;          /* up to this part of it is no rise */
	double window;        /* at this share of the widest window the window made the flight */
	double disorder;      /* share of packets doubled or shuffled: these look like losses */
} limits = {
	.few = 3,
	.policed = 5,
	.flight_spread = 1.25,
	.same_flight = 1.1,
	.burst_mss = 8,
	.queue_spread = 0.25,
	.bytes_spread = 2.5,
	.rate_spread = 1.1,
	.over = 1.2,
	.queue = 1 * TW_MS,
	.of_rtt = 0.05,
	.flat = 0.15,
	.window = 0.9,
	.disorder = 0.05,
};

static bool agrees(const struct tw_quartiles *q, double spread)
{
	return q->low > 0 && q->high <= spread * q->low;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t tw_loss_queue(const struct tw_case *c, int side)
{
	const struct tw_loss_figures *l = &c->bill->direction[side].losses;
	int64_t least = tw_least_rtt(c, side);

	return l->rtt.mid > (double)least && l->rtt.mid < (double)INT64_MAX && least >= 0 ?
	       tw_whole(l->rtt.mid) - least : 0;
}

struct tw_claim tw_loss_claim(const struct tw_case *c, int side)
{
	struct tw_claim claim = { 0 };

	tw_claim_add(&claim, c, TW_CAUSE_CONGESTION_WINDOW, side);
	tw_claim_add(&claim, c, TW_CAUSE_FAST_RECOVERY, side);
	tw_claim_add(&claim, c, TW_CAUSE_RETRANSMISSION_TIMEOUT, side);
	tw_claim_add(&claim, c, TW_CAUSE_TAIL_LOSS, side);
	return claim;
}

/* Losses at one flight, after as much data each time. */
static bool is_regular(const struct tw_loss_figures *l)
{
	return agrees(&l->flight, limits.flight_spread) && agrees(&l->bytes, limits.bytes_spread);
}

bool tw_losses_share_rate(const struct tw_case *c, int side)
{
	const struct tw_direction_bill *bill = &c->bill->direction[side];
	const struct tw_loss_figures *l = &bill->losses;
	double most = bill->best_rate_bps > bill->capacity_bps ? bill->best_rate_bps :
								 bill->capacity_bps;

	return l->n_gaps >= limits.policed && agrees(&l->rate, limits.rate_spread) &&
	       most >= limits.over * l->rate.mid;
}

/* The sender itself, or a window, kept it at that flight or rate for longer than the losses did. */
static bool is_bound_elsewhere(const struct tw_case *c, int side)
{
	static const enum tw_cause others[] = { TW_CAUSE_LINK_RATE, TW_CAUSE_SENDER_APP,
						TW_CAUSE_SEND_BUFFER, TW_CAUSE_RECEIVE_WINDOW,
						TW_CAUSE_RECEIVER_APP, TW_CAUSE_PACING };
	struct tw_claim claim = tw_loss_claim(c, side);

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		const struct tw_bill_row *row = tw_bill_row(c->bill, others[i], side);

		if (row && row->ns > claim.ns)
			return true;
	}
	return false;
}

static bool is_overflow(const struct tw_case *c, int side)
{
	const struct tw_loss_figures *l = &c->bill->direction[side].losses;
	int64_t least = larger(limits.queue, tw_part(tw_least_rtt(c, side), limits.of_rtt));
	int64_t queue = tw_loss_queue(c, side);

	return queue >= least && l->rtt.high - l->rtt.low <= limits.queue_spread * (double)queue &&
	       agrees(&l->flight, limits.flight_spread) &&
	       (is_regular(l) || !is_bound_elsewhere(c, side));
}

/* The end of a message is always lost at one flight: only timers tell of it, and no window was cut by it. */
static bool is_continuous(const struct tw_case *c, int side)
{
	struct tw_claim window = tw_claim_of(c, TW_CAUSE_CONGESTION_WINDOW, side);

	tw_claim_add(&window, c, TW_CAUSE_FAST_RECOVERY, side);
	return window.ns > tw_loss_claim(c, side).ns / 2;
}

/*
 * The same beyond the queue, where a burst that follows no ACK comes spread, but no delay is seen. The
 * flight then has to agree all the better, and to be none of the few segments of a small message.
 */
static bool is_overflow_before(const struct tw_case *c, int side)
{
	const struct tw_loss_figures *l = &c->bill->direction[side].losses;
	enum tw_place here = side == c->connection->main_direction ? TW_PLACE_SENDER :
								      TW_PLACE_RECEIVER;

	return c->connection->place != here && l->n >= limits.policed &&
	       agrees(&l->flight, limits.same_flight) &&
	       l->flight.low >= (double)limits.burst_mss * tw_mss(&c->connection->direction[side]) &&
	       !is_bound_elsewhere(c, side);
}

static bool is_policed(const struct tw_case *c, int side)
{
	const struct tw_loss_figures *l = &c->bill->direction[side].losses;
	int64_t flat = larger(limits.queue, tw_part(tw_least_rtt(c, side), limits.flat));

	return l->n >= limits.policed && l->rtt.mid > 0 && tw_loss_queue(c, side) <= flat &&
	       (tw_losses_share_rate(c, side) || (is_regular(l) && is_continuous(c, side))) &&
	       !is_bound_elsewhere(c, side);
}

enum tw_loss_pattern tw_loss_pattern(const struct tw_case *c, int side)
{
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	const struct tw_loss_figures *l = &c->bill->direction[side].losses;

	if (l->n < limits.few || !sent->losses.count || !tw_least_rtt(c, side))
		return TW_LOSS_SCATTERED;
	if ((double)sent->duplicates + (double)c->connection->time_disorder >
	    limits.disorder * (double)c->connection->packets)
		return TW_LOSS_SCATTERED;
	if (sent->window_max && l->flight.mid >= limits.window * (double)sent->window_max)
		return TW_LOSS_SCATTERED;
	if (is_overflow(c, side))
		return TW_LOSS_OVERFLOW;
	if (is_policed(c, side))
		return TW_LOSS_POLICED;
	return is_overflow_before(c, side) ? TW_LOSS_OVERFLOW : TW_LOSS_SCATTERED;
}
