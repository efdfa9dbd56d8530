/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction's live state: what its sender sent, what came back. Private to the flow stage; the
 * world sees struct tw_direction_summary. An idle direction must stay small (the table holds a
 * million connections), so what few need is allocated when first needed.
 */
#ifndef TW_FLOW_DIRECTION_H
#define TW_FLOW_DIRECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sketch.h"
#include "flow/ackqueue.h"
#include "flow/rtt.h"
#include "flow/scoreboard.h"
#include "flow/summary.h"
#include "packet/packet.h"

enum {
	TW_RECENT_RESENDS = 16,
	TW_RECENT_IDS = 4,
	TW_MSS_ASSUMED = 1448, /* bytes: Ethernet's, with timestamps; until a packet tells */
	TW_MSS_PACKETS = 16, /* data packets after which a largest payload under the option is believed */
};

/* A resend whose need is still to be judged. */
struct tw_resent {
	int64_t from, to;    /* positions */
	uint64_t packet;
	int64_t at;
	uint32_t tsval;
	uint8_t spurious;    /* 1 << enum tw_spurious_proof, of what is proven */
	bool newer_tsval;    /* its timestamp differs from the original's: Eifel can tell them apart */
	bool answered;       /* an ACK has covered it */
};

/* Marks and what resends need: only directions in which something happened have it. */
struct tw_trouble {
	struct tw_marks resends[TW_RESEND_CLASS_COUNT];
	struct tw_marks spurious[TW_SPURIOUS_PROOF_COUNT];
	struct tw_marks reordered;
	struct tw_marks losses;
	struct tw_marks id_gaps;
	struct tw_marks capture_missed;
	struct tw_marks zero_windows;
	struct tw_marks syn_resends; /* of both sides, kept in the client's direction */
	struct tw_resent recent[TW_RECENT_RESENDS]; /* a ring */
	uint32_t n_recent;
	uint32_t n_unanswered; /* of them, at the most, that no ACK has covered yet */
	uint64_t needless; /* resends with at least one proof that they were unneeded */
	uint64_t resent_packets, resent_bytes, resent_unseen;
	uint64_t duplicates, urgent_packets, ce_packets, cwr_packets, ece_acks, sack_acks, dsacks;
	uint64_t reorder_extent;
	int64_t reorder_delay;
	uint64_t capture_missed_bytes;
	int64_t zero_ns;           /* time the window was closed, so far */
	int64_t probed_at;         /* last zero-window probe: data is held back; 0: none */
	int64_t last_timer_from;   /* position of the last resend that a timer caused */
	int64_t last_resend_at;    /* 0: none */
	int64_t recover;           /* position at which recovery ends */
};

/* One reaction being timed: a sequence position or timestamp seen, its echo awaited. */
struct tw_echo {
	int64_t at;      /* when it was seen; TW_NO_TIME: none is being timed */
	int64_t value;   /* position or TSval */
};

/* How this direction's data is acknowledged, ns. */
struct tw_waits {
	struct tw_sketch delays; /* from data to the ACK that covers it, as seen here */
	struct tw_sketch waits;  /* the sender's, from its last send to the next ACK */
};

/* What the kernel's own samples tell. */
struct tw_samples {
	struct tw_sample_summary sum;
	int64_t begun_at; /* position: bytes below were sent before the first record */
};

enum tw_recovery { TW_RECOVERY_NONE, TW_RECOVERY_FAST, TW_RECOVERY_TIMEOUT };

struct tw_direction {
	/* sequence space */
	uint32_t base;             /* sequence number of position 0 */
	bool has_base;
	bool has_echo;             /* `echo_at` and `echo_tsecr` are valid */
	bool waited;               /* an ACK came since the last send: ack_wait is taken once */
	bool acks_unknown;         /* the source has no ACK numbers */
	struct tw_scoreboard board;
	struct tw_ack_queue queue; /* ACKs for this direction that have not reached its sender */
	int64_t fin_at;            /* position after the last byte, INT64_MAX before a FIN */
	int64_t echo_at;           /* last data packet that carried a TSecr, ... */
	int64_t clock;             /* the latest event of this direction's sender */
	int64_t acked_here;        /* highest acknowledgement seen at the vantage */
	int64_t last_sent_at;      /* last payload, TW_NO_TIME before */
	int64_t done_at;           /* when all that was sent had been acknowledged, as seen here */

	/* what was sent */
	uint64_t packets, data_packets, bytes, unique_bytes;
	/* 32 bits: the packets of 6 TB */
	uint32_t small_packets, super_packets, pure_acks, ect_packets;
	uint32_t echo_tsecr;       /* ... and what it echoed */
	uint32_t mss;              /* effective, see tw_direction_mss */
	uint32_t largest_payload;
	uint32_t largest_frame_payload; /* largest that fits an Ethernet frame, 1,460 bytes or less */
	uint16_t mss_option;
	uint8_t wscale;            /* of this sender's own windows, as announced */
	uint8_t syns;
	bool has_wscale, sack_permitted, timestamps;
	bool syn_seen, fin_seen, rst_seen;
	uint16_t last_id;          /* IPv4's */
	uint32_t syn_seq;

