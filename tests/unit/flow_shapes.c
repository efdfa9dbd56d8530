/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What captures look like that are not one clean transfer from SYN to FIN: reordered, seen twice, in
 * part, one way, merged by offload, with sequence numbers that wrap.
 */
#include "tests/unit/trace.h"

static struct trace t;

static int begin(void **state)
{
	(void)state;
	trace_init(&t);
	return 0;
}

static int end(void **state)
{
	(void)state;
	trace_release(&t);
	return 0;
}

/* The capture is at the receiver: the client's host answers 20 ms later. */
static void open_at_receiver(void)
{
	trace_syn(&t, CLIENT, 0);
	trace_put(&t, CLIENT);
	trace_syn(&t, SERVER, 10);
	trace_put(&t, SERVER);
	send_ack(&t, CLIENT, 20010, 0);
	assert_int_equal(tw_connection_reaction(&t.c, CLIENT), 20 * MS);
}

static const struct tw_direction_summary *client(void)
{
	trace_end(&t);
	return &t.sum.direction[CLIENT];
}

static void test_late_original_by_tsval(void **state)
{
	(void)state;
	open_at_receiver();
	t.tsval = 5000;
	send_data(&t, CLIENT, 30000, 0, MSS);
	t.tsval = 5002;
	send_data(&t, CLIENT, 30020, 2 * MSS, MSS);
	/* 40 ms later, when a resend could have come, but stamped before the one that overtook it. */
	t.tsval = 5001;
	send_data(&t, CLIENT, 70020, MSS, MSS);
	assert_true(trace_last_send(&t, CLIENT)->is_late);
	assert_false(trace_last_send(&t, CLIENT)->is_resend);
	assert_int_equal(client()->reordered.count, 1);
	assert_int_equal(client()->reordered.first[0].packet, 6);
	assert_int_equal(client()->reorder_extent_bytes, 2 * MSS);
	assert_int_equal(client()->reorder_delay_ns, 40 * MS);
	assert_int_equal(client()->resent_packets, 0);
	assert_int_equal(client()->losses.count, 0);
	assert_int_equal(client()->unique_bytes, 3 * MSS);
}

/* The same with a newer stamp: the original was lost before the vantage. */
static void test_resend_by_tsval(void **state)
{
	(void)state;
	open_at_receiver();
	t.tsval = 5000;
	send_data(&t, CLIENT, 30000, 0, MSS);
	t.tsval = 5002;
	send_data(&t, CLIENT, 30020, 2 * MSS, MSS);
	t.tsval = 5003;
	send_data(&t, CLIENT, 30040, MSS, MSS);
	assert_true(trace_last_send(&t, CLIENT)->is_resend);
	assert_int_equal(client()->reordered.count, 0);
	assert_int_equal(client()->resent_packets, 1);
	assert_int_equal(client()->resent_unseen, 1);
	assert_int_equal(client()->losses.count, 1);
	assert_int_equal(client()->unique_bytes, 3 * MSS);
}

/* Twenty in a row teach that the identification counts by one. */
static uint32_t counted_upload(void)
{
	uint32_t seq = 0;

	t.timestamps = false;
	t.has_id = true;
	t.ip_id[CLIENT] = 65530; /* it wraps */
	t.ip_id[SERVER] = 100;
	open_at_receiver();
	for (int i = 0; i < 20; i++, seq += MSS)
		send_data(&t, CLIENT, 30000 + i * 20, seq, MSS);
	return seq;
}

static void test_late_original_by_ip_id(void **state)
{
	uint32_t seq = counted_upload();
	uint16_t missing = t.ip_id[CLIENT]++;

	(void)state;
	send_data(&t, CLIENT, 31000, seq + MSS, MSS);
	t.ip_id[CLIENT] = missing;
	send_data(&t, CLIENT, 91000, seq, MSS); /* late, but by its identification the original */
	assert_true(trace_last_send(&t, CLIENT)->is_late);
	assert_int_equal(client()->reordered.count, 1);
	assert_int_equal(client()->resent_packets, 0);
}

