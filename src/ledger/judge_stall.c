/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stalls: what released the next transmission, and what held it until then. The rules, in their
 * order, are those of specs/attribution.md; the first that fits decides.
 */
#include "flow/event.h"
#include "ledger/judge.h"
#include "ledger/thresholds.h"

static struct tw_verdict verdict(enum tw_cause cause, int confidence)
{
	return (struct tw_verdict){ .cause = (uint8_t)cause, .confidence = (uint8_t)confidence };
}

/* An ACK took effect just before the send that ended the silence. */
static bool is_released(const struct tw_stall *s, const struct tw_bench *b)
{
	int64_t e = tw_tolerance_of(b->min_rtt, s->to - s->from);

	return s->ack_at != TW_NO_TIME && s->to - s->ack_at <= e;
}

bool tw_is_late_ack(int64_t waited, int64_t min_rtt)
{
	const struct tw_thresholds *t = &tw_thresholds;
	int64_t share = (int64_t)(t->late_ack_rtts * (double)min_rtt);

	return waited > min_rtt + (share > t->late_ack ? share : t->late_ack);
}

static bool is_late_ack(const struct tw_stall *s, const struct tw_bench *b)
{
	return tw_is_late_ack(s->ack_at - s->from, b->min_rtt);
}

bool tw_stall_is_timed(const struct tw_stall *s, const struct tw_bench *b)
{
	const struct tw_thresholds *t = &tw_thresholds;
	int64_t gap = s->to - s->from, e = tw_tolerance_of(b->min_rtt, gap);

	if (!s->b_resend || (s->new_ack_at != TW_NO_TIME && s->to - s->new_ack_at <= e) ||
	    (double)gap <= t->timer_rtts * (double)b->min_rtt)
		return false;
	/*
	 * Too little was SACKed or duplicate-ACKed for a fast retransmission; or it had been one, and
	 * was lost in its turn: then the silence lasts as long as only a timeout does.
	 */
	return (s->sacked < t->sack_threshold_mss * s->mss && s->dup_acks < t->dup_threshold) ||
	       (gap >= t->timer_least && (double)gap > t->timer_lost_rtts * (double)b->min_rtt);
}

bool tw_stall_is_black_hole(const struct tw_stall *s, const struct tw_bench *b)
{
	return !b->nothing_lost && tw_stall_is_timed(s, b) && s->len_b >= tw_thresholds.black_hole_bytes &&
	       s->len_b > b->largest_acked;
}

/*
 * A small segment that left when nothing was outstanding any more: Nagle's rule, whoever's. Data right
 * behind it would have filled it up while it was held, so there must be none.
 */
static bool is_held_small(const struct tw_stall *s, const struct tw_bench *b)
{
	return s->len_b < s->mss && !s->b_resend && !s->followed && is_released(s, b) && s->pure_ack &&
	       s->outstanding_ack == 0 && s->headroom_a >= (int32_t)s->len_b;
}

bool tw_stall_is_bsd_nagle(const struct tw_stall *s, const struct tw_bench *b)
{
	return is_held_small(s, b) && s->len_a >= s->mss;
}

/*
 * Seen from beyond an outage: silence, and then a packet before which others are missing. One resend
 * that was lost as well makes it three timeouts long, more make it longer. Where no full segment ever
 * came through, these may have been too large for the path.
 */
static bool is_lost_on_the_way(const struct tw_stall *s, const struct tw_bench *b)
{
	const struct tw_thresholds *t = &tw_thresholds;
	int64_t timeout = t->timer_least + b->min_rtt;

	return s->id_gap >= t->outage_lost && !is_released(s, b) &&
	       (b->largest_acked >= s->mss || s->len_b >= s->mss) &&
	       (double)(s->to - s->from) > t->outage_timeouts * (double)timeout;
}

/* The peer's window was shut when the silence began, and a window update or a probe ended it. */
static bool is_shut_window(const struct tw_stall *s, const struct tw_bench *b)
{
	(void)b;
	return s->headroom_a < (int32_t)s->mss &&
	       (s->b_probe || (s->window_opened && s->outstanding_ack == 0) ||
		(s->window_opened && s->ack_at != TW_NO_TIME && s->new_ack_at < s->ack_at));
}

/*
 * Room for a part of a segment only, and nothing under way that could bring more: the sender waits for a
 * better window, and sends what fits when its timer ends that (RFC 1122 4.2.3.4; Linux: the probe timer).
 */
static bool is_squeezed(const struct tw_stall *s, const struct tw_bench *b)
{
	return !s->b_resend && s->flight_known && s->outstanding_b == 0 && !is_released(s, b) &&
	       s->headroom_b < (int32_t)s->mss && s->len_b < s->mss &&
	       (int32_t)s->len_b >= s->headroom_b;
}

struct tw_verdict tw_judge_stall(const struct tw_stall *s, const struct tw_bench *b)
{
	const struct tw_thresholds *t = &tw_thresholds;
	int64_t gap = s->to - s->from;
	bool released = is_released(s, b);

	if (s->interrupted)
		return verdict(TW_CAUSE_COUNT, 0); /* part of an outage, or of its round */
	if (s->b_probe && s->headroom_a < (int32_t)s->mss)
		return verdict(TW_CAUSE_RECEIVER_APP, 95);
	if (is_lost_on_the_way(s, b))
		return verdict(TW_CAUSE_PATH_OUTAGE, 65);
	if (!b->nothing_lost && tw_stall_is_timed(s, b)) {
		if (b->black_hole && s->len_b >= t->black_hole_bytes)
			return verdict(TW_CAUSE_MTU_BLACK_HOLE, 80);
		/* Without ACKs nobody knows what was outstanding. */
		if (!b->one_way && (s->outstanding_a <= t->tail_mss * s->mss || s->b_highest))
			return verdict(TW_CAUSE_TAIL_LOSS, 90);
		return verdict(TW_CAUSE_RETRANSMISSION_TIMEOUT, 95);
	}
	if (s->id_gap && (double)gap > t->timer_rtts * (double)b->min_rtt && !released)
		return verdict(TW_CAUSE_TAIL_LOSS, 80);
	if (is_shut_window(s, b) || is_squeezed(s, b))
		return verdict(TW_CAUSE_RECEIVER_APP, 95);
	if (is_held_small(s, b) && (s->len_a < s->mss || b->bsd_nagle))
		return is_late_ack(s, b) ? verdict(TW_CAUSE_NAGLE_DELAYED_ACK, 95) :
		       verdict(TW_CAUSE_NAGLE, 85);
	if (s->outstanding_a <= s->mss && released && is_late_ack(s, b) && s->pure_ack)
		return verdict(TW_CAUSE_DELAYED_ACK, 95);
	if (s->capture_missed)
		return verdict(TW_CAUSE_CAPTURE_GAP, 70);
	if (!s->b_resend && !released && s->outstanding_b == 0 && !s->hole &&
	    s->headroom_b >= (int32_t)s->mss)
		return verdict(TW_CAUSE_SENDER_APP, 90);
	return verdict(TW_CAUSE_COUNT, 0);
}
