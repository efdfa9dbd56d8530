/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random packets for the property tests. random_tcp: two hosts that both send, with losses,
 * reordering, resends, closed windows, pauses, resets, beginnings in mid-stream. random_packets:
 * anything that fits the fields. random_long: tens of thousands of rounds and stalls.
 */
#ifndef TW_TESTS_RANDOM_TCP_H
#define TW_TESTS_RANDOM_TCP_H

#include <string.h>

#include "flow/flow.h"
#include "tests/gen/random.h"

struct random_host {
	uint32_t isn;
	uint32_t una, nxt;      /* relative; of what it sent */
	uint32_t received;      /* what it acknowledges */
	uint32_t mss;
	uint16_t id;
	uint32_t tsval;
	int64_t reaction;       /* ns */
};

struct random_connection {
	struct gen_random *random;
	struct tw_flow *flow;
	int64_t now;
	uint64_t number;
	struct random_host host[2];
	bool timestamps, sack, ids, samples;
	bool endless;           /* no FIN: behind it nothing is acknowledged any more */
	uint32_t loss;          /* percent of what is sent that the capture does not hold */
};

static inline uint32_t random_upto(struct random_connection *r, uint32_t n)
{
	return gen_random_below(r->random, n);
}

static inline void random_endpoint(struct tw_endpoint *e, int side)
{
	static const uint8_t address[2][4] = { { 192, 0, 2, 1 }, { 198, 51, 100, 2 } };

	*e = (struct tw_endpoint){ .addr = { [10] = 0xff, [11] = 0xff },
				   .port = side ? 5001 : 40000 };
	memcpy(e->addr + 12, address[side], 4);
}

/* Microseconds to seconds, mostly short. */
static inline int64_t random_gap(struct random_connection *r)
{
	static const int64_t scale[] = { 0, 1000, 20000, 20000, 200000, 2000000, 2000000, 25000000,
					 40000000, 300000000, 1500000000 };
	int64_t most = scale[random_upto(r, sizeof(scale) / sizeof(scale[0]))];

	return most ? (int64_t)(gen_random_u64(r->random) % (uint64_t)most) : 0;
}

static inline struct tw_packet random_packet(struct random_connection *r, int side, uint32_t seq)
{
	struct random_host *h = &r->host[side], *peer = &r->host[!side];
	struct tw_packet p = {
		.number = ++r->number, .flags = TW_ACK, .window = 60000, .ip_version = 4,
		.seq = h->isn + 1 + seq, .ack = peer->isn + 1 + h->received,
	};

	random_endpoint(&p.src, side);
	random_endpoint(&p.dst, !side);
	p.ts = r->now;
	if (r->timestamps) {
		p.has |= TW_HAS_TIMESTAMPS;
		p.tsval = h->tsval = (uint32_t)(r->now / 1000000);
		p.tsecr = peer->tsval;
	}
	if (r->ids) {
		p.has |= TW_HAS_IP_ID;
		p.ip_id = h->id++;
	}
	return p;
}

/* The kernel's state beside it: a congestion window that goes up and, now and then, down. */
static inline void random_sample(struct random_connection *r, struct tw_packet *p, bool of_source)
{
	p->has |= TW_HAS_SAMPLE;
	p->sample.has = TW_SAMPLE_CWND | (random_upto(r, 2) ? TW_SAMPLE_SSTHRESH : 0) |
			(random_upto(r, 2) ? TW_SAMPLE_UNACKED_SENT : 0);
	p->sample.of_source = of_source;
	p->sample.cwnd = 14480 * (1 + random_upto(r, 3));
	p->sample.ssthresh = 20000;
	p->sample.unacked_sent = random_upto(r, 40000);
}

static inline void random_put(struct random_connection *r, struct tw_packet *p)
{
	PARTITION_CHECK(!tw_flow_packet(r->flow, p));
}

static inline void random_open(struct random_connection *r)
{
	for (int i = 0; i < 3; i++) {
		struct tw_packet p = random_packet(r, i == 1, i < 2 ? UINT32_MAX : 0);

		if (i < 2) {
			p.flags = i ? TW_SYN | TW_ACK : TW_SYN;
			p.has |= TW_HAS_MSS | (r->sack ? TW_HAS_SACK_PERMITTED : 0);
			p.mss = (uint16_t)(r->host[i].mss + (r->timestamps ? 12 : 0));
		}
		if (random_upto(r, 100) >= r->loss)
			random_put(r, &p);
		if (!random_upto(r, 20))
			i--; /* again */
		r->now += r->host[i != 0].reaction + random_gap(r) / 16;
	}
}

