/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction as it passes: events in, rounds and stalls out. Knows nothing of causes; says what
 * happened in the terms the rules ask for.
 */
#ifndef TW_LEDGER_SIDE_H
#define TW_LEDGER_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/event.h"
#include "ledger/capacity.h"
#include "ledger/item.h"
#include "ledger/losses.h"

enum { TW_SPACING_BINS = 96 }; /* four an octave from 1 us: up to 16 s */

/* Spacing of bursts in one round: a small histogram, so that its percentiles cost nothing to keep. */
struct tw_spacings {
	uint32_t n;
	uint16_t bin[TW_SPACING_BINS];
};

/* Rounds and stalls in order; grows to TW_MAX_ITEMS. */
struct tw_items {
	struct tw_item *at; /* owned */
	uint16_t n, cap;
};

enum { TW_MAX_ITEMS = 4096 };

/* Long silences: few directions have one. */
struct tw_hush {
	struct tw_quiet quiet;    /* the latest of the other side */
	int64_t thaw_until;       /* sends up to here, and so many, came with that which ended the latest stall */
	uint32_t thaw_sends;
};

/* Whether bursts come by a clock. */
struct tw_beat {
	int64_t at;               /* the last full-size burst; 0: none */
	float period;             /* ns; 0: not known */
	uint8_t n;                /* bursts as far apart as that; halved by one that was not */
};

/* What most directions are too short for. */
struct tw_meters {
	struct tw_capacity capacity;
	struct tw_losses losses;
	struct tw_hush hush;
	struct tw_beat beat;
};

struct tw_side {
	struct tw_items items;
	struct tw_round round;    /* the one going on; its features are complete when it closes */
	bool in_round;
	bool round_over;
	bool loss_seen;           /* loss or ECE so far */
	bool restarted_small;     /* the last send ended a dry spell, let go by an ACK, with a small segment */
	bool ended_stall;         /* the last send ended a stall: the last item, or the one before */
	/* since the last send: */
	bool window_opened;
	bool pure_ack;
	bool hole;
	bool heard : 1;           /* of the other side, anything */
	bool capture_missed : 1;
	uint8_t dup_acks_now;     /* in a row; saturates */
	uint16_t id_gap;          /* packets lost before those that were no step of the timeline */
	uint32_t last_sample_cwnd;
	int64_t round_first;      /* position of its first byte */
	struct tw_spacings *spacings; /* owned; NULL before the first */

	/* since the last send */
	int64_t sent_at;          /* TW_NO_TIME before the first */
	uint64_t sent_packet;
	uint32_t sent_len;
	uint32_t outstanding_a;
	int32_t headroom_a;
	uint32_t freed;           /* bytes ACKs took out of flight */
	int64_t freed_enough_at;  /* when that reached what lets a sender be called dry */
	int64_t ack_at, new_ack_at;
	uint64_t ack_packet;
	uint32_t outstanding_now, sacked_now;
	int32_t headroom_now;
	float typical_spacing;    /* of bursts, over the last rounds, ns; 0: not known */
	int64_t burst_at;         /* when the current burst began */

	/* the whole direction */
	int64_t heard_at;         /* the last thing heard of the other side; TW_NO_TIME: nothing yet */
	uint64_t delivered;       /* bytes acknowledged or SACKed so far */
	uint32_t delivered_before;/* `delivered` when the round began, modulo 2^32 */
	uint32_t largest_acked;   /* bytes of the longest segment that got through */
	struct tw_meters *meters; /* owned; NULL until it has sent enough to have a rate, or a silence was long */
};

void tw_side_init(struct tw_side *side);
void tw_side_release(struct tw_side *side);

/* An acknowledgement took effect. */
void tw_side_ack(struct tw_side *side, const struct tw_event *ack);

/*
 * New data, or a resend, leaves the sender. `min_rtt` as known so far; `burst_gap` is the silence
 * that parts bursts; `arrivals` tells that capacity is read off the segments' spacing.
 * `new_turn`: the other side had spoken, `turn_gap` ns since its last send: a new round begins.
 * Returns whether this send ended a silence that a rule for stalls may claim: it is then among the
 * items, the last but for its round where that closed with it.
 */
bool tw_side_send(struct tw_side *side, const struct tw_event *send, int64_t min_rtt,
		  bool arrivals, bool new_turn, int64_t turn_gap);

/* Whether this send begins a new round, also within a turn. */
bool tw_side_ends_round(const struct tw_side *side, const struct tw_event *send);

/*
 * The other side takes the floor with `send`, and this side's last send was a timer's resend that it
 * has no answer to: the silence since is put among the items as an interrupted one. Whether it was.
 */
bool tw_side_interrupt(struct tw_side *side, const struct tw_event *send);

/* The side's meters, made where there are none; NULL where memory ran out. */
struct tw_meters *tw_side_meters(struct tw_side *side);

/* The stall that the latest send ended, or NULL. Valid until the next send. */
struct tw_stall *tw_side_last_stall(const struct tw_side *side);

/* Forgets the first `count` items. */
void tw_side_drop(struct tw_side *side, uint32_t count);

/* Closes the round going on, at instant `at`. */
void tw_side_close_round(struct tw_side *side, int64_t at);

#endif
