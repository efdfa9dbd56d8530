/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the ledger keeps of a direction until its end: rounds and stalls as summaries that hold all
 * a rule asks of them. Verdicts are given late, when minRTT, capacity and neighbours are known; or
 * earlier, to the oldest, when the list reaches its ceiling.
 */
#ifndef TW_LEDGER_ITEM_H
#define TW_LEDGER_ITEM_H

#include <stdbool.h>
#include <stdint.h>

enum tw_item_kind { TW_ITEM_ROUND, TW_ITEM_STALL };

/* A long time in which nothing was heard of the other side, and the acknowledgement that ended it. */
struct tw_quiet {
	int64_t from, to;         /* instants; to is 0: there was none */
	int32_t sent_ticks;       /* passed at the other side, by its clock, until what came with it; */
				  /* TW_NO_TIME: not known */
	uint32_t outstanding;     /* after that acknowledgement */
	bool whole;               /* it acknowledged something, and nothing was missing */
};

/* A silence between two sends a and b of one direction. */
struct tw_stall {
	int64_t from, to;         /* sends a and b */
	uint64_t packet_from, packet_to;
	int64_t ack_at;           /* last ACK that freed or opened anything between them; TW_NO_TIME: none */
	int64_t new_ack_at;       /* last that acknowledged or SACKed something new; TW_NO_TIME: none */
	uint64_t ack_packet;
	struct tw_quiet quiet;    /* the latest that ended since a, or right after b */
	int32_t sent_ticks;       /* passed at the sender from a until b and what came with it; or TW_NO_TIME */
	int64_t unheard;          /* of b: how long it should have heard of an ACK that it had not */
	int64_t seq_from, seq_to; /* of b */
	uint32_t outstanding_a;   /* right after a */
	uint32_t outstanding_b;   /* right before b */
	uint32_t outstanding_ack; /* right after the last ACK */
	uint32_t sacked;          /* right before b */
	uint32_t mss;
	int32_t headroom_a;       /* right edge less nxt right after a, bounded; INT32_MAX: window not known */
	int32_t headroom_b;       /* right before b */
	uint32_t len_a, len_b;
	uint8_t dup_acks;         /* right before b, in a row */
	uint16_t id_gap;          /* packets lost before the vantage just before b */
	bool b_resend, b_highest, b_probe;
	bool interrupted;         /* no b: the other side took the floor, and a resend was not answered */
	bool heard;               /* the other side said something, be it only a duplicate ACK */
	bool window_opened;       /* a window update came */
	bool pure_ack;            /* the last ACK carried no data */
	bool hole;                /* right before b */
	bool flight_known;
	bool capture_missed;      /* ACKs in between covered bytes never captured */
	bool followed;            /* more was sent right behind b, which no ACK released */
};

/* A send until its first byte is acknowledged, charged up to the next round's start. */
struct tw_round {
	int64_t from, to;        /* start, and the next round's start (or the end) */
	uint64_t packet_from, packet_to; /* first send, last send */
	int64_t charged;         /* time billed to this round, ns */
	int64_t turn_gap;        /* the other side had spoken: time from its last send to this one; 0: no turn */
	uint32_t flight;         /* peak, bytes */
	uint32_t window;         /* largest in effect, bytes; UINT32_MAX: not known */
	int32_t headroom;        /* smallest; INT32_MAX: not known */
	uint32_t bytes;          /* delivered while it lasted */
	float span;              /* first send to last ACK, ns: what `bytes` took */
	float rtt_min;           /* least path RTT of the samples, ns; valid where rtt_samples > 0 */
	float hold;              /* largest age of withheld data, ns; TW_NO_TIME: none */
	float spacing10, spacing50, spacing90; /* of bursts, ns; 0: too few */
	uint16_t mss;
	uint16_t rtt_samples;
	uint16_t segments;       /* full segments sent, in MSS, saturating */
	uint16_t small;          /* segments under an MSS */
	uint16_t bursts, released; /* full-size bursts; those that an ACK released at once */
	uint16_t woken;          /* those that followed an ACK in the time that a program takes to wake up */
	uint8_t own_clock;       /* bursts that came by a clock of their own, whatever ACKs did; saturates */
	uint8_t dry, dry_released; /* times the sender ran dry; and went on when an ACK came */
	bool resend, hole;
	bool began_resend;       /* its first send was a resend */
	bool loss_before;        /* loss or ECE earlier in this direction */
	bool has_turn;
	bool late;               /* late originals arrived */
	uint8_t sampled;         /* kernel samples said: bits of enum tw_sampled */
};

enum tw_sampled {
	TW_SAMPLED_CWND_FULL = 1,   /* unacked bytes reach cwnd (or sends follow ACKs and cwnd is the lesser gate) */
	TW_SAMPLED_WINDOW_FULL = 2,
	TW_SAMPLED_SLOW_START = 4,  /* cwnd under ssthresh, or ssthresh not set yet */
	TW_SAMPLED_CUT = 8,         /* cwnd was cut in this round */
};

struct tw_item {
	uint8_t kind; /* enum tw_item_kind */
	union {
		struct tw_stall stall;
		struct tw_round round;
	};
};

#endif
