/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What-if: what the connection's duration would be without one cause. A wait (a timer, a delayed
 * ACK, thinking) is saved whole. Where a rate was the bound, the same bytes still have to travel at
 * the next bound observed: the capacity, the window over minRTT, the highest flight over minRTT, and
 * never faster than slow start from the initial window.
 */
#ifndef TW_LEDGER_WHATIF_H
#define TW_LEDGER_WHATIF_H

#include "flow/connection.h"
#include "ledger/bill.h"

struct tw_whatif {
	int64_t saves_ns;
	bool at_least;      /* no next bound was observed but slow start's */
	enum tw_cause next; /* TW_CAUSE_UNKNOWN: none was observed */
};

/* `bytes` were delivered in the `ns` charged to `cause` on data of `side`. */
struct tw_whatif tw_whatif(const struct tw_connection *connection, int side,
			   const struct tw_direction_bill *direction, enum tw_cause cause,
			   int64_t ns, double bytes, uint64_t intervals);

#endif
