/* SPDX-License-Identifier: BSD-2-Clause */
/* random-loss, tail-loss-rto, too-few-dupacks and cwnd-cut. */
#include "finding_case.h"

static void build_losses(struct built *b)
{
	struct tw_direction_summary *d;
	struct tw_bill_row *row;

	build(b);
	d = &b->connection.direction[CLIENT];
	for (int i = 0; i < 20; i++)
		mark(&d->losses, 100 + 50 * (uint64_t)i, (100 + 400 * i) * MS);
	d->data_packets = 4000;
	d->resent_packets = 20;
	b->bill.direction[CLIENT].best_rate_bps = 8e6;
	d->rtt.n = 300;
	d->rtt.median = 40 * MS;
	row = charge(b, TW_CAUSE_CONGESTION_WINDOW, CLIENT, 7 * SECOND, 20);
	set_saving(row, 5 * SECOND);
	row->next = TW_CAUSE_FAST_RECOVERY; /* claimed as well: not the next bound */
	row = charge(b, TW_CAUSE_FAST_RECOVERY, CLIENT, 1 * SECOND, 19);
	set_saving(row, 500 * MS);
	row->next = TW_CAUSE_LINK_RATE;
	row->at_least = true;
}

static void scattered_losses(void **state)
{
	struct built b;

	(void)state;
	build_losses(&b);
	expect_speech(&b, tw_find_random_loss, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_NETWORK);
	assert_int_equal(b.found.saves_ns, 5500 * MS);
	assert_true(b.found.at_least);
	assert_int_equal(b.found.next, TW_CAUSE_UNKNOWN); /* of the rates only one reached is known */
	expect_text(&b,
		    "lost 20 of the 4,000 segments that 192.0.2.1 sent (0.50 %), repaired in 19");
	/* 1.2247 * 1448 * 8 / (0.04 * sqrt(0.005)) = 5.016 Mbit/s */
	expect_text(&b, "round trip of 40.0 ms, Reno gets about 5.0 Mbit/s");
	expect_text(&b, "8.000 s, 80.0 % of the time");
	expect_fix(&b, "from 192.0.2.1 to 198.51.100.2");
	expect_fix(&b, "tcp_congestion_control=bbr");
	expect_evidence(&b, 100, 100 * MS);
	expect_silence(&b, tw_find_random_loss, SERVER);
}

static void losses_that_are_not_the_matter(void **state)
{
	struct tw_direction_summary *d;
	struct tw_bill_row *link;
	struct built b;

	(void)state;
	/* BBR fills its link through loss: curing the loss gains nothing */
	build_losses(&b);
	link = charge(&b, TW_CAUSE_LINK_RATE, CLIENT, 9 * SECOND, 1);
	expect_silence(&b, tw_find_random_loss, CLIENT);
	link->ns = 1 * SECOND;
	assert_true(detect(&b, tw_find_random_loss, CLIENT));

	/* a cut window without a loss: ECN, a spurious recovery, BBR's probing */
	build_losses(&b);
	d = &b.connection.direction[CLIENT];
	d->losses.count = 0;
	expect_silence(&b, tw_find_random_loss, CLIENT);

	/* every packet captured twice, or the packets of the file shuffled */
	build_losses(&b);
	d = &b.connection.direction[CLIENT];
	d->duplicates = 470;
	expect_silence(&b, tw_find_random_loss, CLIENT);
	d->duplicates = 0;
	b.connection.time_disorder = 400;
	expect_silence(&b, tw_find_random_loss, CLIENT);
	b.connection.time_disorder = 0;

	b.rows[0].ns = 90 * MS;
	b.rows[1].ns = 9 * MS;
	expect_silence(&b, tw_find_random_loss, CLIENT);
}

