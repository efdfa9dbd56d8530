/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection table: ceiling and eviction, ports used again, lingering, one connection alone. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>

#include "flow/flow.h"

#define SECOND INT64_C(1000000000)
#define START  (INT64_C(1700000000) * SECOND)

enum { LINGERS = 2048, REMEMBERED = 64 };

struct finished {
	uint64_t id, packets;
	uint16_t port;
	bool evicted, closed;
};

struct seen {
	struct finished done[REMEMBERED]; /* the first ones */
	uint64_t n_done, n_evicted, packets, events;
	uint64_t last_id;
	uint64_t followed;                /* the id of a connection that had packets; the last */
};

static struct seen seen;
static struct tw_flow *flow;
static uint64_t number;

static void on_event(void *context, struct tw_connection *c, const struct tw_event *e)
{
	struct seen *s = context;

	(void)e;
	s->events++;
	s->followed = c->id;
}

static void on_done(void *context, struct tw_connection *c)
{
	struct seen *s = context;
	struct finished f = { .id = c->id, .packets = c->packets, .port = c->endpoint[0].port,
			      .evicted = c->evicted, .closed = c->closed };

	if (s->n_done < REMEMBERED)
		s->done[s->n_done] = f;
	s->n_done++;
	s->n_evicted += c->evicted;
	s->packets += c->packets;
	s->last_id = c->id;
}

static void open_table(uint32_t ceiling, uint64_t only)
{
	const struct tw_flow_options options = { .max_connections = ceiling, .only_flow = only };
	const struct tw_flow_sink sink = { .events = { .event = on_event, .context = &seen },
					   .done = on_done };

	memset(&seen, 0, sizeof(seen));
	number = 0;
	assert_int_equal(tw_flow_new(&flow, &options, &sink), 0);
}

static int close_table(void **state)
{
	(void)state;
	tw_flow_free(flow);
	flow = NULL;
	return 0;
}

/* From or to the client whose number is `client`; the server is always the same. */
static void put(uint32_t client, bool from_server, uint16_t flags, uint32_t seq, uint32_t len)
{
	struct tw_packet p = { .flags = flags, .seq = seq, .payload = len, .ip_version = 4,
			       .window = 60000 };
	struct tw_endpoint host = { .addr = { [10] = 0xff, 0xff, 192, 0, 2,
					      (uint8_t)(client >> 15) },
				    .port = (uint16_t)(30000 + (client & 0x7fff)) };
	struct tw_endpoint server = { .addr = { [10] = 0xff, 0xff, 198, 51, 100, 2 },
				      .port = 80 };

	p.number = ++number;
	p.ts = START + (int64_t)number * 1000;
	p.src = from_server ? server : host;
	p.dst = from_server ? host : server;
	assert_int_equal(tw_flow_packet(flow, &p), 0);
}

static void syn(uint32_t client, uint32_t isn)
{
	put(client, false, TW_SYN, isn, 0);
}

static void data(uint32_t client, uint32_t seq)
{
	put(client, false, TW_ACK, seq, 100);
}

static void close_both(uint32_t client, uint32_t seq)
{
	put(client, false, TW_FIN | TW_ACK, seq, 0);
	put(client, true, TW_FIN | TW_ACK, 1, 0);
}

static void test_apart(void **state)
{
	(void)state;
	open_table(100, 0);
	syn(1, 10);
	syn(2, 10);
	data(1, 11);
	put(1, true, TW_ACK, 500, 0);
	data(2, 11);
	data(1, 111);
	assert_int_equal(tw_flow_connections(flow), 2);
	assert_int_equal(seen.n_done, 0);
	tw_flow_finish(flow);
	assert_int_equal(seen.n_done, 2);
	/* Least recently used first; both directions are one connection. */
	assert_int_equal(seen.done[0].port, 30002);
	assert_int_equal(seen.done[0].packets, 2);
	assert_int_equal(seen.done[1].id, 1);
	assert_int_equal(seen.done[1].packets, 4);
	assert_false(seen.done[0].evicted || seen.done[0].closed);
}

