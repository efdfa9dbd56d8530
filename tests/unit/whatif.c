/* SPDX-License-Identifier: BSD-2-Clause */
/* What-if: waits are saved whole, rates at the next bound that was observed, within stated limits. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdint.h>

#include "ledger/whatif.h"

#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)

enum { MSS = 1448 };

static struct tw_bill_row row[3];
static struct tw_bill bill;
static struct tw_direction_bill *const figures = &bill.direction[0];

/* The client sends, 20 ms from the server, for 100 s; nothing is known of what could bind but slow start. */
static int begin(void **state)
{
	(void)state;
	bill = (struct tw_bill){ .duration_ns = 100 * SECOND, .rows = row,
				 .direction = { { .min_rtt = 20 * MS, .mss = MSS },
						{ .min_rtt = 20 * MS, .mss = MSS } } };
	return 0;
}

/* A silence. */
static void add_wait(enum tw_cause cause, int64_t ns, uint64_t intervals)
{
	row[bill.n_rows++] = (struct tw_bill_row){ .cause = cause, .ns = ns, .waits_ns = ns,
						   .intervals = intervals };
}

/* Continuous transfer of `bytes`. */
static void add_rate(enum tw_cause cause, int64_t ns, double bytes, uint64_t rounds)
{
	row[bill.n_rows++] = (struct tw_bill_row){ .cause = cause, .ns = ns, .bytes = bytes,
						   .rounds = rounds, .intervals = 1 };
}

/* What goes with the cause, taken off a bill of 100 s: the saving. */
static struct tw_whatif without(enum tw_cause cause)
{
	struct tw_whatif w = tw_whatif_cause(&bill, cause, 0);

	assert_true(w.low_ns >= 0 && w.low_ns <= w.ns);
	assert_true(w.ns <= w.high_ns && w.high_ns <= bill.duration_ns);
	return w;
}

static int64_t saves(enum tw_cause cause)
{
	return bill.duration_ns - without(cause).ns;
}

static void assert_near(int64_t ns, int64_t want)
{
	if (ns < want - MS || ns > want + MS)
		fail_msg("%lld ns, not about %lld", (long long)ns, (long long)want);
}

static void test_waits_are_exact(void **state)
{
	static const enum tw_cause waits[] = {
		TW_CAUSE_NAGLE, TW_CAUSE_NAGLE_DELAYED_ACK, TW_CAUSE_SYN_RETRY, TW_CAUSE_PATH_OUTAGE,
		TW_CAUSE_MTU_BLACK_HOLE, TW_CAUSE_HOST_SLOW, TW_CAUSE_HANDSHAKE, TW_CAUSE_ROUND_TRIP,
		TW_CAUSE_TAIL_LOSS, TW_CAUSE_SENDER_APP, TW_CAUSE_RECEIVER_APP,
	};
	const int64_t ns = 12345678901; /* to the nanosecond */

	for (unsigned i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		struct tw_whatif w;

		begin(state);
		add_wait(waits[i], ns, 5);
		w = without(waits[i]);
		assert_int_equal(w.ns, bill.duration_ns - ns);
		assert_int_equal(w.low_ns, w.ns);
		assert_int_equal(w.high_ns, w.ns);
		assert_false(w.at_least);
		assert_int_equal(w.next, TW_CAUSE_UNKNOWN);
	}
}

/* The loss is then repaired, the ACK then comes, within a round trip each. */
static void test_waits_with_a_remainder(void **state)
{
	(void)state;
	add_wait(TW_CAUSE_DELAYED_ACK, 400 * MS, 10);
	assert_int_equal(saves(TW_CAUSE_DELAYED_ACK), 200 * MS);
	row[0].ns = 100 * MS;
	assert_int_equal(saves(TW_CAUSE_DELAYED_ACK), 0);
	add_wait(TW_CAUSE_RETRANSMISSION_TIMEOUT, 900 * MS, 3);
	assert_int_equal(saves(TW_CAUSE_RETRANSMISSION_TIMEOUT), 840 * MS);
}

/* One cure takes both; another side's is none of it. */
static void test_causes_that_go_together(void **state)
{
	(void)state;
	add_wait(TW_CAUSE_NAGLE_DELAYED_ACK, 4 * SECOND, 100);
	add_wait(TW_CAUSE_NAGLE, SECOND, 1);
	assert_int_equal(saves(TW_CAUSE_NAGLE_DELAYED_ACK), 5 * SECOND);
	assert_int_equal(saves(TW_CAUSE_NAGLE), 5 * SECOND);
	row[1].side = 1;
	assert_int_equal(saves(TW_CAUSE_NAGLE), 4 * SECOND);
	assert_int_equal(saves(TW_CAUSE_HANDSHAKE), 0);
}

