/* SPDX-License-Identifier: BSD-2-Clause */
/* receive-buffer-small, receiver-not-reading and send-buffer-small. */
#include "finding_case.h"

/* The sketch of the README: 8,688 bytes, full in 346 of 347 rounds. */
static struct tw_bill_row *build_small_window(struct built *b)
{
	struct tw_direction_summary *d;
	struct tw_bill_row *row;

	build(b);
	d = &b->connection.direction[CLIENT];
	d->window_max = 8688;
	d->window_scale = 0;
	d->flight_max = 8688;
	b->bill.direction[CLIENT].rounds = 347;
	b->bill.direction[CLIENT].rounds_window_full = 346;
	b->bill.direction[CLIENT].first_full_packet = 12;
	b->bill.direction[CLIENT].first_full_packet_to = 17;
	b->bill.direction[CLIENT].first_full_at = START + 40 * MS;
	row = charge(b, TW_CAUSE_RECEIVE_WINDOW, CLIENT, 9870 * MS, 1);
	row->rounds = 346;
	row->waits_ns = 0;
	row->bytes = 3000000;
	row->next = TW_CAUSE_SLOW_START;
	example(row, 40 * MS, 9870 * MS, 12, 3040)->is_stall = false;
	return row;
}

static void small_window(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	row = build_small_window(&b);
	expect_speech(&b, tw_find_receive_buffer_small, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_RECEIVING_HOST);
	assert_int_equal(b.found.next, TW_CAUSE_SLOW_START);
	assert_in_range(b.found.duration_without_ns, 250 * MS, 350 * MS); /* eight doublings */
	expect_text(&b, "198.51.100.2 never let more than 8,688 bytes be outstanding");
	expect_text(&b, "in 346 of 347 rounds (packets 12 to 17 first)");
	expect_text(&b, "round trip of 20.0 ms that is 3.5 Mbit/s at best");
	expect_text(&b, "window scale is 0");
	expect_text(&b, "98.7 % of the time");
	expect_fix(&b, "on 198.51.100.2: leave SO_RCVBUF unset");
	expect_fix(&b, "net.ipv4.tcp_rmem");
	/* a scale of 0 on a buffer this small is the buffer's doing, not a lost option */
	assert_null(strstr(b.found.fix, "tcp_window_scaling"));
	expect_evidence(&b, 12, 40 * MS);

	/* 20 Mbit/s for 20 ms are 50,000 bytes; the kernel's buffer counts double */
	b.bill.direction[CLIENT].capacity_bps = 20e6;
	assert_true(detect(&b, tw_find_receive_buffer_small, CLIENT));
	expect_text(&b, "The path's 20 Mbit/s would hold 50,000 bytes");
	expect_fix(&b, "at least 100,000 bytes");

	row->ns = 499 * MS;
	expect_silence(&b, tw_find_receive_buffer_small, CLIENT);
}

/* A program that does not read fills any window before it shrinks. */
static void window_that_nobody_empties(void **state)
{
	struct built b;

	(void)state;
	build_small_window(&b);
	charge(&b, TW_CAUSE_RECEIVER_APP, CLIENT, 9869 * MS, 3);
	expect_speech(&b, tw_find_receive_buffer_small, CLIENT);
	b.rows[1].ns = 9871 * MS;
	expect_silence(&b, tw_find_receive_buffer_small, CLIENT);
}

static void window_scaling_absent_or_unseen(void **state)
{
	struct tw_direction_summary *d;
	struct built b;

	(void)state;
	build_small_window(&b);
	d = &b.connection.direction[CLIENT];
	d->window_max = 64240;
	d->flight_max = 64240;
	d->window_scale_known = false;
	expect_speech(&b, tw_find_receive_buffer_small, CLIENT);
	expect_text(&b, "agreed on no window scaling");
	expect_fix(&b, "net.ipv4.tcp_window_scaling=1");
	assert_true(b.found.confidence >= 0.9);

	b.connection.direction[SERVER].syn_seen = false;
	expect_speech(&b, tw_find_receive_buffer_small, CLIENT);
	expect_text(&b, "SYN is not in the capture");
	assert_string_equal(tw_confidence_word(b.found.confidence), "consistent with");
}

/* 8.8 kB in flight against a window of 131 kB: whatever the bill says, not the receiver. */
static void flight_far_below_the_window(void **state)
{
	struct built b;

	(void)state;
	build_small_window(&b);
	b.connection.direction[CLIENT].window_max = 131072;
	b.connection.direction[CLIENT].flight_max = 8800;
	expect_silence(&b, tw_find_receive_buffer_small, CLIENT);
	b.connection.direction[CLIENT].flight_max = 130000;
	assert_true(detect(&b, tw_find_receive_buffer_small, CLIENT));
	expect_silence(&b, tw_find_receive_buffer_small, SERVER);
}