static void test_resend_by_ip_id(void **state)
{
	uint32_t seq = counted_upload();

	(void)state;
	t.ip_id[CLIENT]++;
	send_data(&t, CLIENT, 31000, seq + MSS, MSS);
	assert_true(trace_last_send(&t, CLIENT)->id_gap);
	send_data(&t, CLIENT, 31010, seq, MSS); /* at once, but the next identification */
	assert_true(trace_last_send(&t, CLIENT)->is_resend);
	assert_false(trace_last_send(&t, CLIENT)->id_gap);
	assert_int_equal(client()->reordered.count, 0);
	assert_int_equal(client()->id_gaps.count, 1);
	assert_int_equal(client()->id_gaps.first[0].at, TRACE_START + 31000 * US);
}

/* Linux's SYN-ACK has 0, and then the socket counts from anywhere: also from the upper half. */
static void test_ip_id_after_syn(void **state)
{
	(void)state;
	t.has_id = true;
	t.ip_id[SERVER] = 0;
	open_at_receiver();
	t.ip_id[SERVER] = 50000;
	for (uint32_t i = 0; i < 40; i++)
		send_data(&t, SERVER, 30000 + i * 20, i * MSS, MSS);
	t.ip_id[SERVER] += 2;
	send_data(&t, SERVER, 31000, 42 * MSS, MSS);
	assert_int_equal(trace_last_send(&t, SERVER)->id_gap, 2);
}

/* Nothing is said before the identification has shown that it counts. */
static void test_no_id_gap_while_unknown(void **state)
{
	(void)state;
	t.has_id = true;
	t.ip_id[CLIENT] = t.ip_id[SERVER] = 500;
	open_at_receiver();
	for (uint32_t i = 0; i < 40; i++) {
		t.ip_id[CLIENT] += 3; /* shared with other connections */
		send_data(&t, CLIENT, 30000 + i * 20, i * MSS, MSS);
		assert_false(trace_last_send(&t, CLIENT)->id_gap);
	}
	assert_int_equal(client()->id_gaps.count, 0);
}

/* Neither stamps nor identification: no resend comes sooner than its sender can answer. */
static void test_late_original_by_time(void **state)
{
	(void)state;
	open_at_receiver();
	t.timestamps = false;
	send_data(&t, CLIENT, 30000, 0, MSS);
	send_data(&t, CLIENT, 30020, 2 * MSS, MSS);
	send_data(&t, CLIENT, 40020, MSS, MSS); /* 10 ms: half of what an answer takes */
	assert_true(trace_last_send(&t, CLIENT)->is_late);
	send_data(&t, CLIENT, 41000, 4 * MSS, MSS);
	send_data(&t, CLIENT, 71000, 3 * MSS, MSS); /* 30 ms */
	assert_true(trace_last_send(&t, CLIENT)->is_resend);
	assert_int_equal(client()->reordered.count, 1);
	assert_int_equal(client()->resent_packets, 1);
}

/* Without timestamps the handshake alone tells how far the hosts are; not across a resent SYN-ACK. */
static void test_reaction_by_handshake(void **state)
{
	(void)state;
	t.timestamps = false;
	open_at_receiver();
	assert_int_equal(tw_connection_reaction(&t.c, SERVER), 10 * US);
	trace_release(&t);
	trace_init(&t);
	t.timestamps = false;
	trace_syn(&t, CLIENT, 0);
	trace_put(&t, CLIENT);
	trace_syn(&t, SERVER, 10);
	trace_put(&t, SERVER);
	trace_syn(&t, SERVER, 1000010);
	trace_put(&t, SERVER);
	send_ack(&t, CLIENT, 1000020, 0); /* to the first or the second? */
	assert_int_equal(tw_connection_reaction(&t.c, CLIENT), 0);
}

