/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Absolute sequence numbers out of texts.
 *
 * tcpdump without -S prints the first segment with an ACK that it sees of a connection (and every
 * SYN, and every segment without an ACK) with absolute numbers, and counts from these in the rest:
 * one direction from the sequence number of that first segment, the other from its ACK less one,
 * so that data begins at 1. SACK blocks are counted so even in the first. A pure ACK's own number
 * is not printed at all. A text may also begin in mid-listing, when the numbers are relative to
 * something never seen, or be printed with -S; and nothing in it says which.
 *
 * So both readings of every number are held against where that direction stands, by what was read
 * before, and the nearer one is taken; the connection then keeps to it.
 */
#ifndef TW_SOURCE_TEXTSEQ_H
#define TW_SOURCE_TEXTSEQ_H

#include <stdint.h>

#include "source/textseg.h"

struct tw_textseq; /* connections, by their endpoints */

enum { TW_TEXTSEQ_MAX = 65536 }; /* connections followed at once */

/*
 * About `max` connections (a power of two) are followed at once; for more, those not seen for
 * longest are forgotten. -ENOMEM.
 */
int tw_textseq_new(struct tw_textseq **out, uint32_t max);
void tw_textseq_free(struct tw_textseq *seqs);

/*
 * Makes seq, ack and sack of the segment's packet absolute: numbers of one direction are
 * consistent with each other and with the other's ACKs for as long as the connection lasts. Where
 * nothing tells the origin it is arbitrary. A sequence number that was not printed becomes where
 * that direction stands. With tcpdump -q `seq` counts the sender's bytes.
 */
void tw_textseq_resolve(struct tw_textseq *seqs, struct tw_text_segment *segment);

/*
 * To be called once, after the beginning of the text was shown to tw_textseq_resolve, before it is
 * read in earnest from the start: forgets the connections' positions, but keeps the first number
 * seen of each direction, for segments that come before it and do not print theirs.
 */
void tw_textseq_rewind(struct tw_textseq *seqs);

/* Connections that were forgotten for want of room. */
uint64_t tw_textseq_forgotten(const struct tw_textseq *seqs);

#endif
