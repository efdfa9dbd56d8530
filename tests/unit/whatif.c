/* SPDX-License-Identifier: BSD-2-Clause */
/* What-if: waits are saved whole, rates at the next bound that was observed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdint.h>

#include "ledger/whatif.h"

#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)

enum { MSS = 1448 };

static struct tw_connection c;
static struct tw_direction_bill figures;

/* The client sends; 20 ms; nothing is known of what could bind but slow start. */
static int begin(void **state)
{
	struct tw_packet first = { .flags = TW_SYN };

	(void)state;
	tw_connection_init(&c, 1, &first);
	c.direction[0].mss_option = c.direction[1].mss_option = MSS;
	figures = (struct tw_direction_bill){ .min_rtt = 20 * MS };
	return 0;
}

static struct tw_whatif without(enum tw_cause cause, int64_t ns, double bytes, uint64_t intervals)
{
	const struct tw_whatif_charge charge = { .cause = cause, .ns = ns, .bytes = bytes,
						 .intervals = intervals };
	struct tw_whatif w = tw_whatif(&c, &figures, &charge);

	assert_true(w.saves_ns >= 0 && w.saves_ns <= ns);
	return w;
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
	};
	const int64_t ns = 12345678901; /* to the nanosecond */

	(void)state;
	for (unsigned i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		struct tw_whatif w = without(waits[i], ns, 1e9, 5);

		assert_int_equal(w.saves_ns, ns);
		assert_false(w.at_least);
		assert_int_equal(w.next, TW_CAUSE_UNKNOWN);
	}
}

/* The loss is then repaired, the ACK then comes, within a round trip each. */
static void test_waits_with_a_remainder(void **state)
{
	(void)state;
	assert_int_equal(without(TW_CAUSE_RETRANSMISSION_TIMEOUT, 900 * MS, 0, 3).saves_ns, 840 * MS);
	assert_int_equal(without(TW_CAUSE_TAIL_LOSS, 300 * MS, 0, 1).saves_ns, 280 * MS);
	assert_int_equal(without(TW_CAUSE_DELAYED_ACK, 400 * MS, 0, 10).saves_ns, 200 * MS);
	assert_int_equal(without(TW_CAUSE_DELAYED_ACK, 100 * MS, 0, 10).saves_ns, 0);
}

static void test_nothing_known(void **state)
{
	(void)state;
	assert_int_equal(without(TW_CAUSE_UNKNOWN, SECOND, 1e6, 1).saves_ns, 0);
	assert_int_equal(without(TW_CAUSE_CAPTURE_GAP, SECOND, 1e6, 1).saves_ns, 0);
	/* No bound at all: all of it, and maybe more. */
	figures.min_rtt = 0;
	assert_int_equal(without(TW_CAUSE_RECEIVE_WINDOW, SECOND, 1e6, 1).saves_ns, SECOND);
	assert_true(without(TW_CAUSE_RECEIVE_WINDOW, SECOND, 1e6, 1).at_least);
	assert_int_equal(without(TW_CAUSE_RECEIVE_WINDOW, SECOND, 1e6, 1).next, TW_CAUSE_UNKNOWN);
}

/* 100 MB at 100 Mbit/s take 8 s, whatever the window. */
static void test_link_binds_next(void **state)
{
	struct tw_whatif w;

	(void)state;
	figures.capacity_bps = 100e6;
	w = without(TW_CAUSE_RECEIVE_WINDOW, 20 * SECOND, 100e6, 1);
	assert_near(w.saves_ns, 12 * SECOND);
	assert_int_equal(w.next, TW_CAUSE_LINK_RATE);
	assert_false(w.at_least);
	/* The link itself removed: its rate binds no more. */
	w = without(TW_CAUSE_LINK_RATE, 8 * SECOND, 100e6, 1);
	assert_true(w.saves_ns > 7 * SECOND);
	assert_int_not_equal(w.next, TW_CAUSE_LINK_RATE);
}

/* 100 MB through 1 MB a round trip: 2 s. */
static void test_window_binds_next(void **state)
{
	struct tw_whatif w;

	(void)state;
	c.direction[0].window_max = 1000000;
	w = without(TW_CAUSE_SENDER_APP, 10 * SECOND, 100e6, 1);
	assert_near(w.saves_ns, 8 * SECOND);
	assert_int_equal(w.next, TW_CAUSE_RECEIVE_WINDOW);
	assert_int_not_equal(without(TW_CAUSE_RECEIVE_WINDOW, 10 * SECOND, 100e6, 1).next,
			     TW_CAUSE_RECEIVE_WINDOW);
	/* A reader that keeps up leaves the widest window seen: it is the next bound. */
	w = without(TW_CAUSE_RECEIVER_APP, 10 * SECOND, 100e6, 1);
	assert_int_equal(w.next, TW_CAUSE_RECEIVE_WINDOW);
	assert_near(w.saves_ns, 8 * SECOND);
}

