/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "base/hash.h"

#define KEY_A UINT64_C(0x0123456789abcdef)
#define KEY_B UINT64_C(0xfedcba9876543211)

/* What a connection table hashes: two addresses and two ports, most of it alike. */
struct endpoints {
	uint8_t client[16], server[16];
	uint16_t client_port, server_port;
};

static struct endpoints connection(uint32_t i)
{
	struct endpoints e;

	memset(&e, 0, sizeof(e));
	e.client[10] = e.client[11] = e.server[10] = e.server[11] = 0xff;
	e.client[12] = 192, e.client[14] = 2, e.client[15] = (uint8_t)(i >> 14);
	e.server[12] = 198, e.server[13] = 51, e.server[14] = 100, e.server[15] = 7;
	e.client_port = (uint16_t)(32768 + (i & 0x3fff));
	e.server_port = 80;
	return e;
}

/*
 * Balls thrown at random into as many bins have a chi-square of mean n - 1 and deviation sqrt(2 n):
 * eight of them more is no chance. (Keys that count up spread more evenly than chance: welcome.)
 */
static bool is_spread(const uint32_t *counts, uint32_t n)
{
	double chi = 0;

	for (uint32_t i = 0; i < n; i++)
		chi += (counts[i] - 1.0) * (counts[i] - 1.0);
	return chi < n + 8 * sqrt(2.0 * n);
}

static void test_spreads_alike_connections(void **state)
{
	enum { N = 65536 };
	uint32_t *low = calloc(N, sizeof(*low)), *high = calloc(N, sizeof(*high));
	bool low_spread, high_spread;

	(void)state;
	assert_non_null(low);
	assert_non_null(high);
	for (uint32_t i = 0; i < N; i++) {
		struct endpoints e = connection(i);
		uint64_t h = tw_hash(&e, sizeof(e), KEY_A);

		low[h % N]++;
		high[h >> 48]++;
	}
	low_spread = is_spread(low, N);
	high_spread = is_spread(high, N);
	free(low);
	free(high);
	assert_true(low_spread);
	assert_true(high_spread);
}

/* Keys that fall into one bucket under one secret must scatter under another. */
static void test_collisions_do_not_outlive_the_key(void **state)
{
	enum { BUCKETS = 256, WANT = 512 };
	uint32_t counts[BUCKETS] = { 0 };
	uint32_t found = 0, most = 0;

	(void)state;
	for (uint32_t i = 0; found < WANT; i++) {
		struct endpoints e = connection(i);

		assert_true(i < WANT * BUCKETS * 4);
		if (tw_hash(&e, sizeof(e), KEY_A) % BUCKETS != 3)
			continue;
		found++;
		counts[tw_hash(&e, sizeof(e), KEY_B) % BUCKETS]++;
	}
	for (uint32_t i = 0; i < BUCKETS; i++)
		most = counts[i] > most ? counts[i] : most;
	assert_in_range(most, 3, 16); /* two a bucket on average */
}

/* One bit of the input or of the key changes about half of the output's bits, any of them. */
static void test_every_bit_matters(void **state)
{
	enum { ROUNDS = 64 };
	static unsigned flips[64];
	struct endpoints e;
	unsigned trials = 0;

	(void)state;
	memset(flips, 0, sizeof(flips));
	for (uint32_t round = 0; round < ROUNDS; round++) {
		e = connection(round * 7919);
		for (size_t bit = 0; bit < sizeof(e) * 8 + 64; bit++) {
			uint64_t key = KEY_A;
			uint64_t before = tw_hash(&e, sizeof(e), key), change;
			struct endpoints other = e;

			if (bit < sizeof(e) * 8)
				((uint8_t *)&other)[bit / 8] ^= (uint8_t)(1u << bit % 8);
			else
				key ^= UINT64_C(1) << (bit - sizeof(e) * 8);
			change = before ^ tw_hash(&other, sizeof(other), key);
			assert_in_range(__builtin_popcountll(change), 8, 56);
			for (unsigned out = 0; out < 64; out++)
				flips[out] += change >> out & 1;
			trials++;
		}
	}
	for (unsigned out = 0; out < 64; out++)
		assert_in_range(flips[out], trials * 45 / 100, trials * 55 / 100);
}

/* Zeros of different lengths are different; the same bytes are the same at any address. */
static void test_length_and_alignment(void **state)
{
	uint64_t seen[65];
	uint8_t zeros[64] = { 0 }, bytes[64], moved[80];

	(void)state;
	for (size_t n = 0; n <= 64; n++) {
		seen[n] = tw_hash(zeros, n, KEY_A);
		for (size_t m = 0; m < n; m++)
			assert_true(seen[m] != seen[n]);
	}
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	for (size_t n = 0; n <= 64; n++) {
		for (size_t shift = 0; shift < 9; shift++) {
			memset(moved, (int)shift, sizeof(moved));
			memcpy(moved + shift, bytes, n);
			assert_true(tw_hash(moved + shift, n, KEY_A) == tw_hash(bytes, n, KEY_A));
		}
	}
}

static void test_keys_differ(void **state)
{
	uint64_t a = tw_hash_key(), b = tw_hash_key();

	(void)state;
	assert_true(a != b);
	assert_true(a != 0 && b != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spreads_alike_connections),
		cmocka_unit_test(test_collisions_do_not_outlive_the_key),
		cmocka_unit_test(test_every_bit_matters),
		cmocka_unit_test(test_length_and_alignment),
		cmocka_unit_test(test_keys_differ),
	};

	return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
