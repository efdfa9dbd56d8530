/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the flow stage: the parts of tw_connection_packet, in the order it takes them. */
#ifndef TW_FLOW_STEPS_H
#define TW_FLOW_STEPS_H

#include <stddef.h>
#include <string.h>

#include "flow/connection.h"

/*
 * `d` is always the direction of `side`, `peer` the other: worked out once a packet, which is less
 * than at every use (by callgrind).
 */

/* ack.c: the acknowledgement in a packet of the other side, for the data of `side`. */
void tw_step_ack(struct tw_connection *c, int side, struct tw_direction *d,
		 const struct tw_packet *p, const struct tw_event_sink *sink);

/*
 * ack.c: lets the acknowledgements for `side`'s data that have reached its sender by `now` take
 * effect, all of them where it is INT64_MAX. `tsecr`: what the packet that it sent now echoes, NULL
 * where that tells nothing.
 */
void tw_step_release(struct tw_connection *c, int side, struct tw_direction *d, int64_t now,
		     const uint32_t *tsecr, const struct tw_event_sink *sink);

/*
 * ack.c: how long ago `side`'s host should have had the oldest acknowledgement that it has not heard of
 * as it sends `p`, ns; 0 where there is none, or where TSecr does not tell.
 */
int64_t tw_step_unheard(const struct tw_connection *c, int side, const struct tw_direction *d,
			const struct tw_packet *p);

/* send.c: the payload of a packet of `side`. */
void tw_step_send(struct tw_connection *c, int side, struct tw_direction *d,
		  struct tw_direction *peer, const struct tw_packet *p,
		  const struct tw_event_sink *sink);

/* reaction.c: times how fast hosts answer; before tw_step_ack and tw_step_send. */
void tw_step_reaction(struct tw_direction *d, struct tw_direction *peer, const struct tw_packet *p);

/* Whether SACK is in use for `side`'s data: both permit it, or the start was not seen and it was used. */
bool tw_sack_in_use(const struct tw_connection *c, int side);

/*
 * What a sender takes for a full segment: the MSS, but never more than half the largest window it
 * was offered (RFC 9293 section 3.8.6.2.1; Linux: tcp_bound_to_half_wnd). On loopback that is less.
 */
static inline uint32_t tw_segment_bound(const struct tw_direction *d)
{
	uint32_t mss = tw_direction_mss(d);

	return d->window_max > 2 * 536 && d->window_max / 2 < mss ? d->window_max / 2 : mss;
}

/* An event that tells nothing yet. Only what is not filled below is cleared: this is done by the million. */
static inline void tw_event_begin(struct tw_event *e, enum tw_event_kind kind, int64_t at,
				  uint64_t packet)
{
	e->at = at;
	e->packet = packet;
	e->kind = (uint8_t)kind;
	memset(&e->from, 0, sizeof(*e) - offsetof(struct tw_event, from));
	e->rtt = e->hold_age = e->acked_sent_at = TW_NO_TIME;
	e->sent_ticks = TW_NO_TIME;
}

/* Fills what every event says of the direction. */
static inline void tw_event_fill(const struct tw_direction *d, int side, struct tw_event *e)
{
	e->side = (uint8_t)side;
	e->una = d->board.una;
	e->nxt = d->board.nxt;
	e->fack = d->board.fack;
	e->right_edge = d->window_known ? d->board.una + d->window : INT64_MAX;
	e->flight = tw_scoreboard_flight(&d->board);
	e->outstanding = tw_scoreboard_outstanding(&d->board);
	e->sacked = d->board.sacked;
	e->dup_acks = d->dup_acks;
	e->mss = tw_segment_bound(d);
	e->hole = d->board.sacked | d->dup_acks | d->recovery;
	e->flight_known = !d->acks_unknown;
}

#endif
