/* SPDX-License-Identifier: BSD-2-Clause */
/* The receiving half of one host's TCP: reassembly, ACK policy, SACK and DSACK blocks. */
#ifndef TW_GEN_RECEIVE_H
#define TW_GEN_RECEIVE_H

#include "sim.h"

/* Takes a packet's payload and FIN. */
void receive_take(struct sim *sim, struct flow *flow, int side, const struct packet *packet);
/* Sends a pure ACK. */
void receive_ack_now(struct sim *sim, struct flow *flow, int side);
/* Fills a packet's ACK, window, timestamps and SACK blocks; notes that an ACK has gone out. */
void receive_fill(struct sim *sim, struct flow *flow, int side, struct packet *packet);

#endif