static void test_eviction(void **state)
{
	(void)state;
	open_table(3, 0);
	syn(1, 10);
	syn(2, 10);
	syn(3, 10);
	data(1, 11); /* now 2 is the oldest */
	syn(4, 10);
	assert_int_equal(seen.n_done, 1);
	assert_int_equal(seen.done[0].port, 30002);
	assert_true(seen.done[0].evicted);
	assert_int_equal(tw_flow_evicted(flow), 1);
	/* It comes back, as a new connection begun in mid-stream; 3 has to go. */
	data(2, 11);
	assert_int_equal(seen.done[1].port, 30003);
	assert_int_equal(tw_flow_connections(flow), 5);
	tw_flow_finish(flow);
	assert_int_equal(seen.n_done, 5);
	assert_int_equal(seen.n_evicted, 2);
	assert_int_equal(seen.packets, number);
}

static void test_port_reuse(void **state)
{
	(void)state;
	open_table(100, 0);
	syn(1, 1000);
	data(1, 1001);
	syn(1, 1000); /* the same again */
	assert_int_equal(tw_flow_connections(flow), 1);
	syn(1, 77000);
	assert_int_equal(tw_flow_connections(flow), 2);
	assert_int_equal(seen.n_done, 1);
	assert_int_equal(seen.done[0].packets, 3);
	assert_false(seen.done[0].evicted);
	data(1, 77001);
	close_both(1, 77101);
	syn(1, 500);
	assert_int_equal(tw_flow_connections(flow), 3);
	assert_true(seen.done[1].closed);
}

/* Late packets of a closed connection still are its own; then others need the room. */
static void test_lingering(void **state)
{
	(void)state;
	open_table(1000000, 0);
	syn(1, 10);
	close_both(1, 11);
	put(1, false, TW_ACK, 12, 0);
	assert_int_equal(tw_flow_connections(flow), 1);
	for (uint32_t i = 0; i < LINGERS - 1; i++) {
		syn(100 + i, 10);
		close_both(100 + i, 11);
	}
	assert_int_equal(seen.n_done, 0);
	put(1, true, TW_FIN | TW_ACK, 1, 0); /* a FIN again */
	assert_int_equal(tw_flow_connections(flow), LINGERS);
	syn(99, 10);
	close_both(99, 11);
	assert_int_equal(seen.n_done, 1);
	assert_int_equal(seen.done[0].id, 1);
	assert_int_equal(seen.done[0].packets, 5);
	/* One that lingers may be evicted or reused before its turn comes. */
	syn(100, 99);
	assert_int_equal(seen.done[1].id, 2);
	for (uint32_t i = 0; i < LINGERS; i++) {
		syn(5000 + i, 10);
		close_both(5000 + i, 11);
	}
	tw_flow_finish(flow);
	assert_int_equal(seen.n_done, tw_flow_connections(flow));
	assert_int_equal(seen.packets, number);
}

static void talk(void)
{
	for (uint32_t i = 1; i <= 5; i++)
		syn(i, 10);
	for (uint32_t i = 1; i <= 5; i++) {
		syn(i, 10); /* SYNs again */
		put(i, true, TW_SYN | TW_ACK, 700, 0);
		data(i, 11);
	}
	close_both(3, 111);
	syn(3, 5000); /* connection 6 */
	put(3, true, TW_SYN | TW_ACK, 900, 0);
	data(3, 5001);
	for (uint32_t i = 0; i < LINGERS + 10; i++) {
		syn(1000 + i, 10);
		close_both(1000 + i, 11);
	}
	syn(1, 4444); /* the last */
	put(1, true, TW_SYN | TW_ACK, 900, 0);
	data(1, 4445);
}

/* `--flow ID` takes the ID from a run over all: it must mean the same connection. */
static void test_only_flow(void **state)
{
	uint64_t total, last;

	(void)state;
	open_table(1000, 0);
	talk();
	total = tw_flow_connections(flow);
	tw_flow_finish(flow);
	last = seen.followed;
	assert_int_equal(last, total);
	close_table(NULL);
	open_table(1000, 6);
	talk();
	assert_int_equal(tw_flow_connections(flow), total);
	assert_int_equal(seen.followed, 6);
	tw_flow_finish(flow);
	assert_int_equal(seen.packets, 3); /* its own, none of the others' */
	close_table(NULL);
	open_table(1000, last);
	talk();
	assert_int_equal(tw_flow_connections(flow), total);
	assert_int_equal(seen.followed, last);
	assert_true(seen.events > 0);
}

