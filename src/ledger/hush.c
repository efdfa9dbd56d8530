/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/hush.h"

enum { THAW_SENDS = 16 }; /* beyond these comes what was sent later anyway: a probe, the next flight */

/* The latest stall, whose round may have been put behind it. */
static struct tw_stall *newest_stall(struct tw_side *s)
{
	for (uint16_t i = s->items.n; i > 0 && i + 2 > s->items.n; i--)
		if (s->items.at[i - 1].kind == TW_ITEM_STALL)
			return &s->items.at[i - 1].stall;
	return NULL;
}

static struct tw_hush *hush_of(struct tw_side *s)
{
	struct tw_meters *meters = tw_side_meters(s);

	return meters ? &meters->hush : NULL;
}

/* Ticks of a clock, as a file claims them: the sum stays within its type. */
static void add_ticks(int32_t *sum, int32_t ticks)
{
	if (*sum >= 0 && ticks >= 0)
		*sum = *sum > INT32_MAX - ticks ? INT32_MAX : *sum + ticks;
}

/*
 * A host that thaws hands on what it held all at once, and may send before it has taken that in: then
 * the stall has ended already. The first ACK may have been made before: the next few count as well.
 */
void tw_hush_ended(struct tw_side *s, const struct tw_event *e, bool ends)
{
	struct tw_hush *hush = hush_of(s);
	struct tw_stall *stall = newest_stall(s);
	struct tw_quiet *q;

	if (!hush)
		return;
	q = &hush->quiet;
	if (ends)
		*q = (struct tw_quiet){
			.from = s->heard_at, .to = e->at, .sent_ticks = e->sent_ticks,
			.outstanding = e->outstanding,
			.whole = e->newly_acked && !e->hole && e->missed <= 2 * e->mss,
		};
	else if (!q->to || e->at - q->to > tw_thresholds.host_thaw)
		return;
	else
		add_ticks(&q->sent_ticks, e->sent_ticks);
	if (stall && stall->to > q->from && q->to - stall->to <= tw_thresholds.host_thaw)
		stall->quiet = *q;
}

void tw_hush_stall(struct tw_side *s, const struct tw_event *e, struct tw_stall *stall)
{
	bool is_long = e->at - s->sent_at >= tw_thresholds.host_slow;
	struct tw_hush *hush = is_long ? hush_of(s) : s->meters ? &s->meters->hush : NULL;

	if (!hush)
		return;
	if (hush->quiet.to > s->sent_at)
		stall->quiet = hush->quiet;
	hush->thaw_until = is_long ? e->at + tw_thresholds.host_thaw : 0;
	if (is_long)
		hush->thaw_sends = THAW_SENDS;
}

/* The first packet that a host held may be a straggler: those with it count as well. */
void tw_hush_send(struct tw_side *s, const struct tw_event *e)
{
	struct tw_hush *hush = &s->meters->hush;
	struct tw_stall *stall = newest_stall(s);

	if (e->at > hush->thaw_until || !hush->thaw_sends--)
		hush->thaw_until = 0;
	else if (stall && stall->to <= e->at)
		add_ticks(&stall->sent_ticks, e->sent_ticks);
}
