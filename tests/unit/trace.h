/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet sequences written so that they read like a trace. One connection from 192.0.2.1:40000
 * (client) to 198.51.100.2:5001 (server); times in microseconds; sequence and acknowledgement
 * numbers count from the first byte of each direction (0). What the flow stage makes of it is
 * recorded: t->event[] holds the events, trace_last_send() and trace_last_ack() the latest ones.
 */
#ifndef TW_TESTS_TRACE_H
#define TW_TESTS_TRACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "flow/connection.h"

enum { CLIENT, SERVER };
enum { MSS = 1448, TRACE_EVENTS = 4096 };

#define TRACE_START INT64_C(1700000000000000000)
#define US          INT64_C(1000)
#define MS          INT64_C(1000000)

struct trace {
	struct tw_connection c;
	struct tw_event event[TRACE_EVENTS]; /* without their samples */
	unsigned n_events;
	struct tw_connection_summary sum;    /* by trace_end */
	/* what the hosts put into their packets */
	uint32_t isn[2];
	uint32_t acked[2];                   /* relative: what `side` acknowledges when it sends data */
	uint32_t window[2];                  /* raw */
	uint32_t echo[2];                    /* the TSval that `side` echoes: the latest it was sent */
	uint16_t ip_id[2];                   /* of the next packet; 0: no identification */
	bool timestamps, has_id, started;
	uint32_t tsval;                      /* of the next packet; 0: milliseconds of its time */
	uint32_t tsecr;                      /* of the next packet; 0: `echo` */
	uint64_t number;
	struct tw_packet p;                  /* being built, or the last */
};

static inline void trace_endpoint(struct tw_endpoint *e, int side)
{
	static const uint8_t address[2][4] = { { 192, 0, 2, 1 }, { 198, 51, 100, 2 } };

	*e = (struct tw_endpoint){ .addr = { [10] = 0xff, [11] = 0xff },
				   .port = side == CLIENT ? 40000 : 5001 };
	memcpy(e->addr + 12, address[side], 4);
}

static inline void trace_init(struct trace *t)
{
	memset(t, 0, sizeof(*t));
	t->isn[CLIENT] = 1000;
	t->isn[SERVER] = 9000;
	t->window[CLIENT] = t->window[SERVER] = 65000;
	t->timestamps = true;
}

static inline void trace_record(void *context, struct tw_connection *c, const struct tw_event *e)
{
	struct trace *t = context;

	assert_ptr_equal(c, &t->c);
	assert_true(t->n_events < TRACE_EVENTS);
	t->event[t->n_events] = *e;
	t->event[t->n_events++].sample = NULL;
}

/* Begins a packet of `side` with no payload; change t->p and call trace_put. */
static inline struct tw_packet *trace_packet(struct trace *t, int side, int64_t us, uint32_t seq)
{
	struct tw_packet *p = &t->p;

	memset(p, 0, sizeof(*p));
	p->ts = TRACE_START + us * US;
	p->number = ++t->number;
	trace_endpoint(&p->src, side);
	trace_endpoint(&p->dst, !side);
	p->flags = TW_ACK;
	p->seq = t->isn[side] + 1 + seq;
	p->ack = t->isn[!side] + 1 + t->acked[side];
	p->window = t->window[side];
	p->ip_version = 4;
	if (t->timestamps) {
		p->has |= TW_HAS_TIMESTAMPS;
		p->tsval = t->tsval ? t->tsval : (uint32_t)(1000 + us / 1000);
		p->tsecr = t->tsecr ? t->tsecr : t->echo[side];
		t->tsval = t->tsecr = 0;
	}
	if (t->has_id) {
		p->has |= TW_HAS_IP_ID;
		p->ip_id = t->ip_id[side]++;
	}
	return p;
}

