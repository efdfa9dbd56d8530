/* SPDX-License-Identifier: BSD-2-Clause */
/* bottleneck-queue, reordering, path-outage, host-slow, syn-loss and capture-dropped-packets. */
#include "finding_case.h"

static void standing_queue(void **state)
{
	struct tw_direction_bill *d;
	struct built b;

	(void)state;
	build(&b);
	d = &b.bill.direction[CLIENT];
	d->queue_rounds = 400;
	d->queue_median_ns = 60 * MS;
	d->queue_max_ns = 160 * MS;
	d->queue_packet = 77;
	d->queue_at = START + 3 * SECOND;
	d->capacity_bps = 20e6;
	expect_speech(&b, tw_find_bottleneck_queue, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_NETWORK);
	assert_int_equal(b.found.saves_ns, 0);
	assert_int_equal(b.found.duration_without_ns, 10 * SECOND);
	expect_text(&b, "from 192.0.2.1 to 198.51.100.2");
	expect_text(&b, "in 400 of 500 rounds: 60.0 ms in the median, up to 160.0 ms, on top of a "
			"round trip of 20.0 ms");
	/* 20 Mbit/s for 60 ms */
	expect_text(&b, "At the link's 20 Mbit/s that is a standing queue of 150 kB");
	expect_fix(&b, "fq_codel");
	expect_fix(&b, "cake bandwidth 19000kbit");
	expect_evidence(&b, 77, 3 * SECOND);
	expect_silence(&b, tw_find_bottleneck_queue, SERVER);

	d->capacity_bps = 0;
	assert_true(detect(&b, tw_find_bottleneck_queue, CLIENT));
	assert_null(strstr(b.found.text, "standing queue of"));
	assert_string_equal(tw_confidence_word(b.found.confidence), "likely");

	d->queue_rounds = 99; /* of 500: it comes and goes */
	expect_silence(&b, tw_find_bottleneck_queue, CLIENT);
	d->queue_rounds = 7;
	d->rounds = 7;
	expect_silence(&b, tw_find_bottleneck_queue, CLIENT);
	d->queue_rounds = d->rounds = 400;
	d->queue_median_ns = 4900000; /* CoDel would let it be */
	expect_silence(&b, tw_find_bottleneck_queue, CLIENT);
	d->queue_median_ns = 6 * MS;
	assert_true(detect(&b, tw_find_bottleneck_queue, CLIENT));
	d->min_rtt = 100 * MS;
	expect_silence(&b, tw_find_bottleneck_queue, CLIENT);
}

static void late_segments(void **state)
{
	struct tw_direction_summary *d;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	d = &b.connection.direction[CLIENT];
	for (int i = 0; i < 34; i++)
		mark(&d->reordered, 50 + (uint64_t)i, (500 + 10 * i) * MS);
	d->reorder_extent_bytes = 11584;
	d->reorder_delay_ns = 1200000;
	expect_speech(&b, tw_find_reordering, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_NETWORK);
	assert_int_equal(b.found.saves_ns, 0);
	expect_text(
		&b,
		"34 of 2,072 segments from 192.0.2.1 came after segments that were sent later, up "
		"to 11,584 bytes behind (8 segments) and 1.20 ms late");
	expect_fix(&b, "balance-rr");
	expect_fix(&b, "net.ipv4.tcp_reordering=9");
	assert_null(strstr(b.found.fix, "tcp_timestamps"));
	expect_evidence(&b, 50, 500 * MS);

	/* with a bill and unneeded resends; each may be shown in two ways but was one resend */
	d->timestamps = false;
	row = charge(&b, TW_CAUSE_REORDERING, CLIENT, 2 * SECOND, 20);
	for (int i = 0; i < 20; i++) {
		mark(&d->spurious[TW_SPURIOUS_DSACK], 200 + (uint64_t)i, SECOND);
		if (i < 8)
			mark(&d->spurious[TW_SPURIOUS_EIFEL], 200 + (uint64_t)i, SECOND);
	}
	expect_speech(&b, tw_find_reordering, CLIENT);
	expect_text(&b, "192.0.2.1 took late segments for lost and sent 20 again without need");
	expect_text(&b, "20.0 % of the time");
	expect_fix(&b, "tcp_timestamps=1");
	assert_int_equal(b.found.saves_ns, 2 * SECOND);

	/* at the sender only the resends tell */
	memset(&d->reordered, 0, sizeof(d->reordered));
	assert_true(detect(&b, tw_find_reordering, CLIENT));
	assert_int_equal(strncmp(b.found.text, "192.0.2.1 took", 14), 0);
	b.bill.n_rows = 0;
	(void)row;
	expect_silence(&b, tw_find_reordering, CLIENT);
}

