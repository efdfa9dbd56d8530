/* SPDX-License-Identifier: BSD-2-Clause */
/* Every threshold of a detector from both sides: it speaks at the figure, is silent beside it. */
#include "finding_case.h"

/* Silent with the one value, speaks with the other, which stays. */
#define expect_edge(b, detector, side, value, silent, speaks) \
	do {                                                  \
		(value) = (silent);                           \
		expect_silence(b, detector, side);            \
		(value) = (speaks);                           \
		expect_speech(b, detector, side);             \
	} while (0)

/* The word the confidence has with either value. */
#define expect_word(b, detector, side, value, with, word)                             \
	do {                                                                          \
		(value) = (with);                                                     \
		assert_true(detect(b, detector, side));                               \
		assert_string_equal(tw_confidence_word((b)->found.confidence), word); \
	} while (0)

static void acks(void **state)
{
	struct tw_bill_row *row, *idle;
	struct built b;

	(void)state;
	build(&b);
	row = charge(&b, TW_CAUSE_NAGLE_DELAYED_ACK, CLIENT, 100 * MS, 1);
	expect_edge(&b, tw_find_nagle_delayed_ack, CLIENT, row->ns, 100 * MS - 1, 100 * MS);
	expect_word(&b, tw_find_nagle_delayed_ack, CLIENT, row->intervals, 2, "consistent with");
	expect_word(&b, tw_find_nagle_delayed_ack, CLIENT, row->intervals, 3, "certain");
	expect_edge(&b, tw_find_nagle_delayed_ack, CLIENT, row->intervals, 0, 1);
	/* 10 ms are 1 % of the second that the programs leave */
	idle = charge(&b, TW_CAUSE_SENDER_APP, SERVER, 9 * SECOND, 5);
	row->ns = 10 * MS;
	expect_edge(&b, tw_find_nagle_delayed_ack, CLIENT, row->intervals, 2, 3);
	expect_edge(&b, tw_find_nagle_delayed_ack, CLIENT, idle->ns, 8999 * MS, 9 * SECOND);
	idle->ns = 10 * SECOND; /* nothing left */
	expect_silence(&b, tw_find_nagle_delayed_ack, CLIENT);

	build(&b);
	row = charge(&b, TW_CAUSE_DELAYED_ACK, CLIENT, 100 * MS, 1);
	expect_edge(&b, tw_find_delayed_ack_timer, CLIENT, row->ns, 100 * MS - 1, 100 * MS);
	charge(&b, TW_CAUSE_SENDER_APP, CLIENT, 9 * SECOND, 5);
	expect_edge(&b, tw_find_delayed_ack_timer, CLIENT, row->ns, 10 * MS - 1, 100 * MS);
	row->ns = 10 * MS;
	expect_edge(&b, tw_find_delayed_ack_timer, CLIENT, row->intervals, 2, 3);
	expect_text(&b, "3.33 ms on average");
	example(row, SECOND, 4 * MS, 7, 9);
	assert_true(detect(&b, tw_find_delayed_ack_timer, CLIENT));
	expect_text(&b, "(the longest 4.00 ms, packets 7 to 9)");
	expect_edge(&b, tw_find_delayed_ack_timer, CLIENT, row->intervals, 0, 3);
	/* 0.55 s above the round trip of 20 ms is the most that a timer explains */
	row->intervals = 1;
	expect_word(&b, tw_find_delayed_ack_timer, CLIENT, row->ns, 570 * MS, "certain");
	assert_null(strstr(b.found.text, "average"));
	expect_word(&b, tw_find_delayed_ack_timer, CLIENT, row->ns, 571 * MS, "consistent with");
}

