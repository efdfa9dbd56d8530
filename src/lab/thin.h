/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thinning of ACKs, as cable modems and Wi-Fi do it: an ACK that only moves the acknowledgement on
 * is withheld until a newer one of its connection replaces it. Of so many in a row one passes, the
 * newest; and none is withheld for longer than TW_THIN_HOLD, so that the last of a train is not
 * lost (which would cost a retransmission timeout, and no such device does that). Duplicate ACKs,
 * those with SACK blocks or ECN marks, and segments with data pass, and replace what is withheld.
 */
#ifndef TW_LAB_THIN_H
#define TW_LAB_THIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/headers.h"
#include "lab/pool.h"
#include "lab/track.h"

enum { TW_THIN_HOLD = 5000000 }; /* ns */

struct tw_withheld {
	struct tw_slot *slot; /* NULL: replaced */
	int64_t until;
};

struct tw_thin {
	int64_t ratio; /* one ACK of so many passes; 0: all */
	struct tw_withheld
		*ring; /* owned, with the slots in it; oldest first, the first never replaced */
	uint32_t cap;
	uint64_t head, tail; /* ever growing */
};

/* Makes sure that the next tw_thin_withhold needs no memory. -ENOMEM. */
int tw_thin_reserve(struct tw_thin *thin);

/*
 * Takes out what is withheld of the connection, which a newer segment replaces; NULL where nothing
 * is.
 */
struct tw_slot *tw_thin_replace(struct tw_thin *thin, struct tw_track *track);

/*
 * Whether a segment is to be withheld; to be asked of each of a connection in turn. If so,
 * tw_thin_withhold takes its slot.
 */
bool tw_thin_judge(struct tw_thin *thin, const struct tw_headers *headers, const uint8_t *frame,
		   struct tw_track *track);
void tw_thin_withhold(struct tw_thin *thin, struct tw_track *track, struct tw_slot *slot,
		      int64_t now);

/* When the first is to be let go; INT64_MAX where there is none. */
int64_t tw_thin_due(const struct tw_thin *thin);

/* Takes out the first that is to be let go by `now`; NULL where there is none. */
struct tw_slot *tw_thin_release_due(struct tw_thin *thin, int64_t now, int64_t *at);

/* Frees the ring; the slots must have been taken out. */
void tw_thin_release(struct tw_thin *thin);

#endif
