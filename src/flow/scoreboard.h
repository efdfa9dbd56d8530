/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of one direction between snd_una and snd_nxt, by byte range: when each was sent, how
 * often, whether it was SACKed (RFC 2018), taken for lost (RFC 6675), or never captured. Ranges are
 * split where a resend cuts them, so re-segmented resends and merged captures need no special case.
 */
#ifndef TW_FLOW_SCOREBOARD_H
#define TW_FLOW_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

enum tw_segment_flag {
	TW_SEG_UNSEEN = 1, /* a gap in the capture: later bytes were seen, these were not */
	TW_SEG_SACKED = 2,
	TW_SEG_LOST = 4,   /* more than 3 MSS above it are SACKed, or a timeout fired, and not resent since */
	TW_SEG_RESENT = 8,
};

struct tw_segment {
	int64_t from;     /* position */
	uint32_t len;     /* bytes, > 0 */
	uint32_t tsval;   /* of its last transmission */
	int64_t sent_at;  /* last transmission; of an unseen range: when it was found missing */
	uint8_t flags;
};

/* SACK blocks already applied: most of what an ACK repeats need not be looked at again. */
struct tw_sack_memo {
	int64_t left[3], right[3];
	int64_t lost_to; /* ranges ending at or below it were examined for loss */
};

struct tw_scoreboard {
	struct tw_segment *ring; /* owned; sorted, contiguous from una to nxt */
	uint32_t head, n, cap;   /* cap is 0 or a power of two */
	uint32_t sacked, lost;   /* bytes carrying the flag */
	int64_t una, nxt;
	int64_t fack;            /* end of the highest SACKed range; una where there is none */
	struct tw_sack_memo *memo; /* owned; NULL before the first SACK block */
};

enum { TW_SCOREBOARD_MAX = 1 << 18 }; /* ranges; beyond it the oldest are given up */

/* What a transmission turned out to be. */
struct tw_sent {
	uint32_t fresh;      /* bytes above nxt */
	uint32_t seen;       /* bytes outstanding that had been captured before */
	uint32_t filled;     /* bytes of gaps: later bytes had been captured already */
	uint32_t acked;      /* bytes below una */
	uint32_t skipped;    /* bytes between nxt and its start, now an unseen gap */
	uint32_t sacked;     /* bytes the receiver had SACKed already */
	int64_t last_at;     /* latest earlier transmission of the bytes seen before; of filled ones: when the gap was found */
	uint32_t last_tsval; /* of that transmission */
	bool was_resent;     /* some of it had been resent before */
	bool given_up;       /* the ceiling was reached: the oldest range was forgotten */
};

/* What an acknowledgement covered. */
struct tw_acked {
	uint32_t bytes;      /* newly acknowledged, saturating */
	uint32_t unseen;     /* of these never captured */
	bool resent;         /* some of it was sent more than once */
	int64_t sent_at;     /* last transmission of the last range that was seen, or TW_NO_TIME */
	bool was_sacked;     /* that range had been SACKed before: no RTT sample */
	uint32_t largest;    /* bytes of the longest range that it covered whole: what one segment carried */
};

static inline uint32_t tw_scoreboard_outstanding(const struct tw_scoreboard *b)
{
	int64_t bytes = b->nxt - b->una;

	return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

/* Bytes in flight: outstanding, less SACKed, less lost and not resent. */
static inline uint32_t tw_scoreboard_flight(const struct tw_scoreboard *b)
{
	return tw_scoreboard_outstanding(b) - b->sacked - b->lost;
}

void tw_scoreboard_release(struct tw_scoreboard *board);

/* Starts at position `at`: nothing outstanding. */
void tw_scoreboard_start(struct tw_scoreboard *board, int64_t at);

/*
 * Records a transmission of [from, from + len), len > 0. 0, or -ENOMEM, or -ENOBUFS where it would
 * cut one of very many ranges in two; the board is then unchanged but for ranges already taken in.
 */
int tw_scoreboard_send(struct tw_scoreboard *board, int64_t from, uint32_t len, int64_t at,
		       uint32_t tsval, struct tw_sent *sent);

/* Acknowledges everything below `to`; beyond nxt, nxt follows (bytes never captured). */
void tw_scoreboard_ack(struct tw_scoreboard *board, int64_t to, struct tw_acked *acked);

/*
 * Applies a SACK block; returns the bytes newly SACKed. A block outside [una, nxt] returns 0.
 */
uint32_t tw_scoreboard_sack(struct tw_scoreboard *board, int64_t left, int64_t right);

/* Takes for lost what lies more than 3 `mss` below the highest SACKed byte (RFC 6675 IsLost). */
void tw_scoreboard_mark_lost(struct tw_scoreboard *board, uint32_t mss);

/* A timeout: everything that is not SACKed is lost, but for [from, to), which was just resent. */
void tw_scoreboard_lose_all(struct tw_scoreboard *board, int64_t from, int64_t to);

/* When the byte at `position` was last sent; TW_NO_TIME (-1) where it is not outstanding or was not seen. */
int64_t tw_scoreboard_sent_at(const struct tw_scoreboard *board, int64_t position);

/* The range that holds `position`, or NULL. Valid until the next change. */
const struct tw_segment *tw_scoreboard_find(const struct tw_scoreboard *board, int64_t position);

#endif
