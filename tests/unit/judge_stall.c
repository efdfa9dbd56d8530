/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules for silences, in their order: for each a case that fits and near misses, one property
 * changed at a time. Margins are wide: thresholds may move.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdint.h>

#include "flow/event.h"
#include "ledger/judge.h"
#include "ledger/thresholds.h"

#define MS INT64_C(1000000)

enum { MSS = 1448, NONE = TW_CAUSE_COUNT };

/* At the sender, 20 ms from the receiver. */
static struct tw_bench bench;

static int begin(void **state)
{
	(void)state;
	bench = (struct tw_bench){ .min_rtt = 20 * MS, .peer_reaction = 20 * MS, .at_sender = true };
	return 0;
}

/* A silence of `ms` between two full segments of new data; eight in flight; nothing came. */
static struct tw_stall silence(int64_t ms)
{
	return (struct tw_stall){
		.from = 1000 * MS, .to = (1000 + ms) * MS, .ack_at = TW_NO_TIME,
		.new_ack_at = TW_NO_TIME, .outstanding_a = 8 * MSS, .outstanding_b = 8 * MSS,
		.outstanding_ack = 8 * MSS, .mss = MSS, .headroom_a = 40 * MSS,
		.headroom_b = 40 * MSS, .len_a = MSS, .len_b = MSS, .flight_known = true,
	};
}

/* An ACK for everything, or `left` bytes less, `ms` after the silence began. */
static void acked(struct tw_stall *s, int64_t ms, uint32_t left)
{
	s->ack_at = s->new_ack_at = s->from + ms * MS;
	s->pure_ack = true;
	s->outstanding_ack = s->outstanding_b = left;
}

static void expect(const struct tw_stall *s, int cause)
{
	struct tw_verdict v = tw_judge_stall(s, &bench);

	if (v.cause != cause)
		fail_msg("%s, not %s", v.cause < NONE ? tw_cause_id(v.cause) : "no rule",
			 cause < NONE ? tw_cause_id((enum tw_cause)cause) : "no rule");
	assert_true(v.confidence <= 100);
	assert_true((v.confidence > 0) == (cause != NONE));
}

static struct tw_stall timeout(void)
{
	struct tw_stall s = silence(220);

	s.b_resend = true;
	return s;
}

static void test_retransmission_timeout(void **state)
{
	struct tw_stall s = timeout();

	(void)state;
	expect(&s, TW_CAUSE_RETRANSMISSION_TIMEOUT);
	s.dup_acks = 1; /* too few to matter */
	s.sacked = MSS;
	expect(&s, TW_CAUSE_RETRANSMISSION_TIMEOUT);
	s = timeout();
	s.b_resend = false;
	expect(&s, NONE);
	/* Every resend of the direction proved unneeded: ACKs were late, nothing was lost. */
	bench.nothing_lost = true;
	s = timeout();
	expect(&s, NONE);
	bench.nothing_lost = false;
	/* Within a round trip or so no timer runs out. */
	s = timeout();
	s.to = s.from + 21 * MS;
	expect(&s, NONE);
	/* A fast retransmission, within the time one takes. */
	s = timeout();
	s.to = s.from + 60 * MS;
	s.dup_acks = 3;
	expect(&s, NONE);
	s.dup_acks = 0;
	s.sacked = 5 * MSS;
	expect(&s, NONE);
	/* SACKs were at hand, but what was resent then was lost in its turn: only a timer takes so long. */
	s.to = s.from + 400 * MS;
	expect(&s, TW_CAUSE_RETRANSMISSION_TIMEOUT);
	/* A new ACK let it go. */
	s = timeout();
	acked(&s, 219, 7 * MSS);
	expect(&s, NONE);
	/* One long before did not. */
	s = timeout();
	acked(&s, 20, 7 * MSS);
	expect(&s, TW_CAUSE_RETRANSMISSION_TIMEOUT);
}

static void test_tail_loss(void **state)
{
	struct tw_stall s = timeout();

	(void)state;
	s.outstanding_a = 2 * MSS; /* nothing behind it could tell */
	expect(&s, TW_CAUSE_TAIL_LOSS);
	s = timeout();
	s.b_highest = true; /* a probe */
	expect(&s, TW_CAUSE_TAIL_LOSS);
	/* Where no ACK was captured nobody knows what was outstanding. */
	bench.one_way = true;
	expect(&s, TW_CAUSE_RETRANSMISSION_TIMEOUT);
}