static void test_captured_twice(void **state)
{
	unsigned events;

	(void)state;
	t.has_id = true;
	t.ip_id[CLIENT] = t.ip_id[SERVER] = 77;
	trace_open(&t, 20000);
	send_data(&t, CLIENT, 30000, 0, MSS);
	send_data(&t, CLIENT, 30010, MSS, MSS);
	events = t.n_events;
	t.p.ts += 5 * US;
	t.p.number = ++t.number;
	trace_put(&t, CLIENT);
	assert_int_equal(t.n_events, events);
	assert_int_equal(client()->duplicates, 1);
	assert_int_equal(client()->data_packets, 2);
	assert_int_equal(client()->resent_packets, 0);
	/* The same bytes under another identification were sent again. */
	send_data(&t, CLIENT, 30100, MSS, MSS);
	assert_int_equal(client()->duplicates, 1);
	assert_int_equal(client()->resent_packets, 1);
}

static void test_reuse(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	trace_syn(&t, CLIENT, 30000);
	assert_false(tw_connection_is_reuse(&t.c, CLIENT, &t.p)); /* the same SYN again */
	trace_syn(&t, SERVER, 30000);
	assert_false(tw_connection_is_reuse(&t.c, SERVER, &t.p)); /* SYN-ACKs open nothing */
	trace_syn(&t, CLIENT, 30000)->seq += 1234567;
	assert_true(tw_connection_is_reuse(&t.c, CLIENT, &t.p));
	trace_packet(&t, CLIENT, 30000, 0);
	assert_false(tw_connection_is_reuse(&t.c, CLIENT, &t.p));
}

/* Begun in the middle: the listener's port tells the server, whoever speaks first. */
static void test_mid_stream(void **state)
{
	const struct tw_event *e;

	(void)state;
	t.acked[SERVER] = 500000;
	t.acked[CLIENT] = 7000;
	send_ack(&t, SERVER, 0, 500000);
	assert_true(t.c.client_guessed);
	assert_int_equal(t.c.endpoint[SERVER].port, 5001);
	send_data(&t, CLIENT, 100, 500000, MSS);
	e = trace_last_send(&t, CLIENT);
	assert_int_equal(e->from, 0); /* positions count from what was seen first */
	assert_int_equal(e->to, MSS);
	assert_int_equal(e->outstanding, MSS);
	/* What was sent before the capture began, and comes now: late or again, nobody knows. */
	send_data(&t, CLIENT, 200, 490000, MSS);
	assert_true(trace_last_send(&t, CLIENT)->is_late);
	assert_int_equal(trace_last_send(&t, CLIENT)->outstanding, MSS);
	send_ack(&t, SERVER, 20100, 501448);
	assert_int_equal(client()->unique_bytes, 2 * MSS);
	assert_int_equal(client()->resent_packets, 0);
	assert_int_equal(client()->capture_missed_bytes, 0);
	assert_false(t.sum.start_seen);
	assert_int_equal(t.sum.handshake_ns, 0);
	assert_int_equal(t.sum.end, TRACE_START + 20100 * US);
}

/* Nothing but data from before the capture began: it ends within the capture all the same. */
static void test_only_old_data(void **state)
{
	(void)state;
	send_ack(&t, SERVER, 0, 500000);
	send_data(&t, CLIENT, 300, 499000, 1000);
	trace_end(&t);
	assert_true(t.sum.end == t.sum.first || t.sum.end == t.sum.last);
	assert_int_equal(t.sum.direction[CLIENT].resent_packets, 0);
}

static void test_half_close(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	trace_packet(&t, CLIENT, 30000, 0)->payload = 100;
	t.p.flags |= TW_FIN;
	trace_put(&t, CLIENT);
	send_ack(&t, SERVER, 50000, 101); /* the FIN too */
	assert_int_equal(trace_last_ack(&t, CLIENT)->una, 100);
	assert_int_equal(trace_last_ack(&t, CLIENT)->outstanding, 0);
	assert_false(t.c.closed);
	t.acked[CLIENT] = 0;
	for (uint32_t i = 0; i < 5; i++)
		send_data(&t, SERVER, 60000 + i * 10, i * MSS, MSS);
	/* The client acknowledges; its own sequence number stands behind the FIN. */
	trace_packet(&t, CLIENT, 60100, 101)->ack = t.isn[SERVER] + 1 + 5 * MSS;
	trace_put(&t, CLIENT);
	trace_packet(&t, SERVER, 60200, 5 * MSS)->flags |= TW_FIN;
	trace_put(&t, SERVER);
	assert_true(t.c.closed);
	assert_int_equal(client()->unique_bytes, 100);
	assert_int_equal(client()->capture_missed_bytes, 0);
	assert_int_equal(client()->resends[TW_RESEND_KEEPALIVE].count, 0);
	assert_int_equal(t.sum.direction[SERVER].unique_bytes, 5 * MSS);
	assert_false(t.sum.reset);
	assert_int_equal(t.sum.main_direction, SERVER);
	assert_int_equal(t.sum.end, TRACE_START + 60100 * US);
}

