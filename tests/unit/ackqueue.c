/* SPDX-License-Identifier: BSD-2-Clause */
/* Acknowledgements on their way to the sender: the queue, and the two-part rule of when they arrive. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdint.h>

#include "flow/ackqueue.h"
#include "tests/unit/trace.h"

static void test_order_and_growth(void **state)
{
	struct tw_ack_queue q = { 0 };
	uint64_t in = 0, out = 0;

	(void)state;
	assert_null(tw_ack_queue_first(&q));
	/* More in than out, so that the ring wraps and grows while wrapped. */
	while (in < 1000) {
		for (int i = 0; i < 3; i++) {
			struct tw_ack ack = { .packet = in + 1, .ack = (int64_t)in * 10 + 10 };

			assert_int_equal(tw_ack_queue_push(&q, &ack), 0);
			in++;
		}
		assert_int_equal(tw_ack_queue_first(&q)->packet, ++out);
		assert_int_equal(tw_ack_queue_first(&q)->ack, out * 10);
		tw_ack_queue_pop(&q);
	}
	assert_int_equal(q.n, in - out);
	while (q.n) {
		assert_int_equal(tw_ack_queue_first(&q)->packet, ++out);
		tw_ack_queue_pop(&q);
	}
	assert_int_equal(in, out);
	assert_null(tw_ack_queue_first(&q));
	tw_ack_queue_release(&q);
}

static void test_ceiling(void **state)
{
	struct tw_ack_queue q = { 0 };
	struct tw_ack ack = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= TW_ACK_QUEUE_MAX; i++) {
		ack.packet = i;
		assert_int_equal(tw_ack_queue_push(&q, &ack), 0);
	}
	assert_int_equal(tw_ack_queue_push(&q, &ack), -ENOBUFS);
	assert_int_equal(q.n, TW_ACK_QUEUE_MAX);
	assert_int_equal(tw_ack_queue_first(&q)->packet, 1);
	tw_ack_queue_pop(&q);
	assert_int_equal(tw_ack_queue_push(&q, &ack), 0);
	assert_int_equal(tw_ack_queue_first(&q)->packet, 2);
	tw_ack_queue_release(&q);
	assert_null(q.ring);
}

static void test_idle_queue_holds_nothing(void **state)
{
	struct tw_ack_queue q = { 0 };
	struct tw_ack ack = { 0 };

	(void)state;
	assert_int_equal(tw_ack_queue_push(&q, &ack), 0);
	tw_ack_queue_pop(&q);
	assert_null(q.ring);
	assert_int_equal(tw_ack_queue_push(&q, &ack), 0);
	tw_ack_queue_release(&q);
}

static void test_in_effect_by_lag(void **state)
{
	const struct tw_ack ack = { .at = 1000 };

	(void)state;
	assert_false(tw_ack_in_effect(&ack, 500, 1499, false, 0));
	assert_true(tw_ack_in_effect(&ack, 500, 1500, false, 0));
	/* Data with timestamps, an ACK without: only the lag can tell. */
	assert_true(tw_ack_in_effect(&ack, 500, 1500, true, 1));
}

static void test_in_effect_by_echo(void **state)
{
	struct tw_ack ack = { .at = 1000, .has_ts = true, .tsval = 70 };

	(void)state;
	/* Data that echoes an older TSval left before the ACK came, however late it is here. */
	assert_false(tw_ack_in_effect(&ack, 500, 99999, true, 69));
	/* Data that echoes a newer one left after it, however early. */
	assert_true(tw_ack_in_effect(&ack, 500, 1001, true, 71));
	/* The same: several ACKs may carry it; the lag decides. */
	assert_false(tw_ack_in_effect(&ack, 500, 1499, true, 70));
	assert_true(tw_ack_in_effect(&ack, 500, 1500, true, 70));
	/* Timestamps wrap (RFC 7323 section 5.2). */
	ack.tsval = 5;
	assert_false(tw_ack_in_effect(&ack, 500, 99999, true, UINT32_MAX - 3));
	ack.tsval = UINT32_MAX - 3;
	assert_true(tw_ack_in_effect(&ack, 500, 1001, true, 5));
}

static void test_effect(void **state)
{
	const struct tw_ack ack = { .at = 1000, .has_ts = true, .tsval = 70 };

	(void)state;
	assert_int_equal(tw_ack_effect(&ack, 500, 9000, 0, false, 0), 1500);
	/* Data at 4000 had not heard of it: under a queue the smallest lag is too early. */
	assert_int_equal(tw_ack_effect(&ack, 500, 9000, 4000, true, 69), 4000);
	assert_int_equal(tw_ack_effect(&ack, 500, 9000, 1200, true, 69), 1500);
	/* Data at 4000 knew: no bound. */
	assert_int_equal(tw_ack_effect(&ack, 500, 9000, 4000, true, 70), 1500);
	/* Never after the packet that it released. */
	assert_int_equal(tw_ack_effect(&ack, 500, 1100, 0, false, 0), 1100);
}