/* A clock that runs backwards, or stands before 1970, or leaps: time goes on within the connection. */
static void test_clock(void **state)
{
	struct tw_packet p = { .flags = TW_ACK, .payload = 10, .seq = 1, .ts = -5,
			       .src.port = 1, .dst.port = 2, .number = 1 };

	(void)state;
	open_table(10, 0);
	assert_int_equal(tw_flow_packet(flow, &p), 0);
	assert_int_equal(p.ts, 0);
	p.ts = 1000;
	p.seq = 11;
	assert_int_equal(tw_flow_packet(flow, &p), 0);
	p.ts = 500;
	p.seq = 21;
	assert_int_equal(tw_flow_packet(flow, &p), 0);
	assert_int_equal(p.ts, 1000);
	p.ts = INT64_C(1) << 62;
	p.seq = 31;
	assert_int_equal(tw_flow_packet(flow, &p), 0);
	assert_true(p.ts < INT64_C(1) << 60);
}

/* To oneself from the same port: every packet is the client's; nothing breaks. */
static void test_same_endpoints(void **state)
{
	struct tw_packet p = { .flags = TW_ACK, .payload = 10, .number = 1, .ts = START };

	(void)state;
	open_table(10, 0);
	for (uint32_t i = 0; i < 10; i++) {
		p.seq = i * 10;
		p.ack = i * 10;
		assert_int_equal(tw_flow_packet(flow, &p), 0);
	}
	tw_flow_finish(flow);
	assert_int_equal(seen.n_done, 1);
	assert_int_equal(seen.packets, 10);
}

/* Freed without a finish: nothing is reported, nothing leaks. */
static void test_free_unfinished(void **state)
{
	(void)state;
	open_table(10, 0);
	for (uint32_t i = 0; i < 30; i++) {
		syn(i, 1);
		data(i, 2);
		data(i, 202); /* a gap, so that there is something to free */
	}
	close_table(NULL);
	assert_int_equal(seen.n_done, 20);
	tw_flow_free(NULL);
}

/* A million packets over 100,000 connections, of which at most 20,000 are open. */
static void test_many(void **state)
{
	const uint32_t connections = 100000, ceiling = 20000;
	size_t before = mallinfo2().uordblks, most = 0;

	(void)state;
	open_table(ceiling, 0);
	for (uint32_t round = 0; round < 10; round++) {
		/* In tens: ten at a time exchange ten packets each. */
		for (uint32_t i = round * 10000; i < (round + 1) * 10000; i++) {
			syn(i, 10);
			put(i, true, TW_SYN | TW_ACK, 700, 0);
			for (uint32_t j = 0; j < 8; j++)
				put(i, j & 1, TW_ACK, j & 1 ? 701 + j * 50 : 11 + j * 50, 100);
		}
		if (mallinfo2().uordblks > most)
			most = mallinfo2().uordblks;
	}
	assert_int_equal(tw_flow_connections(flow), connections);
	assert_int_equal(tw_flow_evicted(flow), connections - ceiling);
	/* Under a sanitizer mallinfo2 counts nothing; else no more than 4 kB for each that is open. */
	assert_true(most <= before + (size_t)ceiling * 4096);
	tw_flow_finish(flow);
	assert_int_equal(seen.n_done, connections);
	assert_int_equal(seen.packets, number);
	assert_int_equal(number, 1000000);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_teardown(name, close_table)
	const struct CMUnitTest tests[] = {
		CASE(test_apart), CASE(test_eviction), CASE(test_port_reuse),
		CASE(test_lingering), CASE(test_only_flow), CASE(test_clock),
		CASE(test_same_endpoints), CASE(test_free_unfinished), CASE(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
