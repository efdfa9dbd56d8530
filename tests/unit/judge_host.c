/* SPDX-License-Identifier: BSD-2-Clause */
/* host-slow: hosts that stood still for 120 ms, as each end sees it, and what only looks so. RTT 20 ms. */
#include "tests/unit/billed.h"

static struct billed b;
static uint32_t seq;
static int64_t now; /* us */

enum { RTT = 20000, FLIGHT = 10, FROZEN = 120000 };

static int64_t slow_us(int side)
{
	return billed_us(&b, TW_CAUSE_HOST_SLOW, side);
}

static uint32_t stamp(int64_t us)
{
	return (uint32_t)(1000 + us / 1000);
}

/* Ten rounds of ten segments, seen at the client's host, or at the server's. */
static void upload(bool at_server, bool timestamps)
{
	billed_begin(&b);
	b.t.timestamps = timestamps;
	billed_open(&b, at_server ? RTT : 10, at_server ? 10 : RTT);
	seq = 0;
	now = 2 * RTT;
	for (int round = 0; round < 10; round++, now += RTT + 100) {
		for (int i = 0; i < FLIGHT; i++, seq += MSS)
			billed_data(&b, CLIENT, now + i, seq, MSS);
		billed_ack(&b, SERVER, now + (at_server ? 50 : RTT), seq);
	}
}

static void flight(int64_t us)
{
	for (int i = 0; i < FLIGHT; i++)
		billed_data(&b, CLIENT, us + i, seq + (uint32_t)i * MSS, MSS);
}

/*
 * A flight at `now` and its ACKs `late` us after their time, two segments each; `stamped`: the server's
 * clock in the first of them, us. Then it goes on.
 */
static void late_acks(int64_t late, int64_t stamped)
{
	flight(now);
	for (int i = 1; i <= FLIGHT / 2; i++) {
		int64_t at = now + RTT + late + i * 20;

		if (stamped)
			b.t.tsval = stamp(stamped + i * 20);
		b.t.tsecr = stamp(now); /* it has not heard of what was sent since */
		billed_ack(&b, SERVER, at, seq + 2 * (uint32_t)i * MSS);
		billed_data(&b, CLIENT, at + 5, seq + (uint32_t)(FLIGHT + i - 1) * MSS, MSS);
	}
	b.t.tsecr = stamp(now + RTT + late);
	billed_ack(&b, SERVER, now + 2 * RTT + late + 300, seq + (FLIGHT + FLIGHT / 2) * MSS);
	billed_end(&b);
}

/* The server's kernel sent its ACKs late, by its own clock. */
static void test_receiver_seen_at_sender(void **state)
{
	const struct tw_bill_row *row;

	(void)state;
	upload(false, true);
	late_acks(FROZEN, 0);
	assert_in_range(slow_us(SERVER), FROZEN, FROZEN + RTT + 100);
	assert_int_equal(slow_us(CLIENT), 0);
	row = tw_bill_row(&b.bill, TW_CAUSE_HOST_SLOW, SERVER);
	assert_true(row->confidence > 0.6);
	assert_int_equal(row->saves_ns, row->ns);
	billed_release(&b);
	/* Not long enough to be told from a longer path. */
	upload(false, true);
	late_acks(35000, 0);
	assert_int_equal(slow_us(SERVER), 0);
	billed_release(&b);
	/* Without clocks in the packets nobody knows whose. */
	upload(false, false);
	late_acks(FROZEN, 0);
	assert_int_equal(slow_us(SERVER) + slow_us(CLIENT), 0);
	billed_release(&b);
}

/* The ACKs were sent in time: they were held on their way, at this host most likely. */
static void test_sender_seen_at_itself(void **state)
{
	(void)state;
	upload(false, true);
	late_acks(FROZEN, now + RTT / 2);
	assert_in_range(slow_us(CLIENT), FROZEN, FROZEN + RTT + 100);
	assert_int_equal(slow_us(SERVER), 0);
	assert_true(tw_bill_row(&b.bill, TW_CAUSE_HOST_SLOW, CLIENT)->confidence < 0.6);
	billed_release(&b);
}

