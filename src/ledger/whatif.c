/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/whatif.h"

#include <math.h>

enum { INITIAL_WINDOW = 10 }; /* RFC 6928 */

/* How long `bytes` take when the window doubles each round trip from the initial one. */
static double slow_start_time(double bytes, double mss, double rtt)
{
	double first = INITIAL_WINDOW * mss;

	if (bytes <= first)
		return rtt;
	return rtt * (1 + log2(bytes / first + 1));
}

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
	case TW_CAUSE_TAIL_LOSS:
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

/* A bound that would bind next, if it is slower than what is known so far. */
static void bound(double *slowest, enum tw_cause *next, double seconds, enum tw_cause cause)
{
	if (seconds > *slowest) {
		*slowest = seconds;
		*next = cause;
	}
}

struct tw_whatif tw_whatif(const struct tw_connection *c, const struct tw_direction_bill *direction,
			   const struct tw_whatif_charge *charge)
{
	const struct tw_direction *d = &c->direction[charge->side];
	enum tw_cause cause = charge->cause;
	double rtt = (double)direction->min_rtt / 1e9, window = d->window_max;
	double mss = tw_direction_mss(d), bytes = charge->bytes;
	double slowest = 0;
	struct tw_whatif w = { .next = TW_CAUSE_UNKNOWN };

	if (cause == TW_CAUSE_UNKNOWN || cause == TW_CAUSE_CAPTURE_GAP)
		return w;
	if (is_wait(cause)) {
		w.saves_ns = remaining(charge->ns, wait_remainder(cause, rtt, charge->intervals));
		return w;
	}
	if (charge->waits_ns == charge->ns) {
		w.saves_ns = charge->ns;
		return w;
	}
	if (rtt > 0 && bytes > 0 && cause != TW_CAUSE_SLOW_START)
		bound(&slowest, &w.next, slow_start_time(bytes, mss, rtt), TW_CAUSE_SLOW_START);
	if (direction->capacity_bps > 0 && cause != TW_CAUSE_LINK_RATE)
		bound(&slowest, &w.next, bytes * 8 / direction->capacity_bps, TW_CAUSE_LINK_RATE);
	/* Also for a reader that is too slow: read as data comes, the window stays the widest seen. */
	if (rtt > 0 && window > 0 && cause != TW_CAUSE_RECEIVE_WINDOW)
		bound(&slowest, &w.next, bytes / window * rtt, TW_CAUSE_RECEIVE_WINDOW);
	/*
	 * A flight that was reached once shows what the path and both hosts can carry, at the least:
	 * it may have been the cause that kept it from growing. Where it was the bound itself, it
	 * shows nothing.
	 */
	if (rtt > 0 && d->flight_max > 0 &&
	    (cause == TW_CAUSE_CONGESTION_WINDOW || cause == TW_CAUSE_FAST_RECOVERY ||
	     cause == TW_CAUSE_SENDER_APP || cause == TW_CAUSE_REORDERING))
		bound(&slowest, &w.next, bytes / (double)d->flight_max * rtt,
		      TW_CAUSE_CONGESTION_WINDOW);
	/* Nothing that was observed limits what was left: the link may be anything. */
	w.at_least = w.next == TW_CAUSE_UNKNOWN || w.next == TW_CAUSE_CONGESTION_WINDOW;
	w.saves_ns = charge->waits_ns + remaining(charge->ns - charge->waits_ns, slowest);
	return w;
}
