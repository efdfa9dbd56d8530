/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What-if: what the connection's duration would be without some of its bill. A wait (a timer, a delayed
 * ACK, thinking) is saved whole. Where a rate was the bound, the same bytes still have to travel: in
 * flights that grow as slow start does, up to the next bound observed. That is the capacity, the window
 * over minRTT, or the best rate that a round reached. Growth and bounds are known within limits, and so
 * is the duration.
 */
#ifndef TW_LEDGER_WHATIF_H
#define TW_LEDGER_WHATIF_H

#include "ledger/bill.h"

/* Durations, ns: 0 <= low_ns <= ns <= high_ns <= the bill's. All equal for plain waits. */
struct tw_whatif {
	int64_t ns;         /* most likely */
	int64_t low_ns;     /* the fastest that may be: what else held that side up at a rate gains as well */
	int64_t high_ns;    /* the slowest; the bill's duration where nothing is certain */
	bool at_least;      /* "or less": no capacity was seen, only a rate that was reached, or losses cost more */
	enum tw_cause next; /* what would bind then; TW_CAUSE_UNKNOWN: none was observed */
};

/* Without these rows of the bill, taken together. None: the duration as it is. */
struct tw_whatif tw_whatif_rows(const struct tw_bill *bill, const struct tw_bill_row *const *row,
				unsigned n);

/* Without a cause and what goes with it (tw_causes_go_together) on data of one side. */
struct tw_whatif tw_whatif_cause(const struct tw_bill *bill, enum tw_cause cause, int side);

#endif
