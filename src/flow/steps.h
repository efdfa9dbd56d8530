/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the flow stage: the parts of tw_connection_packet, in the order it takes them. */
#ifndef TW_FLOW_STEPS_H
#define TW_FLOW_STEPS_H

#include "flow/connection.h"

/* ack.c: the acknowledgement in a packet of `side`, for the other side's data. */
void tw_step_ack(struct tw_connection *c, int side, const struct tw_packet *p,
		 const struct tw_event_sink *sink);

/*
 * ack.c: lets the acknowledgements for `side`'s data that have reached its sender by `now` take
 * effect; `p` is the packet that it sent now, NULL at the end of the input (then all do).
 */
void tw_step_deliver(struct tw_connection *c, int side, int64_t now, const struct tw_packet *p,
		     const struct tw_event_sink *sink);

/* send.c: the payload of a packet of `side`. */
void tw_step_send(struct tw_connection *c, int side, const struct tw_packet *p,
		  const struct tw_event_sink *sink);

/* reaction.c: times how fast hosts answer; before tw_step_ack and tw_step_send. */
void tw_step_reaction(struct tw_connection *c, int side, const struct tw_packet *p);

/* Fills what every event says of the direction. */
void tw_event_fill(struct tw_connection *c, int side, struct tw_event *e);

/* Whether SACK is in use for `side`'s data: both permit it, or the start was not seen and it was used. */
bool tw_sack_in_use(const struct tw_connection *c, int side);

#endif
