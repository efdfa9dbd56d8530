/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Long silences of a direction, as they pass, and what the clocks in the packets say of how they ended:
 * for the rules of judge_host.c. Part of side.h; out of memory, nothing is noted.
 */
#ifndef TW_LEDGER_HUSH_H
#define TW_LEDGER_HUSH_H

#include "ledger/side.h"
#include "ledger/thresholds.h"

/* Something was heard of the other side, and `ends` a long silence; or comes soon after one. */
void tw_hush_ended(struct tw_side *side, const struct tw_event *ack, bool ends);

/* `send` ended `stall`, the latest item. */
void tw_hush_stall(struct tw_side *side, const struct tw_event *send, struct tw_stall *stall);

/* A send after the one that ended a long stall: while its hush.thaw_until is not 0. */
void tw_hush_send(struct tw_side *side, const struct tw_event *send);

/* Something was heard of the other side. */
static inline void tw_hush_heard(struct tw_side *side, const struct tw_event *ack)
{
	bool ends = side->heard_at != TW_NO_TIME && ack->at - side->heard_at >= tw_thresholds.host_slow;

	if (ends || (side->meters && side->meters->hush.quiet.to))
		tw_hush_ended(side, ack, ends);
	side->heard_at = ack->at;
}

#endif
