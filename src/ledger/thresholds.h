/* SPDX-License-Identifier: BSD-2-Clause */
/* Every threshold of the attribution, in one place, each with its reason or source. Times in ns. */
#ifndef TW_LEDGER_THRESHOLDS_H
#define TW_LEDGER_THRESHOLDS_H

#include <stdint.h>

struct tw_thresholds {
	/* Tolerance e: a share of minRTT within bounds; hosts and clocks are no finer than 0.2 ms. */
	int64_t tolerance_part;         /* 1 / share: asked at every packet */
	int64_t tolerance_min, tolerance_max;
	double tolerance_stall_share;   /* and of the stall itself, up to half a minRTT */

	/* Stalls */
	double timer_rtts;              /* a silent resend later than this many minRTT is a timer's */
	int64_t timer_least;            /* a timeout takes at least this (Linux: 200 ms) ... */
	double timer_lost_rtts;         /* ... and this many minRTT, where SACKs were at hand */
	uint32_t tail_mss;              /* at most so much outstanding: nothing behind could tell of the loss */
	uint32_t dup_threshold;         /* RFC 5681 */
	uint32_t sack_threshold_mss;    /* RFC 6675 */
	int64_t late_ack;               /* an ACK this much later than the path is a delayed one: Linux's */
	double late_ack_rtts;           /* least is 40 ms, others' 100 to 200 ms; or a share of minRTT */
	uint32_t outage_unanswered;     /* resends in a row that nothing answered: no lone loss */
	double outage_timeouts;         /* silence before packets lost on the way here, in timeouts: 3 */
					/* where one resend was lost (RFC 6298 5.5), 4 and more for two */
	uint32_t outage_lost;           /* and so many are missing at the least */
	int64_t host_slow;              /* a host that takes so long ... */
	double host_slow_rtts;          /* ... and this many usual round trips more is slow */
	int64_t host_thaw;              /* what it held comes within this */
	double host_held;               /* packets sent within this share of a silence were held on their way; */
	double host_late;               /* where more of it passed at their sender, they were sent late */
	uint32_t host_mss;              /* so much in flight is acknowledged at once (RFC 9293 3.8.6.3) */
	uint32_t black_hole_bytes;      /* segments this large vanish ... */
	uint32_t black_hole_times;      /* ... this often */
	uint32_t bsd_nagle_times;       /* a held small segment behind a large one, to be no coincidence */

	/* Rounds */
	uint32_t window_full_mss;       /* headroom under this is a full window; ... */
	uint32_t window_full_small_mss; /* ... under this where the window is only a few MSS */
	uint32_t window_small_mss;
	double window_shrunk;           /* a full window of at most this share of an earlier one */
	double clock_band;              /* a clock is as even as this ... */
	int64_t clock_jitter;           /* ... or as this; ... */
	uint32_t clock_times;           /* ... so many times in a row */
	uint32_t clock_sure;            /* so many, and it is one whatever the round trip */
	int64_t pacer_quantum;          /* a pacer lets out what this takes at its rate, or a few segments at least: */
	uint32_t pacer_mss;             /* tcp_tso_autosize() of net/ipv4/tcp_output.c has 1 ms and two */
	double flight_fallen;           /* a flight under this share of an earlier one, without loss */
	int64_t wake_max;               /* a program that waits for room goes on within this of the ACK */
	double hold_rtts;               /* data older than this beyond minRTT, unacknowledged: withheld */
	int64_t hold_min;
	double queue_rtts;              /* the least RTT of a round above this many minRTT ... */
	int64_t queue_min;              /* ... plus this is a standing queue */
	uint32_t queue_samples;
	uint32_t queue_flight_mss;
	double queue_rate;              /* of the best rate */
	double full_rate;               /* of the capacity */
	double tuning_flight, tuning_window; /* autotuning keeps pace: flight and window grow so */
	double grown_one, grown_two;    /* slow start: flight grew so in one or two rounds */
	uint32_t dry_mss;               /* ACKs freed this much, and a share of the flight, ... */
	double dry_flight;
	int64_t dry_min;                /* ... and nothing was sent for so long */
	double dry_spacings;
	int64_t dry_short_rtt;
	double dry_short_rtts;
	uint32_t small_per_mss;         /* a partial segment per so many full ones: the program wrote it so */
	uint32_t bursts;                /* fewer tell nothing of what clocks them, ... */
	uint32_t bursts_around;         /* ... and fewer than this where they are gathered ... */
	uint32_t burst_rounds;          /* ... from so many rounds before and after */
	double released_share;          /* under this share of bursts released by an ACK: not ACK-clocked */
	double even_p90, even_p10;      /* spacing this even is a pacer's */
	double growth_mss;              /* congestion avoidance: growth in `growth_rounds` rounds */
	uint32_t growth_rounds;
	double window_wide;             /* a window this many times the flight does not bind */
	uint32_t smooth_rounds;         /* shorter runs of weak verdicts take their neighbours' */
	uint32_t probe_rtt_mss;         /* BBR's ProbeRTT: 4 segments, 200 ms, every 10 s (BBRv1 draft) */
	int64_t probe_rtt_max, probe_rtt_every;

	/* Capacity */
	uint32_t train_mss;             /* least length of a packet train */
	uint32_t train_max_mss;
	double train_slowdown;          /* it left in at most this share of its ACKs' span */
	uint32_t trains;
	double trains_agree;            /* P90 within so much of the median */
	uint32_t plateau_rounds;        /* so many rounds agree on a rate, within this band, ... */
	double plateau_band;
	double plateau_flight;          /* ... though their flights (P90 over P10) differ so much */
	uint32_t pairs;                 /* gaps between full segments, away from the sender */
	int64_t pair_fine;              /* below this mean gap, windows are counted instead: */
	int64_t pair_window;            /* of this length, or this share of minRTT */
	double pair_window_rtts;
};

extern const struct tw_thresholds tw_thresholds;

/* e for a connection, and for a silence of `gap` in it. */
int64_t tw_tolerance(int64_t min_rtt);
int64_t tw_tolerance_of(int64_t min_rtt, int64_t gap);

#endif
