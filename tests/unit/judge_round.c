/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules for rounds, in their order: for each a case that fits and near misses. Every case starts
 * from a round that no rule claims. Margins are wide: thresholds may move.
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

#define NONE TW_CAUSE_UNKNOWN

enum { MSS = 1448, ROUNDS = 60 };

static struct tw_round round_of[ROUNDS];
static const struct tw_round *rounds[ROUNDS];
static struct tw_verdict verdict[ROUNDS];
static struct tw_bench bench;
static bool first, last;
static uint32_t n;

/*
 * At the sender, 20 ms away: ten segments a round, ACK-clocked, all delivered, in a window that is not
 * known, so that nothing shows what the bound was.
 */
static int begin(void **state)
{
	(void)state;
	bench = (struct tw_bench){ .min_rtt = 20 * MS, .peer_reaction = 20 * MS, .at_sender = true,
				   .best_rate = 10 * MSS * 50.0 };
	for (uint32_t i = 0; i < ROUNDS; i++) {
		round_of[i] = (struct tw_round){
			.from = (1000 + 20 * i) * MS, .to = (1020 + 20 * i) * MS,
			.charged = 20 * MS, .flight = 10 * MSS, .window = UINT32_MAX,
			.headroom = INT32_MAX, .bytes = 10 * MSS, .mss = MSS, .span = 20 * MS,
			.rtt_min = 20 * MS, .rtt_samples = 5, .hold = TW_NO_TIME, .segments = 10,
			.bursts = 10, .released = 10, .woken = 10, .spacing10 = 1e6f, .spacing50 = 2e6f,
			.spacing90 = 9e6f,
		};
		rounds[i] = &round_of[i];
	}
	first = last = false;
	n = 3;
	return 0;
}

static void judge(void)
{
	tw_judge_rounds(rounds, n, first, last, &bench, verdict);
	for (uint32_t i = 0; i < n; i++)
		assert_true(verdict[i].cause < TW_CAUSE_COUNT && verdict[i].confidence <= 100);
}

static void expect_at(uint32_t i, enum tw_cause cause)
{
	judge();
	if (verdict[i].cause != cause)
		fail_msg("round %u: %s, not %s", i, tw_cause_id((enum tw_cause)verdict[i].cause),
			 tw_cause_id(cause));
}

/* The round in the middle, and its neighbours as they were. */
static void expect(enum tw_cause cause)
{
	expect_at(1, cause);
}

static void test_unknown(void **state)
{
	(void)state;
	expect(NONE);
	assert_int_equal(verdict[1].confidence, 0);
	assert_false(verdict[1].queue || verdict[1].window_full || verdict[1].grown);
}

static void fill_window(struct tw_round *r)
{
	r->window = 10 * MSS;
	r->headroom = 0;
}

/* Without an ACK nobody knows what was in flight, nor for how long. */
static void test_one_way(void **state)
{
	(void)state;
	bench.one_way = true;
	round_of[0].flight = MSS;
	round_of[1].resend = true;
	fill_window(&round_of[1]);
	expect(NONE);
}

static void stand_in_queue(struct tw_round *r)
{
	r->rtt_min = 60 * MS;
	r->span = 60 * MS;
}

static void test_recovery(void **state)
{
	(void)state;
	round_of[1].hole = true;
	expect(TW_CAUSE_FAST_RECOVERY);
	round_of[1].hole = false;
	round_of[1].resend = true;
	expect(TW_CAUSE_FAST_RECOVERY);
	/* At the link's rate, losses are its queue's doing: capacity goes before recovery. */
	bench.capacity = 10 * MSS * 50.0;
	expect(TW_CAUSE_LINK_RATE);
	bench.capacity *= 3;
	expect(TW_CAUSE_FAST_RECOVERY);
	/* Needless resends repair nothing. */
	bench.nothing_lost = true;
	round_of[1].hole = false;
	expect(NONE);
	bench.nothing_lost = false;
	/* But not where the window was full as well. */
	bench.capacity /= 3;
	fill_window(&round_of[1]);
	expect(TW_CAUSE_FAST_RECOVERY);
}