/* In silences nothing had to travel: they are saved whole, and only the rest meets the next bound. */
static void test_waits_of_programs(void **state)
{
	struct tw_whatif_charge charge = { .cause = TW_CAUSE_SENDER_APP, .ns = 20 * SECOND,
					   .waits_ns = 15 * SECOND, .bytes = 100e6, .intervals = 3 };
	struct tw_whatif w;

	(void)state;
	c.direction[0].window_max = 1000000; /* 2 s */
	assert_near(tw_whatif(&c, &figures, &charge).saves_ns, 18 * SECOND);
	charge.waits_ns = charge.ns;
	w = tw_whatif(&c, &figures, &charge);
	assert_int_equal(w.saves_ns, 20 * SECOND);
	assert_false(w.at_least);
}

/* The slowest of all bounds counts. */
static void test_slowest_bound(void **state)
{
	(void)state;
	c.direction[0].window_max = 1000000;
	figures.capacity_bps = 100e6;
	assert_near(without(TW_CAUSE_SENDER_APP, 20 * SECOND, 100e6, 1).saves_ns, 12 * SECOND);
	c.direction[0].window_max = 100000; /* 20 s: nothing is to be had */
	assert_int_equal(without(TW_CAUSE_SENDER_APP, 20 * SECOND, 100e6, 1).saves_ns, 0);
	/* The other direction's window is none of ours. */
	c.direction[0].window_max = 1000000;
	c.direction[1].window_max = 10;
	assert_near(without(TW_CAUSE_SENDER_APP, 20 * SECOND, 100e6, 1).saves_ns, 12 * SECOND);
}

/* The highest flight was carried once; but where it was the bound itself it shows nothing. */
static void test_flight_binds_next(void **state)
{
	(void)state;
	c.direction[0].flight_max = 200000;
	assert_near(without(TW_CAUSE_FAST_RECOVERY, 20 * SECOND, 100e6, 1).saves_ns, 10 * SECOND);
	/* The losses may have kept it there. */
	assert_true(without(TW_CAUSE_FAST_RECOVERY, 20 * SECOND, 100e6, 1).at_least);
	assert_true(without(TW_CAUSE_RECEIVE_WINDOW, 20 * SECOND, 100e6, 1).saves_ns > 19 * SECOND);
	assert_true(without(TW_CAUSE_SEND_BUFFER, 20 * SECOND, 100e6, 1).saves_ns > 19 * SECOND);
}

/* Never faster than slow start: 10 MB in about ten doublings from ten segments. */
static void test_slow_start_binds(void **state)
{
	struct tw_whatif w = without(TW_CAUSE_RECEIVE_WINDOW, 5 * SECOND, 10e6, 1);

	(void)state;
	assert_int_equal(w.next, TW_CAUSE_SLOW_START);
	assert_true(w.saves_ns < 5 * SECOND - 150 * MS && w.saves_ns > 5 * SECOND - 300 * MS);
	/* What fits the initial window takes one round trip. */
	assert_near(without(TW_CAUSE_RECEIVE_WINDOW, SECOND, 5 * MSS, 1).saves_ns, SECOND - 20 * MS);
	/* Slow start itself removed. */
	assert_true(without(TW_CAUSE_SLOW_START, SECOND, 10e6, 1).at_least);
	assert_int_equal(without(TW_CAUSE_SLOW_START, SECOND, 10e6, 1).saves_ns, SECOND);
}

/* Durations beyond what a double holds exactly. */
static void test_long(void **state)
{
	(void)state;
	assert_int_equal(without(TW_CAUSE_NAGLE, (INT64_C(1) << 56) - 1, 0, 1).saves_ns,
			 (INT64_C(1) << 56) - 1);
	without(TW_CAUSE_TAIL_LOSS, (INT64_C(1) << 56) - 1, 0, UINT64_MAX);
	without(TW_CAUSE_SENDER_APP, (INT64_C(1) << 56) - 1, 1e300, 1);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		CASE(test_waits_are_exact), CASE(test_waits_with_a_remainder),
		CASE(test_nothing_known), CASE(test_link_binds_next), CASE(test_window_binds_next),
		CASE(test_slowest_bound),
		CASE(test_waits_of_programs), CASE(test_flight_binds_next), CASE(test_slow_start_binds),
		CASE(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
