/* SPDX-License-Identifier: BSD-2-Clause */
/* The sorter: order within its window, stability, and what happens beyond. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>

#include "flow/sort.h"
#include "tests/gen/random.h"

static struct tw_sorter *sorter;

static int begin(void **state)
{
	(void)state;
	return tw_sorter_new(&sorter);
}

static int end(void **state)
{
	(void)state;
	tw_sorter_free(sorter);
	return 0;
}

static void put(int64_t ts, uint64_t number)
{
	struct tw_packet *p = tw_sorter_slot(sorter);

	p->ts = ts;
	p->number = number;
	tw_sorter_commit(sorter);
}

static void test_order(void **state)
{
	static const int64_t times[] = { 5, 3, 9, -4, 3, 5, 0, 9, INT64_MAX, INT64_MIN };
	static const uint64_t want[] = { 10, 4, 7, 2, 5, 1, 6, 3, 8, 9 }; /* equal times as they came */

	(void)state;
	assert_null(tw_sorter_pop(sorter, true));
	for (unsigned i = 0; i < 10; i++)
		put(times[i], i + 1);
	assert_null(tw_sorter_pop(sorter, false)); /* the window is not full */
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(tw_sorter_pop(sorter, true)->number, want[i]);
	assert_null(tw_sorter_pop(sorter, true));
}

/* A packet that is dropped half-filled leaves its place to the next. */
static void test_uncommitted(void **state)
{
	(void)state;
	tw_sorter_slot(sorter)->number = 99;
	put(1, 1);
	tw_sorter_slot(sorter)->number = 98;
	assert_int_equal(tw_sorter_pop(sorter, true)->number, 1);
	assert_null(tw_sorter_pop(sorter, true));
}

static void test_window(void **state)
{
	uint64_t out = 0;

	(void)state;
	for (uint64_t i = 1; i < TW_SORT_WINDOW; i++) {
		put((int64_t)i, i);
		assert_null(tw_sorter_pop(sorter, false));
	}
	for (uint64_t i = TW_SORT_WINDOW; i < 5000; i++) {
		struct tw_packet *p;

		put((int64_t)i, i);
		p = tw_sorter_pop(sorter, false);
		assert_non_null(p);
		assert_int_equal(p->number, ++out);
		assert_null(tw_sorter_pop(sorter, false)); /* one in, one out */
	}
}

/* What was popped stays while the next is being written. */
static void test_popped_stays_valid(void **state)
{
	struct tw_packet *popped;

	(void)state;
	put(10, 1);
	put(20, 2);
	popped = tw_sorter_pop(sorter, true);
	assert_int_equal(popped->number, 1);
	assert_int_equal(popped->ts, 10);
	tw_sorter_slot(sorter)->number = 3;
	tw_sorter_slot(sorter)->ts = 30;
	tw_sorter_commit(sorter);
	assert_int_equal(tw_sorter_pop(sorter, true)->number, 2);
	assert_int_equal(tw_sorter_pop(sorter, true)->number, 3);
}

/* Late by less than the window: sorted. Later than that: it comes out at once, behind its time. */
static void test_beyond_the_window(void **state)
{
	struct tw_packet *p;
	uint64_t i;

	(void)state;
	for (i = 1; i <= TW_SORT_WINDOW; i++)
		put((int64_t)i * 10, i);
	p = tw_sorter_pop(sorter, false);
	assert_int_equal(p->number, 1);
	put(15, ++i); /* still between 1 and 2 */
	assert_int_equal(tw_sorter_pop(sorter, false)->number, i);
	put(5130, ++i);
	assert_int_equal(tw_sorter_pop(sorter, false)->number, 2);
	put(1, ++i); /* its place has passed */
	assert_int_equal(tw_sorter_pop(sorter, false)->number, i);
}

/* Random delays that reorder by less than the window come out in order, and stably so. */
static void test_random(void **state)
{
	struct gen_random random = { .state = 4711 };
	int64_t last_ts = -1;
	uint64_t last_number = 0, n = 0;

	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		struct tw_packet *p;

		/* Up to 100 places late, in steps that make many times equal. */
		put((int64_t)(i - (i > 100 ? gen_random_below(&random, 100) : 0)) / 8, i);
		p = tw_sorter_pop(sorter, i == 19999);
		for (; p; p = tw_sorter_pop(sorter, i == 19999)) {
			assert_true(p->ts >= last_ts);
			if (p->ts == last_ts)
				assert_true(p->number > last_number);
			last_ts = p->ts;
			last_number = p->number;
			n++;
		}
	}
	assert_int_equal(n, 20000);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(test_order), CASE(test_uncommitted), CASE(test_window),
		CASE(test_popped_stays_valid), CASE(test_beyond_the_window), CASE(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