static void test_receive_window(void **state)
{
	(void)state;
	fill_window(&round_of[1]);
	expect(TW_CAUSE_RECEIVE_WINDOW);
	assert_true(verdict[1].window_full);
	round_of[1].headroom = 6 * MSS;
	round_of[1].window = 16 * MSS;
	expect(TW_CAUSE_SEND_BUFFER); /* wide: it does not bind */
	assert_false(verdict[1].window_full);
	/* A segment and a half of room: full, but not where the window is only a few segments. */
	round_of[1].headroom = 3 * MSS / 2;
	expect(TW_CAUSE_RECEIVE_WINDOW);
	round_of[1].window = 4 * MSS;
	round_of[1].flight = 5 * MSS / 2;
	judge();
	assert_false(verdict[1].window_full);
}

/* Autotuning: flight and window grow together, the window is never the bound. */
static void test_tuning(void **state)
{
	(void)state;
	fill_window(&round_of[0]);
	fill_window(&round_of[1]);
	round_of[1].flight = round_of[1].window = 20 * MSS;
	expect(TW_CAUSE_SLOW_START);
	round_of[0].window = round_of[1].window; /* it did not grow: now it binds */
	expect(TW_CAUSE_RECEIVE_WINDOW);
}

static void test_receiver_app(void **state)
{
	(void)state;
	fill_window(&round_of[1]);
	round_of[1].hold = bench.peer_reaction + 60 * MS;
	expect(TW_CAUSE_RECEIVER_APP);
	/* The window was full in a neighbouring round. */
	round_of[1].headroom = 6 * MSS;
	round_of[1].window = 16 * MSS;
	fill_window(&round_of[2]);
	expect(TW_CAUSE_RECEIVER_APP);
	/* In none. */
	round_of[2].headroom = 6 * MSS;
	round_of[2].window = 16 * MSS;
	expect(TW_CAUSE_SEND_BUFFER);
	/* The path's own delay is nobody's. */
	fill_window(&round_of[1]);
	round_of[1].hold = bench.peer_reaction + MS;
	expect(TW_CAUSE_RECEIVE_WINDOW);
}

static void test_link_rate(void **state)
{
	(void)state;
	bench.capacity = 10 * MSS * 50.0;
	expect(TW_CAUSE_LINK_RATE);
	bench.capacity *= 2;
	expect(NONE);
	bench.capacity = 0;
	bench.best_rate = 0;
	stand_in_queue(&round_of[1]);
	expect(TW_CAUSE_LINK_RATE);
	assert_true(verdict[1].queue);
	/* The window's worth of data stands in the queue: a larger one would only lengthen it. */
	fill_window(&round_of[1]);
	expect(TW_CAUSE_LINK_RATE);
}

static void test_queue(void **state)
{
	(void)state;
	bench.best_rate = 0;
	stand_in_queue(&round_of[1]);
	assert_true(tw_round_has_queue(&round_of[1], &bench));
	round_of[1].rtt_samples = 1;
	assert_false(tw_round_has_queue(&round_of[1], &bench));
	round_of[1].rtt_samples = 5;
	round_of[1].flight = 2 * MSS;
	assert_false(tw_round_has_queue(&round_of[1], &bench));
	round_of[1].flight = 10 * MSS;
	bench.best_rate = 1e9; /* far slower than it can be */
	assert_false(tw_round_has_queue(&round_of[1], &bench));
	bench.best_rate = 0;
	round_of[1].rtt_min = 21 * MS;
	assert_false(tw_round_has_queue(&round_of[1], &bench));
	bench.min_rtt = 0;
	assert_false(tw_round_has_queue(&round_of[1], &bench));
}

