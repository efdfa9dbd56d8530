/* SPDX-License-Identifier: BSD-2-Clause */
/* The account: sums, the intervals worth showing, and the ceiling of those listed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdint.h>

#include "ledger/account.h"

static struct tw_account account;

static int begin(void **state)
{
	(void)state;
	tw_account_init(&account);
	return 0;
}

static int end(void **state)
{
	(void)state;
	tw_account_release(&account);
	return 0;
}

static struct tw_interval interval(enum tw_cause cause, int side, uint64_t packet, int confidence)
{
	return (struct tw_interval){ .cause = (uint8_t)cause, .side = (uint8_t)side,
				     .packet_from = packet, .confidence = (uint8_t)confidence };
}

/* Waits are what has no rounds. */
static void charge_as(const struct tw_interval *i, int64_t ns, uint32_t rounds, double bytes, bool keep)
{
	const struct tw_amount amount = { ns, rounds ? 0 : ns, rounds, bytes };

	tw_account_charge(&account, i, &amount, keep);
}

static void charge(int64_t ns, uint64_t packet)
{
	struct tw_interval i = interval(TW_CAUSE_NAGLE, 1, packet, 80);

	charge_as(&i, ns, 0, 0, false);
}

static void test_sums(void **state)
{
	struct tw_interval a = interval(TW_CAUSE_NAGLE, 0, 1, 90), b = interval(TW_CAUSE_NAGLE, 1, 2, 50);
	const struct tw_account_row *row;

	(void)state;
	charge_as(&a, 100, 3, 4500, false);
	charge_as(&a, 300, 1, 500, false);
	charge_as(&b, 50, 0, 0, false);
	row = account.row[TW_CAUSE_NAGLE][0];
	assert_non_null(row);
	assert_int_equal(row->ns, 400);
	assert_int_equal(row->intervals, 2);
	assert_int_equal(row->rounds, 4);
	assert_int_equal(row->waits_ns, 0);
	assert_true(row->bytes == 5000);
	assert_true(row->weight > 359.99 && row->weight < 360.01);
	assert_int_equal(account.row[TW_CAUSE_NAGLE][1]->ns, 50);
	assert_null(account.row[TW_CAUSE_DELAYED_ACK][0]);
}

static void test_nothing(void **state)
{
	(void)state;
	charge(0, 1);
	charge(-5, 2);
	assert_null(account.row[TW_CAUSE_NAGLE][1]);
}

/* The first two, then the longest. */
static void test_examples(void **state)
{
	const struct tw_account_row *row;
	bool seen[101] = { false };

	(void)state;
	for (uint64_t i = 1; i <= 100; i++)
		charge((int64_t)((i * 37) % 101) + 10, i); /* lengths 11 to 110, each once */
	row = account.row[TW_CAUSE_NAGLE][1];
	assert_non_null(row);
	assert_int_equal(row->intervals, 100);
	assert_int_equal(row->n_examples, TW_ROW_EXAMPLES);
	assert_int_equal(row->example[0].packet_from, 1);
	assert_int_equal(row->example[1].packet_from, 2);
	for (unsigned i = 2; i < TW_ROW_EXAMPLES; i++) {
		/* The four longest of all. */
		assert_true(row->example_ns[i] > 110 - 4);
		assert_false(seen[row->example[i].packet_from]);
		seen[row->example[i].packet_from] = true;
	}
}

static void test_list(void **state)
{
	struct tw_interval i = interval(TW_CAUSE_UNKNOWN, 0, 0, 0);

	(void)state;
	for (uint64_t n = 1; n <= TW_MAX_INTERVALS + 3; n++) {
		i.packet_from = n;
		charge_as(&i, 1, 0, 0, true);
		charge_as(&i, 1, 0, 0, false);
		charge_as(&i, 0, 0, 0, true);
	}
	assert_int_equal(account.intervals.n, TW_MAX_INTERVALS);
	assert_int_equal(account.dropped, 3); /* and said so */
	assert_int_equal(((struct tw_interval *)tw_vec_at(&account.intervals, 9))->packet_from, 10);
	/* What is not listed is charged all the same. */
	assert_int_equal(account.row[TW_CAUSE_UNKNOWN][0]->ns, 2 * (TW_MAX_INTERVALS + 3));
}

static void test_rounds(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= TW_MAX_INTERVALS + 2; n++)
		tw_account_keep_round(&account, &(struct tw_judged_round){ .flight = n });
	assert_int_equal(account.rounds.n, TW_MAX_INTERVALS);
	assert_int_equal(account.rounds_dropped, 2);
	assert_int_equal(((struct tw_judged_round *)tw_vec_at(&account.rounds, 9))->flight, 10);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(test_sums), CASE(test_nothing), CASE(test_examples), CASE(test_list),
		CASE(test_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