	/* reordering and identification */
	uint32_t tsval_high;       /* highest TSval of this sender, ... */
	uint32_t tsval_first;
	int64_t tsval_high_at;     /* ... and when it was first seen */
	uint32_t tsval_first_at;   /* when the first was, in 2^20 ns (1 ms), modulo 2^32; 0: none */
	uint32_t id_steps, id_ones;/* IP ID steps seen, and those that fit the number of segments */
	uint32_t id_expect;        /* segments that the last packet stood for */
	uint32_t recent_ids[TW_RECENT_IDS]; /* hashes of the last packets, to know one captured twice */

	/* what came back */
	uint64_t acks, acked_bytes;
	uint32_t advancing_acks, dup_acks_total, window_updates, window_full;
	uint32_t window;           /* the peer's, in effect, bytes */
	uint32_t window_min, window_max;
	uint32_t raw_window;       /* of the last ACK, as on the wire */
	uint32_t raw_window_max;   /* unscaled, while the scale is not known */
	uint8_t peer_scale;        /* shift in use */
	bool peer_scale_known;     /* by the SYNs */
	bool scale_fits;           /* by the flight: peer_scale is what it fitted */
	uint8_t fit_scale, fit_hits, fit_tries, fit_floor;
	uint8_t recovery;          /* enum tw_recovery */
	bool has_reaction;
	bool has_window;           /* one was seen */
	bool window_known;         /* `window` may be believed, now */
	bool settled_ack;          /* the last ACK changed nothing; the same one again need not be looked at */
	int64_t zero_since;        /* TW_NO_TIME while the window is open */

	/* the sender's state */
	struct tw_rtt rtt;
	int64_t last_news_at;      /* last that acknowledged or SACKed something */
	uint32_t dup_acks;         /* in a row */
	uint32_t flight_max;

	/* this sender's host, as seen here: h of specs/attribution.md */
	int64_t reaction;          /* the smallest, ns; 0 before the first */
	struct tw_echo by_seq, by_ts;

	struct tw_sketch rtts;
	struct tw_waits *waits;    /* owned; NULL before there are a few */
	struct tw_samples *sample; /* owned; NULL without kernel samples */
	struct tw_trouble *trouble;/* owned; NULL until something happens */
};

void tw_direction_init(struct tw_direction *d);
void tw_direction_release(struct tw_direction *d);

/* The trouble record, allocated on first need; NULL without memory (the mark is then lost). */
struct tw_trouble *tw_direction_trouble(struct tw_direction *d);

/* A tick of this sender's clock (TSval), ns; 0 where too little of it was seen. */
double tw_direction_tick(const struct tw_direction *d);

/* When this direction last sent something again; TW_NO_TIME where it never did. */
int64_t tw_direction_last_resend(const struct tw_direction *d);

/* Counts an event and keeps the first few. NULL marks are fine. */
void tw_marks_add(struct tw_marks *marks, uint64_t packet, int64_t at);

/* What the MSS is judged by has changed: an option was seen, or a larger payload. */
void tw_direction_judge_mss(struct tw_direction *d, const struct tw_direction *peer);

/* Effective MSS: payload bytes of a full segment; TW_MSS_ASSUMED where nothing tells. */
static inline uint32_t tw_direction_mss(const struct tw_direction *d)
{
	return d->mss;
}

/* Bytes below this position were sent before the record began, as a sample told. */
static inline int64_t tw_direction_begun(const struct tw_direction *d)
{
	return d->sample ? d->sample->begun_at : 0;
}

/* The peer's window is closed, and probes since show that data waits for it. */
static inline bool tw_direction_is_shut(const struct tw_direction *d)
{
	return d->zero_since >= 0 && d->trouble && d->trouble->probed_at > d->zero_since;
}

/* Ticks of this sender's clock between its latest packet and `p`; TW_NO_TIME where there is none. */
static inline int32_t tw_direction_ticks(const struct tw_direction *d, const struct tw_packet *p)
{
	int32_t step = (int32_t)(p->tsval - d->tsval_high);

	return p->has & TW_HAS_TIMESTAMPS && d->timestamps && step >= 0 ? step : -1;
}

/* Position of `seq`, by the nearest to the highest one known. Needs has_base. */
static inline int64_t tw_direction_position(const struct tw_direction *d, uint32_t seq)
{
	int64_t near = d->board.nxt;
	uint32_t near_seq = d->base + (uint32_t)near;

	return near + (int32_t)(seq - near_seq);
}

#endif
