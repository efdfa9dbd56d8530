/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flow stage: packets in, the connections' events out. Holds the table of open connections,
 * with a ceiling: beyond it the least recently used one is given up (and says so).
 */
#ifndef TW_FLOW_FLOW_H
#define TW_FLOW_FLOW_H

#include <stdint.h>

#include "flow/connection.h"

struct tw_flow_options {
	uint32_t max_connections; /* open at once, > 0 */
	uint64_t only_flow;       /* follow only the connection of this id; 0: all */
	enum tw_place place;      /* the user's word on the vantage; TW_PLACE_UNKNOWN: infer */
};

struct tw_flow_sink {
	struct tw_event_sink events;
	/*
	 * The connection is over (closed, given up, or the input ended): summarise it and let go of
	 * connection->ledger; it is freed on return.
	 */
	void (*done)(void *context, struct tw_connection *connection);
	/* It soon will be: a hint to fetch what connection->ledger points to. NULL is fine. */
	void (*ending)(void *context, const struct tw_connection *connection);
};

struct tw_flow;

int tw_flow_new(struct tw_flow **out, const struct tw_flow_options *options,
		const struct tw_flow_sink *sink);
void tw_flow_free(struct tw_flow *flow);

/*
 * Takes in a packet; packets of one connection should come in the order of time (one that does not
 * is moved to its connection's latest instant). -ENOMEM where a new connection finds no memory.
 */
int tw_flow_packet(struct tw_flow *flow, struct tw_packet *packet);

/*
 * The packet's place in the table: fills packet->hash; tw_flow_packet works it out where it is 0.
 */
void tw_flow_hash(const struct tw_flow *flow, struct tw_packet *packet);

/* The parts of a connection's memory, each found through the one before. */
enum tw_flow_part { TW_FLOW_BUCKET, TW_FLOW_KEY, TW_FLOW_STATE, TW_FLOW_RINGS };

/*
 * A hint that the packet (its hash filled) comes soon: fetches a part into the cache while other
 * packets are taken in. With many connections most of the time goes into waiting for their memory.
 */
void tw_flow_expect(const struct tw_flow *flow, const struct tw_packet *packet,
		    enum tw_flow_part part);

/* What may be its connection (a guess: the first of its bucket), or NULL. */
const struct tw_connection *tw_flow_expected(const struct tw_flow *flow,
					     const struct tw_packet *packet);

/* The input ended: every connection is done, oldest first. */
void tw_flow_finish(struct tw_flow *flow);

uint32_t tw_flow_open(const struct tw_flow *flow); /* connections in the table now */
uint64_t tw_flow_connections(const struct tw_flow *flow); /* seen so far */
uint64_t tw_flow_evicted(const struct tw_flow *flow);

#endif
