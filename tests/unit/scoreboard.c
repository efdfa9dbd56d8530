/* SPDX-License-Identifier: BSD-2-Clause */
/* The scoreboard by hand-made cases; tests/unit/scoreboard_model.c holds it against a model. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "flow/event.h"
#include "flow/scoreboard.h"

static struct tw_scoreboard board;
static struct tw_sent sent;
static struct tw_acked acked;

static int start(void **state)
{
	(void)state;
	board = (struct tw_scoreboard){ 0 };
	tw_scoreboard_start(&board, 0);
	return 0;
}

static int release(void **state)
{
	(void)state;
	tw_scoreboard_release(&board);
	return 0;
}

static void transmit(int64_t from, uint32_t len, int64_t at)
{
	assert_int_equal(tw_scoreboard_send(&board, from, len, at, (uint32_t)at, &sent), 0);
}

static void acknowledge(int64_t to)
{
	tw_scoreboard_ack(&board, to, &acked);
}

static void assert_segment(int64_t position, int64_t from, uint32_t len, uint8_t flags)
{
	const struct tw_segment *s = tw_scoreboard_find(&board, position);

	assert_non_null(s);
	assert_int_equal(s->from, from);
	assert_int_equal(s->len, len);
	assert_int_equal(s->flags, flags);
}

static void assert_counts(uint32_t outstanding, uint32_t sacked, uint32_t lost)
{
	assert_int_equal(tw_scoreboard_outstanding(&board), outstanding);
	assert_int_equal(board.sacked, sacked);
	assert_int_equal(board.lost, lost);
	assert_int_equal(tw_scoreboard_flight(&board), outstanding - sacked - lost);
}

static void test_append(void **state)
{
	(void)state;
	transmit(0, 1000, 10);
	assert_int_equal(sent.fresh, 1000);
	assert_int_equal(sent.seen + sent.filled + sent.acked + sent.skipped + sent.sacked, 0);
	assert_int_equal(sent.last_at, TW_NO_TIME);
	transmit(1000, 500, 20);
	assert_counts(1500, 0, 0);
	assert_segment(999, 0, 1000, 0);
	assert_segment(1000, 1000, 500, 0);
	assert_int_equal(tw_scoreboard_sent_at(&board, 999), 10);
	assert_int_equal(tw_scoreboard_sent_at(&board, 1499), 20);
	assert_int_equal(tw_scoreboard_sent_at(&board, 1500), TW_NO_TIME);
	assert_int_equal(tw_scoreboard_sent_at(&board, -1), TW_NO_TIME);
	assert_null(tw_scoreboard_find(&board, 1500));
}

static void test_resend_exact(void **state)
{
	(void)state;
	transmit(0, 1000, 10);
	transmit(1000, 1000, 20);
	transmit(0, 1000, 30);
	assert_int_equal(sent.seen, 1000);
	assert_int_equal(sent.fresh, 0);
	assert_int_equal(sent.last_at, 10);
	assert_int_equal(sent.last_tsval, 10);
	assert_false(sent.was_resent);
	assert_segment(0, 0, 1000, TW_SEG_RESENT);
	assert_int_equal(tw_scoreboard_sent_at(&board, 0), 30);
	assert_counts(2000, 0, 0);
	transmit(0, 1000, 40);
	assert_true(sent.was_resent);
	assert_int_equal(sent.last_at, 30);
}

static void test_resend_partial(void **state)
{
	(void)state;
	transmit(0, 3000, 10);
	transmit(1000, 1000, 20);
	assert_int_equal(sent.seen, 1000);
	assert_int_equal(board.n, 3);
	assert_segment(0, 0, 1000, 0);
	assert_segment(1500, 1000, 1000, TW_SEG_RESENT);
	assert_segment(2000, 2000, 1000, 0);
	assert_int_equal(tw_scoreboard_sent_at(&board, 2500), 10);
	assert_counts(3000, 0, 0);
}

/* A resend that spans an old range, a part of the next, and new data; and one that begins below una. */
static void test_resend_spanning(void **state)
{
	(void)state;
	transmit(0, 1000, 10);
	transmit(1000, 1000, 20);
	transmit(500, 2000, 30);
	assert_int_equal(sent.seen, 1500);
	assert_int_equal(sent.fresh, 500);
	assert_int_equal(sent.last_at, 20); /* the latest of those it covers */
	assert_counts(2500, 0, 0);
	assert_segment(0, 0, 500, 0);
	assert_segment(500, 500, 500, TW_SEG_RESENT);
	assert_segment(2000, 2000, 500, 0);
	acknowledge(700);
	transmit(0, 2500, 40);
	assert_int_equal(sent.acked, 700);
	assert_int_equal(sent.seen, 1800);
	assert_true(sent.was_resent);
	transmit(100, 600, 50);
	assert_int_equal(sent.acked, 600);
	assert_int_equal(sent.seen, 0);
	assert_counts(1800, 0, 0);
	transmit(100, 300, 60);
	assert_int_equal(sent.acked, 300);
}