static void no_reordering(void **state)
{
	struct tw_direction_summary *d;
	struct built b;

	(void)state;
	build(&b);
	d = &b.connection.direction[CLIENT];
	mark(&d->reordered, 50, SECOND);
	mark(&d->reordered, 60, SECOND);
	expect_silence(&b, tw_find_reordering, CLIENT); /* a route changed */
	d->reordered.count = 30;
	assert_true(detect(&b, tw_find_reordering, CLIENT));
	d->bytes = 60000000; /* 30 of 41,436 */
	expect_silence(&b, tw_find_reordering, CLIENT);
	d->bytes = 3000000;
	b.connection.time_disorder = 16; /* the file is shuffled */
	expect_silence(&b, tw_find_reordering, CLIENT);
	b.connection.time_disorder = 0;
	d->duplicates = 1000; /* each packet captured at two points */
	expect_silence(&b, tw_find_reordering, CLIENT);
	d->duplicates = 0;
	expect_silence(&b, tw_find_reordering, SERVER);
}

static void unanswered_syns(void **state)
{
	struct tw_connection_summary *conn;
	struct tw_bill_row *row;
	struct built b;
	static const int at[] = { 1, 3, 7, 15, 31 };

	(void)state;
	build(&b);
	conn = &b.connection;
	memset(&conn->direction[SERVER], 0, sizeof(conn->direction[SERVER]));
	conn->handshake_ns = 0;
	for (unsigned i = 0; i < 5; i++) {
		mark(&conn->direction[CLIENT].resends[TW_RESEND_SYN], 2 + i, at[i] * SECOND);
		mark(&conn->syn_resends, 2 + i, at[i] * SECOND);
	}
	b.bill.duration_ns = 31 * SECOND;
	row = charge(&b, TW_CAUSE_SYN_RETRY, CLIENT, 31 * SECOND, 5);
	row->at_least = true;
	expect_speech(&b, tw_find_syn_loss, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_NETWORK);
	expect_text(&b, "192.0.2.1 sent its SYN again 5 times, 1.000 s, 3.000 s, 7.000 s, 15.00 s "
			"and so on after the first, and no answer of 198.51.100.2 was seen");
	expect_text(&b, "100.0 % of the time");
	expect_fix(&b, "on 198.51.100.2: see whether the program listens");
	expect_fix(&b, "somaxconn");
	expect_evidence(&b, 1, 0);
	expect_evidence(&b, 4, 7 * SECOND);
	expect_silence(&b, tw_find_syn_loss, SERVER);

	/* half the packets are missing: the answer may have gone another way */
	conn->one_way = true;
	assert_true(detect(&b, tw_find_syn_loss, CLIENT));
	assert_string_equal(tw_confidence_word(b.found.confidence), "likely");
}

static void syn_and_synack_again(void **state)
{
	struct tw_connection_summary *conn;
	struct built b;

	(void)state;
	build(&b);
	conn = &b.connection;
	expect_silence(&b, tw_find_syn_loss, CLIENT);
	expect_silence(&b, tw_find_syn_loss, SERVER);
	conn->handshake_ns = 14500 * MS;
	mark(&conn->direction[CLIENT].resends[TW_RESEND_SYN], 2, 3 * SECOND);
	mark(&conn->direction[SERVER].resends[TW_RESEND_SYN], 5, 6 * SECOND);
	mark(&conn->syn_resends, 2, 3 * SECOND);
	mark(&conn->syn_resends, 5, 6 * SECOND);
	charge(&b, TW_CAUSE_SYN_RETRY, CLIENT, 6 * SECOND, 2);
	expect_speech(&b, tw_find_syn_loss, CLIENT);
	expect_text(&b, "192.0.2.1 sent its SYN again once, 3.000 s after the first.");
	expect_text(&b, "198.51.100.2 sent its SYN-ACK again once, at 6.000 s of the connection");
	expect_text(&b, "The connection was open after 14.50 s");
	expect_evidence(&b, 5, 6 * SECOND);
	expect_silence(&b, tw_find_syn_loss, SERVER);

	/* only the server's: it is the one that waited */
	memset(&conn->direction[CLIENT].resends[TW_RESEND_SYN], 0, sizeof(struct tw_marks));
	conn->syn_resends.count = 1;
	expect_silence(&b, tw_find_syn_loss, CLIENT);
	assert_true(detect(&b, tw_find_syn_loss, SERVER));
	assert_int_equal(strncmp(b.found.text, "198.51.100.2 sent its SYN-ACK", 29), 0);
	expect_fix(&b, "between 192.0.2.1 and 198.51.100.2");
}

