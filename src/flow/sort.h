/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts packets back into the order of their time. Captures of several queues or interfaces, and
 * merged files, hold them a little out of order; unsorted, an ACK seems to precede its data. A
 * window of packets is held back; disorder beyond it stays and is counted by who sees it.
 */
#ifndef TW_FLOW_SORT_H
#define TW_FLOW_SORT_H

#include "packet/packet.h"

struct tw_sorter;

enum { TW_SORT_WINDOW = 128 }; /* packets: what fits the first cache */

int tw_sorter_new(struct tw_sorter **out);
void tw_sorter_free(struct tw_sorter *sorter);

/* A place for the next packet, to be filled and committed. Call tw_sorter_pop first while it is full. */
struct tw_packet *tw_sorter_slot(struct tw_sorter *sorter);
void tw_sorter_commit(struct tw_sorter *sorter);

/*
 * The earliest packet, where the window is full or `all` asks for what is left; else NULL. Equal
 * times keep the order of the input. Valid until the next call of tw_sorter_slot.
 */
struct tw_packet *tw_sorter_pop(struct tw_sorter *sorter, bool all);

/* The packet that `ahead` more pops from now would give, as far as is known; NULL where there is none. */
const struct tw_packet *tw_sorter_peek(const struct tw_sorter *sorter, unsigned ahead);

#endif