static void test_late_fill(void **state)
{
	(void)state;
	transmit(0, 1000, 10);
	transmit(3000, 1000, 20);
	assert_int_equal(sent.skipped, 2000);
	assert_int_equal(sent.fresh, 1000);
	assert_counts(4000, 0, 0);
	assert_segment(1000, 1000, 2000, TW_SEG_UNSEEN);
	assert_int_equal(tw_scoreboard_sent_at(&board, 1500), TW_NO_TIME);
	transmit(2000, 1000, 25);
	assert_int_equal(sent.filled, 1000);
	assert_int_equal(sent.seen, 0);
	assert_int_equal(sent.last_at, 20); /* when the gap was found */
	assert_segment(1000, 1000, 1000, TW_SEG_UNSEEN);
	assert_segment(2000, 2000, 1000, 0); /* not a resend: its first sight */
	/* Over the rest of the gap and both neighbours. */
	transmit(500, 2000, 30);
	assert_int_equal(sent.filled, 1000);
	assert_int_equal(sent.seen, 1000);
	assert_int_equal(sent.last_at, 25);
}

static void test_ack(void **state)
{
	(void)state;
	transmit(0, 1000, 10);
	transmit(1000, 1000, 20);
	transmit(2000, 1000, 30);
	acknowledge(1000);
	assert_int_equal(acked.bytes, 1000);
	assert_int_equal(acked.sent_at, 10);
	assert_false(acked.resent || acked.was_sacked);
	/* Mid-range: what is left keeps its time. */
	acknowledge(1400);
	assert_int_equal(acked.bytes, 400);
	assert_int_equal(acked.sent_at, 20);
	assert_segment(1400, 1400, 600, 0);
	acknowledge(1400);
	assert_int_equal(acked.bytes, 0);
	assert_int_equal(acked.sent_at, TW_NO_TIME);
	acknowledge(0); /* old */
	assert_int_equal(acked.bytes, 0);
	assert_int_equal(board.una, 1400);
	transmit(1400, 600, 40);
	acknowledge(3000);
	assert_int_equal(acked.bytes, 1600);
	assert_true(acked.resent);
	assert_int_equal(acked.sent_at, 30);
	assert_counts(0, 0, 0);
}

/* What one segment carried that got through: a resend in smaller pieces counts as its pieces. */
static void test_largest_acked(void **state)
{
	(void)state;
	transmit(0, 1448, 10);
	transmit(1448, 1000, 10);
	transmit(0, 1024, 20);
	acknowledge(1024);
	assert_int_equal(acked.largest, 1024);
	acknowledge(1448);
	assert_int_equal(acked.largest, 424);
	acknowledge(1448 + 400); /* a part of one says nothing of its size */
	assert_int_equal(acked.largest, 0);
	acknowledge(2448);
	assert_int_equal(acked.largest, 600);
}

static void test_ack_beyond(void **state)
{
	(void)state;
	transmit(0, 1000, 10);
	transmit(2000, 1000, 20);
	acknowledge(5000);
	assert_int_equal(acked.bytes, 5000);
	assert_int_equal(acked.unseen, 1000 + 2000);
	assert_int_equal(acked.sent_at, 20);
	assert_int_equal(board.una, 5000);
	assert_int_equal(board.nxt, 5000);
	assert_int_equal(board.fack, 5000);
	assert_null(tw_scoreboard_find(&board, 5000));
	/* Only bytes never seen: no time. */
	acknowledge(INT64_C(1) << 33);
	assert_int_equal(acked.bytes, UINT32_MAX);
	assert_int_equal(acked.unseen, UINT32_MAX);
	assert_int_equal(acked.sent_at, TW_NO_TIME);
	transmit(INT64_C(1) << 33, 10, 30);
	assert_int_equal(sent.fresh, 10);
	assert_counts(10, 0, 0);
}

static uint32_t sack(int64_t left, int64_t right)
{
	return tw_scoreboard_sack(&board, left, right);
}

