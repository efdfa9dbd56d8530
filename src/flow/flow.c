/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum {
	FIRST_BUCKETS = 1024,
	SPARES = 64,
	LINGER = 2048, /* closed connections kept for late packets (resent FINs, last ACKs) */
};

#define LONGEST_NS (INT64_C(1) << 56)

struct tw_flow {
	struct tw_flow_options options;
	struct tw_flow_sink sink;
	uint64_t key;
	struct tw_connection **bucket; /* n_buckets, a power of two */
	uint32_t n_buckets, n_open;
	struct tw_connection *oldest, *newest;
	struct tw_connection *last;    /* whose packet was the last; NULL where that is finished */
	uint32_t clock;                /* packets, modulo 2^32 */
	struct tw_connection *lingering[LINGER]; /* a ring, in order of closing */
	uint32_t linger_next;
	uint64_t n_seen, n_evicted;
	struct tw_connection *spare[SPARES]; /* freed ones, to be used again */
	unsigned n_spare;
};

int tw_flow_new(struct tw_flow **out, const struct tw_flow_options *options,
		const struct tw_flow_sink *sink)
{
	struct tw_flow *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->options = *options;
	f->sink = *sink;
	f->key = tw_hash_key();
	f->n_buckets = FIRST_BUCKETS;
	f->bucket = calloc(f->n_buckets, sizeof(struct tw_connection *));
	if (!f->bucket) {
		free(f);
		return -ENOMEM;
	}
	*out = f;
	return 0;
}

/* The same for both directions: the endpoints in a fixed order. */
static uint32_t hash_of(const struct tw_flow *f, const struct tw_packet *p)
{
	struct tw_endpoint pair[2];
	bool swap = memcmp(&p->src, &p->dst, sizeof(p->src)) > 0;

	_Static_assert(sizeof(struct tw_endpoint) == 20, "no padding to hash");
	pair[swap] = p->src;
	pair[!swap] = p->dst;
	return (uint32_t)tw_hash(pair, sizeof(pair), f->key) | 1u << 31; /* 0 is: not filled */
}

void tw_flow_hash(const struct tw_flow *f, struct tw_packet *p)
{
	p->hash = hash_of(f, p);
}

/* Which side of `c` sent the packet: 0, 1, or -1 where it is not this connection's. */
static inline __attribute__((always_inline)) int side_of(const struct tw_connection *c,
							const struct tw_packet *p)
{
	const struct tw_endpoint *end = c->endpoint;

	if (tw_endpoint_same(&end[0], &p->src) && tw_endpoint_same(&end[1], &p->dst))
		return 0;
	if (tw_endpoint_same(&end[1], &p->src) && tw_endpoint_same(&end[0], &p->dst))
		return 1;
	return -1;
}

static void list_remove(struct tw_flow *f, struct tw_connection *c)
{
	*(c->older ? &c->older->newer : &f->oldest) = c->newer;
	*(c->newer ? &c->newer->older : &f->newest) = c->older;
	c->older = c->newer = NULL;
}

static void list_append(struct tw_flow *f, struct tw_connection *c)
{
	c->older = f->newest;
	c->newer = NULL;
	*(f->newest ? &f->newest->newer : &f->oldest) = c;
	f->newest = c;
}

static void finish(struct tw_flow *f, struct tw_connection *c)
{
	struct tw_connection **link = &f->bucket[c->hash & (f->n_buckets - 1)];

	while (*link != c)
		link = &(*link)->next_in_bucket;
	*link = c->next_in_bucket;
	list_remove(f, c);
	if (f->last == c)
		f->last = NULL;
	f->n_open--;
	if (c->lingering)
		f->lingering[c->linger_slot] = NULL;
	tw_connection_flush(c, &f->sink.events);
	f->sink.done(f->sink.events.context, c);
	tw_connection_release(c);
	if (f->n_spare < SPARES)
		f->spare[f->n_spare++] = c;
	else
		free(c);
}

static void fetch_state(const struct tw_connection *c)
{
	for (size_t at = 0; at < sizeof(*c); at += 64)
		__builtin_prefetch((const char *)c + at);
}

static void grow_buckets(struct tw_flow *f)
{
	uint32_t n = f->n_buckets * 2;
	struct tw_connection **bucket = calloc(n, sizeof(struct tw_connection *));

	if (!bucket)
		return; /* longer chains, no harm */
	for (struct tw_connection *c = f->oldest; c; c = c->newer) {
		c->next_in_bucket = bucket[c->hash & (n - 1)];
		bucket[c->hash & (n - 1)] = c;
	}
	free(f->bucket);
	f->bucket = bucket;
	f->n_buckets = n;
}

static struct tw_connection *add(struct tw_flow *f, const struct tw_packet *p, uint32_t hash)
{
	struct tw_connection *c = f->n_spare ? f->spare[--f->n_spare] :
				   aligned_alloc(_Alignof(struct tw_connection), sizeof(*c));

	if (!c)
		return NULL;
	if (f->n_open >= f->options.max_connections && f->oldest) {
		f->oldest->evicted = true;
		f->n_evicted++;
		finish(f, f->oldest);
	}
	if (f->n_open >= f->n_buckets)
		grow_buckets(f);
	tw_connection_init(c, ++f->n_seen, p);
	c->forced_place = (uint8_t)f->options.place;
	c->hash = hash;
	c->touched = f->clock;
	c->next_in_bucket = f->bucket[hash & (f->n_buckets - 1)];
	f->bucket[hash & (f->n_buckets - 1)] = c;
	list_append(f, c);
	f->n_open++;
	return c;
}