static void test_black_hole(void **state)
{
	struct tw_stall s = timeout();

	(void)state;
	assert_true(tw_stall_is_black_hole(&s, &bench));
	bench.black_hole = true;
	expect(&s, TW_CAUSE_MTU_BLACK_HOLE);
	s.outstanding_a = MSS; /* before any tail loss */
	expect(&s, TW_CAUSE_MTU_BLACK_HOLE);
	s.len_b = 500; /* small ones pass */
	assert_false(tw_stall_is_black_hole(&s, &bench));
	expect(&s, TW_CAUSE_TAIL_LOSS);
	s = silence(220);
	assert_false(tw_stall_is_black_hole(&s, &bench));
	/* Smaller ones got through: that is what a black hole is. As large a one: then it is none. */
	s = timeout();
	bench.largest_acked = 1024;
	assert_true(tw_stall_is_black_hole(&s, &bench));
	bench.largest_acked = MSS;
	assert_false(tw_stall_is_black_hole(&s, &bench));
	bench.largest_acked = 0;
}

static void test_loss_before_vantage(void **state)
{
	struct tw_stall s = silence(220);

	(void)state;
	s.id_gap = true;
	expect(&s, TW_CAUSE_TAIL_LOSS);
	acked(&s, 219, MSS); /* released: something else was */
	expect(&s, NONE);
	s = silence(15);
	s.id_gap = true;
	expect(&s, NONE);
}

/* RFC 1122 4.2.3.4: what fits into a window of less than a segment goes when a timer ends the wait for more. */
static void test_squeezed_window(void **state)
{
	struct tw_stall s = silence(220);

	(void)state;
	s.outstanding_a = 8 * MSS;
	s.headroom_a = s.headroom_b = 656;
	s.len_b = 656;
	acked(&s, 20, MSS);
	s.outstanding_b = 0;
	expect(&s, TW_CAUSE_RECEIVER_APP);
	s.len_b = 500; /* it did not fill the window: there was no more */
	expect(&s, NONE);
	s.len_b = 656;
	acked(&s, 219, MSS); /* nor was it let go by an ACK */
	s.outstanding_b = 0;
	expect(&s, NONE);
}

static void test_shut_window(void **state)
{
	struct tw_stall s = silence(300);

	(void)state;
	s.headroom_a = 100;
	s.outstanding_a = 8 * MSS;
	s.ack_at = s.to - MS / 10;
	s.new_ack_at = s.from + 20 * MS;
	s.window_opened = true;
	s.pure_ack = true;
	expect(&s, TW_CAUSE_RECEIVER_APP);
	/* A probe ended it. */
	s = silence(300);
	s.headroom_a = 0;
	s.b_probe = true;
	expect(&s, TW_CAUSE_RECEIVER_APP);
	/* Sent again, the probe is a resend, and no timeout. */
	s.b_resend = true;
	expect(&s, TW_CAUSE_RECEIVER_APP);
	/* There was room for a segment. */
	s = silence(300);
	s.window_opened = true;
	s.ack_at = s.to - MS / 10;
	s.headroom_a = 3 * MSS;
	expect(&s, NONE);
	/* The last ACK freed data: an ordinary window-bound round. */
	s.headroom_a = 100;
	s.new_ack_at = s.ack_at;
	expect(&s, NONE);
}

/* Two small segments, the second released by the ACK of the first, `ms` later. */
static struct tw_stall held(int64_t ms)
{
	struct tw_stall s = silence(ms);

	s.len_a = s.len_b = 100;
	s.outstanding_a = 100;
	acked(&s, ms, 0);
	return s;
}