static void receive_window(void **state)
{
	struct tw_direction_summary *d;
	struct tw_direction_bill *bill;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	d = &b.connection.direction[CLIENT];
	bill = &b.bill.direction[CLIENT];
	d->window_max = 60000;
	row = charge(&b, TW_CAUSE_RECEIVE_WINDOW, CLIENT, 500 * MS, 2);
	expect_edge(&b, tw_find_receive_buffer_small, CLIENT, row->ns, 500 * MS - 1, 500 * MS);
	expect_edge(&b, tw_find_receive_buffer_small, CLIENT, d->flight_max, 29999, 30000);
	/* the repetition may show as stalls, as rounds of the bill, or as full rounds */
	expect_edge(&b, tw_find_receive_buffer_small, CLIENT, row->intervals, 1, 2);
	row->intervals = 1;
	expect_edge(&b, tw_find_receive_buffer_small, CLIENT, row->rounds, 1, 2);
	row->rounds = 1;
	expect_edge(&b, tw_find_receive_buffer_small, CLIENT, bill->rounds_window_full, 1, 2);
	expect_text(&b, "in 2 of 500 rounds");
	bill->rounds_window_full = 501; /* contradictory: not said */
	assert_true(detect(&b, tw_find_receive_buffer_small, CLIENT));
	assert_null(strstr(b.found.text, "rounds"));

	/* 65,535 bytes can be unscaled, one more cannot; of a scaled window nothing is said */
	d->flight_max = 65535;
	d->window_max = 65535;
	d->window_scale = 0;
	assert_true(detect(&b, tw_find_receive_buffer_small, CLIENT));
	expect_text(&b, "window scale is 0");
	expect_fix(&b, "tcp_window_scaling=1");
	d->window_max = 65536;
	assert_true(detect(&b, tw_find_receive_buffer_small, CLIENT));
	assert_null(strstr(b.found.text, "scale"));
	assert_null(strstr(b.found.fix, "tcp_window_scaling"));
	d->window_max = 65535;
	d->window_scale = 7;
	assert_true(detect(&b, tw_find_receive_buffer_small, CLIENT));
	assert_null(strstr(b.found.text, "scale"));
	assert_null(strstr(b.found.fix, "tcp_window_scaling"));
}

static void buffers_and_readers(void **state)
{
	struct tw_direction_summary *d;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	row = charge(&b, TW_CAUSE_SEND_BUFFER, CLIENT, 500 * MS, 1);
	row->rounds = 3;
	expect_edge(&b, tw_find_send_buffer_small, CLIENT, row->ns, 500 * MS - 1, 500 * MS);
	expect_edge(&b, tw_find_send_buffer_small, CLIENT, row->rounds, 2, 3);
	row->rounds = 0;
	expect_edge(&b, tw_find_send_buffer_small, CLIENT, row->intervals, 2, 3);
	/* thin evidence must explain much, and more than pacing, which looks alike */
	expect_edge(&b, tw_find_send_buffer_small, CLIENT, row->confidence, 0.59, 0.6);
	row->confidence = 0.59;
	expect_edge(&b, tw_find_send_buffer_small, CLIENT, row->ns, 2499 * MS, 2500 * MS);
	row = charge(&b, TW_CAUSE_PACING, CLIENT, 1, 1);
	expect_edge(&b, tw_find_send_buffer_small, CLIENT, row->ns, 2501 * MS, 2500 * MS);

	build(&b);
	d = &b.connection.direction[CLIENT];
	row = charge(&b, TW_CAUSE_RECEIVER_APP, CLIENT, 500 * MS, 1);
	b.bill.duration_ns = 9 * SECOND;
	expect_edge(&b, tw_find_receiver_not_reading, CLIENT, row->ns, 449 * MS, 450 * MS);
	b.bill.duration_ns = 100 * SECOND;
	expect_edge(&b, tw_find_receiver_not_reading, CLIENT, row->ns, 500 * MS - 1, 500 * MS);
	row->ns = 1;
	d->zero_windows.count = 1;
	expect_edge(&b, tw_find_receiver_not_reading, CLIENT, d->zero_window_ns, SECOND - 1,
		    SECOND);
	d->zero_window_ns = 0;
	expect_edge(&b, tw_find_receiver_not_reading, CLIENT, d->zero_windows.count, 9, 10);
}

