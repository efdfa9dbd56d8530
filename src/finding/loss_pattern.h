/* SPDX-License-Identifier: BSD-2-Clause */
/* What made the losses of a direction, by when they came. Private to src/finding/. */
#ifndef TW_FINDING_LOSS_PATTERN_H
#define TW_FINDING_LOSS_PATTERN_H

#include "finding/detect.h"

enum tw_loss_pattern {
	TW_LOSS_SCATTERED, /* or too few to tell */
	/* At one flight and behind one queue, again and again: the queue was full. */
	TW_LOSS_OVERFLOW,
	/* At one delivered rate, or one flight, before any queue: a token bucket was empty. */
	TW_LOSS_POLICED,
};

enum tw_loss_pattern tw_loss_pattern(const struct tw_case *c, int side);

/* Whether recoveries followed each other at one delivered rate, below what the path let through at once. */
bool tw_losses_share_rate(const struct tw_case *c, int side);

/* How long the queue was when losses came, ns: beyond the least round trip. */
int64_t tw_loss_queue(const struct tw_case *c, int side);

/* The rows that losses cost: the cut window, repairs, timeouts. */
struct tw_claim tw_loss_claim(const struct tw_case *c, int side);

#endif
