/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/resend.h"

#include "flow/event.h"

enum {
	DUP_THRESHOLD = 3,
	MIN_TIMER_NS = 150000000, /* Linux's floor is 200 ms, others go lower; see below */
};

static void enter(struct tw_direction *d, enum tw_recovery recovery)
{
	struct tw_trouble *t = tw_direction_trouble(d);

	if (!t)
		return;
	d->recovery = (uint8_t)recovery;
	t->recover = d->board.nxt;
}

/* The timer classes: nothing but time explains the resend. */
static enum tw_resend_class by_timer(struct tw_direction *d, int64_t from, int64_t to,
				     uint32_t mss, bool sack)
{
	struct tw_trouble *t = tw_direction_trouble(d);
	bool again = t && t->last_timer_from == from && d->last_news_at < t->last_resend_at;
	bool highest = to >= d->board.nxt;

	if (t)
		t->last_timer_from = from;
	if (again) {
		enter(d, TW_RECOVERY_TIMEOUT);
		tw_scoreboard_lose_all(&d->board, from, to);
		return TW_RESEND_RTO_BACKOFF;
	}
	/*
	 * A probe sends the highest segment, a timeout the first unacknowledged one. Where they are
	 * the same, Linux with SACK probes first (tcp_schedule_loss_probe: at the RTO at the latest),
	 * so the first is the probe.
	 */
	if (highest && sack && (from > d->board.una || to - from <= mss))
		return TW_RESEND_TLP;
	enter(d, TW_RECOVERY_TIMEOUT);
	tw_scoreboard_lose_all(&d->board, from, to);
	return TW_RESEND_RTO;
}

enum tw_resend_class tw_resend_classify(struct tw_direction *d, int64_t from, int64_t to,
					int64_t at, uint32_t mss, bool sack,
					const struct tw_sent *sent)
{
	const struct tw_scoreboard *b = &d->board;
	/* Where the bytes are acknowledged already, their own time is forgotten: the last send's, then. */
	int64_t sent_at = sent->last_at == TW_NO_TIME ? d->last_sent_at : sent->last_at;
	int64_t quiet_from = sent_at > d->last_news_at ? sent_at : d->last_news_at;
	int64_t waited = quiet_from == TW_NO_TIME ? 0 : at - quiet_from;
	int64_t timer = tw_rtt_rto(&d->rtt);
	int64_t above = b->fack - to;

	if (d->has_window && d->window == 0 && to - from <= 1)
		return TW_RESEND_PERSIST;
	/* Silence of most of a timeout, or a repetition with no ACK since, is a timer's doing. */
	if (waited >= timer - timer / 4 && waited >= MIN_TIMER_NS)
		return by_timer(d, from, to, mss, sack);
	if (d->recovery == TW_RECOVERY_TIMEOUT && from < d->trouble->recover)
		return waited >= timer - timer / 4 && waited >= MIN_TIMER_NS ?
			by_timer(d, from, to, mss, sack) : TW_RESEND_RTO_REPAIR;
	if (sack && b->sacked > 2 * mss && above > 0) {
		if (d->recovery != TW_RECOVERY_FAST)
			enter(d, TW_RECOVERY_FAST);
		return TW_RESEND_FAST_SACK;
	}
	if (d->dup_acks >= DUP_THRESHOLD) {
		if (d->recovery != TW_RECOVERY_FAST)
			enter(d, TW_RECOVERY_FAST);
		return TW_RESEND_FAST_DUPACK;
	}
	if (b->sacked && above > 0) {
		if (d->recovery != TW_RECOVERY_FAST)
			enter(d, TW_RECOVERY_FAST);
		return TW_RESEND_FAST_RACK;
	}
	if (d->recovery == TW_RECOVERY_FAST && from < d->trouble->recover)
		return sack ? TW_RESEND_FAST_SACK : TW_RESEND_FAST_DUPACK;
	/* A probe at two round trips, earlier than any timeout (RFC 8985 section 7.2). */
	if (sack && to >= b->nxt && d->rtt.srtt && waited >= d->rtt.srtt + d->rtt.srtt / 2)
		return by_timer(d, from, to, mss, sack);
	if (waited >= MIN_TIMER_NS && d->rtt.srtt && waited >= d->rtt.srtt * 2)
		return by_timer(d, from, to, mss, sack);
	return TW_RESEND_UNKNOWN;
}

static void prove(struct tw_direction *d, struct tw_resent *r, enum tw_spurious_proof proof)
{
	if (r->spurious & (1u << proof))
		return;
	if (!r->spurious)
		d->trouble->needless++;
	r->spurious |= (uint8_t)(1u << proof);
	tw_marks_add(&d->trouble->spurious[proof], r->packet, r->at);
}

void tw_resend_note(struct tw_direction *d, int64_t from, int64_t to, uint64_t packet, int64_t at,
		    uint32_t tsval, bool newer_tsval, bool acked)
{
	struct tw_trouble *t = tw_direction_trouble(d);
	struct tw_resent *r;

	if (!t)
		return;
	r = &t->recent[t->n_recent++ % TW_RECENT_RESENDS];
	*r = (struct tw_resent){ .from = from, .to = to, .packet = packet, .at = at,
				 .tsval = tsval, .newer_tsval = newer_tsval, .answered = acked };
	t->n_unanswered++;
	if (acked)
		prove(d, r, TW_SPURIOUS_ACKED);
}

static unsigned recent_count(const struct tw_trouble *t)
{
	return t->n_recent < TW_RECENT_RESENDS ? t->n_recent : TW_RECENT_RESENDS;
}

void tw_resend_acked(struct tw_direction *d, int64_t to, int64_t at, bool has_ts, uint32_t tsecr)
{
	struct tw_trouble *t = d->trouble;
	unsigned left = 0;

	for (unsigned i = 0; i < recent_count(t); i++) {
		struct tw_resent *r = &t->recent[i];

		if (r->answered)
			continue;
		if (r->to > to || at < r->at) {
			left++;
			continue;
		}
		r->answered = true;
		if (has_ts && r->newer_tsval && tsecr && (int32_t)(tsecr - r->tsval) < 0)
			prove(d, r, TW_SPURIOUS_EIFEL);
	}
	t->n_unanswered = left;
}

bool tw_resend_dsacked(struct tw_direction *d, int64_t left, int64_t right, int64_t at)
{
	struct tw_trouble *t = d->trouble;

	if (!t)
		return false;
	for (unsigned i = 0; i < recent_count(t); i++) {
		struct tw_resent *r = &t->recent[i];

		if (left < r->to && right > r->from && at >= r->at &&
		    !(r->spurious & (1u << TW_SPURIOUS_DSACK))) {
			prove(d, r, TW_SPURIOUS_DSACK);
			return true;
		}
	}
	return false;
}
