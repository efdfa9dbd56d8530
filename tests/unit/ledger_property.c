/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * On any packets at all the bill's rows partition the duration exactly. Thousands of random
 * connections, plausible ones and nonsense, through flow and ledger; a failure names its seed.
 * TW_SEED=n in the environment runs that one alone.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed;
static void failed(const char *file, int line, const char *what);
#define PARTITION_CHECK(condition)                                  \
	do {                                                        \
		if (!(condition))                                   \
			failed(__FILE__, __LINE__, #condition);     \
	} while (0)

#include "tests/gen/random.h"
#include "tests/unit/partition.h"
#include "tests/unit/random_tcp.h"

static void failed(const char *file, int line, const char *what)
{
	fail_msg("seed %llu: %s:%d: not so: %s", (unsigned long long)seed, file, line, what);
}

static struct partition part;

static void begin(uint64_t s)
{
	seed = s;
	part.keep_intervals = s & 1;
}

/* Runs `connections` seeds through `generate`; each has a table of its own. */
static void run_seeds(uint64_t first, uint64_t connections, uint64_t packets,
		      void (*generate)(struct gen_random *random, struct tw_flow *flow,
				       uint64_t packets))
{
	const char *only = getenv("TW_SEED");

	part = (struct partition){ 0 };
	for (uint64_t s = first; s < first + connections; s++) {
		struct gen_random random = { .state = s * 0x9e3779b97f4a7c15u };
		struct tw_flow *flow;

		if (only && strtoull(only, NULL, 0) != s)
			continue;
		begin(s);
		flow = partition_flow(&part, 64, s % 7 ? TW_PLACE_UNKNOWN : (enum tw_place)(s % 4));
		generate(&random, flow, 1 + gen_random_below(&random, (uint32_t)packets));
		tw_flow_finish(flow);
		tw_flow_free(flow);
	}
	if (!only)
		assert_true(part.done >= connections);
}

static void show_causes(void)
{
	char text[512];
	int n = 0;

	for (int i = 0; i < TW_CAUSE_COUNT; i++)
		if (part.cause[i])
			n += snprintf(text + n, sizeof(text) - (size_t)n, " %s %u",
				      tw_cause_id((enum tw_cause)i), (unsigned)part.cause[i]);
	print_message("%u connections; rows:%s\n", (unsigned)part.done, n ? text : " none");
}

static void test_plausible(void **state)
{
	(void)state;
	run_seeds(1, 4000, 400, random_tcp);
	show_causes();
	/* The generator reaches most rules, or the property says little. */
	if (!getenv("TW_SEED")) {
		assert_true(part.cause[TW_CAUSE_SENDER_APP] > 100);
		assert_true(part.cause[TW_CAUSE_FAST_RECOVERY] > 100);
		assert_true(part.cause[TW_CAUSE_RETRANSMISSION_TIMEOUT] > 10);
		assert_true(part.cause[TW_CAUSE_RECEIVER_APP] > 10);
		assert_true(part.cause[TW_CAUSE_SLOW_START] > 10);
		assert_true(part.cause[TW_CAUSE_ROUND_TRIP] > 100);
	}
}

static void test_nonsense(void **state)
{
	(void)state;
	run_seeds(100001, 6000, 200, random_packets);
	show_causes();
}

static void count_rounds(struct partition *p, const struct tw_connection_summary *s,
			 struct tw_bill *bill)
{
	(void)s;
	*(uint64_t *)p->context = bill->direction[0].rounds + bill->direction[1].rounds;
}

/* Beyond the ceiling of items the oldest are settled early: the sum holds, memory does not grow. */
static void test_long(void **state)
{
	size_t before = mallinfo2().uordblks;
	uint64_t rounds = 0;

	(void)state;
	part = (struct partition){ .bill = count_rounds, .context = &rounds };
	for (uint64_t s = 200001; s <= 200012; s++) {
		struct gen_random random = { .state = s };
		struct tw_flow *flow;

		begin(s);
		flow = partition_flow(&part, 4, TW_PLACE_UNKNOWN);
		if (s <= 200006)
			random_long(&random, flow, s);
		else
			random_tcp(&random, flow, 150000);
		/* Under a sanitizer mallinfo2 counts nothing. */
		assert_true(mallinfo2().uordblks < before + (8 << 20));
		tw_flow_finish(flow);
		tw_flow_free(flow);
		assert_true(rounds > (s <= 200006 ? 20000 : 5000));
	}
	assert_true(part.done >= 12);
	show_causes();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plausible), cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
