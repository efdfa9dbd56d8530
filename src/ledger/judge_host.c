/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hosts that stood still: paused machines, processors taken away, interrupts served late. Every packet
 * comes, but for a while none does, and then all at once. Whose host it was the clocks in the packets
 * tell: an ACK that was sent late is its sender's doing; one that was sent long before was held on its
 * way, here or on the path; and data that echoes an old clock left a host that had not taken in the
 * ACKs that reached it. Without timestamps nothing is said.
 */
#include "flow/event.h"
#include "ledger/judge.h"
#include "ledger/thresholds.h"

/* Beyond this a wait is no round trip, whatever the path does at other times. */
static int64_t patience(const struct tw_bench *b)
{
	const struct tw_thresholds *t = &tw_thresholds;

	return t->host_slow + (int64_t)(t->host_slow_rtts * (double)b->usual_rtt);
}

/* Of `gap`, the share that passed on the sender's clock until what ended it was sent; -1: not known. */
static double share_of(int32_t ticks, double tick, int64_t gap)
{
	return ticks < 0 || tick <= 0 || gap <= 0 ? -1 : ticks * tick / (double)gap;
}

static bool was_held(double share)
{
	return share >= 0 && share <= tw_thresholds.host_held;
}

static bool was_late(double share)
{
	return share >= tw_thresholds.host_late;
}

/* So much is under way that its receiver owes an ACK at once. */
static bool is_owed(uint32_t outstanding, const struct tw_stall *s)
{
	return outstanding >= tw_thresholds.host_mss * s->mss;
}

/* The first stall that lies in the quiet which `last` saw the end of, and was no idle time. */
static uint32_t first_of(const struct tw_item *item, uint32_t last)
{
	uint32_t first = last;

	for (uint32_t i = last; i-- > 0;) {
		if (item[i].kind != TW_ITEM_STALL)
			continue;
		if (item[i].stall.to <= item[last].stall.quiet.from ||
		    !is_owed(item[i].stall.outstanding_b, &item[i].stall))
			break;
		first = i;
	}
	return first;
}

/* Nothing was lost, and the ACK that ended it answers what was sent before it, not a probe in it. */
static bool is_whole(const struct tw_item *item, uint32_t first, uint32_t last)
{
	const struct tw_quiet *q = &item[last].stall.quiet;

	if (!q->whole)
		return false;
	for (uint32_t i = first; i <= last; i++) {
		const struct tw_stall *s = &item[i].stall;

		if (item[i].kind != TW_ITEM_STALL || s->to >= q->to)
			continue;
		if ((s->b_resend && !s->b_highest) || q->outstanding < s->mss)
			return false;
	}
	return true;
}

/*
 * Much was under way, a host acknowledges at least every second segment at once, and nothing came for
 * longer than ever a round trip takes.
 */
static void judge_quiet(const struct tw_item *item, uint32_t last, const struct tw_bench *b,
			struct tw_verdict *verdict)
{
	const struct tw_quiet *q = &item[last].stall.quiet;
	uint32_t first = first_of(item, last);
	const struct tw_stall *begin = &item[first].stall;
	/* Before a flight that follows idle time there was nothing to hear. */
	int64_t from = q->from >= begin->from - b->usual_rtt ? q->from : begin->from;
	double passed = share_of(q->sent_ticks, b->peer_tick, q->to - q->from);
	struct tw_verdict v = { .cause = TW_CAUSE_HOST_SLOW };

	if (q->to - from < patience(b) || !is_whole(item, first, last) ||
	    !is_owed(begin->outstanding_a, begin) ||
	    begin->headroom_a < (int32_t)begin->mss)
		return;
	if (was_late(passed)) {
		v.of_peer = true;
		v.confidence = 75;
	} else if (was_held(passed) && b->at_sender) {
		v.confidence = 55;
	} else {
		return;
	}
	for (uint32_t i = first; i <= last; i++)
		if (item[i].kind == TW_ITEM_STALL)
			verdict[i] = v;
}

/*
 * What the data shows that ended a silence: it left its host long before, and was held on the way here;
 * or it left late, and knows nothing of the ACKs that were there already.
 */
static void judge_send(const struct tw_stall *s, const struct tw_bench *b, struct tw_verdict *verdict)
{
	int64_t gap = s->to - s->from;
	double passed = share_of(s->sent_ticks, b->tick, gap);

	if (b->at_sender || gap < tw_thresholds.host_slow)
		return;
	if (was_late(passed) && s->unheard >= patience(b))
		*verdict = (struct tw_verdict){ .cause = TW_CAUSE_HOST_SLOW, .confidence = 75 };
	else if (was_held(passed) && b->at_receiver && !s->b_resend && !s->id_gap &&
		 gap >= patience(b))
		*verdict = (struct tw_verdict){ .cause = TW_CAUSE_HOST_SLOW, .confidence = 55,
						.of_peer = true };
}

void tw_judge_hosts(const struct tw_item *item, uint32_t n, const struct tw_bench *b,
		    struct tw_verdict *verdict)
{
	if (b->one_way || !b->usual_rtt)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const struct tw_stall *s = &item[i].stall;

		if (item[i].kind != TW_ITEM_STALL || s->interrupted ||
		    verdict[i].cause == TW_CAUSE_RECEIVER_APP)
			continue;
		judge_send(s, b, &verdict[i]);
		if (s->quiet.to)
			judge_quiet(item, i, b, verdict);
	}
}
