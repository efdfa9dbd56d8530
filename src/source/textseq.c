/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/textseq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum reading {
	READING_OPEN,     /* nothing told yet */
	READING_PRINTED,  /* as they are: -S, tshark, or relative to what is not here */
	READING_RELATIVE, /* to the connection's first segment */
};

/* Where relative numbers count from when the text never says; 0 less 1 is no wrap then. */
enum { ORIGIN_ARBITRARY = 1 << 30 };

/* Numbers of one direction, indexed by its sender. */
struct side {
	uint32_t base;      /* what 0 stands for in tcpdump's relative numbers */
	uint32_t next;      /* behind the highest byte sent, or acknowledged */
	uint32_t syn;       /* the SYN's number, where syn_seen */
	uint32_t seed;      /* the first number of this direction, by a first reading */
	uint32_t offset;    /* added to tshark's numbers, which begin at 0 again on reused ports */
	bool base_known, next_known, syn_seen, seeded;
};

struct connection {
	struct tw_endpoint end[2]; /* the lesser first */
	struct side side[2];
	uint64_t touched;   /* when it was last asked for; 0: a free place */
	uint8_t reading;
	bool started;       /* a segment with an ACK was seen: tcpdump counts from there */
	bool small_start;   /* and that with small numbers: they may be relative already */
};

/* A connection has its place in one bucket; in a full one the least recent gives way. */
enum { WAYS = 8, BUCKETS_FIRST = 16 };

struct tw_textseq {
	struct connection (*bucket)[WAYS];
	uint32_t buckets, most; /* powers of two */
	uint64_t key, tick;
	uint64_t forgotten;
	bool learning;          /* before tw_textseq_rewind */
};

int tw_textseq_new(struct tw_textseq **out, uint32_t max)
{
	struct tw_textseq *seqs = calloc(1, sizeof(*seqs));

	if (!seqs)
		return -ENOMEM;
	seqs->most = max > WAYS ? max / WAYS : 1;
	seqs->buckets = seqs->most < BUCKETS_FIRST ? seqs->most : BUCKETS_FIRST;
	seqs->bucket = calloc(seqs->buckets, sizeof(*seqs->bucket));
	if (!seqs->bucket) {
		free(seqs);
		return -ENOMEM;
	}
	seqs->key = tw_hash_key();
	seqs->learning = true;
	*out = seqs;
	return 0;
}

void tw_textseq_free(struct tw_textseq *seqs)
{
	if (!seqs)
		return;
	free(seqs->bucket);
	free(seqs);
}

uint64_t tw_textseq_forgotten(const struct tw_textseq *seqs)
{
	return seqs->forgotten;
}

void tw_textseq_rewind(struct tw_textseq *seqs)
{
	for (uint32_t i = 0; i < seqs->buckets; i++) {
		for (int way = 0; way < WAYS; way++) {
			struct connection *c = &seqs->bucket[i][way];

			for (int d = 0; d < 2; d++)
				c->side[d] = (struct side){ .seed = c->side[d].seed,
							    .seeded = c->side[d].seeded };
			c->started = c->small_start = false;
			c->reading = READING_OPEN;
		}
	}
	seqs->forgotten = 0;
	seqs->learning = false;
}

static struct connection *bucket_of(const struct tw_textseq *seqs, const struct tw_endpoint end[2])
{
	return seqs->bucket[tw_hash(end, 2 * sizeof(end[0]), seqs->key) & (seqs->buckets - 1)];
}

/* Twice the buckets: what shared one is in that one or in the one half the table on. */
static int grow(struct tw_textseq *seqs)
{
	struct tw_textseq larger = *seqs;

	larger.buckets *= 2;
	larger.bucket = calloc(larger.buckets, sizeof(*larger.bucket));
	if (!larger.bucket)
		return -ENOMEM;
	for (uint32_t i = 0; i < seqs->buckets; i++) {
		for (int way = 0; way < WAYS; way++) {
			const struct connection *c = &seqs->bucket[i][way];

			if (c->touched) /* the same way is free in either */
				bucket_of(&larger, c->end)[way] = *c;
		}
	}
	free(seqs->bucket);
	*seqs = larger;
	return 0;
}

static struct connection *find(struct tw_textseq *seqs, const struct tw_endpoint end[2])
{
	struct connection *bucket, *oldest;

	for (;;) {
		bucket = oldest = bucket_of(seqs, end);
		for (int way = 0; way < WAYS; way++) {
			if (bucket[way].touched &&
			    !memcmp(bucket[way].end, end, sizeof(bucket[way].end))) {
				bucket[way].touched = ++seqs->tick;
				return &bucket[way];
			}
			if (bucket[way].touched < oldest->touched)
				oldest = &bucket[way];
		}
		/* without memory the table stays as it is */
		if (!oldest->touched || seqs->buckets >= seqs->most || grow(seqs))
			break;
	}
	seqs->forgotten += !!oldest->touched;
	*oldest = (struct connection){ .touched = ++seqs->tick };
	memcpy(oldest->end, end, sizeof(oldest->end));
	return oldest;
}

