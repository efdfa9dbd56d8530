/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments joined into super-packets, and the table of connections it needs. */
#ifndef TW_GEN_MERGE_H
#define TW_GEN_MERGE_H

#include "pcapfile.h"

enum merge_side { MERGE_NOT, MERGE_SENDER, MERGE_RECEIVER };

/*
 * Joins segments that follow one another in one direction: same ACK, window and options, flags that
 * are only ACK and PSH, none larger than the first, a smaller one ends it, IP length up to 65,535,
 * `span` ns from the first to the last at most.
 *
 * MERGE_SENDER, as TSO shows it: the super-packet leaves when its first segment left, and anything
 * from the peer ends it, since what the peer's packet released cannot have left before.
 * MERGE_RECEIVER, as GRO does (net/ipv4/tcp_offload.c): PSH ends it too; it is handed up with its
 * last segment, so it has that one's time and place; pure ACKs that the receiver sent for parts of
 * it would not have been sent, and are dropped. Anything else from the receiver ends it.
 */
void merge(struct capture *capture, enum merge_side side, int64_t span);

/* Connections by their two endpoints, each with `size` zeroed bytes of the caller's. */
struct flow_table {
	uint8_t *entries;
	size_t entry, n, cap;
	uint32_t *slots;
	size_t n_slots;
};

void flow_table_init(struct flow_table *table, size_t size);
/*
 * The caller's bytes for the packet's connection, valid until the next call; made where missing.
 * `*side`: 0 where the packet goes the way of the connection's first one, else 1.
 */
void *flow_table_get(struct flow_table *table, const struct tcp_view *view, int *side);
void flow_table_release(struct flow_table *table);

#endif
