/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the flow stage knows of a connection when it ends (or the input does): plain figures, the
 * input of findings and report. Times are ns; instants are on the capture's clock.
 */
#ifndef TW_FLOW_SUMMARY_H
#define TW_FLOW_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "packet/packet.h"

/* X(ENUM, json id, title): why a segment was sent again, by what triggered it. */
#define TW_RESEND_CLASSES(X) \
	X(FAST_DUPACK, "fast_dupack", "fast retransmission, three duplicate ACKs") \
	X(FAST_SACK, "fast_sack", "fast retransmission, SACK") \
	X(FAST_RACK, "fast_rack", "fast retransmission, RACK") \
	X(RTO, "rto", "retransmission timeout") \
	X(RTO_BACKOFF, "rto_backoff", "retransmission timeout, backed off") \
	X(RTO_REPAIR, "rto_repair", "sent again in the repair that follows a timeout") \
	X(TLP, "tlp", "tail-loss probe") \
	X(PERSIST, "persist", "zero-window probe") \
	X(KEEPALIVE, "keepalive", "keep-alive") \
	X(SYN, "syn", "SYN or SYN-ACK sent again") \
	X(UNKNOWN, "unknown", "sent again, reason not evident")

enum tw_resend_class {
#define X(id, json, title) TW_RESEND_##id,
	TW_RESEND_CLASSES(X)
#undef X
	TW_RESEND_CLASS_COUNT
};

/* X(ENUM, json id): what showed that a resend was unneeded. Counted beside the class. */
#define TW_SPURIOUS_PROOFS(X) \
	X(DSACK, "dsack")  /* the receiver reported the duplicate (RFC 2883) */ \
	X(EIFEL, "eifel")  /* the covering ACK echoes the original's timestamp (RFC 3522) */ \
	X(ACKED, "acked")  /* it was acknowledged, at the sender, before it was sent again */

enum tw_spurious_proof {
#define X(id, json) TW_SPURIOUS_##id,
	TW_SPURIOUS_PROOFS(X)
#undef X
	TW_SPURIOUS_PROOF_COUNT
};

enum tw_place { TW_PLACE_UNKNOWN, TW_PLACE_SENDER, TW_PLACE_RECEIVER, TW_PLACE_MIDDLE };

/* The congestion controller's phase as far as the wire shows it (or a sample says). */
enum tw_phase {
	TW_PHASE_UNKNOWN,
	TW_PHASE_SLOW_START,
	TW_PHASE_AVOIDANCE,
	TW_PHASE_RECOVERY,
	TW_PHASE_LOSS, /* after a retransmission timeout */
};

struct tw_spread { /* of a measured time, ns */
	uint64_t n; /* samples; the rest is 0 where n is 0 */
	int64_t min;
	int64_t median;
	int64_t p95;
	int64_t max;
};

/* Packets that prove something: the first few, in order. */
enum { TW_MARKS = 4 };
struct tw_marks {
	uint64_t count;           /* all of them */
	struct {
		uint64_t packet;  /* number in the input */
		int64_t at;       /* instant, ns */
	} first[TW_MARKS];        /* valid up to min(count, TW_MARKS) */
};

/* What the kernel's samples told of the sender (n is 0 where there were none). Bytes. */
struct tw_sample_summary {
	uint64_t n;
	uint32_t cwnd_min, cwnd_max, cwnd_last; /* 0: no such column */
	uint32_t ssthresh_last;  /* 0: unknown or not set yet */
	uint32_t unacked_max;    /* bytes sent and not acknowledged; 0: no such column */
	uint64_t unacked_packet; /* where unacked_max was reached */
	uint32_t unacked_cwnd;   /* the congestion window at that packet */
	/* the congestion window's first cut: a sample under 0.9 of the one before, with ssthresh set */
	uint64_t cut_packet;     /* 0: none */
	int64_t cut_at;
	uint32_t cut_from, cut_to, cut_ssthresh;
};

