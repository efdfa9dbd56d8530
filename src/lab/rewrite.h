/* SPDX-License-Identifier: BSD-2-Clause */
/* What devices on the path write into packets, checksums kept right (if they were right before). */
#ifndef TW_LAB_REWRITE_H
#define TW_LAB_REWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/headers.h"

/*
 * Overwrites the options of the set (enum tw_strip) with NOPs, as a middlebox does. Whether one was
 * there.
 */
bool tw_rewrite_strip(const struct tw_headers *headers, uint8_t *frame, int64_t set);

/*
 * Shifts sequence numbers as a firewall does that randomises them: SEQ by an offset of the
 * connection and direction, ACK back by that of the other direction; but not the numbers in SACK
 * blocks, which then lie outside of the window. The offsets follow from the `seed`, addresses and
 * ports alone, so that two links with one seed agree. Whether the frame was a TCP segment.
 */
bool tw_rewrite_sequence(const struct tw_headers *headers, uint8_t *frame, uint64_t seed);

/*
 * Marks a packet "congestion experienced" (RFC 3168 section 5). False where it is not ECT(0) or
 * ECT(1).
 */
bool tw_rewrite_mark(const struct tw_headers *headers, uint8_t *frame);

#endif
