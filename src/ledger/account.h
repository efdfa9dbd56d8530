/* SPDX-License-Identifier: BSD-2-Clause */
/* Charges summed by cause and side, with the intervals worth showing. Becomes the bill. */
#ifndef TW_LEDGER_ACCOUNT_H
#define TW_LEDGER_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "ledger/bill.h"

struct tw_account_row {
	int64_t ns;
	uint64_t intervals, rounds;
	double weight;           /* ns times confidence, for the mean */
	unsigned n_examples;
	struct tw_interval example[TW_ROW_EXAMPLES]; /* the first two, then the longest */
	int64_t example_ns[TW_ROW_EXAMPLES];
	double bytes;            /* delivered in its rounds: what another bound would have to carry */
	int64_t waits_ns;        /* of ns: nothing was under way */
};

enum { TW_ACCOUNT_FEW = 4 }; /* rows that most connections make do with */

struct tw_account {
	struct tw_account_row *row[TW_CAUSE_COUNT][2]; /* NULL where nothing was charged */
	struct tw_account_row few[TW_ACCOUNT_FEW];     /* the first rows live here, the rest are allocated */
	unsigned n_few;
	struct tw_vec intervals; /* of struct tw_interval; every stall, where they are kept */
	uint64_t dropped;
	struct tw_vec rounds;    /* of struct tw_judged_round, where they are kept */
	uint64_t rounds_dropped;
	bool failed;             /* a charge found no memory: the rows no longer add up */
};

enum { TW_MAX_INTERVALS = 1 << 16 };

void tw_account_init(struct tw_account *account);
void tw_account_release(struct tw_account *account);

/* Of a charge. */
struct tw_amount {
	int64_t ns;
	int64_t waits_ns; /* of it: nothing was under way */
	uint32_t rounds;  /* of continuous transfer in the rest, ... */
	double bytes;     /* ... that delivered so much */
};

/*
 * Charges `amount` (of 0 ns or less: nothing happens) to the interval's cause and side. `keep` also
 * lists the interval. Without memory nothing is charged, and `failed` is set for good.
 */
void tw_account_charge(struct tw_account *account, const struct tw_interval *interval,
		       const struct tw_amount *amount, bool keep);

/* Lists a round. */
void tw_account_keep_round(struct tw_account *account, const struct tw_judged_round *round);

#endif
