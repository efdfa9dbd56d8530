/* SPDX-License-Identifier: BSD-2-Clause */
/* Slow pacers: whole segments, evenly apart, are none of a program's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdint.h>

#include "ledger/judge.h"

#define MS INT64_C(1000000)

enum { MSS = 1448, N = 24 };

static struct tw_item item[N];
static struct tw_verdict verdict[N];

/* A segment every 12 ms, alone; between them the rounds that they are. */
static int begin(void **state)
{
	(void)state;
	for (int i = 0; i < N; i++) {
		item[i] = (struct tw_item){ .kind = i % 2 ? TW_ITEM_ROUND : TW_ITEM_STALL };
		if (item[i].kind == TW_ITEM_STALL)
			item[i].stall = (struct tw_stall){ .from = i * 6 * MS, .to = (i + 2) * 6 * MS,
							   .mss = MSS, .len_a = MSS, .len_b = MSS };
		verdict[i] = (struct tw_verdict){ .cause = TW_CAUSE_SENDER_APP, .confidence = 90 };
	}
	return 0;
}

static void expect(int i, enum tw_cause cause)
{
	tw_judge_paced(item, N, verdict);
	assert_int_equal(verdict[i].cause, cause);
}

static void test_even(void **state)
{
	(void)state;
	expect(10, TW_CAUSE_PACING);
	assert_int_equal(verdict[11].cause, TW_CAUSE_SENDER_APP); /* rounds have rules of their own */
}

static void test_super_packets(void **state)
{
	(void)state;
	for (int i = 0; i < N; i += 2)
		item[i].stall.len_a = item[i].stall.len_b = 2 * MSS;
	expect(10, TW_CAUSE_PACING);
}

static void test_parts_of_segments(void **state)
{
	(void)state;
	for (int i = 0; i < N; i += 2)
		item[i].stall.len_b = 1000;
	expect(10, TW_CAUSE_SENDER_APP);
}

static void test_uneven(void **state)
{
	(void)state;
	for (int i = 0; i < N; i += 2)
		item[i].stall.to += i % 4 ? 0 : 15 * MS;
	expect(10, TW_CAUSE_SENDER_APP);
}

/* Seven in a row may be chance; another verdict between them parts the row. */
static void test_too_few(void **state)
{
	(void)state;
	verdict[14].cause = TW_CAUSE_NAGLE;
	expect(20, TW_CAUSE_SENDER_APP);
	begin(state);
	verdict[16].cause = TW_CAUSE_NAGLE;
	expect(10, TW_CAUSE_PACING);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		CASE(test_even), CASE(test_super_packets), CASE(test_parts_of_segments),
		CASE(test_uneven), CASE(test_too_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
