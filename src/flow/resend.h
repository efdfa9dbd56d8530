/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a segment was sent again, judged by the sender's state at that moment. */
#ifndef TW_FLOW_RESEND_H
#define TW_FLOW_RESEND_H

#include "flow/direction.h"

/*
 * The class of a resend of [from, to) at `at`, which `sent` describes. `sack` tells whether both
 * ends permit SACK. Updates the direction's recovery state. RFC 5681 section 3.2 (three duplicate
 * ACKs), RFC 6675 section 4 (more than 2 MSS SACKed), RFC 8985 (RACK, tail-loss probe), RFC 6298.
 */
enum tw_resend_class tw_resend_classify(struct tw_direction *d, int64_t from, int64_t to,
					int64_t at, uint32_t mss, bool sack,
					const struct tw_sent *sent);

/* Notes a resend for the judgement whether it was needed; allocates trouble. */
void tw_resend_note(struct tw_direction *d, int64_t from, int64_t to, uint64_t packet, int64_t at,
		    uint32_t tsval, bool newer_tsval, bool acked);

/* An ACK covers everything below `to`: Eifel detection (RFC 3522) where it echoes a timestamp. */
void tw_resend_acked(struct tw_direction *d, int64_t to, int64_t at, bool has_ts, uint32_t tsecr);

/* The receiver reported [left, right) as a duplicate (RFC 2883). Returns whether a resend fits. */
bool tw_resend_dsacked(struct tw_direction *d, int64_t left, int64_t right, int64_t at);

#endif