static void test_reset(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	send_data(&t, CLIENT, 30000, 0, MSS);
	trace_packet(&t, SERVER, 50000, 0)->flags = TW_RST | TW_ACK;
	trace_put(&t, SERVER);
	assert_int_equal(client()->acks, 1); /* the SYN-ACK's; a RST acknowledges nothing here */
	assert_true(t.sum.closed && t.sum.reset);
	assert_true(t.sum.direction[SERVER].rst_seen);
	assert_int_equal(t.sum.end, t.sum.last);
}

/* Only the data was captured. */
static void test_one_way_data(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		send_data(&t, CLIENT, i * 1000, i * MSS, MSS);
	send_data(&t, CLIENT, 300000, 0, MSS);
	assert_true(trace_last_send(&t, CLIENT)->is_resend);
	assert_int_equal(client()->unique_bytes, 10 * MSS);
	assert_true(t.sum.one_way);
	assert_int_equal(client()->acks, 0);
	assert_int_equal(client()->capture_missed_bytes, 0);
	assert_int_equal(t.sum.end, t.sum.last);
}

/* Only the acknowledgements were: what they cover never was there to be missed. */
static void test_one_way_acks(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		send_ack(&t, SERVER, i * 1000, i * 2 * MSS);
	assert_int_equal(client()->capture_missed_bytes, 0);
	assert_int_equal(client()->unique_bytes, 0);
	assert_true(t.sum.one_way);
	assert_int_equal(t.sum.end, t.sum.first);
}

static void test_sequence_wrap(void **state)
{
	(void)state;
	t.isn[CLIENT] = UINT32_MAX - 2 * MSS;
	t.isn[SERVER] = UINT32_MAX;
	trace_open(&t, 20000);
	for (uint32_t i = 0; i < 6; i++)
		send_data(&t, CLIENT, 30000 + i * 10, i * MSS, MSS);
	assert_int_equal(trace_last_send(&t, CLIENT)->to, 6 * MSS);
	SACK(&t, SERVER, 50000, MSS, { { 3 * MSS, 6 * MSS } }); /* right of the wrap */
	assert_int_equal(trace_last_ack(&t, CLIENT)->newly_sacked, 3 * MSS);
	send_data(&t, CLIENT, 50010, MSS, 2 * MSS); /* over it */
	assert_int_equal(trace_last_send(&t, CLIENT)->resend_class, TW_RESEND_FAST_SACK);
	send_ack(&t, SERVER, 70010, 6 * MSS);
	assert_int_equal(trace_last_ack(&t, CLIENT)->outstanding, 0);
	send_data(&t, SERVER, 80000, 0, 100); /* its first byte has number 0 */
	assert_int_equal(trace_last_send(&t, SERVER)->from, 0);
	assert_int_equal(client()->unique_bytes, 6 * MSS);
	assert_int_equal(client()->capture_missed_bytes, 0);
}

/* Five times around: positions do not wrap. */
static void test_more_than_the_sequence_space(void **state)
{
	const uint32_t chunk = 1u << 30;
	uint32_t seq = 0;

	(void)state;
	trace_open(&t, 20000);
	for (int i = 0; i < 20; i++) {
		send_data(&t, CLIENT, 30000 + i * 1000, seq, chunk);
		seq += chunk;
		send_ack(&t, SERVER, 30500 + i * 1000, seq);
		assert_int_equal(trace_last_ack(&t, CLIENT)->una, (int64_t)(i + 1) * chunk);
		assert_int_equal(trace_last_ack(&t, CLIENT)->newly_acked, chunk);
	}
	assert_int_equal(client()->unique_bytes, INT64_C(20) << 30);
	assert_int_equal(client()->resent_packets, 0);
}

