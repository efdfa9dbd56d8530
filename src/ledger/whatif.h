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

/* What was charged to a cause on data of one side. */
struct tw_whatif_charge {
	enum tw_cause cause;
	int side;
	int64_t ns;
	int64_t waits_ns;   /* of ns: silences, in which no bytes had to travel: they are saved whole */
	double bytes;       /* delivered in the rest of it */
	uint64_t intervals;
};

struct tw_whatif tw_whatif(const struct tw_connection *connection,
			   const struct tw_direction_bill *direction,
			   const struct tw_whatif_charge *charge);

#endif