static void losses_that_may_be_otherwise(void **state)
{
	struct built b;

	(void)state;
	build_losses(&b);
	b.bill.direction[CLIENT].queue_rounds = 300;
	b.bill.direction[CLIENT].queue_median_ns = 45 * MS;
	expect_speech(&b, tw_find_random_loss, CLIENT);
	assert_string_equal(tw_confidence_word(b.found.confidence), "consistent with");
	expect_text(&b, "A queue of 45.0 ms stood before the slowest link in 300 of 500 rounds");

	build_losses(&b);
	b.connection.direction[CLIENT].losses.count = 1;
	assert_true(detect(&b, tw_find_random_loss, CLIENT));
	assert_string_equal(tw_confidence_word(b.found.confidence), "consistent with");
	assert_null(strstr(b.found.text, "Reno gets")); /* one loss is no rate */
	assert_int_equal(b.found.n_evidence, 1);
}

static void lost_tail(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	row = charge(&b, TW_CAUSE_TAIL_LOSS, CLIENT, 2200 * MS, 10);
	example(row, 500 * MS, 214 * MS, 30, 31)->outstanding = 700;
	example(row, 3 * SECOND, 440 * MS, 90, 91)->outstanding = 2148;
	expect_speech(&b, tw_find_tail_loss_rto, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_NETWORK);
	assert_int_equal(b.found.saves_ns, 2200 * MS);
	expect_text(&b, "10 times the end of a burst from 192.0.2.1 was lost");
	expect_text(
		&b,
		"waited 220.0 ms on average for a timer (the longest 440.0 ms, packets 90 to 91)");
	expect_text(&b, "round trip is 20.0 ms");
	expect_fix(&b, "net.ipv4.tcp_early_retrans=3");
	expect_fix(&b, "ip route replace 198.51.100.2 [via GATEWAY] dev DEVICE rto_min 50ms");
	expect_evidence(&b, 31, 714 * MS);
	expect_evidence(&b, 91, 3440 * MS);

	/* a sender that probes has the probes already */
	mark(&b.connection.direction[CLIENT].resends[TW_RESEND_TLP], 31, 714 * MS);
	assert_true(detect(&b, tw_find_tail_loss_rto, CLIENT));
	expect_text(&b, "1 of the resends in this direction was a tail-loss probe");
	assert_null(strstr(b.found.fix, "tcp_early_retrans"));

	row->ns = 99 * MS;
	expect_silence(&b, tw_find_tail_loss_rto, CLIENT);
	b.bill.duration_ns = 60 * SECOND;
	row->ns = 214 * MS; /* visible, though little of a minute */
	assert_true(detect(&b, tw_find_tail_loss_rto, CLIENT));
}

/* The founding trace: four segments outstanding, a single duplicate ACK, 1.039 s of silence. */
static struct tw_bill_row *build_founding(struct built *b)
{
	struct tw_bill_row *row;
	struct tw_interval *x;

	build(b);
	b->bill.duration_ns = 1530570000;
	row = charge(b, TW_CAUSE_RETRANSMISSION_TIMEOUT, CLIENT, 1039395000, 1);
	x = example(row, 491175000, 1039395000, 21, 23);
	x->outstanding = 5792;
	x->dup_acks = 1;
	x->seq_from = 14481;
	x->seq_to = 15929;
	return row;
}

static void founding_timeout(void **state)
{
	struct tw_direction_summary *d;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	row = build_founding(&b);
	d = &b.connection.direction[CLIENT];
	expect_speech(&b, tw_find_too_few_dupacks, CLIENT);
	assert_int_equal(b.found.saves_ns, 1039395000 - 20 * MS);
	assert_int_equal(b.found.duration_without_ns, 1530570000 - 1039395000 + 20 * MS);
	expect_text(&b, "192.0.2.1 had 4 segments (5,792 bytes) outstanding and got a single "
			"duplicate ACK");
	expect_text(&b, "waited 1.039 s for the retransmission timer");
	expect_text(&b, "packets 21 to 23, bytes 14481:15929");
	expect_text(&b, "No ACK of 198.51.100.2 carried SACK");
	expect_text(&b, "67.9 % of the time");
	expect_fix(&b, "net.ipv4.tcp_recovery=1");
	expect_evidence(&b, 21, 491175000);
	expect_evidence(&b, 23, 1530570000);

	/* three are enough, none means that nothing behind arrived, one segment gives none */
	row->example[0].dup_acks = 3;
	expect_silence(&b, tw_find_too_few_dupacks, CLIENT);
	row->example[0].dup_acks = 0;
	expect_silence(&b, tw_find_too_few_dupacks, CLIENT);
	row->example[0].dup_acks = 2;
	row->example[0].outstanding = 1448;
	expect_silence(&b, tw_find_too_few_dupacks, CLIENT);
	row->example[0].outstanding = 1449;
	assert_true(detect(&b, tw_find_too_few_dupacks, CLIENT));
	expect_text(&b, "2 segments (1,449 bytes) outstanding and got two duplicate ACKs");
	/* a sender with RACK or probes does not need three */
	mark(&d->resends[TW_RESEND_FAST_RACK], 9, 0);
	expect_silence(&b, tw_find_too_few_dupacks, CLIENT);
	d->resends[TW_RESEND_FAST_RACK].count = 0;
	mark(&d->resends[TW_RESEND_TLP], 9, 0);
	expect_silence(&b, tw_find_too_few_dupacks, CLIENT);
}

