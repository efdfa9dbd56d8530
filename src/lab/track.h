/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a link remembers of the connections that cross it, one direction each, for the impairments
 * that count: loss by rule and the thinning of ACKs. A fixed table: beyond it the connection seen
 * least recently is forgotten, and counted.
 */
#ifndef TW_LAB_TRACK_H
#define TW_LAB_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/headers.h"

enum { TW_TRACKS = 4096 }; /* connections */

struct tw_track {
	uint64_t key;  /* 0: unused */
	uint64_t used; /* number of the last frame */
	uint32_t isn;  /* of the last SYN */
	uint32_t high; /* where the highest data sent ends */
	uint32_t last_ack;
	bool has_isn, has_high, has_ack;
	uint32_t syns, fins, messages, resends; /* seen so far */
	uint64_t segments;                      /* with data */
	uint64_t withheld; /* an ACK: its place in struct tw_thin, from 1; 0: none */
	int64_t run;       /* ACKs withheld in a row */
};

struct tw_tracks {
	struct tw_track *track; /* owned */
	uint64_t seed;
	uint64_t forgotten; /* connections */
};

/* -ENOMEM. */
int tw_tracks_init(struct tw_tracks *tracks, uint64_t seed);
void tw_tracks_release(struct tw_tracks *tracks);

/*
 * The track of a TCP segment's connection; begun anew by a SYN with another sequence number than
 * the last, which is a new connection between the same ports. Valid until the next call.
 */
struct tw_track *tw_tracks_find(struct tw_tracks *tracks, const struct tw_headers *headers,
				const uint8_t *frame, uint64_t number);

#endif
