/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules: pure functions from what happened (item.h) to its cause. specs and reasons stand beside
 * each rule; thresholds in thresholds.h.
 */
#ifndef TW_LEDGER_JUDGE_H
#define TW_LEDGER_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/cause.h"
#include "ledger/item.h"

/* What is known of the direction as a whole when verdicts are given. */
struct tw_bench {
	int64_t min_rtt;        /* ns; 0: not known */
	int64_t peer_reaction;  /* the receiver's smallest, as seen here: h[R] */
	double capacity;        /* bytes/s; 0: not evident */
	double best_rate;       /* bytes/s, highest of a round */
	double tick, peer_tick; /* of the two hosts' clocks, ns; 0: not known */
	int64_t usual_rtt;      /* median, ns; 0: not known */
	bool at_sender, at_receiver; /* as good as captured at that host */
	bool one_way;           /* no ACK of this direction was captured */
	uint32_t window_before; /* bytes: the largest window of rounds judged earlier; 0: none */
	uint32_t flight_before; /* bytes: the highest flight of theirs */
	uint32_t largest_acked; /* bytes of the longest segment that ever got through */
	bool black_hole;        /* larger ones than that were resent by timers, often */
	bool bsd_nagle;         /* small segments behind large ones were held often enough */
	bool nothing_lost;      /* every resend proved unneeded: ACKs were late, no data was lost */
	bool needless_resends;  /* (nearly) every resend proved unneeded, and reordering was seen */
};

struct tw_verdict {
	uint8_t cause;          /* enum tw_cause; TW_CAUSE_COUNT: no rule fits */
	uint8_t confidence;     /* percent */
	bool of_peer;           /* the other side's host is meant: the row is that side's */
	bool window_full;       /* the flight filled the receive window */
	bool queue;             /* a standing queue */
	bool grown;             /* the flight grew as in slow start */
};

/* The verdict on a silence; TW_CAUSE_COUNT where it belongs to its round. */
struct tw_verdict tw_judge_stall(const struct tw_stall *stall, const struct tw_bench *bench);

/*
 * Outages of the path among the stalls of `n` items of one direction, in order: timers sent the same
 * data again and again, and nothing of the other side came, until a resend as large got through. The
 * stalls of such a chain, rounds between them aside, are one silence; their verdicts are replaced.
 * `una`: position acknowledged by now.
 */
void tw_judge_outages(const struct tw_item *item, uint32_t n, int64_t una,
		      const struct tw_bench *bench, struct tw_verdict *verdict);

/*
 * Makes one stall of those of an outage, the first, so that it is charged as one; the others become
 * empty. Only for items that are charged next: they cannot be judged again.
 */
void tw_join_outages(struct tw_item *item, uint32_t n, const struct tw_verdict *verdict);

/*
 * Hosts that stood still, among the stalls of `n` items: every packet came, but all at once and far
 * later than usual. Replaces verdicts. Clocks in the packets (RFC 7323) tell who held them.
 */
void tw_judge_hosts(const struct tw_item *item, uint32_t n, const struct tw_bench *bench,
		    struct tw_verdict *verdict);

/*
 * Pacers among the stalls of `count` items that a program seemed to make: whole segments, eight and more
 * of them, evenly apart. Replaces verdicts.
 */
void tw_judge_paced(const struct tw_item *item, uint32_t count, struct tw_verdict *verdict);

/* A resend after a silence that only a timer ends. */
bool tw_stall_is_timed(const struct tw_stall *stall, const struct tw_bench *bench);

/* An ACK that took `waited` came later than the path explains: the receiver delayed it. */
bool tw_is_late_ack(int64_t waited, int64_t min_rtt);

/* Shapes that only count when they repeat. */
bool tw_stall_is_black_hole(const struct tw_stall *stall, const struct tw_bench *bench);
bool tw_stall_is_bsd_nagle(const struct tw_stall *stall, const struct tw_bench *bench);

/*
 * The verdicts on `n` rounds of one direction, in order, into `verdict`. `first` tells that round 0
 * is the direction's first, `last` that round n - 1 is its last.
 */
void tw_judge_rounds(const struct tw_round *const *round, uint32_t n, bool first, bool last,
		     const struct tw_bench *bench, struct tw_verdict *verdict);

/* A queue stood before the slowest link for the whole of the round. */
bool tw_round_has_queue(const struct tw_round *round, const struct tw_bench *bench);

/* The receiver kept an ACK back that was due: its program does not read. */
bool tw_round_is_withheld(const struct tw_round *round, const struct tw_bench *bench);

/* Bytes/s delivered while the round lasted; 0 where nothing was. */
double tw_round_rate(const struct tw_round *round);

#endif