/* Offload merges segments on the way out; resends are cut as the path needs. */
static void test_super_packets(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	send_data(&t, CLIENT, 30000, 0, 20 * MSS);
	send_data(&t, CLIENT, 30010, 20 * MSS, 10 * MSS);
	assert_int_equal(trace_last_send(&t, CLIENT)->flight, 30 * MSS);
	SACK(&t, SERVER, 50000, 3 * MSS, { { 4 * MSS, 30 * MSS } });
	send_data(&t, CLIENT, 50010, 3 * MSS, MSS);
	assert_int_equal(trace_last_send(&t, CLIENT)->resend_class, TW_RESEND_FAST_SACK);
	send_ack(&t, SERVER, 70010, 30 * MSS);
	assert_int_equal(client()->super_packets, 2);
	assert_int_equal(client()->mss, MSS);
	assert_int_equal(client()->largest_payload, 20 * MSS);
	assert_int_equal(client()->unique_bytes, 30 * MSS);
	assert_int_equal(client()->resent_bytes, MSS);
	assert_int_equal(client()->losses.count, 1);
}

/* Re-segmented: three old segments and a new one as one packet. */
static void test_resegmented_resend(void **state)
{
	(void)state;
	trace_open_without_sack(&t, 20000);
	for (uint32_t i = 0; i < 3; i++)
		send_data(&t, CLIENT, 30000 + i * 10, i * MSS, MSS);
	send_data(&t, CLIENT, 1100000, 0, 4 * MSS);
	assert_true(trace_last_send(&t, CLIENT)->is_resend);
	assert_int_equal(client()->unique_bytes, 4 * MSS);
	assert_int_equal(client()->resent_bytes, 3 * MSS);
	assert_int_equal(client()->resent_packets, 1);
	/* A small old tail on much that is new is no resend to speak of. */
	send_ack(&t, SERVER, 1120000, 4 * MSS);
	send_data(&t, CLIENT, 1130000, 4 * MSS, 100);
	send_data(&t, CLIENT, 1130010, 4 * MSS, MSS);
	assert_false(trace_last_send(&t, CLIENT)->is_resend);
	assert_int_equal(client()->unique_bytes, 5 * MSS);
}

/* `rounds` of `segments` each, seen from the middle of the stream; then one more that is not acknowledged. */
static void rounds_without_syns(unsigned rounds, uint32_t segments)
{
	uint32_t seq = 0;

	t.window[SERVER] = 5000; /* raw */
	send_ack(&t, SERVER, 0, 0);
	for (unsigned r = 0; r <= rounds; r++) {
		for (uint32_t i = 0; i < segments; i++, seq += MSS)
			send_data(&t, CLIENT, 100 + r * 20000 + i, seq, MSS);
		if (r < rounds)
			send_ack(&t, SERVER, 20000 + r * 20000, seq);
	}
}

/* The SYNs were not captured. A flight that fills 5,000 << 5 to within a segment, again and again, tells. */
static void test_unknown_window_scale(void **state)
{
	(void)state;
	rounds_without_syns(30, 110);
	assert_false(client()->window_scale_known);
	assert_int_equal(client()->window_scale, 5);
	assert_int_equal(trace_last_send(&t, CLIENT)->right_edge - trace_last_send(&t, CLIENT)->una,
			 5000 << 5);
}

/* One that no scale fits tells nothing, and nothing is said of the window. */
static void test_unknown_window(void **state)
{
	(void)state;
	rounds_without_syns(30, 80);
	assert_false(client()->window_scale_known);
	assert_int_equal(trace_last_send(&t, CLIENT)->right_edge, INT64_MAX);
	assert_int_equal(client()->window_full, 0);
	/* But 0 is 0 at any scale. */
	t.window[SERVER] = 0;
	send_ack(&t, SERVER, 900000, 0);
	assert_int_equal(client()->zero_windows.count, 1);
}