static inline void random_transmit(struct random_connection *r, int side)
{
	struct random_host *h = &r->host[side];
	uint32_t burst = 1 + random_upto(r, 12);

	for (uint32_t i = 0; i < burst; i++) {
		struct tw_packet p;
		uint32_t seq = h->nxt, what = random_upto(r, 40), len = h->mss;

		if (what == 0)
			seq = h->una; /* a resend */
		else if (what == 1 && h->nxt > h->una)
			seq = h->una + random_upto(r, h->nxt - h->una);
		else if (what < 6)
			len = 1 + random_upto(r, h->mss);
		else if (what == 6)
			len *= 1 + random_upto(r, 8); /* merged by offload */
		else if (what == 7 && h->nxt)
			seq = h->nxt - 1, len = random_upto(r, 2); /* a probe */
		p = random_packet(r, side, seq);
		p.payload = len;
		if (r->samples)
			random_sample(r, &p, true);
		if ((int32_t)(seq + len - h->nxt) > 0)
			h->nxt = seq + len;
		if (!r->endless && !random_upto(r, 200))
			p.flags |= TW_FIN;
		if (random_upto(r, 100) >= r->loss)
			random_put(r, &p);
		r->now += random_upto(r, 3) ? random_upto(r, 20000) : random_gap(r);
	}
}

static inline void random_acknowledge(struct random_connection *r, int side)
{
	struct random_host *h = &r->host[side], *peer = &r->host[!side];
	uint32_t out = peer->nxt - h->received, what = random_upto(r, 12);
	struct tw_packet p;

	if (what < 8)
		h->received += what < 4 ? out : random_upto(r, out + 1);
	p = random_packet(r, side, h->nxt);
	if (what > 8 && r->sack && out > 2) {
		uint32_t left = 1 + random_upto(r, out - 1);

		p.n_sack = 1;
		p.sack[0].left = p.ack + left;
		p.sack[0].right = p.sack[0].left + 1 + random_upto(r, out - left);
	}
	if (!random_upto(r, 25))
		p.window = random_upto(r, 3) * 700;
	if (!random_upto(r, 60))
		p.flags |= TW_ECE;
	if (r->samples && random_upto(r, 2))
		random_sample(r, &p, false);
	if (random_upto(r, 100) >= r->loss)
		random_put(r, &p);
	if ((int32_t)(h->received - peer->una) > 0)
		peer->una = h->received;
}

static inline void random_tcp(struct gen_random *random, struct tw_flow *flow, uint64_t packets)
{
	static const uint32_t mss[] = { 1448, 1460, 536, 1380, 8948 };
	struct random_connection r = { .random = random, .flow = flow, .endless = packets > 1000 };

	r.now = INT64_C(1700000000000000000);
	r.timestamps = random_upto(&r, 2);
	r.sack = random_upto(&r, 4);
	r.ids = random_upto(&r, 2);
	r.samples = !random_upto(&r, 5);
	r.loss = random_upto(&r, 3) ? 0 : random_upto(&r, 30);
	for (int i = 0; i < 2; i++) {
		r.host[i].isn = gen_random_u32(random);
		r.host[i].mss = mss[random_upto(&r, 5)];
		r.host[i].id = (uint16_t)gen_random_u32(random);
		r.host[i].reaction = random_upto(&r, 2) ? 10000 : random_upto(&r, 50000000);
	}
	if (random_upto(&r, 4))
		random_open(&r);
	while (r.number < packets) {
		/* Mostly the client sends; sometimes both, or a question and an answer. */
		int side = random_upto(&r, 4) == 0;

		random_transmit(&r, side);
		r.now += r.host[!side].reaction;
		if (random_upto(&r, 5))
			random_acknowledge(&r, !side);
		r.now += r.host[side].reaction + (random_upto(&r, 3) ? 0 : random_gap(&r));
	}
	if (!random_upto(&r, 5)) {
		struct tw_packet p = random_packet(&r, 0, r.host[0].nxt);

		p.flags |= TW_RST;
		random_put(&r, &p);
	}
}

/* A number near another, or anything. */
static inline uint32_t random_near(struct gen_random *random, uint32_t number)
{
	switch (gen_random_below(random, 8)) {
	case 0: return gen_random_u32(random);
	case 1: return number;
	case 2: return number - gen_random_below(random, 100000);
	case 3: return number + UINT32_C(0x7fffff00) + gen_random_below(random, 512);
	default: return number + gen_random_below(random, 5000);
	}
}

static inline int64_t random_step(struct gen_random *random)
{
	static const int64_t scale[] = { 0, 0, 1000, 1000000, 1000000, 100000000, 1000000000,
					 INT64_C(3600000000000), INT64_C(1) << 55 };
	int64_t most = scale[gen_random_below(random, gen_random_below(random, 4) ? 7 : 9)];
	int64_t step = most ? (int64_t)(gen_random_u64(random) % (uint64_t)most) : 0;

	return gen_random_below(random, 8) ? step : -step;
}

