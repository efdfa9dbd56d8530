/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "base/sketch.h"

enum { MANY = 20000 };

static const double quantiles[] = { 0, 0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1 };

#define EACH(array) (sizeof(array) / sizeof(*(array)))

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13; /* xorshift64 */
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* (0, 1) */
static double next_share(uint64_t *seed)
{
	return ((double)(next_random(seed) >> 11) + 0.5) / 9007199254740992.0;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank. */
static int64_t exact_quantile(const int64_t *sorted, size_t n, double q)
{
	return sorted[(size_t)(q * (double)(n - 1) + 0.5)];
}

/*
 * Adds the n values in the order given and compares with the truth: exact where `tolerance` is 0,
 * else within that share of the true value.
 */
static void compare(const int64_t *values, size_t n, double tolerance)
{
	int64_t *sorted = malloc(n * sizeof(*sorted));
	struct tw_sketch sketch = { 0 };

	assert_non_null(sorted);
	for (size_t i = 0; i < n; i++)
		tw_sketch_add(&sketch, values[i]);
	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	assert_int_equal(sketch.n, n);
	assert_int_equal(sketch.min, sorted[0]);
	assert_int_equal(sketch.max, sorted[n - 1]);
	for (size_t i = 0; i < EACH(quantiles); i++) {
		int64_t want = exact_quantile(sorted, n, quantiles[i]);
		int64_t got = tw_sketch_quantile(&sketch, quantiles[i]);

		if (fabs((double)got - (double)want) > tolerance * (double)want)
			fail_msg("quantile %g of %zu values: %lld, not %lld", quantiles[i], n,
				 (long long)got, (long long)want);
	}
	tw_sketch_release(&sketch);
	free(sorted);
}

static void test_empty(void **state)
{
	struct tw_sketch sketch = { 0 };

	(void)state;
	assert_int_equal(tw_sketch_quantile(&sketch, 0.5), 0);
	tw_sketch_release(&sketch);
	assert_int_equal(sketch.n, 0);
}

/* Few values, in any order, are kept as they are. */
static void test_few_values_are_exact(void **state)
{
	int64_t values[64];
	uint64_t seed = 1;

	(void)state;
	for (size_t n = 1; n <= EACH(values); n++) {
		for (size_t i = 0; i < n; i++)
			values[i] = (int64_t)(next_random(&seed) % 1000000007);
		compare(values, n, 0);
	}
}

/* The step from values to bins loses none of them. */
static void test_step_to_bins(void **state)
{
	int64_t values[200];
	uint64_t seed = 2;

	(void)state;
	for (size_t n = 60; n <= EACH(values); n++) {
		for (size_t i = 0; i < n; i++)
			values[i] = (int64_t)(next_random(&seed) % 1000000007);
		compare(values, n, 0.032);
	}
}

static void test_distributions(void **state)
{
	int64_t *values = malloc(MANY * sizeof(*values));
	uint64_t seed = 3;

	(void)state;
	assert_non_null(values);
	for (int kind = 0; kind < 6; kind++) {
		for (size_t i = 0; i < MANY; i++) {
			double u = next_share(&seed), v = next_share(&seed);

			switch (kind) {
			case 0: /* round-trip times, evenly 10 to 30 ms */
				values[i] = (int64_t)(1e7 + 2e7 * u);
				break;
			case 1: /* exponential, mean 5 ms */
				values[i] = (int64_t)(-5e6 * log(u));
				break;
			case 2: /* log-normal over many octaves (Box and Muller) */
				values[i] = (int64_t)exp(14 + 3 * sqrt(-2 * log(u)) *
							 cos(6.283185307179586 * v));
				break;
			case 3: /* two peaks: 1 us, and the 200 ms of a timer */
				values[i] = u < 0.7 ? 1000 : 200000000;
				break;
			case 4: /* a heavy tail (Pareto) */
				values[i] = (int64_t)(1000 / pow(u, 1.1));
				break;
			default: /* falling, none twice */
				values[i] = (int64_t)(MANY - i) * 1001;
				break;
			}
		}
		compare(values, MANY, 0.032);
	}
	free(values);
}

/* Below 32 a bin is one value wide; a lone value repeated is clamped to itself. */
static void test_small_and_constant_values(void **state)
{
	int64_t values[1000];
	uint64_t seed = 4;

	(void)state;
	for (size_t i = 0; i < EACH(values); i++)
		values[i] = (int64_t)(next_random(&seed) % 32);
	compare(values, EACH(values), 0);
	for (int64_t value = 1; value < INT64_MAX / 4000; value = value * 3 + 1) {
		for (size_t i = 0; i < EACH(values); i++)
			values[i] = value;
		compare(values, EACH(values), 0);
	}
}

/* Each side of every power of two, where the bins change width. */
static void test_edges_of_octaves(void **state)
{
	(void)state;
	for (int bit = 1; bit < 50; bit++) {
		int64_t values[600];

		for (size_t i = 0; i < EACH(values); i++)
			values[i] = (INT64_C(1) << bit) + (int64_t)(i % 3) - 1;
		compare(values, EACH(values), 0.032);
	}
}

static void test_extremes(void **state)
{
	struct tw_sketch sketch = { 0 };

	(void)state;
	for (int i = 0; i < 50; i++) {
		tw_sketch_add(&sketch, INT64_MAX);
		tw_sketch_add(&sketch, INT64_MIN); /* negative counts as 0 */
		tw_sketch_add(&sketch, -1);
	}
	assert_int_equal(sketch.n, 150);
	assert_int_equal(sketch.min, 0);
	assert_int_equal(sketch.max, INT64_MAX);
	assert_int_equal(tw_sketch_quantile(&sketch, 0.5), 0);
	assert_true(tw_sketch_quantile(&sketch, 0.9) > INT64_MAX / 32 * 31);
	tw_sketch_release(&sketch);
	assert_int_equal(sketch.n, 0);

	/* Used again, it remembers nothing. */
	tw_sketch_add(&sketch, 7);
	assert_int_equal(sketch.min, 7);
	assert_int_equal(tw_sketch_quantile(&sketch, 1), 7);
	tw_sketch_release(&sketch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_few_values_are_exact),
		cmocka_unit_test(test_step_to_bins),
		cmocka_unit_test(test_distributions),
		cmocka_unit_test(test_small_and_constant_values),
		cmocka_unit_test(test_edges_of_octaves),
		cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests_name("sketch", tests, NULL, NULL);
}
