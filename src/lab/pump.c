/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/pump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sketch.h"
#include "lab/ring.h"
#include "lab/segment.h"
#include "lab/urgent.h"

enum {
	BATCH = 64, /* frames taken from a ring, or sent, before the other side has its turn */
	WATCH_NS = 2000000,    /* how often descriptors are looked at while frames keep coming */
	SETTLE_NS = 250000000, /* how far the pump may be behind and the captures stay in order */
	PEAK_NS = 100000000,   /* the time over which a peak rate is taken */
};

/* One direction, and the end it comes from. */
struct way {
	struct tw_ring ring; /* of its sender */
	struct tw_link *link;
	struct tw_freeze freeze; /* of its sender */
	int64_t thaws; /* when frames that its sender holds move; 0: it holds none */
	int64_t told; /* the latest time that the link was told */
	struct tw_sketch late;
	int64_t first, last; /* instants of its first and last frame sent */
	uint64_t bytes, bytes_first;
	int64_t slot; /* of the current tenth of a second */
	uint64_t slot_bytes, slot_peak;
	int64_t longest; /* that a frame was under way */
	uint64_t overrun, cut, unsummed, unsent, unmade, super, segments;
};

struct tw_pump {
	struct way way[TW_HOST_COUNT];
	struct tw_pump_captures captures;
	int64_t offset;
	int64_t began;   /* the first frame; 0: none yet */
	int64_t arrived; /* when the last frame came */
	int64_t hold;    /* the longest that a frame may be beyond the bottleneck */
	bool is_urgent, is_real_time;
};

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Any frame may wait for the host that it goes to, beyond all that the link does with it. */
static int64_t longest_hold(const struct tw_link_options *link)
{
	return link->delay + link->jitter + link->reorder_by + link->freeze.length;
}

int tw_pump_new(struct tw_pump **out, const struct tw_pump_options *options, struct tw_error *error)
{
	const struct tw_link_options *links[] = { &options->path->there, &options->path->back };
	struct tw_pump *pump = calloc(1, sizeof(*pump));
	int result = pump ? 0 : -ENOMEM;

	for (unsigned i = 0; i < TW_HOST_COUNT && !pump; i++)
		tw_ring_release(&(struct tw_ring){ .fd = options->ends[i] });
	if (!pump)
		return tw_error_set(error, result, "%s", strerror(-result));
	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		int failed = tw_ring_map(&pump->way[i].ring, options->ends[i]);

		if (!failed)
			failed = tw_link_new(&pump->way[i].link, links[i], options->seed);
		pump->way[i].freeze = links[i]->freeze;
		if (failed && !result)
			result = failed;
		if (longest_hold(links[i]) > pump->hold)
			pump->hold = longest_hold(links[i]);
	}
	if (result) {
		tw_pump_free(pump);
		return tw_error_set(error, result, "cannot set up the path: %s", strerror(-result));
	}
	pump->arrived = read_clock(CLOCK_MONOTONIC);
	pump->offset = read_clock(CLOCK_REALTIME) - pump->arrived;
	pump->is_real_time = tw_urgent_begin();
	pump->is_urgent = true;
	*out = pump;
	return 0;
}

void tw_pump_free(struct tw_pump *pump)
{
	if (!pump)
		return;
	if (pump->is_urgent)
		tw_urgent_end();
	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		tw_ring_release(&pump->way[i].ring);
		tw_link_free(pump->way[i].link);
		tw_sketch_release(&pump->way[i].late);
	}
	free(pump);
}

int64_t tw_pump_offset(const struct tw_pump *pump)
{
	return pump->offset;
}

void tw_pump_show(struct tw_pump *pump, const struct tw_pump_captures *captures)
{
	pump->captures = *captures;
}

/* When `host` moves what is there at `at`. */
static int64_t thaw(const struct tw_pump *pump, enum tw_host host, int64_t at)
{
	if (!pump->began || at == INT64_MAX)
		return at;
	return pump->began + tw_freeze_thaw(&pump->way[host].freeze, at - pump->began);
}

static void show(struct tw_capture *capture, int64_t time, const uint8_t *bytes, uint32_t n)
{
	if (capture)
		tw_capture_add(capture, time, bytes, n);
}

