/* SPDX-License-Identifier: BSD-2-Clause */
/* sender-idle, peer-slow, round-trip-bound and slow-start-short-flow. */
#include "finding_case.h"

/* 100 kB written every 200 ms. */
static void idle_amid_bulk(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	row = charge(&b, TW_CAUSE_SENDER_APP, CLIENT, 8 * SECOND, 50);
	example(row, 300 * MS, 180 * MS, 90, 91);
	expect_speech(&b, tw_find_sender_idle, CLIENT);
	assert_int_equal(b.found.party, TW_PARTY_SENDING_APPLICATION);
	assert_int_equal(b.found.saves_ns, 8 * SECOND);
	expect_text(
		&b,
		"The program on 192.0.2.1 left the connection idle for 8.000 s amid the 3.0 MB");
	expect_text(&b, "80.0 % of the time");
	expect_fix(&b, "on 192.0.2.1: in the program");
	expect_evidence(&b, 91, 480 * MS);
	expect_silence(&b, tw_find_peer_slow, CLIENT);

	/* a few kilobytes now and then are no transfer; nor is the smaller direction one */
	b.connection.direction[CLIENT].unique_bytes = 20000;
	expect_silence(&b, tw_find_sender_idle, CLIENT);
	b.connection.direction[CLIENT].unique_bytes = 3000000;
	b.connection.main_direction = SERVER;
	expect_silence(&b, tw_find_sender_idle, CLIENT);
	b.connection.main_direction = CLIENT;
	row->ns = 499 * MS;
	expect_silence(&b, tw_find_sender_idle, CLIENT);
}

/* A server that sleeps 1.2 s before each of three replies. */
static struct tw_bill_row *build_slow_server(struct built *b)
{
	struct tw_direction_bill *d;
	struct tw_bill_row *row;

	build(b);
	b->connection.main_direction = SERVER;
	b->connection.direction[SERVER].unique_bytes = 1500;
	b->bill.duration_ns = 3800 * MS;
	d = &b->bill.direction[SERVER];
	d->turns = 3;
	d->think_ns = 3603 * MS;
	d->think_longest_ns = 1202 * MS;
	d->think_packet = 14;
	d->think_at = START + 2500 * MS;
	row = charge(b, TW_CAUSE_SENDER_APP, SERVER, 3603 * MS, 3);
	example(row, 10 * MS, 1200 * MS, 4, 6)->is_turn = true;
	return row;
}

static void server_sleeps(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	row = build_slow_server(&b);
	expect_speech(&b, tw_find_peer_slow, SERVER);
	assert_int_equal(b.found.party, TW_PARTY_SENDING_APPLICATION);
	assert_int_equal(b.found.saves_ns, 3603 * MS);
	assert_string_equal(tw_confidence_word(b.found.confidence), "certain");
	expect_text(
		&b,
		"The program on 198.51.100.2 took 1.201 s on average before each of its 3 answers");
	expect_text(&b, "1.202 s at the longest (packet 14 ends that wait)");
	expect_text(&b, "94.8 % of the time");
	expect_fix(&b, "on 198.51.100.2: in the program that answers");
	expect_evidence(&b, 14, 2500 * MS);
	expect_evidence(&b, 6, 1210 * MS);
	expect_silence(&b, tw_find_sender_idle, SERVER);
	expect_silence(&b, tw_find_peer_slow, CLIENT);

	b.connection.client_guessed = true;
	assert_true(detect(&b, tw_find_peer_slow, SERVER));
	assert_string_equal(tw_confidence_word(b.found.confidence), "likely");

	/* three quick exchanges: a millisecond each, much of the time, and nobody waits for it */
	row->ns = b.bill.direction[SERVER].think_ns = 3 * MS;
	b.bill.duration_ns = 12 * MS;
	expect_silence(&b, tw_find_peer_slow, SERVER);
	/* and 60 ms of ten seconds neither */
	row->ns = b.bill.direction[SERVER].think_ns = 60 * MS;
	b.bill.duration_ns = 10 * SECOND;
	expect_silence(&b, tw_find_peer_slow, SERVER);
}

/* A reply of 3 MB that the program thinks over for 1 s and then writes with 2 s of pauses. */
static void the_same_time_is_claimed_once(void **state)
{
	struct tw_bill_row *row;
	struct built b;
	int64_t thought;

	(void)state;
	build(&b);
	b.connection.main_direction = SERVER;
	b.connection.direction[SERVER].unique_bytes = 3000000;
	b.bill.direction[SERVER].turns = 1;
	b.bill.direction[SERVER].think_ns = b.bill.direction[SERVER].think_longest_ns = 1 * SECOND;
	row = charge(&b, TW_CAUSE_SENDER_APP, SERVER, 3 * SECOND, 11);
	example(row, 30 * MS, 1 * SECOND, 4, 6)->is_turn = true;
	example(row, 2 * SECOND, 200 * MS, 400, 401);
	expect_speech(&b, tw_find_peer_slow, SERVER);
	expect_text(&b, "took 1.000 s before it answered");
	expect_evidence(&b, 6, 1030 * MS);
	assert_int_equal(b.found.n_evidence, 1);
	thought = b.found.saves_ns;
	expect_speech(&b, tw_find_sender_idle, SERVER);
	expect_text(&b, "idle for 2.000 s");
	expect_evidence(&b, 401, 2200 * MS);
	assert_int_equal(b.found.n_evidence, 1);
	assert_in_range(thought + b.found.saves_ns, row->ns - 2, row->ns); /* each is rounded */
}