static void test_nothing_known(void **state)
{
	(void)state;
	add_rate(TW_CAUSE_UNKNOWN, SECOND, 1e6, 10);
	add_rate(TW_CAUSE_CAPTURE_GAP, SECOND, 1e6, 10);
	assert_int_equal(saves(TW_CAUSE_UNKNOWN), 0);
	assert_int_equal(saves(TW_CAUSE_CAPTURE_GAP), 0);
	/* No bound at all: all of it at best, and nothing for certain. */
	figures->min_rtt = 0;
	add_rate(TW_CAUSE_RECEIVE_WINDOW, SECOND, 1e6, 10);
	assert_int_equal(saves(TW_CAUSE_RECEIVE_WINDOW), SECOND);
	assert_int_equal(without(TW_CAUSE_RECEIVE_WINDOW).high_ns, bill.duration_ns);
}

/* 100 MB at 100 Mbit/s take 8 s, whatever the window, and a few round trips until it is open. */
static void test_link_binds_next(void **state)
{
	struct tw_whatif w;

	(void)state;
	figures->capacity_bps = 100e6;
	add_rate(TW_CAUSE_RECEIVE_WINDOW, 20 * SECOND, 100e6, 1000);
	w = without(TW_CAUSE_RECEIVE_WINDOW);
	assert_true(w.ns > 88 * SECOND && w.ns < 88 * SECOND + 50 * MS);
	assert_int_equal(w.next, TW_CAUSE_LINK_RATE);
	assert_false(w.at_least);
	/* The capacity is known within a tenth, and so is the duration. */
	assert_true(w.low_ns > 87 * SECOND && w.low_ns < 88 * SECOND - 500 * MS);
	assert_true(w.high_ns > 88 * SECOND + 500 * MS && w.high_ns < 90 * SECOND);
	/* The link itself removed: its rate binds no more. */
	row[0].cause = TW_CAUSE_LINK_RATE;
	w = without(TW_CAUSE_LINK_RATE);
	assert_true(w.ns < 81 * SECOND);
	assert_int_not_equal(w.next, TW_CAUSE_LINK_RATE);
}

/* 100 MB through 1 MB a round trip: 2 s. */
static void test_window_binds_next(void **state)
{
	(void)state;
	figures->window_max = 1000000;
	figures->capacity_bps = 1e9;
	add_rate(TW_CAUSE_SENDER_APP, 10 * SECOND, 100e6, 1000);
	assert_near(without(TW_CAUSE_SENDER_APP).ns, 92 * SECOND + 50 * MS);
	assert_int_equal(without(TW_CAUSE_SENDER_APP).next, TW_CAUSE_RECEIVE_WINDOW);
	/* A reader that keeps up leaves the widest window seen: it is the next bound. */
	row[0].cause = TW_CAUSE_RECEIVER_APP;
	assert_int_equal(without(TW_CAUSE_RECEIVER_APP).next, TW_CAUSE_RECEIVE_WINDOW);
	/* But a window that is too small does not bind its own cure. */
	row[0].cause = TW_CAUSE_RECEIVE_WINDOW;
	assert_int_equal(without(TW_CAUSE_RECEIVE_WINDOW).next, TW_CAUSE_LINK_RATE);
	assert_true(saves(TW_CAUSE_RECEIVE_WINDOW) > 9 * SECOND);
	/* The other direction's window is none of ours. */
	bill.direction[1].window_max = 10;
	assert_true(saves(TW_CAUSE_RECEIVE_WINDOW) > 9 * SECOND);
}

/* Silences with nothing under way are saved whole, and only the rest meets the next bound. */
static void test_waits_of_programs(void **state)
{
	(void)state;
	figures->capacity_bps = 400e6; /* 2 s */
	add_rate(TW_CAUSE_SENDER_APP, 20 * SECOND, 100e6, 100);
	row[0].waits_ns = 15 * SECOND;
	assert_near(saves(TW_CAUSE_SENDER_APP), 18 * SECOND);
	row[0].waits_ns = 19 * SECOND; /* the link is slower than that */
	assert_near(saves(TW_CAUSE_SENDER_APP), 19 * SECOND);
}

