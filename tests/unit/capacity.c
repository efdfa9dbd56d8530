/* SPDX-License-Identifier: BSD-2-Clause */
/* The bottleneck's rate: packet trains at the sender, spacing elsewhere, the plateau of rounds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdint.h>

#include "ledger/capacity.h"
#include "ledger/thresholds.h"
#include "tests/gen/random.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)

enum { MSS = 1000 };

static struct tw_capacity capacity;
static int64_t una;

static int begin(void **state)
{
	(void)state;
	capacity = (struct tw_capacity){ 0 };
	una = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	tw_capacity_release(&capacity);
	return 0;
}

/* An ACK for `len` bytes at `at`, of data whose last byte left at `sent`. */
static void ack(int64_t at, uint32_t len, int64_t sent)
{
	struct tw_event e = { .kind = TW_EVENT_ACK, .at = at, .newly_acked = len, .mss = MSS,
			      .acked_sent_at = sent, .flight_known = true };

	una += len;
	e.una = una;
	tw_capacity_ack(&capacity, &e);
}

/*
 * `n` segments, sent `spacing` apart in bursts of 40, each acknowledged as the link lets them through:
 * one a millisecond, 1 MB/s.
 */
static void train(unsigned n, int64_t spacing)
{
	for (unsigned i = 0; i < n; i++)
		ack(1000 * MS + i * MS, MSS, 900 * MS + i * spacing);
}

static void assert_near(double value, double want)
{
	if (value < want * 0.9 || value > want * 1.1)
		fail_msg("%g, not about %g", value, want);
}

static void test_trains(void **state)
{
	(void)state;
	train(200, 20 * US);
	assert_near(tw_capacity_estimate(&capacity, true), 1e6);
	assert_true(tw_capacity_estimate(&capacity, false) == 0); /* spacing tells nothing here */
}

/* What came out as it went in shows the sender's rate, not the link's. */
static void test_paced(void **state)
{
	(void)state;
	train(200, MS);
	assert_true(tw_capacity_estimate(&capacity, true) == 0);
}

static void test_too_few_trains(void **state)
{
	(void)state;
	train(40, 20 * US);
	assert_true(capacity.trains.n > 0);
	assert_true(tw_capacity_estimate(&capacity, true) == 0);
}

static void test_trains_that_disagree(void **state)
{
	int64_t at = 1000 * MS;

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		/* Three fifths of the time ten times as slow. */
		at += i / 40 % 5 < 3 ? 10 * MS : MS;
		ack(at, MSS, 900 * MS + i * 20 * US);
	}
	assert_true(capacity.trains.n >= tw_thresholds.trains);
	assert_true(tw_capacity_estimate(&capacity, true) == 0);
}

/* 200 ACKs, of which every fourth is spoiled in one way or the other. */
static void spoiled_train(bool hole, bool no_time, bool unknown)
{
	capacity.train_open = false;
	for (unsigned i = 0; i < 200; i++) {
		struct tw_event e = { .at = 1000 * MS + i * MS, .newly_acked = MSS, .mss = MSS,
				      .una = (i + 1) * MSS, .acked_sent_at = 900 * MS + i * US,
				      .flight_known = true };

		if (i % 4 == 0) {
			e.hole = hole;
			e.flight_known = !unknown;
			if (no_time)
				e.acked_sent_at = TW_NO_TIME;
		}
		tw_capacity_ack(&capacity, &e);
	}
}

/* Recovery's ACKs come when holes are filled; those for what was resent or not captured tell no times. */
static void test_no_trains_in_recovery(void **state)
{
	(void)state;
	spoiled_train(true, false, false);
	spoiled_train(false, true, false);
	spoiled_train(false, false, true);
	assert_int_equal(capacity.trains.n, 0);
	spoiled_train(false, false, false);
	assert_true(capacity.trains.n > 10);
}

static void arrive(int64_t at, uint32_t len)
{
	struct tw_event e = { .kind = TW_EVENT_SEND, .at = at, .to = len, .mss = MSS };

	tw_capacity_send(&capacity, &e, 0);
}

static void test_pairs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++)
		arrive(1000 * MS + i * MS, MSS);
	assert_near(tw_capacity_estimate(&capacity, false), 1e6);
	assert_true(tw_capacity_estimate(&capacity, true) == 0);
}

static void test_too_few_pairs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		arrive(1000 * MS + i * MS, MSS);
	assert_true(tw_capacity_estimate(&capacity, false) == 0);
	/* Small ones and late ones are no pairs. */
	for (unsigned i = 0; i < 400; i++)
		arrive(2000 * MS + i * MS, i & 1 ? MSS : 100);
	assert_int_equal(capacity.pairs.n, 19);
	assert_true(tw_capacity_estimate(&capacity, false) == 0);
}

/* On a fast link single gaps are the host's jitter: windows are counted. 100 MB/s in bunches of 8. */
static void test_windows(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 8000; i++)
		arrive(1000 * MS + i / 8 * 80 * US + i % 8 * US, MSS);
	assert_near(tw_capacity_estimate(&capacity, false), 100e6);
}

static void test_resends_are_no_pairs(void **state)
{
	struct tw_event e = { .kind = TW_EVENT_SEND, .mss = MSS, .to = MSS };

	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		e.at = 1000 * MS + i * MS;
		e.is_resend = i % 3 == 1;
		e.is_late = i % 3 == 2;
		tw_capacity_send(&capacity, &e, 0);
	}
	assert_int_equal(capacity.pairs.n, 0);
}

static void test_high_and_median(void **state)
{
	struct tw_rate_flight r[20] = { { 0 } };

	(void)state;
	assert_true(tw_rate_high(r, 0) == 0);
	for (unsigned i = 0; i < 20; i++)
		r[i] = (struct tw_rate_flight){ .rate = (i * 7) % 20 + 1 };
	assert_true(tw_rate_median(r, 7) == 0); /* too few */
	assert_true(tw_rate_median(r, 20) == 11);
	assert_true(tw_rate_high(r, 5) == 15); /* of few: the highest */
	assert_true(tw_rate_high(r, 20) == 18); /* P90: bunched ACKs make single rounds look fast */
}

/* More in flight, and no more delivered. */
static void test_plateau(void **state)
{
	struct tw_rate_flight r[40];
	struct gen_random random = { .state = 1 };

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		r[i] = (struct tw_rate_flight){ 1e6 * (0.97 + 0.06 * gen_random_unit(&random)),
						20000 + 1000.0 * i };
	assert_near(tw_capacity_plateau(r, 40), 1e6);
	assert_true(tw_capacity_plateau(r, 5) == 0); /* too few */
	/* The rate follows the flight: a window's doing. */
	for (unsigned i = 0; i < 40; i++)
		r[i] = (struct tw_rate_flight){ 50.0 * (20000 + 1000.0 * i), 20000 + 1000.0 * i };
	assert_true(tw_capacity_plateau(r, 40) == 0);
	/* One flight, one rate: nothing was tried. */
	for (unsigned i = 0; i < 40; i++)
		r[i] = (struct tw_rate_flight){ 1e6, 30000 };
	assert_true(tw_capacity_plateau(r, 40) == 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(test_trains), CASE(test_paced), CASE(test_too_few_trains),
		CASE(test_trains_that_disagree), CASE(test_no_trains_in_recovery),
		CASE(test_pairs), CASE(test_too_few_pairs), CASE(test_windows),
		CASE(test_resends_are_no_pairs), CASE(test_high_and_median), CASE(test_plateau),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