/* How far a number is from where its direction stands. */
static uint32_t distance(uint32_t a, uint32_t b)
{
	uint32_t d = a - b;

	return d < -d ? d : -d;
}

static void advance(struct side *side, uint32_t to)
{
	if (!side->next_known || (int32_t)(to - side->next) > 0)
		side->next = to;
	side->next_known = true;
}

static uint32_t length_of(const struct tw_packet *p)
{
	return p->payload + !!(p->flags & TW_SYN) + !!(p->flags & TW_FIN);
}

/* Where a direction stands that has printed nothing yet. */
static uint32_t position(struct side *side)
{
	if (side->next_known)
		return side->next;
	if (side->seeded)
		return side->seed;
	return side->base_known ? side->base : ORIGIN_ARBITRARY;
}

static uint32_t relative(const struct side *side, uint32_t printed)
{
	return (side->base_known ? side->base : ORIGIN_ARBITRARY) + printed;
}

/* A number of `side`, read as the connection's numbers are. */
static uint32_t read_number(const struct connection *c, const struct side *side, uint32_t printed)
{
	return c->reading == READING_RELATIVE ? relative(side, printed) : printed;
}

/* How far both readings of one number are from where they should be. */
struct evidence {
	uint64_t printed, relative;
};

static void weigh(struct evidence *e, const struct side *side, uint32_t number)
{
	if (!side->next_known || !side->base_known)
		return;
	e->printed += distance(number, side->next);
	e->relative += distance(relative(side, number), side->next);
}

enum {
	FAR = 1 << 28,   /* farther than windows reach: the reading is wrong */
	NEAR = 1 << 20,
	STRAY = 1 << 24, /* an absolute number among relative ones is farther off, 127 in 128 */
};

/* Settles how this connection's numbers are to be read, or corrects what turned out wrong. */
static void settle(struct connection *c, struct side *from, struct side *to,
		   const struct tw_text_segment *segment)
{
	const struct tw_packet *p = &segment->packet;
	struct evidence e = { 0 };

	if (segment->has_seq)
		weigh(&e, from, p->seq);
	weigh(&e, to, p->ack);
	if (e.printed == e.relative)
		return;
	/*
	 * Small numbers to begin with are seldom absolute (one in 256): the text begins in
	 * mid-listing, and a gap in what was sent may bring the wrong reading nearer by chance.
	 */
	if (c->reading == READING_OPEN && c->small_start)
		c->reading = e.printed > NEAR && e.relative < e.printed / 8 ? READING_RELATIVE :
									    READING_PRINTED;
	else if (c->reading == READING_OPEN)
		c->reading = e.relative < e.printed ? READING_RELATIVE : READING_PRINTED;
	else if (c->reading == READING_PRINTED && e.printed > FAR && e.relative < NEAR)
		c->reading = READING_RELATIVE;
	else if (c->reading == READING_RELATIVE && e.relative > FAR && e.printed < NEAR)
		c->reading = READING_PRINTED;
}

/*
 * A segment without ACK: always absolute. Where the connection's own numbers are not (the text
 * begins in mid-listing) that number fits nothing, and the direction's position is the best guess.
 */
static void resolve_without_ack(struct connection *c, struct side *from, struct side *to,
				struct tw_text_segment *segment)
{
	struct tw_packet *p = &segment->packet;

	if (p->flags & TW_SYN) {
		/* not when it is only sent again */
		if (!from->syn_seen || from->syn != p->seq) {
			from->next_known = to->next_known = to->syn_seen = false;
			if (c->reading == READING_PRINTED)
				c->reading = READING_OPEN;
		}
		from->syn = p->seq;
		from->syn_seen = true;
	} else if (!segment->has_seq ||
		   (from->next_known && !from->syn_seen && distance(p->seq, from->next) > STRAY)) {
		p->seq = position(from);
		return;
	}
	if (!(p->flags & TW_RST))
		advance(from, p->seq + length_of(p));
}

/* SYN and ACK: both numbers absolute; what follows counts from them. */
static void resolve_syn_ack(struct connection *c, struct side *from, struct side *to,
			    struct tw_text_segment *segment)
{
	struct tw_packet *p = &segment->packet;

	if (!c->started || from->base != p->seq || to->base != p->ack - 1 || !from->base_known) {
		c->started = true;
		c->small_start = false;
		c->reading = READING_OPEN;
		from->base = p->seq;
		to->base = p->ack - 1;
		from->base_known = to->base_known = true;
		from->next_known = to->next_known = false;
	}
	from->syn = p->seq;
	from->syn_seen = true;
	advance(from, p->seq + length_of(p));
	advance(to, p->ack);
}

/* The first segment with an ACK. */
static void start(struct connection *c, struct side *from, struct side *to,
		  struct tw_text_segment *segment)
{
	struct tw_packet *p = &segment->packet;

