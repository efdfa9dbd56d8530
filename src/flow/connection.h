/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection: both directions, how it opened and closed, and where the capture was taken. */
#ifndef TW_FLOW_CONNECTION_H
#define TW_FLOW_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/direction.h"
#include "flow/event.h"
#include "flow/summary.h"
#include "packet/packet.h"

struct tw_connection {
	/* One line of the cache: what finds it. */
	struct tw_connection *next_in_bucket;
	uint32_t hash;
	uint32_t touched;        /* the table's count of packets when it last moved to the list's end */
	struct tw_endpoint endpoint[2]; /* 0: client, 1: server */
	void *ledger;            /* the joiner's attachment; not touched here */

	/* Another: what every packet asks or changes. */
	struct tw_connection *older, *newer; /* by last packet */
	int64_t first, last;
	int64_t opened_at;       /* the packet that completed the handshake; TW_NO_TIME before */
	uint64_t packets;
	uint32_t linger_slot;    /* its place on the list of closed ones */
	uint32_t time_disorder;
	bool start_seen, closed, reset, evicted, client_guessed;
	bool lingering;          /* closed and on the table's list of those to be finished */
	uint8_t forced_place;    /* enum tw_place; TW_PLACE_UNKNOWN: infer */

	struct tw_direction direction[2];

	uint64_t id, first_packet;
	int64_t syn_at;          /* first SYN; TW_NO_TIME where not seen */
	int64_t last_syn_at;     /* last SYN or SYN-ACK sent again; TW_NO_TIME */
} __attribute__((aligned(64)));

/*
 * The direction that `side` sends. The empty asm keeps the compiler from working the address out anew
 * at each use, which costs more than keeping it (a sixth of all instructions, by callgrind).
 */
static inline struct tw_direction *tw_direction_of(struct tw_connection *c, int side)
{
	struct tw_direction *d = &c->direction[side];

	__asm__("" : "+r"(d));
	return d;
}

/* Receives the events of a connection, in order. */
struct tw_event_sink {
	void (*event)(void *context, struct tw_connection *connection, const struct tw_event *event);
	void *context;
};

/*
 * Starts a connection with its first packet, which tells who is the client as well as it can; the
 * packet itself is then given to tw_connection_packet.
 */
void tw_connection_init(struct tw_connection *c, uint64_t id, const struct tw_packet *first);
void tw_connection_release(struct tw_connection *c);

/* Takes in one packet of this connection; side 0: the client sent it. Calls the sink 0 to many times. */
void tw_connection_packet(struct tw_connection *c, int side, const struct tw_packet *packet,
			  const struct tw_event_sink *sink);

/*
 * A packet of a connection that is not followed: takes in only what opens and closes it, so that
 * connections are told apart, and counted, as they are when all are followed.
 */
void tw_connection_pass(struct tw_connection *c, int side, const struct tw_packet *packet);

/* The input ended: acknowledgements still under way take effect. */
void tw_connection_flush(struct tw_connection *c, const struct tw_event_sink *sink);

/* Whether a SYN opens a new connection between the same endpoints (the port was used again). */
bool tw_connection_is_reuse(const struct tw_connection *c, int side, const struct tw_packet *packet);

/* Whether --vantage put the capture at this side's host: trusted above what the clock says. */
bool tw_connection_put_at(const struct tw_connection *c, int side);

/* The smallest reaction of a side's host as seen here, ns; 0 where it is not known. */
static inline int64_t tw_connection_reaction(const struct tw_connection *c, int side)
{
	if (c->forced_place && tw_connection_put_at(c, side))
		return 0;
	return c->direction[side].reaction;
}

/* minRTT: the smallest reactions of both hosts together; 0 where not known. */
static inline int64_t tw_connection_min_rtt(const struct tw_connection *c)
{
	return c->direction[0].reaction + c->direction[1].reaction;
}

/* Whether what passes here reaches `side` within a tenth of minRTT: as good as seen at that host. */
static inline bool tw_connection_is_at(const struct tw_connection *c, int side)
{
	return tw_connection_reaction(c, side) * 10 <= tw_connection_min_rtt(c);
}

/* Where the capture was taken, for data of `side`; confidence 0 to 1. */
enum tw_place tw_connection_place(const struct tw_connection *c, int side, double *confidence);

/* Where billing ends: see DESIGN.md, "The ledger". */
int64_t tw_connection_end(const struct tw_connection *c);

/* 0 or 1: the side that sent more unique bytes; at a tie the server. */
int tw_connection_main(const struct tw_connection *c);

/* Fills the summary. */
void tw_connection_summarize(const struct tw_connection *c, struct tw_connection_summary *out);

#endif