static void ten_segments(void)
{
	for (int i = 0; i < 10; i++)
		transmit(i * 1000, 1000, 10 + i);
}

static void test_sack(void **state)
{
	(void)state;
	ten_segments();
	assert_int_equal(sack(2000, 4000), 2000);
	assert_int_equal(board.fack, 4000);
	assert_int_equal(sack(2000, 4000), 0);         /* repeated */
	assert_int_equal(sack(2000, 5500), 1500);      /* extended, into a range */
	assert_segment(5000, 5000, 500, TW_SEG_SACKED);
	assert_segment(5500, 5500, 500, 0);
	assert_int_equal(sack(1500, 6000), 1000);      /* overlapping on both sides */
	assert_int_equal(sack(3000, 3500), 0);         /* within */
	assert_counts(10000, 4500, 0);
	assert_int_equal(sack(8000, 9000), 1000);
	assert_int_equal(board.fack, 9000);
	assert_int_equal(sack(0, 9000), 3500);         /* all that is left below */
	assert_counts(10000, 9000, 0);
}

static void test_sack_out_of_range(void **state)
{
	(void)state;
	assert_int_equal(sack(0, 1000), 0);            /* nothing is outstanding */
	ten_segments();
	acknowledge(2000);
	assert_int_equal(sack(0, 2000), 0);            /* below una */
	assert_int_equal(sack(500, 3000), 1000);       /* cut at una */
	assert_int_equal(sack(9000, 10001), 0);        /* above nxt: the receiver cannot have it */
	assert_int_equal(sack(20000, 30000), 0);
	assert_int_equal(sack(5000, 5000), 0);
	assert_int_equal(sack(6000, 5000), 0);
	assert_counts(8000, 1000, 0);
	assert_int_equal(board.fack, 3000);
}

/* The receiver drops what it had SACKed (RFC 2018 section 8): the ACK stays below, blocks vanish. */
static void test_renege(void **state)
{
	(void)state;
	ten_segments();
	assert_int_equal(sack(1000, 10000), 9000);
	acknowledge(1000);
	/* It still says SACKed: only a timeout shows it, and the sender then sends all again. */
	assert_counts(9000, 9000, 0);
	tw_scoreboard_lose_all(&board, 1000, 2000);
	assert_counts(9000, 9000, 0);
	transmit(1000, 1000, 300);
	assert_int_equal(sent.sacked, 1000);
	assert_int_equal(sent.seen, 1000);
	assert_counts(9000, 9000, 0);
	acknowledge(10000);
	assert_counts(0, 0, 0);
	assert_true(acked.was_sacked);
}

static void test_mark_lost(void **state)
{
	(void)state;
	ten_segments();
	sack(3000, 4000);
	tw_scoreboard_mark_lost(&board, 1000);
	assert_counts(10000, 1000, 1000); /* [0, 1000) ends 3 MSS below 4000 */
	assert_segment(0, 0, 1000, TW_SEG_LOST);
	assert_segment(1000, 1000, 1000, 0);
	transmit(0, 1000, 50);
	assert_counts(10000, 1000, 0);    /* sent again: in flight again */
	sack(3000, 6000);
	tw_scoreboard_mark_lost(&board, 1000);
	/* [0, 1000) was resent and is not called lost a second time. */
	assert_counts(10000, 3000, 2000);
	assert_segment(0, 0, 1000, TW_SEG_RESENT);
	assert_segment(2000, 2000, 1000, TW_SEG_LOST);
	/* It had come after all. */
	assert_int_equal(sack(1000, 3000), 2000);
	assert_counts(10000, 5000, 0);
	tw_scoreboard_mark_lost(&board, 1000);
	assert_counts(10000, 5000, 0);
}

static void test_mark_lost_again_after_ack(void **state)
{
	(void)state;
	ten_segments();
	sack(4000, 10000);
	tw_scoreboard_mark_lost(&board, 1000);
	assert_counts(10000, 6000, 4000);
	acknowledge(2500); /* mid-range of a lost one */
	assert_counts(7500, 6000, 1500);
	acknowledge(10000);
	assert_counts(0, 0, 0);
	/* Old marks do not reach new data. */
	transmit(10000, 1000, 60);
	transmit(11000, 1000, 61);
	tw_scoreboard_mark_lost(&board, 1000);
	assert_counts(2000, 0, 0);
	assert_int_equal(sack(11000, 12000), 1000);
}

