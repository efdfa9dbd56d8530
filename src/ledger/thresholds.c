/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/thresholds.h"

#define MS INT64_C(1000000)
#define US INT64_C(1000)

const struct tw_thresholds tw_thresholds = {
	.tolerance_part = 20, .tolerance_min = 200 * US, .tolerance_max = 5 * MS,
	.tolerance_stall_share = 0.05,

	.timer_rtts = 1.2, .timer_least = 200 * MS, .timer_lost_rtts = 2,
	.tail_mss = 3, .dup_threshold = 3, .sack_threshold_mss = 2,
	.late_ack = 20 * MS, .late_ack_rtts = 0.25,
	.outage_unanswered = 2, .outage_timeouts = 3.5, .outage_lost = 2,
	.host_slow = 50 * MS, .host_slow_rtts = 1, .host_thaw = 5 * MS, .host_held = 0.4,
	.host_late = 0.6, .host_mss = 3,
	.black_hole_bytes = 1000, .black_hole_times = 3, .bsd_nagle_times = 3,

	.window_full_mss = 2, .window_full_small_mss = 1, .window_small_mss = 8,
	.window_shrunk = 0.7, .clock_band = 0.03, .clock_jitter = 150 * US, .clock_times = 3,
	.clock_sure = 32, .pacer_quantum = 1500 * US, .pacer_mss = 4, .flight_fallen = 0.6, .wake_max = 1 * MS, .hold_rtts = 0.5, .hold_min = 2 * MS,
	.queue_rtts = 1.25, .queue_min = 1 * MS, .queue_samples = 4, .queue_flight_mss = 4,
	.queue_rate = 0.5, .full_rate = 0.85,
	.tuning_flight = 1.4, .tuning_window = 1.3, .grown_one = 1.4, .grown_two = 1.9,
	.dry_mss = 2, .dry_flight = 0.25, .dry_min = 2 * MS, .dry_spacings = 3,
	.dry_short_rtt = 8 * MS, .dry_short_rtts = 0.25,
	.small_per_mss = 8, .bursts = 4, .bursts_around = 8, .burst_rounds = 4,
	.released_share = 0.3, .even_p90 = 1.5, .even_p10 = 0.6,
	.growth_mss = 0.9, .growth_rounds = 4, .window_wide = 1.5, .smooth_rounds = 8,
	.probe_rtt_mss = 4, .probe_rtt_max = 400 * MS, .probe_rtt_every = 4500 * MS,

	.train_mss = 8, .train_max_mss = 16, .train_slowdown = 0.7, .trains = 8,
	.trains_agree = 1.5, .plateau_rounds = 8, .plateau_band = 0.1, .plateau_flight = 1.25, .pairs = 50, .pair_fine = 400 * US, .pair_window = 1500 * US,
	.pair_window_rtts = 0.25,
};

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t tw_tolerance(int64_t min_rtt)
{
	int64_t e = min_rtt / tw_thresholds.tolerance_part;

	if (e < tw_thresholds.tolerance_min)
		return tw_thresholds.tolerance_min;
	return e < tw_thresholds.tolerance_max ? e : tw_thresholds.tolerance_max;
}

int64_t tw_tolerance_of(int64_t min_rtt, int64_t gap)
{
	int64_t e = tw_tolerance(min_rtt), most = larger(e, min_rtt / 2);
	int64_t share = larger(e, (int64_t)(tw_thresholds.tolerance_stall_share * (double)gap));

	return share < most ? share : most;
}