static void test_slow_start(void **state)
{
	(void)state;
	round_of[0].flight = 5 * MSS;
	expect(TW_CAUSE_SLOW_START);
	assert_true(verdict[1].grown);
	/* Twice in two rounds. */
	round_of[1].flight = 15 * MSS / 2;
	round_of[2].flight = 10 * MSS;
	expect_at(2, TW_CAUSE_SLOW_START);
	round_of[0].flight = round_of[1].flight = 9 * MSS;
	expect(NONE);
	/* The direction's first flight is the initial window. */
	expect_at(0, NONE);
	first = true;
	expect_at(0, TW_CAUSE_SLOW_START);
	round_of[0].flight = MSS;
	expect_at(0, NONE);
	/* A sender that ran dry grew by what its program wrote. */
	round_of[0].flight = 5 * MSS;
	round_of[1].dry = 1;
	expect(TW_CAUSE_SENDER_APP);
}

static void test_dry(void **state)
{
	(void)state;
	round_of[1].dry = 2;
	expect(TW_CAUSE_SENDER_APP);
	round_of[1].dry_released = 2; /* it went on when an ACK came: a buffer was freed */
	expect(TW_CAUSE_SEND_BUFFER);
	round_of[1].dry_released = 1;
	expect(TW_CAUSE_SENDER_APP);
}

static void test_small_segments(void **state)
{
	(void)state;
	round_of[1].small = 3;
	expect(TW_CAUSE_SENDER_APP);
	round_of[1].segments = 60; /* one in twenty: the ends of larger writes */
	expect(NONE);
	/* The very last round's one partial segment is the end of the data. */
	round_of[2].small = 1;
	round_of[2].segments = 2;
	expect_at(2, TW_CAUSE_SENDER_APP);
	last = true;
	bench.capacity = 10 * MSS * 50.0; /* the rounds before were link-bound */
	round_of[2].bytes = 2 * MSS;
	expect_at(2, TW_CAUSE_LINK_RATE);
}

static void test_congestion_window(void **state)
{
	(void)state;
	round_of[1].loss_before = true;
	expect(TW_CAUSE_CONGESTION_WINDOW);
	round_of[1].loss_before = false;
	/* Without a loss: a segment more every few rounds, and never was it more. */
	n = 10;
	for (uint32_t i = 0; i < n; i++)
		round_of[i].flight = 10 * MSS + i * MSS / 2;
	expect_at(9, TW_CAUSE_CONGESTION_WINDOW);
	round_of[2].flight = 30 * MSS;
	expect_at(9, NONE);
}

static void test_pacing(void **state)
{
	(void)state;
	round_of[1].released = 0;
	expect(TW_CAUSE_SENDER_APP); /* not ACK-clocked, and uneven */
	round_of[1].spacing10 = round_of[1].spacing50 = 2e6f;
	round_of[1].spacing90 = 2.2e6f;
	expect(TW_CAUSE_PACING);
	round_of[1].released = 9;
	expect(NONE);
	round_of[1].released = 0;
	round_of[1].bursts = 2; /* too few to tell */
	expect(NONE);
}

/* A full window of half of what was offered before: the rest of the buffer holds what nobody read. */
static void test_shrunk_window(void **state)
{
	(void)state;
	round_of[0].window = 100 * MSS;
	round_of[1].window = round_of[1].flight = 40 * MSS;
	round_of[1].headroom = 0;
	expect(TW_CAUSE_RECEIVER_APP);
	round_of[1].window = round_of[1].flight = 80 * MSS;
	expect(TW_CAUSE_RECEIVE_WINDOW);
	round_of[1].window = round_of[1].flight = 40 * MSS;
	round_of[0].window = UINT32_MAX; /* not known */
	expect(TW_CAUSE_RECEIVE_WINDOW);
	bench.window_before = 100 * MSS; /* of rounds that were settled on the way */
	expect(TW_CAUSE_RECEIVER_APP);
	round_of[1].headroom = 20 * MSS; /* the flight does not fill it */
	expect(TW_CAUSE_SLOW_START);
}