static void test_lose_all(void **state)
{
	(void)state;
	ten_segments();
	sack(5000, 6000);
	transmit(0, 1000, 300);
	tw_scoreboard_lose_all(&board, 0, 1000);
	assert_counts(10000, 1000, 8000);
	assert_int_equal(tw_scoreboard_flight(&board), 1000);
	tw_scoreboard_lose_all(&board, 0, 1000); /* a second timeout counts nothing twice */
	assert_counts(10000, 1000, 8000);
	transmit(1000, 2000, 310);
	assert_counts(10000, 1000, 6000);
	acknowledge(10000);
	assert_counts(0, 0, 0);
}

static void test_start_again(void **state)
{
	(void)state;
	ten_segments();
	sack(5000, 6000);
	tw_scoreboard_lose_all(&board, 0, 0);
	tw_scoreboard_start(&board, 77);
	assert_counts(0, 0, 0);
	assert_int_equal(board.una, 77);
	transmit(77, 1, 5);
	assert_int_equal(sent.fresh, 1);
	assert_counts(1, 0, 0);
}

/* An idle connection holds no memory for it; a busy one keeps its ring. */
static void test_idle_release(void **state)
{
	(void)state;
	for (int i = 0; i < 16; i++)
		transmit(i * 10, 10, i);
	assert_non_null(board.ring);
	acknowledge(150);
	assert_non_null(board.ring);
	acknowledge(160);
	assert_null(board.ring);
	assert_int_equal(board.cap, 0);
	for (int i = 16; i < 116; i++)
		transmit(i * 10, 10, i);
	acknowledge(1160);
	assert_non_null(board.ring);
	assert_int_equal(board.n, 0);
}

/* Beyond the ceiling the oldest ranges are given up; the rest stays consistent. */
static void test_ceiling(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < TW_SCOREBOARD_MAX - 8; i++) {
		transmit((int64_t)i * 10, 10, i);
		assert_false(sent.given_up);
	}
	sack(0, 10);
	for (; i < TW_SCOREBOARD_MAX + 100; i++) {
		transmit((int64_t)i * 10, 10, i);
		assert_true(board.n <= TW_SCOREBOARD_MAX);
	}
	assert_true(sent.given_up);
	assert_true(board.una >= 1000 && board.una < 2000);
	assert_true(board.fack >= board.una);
	assert_counts((uint32_t)(board.nxt - board.una), 0, 0);
	assert_int_equal(tw_scoreboard_find(&board, board.una)->from, board.una);
	acknowledge(board.nxt);
	assert_counts(0, 0, 0);
}

/*
 * One large gap, filled by small pieces that do not touch: every piece cuts a range in three. Neither
 * this nor SACK blocks of the kind may pass the ceiling.
 */
static void test_ceiling_by_splits(void **state)
{
	const int64_t last = INT64_C(1) << 30, middle = last / 2;
	uint32_t ranges;
	int err = 0;

	(void)state;
	transmit(0, 1, 1);
	transmit(last, 1, 2);
	for (int64_t at = 10; at < 10 + 4 * (int64_t)TW_SCOREBOARD_MAX && !err; at += 4)
		err = tw_scoreboard_send(&board, at, 1, at, 3, &sent);
	assert_int_equal(err, -ENOBUFS);
	assert_true(board.n > 4096 && board.n <= TW_SCOREBOARD_MAX);
	ranges = board.n;
	for (int64_t at = middle; at < middle + 4 * (int64_t)TW_SCOREBOARD_MAX; at += 4)
		sack(at, at + 1);
	assert_true(board.n <= ranges + 2);
	assert_true(board.sacked <= 2);
	/* What cuts nothing is still taken in. */
	transmit(last + 1, 1000, 5);
	transmit(last + 1, 1000, 6);
	assert_int_equal(sent.seen, 1000);
	assert_int_equal(sack(last + 1, last + 1001), 1000);
	acknowledge(last + 1001);
	assert_counts(0, 0, 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, start, release)
	const struct CMUnitTest tests[] = {
		CASE(test_append), CASE(test_resend_exact), CASE(test_resend_partial),
		CASE(test_resend_spanning), CASE(test_late_fill), CASE(test_ack),
		CASE(test_ack_beyond),
		CASE(test_largest_acked), CASE(test_sack), CASE(test_sack_out_of_range),
		CASE(test_renege), CASE(test_mark_lost), CASE(test_mark_lost_again_after_ack),
		CASE(test_lose_all), CASE(test_start_again), CASE(test_idle_release),
		CASE(test_ceiling), CASE(test_ceiling_by_splits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