static void test_known_window_scale(void **state)
{
	(void)state;
	trace_syn(&t, CLIENT, 0)->has |= TW_HAS_WSCALE;
	t.p.wscale = 3;
	trace_put(&t, CLIENT);
	trace_syn(&t, SERVER, 20000)->has |= TW_HAS_WSCALE;
	t.p.wscale = 15; /* to be read as 14, RFC 7323 section 2.3 */
	t.p.window = 64240; /* a SYN's is never scaled */
	trace_put(&t, SERVER);
	assert_int_equal(t.c.direction[CLIENT].window, 64240);
	send_ack(&t, CLIENT, 20010, 0);
	t.window[SERVER] = 2;
	send_ack(&t, SERVER, 40000, 0);
	assert_int_equal(t.c.direction[CLIENT].window, 2 << 14);
	assert_true(client()->window_scale_known);
	assert_int_equal(client()->window_scale, 14);
	assert_int_equal(t.sum.direction[SERVER].window_scale, 3);
}

/* One side did not offer it: windows are as they stand. */
static void test_refused_window_scale(void **state)
{
	(void)state;
	trace_syn(&t, CLIENT, 0)->has |= TW_HAS_WSCALE;
	t.p.wscale = 7;
	trace_put(&t, CLIENT);
	trace_syn(&t, SERVER, 20000);
	trace_put(&t, SERVER);
	send_ack(&t, CLIENT, 20010, 0);
	send_data(&t, SERVER, 60000, 0, MSS); /* by now the client's ACK has reached the server */
	assert_int_equal(t.c.direction[CLIENT].window, 65000);
	assert_int_equal(t.c.direction[SERVER].window, 65000);
}

/* An ACK for bytes that the capture never saw: its loss, not the network's. */
static void test_capture_missed(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	send_data(&t, CLIENT, 30000, 0, MSS);
	send_data(&t, CLIENT, 30010, 3 * MSS, MSS);
	send_ack(&t, SERVER, 50000, 4 * MSS);
	assert_int_equal(trace_last_ack(&t, CLIENT)->missed, 2 * MSS);
	send_ack(&t, SERVER, 51000, 6 * MSS);
	assert_int_equal(client()->capture_missed_bytes, 4 * MSS);
	assert_int_equal(client()->capture_missed.count, 2);
	assert_int_equal(client()->losses.count, 0);
	assert_int_equal(client()->resent_packets, 0);
}

/* The FIN has a number too. Not captured, it is no missing byte. */
static void test_fin_not_captured(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	send_data(&t, CLIENT, 30000, 0, MSS);
	send_ack(&t, SERVER, 50000, MSS + 1);
	assert_int_equal(trace_last_ack(&t, CLIENT)->missed, 0);
	assert_int_equal(client()->capture_missed_bytes, 0);
}

static void test_vantage_of_both_sides(void **state)
{
	double confidence;

	(void)state;
	open_at_receiver();
	send_data(&t, CLIENT, 30000, 0, MSS);
	assert_int_equal(tw_connection_place(&t.c, CLIENT, &confidence), TW_PLACE_RECEIVER);
	assert_int_equal(tw_connection_place(&t.c, SERVER, &confidence), TW_PLACE_SENDER);
	assert_int_equal(client()->mss_option, 1460);
	assert_int_equal(t.sum.place, TW_PLACE_RECEIVER);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(test_late_original_by_tsval), CASE(test_resend_by_tsval),
		CASE(test_late_original_by_ip_id), CASE(test_resend_by_ip_id),
		CASE(test_ip_id_after_syn), CASE(test_no_id_gap_while_unknown), CASE(test_late_original_by_time),
		CASE(test_reaction_by_handshake), CASE(test_captured_twice), CASE(test_reuse),
		CASE(test_mid_stream), CASE(test_only_old_data), CASE(test_half_close),
		CASE(test_reset), CASE(test_one_way_data), CASE(test_one_way_acks),
		CASE(test_sequence_wrap), CASE(test_more_than_the_sequence_space),
		CASE(test_super_packets), CASE(test_resegmented_resend),
		CASE(test_unknown_window_scale), CASE(test_unknown_window), CASE(test_known_window_scale),
		CASE(test_refused_window_scale), CASE(test_capture_missed),
		CASE(test_fin_not_captured), CASE(test_vantage_of_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