/*
 * Keeps the list in the order of last packets, to within an eighth of the table: moving one costs
 * the memory of its neighbours, and which of many is given up need not be known better.
 */
static void touch(struct tw_flow *f, struct tw_connection *c)
{
	if (c == f->last)
		return;
	f->last = c;
	if (c == f->newest || f->clock - c->touched < f->n_open / 8)
		return;
	c->touched = f->clock;
	list_remove(f, c);
	list_append(f, c);
}

/*
 * Those that make room next have not been touched for long: their memory is fetched part by part,
 * as for packets (see tw_flow_expect).
 */
static void fetch_ending(const struct tw_flow *f)
{
	const struct tw_connection *c = f->lingering[(f->linger_next + 6) % LINGER];

	if (c)
		fetch_state(c);
	c = f->lingering[(f->linger_next + 3) % LINGER];
	if (c && f->sink.ending)
		f->sink.ending(f->sink.events.context, c);
}

/* A closed connection stays for its last packets, then makes room. */
static void linger(struct tw_flow *f, struct tw_connection *c)
{
	uint32_t slot = f->linger_next++ % LINGER;

	fetch_ending(f);
	if (f->lingering[slot])
		finish(f, f->lingering[slot]);
	f->lingering[slot] = c;
	c->lingering = true;
	c->linger_slot = slot;
}

static struct tw_connection *find(struct tw_flow *f, const struct tw_packet *p, uint32_t *hash,
				  int *side)
{
	struct tw_connection *c = f->last;

	if (c && (!p->hash || p->hash == c->hash) && (*side = side_of(c, p)) >= 0)
		return c; /* bulk transfers: the same as last time */
	*hash = p->hash ? p->hash : hash_of(f, p);
	for (c = f->bucket[*hash & (f->n_buckets - 1)]; c; c = c->next_in_bucket) {
		if (c->hash == *hash && (*side = side_of(c, p)) >= 0)
			return c;
	}
	return NULL;
}

/* No connection lasts two years: a clock that says so is broken, and sums of such times overflow. */
static void put_in_order(struct tw_connection *c, struct tw_packet *p)
{
	if (p->ts >= c->last && p->ts - c->first <= LONGEST_NS)
		return;
	c->time_disorder++;
	p->ts = p->ts < c->last ? c->last : c->first + LONGEST_NS;
}

const struct tw_connection *tw_flow_expected(const struct tw_flow *f, const struct tw_packet *p)
{
	const struct tw_connection *c = f->bucket[p->hash & (f->n_buckets - 1)];

	return c == f->last ? NULL : c; /* that one is at hand */
}

/* Two lines: the head of a list that wraps may lie apart from its end. */
static void fetch_rings(const struct tw_connection *c)
{
	for (int side = 0; side < 2; side++) {
		const struct tw_scoreboard *b = &c->direction[side].board;
		const struct tw_ack_queue *q = &c->direction[side].queue;

		if (b->n) {
			__builtin_prefetch(&b->ring[b->head]);
			__builtin_prefetch(&b->ring[(b->head + b->n) & (b->cap - 1)]);
		}
		if (q->n)
			__builtin_prefetch(&q->ring[q->head]);
	}
}

void tw_flow_expect(const struct tw_flow *f, const struct tw_packet *p, enum tw_flow_part part)
{
	struct tw_connection *const *bucket = &f->bucket[p->hash & (f->n_buckets - 1)];
	const struct tw_connection *c;

	if (part == TW_FLOW_BUCKET) {
		__builtin_prefetch(bucket);
		return;
	}
	if (part == TW_FLOW_KEY) {
		__builtin_prefetch(*bucket);
		return;
	}
	c = tw_flow_expected(f, p);
	if (!c)
		return;
	if (part == TW_FLOW_STATE)
		fetch_state(c);
	else
		fetch_rings(c);
}

int tw_flow_packet(struct tw_flow *f, struct tw_packet *p)
{
	int side;
	uint32_t hash;
	struct tw_connection *c = find(f, p, &hash, &side);

	f->clock++;
	/* Before 1970: hostile, or an offset gone wrong. Downstream no instant is negative. */
	if (p->ts < 0)
		p->ts = 0;
	if (c && tw_connection_is_reuse(c, side, p)) {
		hash = c->hash;
		finish(f, c);
		c = NULL;
	}
	if (!c) {
		c = add(f, p, hash);
		if (!c)
			return -ENOMEM;
		side = side_of(c, p);
	}
	touch(f, c);
	if (f->options.only_flow && c->id != f->options.only_flow) {
		tw_connection_pass(c, side, p);
	} else {
		put_in_order(c, p);
		tw_connection_packet(c, side, p, &f->sink.events);
	}
	if (c->closed && !c->lingering)
		linger(f, c);
	return 0;
}

void tw_flow_finish(struct tw_flow *f)
{
	while (f->oldest)
		finish(f, f->oldest);
}

void tw_flow_free(struct tw_flow *f)
{
	if (!f)
		return;
	while (f->oldest) {
		struct tw_connection *c = f->oldest;

		list_remove(f, c);
		tw_connection_release(c);
		free(c);
	}
	while (f->n_spare)
		free(f->spare[--f->n_spare]);
	free(f->bucket);
	free(f);
}

uint32_t tw_flow_open(const struct tw_flow *f)
{
	return f->n_open;
}

uint64_t tw_flow_connections(const struct tw_flow *f)
{
	return f->n_seen;
}

uint64_t tw_flow_evicted(const struct tw_flow *f)
{
	return f->n_evicted;
}