/* Out of the device that leads to `to`. */
static void send_frame(struct tw_pump *pump, struct way *way, enum tw_host to,
		       const struct tw_link_frame *frame)
{
	/*
	 * Read before: the receiver's kernel acts within the call, and its answer may carry a time
	 * before the call returns.
	 */
	int64_t now = read_clock(CLOCK_MONOTONIC);

	if (tw_ring_send(&pump->way[to].ring, frame->bytes, frame->n)) {
		way->unsent++;
		return;
	}
	show(pump->captures.host[to], now, frame->bytes, frame->n);
	show(pump->captures.path, frame->passed, frame->bytes, frame->n);
	/* What a host held leaves at one instant, as fast as can be: that is not late. */
	if (thaw(pump, to, frame->due) == frame->due)
		tw_sketch_add(&way->late, now - frame->due);
	if (now - frame->entered > way->longest)
		way->longest = now - frame->entered;
	if (!way->first) {
		way->first = now;
		way->bytes_first = frame->n;
	}
	way->last = now;
	way->bytes += frame->n;
	if (now / PEAK_NS != way->slot) {
		way->slot = now / PEAK_NS;
		way->slot_bytes = 0;
	}
	way->slot_bytes += frame->n;
	if (way->slot_bytes > way->slot_peak)
		way->slot_peak = way->slot_bytes;
}

/* What a router on the way tells the sender: ICMP. It arrives at once. */
static void send_replies(struct tw_pump *pump, enum tw_host from)
{
	struct way *way = &pump->way[from];
	const struct tw_link_frame *reply;

	while ((reply = tw_link_reply(way->link))) {
		int64_t now = read_clock(CLOCK_MONOTONIC);

		if (tw_ring_send(&way->ring, reply->bytes, reply->n))
			way->unsent++;
		else
			show(pump->captures.host[from], now, reply->bytes, reply->n);
	}
}

/*
 * A frame of a host enters its link as its device would put it on the wire: cut into segments, all
 * at once, by a NIC of infinite speed. How many frames that are, or a negative errno.
 */
static int enter(struct tw_pump *pump, enum tw_host from, int64_t now,
		 const struct tw_ring_frame *frame)
{
	struct way *way = &pump->way[from];
	struct tw_segments segments;
	const uint8_t *bytes;
	uint32_t n;

	if (tw_segments_begin(&segments, &frame->offload, frame->bytes, frame->n)) {
		way->unmade++;
		return 1;
	}
	way->cut += frame->original > frame->n;
	way->unsummed +=
		frame->lacks_checksum && !(frame->offload.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM);
	while ((bytes = tw_segments_next(&segments, &n))) {
		int error = tw_link_enter(way->link, now, bytes, n);

		if (error && error != -EMSGSIZE)
			return error;
		send_replies(pump, from);
	}
	if (frame->offload.gso_type != VIRTIO_NET_HDR_GSO_NONE) {
		way->super++;
		way->segments += segments.count;
	}
	return (int)segments.count;
}

/* Frames that came from a host enter their link. How many, or a negative errno. */
static int take_in(struct tw_pump *pump, enum tw_host from, int64_t now, int64_t day)
{
	struct way *way = &pump->way[from];
	struct tw_ring_frame frame;
	int n = 0;

	way->thaws = 0;
	while (n < BATCH && tw_ring_peek(&way->ring, &frame)) {
		/* By the frame's age. A step of the time of day would be in it: held off below. */
		int64_t entered = now - (day - frame.stamp);
		int made;

		if (entered > now)
			entered = now;
		if (!pump->began)
			pump->began = entered;
		if (thaw(pump, from, entered) > now) {
			way->thaws = thaw(pump, from, entered);
			break;
		}
		entered = thaw(pump, from, entered);
		if (entered < way->told)
			entered = way->told;
		way->told = entered;
		/* As the kernel had it: what its device makes of it is seen further on. */
		show(pump->captures.host[from], entered, frame.bytes, frame.n);
		made = enter(pump, from, entered, &frame);
		tw_ring_done(&way->ring);
		if (made < 0)
			return made;
		n += made;
	}
	if (n)
		pump->arrived = now;
	return n;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* When the next frame from `from` is to reach the other host. */
static int64_t due_from(const struct tw_pump *pump, enum tw_host from)
{
	return thaw(pump, !from, tw_link_due(pump->way[from].link));
}

static int64_t next_due(const struct tw_pump *pump)
{
	return least(due_from(pump, TW_HOST_CLIENT), due_from(pump, TW_HOST_SERVER));
}

/* When a host that holds frames thaws; INT64_MAX where none does. */
static int64_t next_thaw(const struct tw_pump *pump)
{
	int64_t next = INT64_MAX;

	for (unsigned i = 0; i < TW_HOST_COUNT; i++)
		if (pump->way[i].thaws)
			next = least(next, pump->way[i].thaws);
	return next;
}

/* Frames that are due by `now` leave, the earlier first. How many. */
static int let_out(struct tw_pump *pump, int64_t now)
{
	int n = 0;

	for (; n < BATCH && next_due(pump) <= now; n++) {
		enum tw_host from = due_from(pump, TW_HOST_SERVER) == next_due(pump);
		struct way *way = &pump->way[from];
		const struct tw_link_frame *frame = tw_link_leave(way->link, now);

		if (way->told < now)
			way->told = now;
		if (frame)
			send_frame(pump, way, !from, frame);
		send_replies(pump, from);
	}
	return n;
}

static void advance_captures(struct tw_pump *pump, int64_t now)
{
	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		if (pump->captures.host[i])
			tw_capture_advance(pump->captures.host[i], now - SETTLE_NS);
	}
	if (pump->captures.path)
		tw_capture_advance(pump->captures.path, now - SETTLE_NS - pump->hold);
}