/* One direction: what its sender sent, and what came back for it. */
struct tw_direction_summary {
	/* sent */
	uint64_t packets;          /* all TCP packets of this sender */
	uint64_t data_packets;     /* those with payload */
	uint64_t bytes;            /* payload, resends included */
	uint64_t unique_bytes;     /* payload by distinct sequence range */
	uint64_t resent_packets;   /* data packets that carried only or partly bytes seen before, late originals not among them */
	uint64_t resent_bytes;
	uint64_t resent_unseen;    /* resent packets among these whose original the capture never saw */
	struct tw_marks resends[TW_RESEND_CLASS_COUNT]; /* sum of counts: resent_packets + SYN and keep-alive ones */
	struct tw_marks spurious[TW_SPURIOUS_PROOF_COUNT];
	uint64_t needless;             /* resends with one proof or more that they were unneeded */
	struct tw_marks reordered;     /* late originals */
	uint64_t reorder_extent_bytes; /* farthest that one came behind the highest byte */
	int64_t reorder_delay_ns;      /* and how late */
	uint64_t duplicates;       /* packets captured twice: same IP ID and bytes within a moment */
	uint64_t urgent_packets;
	uint64_t small_packets;    /* data packets under an MSS */
	uint64_t pure_acks_sent;
	uint32_t mss;              /* effective payload bound, bytes; see spec of tw_direction_mss */
	uint16_t mss_option;       /* as announced by this sender; 0: not seen */
	uint32_t largest_payload;  /* may exceed mss where offload merges segments */
	uint64_t super_packets;    /* data packets larger than an MSS */
	bool sack_permitted;       /* offered in this sender's SYN */
	bool timestamps;           /* offered, or seen in mid-stream */
	bool syn_seen, fin_seen, rst_seen;
	uint8_t syns;              /* SYNs (client) or SYN-ACKs (server) sent, saturating */

	/* lost */
	struct tw_marks losses;    /* segments known to be lost in the network: resent and not shown spurious, or an IP ID gap */
	struct tw_marks id_gaps;   /* gaps in the IPv4 identification: lost before the vantage */
	uint64_t capture_missed_bytes; /* acknowledged or skipped, never captured, not lost by the network */
	struct tw_marks capture_missed;

	/* what came back */
	uint64_t acks;             /* packets from the peer that acknowledge this direction's data */
	uint64_t advancing_acks;   /* those that acknowledged something new */
	uint64_t acked_bytes;
	uint64_t dup_acks;
	uint64_t sack_blocks;      /* ACKs that carried SACK blocks */
	uint64_t dsacks;
	struct tw_spread ack_delay;/* the peer's host: data seen to the ACK that covers it, less the minimum, ns */
	struct tw_spread ack_wait; /* sender's wait from its last send to the ACK that let it go on, ns */

	/* windows the peer advertised for this direction */
	uint32_t window_min, window_max; /* bytes, scaled as known; 0 and 0 where none was seen */
	uint8_t window_scale;
	bool window_scale_known;
	struct tw_marks zero_windows;
	int64_t zero_window_ns;    /* time the window was closed */
	uint64_t window_updates;
	uint64_t window_full;      /* sends that left under an MSS of window */

	/* path and controller */
	struct tw_spread rtt;      /* of this direction's data, Karn-clean, judged at the sender's clock */
	struct tw_spread reaction; /* this sender's host, ACK to data, as seen here: h of the spec in `min` */
	int64_t srtt, rttvar, rto; /* last RFC 6298 estimate; 0: none */
	uint64_t flight_max;       /* bytes */
	uint64_t cwnd_max, cwnd_last; /* bytes; from samples, else the flight where it was the bound */
	struct tw_sample_summary sample; /* what the kernel's own samples say */
	enum tw_phase phase_last;
	uint64_t ect_packets, ce_packets; /* ECN in the IP header of this direction's packets */
	uint64_t ece_acks, cwr_packets;
};

struct tw_connection_summary {
	uint64_t id;               /* 1-based, by first packet */
	struct tw_endpoint endpoint[2]; /* 0: client (sent the SYN, or judged so), 1: server */
	int64_t first, last;       /* instants of the first and last packet */
	int64_t end;               /* where billing ends */
	uint64_t packets;
	uint64_t first_packet;     /* number in the input */
	bool start_seen;           /* the SYN is in the capture */
	bool closed;               /* FIN both ways or RST */
	bool reset;
	bool evicted;              /* the table's ceiling pushed it out */
	bool one_way;              /* only one direction was captured */
	bool client_guessed;       /* no SYN told who the client is */
	int64_t handshake_ns;      /* first SYN to the ACK that opens it; 0 where not seen whole */
	struct tw_marks syn_resends; /* both sides */
	enum tw_place place;       /* of the main direction */
	double place_confidence;   /* 0 to 1 */
	int main_direction;        /* 0: client's data, 1: server's */
	int64_t min_rtt;           /* both halves, ns; 0: not known */
	uint64_t time_disorder;    /* packets whose time ran backwards beyond the sort window */
	struct tw_direction_summary direction[2]; /* by sender: 0 client, 1 server */
};

#endif
