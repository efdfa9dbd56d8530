/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/account.h"

#include <stdlib.h>
#include <string.h>

enum { KEEP_FIRST = 2 };

void tw_account_init(struct tw_account *a)
{
	memset(a->row, 0, sizeof(a->row));
	a->n_few = 0; /* those in use are cleared as they are taken */
	a->dropped = 0;
	a->rounds_dropped = 0;
	a->failed = false;
	tw_vec_init(&a->intervals, sizeof(struct tw_interval), TW_MAX_INTERVALS);
	tw_vec_init(&a->rounds, sizeof(struct tw_judged_round), TW_MAX_INTERVALS);
}

static bool is_few(const struct tw_account *a, const struct tw_account_row *row)
{
	return (uintptr_t)row - (uintptr_t)a->few < sizeof(a->few);
}

static struct tw_account_row *new_row(struct tw_account *a)
{
	struct tw_account_row *row;

	if (a->n_few == TW_ACCOUNT_FEW)
		return calloc(1, sizeof(*row));
	row = &a->few[a->n_few++];
	memset(row, 0, sizeof(*row));
	return row;
}

void tw_account_release(struct tw_account *a)
{
	struct tw_account_row **row = a->row[0];

	for (size_t i = 0; i < sizeof(a->row) / sizeof(*row); i++)
		if (row[i] && !is_few(a, row[i]))
			free(row[i]);
	tw_vec_release(&a->intervals);
	tw_vec_release(&a->rounds);
}

/* The first intervals show how it began, the longest where it hurt. */
static void add_example(struct tw_account_row *row, const struct tw_interval *interval, int64_t ns)
{
	unsigned i = row->n_examples;

	if (i < TW_ROW_EXAMPLES) {
		row->n_examples++;
	} else {
		i = KEEP_FIRST;
		for (unsigned j = KEEP_FIRST + 1; j < TW_ROW_EXAMPLES; j++)
			if (row->example_ns[j] < row->example_ns[i])
				i = j;
		if (row->example_ns[i] >= ns)
			return;
	}
	row->example[i] = *interval;
	row->example_ns[i] = ns;
}

void tw_account_charge(struct tw_account *a, const struct tw_interval *interval,
		       const struct tw_amount *amount, bool keep)
{
	struct tw_account_row **slot = &a->row[interval->cause][interval->side], *row;

	if (amount->ns <= 0)
		return;
	if (!*slot)
		*slot = new_row(a);
	row = *slot;
	if (!row) {
		a->failed = true;
		return;
	}
	row->ns += amount->ns;
	row->intervals++;
	row->rounds += amount->rounds;
	row->bytes += amount->bytes;
	row->waits_ns += amount->waits_ns;
	row->weight += (double)amount->ns * interval->confidence / 100;
	add_example(row, interval, amount->ns);
	if (keep) {
		struct tw_interval *kept = tw_vec_push(&a->intervals);

		if (kept)
			*kept = *interval;
		else
			a->dropped++;
	}
}

void tw_account_keep_round(struct tw_account *a, const struct tw_judged_round *round)
{
	struct tw_judged_round *kept = tw_vec_push(&a->rounds);

	if (kept)
		*kept = *round;
	else
		a->rounds_dropped++;
}
