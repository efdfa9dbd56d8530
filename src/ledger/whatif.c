/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/whatif.h"

#include <math.h>

enum { INITIAL_WINDOW = 10 }; /* RFC 6928 */

/*
 * How fast a window opens: twice as wide after each round trip where every segment is acknowledged, one
 * and a half times where every second one is (RFC 5681 3.1, RFC 3465).
 */
static const double growth_most = 2, growth_least = 1.5;

/* How far from the truth a rate that was seen may be: packet trains agree no better. */
static const double rate_slack = 0.1;

static bool is_wait(enum tw_cause cause)
{
	switch (cause) {
	case TW_CAUSE_NAGLE:
	case TW_CAUSE_NAGLE_DELAYED_ACK:
	case TW_CAUSE_DELAYED_ACK:
	case TW_CAUSE_RETRANSMISSION_TIMEOUT:
	case TW_CAUSE_TAIL_LOSS:
	case TW_CAUSE_SYN_RETRY:
	case TW_CAUSE_PATH_OUTAGE:
	case TW_CAUSE_MTU_BLACK_HOLE:
	case TW_CAUSE_HOST_SLOW:
	case TW_CAUSE_HANDSHAKE:
	case TW_CAUSE_ROUND_TRIP:
		return true;
	default:
		return false;
	}
}

/* What a wait leaves behind: the loss is then repaired, or the ACK comes, within a round trip. */
static double wait_remainder(enum tw_cause cause, double rtt, uint64_t intervals)
{
	switch (cause) {
	case TW_CAUSE_RETRANSMISSION_TIMEOUT:
	case TW_CAUSE_DELAYED_ACK:
		return rtt * (double)intervals;
	default:
		return 0;
	}
}

/* What is left of `ns` after `seconds` of it: 0 to ns, to the nanosecond where they are 0. */
static int64_t remaining(int64_t ns, double seconds)
{
	if (seconds * 1e9 >= (double)ns)
		return 0;
	return seconds > 0 ? ns - (int64_t)(seconds * 1e9) : ns;
}

/* What is known of a side's rate once a cause is gone: bytes/s, INFINITY where nothing is. */
struct bounds {
	double capacity; /* of the path: that cannot be more, and it carried that */
	double window;   /* the peer's, once in each round trip: it cannot be more */
	double reached;  /* the best that a round moved: it can be so much */
};

static struct bounds bounds_of(const struct tw_direction_bill *b, enum tw_cause cause)
{
	struct bounds bounds = { INFINITY, INFINITY, INFINITY };
	double rtt = (double)b->min_rtt / 1e9;

	if (b->capacity_bps > 0 && cause != TW_CAUSE_LINK_RATE)
		bounds.capacity = b->capacity_bps / 8;
	/* Also for a reader that is too slow: read as data comes, the window stays the widest seen. */
	if (rtt > 0 && b->window_max > 0 && cause != TW_CAUSE_RECEIVE_WINDOW)
		bounds.window = (double)b->window_max / rtt;
	if (b->best_rate_bps > 0)
		bounds.reached = b->best_rate_bps / 8;
	return bounds;
}

static int64_t less(int64_t ns, int64_t saved)
{
	return saved <= 0 ? ns : saved < ns ? ns - saved : 0;
}

/* Data of one side that was held up at a rate, and has to travel at another. */
struct load {
	int64_t ns;
	double bytes;
	double rounds;
	enum tw_cause cause; /* that took most of it */
	int64_t cause_ns;
};

static void add_load(struct load *load, const struct tw_bill_row *row)
{
	int64_t ns = row->waits_ns > 0 ? less(row->ns, row->waits_ns) : row->ns;

	if (ns <= 0 || load->ns > INT64_MAX - ns)
		return;
	load->ns += ns;
	load->bytes += row->bytes;
	load->rounds += (double)row->rounds;
	if (ns > load->cause_ns) {
		load->cause = row->cause;
		load->cause_ns = ns;
	}
}

/*
 * Seconds that the load takes where the flight grows by `growth` each round trip, until it carries
 * `rate`. Messages that take turns have their last round trip on the bill of whoever answers.
 */
static double travel(const struct load *load, const struct tw_direction_bill *b, double growth, double rate)
{
	double rtt = (double)b->min_rtt / 1e9, bytes = load->bytes, seconds = 0;
	double mss = b->mss ? b->mss : 536; /* RFC 9293 3.7.1 */
	double flight = fmax(load->rounds > 0 ? bytes / load->rounds : 0, INITIAL_WINDOW * mss);
	double last = b->turns > 1 ? 0 : rtt;

	if (rtt <= 0)
		return isinf(rate) ? 0 : bytes / rate;
	if (load->cause == TW_CAUSE_SLOW_START) /* then no window has to open any more */
		return last + bytes / rate;
	while (flight < rate * rtt) {
		if (bytes <= flight)
			return seconds + last;
		bytes -= flight;
		flight *= growth;
		seconds += rtt;
	}
	return seconds + bytes / rate;
}

