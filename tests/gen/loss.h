/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sender's knowledge of what arrived: SACK scoreboard, loss detection by three SACKed segments
 * (RFC 6675) and by send order (RFC 8985, without its reordering timer), RTT, congestion window.
 */
#ifndef TW_GEN_LOSS_H
#define TW_GEN_LOSS_H

#include "sim.h"

/* A segment is known to have arrived; sets `*rtt` where that tells an RTT (Karn). */
void loss_delivered(struct sim *sim, struct endpoint *end, struct segment *segment, int64_t *rtt);
/* Takes an ACK's SACK blocks, after its acknowledgement; `*rtt` as above. */
void loss_take_sack(struct sim *sim, struct endpoint *end, const struct packet *packet,
		    int64_t *rtt);
/* Notes an unsacked segment; indices come ascending. */
void loss_add_hole(struct endpoint *end, uint32_t index);
/* Marks what must be lost; true where something was not known to be. */
bool loss_mark(struct endpoint *end);

void loss_take_rtt(struct endpoint *end, int64_t rtt);
/* Multiplicative decrease of ssthresh: reno 0.5, cubic 0.7. */
void loss_window_cut(struct sim *sim, struct endpoint *end);
/* RFC 5681, or RFC 9438 with its Reno-friendly region. */
void loss_window_grow(struct sim *sim, struct endpoint *end, uint32_t acked);

#endif