/*
 * At the receiver, 20 ms from the sender: an ACK takes effect 20 ms after it passed, and the flight is
 * the sender's, not what the vantage sees.
 */
static void test_at_the_receiver(void **state)
{
	struct trace t;
	const struct tw_event *e;

	(void)state;
	trace_init(&t);
	trace_syn(&t, CLIENT, 0);
	trace_put(&t, CLIENT);
	trace_syn(&t, SERVER, 10);
	trace_put(&t, SERVER);
	send_ack(&t, CLIENT, 20010, 0);
	assert_int_equal(tw_connection_reaction(&t.c, CLIENT), 20000 * US);
	assert_int_equal(tw_connection_reaction(&t.c, SERVER), 10 * US);

	t.tsval = 2000;
	send_data(&t, CLIENT, 30000, 0, MSS);
	t.tsval = 5001;
	send_ack(&t, SERVER, 30010, MSS);
	/* This one left before the ACK could reach its sender: both are in flight. */
	t.tsecr = 1000;
	send_data(&t, CLIENT, 30200, MSS, MSS);
	e = trace_last_send(&t, CLIENT);
	assert_int_equal(e->outstanding, 2 * MSS);
	/* 20 ms later, less what jitter may take off, the first is acknowledged. */
	send_data(&t, CLIENT, 50300, 2 * MSS, MSS);
	e = trace_last_ack(&t, CLIENT);
	assert_int_equal(e->newly_acked, MSS);
	assert_int_equal(e->at, TRACE_START + 50010 * US);
	assert_int_equal(trace_last_send(&t, CLIENT)->outstanding, 2 * MSS);
	trace_release(&t);
}

/* A queue before the sender: data that echoes the older TSval keeps the ACK from taking effect. */
static void test_echo_rule_end_to_end(void **state)
{
	struct trace t;

	(void)state;
	trace_init(&t);
	trace_syn(&t, CLIENT, 0);
	trace_put(&t, CLIENT);
	t.tsval = 7000;
	trace_syn(&t, SERVER, 10);
	trace_put(&t, SERVER);
	send_ack(&t, CLIENT, 20010, 0);
	send_data(&t, CLIENT, 30000, 0, MSS);
	t.tsval = 7030;
	send_ack(&t, SERVER, 30010, MSS);
	/* 40 ms later, twice the smallest lag, and still it echoes the SYN-ACK's TSval. */
	t.tsecr = 7000;
	send_data(&t, CLIENT, 70000, MSS, MSS);
	assert_int_equal(trace_last_send(&t, CLIENT)->outstanding, 2 * MSS);
	t.tsecr = 7030;
	send_data(&t, CLIENT, 71000, 2 * MSS, MSS);
	assert_int_equal(trace_last_send(&t, CLIENT)->outstanding, 2 * MSS);
	assert_int_equal(trace_last_ack(&t, CLIENT)->at, TRACE_START + 70000 * US);
	trace_release(&t);
}

/* The queue at its ceiling lets the oldest take effect rather than forget it. */
static void test_overflow_applies_the_oldest(void **state)
{
	struct trace t;
	uint32_t i;

	(void)state;
	trace_init(&t);
	t.timestamps = false;
	trace_syn(&t, CLIENT, 0);
	trace_put(&t, CLIENT);
	trace_syn(&t, SERVER, 10);
	trace_put(&t, SERVER);
	send_ack(&t, CLIENT, 20010, 0);
	send_data(&t, CLIENT, 30000, 0, 10000);
	t.n_events = 0;
	for (i = 1; i <= TW_ACK_QUEUE_MAX; i++)
		send_ack(&t, SERVER, 30000 + i, i);
	assert_int_equal(t.n_events, 0);
	send_ack(&t, SERVER, 30000 + i, i);
	assert_int_equal(t.n_events, 1);
	assert_int_equal(t.event[0].una, 1);
	t.n_events = 0;
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_growth), cmocka_unit_test(test_ceiling),
		cmocka_unit_test(test_idle_queue_holds_nothing),
		cmocka_unit_test(test_in_effect_by_lag), cmocka_unit_test(test_in_effect_by_echo),
		cmocka_unit_test(test_effect), cmocka_unit_test(test_at_the_receiver),
		cmocka_unit_test(test_echo_rule_end_to_end),
		cmocka_unit_test(test_overflow_applies_the_oldest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