/* A rate that was reached between the losses can be had again; more, perhaps. */
static void test_what_was_reached(void **state)
{
	struct tw_whatif w;

	(void)state;
	figures->best_rate_bps = 80e6; /* 10 s */
	add_rate(TW_CAUSE_CONGESTION_WINDOW, 20 * SECOND, 90e6, 900);
	add_rate(TW_CAUSE_FAST_RECOVERY, 5 * SECOND, 10e6, 100);
	w = without(TW_CAUSE_FAST_RECOVERY);
	assert_true(w.at_least);
	assert_true(w.ns > 85 * SECOND && w.ns < 85 * SECOND + 50 * MS);
	assert_true(w.low_ns < 76 * SECOND); /* nothing is known to be slower than slow start */
	/* Where the bound itself was the cause, the best rate was that bound: it shows nothing. */
	row[0].cause = row[1].cause = TW_CAUSE_RECEIVE_WINDOW;
	w = without(TW_CAUSE_RECEIVE_WINDOW);
	assert_false(w.at_least);
	assert_true(w.ns < 76 * SECOND);
	assert_int_equal(w.high_ns, bill.duration_ns);
}

/* A timer's wait is gone for certain; the window that it cut may be as well. */
static void test_timers_and_what_they_cut(void **state)
{
	struct tw_whatif w;

	(void)state;
	add_wait(TW_CAUSE_TAIL_LOSS, 3 * SECOND, 2);
	add_rate(TW_CAUSE_SLOW_START, 2 * SECOND, 1e6, 20);
	w = without(TW_CAUSE_TAIL_LOSS);
	assert_int_equal(w.ns, 97 * SECOND);
	assert_int_equal(w.high_ns, 97 * SECOND);
	assert_true(w.low_ns < 96 * SECOND);
	assert_true(w.at_least);
}

/* Never faster than slow start: 10 MB in about ten doublings from ten segments. */
static void test_slow_start_binds(void **state)
{
	struct tw_whatif w;

	(void)state;
	add_rate(TW_CAUSE_RECEIVE_WINDOW, 5 * SECOND, 10e6, 1000);
	w = without(TW_CAUSE_RECEIVE_WINDOW);
	assert_int_equal(w.next, TW_CAUSE_SLOW_START);
	assert_true(w.ns > 95 * SECOND + 150 * MS && w.ns < 95 * SECOND + 300 * MS);
	/* What fits the initial window takes one round trip; among messages that take turns, none more. */
	row[0].bytes = 5 * MSS;
	assert_near(saves(TW_CAUSE_RECEIVE_WINDOW), 5 * SECOND - 20 * MS);
	figures->turns = 10;
	assert_near(saves(TW_CAUSE_RECEIVE_WINDOW), 5 * SECOND);
	/* Slow start itself removed: a round trip, and what the link takes. */
	figures->turns = 0;
	figures->capacity_bps = 80e6;
	row[0].cause = TW_CAUSE_SLOW_START;
	row[0].bytes = 10e6;
	assert_near(saves(TW_CAUSE_SLOW_START), 4 * SECOND - 20 * MS);
}

/* Rows of both sides, as a finding may claim them. */
static void test_rows(void **state)
{
	const struct tw_bill_row *const both[] = { &row[0], &row[1] };

	(void)state;
	add_wait(TW_CAUSE_ROUND_TRIP, 3 * SECOND, 10);
	add_wait(TW_CAUSE_ROUND_TRIP, 4 * SECOND, 10);
	row[1].side = 1;
	assert_int_equal(tw_whatif_rows(&bill, both, 2).ns, 93 * SECOND);
	assert_int_equal(tw_whatif_rows(&bill, both, 0).ns, 100 * SECOND);
}

/* Durations beyond what a double holds exactly. */
static void test_long(void **state)
{
	(void)state;
	bill.duration_ns = INT64_C(1) << 57;
	add_wait(TW_CAUSE_NAGLE, (INT64_C(1) << 56) - 1, 1);
	assert_int_equal(saves(TW_CAUSE_NAGLE), (INT64_C(1) << 56) - 1);
	add_wait(TW_CAUSE_RETRANSMISSION_TIMEOUT, (INT64_C(1) << 56) - 1, UINT64_MAX);
	without(TW_CAUSE_RETRANSMISSION_TIMEOUT);
	add_rate(TW_CAUSE_LINK_RATE, INT64_C(1) << 56, 1e18, UINT64_MAX);
	without(TW_CAUSE_LINK_RATE);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		CASE(test_waits_are_exact), CASE(test_waits_with_a_remainder),
		CASE(test_causes_that_go_together), CASE(test_nothing_known), CASE(test_link_binds_next),
		CASE(test_window_binds_next), CASE(test_waits_of_programs), CASE(test_what_was_reached),
		CASE(test_timers_and_what_they_cut), CASE(test_slow_start_binds), CASE(test_rows),
		CASE(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