static inline void random_options(struct gen_random *random, struct tw_packet *p, uint32_t near)
{
	static const uint16_t mss[] = { 0, 1, 63, 64, 536, 1460, 9000, 65535 };

	p->has = gen_random_below(random, 2) ? 0 :
		 gen_random_u32(random) & ~(uint32_t)(TW_HAS_SAMPLE);
	if (gen_random_below(random, 3))
		p->has |= TW_HAS_TIMESTAMPS | TW_HAS_IP_ID;
	p->tsval = random_near(random, 1000);
	p->tsecr = random_near(random, 1000);
	p->mss = mss[gen_random_below(random, 8)];
	p->wscale = (uint8_t)gen_random_below(random, 18);
	p->ip_id = (uint16_t)(gen_random_below(random, 3) ? p->number : gen_random_u32(random));
	p->ecn = (uint8_t)gen_random_below(random, 4);
	p->n_sack = (uint8_t)(gen_random_below(random, 3) ? 0 : gen_random_below(random, 5));
	for (unsigned i = 0; i < p->n_sack; i++) {
		p->sack[i].left = random_near(random, near);
		p->sack[i].right = random_near(random, p->sack[i].left);
	}
	if (!gen_random_below(random, 20)) {
		uint32_t *field = &p->sample.cwnd;

		p->has |= TW_HAS_SAMPLE;
		p->sample.has = gen_random_u32(random);
		for (unsigned i = 0; i < 10; i++)
			field[i] = random_near(random, 14480);
		p->sample.of_source = (uint8_t)gen_random_below(random, 2);
	}
}

/* What no host would send. Times from 1970 to 292 years later, forwards and backwards. */
static inline void random_packets(struct gen_random *random, struct tw_flow *flow, uint64_t packets)
{
	static const uint32_t payload[] = { 0, 0, 0, 1, 100, 1448, 1448, 1448, 65495, 1u << 20 };
	uint32_t last[2] = { gen_random_u32(random), gen_random_u32(random) };
	int64_t now = gen_random_below(random, 2) ? INT64_C(1700000000000000000) :
		      gen_random_below(random, 2) ? 0 : -1000;

	for (uint64_t i = 1; i <= packets; i++) {
		struct tw_packet p = { .number = i, .ip_version = 4 };
		int side = (int)gen_random_below(random, 2);

		random_endpoint(&p.src, side);
		random_endpoint(&p.dst, !side);
		now += random_step(random);
		if (now > INT64_C(1) << 62 || now < -(INT64_C(1) << 62))
			now = 0;
		p.ts = now;
		p.flags = gen_random_below(random, 3) ? TW_ACK :
			  (uint16_t)(gen_random_u32(random) & 0x1ff);
		if (gen_random_below(random, 20))
			p.flags &= (uint16_t)~(TW_SYN | TW_RST | TW_FIN);
		p.seq = random_near(random, last[side]);
		p.payload = payload[gen_random_below(random, 10)];
		p.ack = random_near(random, last[!side]);
		p.window = gen_random_below(random, 4) ? gen_random_below(random, 65536) :
			   gen_random_below(random, 8) ? 0 : gen_random_u32(random);
		random_options(random, &p, p.ack);
		if (gen_random_below(random, 4))
			last[side] = p.seq + p.payload;
		PARTITION_CHECK(!tw_flow_packet(flow, &p));
	}
}

/*
 * 25,000 round trips of one connection. Odd seeds: one small message each with a pause (stalls);
 * even ones: four segments each (rounds); from the fifth on, both sides at once.
 */
static inline void random_long(struct gen_random *random, struct tw_flow *flow, uint64_t which)
{
	struct random_connection r = { .random = random, .flow = flow, .timestamps = true,
				       .sack = true, .now = INT64_C(1700000000000000000) };
	bool stalls = which & 1, both = which % 6 < 2;

	for (int i = 0; i < 2; i++)
		r.host[i] = (struct random_host){ .isn = gen_random_u32(random), .mss = 1448,
						  .reaction = i ? 10000000 : 10000 };
	random_open(&r);
	for (int i = 0; i < 25000; i++) {
		for (int side = 0; side <= both; side++) {
			struct random_host *h = &r.host[side];

			for (int j = 0; j < (stalls ? 1 : 4); j++) {
				struct tw_packet p = random_packet(&r, side, h->nxt);

				p.payload = stalls ? 100 : h->mss;
				h->nxt += p.payload;
				random_put(&r, &p);
				r.now += 5000;
			}
		}
		r.now += 10000000;
		for (int side = 0; side <= both; side++) {
			struct tw_packet p;

			r.host[!side].received = r.host[side].nxt;
			p = random_packet(&r, !side, r.host[!side].nxt);
			random_put(&r, &p);
			r.now += 10000;
		}
		r.now += stalls ? 20000000 + random_upto(&r, 5000000) : random_upto(&r, 100000);
	}
}

#endif
