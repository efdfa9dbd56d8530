/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the capture was taken: from the hosts' reactions, and as the user says. */
#include "tests/unit/trace.h"

static struct tw_connection c;

static void reactions(int64_t client_us, int64_t server_us)
{
	struct tw_packet first = { .flags = TW_SYN };

	tw_connection_init(&c, 1, &first);
	c.direction[CLIENT].has_reaction = client_us >= 0;
	c.direction[CLIENT].reaction = client_us < 0 ? 0 : client_us * US;
	c.direction[SERVER].has_reaction = server_us >= 0;
	c.direction[SERVER].reaction = server_us < 0 ? 0 : server_us * US;
}

static double expect(int side, enum tw_place place)
{
	double confidence;

	assert_int_equal(tw_connection_place(&c, side, &confidence), place);
	return confidence;
}

static void test_places(void **state)
{
	(void)state;
	reactions(100, 20000);
	assert_true(expect(CLIENT, TW_PLACE_SENDER) >= 0.9);
	assert_true(expect(SERVER, TW_PLACE_RECEIVER) >= 0.9);
	reactions(20000, 100);
	assert_true(expect(CLIENT, TW_PLACE_RECEIVER) >= 0.9);
	assert_true(expect(SERVER, TW_PLACE_SENDER) >= 0.9);
	reactions(10000, 10000);
	assert_true(expect(CLIENT, TW_PLACE_MIDDLE) > 0.5);
	reactions(4000, 16000);
	assert_true(expect(CLIENT, TW_PLACE_MIDDLE) < 0.8); /* near one end: less sure */
	assert_int_equal(tw_connection_min_rtt(&c), 20 * MS);
}

/* A host takes tens of microseconds: on a short path that is no sign of distance. */
static void test_short_path(void **state)
{
	(void)state;
	reactions(40, 260);
	assert_true(expect(CLIENT, TW_PLACE_SENDER) < 0.9);
	reactions(4000, 26000);
	expect(CLIENT, TW_PLACE_MIDDLE);
}

static void test_unknown(void **state)
{
	(void)state;
	reactions(-1, -1);
	assert_true(expect(CLIENT, TW_PLACE_UNKNOWN) == 0);
	assert_int_equal(tw_connection_min_rtt(&c), 0);
	assert_int_equal(tw_connection_reaction(&c, CLIENT), 0);
	reactions(100, -1);
	expect(CLIENT, TW_PLACE_UNKNOWN);
	assert_int_equal(tw_connection_min_rtt(&c), 100 * US);
	reactions(0, 0);
	expect(CLIENT, TW_PLACE_UNKNOWN);
}

static void test_forced(void **state)
{
	(void)state;
	/* Seen at the client, by its times; told that the main direction's receiver is here. */
	reactions(100, 20000);
	c.direction[CLIENT].unique_bytes = 1000;
	c.forced_place = TW_PLACE_RECEIVER;
	assert_int_equal(tw_connection_main(&c), CLIENT);
	assert_true(expect(CLIENT, TW_PLACE_RECEIVER) == 1);
	assert_true(expect(SERVER, TW_PLACE_SENDER) == 1);
	assert_int_equal(tw_connection_reaction(&c, CLIENT), 100 * US);
	assert_int_equal(tw_connection_reaction(&c, SERVER), 0);
	c.forced_place = TW_PLACE_SENDER;
	expect(CLIENT, TW_PLACE_SENDER);
	assert_int_equal(tw_connection_reaction(&c, CLIENT), 0);
	c.forced_place = TW_PLACE_MIDDLE;
	expect(CLIENT, TW_PLACE_MIDDLE);
	expect(SERVER, TW_PLACE_MIDDLE);
	/* Told while nothing is known. */
	reactions(-1, -1);
	c.forced_place = TW_PLACE_SENDER;
	expect(SERVER, TW_PLACE_SENDER); /* at a tie the server's is the main one */
}

static void test_main_direction(void **state)
{
	(void)state;
	reactions(-1, -1);
	assert_int_equal(tw_connection_main(&c), SERVER);
	c.direction[CLIENT].unique_bytes = 5;
	c.direction[SERVER].unique_bytes = 5;
	assert_int_equal(tw_connection_main(&c), SERVER);
	c.direction[CLIENT].unique_bytes = 6;
	assert_int_equal(tw_connection_main(&c), CLIENT);
}

/* Reactions as the wire shows them: by sequence number and by timestamp, never across a resend. */
static void test_reactions(void **state)
{
	static struct trace t;

	(void)state;
	trace_init(&t);
	trace_open(&t, 20000);
	assert_int_equal(tw_connection_reaction(&t.c, SERVER), 20 * MS);
	assert_int_equal(tw_connection_reaction(&t.c, CLIENT), 10 * US);
	send_data(&t, CLIENT, 30000, 0, MSS);
	send_ack(&t, SERVER, 49000, MSS);
	assert_int_equal(tw_connection_reaction(&t.c, SERVER), 19 * MS);
	trace_release(&t);

	trace_init(&t);
	t.timestamps = false;
	trace_open(&t, 20000);
	send_data(&t, CLIENT, 30000, 0, MSS);
	send_data(&t, CLIENT, 50500, 0, MSS); /* Karn: the ACK may answer either */
	send_ack(&t, SERVER, 50600, MSS);
	assert_int_equal(tw_connection_reaction(&t.c, SERVER), 20 * MS);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places), cmocka_unit_test(test_short_path),
		cmocka_unit_test(test_unknown), cmocka_unit_test(test_forced),
		cmocka_unit_test(test_main_direction), cmocka_unit_test(test_reactions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
