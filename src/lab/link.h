/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction of an emulated path: frames enter at one end and leave at the other, later,
 * changed, twice or never. Pure: no clock, no socket, no randomness but its seed; time arrives with
 * the calls, so that the same frames at the same instants always meet the same fate.
 */
#ifndef TW_LAB_LINK_H
#define TW_LAB_LINK_H

#include <stdbool.h>
#include <stdint.h>

struct tw_link;
struct tw_link_options; /* lab/path.h */

enum { TW_LINK_FRAME_MAX = 65536 + 64 };

/* A frame on its way out; `bytes` is the link's, valid until the next call on it. */
struct tw_link_frame {
	const uint8_t *bytes; /* Ethernet */
	uint32_t n;
	uint64_t number;      /* 1-based count of frames entered */
	int64_t entered;      /* ns, the caller's clock */
	int64_t passed;       /* when its last bit had left the queue (the bottleneck's far side) */
	int64_t due;          /* when it is to arrive */
};

/*
 * `options` is copied. The same seed and the same calls give the same results. The two links of a
 * path take the same seed: seqrand needs it, and the chances of the two directions differ all the
 * same. -ENOMEM, -EINVAL.
 */
int tw_link_new(struct tw_link **out, const struct tw_link_options *options, uint64_t seed);
void tw_link_free(struct tw_link *link);

/*
 * A frame at the near end at `now` (never decreasing; an earlier time counts as the latest one);
 * copied. -EMSGSIZE, -ENOMEM, nothing is counted then; a drop is 0, counted.
 */
int tw_link_enter(struct tw_link *link, int64_t now, const uint8_t *frame, uint32_t n);

/*
 * When the next frame is due; INT64_MAX where none waits. With `thin` a withheld ACK may make this
 * earlier than the frame it promises: tw_link_leave then gives NULL, and the next due time is
 * later.
 */
int64_t tw_link_due(const struct tw_link *link);

/* The next frame due by `now`, in order of its due time; NULL where none is. */
const struct tw_link_frame *tw_link_leave(struct tw_link *link, int64_t now);

/*
 * What the link sends back to its near end (ICMP: fragmentation needed), at once; NULL where
 * nothing is left. Ask after each tw_link_enter and tw_link_leave: few are kept.
 */
const struct tw_link_frame *tw_link_reply(struct tw_link *link);

/*
 * Counts so far. Each drop has one reason, so that
 * entered + duplicated = left + the six dropped_ before dropped_memory + waiting.
 */
struct tw_link_figures {
	uint64_t entered, left, bytes_entered, bytes_left; /* frames and their bytes */
	uint64_t dropped_queue, dropped_loss, dropped_policer;
	uint64_t dropped_mtu, dropped_outage, dropped_thinned;
	uint64_t dropped_memory; /* of dropped_queue: at the ceiling `memory`, not the queue's limit */
	uint64_t waiting;        /* frames in the link, copies included */
	uint64_t marked_ce, duplicated, rewritten, replies;
	uint64_t reordered;       /* frames chosen by `reorder` that did change places with another */
	uint64_t replies_dropped; /* not made: nobody had taken the ones before, or no memory */
	uint64_t forgotten;       /* connections that loss by rule or thinning lost sight of: too many */
	uint32_t queue_max;       /* bytes, the frame being sent included */
};
void tw_link_figures(const struct tw_link *link, struct tw_link_figures *out);

#endif