/* Causes that came and went: between their spells the sender was seen at the rate of its next bound. */
static bool leaves_better_rounds(enum tw_cause cause)
{
	return tw_cause_is_loss(cause) || cause == TW_CAUSE_SENDER_APP;
}

/* Takes the load off `w`: `all` is that of the side, which may gain with it. */
static void lift(struct tw_whatif *w, const struct load *load, const struct load *all,
		 const struct tw_direction_bill *b)
{
	struct bounds bounds = bounds_of(b, load->cause);
	double likely = fmin(bounds.capacity, bounds.window), slow = INFINITY;
	enum tw_cause next = TW_CAUSE_SLOW_START;

	if (bounds.window < bounds.capacity)
		next = TW_CAUSE_RECEIVE_WINDOW;
	else if (!isinf(bounds.capacity))
		next = TW_CAUSE_LINK_RATE;
	if (!isinf(bounds.capacity)) {
		slow = likely;
	} else if (leaves_better_rounds(load->cause)) {
		slow = bounds.reached;
		if (slow < likely) {
			likely = slow;
			next = TW_CAUSE_CONGESTION_WINDOW;
			w->at_least = true;
		}
	}
	w->low_ns = less(w->low_ns, remaining(all->ns, travel(all, b, growth_most,
							      bounds.capacity * (1 + rate_slack))));
	w->ns = less(w->ns, remaining(load->ns, travel(load, b, growth_most, likely)));
	if (!isinf(slow))
		w->high_ns = less(w->high_ns, remaining(load->ns, travel(load, b, growth_least,
									 slow * (1 - rate_slack))));
	w->next = next;
}

static bool is_known(enum tw_cause cause)
{
	return cause != TW_CAUSE_UNKNOWN && cause != TW_CAUSE_CAPTURE_GAP;
}

/* All that held the side up at a rate. */
static struct load load_of_side(const struct tw_bill *bill, int side)
{
	struct load load = { 0 };

	for (unsigned i = 0; i < bill->n_rows; i++)
		if (bill->rows[i].side == side && bill->rows[i].rounds && is_known(bill->rows[i].cause))
			add_load(&load, &bill->rows[i]);
	return load;
}

static void save(struct tw_whatif *w, int64_t ns)
{
	w->ns = less(w->ns, ns);
	w->low_ns = less(w->low_ns, ns);
	w->high_ns = less(w->high_ns, ns);
}

struct tw_whatif tw_whatif_rows(const struct tw_bill *bill, const struct tw_bill_row *const *row,
				unsigned n)
{
	int64_t duration = bill->duration_ns > 0 ? bill->duration_ns : 0;
	struct tw_whatif w = { duration, duration, duration, false, TW_CAUSE_UNKNOWN };
	struct load load[2] = { 0 };
	bool has_loss[2] = { false, false };
	double total = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct tw_direction_bill *b = &bill->direction[row[i]->side];

		total += (double)row[i]->ns;
		if (!is_known(row[i]->cause))
			continue;
		has_loss[row[i]->side] |= tw_cause_is_loss(row[i]->cause) ||
					  row[i]->cause == TW_CAUSE_PATH_OUTAGE;
		if (is_wait(row[i]->cause)) {
			save(&w, remaining(row[i]->ns, wait_remainder(row[i]->cause, (double)b->min_rtt / 1e9,
								      row[i]->intervals)));
		} else {
			save(&w, row[i]->waits_ns);
			add_load(&load[row[i]->side], row[i]);
		}
	}
	for (int side = 0; side < 2; side++) {
		const struct tw_direction_bill *b = &bill->direction[side];
		struct load all;

		if (!load[side].ns && !has_loss[side])
			continue;
		all = load_of_side(bill, side);
		if (load[side].ns > 0) {
			lift(&w, &load[side], &all, b);
		} else if (all.ns > 0) {
			/* What the timer's cut of the window cost after it goes as well. */
			w.low_ns = less(w.low_ns, remaining(all.ns, travel(&all, b, growth_most, INFINITY)));
			w.at_least = true;
		}
	}
	/* What takes a tenth and less of it is no bound to speak of: the rest were waits. */
	if ((double)load[0].ns + (double)load[1].ns < 0.1 * total)
		w.next = TW_CAUSE_UNKNOWN;
	if (w.low_ns > w.ns)
		w.low_ns = w.ns;
	if (w.high_ns < w.ns)
		w.high_ns = w.ns;
	return w;
}

struct tw_whatif tw_whatif_cause(const struct tw_bill *bill, enum tw_cause cause, int side)
{
	const struct tw_bill_row *row[TW_CAUSE_COUNT];
	unsigned n = 0;

	for (unsigned i = 0; i < bill->n_rows; i++)
		if (bill->rows[i].side == side && tw_causes_go_together(bill->rows[i].cause, cause))
			row[n++] = &bill->rows[i];
	return tw_whatif_rows(bill, row, n);
}
