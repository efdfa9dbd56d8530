/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection of more rounds than are kept: part is settled on the way, the rest is seen again at the end. */
#include "ledger/ledger.h"
#include "tests/unit/trace.h"

enum {
	RTT_US = 20000,
	REACTION_US = 10,
	ROUNDS_BEFORE = 1500, /* each leaves a round and a stall: the first half of TW_MAX_ITEMS goes */
	ROUNDS_AFTER = 700,
};

static struct tw_ledger *ledger;
static struct trace t;
static int64_t now;
static uint32_t seq;

static void on_event(void *context, struct tw_connection *c, const struct tw_event *e)
{
	(void)context;
	tw_ledger_event(ledger, c, e);
}

static void put(int side)
{
	const struct tw_event_sink sink = { .event = on_event };

	if (!t.started)
		tw_connection_init(&t.c, 1, &t.p);
	t.started = true;
	tw_connection_packet(&t.c, side, &t.p, &sink);
}

static void sends(uint32_t len)
{
	trace_packet(&t, CLIENT, now, seq)->payload = len;
	put(CLIENT);
	seq += len;
}

/* The server acknowledges all there is `us` later, and the client has seen it. */
static void acked_after(int64_t us)
{
	now += us;
	t.acked[SERVER] = seq;
	trace_packet(&t, SERVER, now, 0);
	put(SERVER);
	now += REACTION_US;
}

static void plain_rounds(unsigned n)
{
	while (n--) {
		sends(MSS);
		sends(MSS);
		acked_after(RTT_US);
	}
}

/* A small segment waits until the full ones before it are acknowledged, late: as BSD's Nagle rule would. */
static void held(void)
{
	sends(MSS);
	sends(MSS);
	acked_after(3 * RTT_US);
	sends(100);
	acked_after(RTT_US);
}

static bool nagle_in_bill(unsigned times_held)
{
	struct tw_bill bill;
	bool found = false;

	trace_init(&t);
	t.timestamps = false;
	now = 0;
	seq = 0;
	assert_int_equal(tw_ledger_new(&ledger, false), 0);
	plain_rounds(ROUNDS_BEFORE);
	while (times_held--)
		held();
	plain_rounds(ROUNDS_AFTER);
	tw_connection_flush(&t.c, &(struct tw_event_sink){ .event = on_event });
	assert_int_equal(tw_ledger_finish(ledger, &t.c, &bill), 0);
	for (unsigned i = 0; i < bill.n_rows; i++)
		found |= bill.rows[i].cause == TW_CAUSE_NAGLE_DELAYED_ACK;
	tw_bill_release(&bill);
	tw_ledger_free(ledger);
	tw_connection_release(&t.c);
	return found;
}

/* Three times is a habit, twice is chance: also where the two are looked at twice. */
static void test_kept_stalls_count_once(void **state)
{
	(void)state;
	assert_true(nagle_in_bill(3));
	assert_false(nagle_in_bill(2));
}

static bool in_bill(const struct tw_bill *bill, enum tw_cause cause, int64_t least)
{
	for (unsigned i = 0; i < bill->n_rows; i++)
		if (bill->rows[i].cause == cause && bill->rows[i].ns >= least)
			return true;
	return false;
}

/*
 * Bursts of eight segments and the rest of the write, which an ACK lets go long after; `more` goes on
 * right behind it, as where the program had waited for the send buffer.
 */
static void small_restarts(unsigned n, uint32_t more, struct tw_bill *bill)
{
	trace_init(&t);
	t.timestamps = false;
	t.window[SERVER] = 65000;
	now = 0;
	seq = 0;
	assert_int_equal(tw_ledger_new(&ledger, false), 0);
	while (n--) {
		for (int i = 0; i < 8; i++)
			sends(MSS);
		now += RTT_US - 6000;
		t.acked[SERVER] = seq - 2 * MSS;
		trace_packet(&t, SERVER, now, 0);
		put(SERVER);
		now += 5000;
		t.acked[SERVER] = seq - MSS;
		trace_packet(&t, SERVER, now, 0);
		put(SERVER);
		now += REACTION_US;
		sends(100);
		for (uint32_t i = 0; i < more; i++)
			sends(MSS);
		acked_after(RTT_US);
	}
	tw_connection_flush(&t.c, &(struct tw_event_sink){ .event = on_event });
	assert_int_equal(tw_ledger_finish(ledger, &t.c, bill), 0);
	tw_ledger_free(ledger);
	tw_connection_release(&t.c);
}

static void test_small_restart(void **state)
{
	const int64_t most = 20 * (int64_t)RTT_US * US;
	struct tw_bill bill;

	(void)state;
	small_restarts(30, 0, &bill);
	assert_true(in_bill(&bill, TW_CAUSE_SENDER_APP, most));
	assert_false(in_bill(&bill, TW_CAUSE_SEND_BUFFER, 1));
	tw_bill_release(&bill);
	small_restarts(30, 4, &bill);
	assert_true(in_bill(&bill, TW_CAUSE_SEND_BUFFER, most));
	tw_bill_release(&bill);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept_stalls_count_once),
		cmocka_unit_test(test_small_restart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
