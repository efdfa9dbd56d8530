/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ledger's result: where a connection's time went. Rows sum exactly (to the nanosecond) to
 * duration_ns, which is end - first of the connection's summary.
 */
#ifndef TW_LEDGER_BILL_H
#define TW_LEDGER_BILL_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/summary.h"
#include "ledger/cause.h"

/* A stretch of time with one cause, kept for evidence and for -v. */
struct tw_interval {
	int64_t from, to;      /* instants, ns */
	uint64_t packet_from;  /* the packet that began it, number in the input */
	uint64_t packet_to;    /* the packet that ended it */
	uint8_t cause;         /* enum tw_cause */
	uint8_t side;          /* 0 client, 1 server: whose sending was held up; of host-slow: its host */
	uint8_t confidence;    /* percent */
	bool is_stall;         /* a silence; else a run of rounds */
	bool is_turn;          /* the other side had spoken before: this side's program thought */
	uint32_t outstanding;  /* bytes unacknowledged when it began; UINT32_MAX and above saturate */
	uint32_t dup_acks;     /* duplicate ACKs that came meanwhile */
	int64_t waited_ns;     /* stalls released by an ACK: from the last send to that ACK; else 0 */
	uint64_t released_by;  /* packet that released the sender (ACK, window update, peer's data); 0: none */
	uint64_t seq_from;     /* the bytes that ended it, seq_from:seq_to as tcpdump prints: the first byte is 1; */
	uint64_t seq_to;       /* 0: not known */
};

/* A round trip of continuous transfer and its verdict, kept for -v and for plots. */
struct tw_judged_round {
	int64_t from, to;      /* instants, ns */
	int64_t ns;            /* time billed to it */
	uint32_t flight;       /* peak, bytes */
	uint32_t window;       /* the peer's, bytes; UINT32_MAX: not known */
	uint32_t bytes;        /* delivered while it lasted */
	uint8_t cause;         /* enum tw_cause */
	uint8_t side;          /* 0 client, 1 server: who sent */
	uint8_t confidence;    /* percent */
	bool window_full;      /* the flight reached the peer's window: it does not show the sender's */
};

enum { TW_ROW_EXAMPLES = 6 };

struct tw_bill_row {
	enum tw_cause cause;
	int side;              /* 0 client, 1 server */
	enum tw_party party;
	int64_t ns;            /* > 0 */
	int64_t waits_ns;      /* of it: nothing was under way */
	double bytes;          /* delivered in the rest of it */
	uint64_t intervals;    /* stalls, or runs of rounds */
	uint64_t rounds;       /* rounds among them */
	double confidence;     /* 0 to 1, weighted by time */
	/* what the time would have been without the cause: see whatif.h */
	int64_t saves_ns;      /* what removing the cause saves of the connection's duration */
	bool at_least;         /* no next bound was observed: it saves at least this */
	enum tw_cause next;    /* the cause that would bind next; TW_CAUSE_UNKNOWN where none was observed */
	unsigned n_examples;   /* up to TW_ROW_EXAMPLES: the first ones and the longest, by time */
	struct tw_interval example[TW_ROW_EXAMPLES];
};

/* Quartiles of a figure. */
struct tw_quartiles {
	double low, mid, high;
};

/* What was under way when losses came; see ledger/losses.h. */
struct tw_loss_figures {
	uint64_t n;                 /* recoveries that tell something; the rest is 0 where it is */
	struct tw_quartiles flight; /* bytes outstanding when the first lost segment was sent */
	struct tw_quartiles rtt;    /* of the data just before it, ns; 0: not known */
	uint64_t n_gaps;            /* from one recovery to the next: */
	struct tw_quartiles rate;   /* bits/s delivered */
	struct tw_quartiles bytes;  /* bytes delivered */
	struct tw_marks begun;      /* the packets that began the recoveries */
};

/* Figures of one direction that the attribution used, for findings and the report. */
struct tw_direction_bill {
	int64_t duration_ns;       /* time charged to this direction; its rows sum to it */
	uint64_t rounds;           /* continuous transfer, one RTT of data each */
	uint64_t stalls;
	uint64_t rounds_window_full; /* rounds whose flight filled the receive window */
	uint64_t rounds_grown;     /* rounds in which the flight still grew as in slow start */
	double capacity_bps;       /* the bottleneck's rate in bits/s; 0: not evident */
	double best_rate_bps;      /* highest delivery rate of a round */
	int64_t min_rtt;           /* ns; both halves */
	uint32_t mss;              /* bytes */
	uint32_t window_max;       /* the peer's, bytes; 0: none was known */
	int64_t queue_median_ns;   /* standing queue: median over full rounds of the round's least RTT less min_rtt */
	int64_t queue_max_ns;
	uint64_t queue_rounds;     /* rounds with a standing queue */
	uint64_t queue_packet;     /* first packet of the round with the most queue */
	int64_t queue_at;          /* its instant */
	uint64_t flight_p90;       /* bytes, over rounds */
	uint64_t cwnd_max, cwnd_last; /* bytes: the flight of rounds that the congestion window bound; 0: none */
	enum tw_phase phase_last;  /* as the last of these rounds shows it */
	struct tw_loss_figures losses;
	uint64_t small_holds;      /* stalls where one small segment waited for the ACK of another */
	uint64_t turns;            /* times the other side had spoken before: requests or replies */
	int64_t think_ns;          /* this side's application, before it answered */
	int64_t think_longest_ns;
	uint64_t think_packet;     /* the packet that ended the longest */
	int64_t think_at;          /* its instant */
	int64_t round_trip_ns;     /* this side's share of `round-trip` */
	uint64_t first_full_packet, first_full_packet_to; /* packets of the first window-full round */
	int64_t first_full_at;     /* instant of its first packet */
};

enum { TW_BILL_ROWS = 2 * TW_CAUSE_COUNT };

struct tw_bill {
	int64_t duration_ns;
	int64_t after_ns;              /* last packet after the end; not billed */
	unsigned n_rows;               /* sorted by ns, largest first */
	struct tw_bill_row *rows;      /* owned */
	struct tw_direction_bill direction[2];
	uint32_t n_intervals;          /* with options.keep_intervals: every stall, in order */
	struct tw_interval *intervals; /* owned; NULL otherwise */
	uint64_t intervals_dropped;    /* beyond the ceiling */
	uint32_t n_rounds;             /* the same of rounds, each side's in order */
	struct tw_judged_round *rounds; /* owned; NULL otherwise */
	uint64_t rounds_dropped;
};

/* Frees what the bill owns. */
void tw_bill_release(struct tw_bill *bill);

/* The row of a cause and side, or NULL. */
const struct tw_bill_row *tw_bill_row(const struct tw_bill *bill, enum tw_cause cause, int side);

#endif