static void capture_loss(void **state)
{
	struct tw_direction_summary *d;
	struct built b;

	(void)state;
	build(&b);
	d = b.connection.direction;
	expect_silence(&b, tw_find_capture_dropped_packets, CLIENT);
	mark(&d[CLIENT].capture_missed, 30, 300 * MS);
	mark(&d[CLIENT].capture_missed, 40, 400 * MS);
	d[CLIENT].capture_missed_bytes = 30000;
	charge(&b, TW_CAUSE_CAPTURE_GAP, CLIENT, 1 * SECOND, 1);
	expect_speech(&b, tw_find_capture_dropped_packets, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_NOBODY);
	assert_int_equal(b.found.saves_ns, 0);
	expect_text(&b, "30,000 bytes sent by 192.0.2.1 are not in the capture although they were "
			"acknowledged or skipped, at 2 places (1.0 % of the data).");
	expect_text(&b, "10.0 % of the time cannot be explained");
	expect_fix(&b, "tcpdump -B 65536");
	expect_evidence(&b, 30, 300 * MS);
	expect_silence(&b, tw_find_capture_dropped_packets, SERVER);

	/* both lack data: one finding, that of the side that lacks more, which names both */
	mark(&d[SERVER].capture_missed, 50, 500 * MS);
	d[SERVER].capture_missed_bytes = 40000;
	expect_silence(&b, tw_find_capture_dropped_packets, CLIENT);
	assert_true(detect(&b, tw_find_capture_dropped_packets, SERVER));
	expect_text(&b, "40,000 bytes sent by 198.51.100.2");
	expect_text(&b, "30,000 bytes sent by 192.0.2.1");
	expect_evidence(&b, 50, 500 * MS);
	d[SERVER].capture_missed_bytes = 30000;
	assert_true(detect(&b, tw_find_capture_dropped_packets, CLIENT));
	expect_silence(&b, tw_find_capture_dropped_packets, SERVER);
	b.connection.one_way = true;
	assert_true(detect(&b, tw_find_capture_dropped_packets, CLIENT));
	assert_string_equal(tw_confidence_word(b.found.confidence), "consistent with");
}

static void outages(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	expect_silence(&b, tw_find_path_outage, CLIENT);
	/* Timeouts alone are none. */
	charge(&b, TW_CAUSE_RETRANSMISSION_TIMEOUT, CLIENT, 4 * SECOND, 3);
	expect_silence(&b, tw_find_path_outage, CLIENT);
	row = charge(&b, TW_CAUSE_PATH_OUTAGE, CLIENT, 3 * SECOND, 2);
	example(row, 1 * SECOND, 1 * SECOND, 70, 73)->outstanding = 20000;
	example(row, 4 * SECOND, 2 * SECOND, 90, 95)->outstanding = 14480;
	mark(&b.connection.direction[CLIENT].resends[TW_RESEND_RTO_BACKOFF], 71, 1300 * MS);
	expect_speech(&b, tw_find_path_outage, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_NETWORK);
	assert_int_equal(b.found.saves_ns, 3 * SECOND);
	expect_text(&b, "2 times the path between 192.0.2.1 and 198.51.100.2 carried nothing for 1.500 s "
			"on average (the longest 2.000 s, packets 90 to 95), with 14,480 bytes unacknowledged: "
			"timers of 192.0.2.1");
	expect_fix(&b, "ip -s link");
	expect_evidence(&b, 70, 1 * SECOND);
	expect_evidence(&b, 95, 6 * SECOND);
	expect_silence(&b, tw_find_path_outage, SERVER);
	/* Seen from beyond it there are no resends. */
	b.connection.direction[CLIENT].resends[TW_RESEND_RTO_BACKOFF].count = 0;
	assert_true(detect(&b, tw_find_path_outage, CLIENT));
	expect_text(&b, "the IPv4 identification counts them");
}

static void slow_hosts(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	expect_silence(&b, tw_find_host_slow, SERVER);
	row = charge(&b, TW_CAUSE_HOST_SLOW, SERVER, 2 * SECOND, 20);
	row->confidence = 0.75;
	example(row, 1 * SECOND, 150 * MS, 70, 73);
	expect_speech(&b, tw_find_host_slow, SERVER);
	assert_int_equal(b.found.party, TW_PARTY_SENDING_HOST);
	assert_int_equal(b.found.saves_ns, 2 * SECOND);
	expect_text(&b, "20 times nothing came of the kernel of 198.51.100.2 for 100.0 ms on average (the "
			"longest 150.0 ms, packets 70 to 73)");
	expect_fix(&b, "on 198.51.100.2: see whether it is paused");
	expect_evidence(&b, 73, 1150 * MS);
	expect_silence(&b, tw_find_host_slow, CLIENT);
	/* A capture on that host, which sees only that packets came late. */
	row->confidence = 0.55;
	row->intervals = 1;
	assert_true(detect(&b, tw_find_host_slow, SERVER));
	assert_string_equal(tw_confidence_word(b.found.confidence), "consistent with");
	expect_text(&b, "Once packets were held back at, or on their way to, 198.51.100.2, for 2.000 s");
	/* Too little to speak of. */
	row->ns = 60 * MS;
	expect_silence(&b, tw_find_host_slow, SERVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(standing_queue),       cmocka_unit_test(late_segments),
		cmocka_unit_test(no_reordering),        cmocka_unit_test(unanswered_syns),
		cmocka_unit_test(syn_and_synack_again), cmocka_unit_test(capture_loss),
		cmocka_unit_test(outages),              cmocka_unit_test(slow_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
