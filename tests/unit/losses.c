/* SPDX-License-Identifier: BSD-2-Clause */
/* What was under way when losses came: flights, round trips and rates of loss episodes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "ledger/losses.h"

#define MS INT64_C(1000000)

enum { MSS = 1000 };

static struct tw_losses losses;
static int64_t now, nxt, una;
static uint64_t packet;

static int begin(void **state)
{
	(void)state;
	memset(&losses, 0, sizeof(losses));
	now = 1000 * MS;
	nxt = una = 0;
	packet = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	tw_losses_release(&losses);
	return 0;
}

static struct tw_event event(void)
{
	return (struct tw_event){ .at = now, .packet = ++packet, .una = una, .nxt = nxt, .mss = MSS,
				  .outstanding = (uint32_t)(nxt - una), .rtt = TW_NO_TIME };
}

static void send(uint32_t segments)
{
	while (segments--) {
		struct tw_event e;

		nxt += MSS;
		e = event();
		e.from = nxt - MSS;
		e.to = nxt;
		tw_losses_send(&losses, &e, (uint64_t)una);
	}
}

static void resend(int64_t from)
{
	struct tw_event e = event();

	e.from = from;
	e.to = from + MSS;
	e.is_resend = true;
	tw_losses_send(&losses, &e, (uint64_t)una);
}

static void ack(int64_t to, int64_t rtt, bool hole)
{
	struct tw_event e;

	una = to;
	e = event();
	e.rtt = e.path_rtt = rtt;
	e.hole = hole;
	tw_losses_ack(&losses, &e);
}

/* A flight of `segments`, `lost` of which (from 0) is lost, after a second; delay `rtt`. */
static void lossy_flight(uint32_t segments, uint32_t lost, int64_t rtt)
{
	int64_t first = nxt;

	now += 1000 * MS;
	send(segments);
	now += rtt;
	ack(first + (lost - 1) * MSS, rtt, false);
	ack(first + lost * MSS, rtt, false);
	ack(una, TW_NO_TIME, true);
	resend(una);
	now += rtt;
	ack(nxt, 2 * rtt, true); /* above the hole: waited for the resend */
	ack(nxt, TW_NO_TIME, false);
}

static void test_agreeing(void **state)
{
	struct tw_loss_figures f;

	(void)state;
	for (int i = 0; i < 5; i++)
		lossy_flight(40, 30, 20 * MS);
	tw_losses_figures(&losses, &f);
	assert_int_equal(f.n, 5);
	assert_int_equal(f.n_gaps, 4);
	/* The lost one was the 31st; marks stand every twelfth of a flight. */
	assert_in_range((int64_t)f.flight.low, 28000, 31000);
	assert_in_range((int64_t)f.flight.high, 28000, 31000);
	assert_int_equal((int64_t)f.rtt.low, 20 * MS);
	assert_int_equal((int64_t)f.rtt.high, 20 * MS);
	assert_int_equal((int64_t)f.bytes.mid, 40 * MSS);
	/* 40 kB in 1.04 s */
	assert_in_range((int64_t)f.rate.mid, 307000, 308000);
	assert_int_equal(f.begun.count, 5);
}

static void test_scattered(void **state)
{
	struct tw_loss_figures f;

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		lossy_flight(40, 2 + i * 4, 20 * MS);
	tw_losses_figures(&losses, &f);
	assert_int_equal(f.n, 8);
	assert_true(f.flight.high > 1.5 * f.flight.low);
}

/* Two segments of one flight, and one soon after: one episode. */
static void test_one_episode(void **state)
{
	struct tw_loss_figures f;

	(void)state;
	send(40);
	now += 20 * MS;
	ack(10 * MSS, 20 * MS, false);
	resend(10 * MSS);
	resend(12 * MSS);
	now += 20 * MS;
	ack(40 * MSS, TW_NO_TIME, false);
	send(10);
	resend(42 * MSS);
	tw_losses_figures(&losses, &f);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.n_gaps, 0);
}

/* A lone segment's ACK waited for the next, which was lost: the sample before it counts. */
static void test_delayed_sample(void **state)
{
	struct tw_loss_figures f;

	(void)state;
	send(20);
	now += 20 * MS;
	ack(9 * MSS, 20 * MS, false);
	ack(10 * MSS, 28 * MS, false);
	resend(10 * MSS);
	tw_losses_figures(&losses, &f);
	assert_int_equal((int64_t)f.rtt.mid, 20 * MS);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(test_agreeing), CASE(test_scattered), CASE(test_one_episode),
		CASE(test_delayed_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
