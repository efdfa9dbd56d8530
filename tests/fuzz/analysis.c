/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the stages from packet to report. Input: 4 bytes that choose the vantage, the table's ceiling
 * and the clock's start; then packets, each a byte of flags, two of what it carries, and that. What the
 * decoder promises (payload under 2^30, at most 4 SACK blocks) holds here as well; nothing else does.
 *
 * Of every connection it checks what tests/unit/partition.h knows: the rows of the bill partition its
 * duration to the nanosecond, events run forwards, counts agree. Findings and report are built from it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTITION_CHECK(condition)                                                               \
	do {                                                                                     \
		if (!(condition)) {                                                              \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
			abort();                                                                 \
		}                                                                                \
	} while (0)

#include "report/build.h"
#include "tests/unit/partition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	const uint8_t *at;
	size_t left;
};

/* Zeros where the input has ended. */
static uint32_t take(struct bytes *b, unsigned n)
{
	uint32_t value = 0;

	while (n--) {
		value <<= 8;
		if (b->left) {
			value |= *b->at++;
			b->left--;
		}
	}
	return value;
}

struct talk {
	struct bytes in;
	int64_t now;
	uint64_t number;
	uint32_t nxt[4][2]; /* the end of what each side of each pair sent last */
	uint32_t tsval[2];
};

enum carries { /* bits of a packet's second byte */
	CARRIES_SEQ = 1,        /* a step from where the last ended; else it goes on there */
	CARRIES_ACK = 2,        /* a step below what the peer sent last; else all */
	CARRIES_WINDOW = 4,
	CARRIES_TIMESTAMPS = 8,
	CARRIES_SACK = 16,
	CARRIES_HAS = 32,       /* bits of `has`, and what they speak of */
	CARRIES_SAMPLE = 64,
	CARRIES_FAR = 128,      /* numbers of 32 bits, where else 16 */
};

static void set_endpoint(struct tw_endpoint *e, unsigned pair, int side)
{
	*e = (struct tw_endpoint){ .addr = { [10] = 0xff, 0xff, 198, 51, 100, (uint8_t)(1 + side) },
				   .port = (uint16_t)(side ? 80 : 40000 + pair) };
}

static void take_time(struct talk *t, unsigned scale)
{
	static const int64_t unit[] = { 0, 1, 1000, 20000, 1000000, 50000000, 3000000000,
					INT64_C(10000000000000) };
	int64_t step = unit[scale] * (scale ? (int64_t)take(&t->in, 2) : 0);

	if (scale == 1)
		step = -step * 1000; /* out of order */
	t->now += step;
	if (t->now > INT64_C(1) << 62)
		t->now = INT64_C(1) << 62;
}

static void take_sack(struct talk *t, struct tw_packet *p, unsigned width)
{
	p->n_sack = (uint8_t)(take(&t->in, 1) % (TW_MAX_SACK_BLOCKS + 1));
	for (unsigned i = 0; i < p->n_sack; i++) {
		p->sack[i].left = p->ack + take(&t->in, width);
		p->sack[i].right = p->sack[i].left + take(&t->in, width);
	}
}

static void take_sample(struct talk *t, struct tw_packet *p, unsigned width)
{
	struct tw_sample *s = &p->sample;
	uint32_t *field[] = { &s->cwnd, &s->ssthresh, &s->snd_wnd, &s->rcv_wnd, &s->unacked_sent,
			      &s->unacked_received, &s->srtt_us, &s->rto_us, &s->mss, &s->retransmits };

	p->has |= TW_HAS_SAMPLE;
	s->has = take(&t->in, 2);
	s->of_source = s->has >> 15;
	for (unsigned i = 0; i < sizeof(field) / sizeof(field[0]); i++)
		if (s->has & 1u << i)
			*field[i] = take(&t->in, width);
}

static void take_has(struct talk *t, struct tw_packet *p)
{
	p->has |= take(&t->in, 3) & ~(uint32_t)(TW_HAS_SAMPLE | TW_HAS_TIMESTAMPS);
	p->ip_id = (uint16_t)(p->has & TW_HAS_IP_ID ? take(&t->in, 2) : 0);
	p->mss = (uint16_t)(p->has & TW_HAS_MSS ? take(&t->in, 2) : 0);
	p->wscale = (uint8_t)(p->has & TW_HAS_WSCALE ? take(&t->in, 1) : 0);
	p->ecn = (uint8_t)(p->has & TW_HAS_ECN ? take(&t->in, 1) & 3 : 0);
}

static uint32_t payload_of(struct talk *t, unsigned kind)
{
	switch (kind) {
	case 0: return 0;
	case 1: return 1448;
	case 2: return take(&t->in, 2);
	default: return take(&t->in, 4) & ((1u << 30) - 1);
	}
}