static void applications(void **state)
{
	struct tw_direction_summary *d;
	struct tw_direction_bill *bill;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	d = &b.connection.direction[CLIENT];
	row = charge(&b, TW_CAUSE_SENDER_APP, CLIENT, 500 * MS, 1);
	expect_edge(&b, tw_find_sender_idle, CLIENT, row->ns, 500 * MS - 1, 500 * MS);
	expect_edge(&b, tw_find_sender_idle, CLIENT, d->unique_bytes, 30 * 1448 - 1, 30 * 1448);
	d->unique_bytes *= 2; /* of which each turn has half */
	expect_edge(&b, tw_find_sender_idle, CLIENT, b.bill.direction[CLIENT].turns, 3, 2);
	b.bill.duration_ns = 500 * MS;
	expect_edge(&b, tw_find_sender_idle, CLIENT, row->ns, 50 * MS - 1, 50 * MS);
	/* pauses that the link would have filled save nothing */
	row->bytes = 1e300;
	expect_edge(&b, tw_find_sender_idle, CLIENT, row->waits_ns, 50 * MS - 1, 50 * MS);

	build(&b);
	bill = &b.bill.direction[CLIENT];
	b.connection.main_direction = SERVER;
	row = charge(&b, TW_CAUSE_SENDER_APP, CLIENT, 2 * SECOND, 20);
	bill->turns = 20;
	bill->think_ns = 2 * SECOND;
	bill->think_longest_ns = SECOND;
	bill->think_ns = SECOND;
	expect_edge(&b, tw_find_sender_idle, CLIENT, bill->turns, 19, 20);
	expect_text(&b, "The program on 192.0.2.1 let 50.0 ms pass");
	bill->think_ns = 2 * SECOND;
	expect_edge(&b, tw_find_sender_idle, CLIENT, bill->think_longest_ns, SECOND + 1, SECOND);
	row->ns = 3 * SECOND;
	expect_edge(&b, tw_find_sender_idle, CLIENT, bill->think_ns, 2 * SECOND + 20, 2 * SECOND);
	expect_edge(&b, tw_find_sender_idle, CLIENT, row->ns, 2 * SECOND - 1, 2 * SECOND);
	/* the server's pauses before it answers are another's */
	row->side = SERVER;
	b.connection.main_direction = CLIENT;
	b.bill.direction[SERVER] = *bill;
	expect_silence(&b, tw_find_sender_idle, SERVER);

	build(&b);
	bill = &b.bill.direction[SERVER];
	row = charge(&b, TW_CAUSE_SENDER_APP, SERVER, 2 * SECOND, 1);
	row->confidence = 0.7;
	bill->think_ns = 500 * MS;
	expect_edge(&b, tw_find_peer_slow, SERVER, bill->turns, 0, 1);
	expect_text(&b, "The program on 198.51.100.2 took 500.0 ms before");
	assert_string_equal(tw_confidence_word(b.found.confidence), "likely");
	expect_edge(&b, tw_find_peer_slow, SERVER, bill->think_ns, 500 * MS - 1, 500 * MS);
	b.bill.duration_ns = 600 * MS;
	expect_edge(&b, tw_find_peer_slow, SERVER, bill->think_ns, 50 * MS - 1, 50 * MS);
	/* a bill without such a row has nobody's time to claim */
	b.bill.n_rows = 0;
	expect_silence(&b, tw_find_peer_slow, SERVER);
}

static void turns_and_short_flows(void **state)
{
	struct tw_direction_summary *d;
	struct tw_direction_bill *bill;
	struct tw_bill_row *client, *server, *row;
	struct built b;

	(void)state;
	build(&b);
	b.bill.duration_ns = 60 * MS;
	b.bill.direction[CLIENT].turns = 5;
	client = charge(&b, TW_CAUSE_ROUND_TRIP, CLIENT, 15 * MS, 5);
	server = charge(&b, TW_CAUSE_ROUND_TRIP, SERVER, 5 * MS, 5);
	/* it is reported once, for the side with more of it; at a tie the server's */
	expect_silence(&b, tw_find_round_trip_bound, SERVER);
	expect_speech(&b, tw_find_round_trip_bound, CLIENT);
	expect_fix(&b, "programs on 192.0.2.1 and 198.51.100.2");
	assert_int_equal(b.found.saves_ns, 16 * MS);
	client->ns = 10 * MS;
	server->ns = 10 * MS;
	expect_silence(&b, tw_find_round_trip_bound, CLIENT);
	expect_edge(&b, tw_find_round_trip_bound, SERVER, server->ns, 10 * MS - 1, 10 * MS);
	expect_edge(&b, tw_find_round_trip_bound, SERVER, b.bill.duration_ns, 67 * MS, 66 * MS);
	expect_edge(&b, tw_find_round_trip_bound, SERVER, b.bill.direction[CLIENT].turns, 4, 5);

	build(&b);
	d = &b.connection.direction[CLIENT];
	bill = &b.bill.direction[CLIENT];
	b.bill.duration_ns = 60 * MS;
	d->phase_last = TW_PHASE_SLOW_START;
	row = charge(&b, TW_CAUSE_SLOW_START, CLIENT, 20 * MS, 1);
	expect_edge(&b, tw_find_slow_start_short_flow, CLIENT, row->ns, 20 * MS - 1, 20 * MS);
	expect_fix(&b,
		   "initcwnd 30 on 192.0.2.1, with initrwnd 30 on the route back of 198.51.100.2");
	expect_edge(&b, tw_find_slow_start_short_flow, CLIENT, b.bill.duration_ns, 67 * MS,
		    66 * MS);
	expect_edge(&b, tw_find_slow_start_short_flow, CLIENT, d->unique_bytes, 14480, 14481);
	d->phase_last = TW_PHASE_UNKNOWN;
	expect_edge(&b, tw_find_slow_start_short_flow, CLIENT, bill->rounds_grown, 249, 250);
}

