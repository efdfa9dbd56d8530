/* SPDX-License-Identifier: BSD-2-Clause */
/* nagle-delayed-ack and delayed-ack-timer: waits for an ACK that the receiver kept back. */
#include "finding_case.h"

static void nagle_names_both_halves(void **state)
{
	struct tw_bill_row *row;
	struct tw_interval *x;
	struct built b;

	(void)state;
	build(&b);
	row = charge(&b, TW_CAUSE_NAGLE_DELAYED_ACK, CLIENT, 400 * MS, 10);
	x = example(row, 1 * SECOND, 41 * MS, 12, 15);
	x->released_by = 14;
	x->waited_ns = 40 * MS;
	example(row, 2 * SECOND, 44 * MS, 32, 35)->released_by = 34;
	expect_speech(&b, tw_find_nagle_delayed_ack, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_SENDING_HOST);
	assert_int_equal(b.found.saves_ns, 400 * MS);
	assert_int_equal(b.found.duration_without_ns, 9600 * MS);
	assert_string_equal(tw_confidence_word(b.found.confidence), "certain");
	expect_text(&b, "10 small segments of 192.0.2.1 waited 40.0 ms on average");
	expect_text(&b, "the longest 44.0 ms, packets 32 to 35");
	expect_text(&b, "192.0.2.1 held each back");
	expect_text(&b, "198.51.100.2 delayed the ACK");
	expect_text(&b, "400.0 ms, 4.0 % of the time");
	expect_fix(&b, "on 192.0.2.1: setsockopt(fd, IPPROTO_TCP, TCP_NODELAY");
	expect_fix(&b, "ip route replace 192.0.2.1 [via GATEWAY] dev DEVICE quickack 1");
	/* The ACK came 40 ms after the last send, the held segment a moment later. */
	expect_evidence(&b, 14, SECOND + 40 * MS);
	expect_evidence(&b, 34, 2 * SECOND + 44 * MS);
	expect_silence(&b, tw_find_nagle_delayed_ack, SERVER);
}

static void one_held_segment_is_only_consistent(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	row = charge(&b, TW_CAUSE_NAGLE_DELAYED_ACK, SERVER, 150 * MS, 1);
	example(row, 0, 150 * MS, 5, 8);
	expect_speech(&b, tw_find_nagle_delayed_ack, SERVER);
	assert_string_equal(tw_confidence_word(b.found.confidence), "consistent with");
	expect_text(&b,
		    "1 small segment of 198.51.100.2 waited 150.0 ms for an ACK (packets 5 to 8)");
	expect_text(&b, "held it back");

	/* under 1 % of the time and no pattern */
	row->ns = 99 * MS;
	row->intervals = 2;
	expect_silence(&b, tw_find_nagle_delayed_ack, SERVER);
	row->intervals = 3;
	expect_silence(&b, tw_find_nagle_delayed_ack, SERVER);
	/* a pattern in the little time that the programs left */
	charge(&b, TW_CAUSE_SENDER_APP, CLIENT, 6 * SECOND, 30);
	assert_true(detect(&b, tw_find_nagle_delayed_ack, SERVER));
	row->intervals = 2;
	expect_silence(&b, tw_find_nagle_delayed_ack, SERVER);
}

/* The founding trace: 2897:4345 alone in flight for 489.7 ms. */
static void lone_segment_of_the_founding_trace(void **state)
{
	struct tw_bill_row *row;
	struct tw_interval *x;
	struct built b;

	(void)state;
	build(&b);
	b.bill.duration_ns = 1530570000;
	b.bill.direction[CLIENT].min_rtt = 223000;
	row = charge(&b, TW_CAUSE_DELAYED_ACK, CLIENT, 489707000, 1);
	x = example(row, 315000, 489739000, 5, 7);
	x->released_by = 6;
	x->waited_ns = 489707000;
	x->outstanding = 1448;
	x->seq_from = 4345; /* sent when the ACK of what was outstanding had come */
	x->seq_to = 5793;
	expect_speech(&b, tw_find_delayed_ack_timer, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_RECEIVING_HOST);
	assert_int_equal(b.found.saves_ns, 489707000 - 223000); /* a round trip is left */
	assert_int_equal(b.found.duration_high_ns, b.found.duration_low_ns);
	expect_text(&b, "Once a segment of 192.0.2.1 was alone in flight");
	expect_text(&b, "198.51.100.2 acknowledged it only after 489.7 ms");
	expect_text(&b, "bytes 2897:4345, packets 5 to 7");
	expect_text(&b, "the round trip is 223 us");
	expect_fix(&b, "on 198.51.100.2: set TCP_QUICKACK");
	expect_evidence(&b, 6, 315000 + 489707000);
	assert_int_equal(b.found.n_evidence, 1);
}

static void no_timer_runs_for_a_second(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	row = charge(&b, TW_CAUSE_DELAYED_ACK, CLIENT, 3 * SECOND, 3);
	expect_speech(&b, tw_find_delayed_ack_timer, CLIENT);
	assert_string_equal(tw_confidence_word(b.found.confidence), "consistent with");
	expect_text(&b, "3 times a segment of 192.0.2.1");
	expect_text(&b, "the host may have been busy");
	row->ns = 3 * 200 * MS;
	assert_true(detect(&b, tw_find_delayed_ack_timer, CLIENT));
	assert_null(strstr(b.found.text, "busy"));
	row->ns = 90 * MS;
	row->intervals = 2;
	expect_silence(&b, tw_find_delayed_ack_timer, CLIENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nagle_names_both_halves),
		cmocka_unit_test(one_held_segment_is_only_consistent),
		cmocka_unit_test(lone_segment_of_the_founding_trace),
		cmocka_unit_test(no_timer_runs_for_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
