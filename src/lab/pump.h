/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carries frames between the two ends of the path through two emulated links, at the instants that
 * these say, and keeps account of how well it did.
 *
 * One clock, CLOCK_MONOTONIC, for the links and the captures (those add what it was behind the time
 * of day when the pump was made): a step of the time of day during a run would otherwise be a delay
 * of the path, or packets that arrive before they were sent. A frame enters its link when the
 * kernel received it, however late the pump looks. Hosts that stand still (lab/freeze.h) do so here:
 * between the link and the host, and its capture.
 */
#ifndef TW_LAB_PUMP_H
#define TW_LAB_PUMP_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "lab/capture.h"
#include "lab/host.h"
#include "lab/link.h"
#include "lab/path.h"

struct tw_pump;

struct tw_pump_options {
	const struct tw_path *path; /* copied */
	uint64_t seed;
	int ends[TW_HOST_COUNT]; /* of tw_hosts_path(); the pump's, also on failure */
};

int tw_pump_new(struct tw_pump **out, const struct tw_pump_options *options,
		struct tw_error *error);
void tw_pump_free(struct tw_pump *pump);

/* To be added to the pump's times to make them nanoseconds since 1970. */
int64_t tw_pump_offset(const struct tw_pump *pump);

/*
 * What the pump shows its frames to, borrowed until they are replaced by NULL: all that leaves or
 * reaches a host, and what passed the bottleneck. Each may be NULL.
 */
struct tw_pump_captures {
	struct tw_capture *host[TW_HOST_COUNT];
	struct tw_capture *path;
};
void tw_pump_show(struct tw_pump *pump, const struct tw_pump_captures *captures);

/* Until when tw_pump_run() runs, in ns on CLOCK_MONOTONIC and of time; INT64_MAX: not by this. */
struct tw_pump_until {
	int64_t instant;
	int64_t quiet; /* nothing on the path, and nothing came for this long */
};

enum tw_pump_stop { TW_PUMP_READY, TW_PUMP_INSTANT, TW_PUMP_QUIET };

/*
 * Carries frames until one of the descriptors in `watch` is ready (their revents are set) or
 * `until`. Returns an enum tw_pump_stop, or a negative errno: without memory, or an end of the path
 * is gone.
 */
int tw_pump_run(struct tw_pump *pump, struct pollfd *watch, unsigned n_watch,
		const struct tw_pump_until *until);

/* The longest that a frame was on the path so far, both directions together: ns. */
int64_t tw_pump_round_trip(const struct tw_pump *pump);

/* One direction, by its sender. */
struct tw_pump_figures {
	struct tw_link_figures link;
	double rate;      /* bit/s of what left, from its first to its last frame; 0 below two */
	double rate_peak; /* the same over the best tenth of a second; 0 below two of them */
	int64_t late_median, late_p99,
		late_max;  /* ns from when a frame was due to when it was sent */
	uint64_t overrun;  /* frames that found the ring full */
	uint64_t cut;      /* frames too long for the ring: offloads are on */
	uint64_t unsummed; /* frames without a checksum: the same */
	uint64_t unmade;   /* frames that lab/segment.h can make nothing of, those cut as well: lost */
	uint64_t super;    /* super-packets, of which `segments` were made */
	uint64_t segments;
	uint64_t unsent;   /* frames that the device did not take */
};
void tw_pump_figures(struct tw_pump *pump, enum tw_host sender, struct tw_pump_figures *out);

/* Whether the pump has real-time priority: else it waits for its turn on a busy machine. */
bool tw_pump_is_real_time(const struct tw_pump *pump);

#endif
