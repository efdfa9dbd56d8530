/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which packets are lost on the way: at random, in bursts, and by rule (lab/path.h says what each
 * parameter means). What is not IP and IPv6's neighbour discovery are spared, as a host that does
 * not find its neighbour waits for a second, which no loss on a real path beyond the first router
 * does.
 */
#ifndef TW_LAB_LOSS_H
#define TW_LAB_LOSS_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/headers.h"
#include "lab/path.h"
#include "lab/track.h"

struct tw_loss {
	bool bad; /* the state of the Gilbert-Elliott model */
};

/*
 * Whether frame `number` is lost. `track` is its connection's, NULL where it is no TCP segment or
 * no rule asks for it.
 */
bool tw_loss_hits(struct tw_loss *loss, const struct tw_link_options *options,
		  const struct tw_headers *headers, struct tw_track *track, uint64_t seed,
		  uint64_t number);

/* Whether the rules need tracks. */
bool tw_loss_tracks(const struct tw_link_options *options);

#endif