static void losses(void **state)
{
	struct tw_direction_summary *d;
	struct tw_direction_bill *bill;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	d = &b.connection.direction[CLIENT];
	bill = &b.bill.direction[CLIENT];
	row = charge(&b, TW_CAUSE_FAST_RECOVERY, CLIENT, 100 * MS, 3);
	d->losses.count = 3;
	expect_edge(&b, tw_find_random_loss, CLIENT, row->intervals, 2, 3);
	expect_edge(&b, tw_find_random_loss, CLIENT, row->ns, 100 * MS - 1, 100 * MS);
	expect_edge(&b, tw_find_random_loss, CLIENT, d->losses.count, 0, 3);
	expect_word(&b, tw_find_random_loss, CLIENT, d->losses.count, 2, "consistent with");
	row->confidence = 0.3;
	assert_true(detect(&b, tw_find_random_loss, CLIENT));
	assert_true(b.found.confidence < 0.4);
	row->confidence = 0.95;
	expect_word(&b, tw_find_random_loss, CLIENT, d->losses.count, 3, "certain");
	/* 155 of 3,100 packets doubled or out of order */
	b.connection.time_disorder = 100;
	expect_edge(&b, tw_find_random_loss, CLIENT, d->duplicates, 56, 55);
	expect_word(&b, tw_find_random_loss, CLIENT, bill->queue_rounds, 249, "certain");
	expect_word(&b, tw_find_random_loss, CLIENT, bill->queue_rounds, 250, "consistent with");
	d->losses.count = 9;
	assert_true(detect(&b, tw_find_random_loss, CLIENT));
	assert_null(strstr(b.found.text, "Reno"));
	d->losses.count = 10;
	assert_true(detect(&b, tw_find_random_loss, CLIENT));
	expect_text(&b, "Reno");

	build(&b);
	b.bill.duration_ns = 8 * SECOND;
	row = charge(&b, TW_CAUSE_TAIL_LOSS, CLIENT, 80 * MS, 1);
	expect_edge(&b, tw_find_tail_loss_rto, CLIENT, row->ns, 80 * MS - 1, 80 * MS);
	expect_text(&b, "burst from 192.0.2.1 was lost");
	expect_text(&b, "; 192.0.2.1 waited");
	b.bill.duration_ns = 100 * SECOND;
	expect_edge(&b, tw_find_tail_loss_rto, CLIENT, row->ns, 150 * MS - 1, 150 * MS);
	expect_edge(&b, tw_find_tail_loss_rto, CLIENT, row->intervals, 0, 1);
	b.connection.direction[CLIENT].resends[TW_RESEND_TLP].count = 2;
	assert_true(detect(&b, tw_find_tail_loss_rto, CLIENT));
	expect_text(&b, "2 of the resends in this direction were tail-loss probes.");
}

static void timeouts(void **state)
{
	struct tw_bill_row *row;
	struct tw_interval *x;
	struct built b;

	(void)state;
	build(&b);
	b.bill.duration_ns = 8 * SECOND;
	row = charge(&b, TW_CAUSE_RETRANSMISSION_TIMEOUT, CLIENT, 80 * MS, 1);
	x = example(row, SECOND, 80 * MS, 50, 51);
	x->outstanding = 4344;
	x->dup_acks = 2;
	expect_edge(&b, tw_find_too_few_dupacks, CLIENT, row->ns, 80 * MS - 1, 80 * MS);
	expect_fix(&b, "on 192.0.2.1: a TCP with RACK");
	b.bill.duration_ns = 100 * SECOND;
	expect_edge(&b, tw_find_too_few_dupacks, CLIENT, row->ns, 150 * MS - 1, 150 * MS);
	/* an example without length is no wait */
	expect_edge(&b, tw_find_too_few_dupacks, CLIENT, x->to, x->from, x->from + 1);
	/* the longest of those that fit is told */
	x = example(row, 3 * SECOND, 90 * MS, 70, 71);
	x->outstanding = 2896;
	x->dup_acks = 1;
	x = example(row, 4 * SECOND, 60 * MS, 80, 81);
	x->outstanding = 2896;
	x->dup_acks = 1;
	assert_true(detect(&b, tw_find_too_few_dupacks, CLIENT));
	expect_text(&b, "waited 90.0 ms for the retransmission timer (packets 70 to 71)");
}

