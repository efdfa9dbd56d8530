/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace (trace.h) whose events go to a ledger, and the bill that comes of it. */
#ifndef TW_TESTS_BILLED_H
#define TW_TESTS_BILLED_H

#include "ledger/ledger.h"
#include "tests/unit/trace.h"

struct billed {
	struct trace t;
	struct tw_ledger *ledger;
	struct tw_bill bill;
};

static inline void billed_event(void *context, struct tw_connection *c, const struct tw_event *e)
{
	tw_ledger_event(((struct billed *)context)->ledger, c, e);
}

static inline void billed_begin(struct billed *b)
{
	memset(b, 0, sizeof(*b));
	trace_init(&b->t);
	assert_int_equal(tw_ledger_new(&b->ledger, false), 0);
}

/* The packet that trace_packet or trace_syn began. */
static inline void billed_put(struct billed *b, int side)
{
	const struct tw_event_sink sink = { .event = billed_event, .context = b };
	struct tw_packet *p = &b->t.p;

	if (!b->t.started)
		tw_connection_init(&b->t.c, 1, p);
	b->t.started = true;
	if (p->has & TW_HAS_TIMESTAMPS && (int32_t)(p->tsval - b->t.echo[!side]) > 0)
		b->t.echo[!side] = p->tsval;
	tw_connection_packet(&b->t.c, side, p, &sink);
}

static inline void billed_data(struct billed *b, int side, int64_t us, uint32_t seq, uint32_t len)
{
	trace_packet(&b->t, side, us, seq)->payload = len;
	billed_put(b, side);
}

static inline void billed_ack(struct billed *b, int side, int64_t us, uint32_t ack)
{
	b->t.acked[side] = ack;
	trace_packet(&b->t, side, us, 0);
	billed_put(b, side);
}

/* The client opens, at 0; the ACK that opens passes at `us`. Seen `to_client` and `to_server` us away. */
static inline void billed_open(struct billed *b, int64_t to_client, int64_t to_server)
{
	trace_syn(&b->t, CLIENT, 0);
	billed_put(b, CLIENT);
	trace_syn(&b->t, SERVER, to_server);
	billed_put(b, SERVER);
	trace_packet(&b->t, CLIENT, to_server + to_client, 0);
	billed_put(b, CLIENT);
}

static inline void billed_end(struct billed *b)
{
	tw_connection_flush(&b->t.c, &(struct tw_event_sink){ .event = billed_event, .context = b });
	assert_int_equal(tw_ledger_finish(b->ledger, &b->t.c, &b->bill), 0);
}

static inline void billed_release(struct billed *b)
{
	tw_bill_release(&b->bill);
	tw_ledger_free(b->ledger);
	tw_connection_release(&b->t.c);
}

/* What a cause and side cost, us. */
static inline int64_t billed_us(const struct billed *b, enum tw_cause cause, int side)
{
	const struct tw_bill_row *row = tw_bill_row(&b->bill, cause, side);

	return row ? row->ns / US : 0;
}

#endif