static void only_the_timeouts_that_fit_are_claimed(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	row = build_founding(&b);
	row->ns = 1200 * MS;
	row->intervals = 2;
	row->example[0].to = row->example[0].from + 900 * MS;
	example(row, 20 * MS, 300 * MS, 8, 9)->outstanding = 14480;
	expect_speech(&b, tw_find_too_few_dupacks, CLIENT);
	assert_int_equal(b.found.saves_ns, 870 * MS); /* three quarters, less a round trip each */
	expect_text(&b, "longest of 2 timeouts; of the 2 looked at, 1 was like it");
	expect_evidence(&b, 23, 1391175000);
	assert_int_equal(b.found.n_evidence, 2);
}

/* The founding DTrace table: 76,744 = 72,400 + 3 x 1448. */
static void cut_of_the_founding_table(void **state)
{
	struct tw_sample_summary *s;
	struct built b;

	(void)state;
	build(&b);
	s = &b.connection.direction[CLIENT].sample;
	*s = (struct tw_sample_summary){
		.n = 15,
		.cwnd_min = 76744,
		.cwnd_max = 147696,
		.cwnd_last = 76744,
		.ssthresh_last = 72400,
		.unacked_max = 147000,
		.unacked_packet = 6,
		.unacked_cwnd = 144800,
		.cut_packet = 7,
		.cut_at = START + 225000,
		.cut_from = 144800,
		.cut_to = 76744,
		.cut_ssthresh = 72400,
	};
	expect_speech(&b, tw_find_cwnd_cut, CLIENT);
	assert_int_equal(b.found.saves_ns, 0);
	expect_text(&b, "147,000 against 144,800 (packet 6), 147,696 at its widest");
	expect_text(&b,
		    "At packet 7 the congestion window of 192.0.2.1 fell from 144,800 to 76,744: "
		    "ssthresh, 72,400, and 3 segments of 1,448 bytes, as a fast retransmission");
	expect_evidence(&b, 7, 225000);

	expect_text(&b, "The bytes that 192.0.2.1 had unacknowledged");
	s->cut_to = 2896;
	assert_true(detect(&b, tw_find_cwnd_cut, CLIENT));
	expect_text(&b, "no more than ssthresh, 72,400");
	s->cut_to = 1448;
	assert_true(detect(&b, tw_find_cwnd_cut, CLIENT));
	expect_text(&b, "a retransmission timeout");
	s->cut_to = 100000;
	assert_true(detect(&b, tw_find_cwnd_cut, CLIENT));
	expect_text(&b, "to 100,000, with ssthresh 72,400.");
	s->unacked_max = 100000;
	assert_true(detect(&b, tw_find_cwnd_cut, CLIENT));
	assert_null(strstr(b.found.text, "reached"));
	s->cut_packet = 0;
	expect_silence(&b, tw_find_cwnd_cut, CLIENT);
	expect_silence(&b, tw_find_cwnd_cut, SERVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scattered_losses),
		cmocka_unit_test(losses_that_are_not_the_matter),
		cmocka_unit_test(losses_that_may_be_otherwise),
		cmocka_unit_test(lost_tail),
		cmocka_unit_test(founding_timeout),
		cmocka_unit_test(only_the_timeouts_that_fit_are_claimed),
		cmocka_unit_test(cut_of_the_founding_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