	c->started = true;
	/* The SYN-ACK was cut out of the text: tcpdump, which saw it, counts from the SYN. */
	if (from->syn_seen && segment->has_seq &&
	    distance(from->syn + p->seq, from->next) < distance(p->seq, from->next)) {
		from->base = from->syn;
		from->base_known = true;
		c->reading = READING_RELATIVE;
		return;
	}
	c->small_start = p->ack < STRAY && (!segment->has_seq || p->seq < STRAY);
	to->base = p->ack - 1;
	to->base_known = true;
	if (segment->has_seq || from->next_known || from->seeded) {
		from->base = segment->has_seq ? p->seq : position(from);
		from->base_known = true;
	}
}

/* How far the blocks are from the ACK, counted from `origin`. */
static uint32_t sack_distance(const struct tw_packet *p, uint32_t origin)
{
	uint32_t least = UINT32_MAX;

	for (int i = 0; i < p->n_sack; i++)
		if (distance(p->sack[i].left + origin, p->ack) < least)
			least = distance(p->sack[i].left + origin, p->ack);
	return least;
}

/*
 * SACK blocks are relative in a connection's first segment too, and in some versions never. As long
 * as nothing else tells, the reading that brings them nearer the ACK is right; later, the
 * connection's own unless only the other makes sense. Neither does where a middlebox shifted the
 * segments' numbers, but not those of the blocks.
 */
static void resolve_sack(const struct side *to, struct tw_packet *p, enum reading reading)
{
	uint32_t origin = relative(to, 0);
	uint32_t printed = sack_distance(p, 0), counted = sack_distance(p, origin);
	bool is_relative = counted < printed;

	if (reading == READING_RELATIVE)
		is_relative = counted < FAR || printed > FAR;
	else if (reading == READING_PRINTED)
		is_relative = printed > FAR && counted < FAR;
	for (int i = 0; is_relative && i < p->n_sack; i++) {
		p->sack[i].left += origin;
		p->sack[i].right += origin;
	}
}

static void resolve_with_ack(struct connection *c, struct side *from, struct side *to,
			     struct tw_text_segment *segment)
{
	struct tw_packet *p = &segment->packet;
	bool is_first = !c->started;

	if (is_first)
		start(c, from, to, segment);
	else
		settle(c, from, to, segment);
	p->ack = read_number(c, to, p->ack);
	if (segment->has_seq) {
		p->seq = read_number(c, from, p->seq);
		advance(from, p->seq + length_of(p));
	} else {
		p->seq = position(from);
	}
	advance(to, p->ack);
	if (c->reading == READING_OPEN && c->small_start)
		resolve_sack(to, p, READING_PRINTED);
	else
		resolve_sack(to, p, c->reading);
}

/* tshark's numbers are of one kind throughout; only a connection on reused ports starts anew. */
static void resolve_tshark(struct side *from, struct side *to, struct tw_text_segment *segment)
{
	struct tw_packet *p = &segment->packet;

	if (segment->ports_reused && p->seq == 0) {
		from->offset += ORIGIN_ARBITRARY / 2;
		to->offset += ORIGIN_ARBITRARY / 2;
		from->syn_seen = to->syn_seen = false;
	}
	p->seq += from->offset;
	p->ack += to->offset;
	for (int i = 0; i < p->n_sack; i++) {
		p->sack[i].left += to->offset;
		p->sack[i].right += to->offset;
	}
	from->syn_seen |= !!(p->flags & TW_SYN);
	/*
	 * "Win" is scaled where tshark saw the SYNs. Without them it does not know the scale either
	 * and prints what is on the wire, which nothing in the line tells.
	 */
	if (!(p->flags & TW_SYN) && (from->syn_seen || p->window > UINT16_MAX))
		p->has |= TW_WINDOW_IS_SCALED;
}

static void resolve_quiet(struct side *from, struct side *to, struct tw_text_segment *segment)
{
	struct tw_packet *p = &segment->packet;

	p->seq = from->next;
	p->ack = to->next;
	from->next += p->payload;
}

/* Learns from the first pass where each direction began. */
static void seed(struct side *side, uint32_t number)
{
	if (!side->seeded)
		side->seed = number;
	side->seeded = true;
}

void tw_textseq_resolve(struct tw_textseq *seqs, struct tw_text_segment *segment)
{
	struct tw_packet *p = &segment->packet;
	int d = memcmp(&p->src, &p->dst, sizeof(p->src)) > 0;
	struct tw_endpoint end[2] = { d ? p->dst : p->src, d ? p->src : p->dst };
	struct connection *c = find(seqs, end);
	struct side *from = &c->side[d], *to = &c->side[!d];

	if (segment->style == TW_TEXT_TSHARK) {
		resolve_tshark(from, to, segment);
		return;
	}
	if (segment->style == TW_TEXT_QUIET) {
		resolve_quiet(from, to, segment);
		return;
	}
	if (!(p->flags & TW_ACK))
		resolve_without_ack(c, from, to, segment);
	else if (p->flags & TW_SYN)
		resolve_syn_ack(c, from, to, segment);
	else
		resolve_with_ack(c, from, to, segment);
	if (seqs->learning) {
		if (segment->has_seq)
			seed(from, p->seq);
		if (p->flags & TW_ACK)
			seed(to, p->ack);
	}
}
