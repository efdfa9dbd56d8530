/* SPDX-License-Identifier: BSD-2-Clause */
/* path-outage: traces that have one, and those that nearly have. Round trip of 20 ms. */
#include "tests/unit/billed.h"

static struct billed b;
static uint32_t seq;

enum { RTT = 20000 };

/* Three rounds of ten segments by the client, seen at its host; the last at 60 ms. */
static void upload(void)
{
	billed_begin(&b);
	billed_open(&b, 10, RTT);
	seq = 0;
	for (int round = 1; round <= 3; round++) {
		for (int i = 0; i < 10; i++, seq += MSS)
			billed_data(&b, CLIENT, round * (RTT + 100) + i, seq, MSS);
		billed_ack(&b, SERVER, (round + 1) * (RTT + 100) - 50, seq);
	}
}

/* Ten more at 100 ms, of which nothing is heard. */
static void vanish(void)
{
	upload();
	for (int i = 0; i < 10; i++)
		billed_data(&b, CLIENT, 100000 + i, seq + (uint32_t)i * MSS, MSS);
}

static void resend(int64_t ms, uint32_t len)
{
	billed_data(&b, CLIENT, ms * 1000, seq, len);
}

static void acknowledged(int64_t ms, uint32_t upto)
{
	billed_ack(&b, SERVER, ms * 1000, upto);
}

static int64_t outage(void)
{
	int64_t us = billed_us(&b, TW_CAUSE_PATH_OUTAGE, CLIENT);

	return us / 1000;
}

static void test_three_timeouts(void **state)
{
	const struct tw_bill_row *row;

	(void)state;
	vanish();
	resend(320, MSS);
	resend(760, MSS);
	resend(1640, MSS);
	acknowledged(1660, seq + 10 * MSS);
	billed_end(&b);
	assert_int_equal(outage(), 1539);
	row = tw_bill_row(&b.bill, TW_CAUSE_PATH_OUTAGE, CLIENT);
	assert_int_equal(row->intervals, 1); /* one outage, however many resends */
	assert_int_equal(row->saves_ns, row->ns);
	assert_int_equal(billed_us(&b, TW_CAUSE_RETRANSMISSION_TIMEOUT, CLIENT), 0);
	billed_release(&b);
}

/* One resend was lost as well: two packets, no outage. */
static void test_two_timeouts(void **state)
{
	(void)state;
	vanish();
	resend(320, MSS);
	resend(760, MSS);
	acknowledged(780, seq + 10 * MSS);
	billed_end(&b);
	assert_int_equal(outage(), 0);
	assert_in_range(billed_us(&b, TW_CAUSE_RETRANSMISSION_TIMEOUT, CLIENT), 650000, 670000);
	billed_release(&b);
}

/* The peer was heard in between: what it said acknowledged nothing, but the path was there. */
static void test_heard_meanwhile(void **state)
{
	(void)state;
	vanish();
	resend(320, MSS);
	acknowledged(400, seq);
	resend(760, MSS);
	acknowledged(800, seq);
	resend(1640, MSS);
	acknowledged(1660, seq + 10 * MSS);
	billed_end(&b);
	assert_int_equal(outage(), 0);
	billed_release(&b);
}

/* What came through at last was shorter: larger segments vanish on this path. */
static void test_shorter_gets_through(void **state)
{
	(void)state;
	vanish();
	resend(320, MSS);
	resend(760, MSS);
	resend(1640, 512);
	acknowledged(1660, seq + 512);
	billed_end(&b);
	assert_int_equal(outage(), 0);
	billed_release(&b);
}

/* A probe of the highest segment first (RFC 8985), then timers for the first. */
static void test_probe_first(void **state)
{
	(void)state;
	vanish();
	billed_data(&b, CLIENT, 150000, seq + 9 * MSS, MSS);
	resend(400, MSS);
	resend(900, MSS);
	acknowledged(920, seq + 10 * MSS);
	billed_end(&b);
	assert_int_equal(outage(), 799);
	billed_release(&b);
}

/* It never came back: nobody knows what went away. */
static void test_no_end(void **state)
{
	(void)state;
	vanish();
	resend(320, MSS);
	resend(760, MSS);
	resend(1640, MSS);
	billed_end(&b);
	assert_int_equal(outage(), 0);
	billed_release(&b);
}

/* The path is back when the peer's own timer runs out; then the client's runs out once more. */
static void test_peer_takes_the_floor(void **state)
{
	(void)state;
	vanish();
	resend(320, MSS);
	resend(760, MSS);
	resend(1640, MSS);
	b.t.acked[SERVER] = seq;
	for (uint32_t i = 0; i < 50; i++)
		billed_data(&b, SERVER, 2400000 + i, i * MSS, MSS);
	b.t.acked[CLIENT] = 50 * MSS;
	resend(3400, MSS);
	acknowledged(3420, seq + 10 * MSS);
	billed_end(&b);
	assert_in_range(outage(), 2299, 2300);
	billed_release(&b);
}

/* The server's end of the same: `missing` packets between the last and what came at `ms`. */
static void seen_from_beyond(int64_t ms, uint16_t missing, uint32_t len)
{
	uint32_t to = 0;

	billed_begin(&b);
	b.t.has_id = true;
	b.t.ip_id[CLIENT] = 100;
	billed_open(&b, RTT, 10);
	for (int round = 1; round <= 4; round++) {
		for (int i = 0; i < 10; i++, to += len)
			billed_data(&b, CLIENT, round * (RTT + 100) + i, to, len);
		billed_ack(&b, SERVER, round * (RTT + 100) + 50, to);
	}
	b.t.ip_id[CLIENT] += missing;
	billed_data(&b, CLIENT, ms * 1000, to, len);
	billed_ack(&b, SERVER, ms * 1000 + 20, to + len);
	billed_end(&b);
}

static void test_from_beyond(void **state)
{
	(void)state;
	seen_from_beyond(1700, 4, MSS);
	assert_in_range(outage(), 1600, 1620);
	billed_release(&b);
	/* One packet is missing: a lone loss with a long timer. */
	seen_from_beyond(1700, 1, MSS);
	assert_int_equal(outage(), 0);
	billed_release(&b);
	/* Nothing is: the program had nothing to send. */
	seen_from_beyond(1700, 0, MSS);
	assert_int_equal(outage(), 0);
	assert_true(billed_us(&b, TW_CAUSE_SENDER_APP, CLIENT) > 1500000);
	billed_release(&b);
	/* Three timeouts: one resend was lost, beside the end of a flight. */
	seen_from_beyond(700, 4, MSS);
	assert_int_equal(outage(), 0);
	billed_release(&b);
	/* No full segment ever came: those that are missing may have been too large. */
	seen_from_beyond(1700, 4, 536);
	assert_int_equal(outage(), 0);
	billed_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_timeouts), cmocka_unit_test(test_two_timeouts),
		cmocka_unit_test(test_heard_meanwhile), cmocka_unit_test(test_shorter_gets_through),
		cmocka_unit_test(test_probe_first), cmocka_unit_test(test_no_end),
		cmocka_unit_test(test_peer_takes_the_floor), cmocka_unit_test(test_from_beyond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