static void queues_and_order(void **state)
{
	struct tw_direction_summary *d;
	struct tw_direction_bill *bill;
	struct built b;

	(void)state;
	build(&b);
	bill = &b.bill.direction[CLIENT];
	bill->rounds = 40;
	bill->queue_rounds = 8;
	bill->queue_median_ns = 5 * MS;
	expect_edge(&b, tw_find_bottleneck_queue, CLIENT, bill->rounds, 41, 40);
	bill->rounds = 8;
	bill->min_rtt = 10 * MS;
	expect_edge(&b, tw_find_bottleneck_queue, CLIENT, bill->queue_rounds, 7, 8);
	expect_edge(&b, tw_find_bottleneck_queue, CLIENT, bill->queue_median_ns, 5 * MS - 1,
		    5 * MS);
	bill->min_rtt = 40 * MS;
	expect_edge(&b, tw_find_bottleneck_queue, CLIENT, bill->queue_median_ns, 10 * MS - 1,
		    10 * MS);
	/* without a round trip to compare with nothing can be said */
	bill->min_rtt = 0;
	expect_edge(&b, tw_find_bottleneck_queue, CLIENT, b.connection.min_rtt, 0, 20 * MS);

	build(&b);
	d = &b.connection.direction[CLIENT];
	d->bytes = 1000000;
	d->data_packets = 1000;
	expect_edge(&b, tw_find_reordering, CLIENT, d->reordered.count, 2, 3);
	expect_edge(&b, tw_find_reordering, CLIENT, d->data_packets, 3001, 3000);
	d->reordered.count = 10;
	expect_edge(&b, tw_find_reordering, CLIENT, b.connection.time_disorder, 6, 5);
	expect_edge(&b, tw_find_reordering, CLIENT, d->duplicates, 211, 210);
	/* tcp_reordering is said where it is more than the kernel's own 3 and within its 300 */
	d->reorder_extent_bytes = 2 * 1448;
	assert_true(detect(&b, tw_find_reordering, CLIENT));
	assert_null(strstr(b.found.fix, "tcp_reordering="));
	d->reorder_extent_bytes = 3 * 1448;
	assert_true(detect(&b, tw_find_reordering, CLIENT));
	expect_fix(&b, "tcp_reordering=4");
	d->reorder_extent_bytes = 300 * 1448;
	assert_true(detect(&b, tw_find_reordering, CLIENT));
	assert_null(strstr(b.found.fix, "tcp_reordering="));
}

static void openings_and_captures(void **state)
{
	struct tw_connection_summary *conn;
	struct tw_direction_summary *server;
	struct built b;

	(void)state;
	build(&b);
	conn = &b.connection;
	server = &conn->direction[SERVER];
	mark(&conn->direction[CLIENT].resends[TW_RESEND_SYN], 2, SECOND);
	mark(&conn->syn_resends, 2, SECOND);
	/* any sign of the server is an answer, whichever the flow stage has kept */
	server->syns = 0;
	server->packets = 0;
	server->syn_seen = true;
	assert_true(detect(&b, tw_find_syn_loss, CLIENT));
	assert_null(strstr(b.found.text, "no answer"));
	server->syn_seen = false;
	server->packets = 1;
	assert_true(detect(&b, tw_find_syn_loss, CLIENT));
	assert_null(strstr(b.found.text, "no answer"));
	expect_word(&b, tw_find_syn_loss, CLIENT, conn->one_way, true, "certain");
	server->packets = 0;
	expect_word(&b, tw_find_syn_loss, CLIENT, conn->one_way, true, "likely");
	expect_word(&b, tw_find_syn_loss, CLIENT, conn->one_way, false, "certain");
	expect_text(&b, "no answer of 198.51.100.2");

	build(&b);
	mark(&b.connection.direction[CLIENT].capture_missed, 30, SECOND);
	assert_true(detect(&b, tw_find_capture_dropped_packets, CLIENT));
	assert_string_equal(tw_confidence_word(b.found.confidence), "certain");
	assert_int_equal(strncmp(b.found.text, "Data sent by 192.0.2.1 is not in the capture", 44),
			 0);
	assert_null(strstr(b.found.text, "of the data"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(acks),
		cmocka_unit_test(receive_window),
		cmocka_unit_test(buffers_and_readers),
		cmocka_unit_test(applications),
		cmocka_unit_test(turns_and_short_flows),
		cmocka_unit_test(losses),
		cmocka_unit_test(timeouts),
		cmocka_unit_test(queues_and_order),
		cmocka_unit_test(openings_and_captures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