static void test_nagle(void **state)
{
	struct tw_stall s = held(20);

	(void)state;
	expect(&s, TW_CAUSE_NAGLE);
	s = held(60);
	expect(&s, TW_CAUSE_NAGLE_DELAYED_ACK);
	/* Data right behind it would have filled it while it waited. */
	s.followed = true;
	expect(&s, TW_CAUSE_DELAYED_ACK); /* one segment in flight, and a late ACK, all the same */
	s = held(20);
	s.followed = true;
	expect(&s, NONE);
	/* Not the ACK of everything. */
	s = held(60);
	s.outstanding_a = 5 * MSS;
	s.outstanding_ack = s.outstanding_b = MSS;
	expect(&s, NONE);
	/* The ACK came with the peer's data: a question and its answer. */
	s = held(60);
	s.pure_ack = false;
	expect(&s, NONE);
	/* Full: it was not held. */
	s = held(20);
	s.len_b = MSS;
	expect(&s, NONE);
	/* Sent long after the ACK: there was nothing to send. */
	s = held(200);
	s.ack_at = s.new_ack_at = s.from + 20 * MS;
	expect(&s, TW_CAUSE_SENDER_APP);
	/* The window had no room for it. */
	s = held(20);
	s.headroom_a = 50;
	expect(&s, NONE);
}

/* BSD holds a small segment behind a full one as well: that must repeat. */
static void test_nagle_of_bsd(void **state)
{
	struct tw_stall s = held(60);

	(void)state;
	s.len_a = MSS;
	s.outstanding_a = 4 * MSS;
	assert_true(tw_stall_is_bsd_nagle(&s, &bench));
	expect(&s, NONE);
	bench.bsd_nagle = true;
	expect(&s, TW_CAUSE_NAGLE_DELAYED_ACK);
	s = held(60);
	assert_false(tw_stall_is_bsd_nagle(&s, &bench));
}

static void test_delayed_ack(void **state)
{
	struct tw_stall s = silence(60);

	(void)state;
	s.outstanding_a = MSS;
	acked(&s, 60, 0);
	expect(&s, TW_CAUSE_DELAYED_ACK);
	acked(&s, 20, 0);
	s.to = s.ack_at;
	expect(&s, NONE); /* the path's own delay */
	s = silence(60);
	s.outstanding_a = 2 * MSS + 1; /* a second segment must be acknowledged at once */
	acked(&s, 60, 0);
	expect(&s, NONE);
	/* On a long path 20 ms are jitter. */
	bench.min_rtt = 400 * MS;
	s = silence(430);
	s.outstanding_a = MSS;
	acked(&s, 430, 0);
	expect(&s, NONE);
}

static void test_capture_gap(void **state)
{
	struct tw_stall s = silence(60);

	(void)state;
	s.capture_missed = true;
	expect(&s, TW_CAUSE_CAPTURE_GAP);
	/* What is certain goes first. */
	s = timeout();
	s.capture_missed = true;
	expect(&s, TW_CAUSE_RETRANSMISSION_TIMEOUT);
}

static void test_sender_app(void **state)
{
	struct tw_stall s = silence(500);

	(void)state;
	acked(&s, 20, 0);
	expect(&s, TW_CAUSE_SENDER_APP);
	/* Data was in flight: the congestion window may have been full. */
	s.outstanding_b = MSS;
	expect(&s, NONE);
	s.outstanding_b = 0;
	s.hole = true;
	expect(&s, NONE);
	s.hole = false;
	s.headroom_b = 100;
	expect(&s, NONE);
	s.headroom_b = INT32_MAX; /* the window is not known: no bound */
	expect(&s, TW_CAUSE_SENDER_APP);
}

/* A tolerance grows with the silence, up to half a round trip. */
static void test_tolerance(void **state)
{
	(void)state;
	assert_int_equal(tw_tolerance(0), tw_thresholds.tolerance_min);
	assert_int_equal(tw_tolerance(20 * MS), 1 * MS);
	assert_int_equal(tw_tolerance(1000 * MS), tw_thresholds.tolerance_max);
	assert_int_equal(tw_tolerance_of(20 * MS, 10 * MS), 1 * MS);
	assert_int_equal(tw_tolerance_of(20 * MS, 100 * MS), 5 * MS);
	assert_int_equal(tw_tolerance_of(20 * MS, 100000 * MS), 10 * MS);
	assert_int_equal(tw_tolerance_of(0, 100000 * MS), tw_thresholds.tolerance_min);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		CASE(test_retransmission_timeout), CASE(test_tail_loss), CASE(test_black_hole),
		CASE(test_loss_before_vantage), CASE(test_squeezed_window), CASE(test_shut_window), CASE(test_nagle),
		CASE(test_nagle_of_bsd), CASE(test_delayed_ack), CASE(test_capture_gap),
		CASE(test_sender_app), CASE(test_tolerance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