/* A burst a round: what clocks it is told by several rounds, and only at the sender. */
static void test_few_bursts(void **state)
{
	(void)state;
	n = 12;
	for (uint32_t i = 0; i < n; i++) {
		round_of[i].bursts = 1;
		round_of[i].released = round_of[i].woken = 0;
		round_of[i].window = 40 * MSS;
	}
	expect_at(6, TW_CAUSE_SENDER_APP);
	bench.at_sender = false;
	expect_at(6, TW_CAUSE_SENDER_APP);
	bench.at_sender = true;
	for (uint32_t i = 0; i < n; i++)
		round_of[i].woken = 1; /* later than at once, but after an ACK */
	expect_at(6, TW_CAUSE_SEND_BUFFER);
	for (uint32_t i = 0; i < n; i++)
		round_of[i].woken = 0;
	n = 5; /* too few rounds to gather from */
	expect_at(2, TW_CAUSE_SEND_BUFFER);
}

/* Bursts by a clock of their own: whether ACKs came just before does not matter. */
static void test_own_clock(void **state)
{
	(void)state;
	n = 12;
	for (uint32_t i = 0; i < n; i++) {
		round_of[i].bursts = round_of[i].own_clock = 8;
		round_of[i].segments = 16;
		round_of[i].released = round_of[i].woken = 8;
		round_of[i].window = 40 * MSS;
		round_of[i].spacing10 = round_of[i].spacing50 = round_of[i].spacing90 = 2.5f * MS;
	}
	expect_at(6, TW_CAUSE_PACING);
	for (uint32_t i = 0; i < n; i++)
		round_of[i].segments = 8 * 20; /* more at a time than any pacer lets out */
	expect_at(6, TW_CAUSE_SENDER_APP);
	for (uint32_t i = 0; i < n; i++)
		round_of[i].own_clock = 3;
	expect_at(6, TW_CAUSE_SEND_BUFFER);
}

/* Evenly apart, far below an earlier flight, and nothing lost: there is less to send. */
static void test_fallen_flight(void **state)
{
	(void)state;
	n = 12;
	for (uint32_t i = 0; i < n; i++) {
		round_of[i].bursts = round_of[i].released = round_of[i].woken = 8;
		round_of[i].window = 80 * MSS;
		round_of[i].headroom = 40 * MSS;
		round_of[i].spacing10 = round_of[i].spacing50 = round_of[i].spacing90 = 2.5f * MS;
	}
	expect_at(6, TW_CAUSE_SEND_BUFFER);
	round_of[0].flight = 2 * round_of[6].flight;
	expect_at(6, TW_CAUSE_SENDER_APP);
	for (uint32_t i = 0; i < n; i++)
		round_of[i].loss_before = true;
	expect_at(6, TW_CAUSE_CONGESTION_WINDOW);
}

static void test_send_buffer(void **state)
{
	(void)state;
	round_of[1].window = 40 * MSS;
	round_of[1].headroom = 30 * MSS;
	expect(TW_CAUSE_SEND_BUFFER);
	assert_true(verdict[1].confidence <= 60); /* "consistent with" */
	round_of[1].window = 12 * MSS;
	round_of[1].headroom = 3 * MSS;
	expect(NONE);
}

/* What the kernel said itself goes before all else. */
static void test_samples(void **state)
{
	(void)state;
	fill_window(&round_of[1]);
	round_of[1].sampled = TW_SAMPLED_CWND_FULL;
	expect(TW_CAUSE_CONGESTION_WINDOW);
	round_of[1].sampled |= TW_SAMPLED_SLOW_START;
	expect(TW_CAUSE_SLOW_START);
	round_of[1].sampled |= TW_SAMPLED_WINDOW_FULL;
	expect(TW_CAUSE_RECEIVE_WINDOW);
	round_of[1].sampled |= TW_SAMPLED_CUT;
	expect(TW_CAUSE_FAST_RECOVERY);
	round_of[1].sampled = TW_SAMPLED_SLOW_START; /* and not full: no verdict by itself */
	expect(TW_CAUSE_RECEIVE_WINDOW);
}

