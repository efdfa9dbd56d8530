/* SPDX-License-Identifier: BSD-2-Clause */
/* queue-overflow and policer: losses that agree on when they come. random-loss where they do not. */
#include "finding_case.h"

static struct tw_quartiles around(double mid, double spread)
{
	return (struct tw_quartiles){ mid * (1 - spread / 2), mid, mid * (1 + spread / 2) };
}

/* Ten losses that cost 6 s of 10; flights, delays and rates agree within a few percent. */
static void build_losses(struct built *b, int64_t rtt)
{
	struct tw_loss_figures *l;

	build(b);
	for (int i = 0; i < 10; i++)
		mark(&b->connection.direction[CLIENT].losses, 100 + 50 * (uint64_t)i, i * SECOND);
	l = &b->bill.direction[CLIENT].losses;
	l->n = 10;
	l->n_gaps = 9;
	l->flight = around(60000, 0.04);
	l->rtt = around((double)rtt, 0.01);
	l->rate = around(8e6, 0.02);
	l->bytes = around(900000, 0.2);
	mark(&l->begun, 100, 0);
	b->bill.direction[CLIENT].best_rate_bps = 8.4e6;
	set_saving(charge(b, TW_CAUSE_CONGESTION_WINDOW, CLIENT, 5 * SECOND, 10), 3 * SECOND);
	charge(b, TW_CAUSE_FAST_RECOVERY, CLIENT, 1 * SECOND, 10);
}

static void full_queue(void **state)
{
	struct tw_loss_figures *l;
	struct built b;

	(void)state;
	build_losses(&b, 35 * MS);
	l = &b.bill.direction[CLIENT].losses;
	b.bill.direction[CLIENT].capacity_bps = 20e6;
	expect_speech(&b, tw_find_queue_overflow, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_NETWORK);
	assert_int_equal(b.found.saves_ns, 4 * SECOND);
	/* 20 Mbit/s for 15 ms */
	expect_text(&b, "35.0 ms instead of 20.0 ms. So a queue of about 37,500 bytes, or 15.0 ms");
	expect_fix(&b, "fq_codel");
	expect_evidence(&b, 100, 0);
	expect_silence(&b, tw_find_random_loss, CLIENT);
	expect_silence(&b, tw_find_policer, CLIENT);
	expect_silence(&b, tw_find_queue_overflow, SERVER);

	/* What it holds without the link's rate: its part of the flight. */
	b.bill.direction[CLIENT].capacity_bps = 0;
	assert_true(detect(&b, tw_find_queue_overflow, CLIENT));
	expect_text(&b, "a queue of about 25,714 bytes");

	/* Losses at any flight, or at any delay, are those of a link. */
	l->flight = around(60000, 0.5);
	expect_silence(&b, tw_find_queue_overflow, CLIENT);
	assert_true(detect(&b, tw_find_random_loss, CLIENT));
	l->flight = around(60000, 0.04);
	l->rtt = around(35 * MS, 0.3);
	expect_silence(&b, tw_find_queue_overflow, CLIENT);
	assert_true(detect(&b, tw_find_random_loss, CLIENT));
	l->rtt = around(35 * MS, 0.01);

	/* The window is what makes the flight, and losses come at it by chance. */
	b.connection.direction[CLIENT].window_max = 64000;
	expect_silence(&b, tw_find_queue_overflow, CLIENT);
	b.connection.direction[CLIENT].window_max = 1000000;
	/* Two cannot agree. */
	l->n = 2;
	expect_silence(&b, tw_find_queue_overflow, CLIENT);
	l->n = 10;
	/* A full link that drops now and then loses nothing by it. */
	b.rows[0].ns = 400 * MS;
	b.rows[1].ns = 50 * MS;
	expect_silence(&b, tw_find_queue_overflow, CLIENT);
	expect_silence(&b, tw_find_random_loss, CLIENT);
}

