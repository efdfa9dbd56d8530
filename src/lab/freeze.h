/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host that stands still again and again, as a virtual machine that is paused or whose processor
 * is taken away: what comes to it and what it sends waits, and then moves all at once. Its own capture
 * sees that at the instant it moves; the path, when it passes. Pure: time arrives with the calls.
 *
 * What the lab cannot stop is the host's kernel: its timers run on. A freeze under the least
 * retransmission timeout (200 ms) differs from a real one by probes at the most.
 */
#ifndef TW_LAB_FREEZE_H
#define TW_LAB_FREEZE_H

#include <stdint.h>

enum { TW_FREEZE_EVERY = 1000000000 }; /* ns, where none is given */

struct tw_freeze {
	int64_t length; /* ns; 0: never */
	int64_t every;  /* ns from the end of one to the end of the next; 0: TW_FREEZE_EVERY */
};

/* When the host moves what is there at `at` (ns since its first frame): at once, or when it thaws. */
int64_t tw_freeze_thaw(const struct tw_freeze *freeze, int64_t at);

#endif