static inline void trace_put(struct trace *t, int side)
{
	const struct tw_event_sink sink = { .event = trace_record, .context = t };
	struct tw_packet *p = &t->p;

	if (!t->started)
		tw_connection_init(&t->c, 1, p);
	t->started = true;
	if (p->has & TW_HAS_TIMESTAMPS && (int32_t)(p->tsval - t->echo[!side]) > 0)
		t->echo[!side] = p->tsval;
	tw_connection_packet(&t->c, side, p, &sink);
}

static inline void send_data(struct trace *t, int side, int64_t us, uint32_t seq, uint32_t len)
{
	trace_packet(t, side, us, seq)->payload = len;
	trace_put(t, side);
}

/* A pure acknowledgement by `side`. */
static inline void send_ack(struct trace *t, int side, int64_t us, uint32_t ack)
{
	t->acked[side] = ack;
	trace_packet(t, side, us, 0);
	trace_put(t, side);
}

/* The same with SACK blocks: n pairs of relative numbers. */
static inline void send_sack(struct trace *t, int side, int64_t us, uint32_t ack,
			     const uint32_t (*block)[2], unsigned n)
{
	struct tw_packet *p;

	t->acked[side] = ack;
	p = trace_packet(t, side, us, 0);
	p->n_sack = (uint8_t)n;
	for (unsigned i = 0; i < n; i++) {
		p->sack[i].left = t->isn[!side] + 1 + block[i][0];
		p->sack[i].right = t->isn[!side] + 1 + block[i][1];
	}
	trace_put(t, side);
}

#define SACK(t, side, us, ack, ...)                                                       \
	do {                                                                              \
		const uint32_t blocks_[][2] = __VA_ARGS__;                                \
		send_sack(t, side, us, ack, blocks_, sizeof(blocks_) / sizeof(*blocks_)); \
	} while (0)

static inline struct tw_packet *trace_syn(struct trace *t, int side, int64_t us)
{
	struct tw_packet *p = trace_packet(t, side, us, UINT32_MAX);

	p->flags = side == SERVER ? TW_SYN | TW_ACK : TW_SYN;
	p->has |= TW_HAS_MSS | TW_HAS_SACK_PERMITTED;
	p->mss = 1460;
	return p;
}

/* SYN at 0, SYN-ACK at `rtt_us`, ACK 10 us later: the capture is at the client's. */
static inline void trace_open(struct trace *t, int64_t rtt_us)
{
	trace_syn(t, CLIENT, 0);
	trace_put(t, CLIENT);
	trace_syn(t, SERVER, rtt_us);
	trace_put(t, SERVER);
	send_ack(t, CLIENT, rtt_us + 10, 0);
}

static inline void trace_open_without_sack(struct trace *t, int64_t rtt_us)
{
	trace_syn(t, CLIENT, 0)->has &= ~(uint32_t)TW_HAS_SACK_PERMITTED;
	trace_put(t, CLIENT);
	trace_syn(t, SERVER, rtt_us)->has &= ~(uint32_t)TW_HAS_SACK_PERMITTED;
	trace_put(t, SERVER);
	send_ack(t, CLIENT, rtt_us + 10, 0);
}

static inline void trace_end(struct trace *t)
{
	const struct tw_event_sink sink = { .event = trace_record, .context = t };

	tw_connection_flush(&t->c, &sink);
	tw_connection_summarize(&t->c, &t->sum);
}

static inline void trace_release(struct trace *t)
{
	if (t->started)
		tw_connection_release(&t->c);
}

/* The latest event of a kind that concerns the data of `side`. */
static inline const struct tw_event *trace_last(const struct trace *t, int kind, int side)
{
	for (unsigned i = t->n_events; i-- > 0;)
		if (t->event[i].kind == kind && t->event[i].side == side)
			return &t->event[i];
	fail_msg("no such event");
	return NULL;
}

static inline const struct tw_event *trace_last_send(const struct trace *t, int side)
{
	return trace_last(t, TW_EVENT_SEND, side);
}

static inline const struct tw_event *trace_last_ack(const struct trace *t, int side)
{
	return trace_last(t, TW_EVENT_ACK, side);
}

#endif