/* Behind the queue bursts come spread, and no delay is seen: the flight alone, if it agrees well. */
static void full_queue_from_beyond(void **state)
{
	struct tw_loss_figures *l;
	struct built b;

	(void)state;
	build_losses(&b, 20 * MS);
	l = &b.bill.direction[CLIENT].losses;
	l->bytes = around(900000, 1.2); /* messages of several sizes */
	l->rate = around(8e6, 1);
	b.connection.place = TW_PLACE_MIDDLE;
	expect_speech(&b, tw_find_queue_overflow, CLIENT);
	assert_string_equal(tw_confidence_word(b.found.confidence), "likely");
	expect_text(&b, "cannot be seen beyond it");
	expect_silence(&b, tw_find_random_loss, CLIENT);
	/* At the sender a delay would be seen. */
	b.connection.place = TW_PLACE_SENDER;
	expect_silence(&b, tw_find_queue_overflow, CLIENT);
	b.connection.place = TW_PLACE_MIDDLE;
	/* The ends of small messages. */
	l->flight = around(4000, 0.01);
	expect_silence(&b, tw_find_queue_overflow, CLIENT);
}

static void token_bucket(void **state)
{
	struct tw_loss_figures *l;
	struct built b;

	(void)state;
	build_losses(&b, 20 * MS);
	l = &b.bill.direction[CLIENT].losses;
	b.bill.direction[CLIENT].best_rate_bps = 12e6;
	l->flight = around(60000, 0.6);
	l->bytes = around(900000, 1.4);
	expect_speech(&b, tw_find_policer, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_NETWORK);
	expect_text(&b, "20.0 ms, and 20.0 ms is the least");
	expect_text(&b, "delivered 8.0 Mbit/s each time, though for a moment 12 Mbit/s");
	expect_fix(&b, "fq maxrate 7600kbit");
	expect_silence(&b, tw_find_random_loss, CLIENT);
	expect_silence(&b, tw_find_queue_overflow, CLIENT);

	/* It never was faster: that rate is the link's. */
	b.bill.direction[CLIENT].best_rate_bps = 8.4e6;
	expect_silence(&b, tw_find_policer, CLIENT);
	assert_true(detect(&b, tw_find_random_loss, CLIENT));
	/* The program writes at that rate. */
	b.bill.direction[CLIENT].best_rate_bps = 12e6;
	charge(&b, TW_CAUSE_SENDER_APP, CLIENT, 7 * SECOND, 10);
	expect_silence(&b, tw_find_policer, CLIENT);
	b.bill.n_rows--;
	/* Rates that differ: each loss came by chance. */
	l->rate = around(8e6, 0.3);
	expect_silence(&b, tw_find_policer, CLIENT);
	l->rate = around(8e6, 0.02);
	/* A queue had built up. */
	l->rtt = around(30 * MS, 0.3);
	expect_silence(&b, tw_find_policer, CLIENT);
}

/* The bucket is small beside the path: its rate is never reached, but each flight beyond it loses. */
static void small_bucket(void **state)
{
	struct tw_loss_figures *l;
	struct built b;

	(void)state;
	build_losses(&b, 20 * MS);
	l = &b.bill.direction[CLIENT].losses;
	l->rate = around(8e6, 0.4);
	expect_speech(&b, tw_find_policer, CLIENT);
	expect_text(&b, "more than a policer's bucket holds");
	expect_silence(&b, tw_find_random_loss, CLIENT);
	/* After as much data as chance would have it. */
	l->bytes = around(900000, 1.4);
	expect_silence(&b, tw_find_policer, CLIENT);
	l->bytes = around(900000, 0.2);
	/* Timers, not windows: the ends of messages are lost. */
	charge(&b, TW_CAUSE_TAIL_LOSS, CLIENT, 8 * SECOND, 10);
	expect_silence(&b, tw_find_policer, CLIENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_queue),
		cmocka_unit_test(full_queue_from_beyond),
		cmocka_unit_test(token_bucket),
		cmocka_unit_test(small_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