/* A client's pauses between requests: a loop's are named, a person's are not. */
static void clients_pauses(void **state)
{
	struct tw_direction_bill *d;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	d = &b.bill.direction[CLIENT];
	b.connection.direction[CLIENT].unique_bytes = 24000;
	d->turns = 120;
	d->think_ns = 6 * SECOND;
	d->think_longest_ns = 80 * MS;
	row = charge(&b, TW_CAUSE_SENDER_APP, CLIENT, 6 * SECOND, 120);
	example(row, 100 * MS, 80 * MS, 10, 11)->is_turn = true;
	expect_speech(&b, tw_find_sender_idle, CLIENT);
	expect_text(&b,
		    "let 50.0 ms pass on average between a reply and its next request, 120 times, "
		    "80.0 ms at the longest");
	expect_evidence(&b, 11, 180 * MS);
	d->think_longest_ns = 1500 * MS;
	expect_silence(&b, tw_find_sender_idle, CLIENT);
	d->think_longest_ns = 80 * MS;
	d->turns = 19;
	expect_silence(&b, tw_find_sender_idle, CLIENT);
	d->turns = 55; /* 109 ms each: somebody types */
	expect_silence(&b, tw_find_sender_idle, CLIENT);
}

static void one_message_per_round_trip(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	b.connection.direction[CLIENT].unique_bytes = 100000;
	b.connection.direction[SERVER].unique_bytes = 4000000;
	b.bill.direction[CLIENT].turns = 499;
	b.bill.direction[SERVER].turns = 500;
	charge(&b, TW_CAUSE_ROUND_TRIP, CLIENT, 1 * SECOND, 499);
	row = charge(&b, TW_CAUSE_ROUND_TRIP, SERVER, 7 * SECOND, 500);
	/* nobody can shorten the path, but fewer turns can be taken */
	example(row, 20 * MS, 20 * MS, 4, 5);
	expect_silence(&b, tw_find_round_trip_bound, CLIENT);
	expect_speech(&b, tw_find_round_trip_bound, SERVER);
	assert_int_equal(b.found.party, TW_PARTY_NETWORK);
	assert_int_equal(b.found.saves_ns, 7984 * MS); /* all but one of 500 */
	expect_text(&b, "192.0.2.1 and 198.51.100.2 took turns 500 times, one message under way");
	expect_text(&b, "200 bytes there and 8,000 bytes back");
	expect_text(&b, "each exchange waits for a round trip, 20.0 ms at the least");
	expect_text(&b, "8.000 s, 80.0 % of the time");
	expect_fix(&b, "pipelining");
	expect_evidence(&b, 5, 40 * MS);

	b.bill.direction[CLIENT].turns = 3;
	b.bill.direction[SERVER].turns = 4;
	expect_silence(&b, tw_find_round_trip_bound, SERVER);
	b.bill.direction[SERVER].turns = 500;
	row->ns = 1900 * MS;
	expect_silence(&b, tw_find_round_trip_bound, SERVER);
	row->ns = 7 * MS;
	b.rows[0].ns = 1 * MS;
	b.bill.duration_ns = 10 * MS;
	expect_silence(&b, tw_find_round_trip_bound, SERVER);
}

/* 2 MB at 100 ms, done in nine rounds. */
static void ended_while_growing(void **state)
{
	struct tw_direction_summary *d;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	d = &b.connection.direction[CLIENT];
	d->unique_bytes = 2000000;
	d->flight_max = 740000;
	d->phase_last = TW_PHASE_SLOW_START;
	b.bill.duration_ns = 918 * MS;
	b.bill.direction[CLIENT].min_rtt = 100 * MS;
	b.bill.direction[CLIENT].rounds = 9;
	b.bill.direction[CLIENT].rounds_grown = 8;
	row = charge(&b, TW_CAUSE_SLOW_START, CLIENT, 800 * MS, 1);
	row->waits_ns = 0; /* a round trip is left */
	example(row, 100 * MS, 800 * MS, 4, 1400);
	expect_speech(&b, tw_find_slow_start_short_flow, CLIENT);
	assert_int_equal(b.found.saves_ns, 700 * MS);
	expect_text(&b, "192.0.2.1 sent 2.0 MB to 198.51.100.2 in 9 rounds of data; in 8 of them");
	expect_text(&b, "740 kB");
	expect_text(&b, "87.1 % of the time");
	expect_fix(&b, "ip route replace 198.51.100.2 [via GATEWAY] dev DEVICE initcwnd 30");
	expect_fix(&b, "tcp_slow_start_after_idle=0");
	expect_evidence(&b, 4, 100 * MS);

	d->unique_bytes = 14000; /* all of it fits the initial window */
	expect_silence(&b, tw_find_slow_start_short_flow, CLIENT);
	d->unique_bytes = 2000000;
	d->phase_last = TW_PHASE_AVOIDANCE; /* it went on long after */
	b.bill.direction[CLIENT].rounds = 17;
	expect_silence(&b, tw_find_slow_start_short_flow, CLIENT);
	d->phase_last = TW_PHASE_SLOW_START;
	row->ns = 270 * MS;
	expect_silence(&b, tw_find_slow_start_short_flow, CLIENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_amid_bulk),
		cmocka_unit_test(server_sleeps),
		cmocka_unit_test(the_same_time_is_claimed_once),
		cmocka_unit_test(clients_pauses),
		cmocka_unit_test(one_message_per_round_trip),
		cmocka_unit_test(ended_while_growing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