static void take_packet(struct talk *t, struct tw_packet *p)
{
	unsigned first = take(&t->in, 1), carries = take(&t->in, 1), pair = first >> 6 & 3;
	unsigned width = carries & CARRIES_FAR ? 4 : 2;
	int side = first & 1;
	uint32_t *nxt = t->nxt[pair];

	*p = (struct tw_packet){ .number = ++t->number, .flags = TW_ACK, .window = 60000,
				 .ip_version = 4 };
	set_endpoint(&p->src, pair, side);
	set_endpoint(&p->dst, pair, !side);
	take_time(t, first >> 3 & 7);
	p->ts = t->now;
	if (first & 2)
		p->flags = (uint16_t)(take(&t->in, 2) & 0x1ff);
	p->seq = nxt[side];
	p->ack = nxt[!side];
	if (carries & CARRIES_SEQ)
		p->seq -= take(&t->in, width) - (width == 2 ? 0x1000 : 0);
	p->payload = payload_of(t, first & 4 ? take(&t->in, 1) & 3 : side ? 0 : 1);
	if (carries & CARRIES_ACK)
		p->ack -= take(&t->in, width) - (width == 2 ? 0x1000 : 0);
	if (carries & CARRIES_WINDOW)
		p->window = take(&t->in, width);
	if (carries & CARRIES_TIMESTAMPS) {
		p->has |= TW_HAS_TIMESTAMPS;
		p->tsval = t->tsval[side] += take(&t->in, 1) - 16;
		p->tsecr = t->tsval[!side] - (take(&t->in, 1) & 15);
	}
	if (carries & CARRIES_SACK)
		take_sack(t, p, width);
	if (carries & CARRIES_HAS)
		take_has(t, p);
	if (carries & CARRIES_SAMPLE)
		take_sample(t, p, width);
	if ((int32_t)(p->seq + p->payload + !!(p->flags & TW_SYN) - nxt[side]) > 0 ||
	    p->flags & TW_SYN)
		nxt[side] = p->seq + p->payload + !!(p->flags & (TW_SYN | TW_FIN));
}

static void into_report(struct partition *part, const struct tw_connection_summary *summary,
			struct tw_bill *bill)
{
	PARTITION_CHECK(!tw_report_builder_add(part->context, summary, bill));
}

static void check_report(const struct tw_report *r, const struct partition *part)
{
	int64_t total = 0;

	PARTITION_CHECK(r->total_connections == part->done);
	PARTITION_CHECK(r->n_connections + r->folded_connections == r->total_connections);
	for (unsigned i = 0; i < r->n_total_rows; i++) {
		PARTITION_CHECK(r->total_rows[i].ns > 0);
		if (__builtin_add_overflow(total, r->total_rows[i].ns, &total))
			total = INT64_MAX; /* as the report does */
	}
	PARTITION_CHECK(total == r->total_ns);
	for (unsigned i = 0; i < r->n_connections; i++) {
		const struct tw_connection_report *c = r->connections[i];

		PARTITION_CHECK(!i || r->connections[i - 1]->lost_ns >= c->lost_ns);
		for (unsigned j = 0; j < c->n_findings; j++) {
			const struct tw_finding *f = &c->findings[j];

			PARTITION_CHECK(f->saves_ns >= 0 && f->saves_ns <= c->bill.duration_ns);
			PARTITION_CHECK(f->n_evidence > 0);
			PARTITION_CHECK(*f->text && memchr(f->text, 0, sizeof(f->text)));
			PARTITION_CHECK(memchr(f->fix, 0, sizeof(f->fix)));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t start[] = { INT64_C(1700000000000000000), 0, -1000000, 1 };
	struct talk t = { .in = { data, size } };
	struct partition part = { .bill = into_report };
	struct tw_report_builder *builder;
	struct tw_report *report;
	struct tw_flow *flow;
	struct tw_packet p;
	uint32_t how = take(&t.in, 1);

	part.keep_intervals = how & 1;
	t.now = start[how >> 1 & 3];
	t.nxt[0][0] = take(&t.in, 3) << 8; /* near a wrap or not */
	PARTITION_CHECK(!tw_report_builder_new(&builder, 1 + (how >> 3 & 3)));
	part.context = builder;
	flow = partition_flow(&part, 1 + (how >> 5 & 1) * 3, (enum tw_place)(how >> 6));
	while (t.in.left) {
		take_packet(&t, &p);
		PARTITION_CHECK(!tw_flow_packet(flow, &p));
	}
	tw_flow_finish(flow);
	PARTITION_CHECK(part.done == tw_flow_connections(flow));
	tw_flow_free(flow);
	report = tw_report_builder_finish(builder);
	check_report(report, &part);
	tw_report_free(report);
	tw_report_builder_free(builder);
	return 0;
}