/* Sleeps for `ns`, until a frame, or what is watched; 0 looks only. Whether `watch` is ready. */
static bool wait_for(struct tw_pump *pump, struct pollfd *watch, unsigned n_watch, int64_t ns)
{
	enum { MOST = 16 };
	struct pollfd all[TW_HOST_COUNT + MOST];
	const struct timespec timeout = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
	bool is_ready = false;

	n_watch = n_watch < MOST ? n_watch : MOST;
	for (unsigned i = 0; i < TW_HOST_COUNT; i++)
		/* What a frozen host holds stays in the ring: it is no reason to wake up. */
		all[i] = (struct pollfd){ .fd = pump->way[i].ring.fd,
					  .events = pump->way[i].thaws ? 0 : POLLIN };
	for (unsigned i = 0; i < n_watch; i++) {
		all[TW_HOST_COUNT + i] = watch[i];
		all[TW_HOST_COUNT + i].revents = 0;
	}
	if (ppoll(all, TW_HOST_COUNT + n_watch, &timeout, NULL) < 0)
		return false;
	for (unsigned i = 0; i < n_watch; i++) {
		watch[i].revents = all[TW_HOST_COUNT + i].revents;
		is_ready |= watch[i].revents != 0;
	}
	return is_ready;
}

/* One round of what is there to do: how many frames were moved, or a negative errno. */
static int carry(struct tw_pump *pump, int64_t now)
{
	int64_t day = read_clock(CLOCK_REALTIME);
	int moved = 0;

	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		int n = take_in(pump, i, now, day);

		if (n < 0)
			return n;
		moved += n;
	}
	return moved + let_out(pump, now);
}

int tw_pump_run(struct tw_pump *pump, struct pollfd *watch, unsigned n_watch,
		const struct tw_pump_until *until)
{
	int64_t watched = 0, began = read_clock(CLOCK_MONOTONIC);

	for (unsigned i = 0; i < n_watch; i++)
		watch[i].revents = 0;
	for (;;) {
		int64_t now = read_clock(CLOCK_MONOTONIC), next, quiet = INT64_MAX;
		int moved = carry(pump, now);

		if (moved < 0)
			return moved;
		if (moved && now - watched < WATCH_NS)
			continue;
		advance_captures(pump, now);
		watched = now;
		if (now >= until->instant)
			return TW_PUMP_INSTANT;
		next = least(next_due(pump), next_thaw(pump));
		if (next == INT64_MAX && until->quiet != INT64_MAX)
			quiet = (pump->arrived > began ? pump->arrived : began) + until->quiet;
		if (now >= quiet && !moved)
			return TW_PUMP_QUIET;
		/* The time is new: what was moved has taken some. */
		next = least(least(next, quiet), until->instant);
		now = read_clock(CLOCK_MONOTONIC);
		next = moved || next <= now ? 0 : least(next - now, SETTLE_NS);
		if (wait_for(pump, watch, n_watch, next))
			return TW_PUMP_READY;
	}
}

int64_t tw_pump_round_trip(const struct tw_pump *pump)
{
	return pump->way[TW_HOST_CLIENT].longest + pump->way[TW_HOST_SERVER].longest;
}

void tw_pump_figures(struct tw_pump *pump, enum tw_host sender, struct tw_pump_figures *out)
{
	struct way *way = &pump->way[sender];
	double seconds = (double)(way->last - way->first) / 1e9;

	way->overrun += tw_ring_dropped(&way->ring);
	*out = (struct tw_pump_figures){
		.rate = seconds > 0 ? (double)(way->bytes - way->bytes_first) * 8 / seconds : 0,
		.rate_peak =
			seconds < 2e-9 * PEAK_NS ? 0 : (double)way->slot_peak * 8 * (1e9 / PEAK_NS),
		.late_median = tw_sketch_quantile(&way->late, 0.5),
		.late_p99 = tw_sketch_quantile(&way->late, 0.99),
		.late_max = way->late.n ? way->late.max : 0,
		.overrun = way->overrun,
		.cut = way->cut,
		.unsummed = way->unsummed,
		.unsent = way->unsent,
		.unmade = way->unmade,
		.super = way->super,
		.segments = way->segments,
	};
	tw_link_figures(way->link, &out->link);
}

bool tw_pump_is_real_time(const struct tw_pump *pump)
{
	return pump->is_real_time;
}