static void closed_window(void **state)
{
	struct tw_direction_summary *d;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	d = &b.connection.direction[CLIENT];
	mark(&d->zero_windows, 70, 2 * SECOND);
	mark(&d->zero_windows, 90, 5 * SECOND);
	mark(&d->resends[TW_RESEND_PERSIST], 71, 2300 * MS);
	d->zero_window_ns = 4 * SECOND;
	row = charge(&b, TW_CAUSE_RECEIVER_APP, CLIENT, 4100 * MS, 2);
	row->confidence = 0.7;
	example(row, 2 * SECOND, 2500 * MS, 69, 72);
	expect_speech(&b, tw_find_receiver_not_reading, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_RECEIVING_APPLICATION);
	assert_string_equal(tw_confidence_word(b.found.confidence), "certain");
	assert_int_equal(b.found.saves_ns, 4100 * MS);
	expect_text(
		&b,
		"198.51.100.2 announced a receive window of 0 in 2 packets, closed for 4.000 s");
	expect_text(&b, "192.0.2.1 probed it once");
	expect_text(&b, "4.100 s, 41.0 % of the time");
	expect_text(&b, "longest stretch was 2.500 s (packets 69 to 72)");
	expect_fix(&b, "on 198.51.100.2: in the program");
	expect_evidence(&b, 70, 2 * SECOND);
	expect_evidence(&b, 72, 4500 * MS);
	expect_silence(&b, tw_find_receiver_not_reading, SERVER);
}

static void withheld_acks_and_brief_closings(void **state)
{
	struct tw_direction_summary *d;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	d = &b.connection.direction[CLIENT];
	row = charge(&b, TW_CAUSE_RECEIVER_APP, CLIENT, 5 * SECOND, 1);
	row->rounds = 60;
	row->confidence = 0.5;
	expect_speech(&b, tw_find_receiver_not_reading, CLIENT);
	expect_text(&b, "consistent with a program that leaves");
	expect_text(&b, "in 60 rounds");
	expect_text(&b, "Linux withholds the ACK");

	row->ns = 400 * MS;
	expect_silence(&b, tw_find_receiver_not_reading, CLIENT);
	/* one window of 0 for a moment is a full buffer, not a program that does not read */
	mark(&d->zero_windows, 70, 2 * SECOND);
	d->zero_window_ns = 20 * MS;
	expect_silence(&b, tw_find_receiver_not_reading, CLIENT);
	d->zero_windows.count = 96;
	b.bill.n_rows = 0;
	expect_speech(&b, tw_find_receiver_not_reading, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_RECEIVING_APPLICATION);
	assert_int_equal(b.found.saves_ns, 0);
	assert_int_equal(b.found.duration_without_ns, 10 * SECOND);
}

static void small_send_buffer(void **state)
{
	struct tw_direction_bill *d;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	d = &b.bill.direction[CLIENT];
	d->capacity_bps = 100e6;
	row = charge(&b, TW_CAUSE_SEND_BUFFER, CLIENT, 8 * SECOND, 3);
	row->rounds = 400;
	set_saving(row, 6 * SECOND);
	example(row, 100 * MS, 8 * SECOND, 40, 2900)->outstanding = 57920;
	expect_speech(&b, tw_find_send_buffer_small, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_SENDING_HOST);
	assert_string_equal(tw_confidence_word(b.found.confidence), "likely");
	expect_text(&b, "192.0.2.1 had 57,920 bytes or less in flight");
	expect_text(&b, "although 198.51.100.2 allowed up to 1.0 MB and nothing was lost");
	expect_text(&b, "23 Mbit/s at best");
	expect_text(&b, "The path's 100 Mbit/s would hold 250 kB");
	expect_fix(&b, "on 192.0.2.1: leave SO_SNDBUF unset");
	expect_fix(&b, "at least 500,000 bytes");
	expect_evidence(&b, 40, 100 * MS);

	row->confidence = 0.5;
	assert_true(detect(&b, tw_find_send_buffer_small, CLIENT));
	expect_text(&b, "which is consistent with a send buffer");
	mark(&b.connection.direction[CLIENT].losses, 9, 0);
	assert_true(detect(&b, tw_find_send_buffer_small, CLIENT));
	assert_null(strstr(b.found.text, "nothing was lost"));

	/* the kernel's own samples may be certain */
	row->confidence = 0.95;
	b.connection.direction[CLIENT].sample.n = 100;
	assert_true(detect(&b, tw_find_send_buffer_small, CLIENT));
	assert_string_equal(tw_confidence_word(b.found.confidence), "certain");

	row->rounds = row->intervals = 2;
	expect_silence(&b, tw_find_send_buffer_small, CLIENT);
	row->rounds = 400;
	row->ns = 499 * MS;
	expect_silence(&b, tw_find_send_buffer_small, CLIENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_window),
		cmocka_unit_test(window_that_nobody_empties),
		cmocka_unit_test(window_scaling_absent_or_unseen),
		cmocka_unit_test(flight_far_below_the_window),
		cmocka_unit_test(closed_window),
		cmocka_unit_test(withheld_acks_and_brief_closings),
		cmocka_unit_test(small_send_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