/* A program that writes a flight, and the next when 200 ms have passed: nothing was owed. */
static void test_idle_program(void **state)
{
	(void)state;
	upload(false, true);
	for (int i = 0; i < 4; i++) {
		now += 200000;
		flight(now);
		seq += FLIGHT * MSS;
		billed_ack(&b, SERVER, now + RTT, seq);
	}
	billed_end(&b);
	assert_int_equal(slow_us(SERVER) + slow_us(CLIENT), 0);
	assert_true(billed_us(&b, TW_CAUSE_SENDER_APP, CLIENT) > 600000);
	billed_release(&b);
}

/* Something was lost in it: the ACK that came tells of a hole, and a timer had to repair it. */
static void test_loss(void **state)
{
	(void)state;
	upload(false, true);
	flight(now);
	b.t.acked[SERVER] = seq;
	trace_packet(&b.t, SERVER, now + RTT + FROZEN, 0);
	b.t.p.n_sack = 1;
	b.t.p.sack[0].left = b.t.isn[CLIENT] + 1 + seq + 5 * MSS;
	b.t.p.sack[0].right = b.t.isn[CLIENT] + 1 + seq + 10 * MSS;
	billed_put(&b, SERVER);
	billed_data(&b, CLIENT, now + RTT + FROZEN + 10, seq, 5 * MSS);
	billed_ack(&b, SERVER, now + 2 * RTT + FROZEN, seq + FLIGHT * MSS);
	billed_end(&b);
	assert_int_equal(slow_us(SERVER) + slow_us(CLIENT), 0);
	billed_release(&b);
}

/* A flight at the server, its ACKs at once; what the client sends on them comes `late` us late. */
static void late_data(int64_t late, bool knows, int64_t stamped)
{
	uint32_t echo;

	flight(now);
	for (int i = 1; i <= FLIGHT / 2; i++) {
		b.t.tsval = stamp(now + i * 2000);
		billed_ack(&b, SERVER, now + i * 2000, seq + 2 * (uint32_t)i * MSS);
	}
	echo = stamp(now + 2000);
	for (int i = 0; i < FLIGHT; i++) {
		int64_t at = now + 2000 + RTT + late + i * 20;

		if (!knows)
			b.t.tsecr = echo;
		if (stamped)
			b.t.tsval = stamp(stamped);
		billed_data(&b, CLIENT, at, seq + (uint32_t)(FLIGHT + i) * MSS, MSS);
	}
	billed_ack(&b, SERVER, now + 2000 + RTT + late + 250, seq + 2 * FLIGHT * MSS);
	billed_end(&b);
}

/* The client had the ACKs, by the path's delay, but what it sends knows of the first alone. */
static void test_sender_seen_at_receiver(void **state)
{
	(void)state;
	upload(true, true);
	late_data(FROZEN, false, 0);
	assert_in_range(slow_us(CLIENT), FROZEN, FROZEN + RTT + 2000);
	assert_int_equal(slow_us(SERVER), 0);
	billed_release(&b);
	/* It knows of all: its program wrote late. */
	upload(true, true);
	late_data(FROZEN, true, 0);
	assert_int_equal(slow_us(CLIENT) + slow_us(SERVER), 0);
	assert_true(billed_us(&b, TW_CAUSE_SENDER_APP, CLIENT) >= 100000);
	billed_release(&b);
}

/* By its clock the data was sent long before it came here: this host, or the path, held it. */
static void test_receiver_seen_at_itself(void **state)
{
	(void)state;
	upload(true, true);
	late_data(FROZEN, false, now + RTT);
	assert_in_range(slow_us(SERVER), FROZEN, FROZEN + RTT + 2000);
	assert_int_equal(slow_us(CLIENT), 0);
	assert_true(tw_bill_row(&b.bill, TW_CAUSE_HOST_SLOW, SERVER)->confidence < 0.6);
	billed_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_receiver_seen_at_sender),
		cmocka_unit_test(test_sender_seen_at_itself),
		cmocka_unit_test(test_idle_program),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_sender_seen_at_receiver),
		cmocka_unit_test(test_receiver_seen_at_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