/* Weak verdicts between equal ones take these, if they are few. */
static void test_smoothing(void **state)
{
	(void)state;
	n = 30;
	bench.capacity = 10 * MSS * 50.0;
	for (uint32_t i = 10; i < 14; i++)
		round_of[i].bytes = 5 * MSS;
	expect_at(12, TW_CAUSE_LINK_RATE);
	assert_true(verdict[12].confidence < verdict[5].confidence);
	for (uint32_t i = 10; i < 26; i++)
		round_of[i].bytes = 5 * MSS;
	expect_at(12, NONE); /* too many */
	/* Between unequal ones they stay. */
	begin(NULL);
	n = 3;
	fill_window(&round_of[0]);
	round_of[2].loss_before = true;
	expect(NONE);
}

/* BBR looks for the minimum RTT: four segments for 200 ms, about every ten seconds. */
static void test_probe_rtt(void **state)
{
	(void)state;
	n = 60;
	for (uint32_t i = 0; i < n; i++) {
		fill_window(&round_of[i]);
		round_of[i].flight = round_of[i].window = 20 * MSS;
		round_of[i].from = i * 200 * MS;
	}
	for (uint32_t i = 50; i < 52; i++) {
		round_of[i].flight = 4 * MSS;
		round_of[i].headroom = 16 * MSS;
	}
	round_of[51].from = round_of[50].from + 100 * MS;
	round_of[52].from = round_of[50].from + 200 * MS;
	expect_at(50, TW_CAUSE_CONGESTION_WINDOW);
	assert_int_equal(verdict[51].cause, TW_CAUSE_CONGESTION_WINDOW);
	assert_int_equal(verdict[49].cause, TW_CAUSE_RECEIVE_WINDOW);
	/* For seconds: something else. */
	for (uint32_t i = 51; i < n; i++)
		round_of[i].from += 3000 * MS;
	judge();
	assert_int_not_equal(verdict[50].cause, TW_CAUSE_CONGESTION_WINDOW);
}

static void test_reordering(void **state)
{
	(void)state;
	round_of[0].resend = true;
	round_of[1].loss_before = true;
	bench.needless_resends = true;
	expect_at(0, TW_CAUSE_REORDERING);
	expect_at(1, TW_CAUSE_REORDERING); /* slowed by the needless cut */
	expect_at(2, NONE);
}

static void test_rate(void **state)
{
	(void)state;
	assert_true(tw_round_rate(&round_of[0]) == 10 * MSS * 50.0);
	round_of[0].span = 0;
	assert_true(tw_round_rate(&round_of[0]) == 0);
}

static void test_none_and_one(void **state)
{
	(void)state;
	tw_judge_rounds(rounds, 0, true, true, &bench, verdict);
	first = last = true;
	n = 1;
	round_of[0].small = 1;
	round_of[0].segments = 0;
	round_of[0].flight = 100;
	expect_at(0, TW_CAUSE_SENDER_APP);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup(name, begin)
	const struct CMUnitTest tests[] = {
		CASE(test_unknown), CASE(test_one_way), CASE(test_recovery), CASE(test_receive_window),
		CASE(test_tuning), CASE(test_receiver_app), CASE(test_link_rate),
		CASE(test_queue), CASE(test_slow_start), CASE(test_dry),
		CASE(test_small_segments), CASE(test_congestion_window), CASE(test_pacing),
		CASE(test_few_bursts), CASE(test_own_clock), CASE(test_fallen_flight), CASE(test_shrunk_window),
		CASE(test_send_buffer), CASE(test_samples), CASE(test_smoothing),
		CASE(test_probe_rtt), CASE(test_reordering), CASE(test_rate),
		CASE(test_none_and_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
