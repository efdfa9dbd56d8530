/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/hush.h"
#include "ledger/thresholds.h"

#define BURST_GAP INT64_C(100000)   /* ns: segments of one burst leave closer than this, ... */
#define ARRIVAL_GAP INT64_C(400000) /* ... and come out of a link of 30 Mbit/s so */

void tw_side_init(struct tw_side *s)
{
	*s = (struct tw_side){ .sent_at = TW_NO_TIME, .ack_at = TW_NO_TIME,
			       .new_ack_at = TW_NO_TIME, .heard_at = TW_NO_TIME,
			       .headroom_now = INT32_MAX };
}

void tw_side_release(struct tw_side *s)
{
	free(s->items.at);
	if (s->meters) {
		tw_capacity_release(&s->meters->capacity);
		tw_losses_release(&s->meters->losses);
	}
	free(s->meters);
	free(s->spacings);
}

/* A new item, uninitialised; NULL at the ceiling or without memory. */
static struct tw_item *push(struct tw_side *s)
{
	struct tw_items *items = &s->items;

	if (items->n == items->cap) {
		uint16_t cap = items->cap ? (uint16_t)(items->cap * 2) : 1;
		struct tw_item *grown;

		if (cap > TW_MAX_ITEMS)
			return NULL;
		grown = realloc(items->at, cap * sizeof(*grown));
		if (!grown)
			return NULL;
		items->at = grown;
		items->cap = cap;
	}
	return &items->at[items->n++];
}

void tw_side_drop(struct tw_side *s, uint32_t count)
{
	struct tw_items *items = &s->items;

	if (count > items->n)
		count = items->n;
	if (count < items->n)
		memmove(items->at, items->at + count, (items->n - count) * sizeof(*items->at));
	items->n = (uint16_t)(items->n - count);
}

/* Allocated once a direction has sent enough to have a rate; NULL before, and without memory. */
struct tw_meters *tw_side_meters(struct tw_side *s)
{
	if (!s->meters)
		s->meters = calloc(1, sizeof(*s->meters));
	return s->meters;
}

/* Those of a side that has sent enough to have a rate, or has them already. */
static struct tw_meters *meters_of(struct tw_side *s, const struct tw_event *e)
{
	return e->nxt >= (int64_t)tw_thresholds.train_mss * e->mss ? tw_side_meters(s) : s->meters;
}

static int32_t headroom_of(const struct tw_event *e)
{
	int64_t room;

	if (e->right_edge == INT64_MAX)
		return INT32_MAX;
	room = e->right_edge - e->nxt;
	return room > INT32_MAX - 1 ? INT32_MAX - 1 : room < INT32_MIN ? INT32_MIN : (int32_t)room;
}

static uint32_t window_of(const struct tw_event *e)
{
	int64_t window = e->right_edge - e->una;

	if (e->right_edge == INT64_MAX)
		return UINT32_MAX;
	return window < 0 ? 0 : window >= UINT32_MAX ? UINT32_MAX - 1 : (uint32_t)window;
}

static void add_spacing(struct tw_side *s, int64_t gap)
{
	int bin = gap <= 1000 ? 0 : (int)(4 * log2((double)gap / 1000));

	if (!s->spacings)
		s->spacings = calloc(1, sizeof(*s->spacings));
	if (!s->spacings)
		return;
	if (bin >= TW_SPACING_BINS)
		bin = TW_SPACING_BINS - 1;
	if (s->spacings->bin[bin] < UINT16_MAX)
		s->spacings->bin[bin]++;
	s->spacings->n++;
}

static float spacing_at(const struct tw_spacings *spacings, double q)
{
	uint32_t rank = (uint32_t)(q * (spacings->n - 1) + 0.5), seen = 0;

	for (int bin = 0; bin < TW_SPACING_BINS; bin++) {
		seen += spacings->bin[bin];
		if (seen > rank)
			return (float)(1000 * exp2((bin + 0.5) / 4));
	}
	return 0;
}

static void note_sample(struct tw_side *s, const struct tw_event *e, bool released)
{
	const struct tw_sample *k = e->sample;
	struct tw_round *r = &s->round;
	bool unacked = k->has & TW_SAMPLE_UNACKED_SENT;
	bool open = !(k->has & TW_SAMPLE_SSTHRESH) || k->ssthresh >= TW_SSTHRESH_NOT_SET;

	if (!(k->has & TW_SAMPLE_CWND))
		return;
	if (k->has & TW_SAMPLE_SND_WND && k->snd_wnd <= k->cwnd) {
		if (unacked ? k->unacked_sent + 2 * e->mss > k->snd_wnd : released)
			r->sampled |= TW_SAMPLED_WINDOW_FULL;
	} else if (unacked ? k->unacked_sent + 2 * e->mss > k->cwnd : released) {
		r->sampled |= TW_SAMPLED_CWND_FULL;
	}
	if (open || k->cwnd < k->ssthresh)
		r->sampled |= TW_SAMPLED_SLOW_START;
	if (s->last_sample_cwnd && k->cwnd < s->last_sample_cwnd - s->last_sample_cwnd / 10) {
		r->sampled |= TW_SAMPLED_CUT;
		s->loss_seen = true;
	}
	s->last_sample_cwnd = k->cwnd;
}

static void note_delivery(struct tw_side *s, const struct tw_event *e)
{
	struct tw_round *r = &s->round;
	if (!s->in_round)
		return;
	r->bytes = (uint32_t)s->delivered - s->delivered_before;
	r->span = (float)(e->at - r->from);
	if (e->rtt != TW_NO_TIME) {
		if (!r->rtt_samples || (float)e->path_rtt < r->rtt_min)
			r->rtt_min = (float)e->path_rtt;
		if (r->rtt_samples < UINT16_MAX)
			r->rtt_samples++;
	}
	if ((float)e->hold_age > r->hold)
		r->hold = (float)e->hold_age;
	/* New data: the first byte is acknowledged or SACKed. A resend below SACKed data: acknowledged. */
	if ((s->round.began_resend ? e->una : e->fack) > s->round_first)
		s->round_over = true;
}

void tw_side_ack(struct tw_side *s, const struct tw_event *e)
{
	uint32_t fresh = e->newly_acked + e->newly_sacked;
	int64_t delivered = e->una + e->sacked;

	if (e->ece || e->newly_sacked || e->hole)
		s->loss_seen |= e->ece || e->sacked > 3 * e->mss;
	if (delivered > (int64_t)s->delivered)
		s->delivered = (uint64_t)delivered;
	if (e->largest > s->largest_acked)
		s->largest_acked = e->largest;
	if (fresh) {
		s->new_ack_at = e->at;
		s->freed += fresh;
		if (!s->freed_enough_at && s->in_round) {
			uint32_t enough = tw_thresholds.dry_mss * e->mss;
			uint32_t share = (uint32_t)(tw_thresholds.dry_flight * s->round.flight);

			if (s->freed >= (enough > share ? enough : share))
				s->freed_enough_at = e->at;
		}
	}
	if (fresh || e->window_opened || !e->is_pure || !e->flight_known) {
		s->ack_at = e->at;
		s->ack_packet = e->packet;
		s->pure_ack = e->is_pure;
	}
	s->window_opened |= e->window_opened;
	s->capture_missed |= e->missed > 2 * e->mss;
	s->outstanding_now = e->outstanding;
	s->sacked_now = e->sacked;
	s->dup_acks_now = e->dup_acks > UINT8_MAX ? UINT8_MAX : (uint8_t)e->dup_acks;
	s->hole = e->hole;
	s->heard = true;
	tw_hush_heard(s, e);
	s->headroom_now = headroom_of(e);
	note_delivery(s, e);
	if (e->sample && s->in_round)
		note_sample(s, e, false);
	if (meters_of(s, e)) {
		tw_capacity_ack(&s->meters->capacity, e);
		tw_losses_ack(&s->meters->losses, e);
	}
}

void tw_side_close_round(struct tw_side *s, int64_t at)
{
	struct tw_item *item;

	if (!s->in_round)
		return;
	s->round.to = at;
	if (s->spacings && s->spacings->n >= 3) {
		s->round.spacing10 = spacing_at(s->spacings, 0.1);
		s->round.spacing50 = spacing_at(s->spacings, 0.5);
		s->round.spacing90 = spacing_at(s->spacings, 0.9);
		s->typical_spacing = s->round.spacing50;
	}
	item = push(s);
	if (item) {
		item->kind = TW_ITEM_ROUND;
		item->round = s->round;
	}
	s->in_round = false;
}

static void open_round(struct tw_side *s, const struct tw_event *e)
{
	s->round = (struct tw_round){ .from = e->at, .packet_from = e->packet,
				      .headroom = INT32_MAX, .hold = TW_NO_TIME, .mss = (uint16_t)e->mss,
				      .loss_before = s->loss_seen,
				      .began_resend = e->is_resend };
	s->in_round = true;
	s->round_over = false;
	s->round_first = e->from;
	s->delivered_before = (uint32_t)s->delivered;
	if (s->spacings && s->spacings->n)
		memset(s->spacings, 0, sizeof(*s->spacings));
}

/* Could a rule for stalls apply? What none can claim is the round's, and need not be kept. */
static bool is_candidate(const struct tw_side *s, const struct tw_event *e, uint32_t len)
{
	bool released = s->ack_at != TW_NO_TIME;

	return e->is_resend ||
	       e->id_gap || s->id_gap || s->headroom_a < (int32_t)e->mss || s->capture_missed ||
	       (s->sent_len < e->mss && len < e->mss) ||
	       (released && s->outstanding_a <= e->mss) || !s->outstanding_now ||
	       e->at - s->sent_at >= tw_thresholds.host_slow / 2;
}

/* Most of a silence's losses may stand before a resend that was not needed: see tw_ledger_event. */
static uint16_t larger_gap(uint16_t a, uint16_t b)
{
	return a > b ? a : b;
}

static bool end_stall(struct tw_side *s, const struct tw_event *e, uint32_t len)
{
	struct tw_item *item = push(s);

	if (!item)
		return false;
	item->kind = TW_ITEM_STALL;
	item->stall = (struct tw_stall){
		.from = s->sent_at, .to = e->at,
		.packet_from = s->sent_packet, .packet_to = e->packet,
		.ack_at = s->ack_at, .new_ack_at = s->new_ack_at, .ack_packet = s->ack_packet,
		.sent_ticks = e->sent_ticks, .unheard = e->unheard,
		.seq_from = e->from, .seq_to = e->to,
		.outstanding_a = s->outstanding_a,
		/* Some of b may be old; then this is a little low, and never under 0. */
		.outstanding_b = e->is_resend ? e->outstanding :
				 e->outstanding > len ? e->outstanding - len : 0,
		.outstanding_ack = s->outstanding_now, .sacked = s->sacked_now, .mss = e->mss,
		.headroom_a = s->headroom_a, .headroom_b = s->headroom_now,
		.len_a = s->sent_len, .len_b = len,
		.dup_acks = s->dup_acks_now,
		.b_resend = e->is_resend, .b_highest = e->is_highest, .b_probe = e->is_probe,
		.id_gap = larger_gap(e->id_gap, s->id_gap), .window_opened = s->window_opened, .pure_ack = s->pure_ack,
		.hole = s->hole, .heard = s->heard, .flight_known = e->flight_known,
		.capture_missed = s->capture_missed,
	};
	tw_hush_stall(s, e, &item->stall);
	return true;
}

struct tw_stall *tw_side_last_stall(const struct tw_side *s)
{
	struct tw_item *item;

	if (!s->ended_stall)
		return NULL;
	/* Its round, where that closed with the same send, was put behind it. */
	item = &s->items.at[s->items.n - 1];
	if (item->kind == TW_ITEM_ROUND)
		item = &s->items.at[s->items.n - 2];
	return &item->stall;
}

bool tw_side_interrupt(struct tw_side *s, const struct tw_event *e)
{
	const struct tw_stall *before = tw_side_last_stall(s);
	struct tw_stall after;
	struct tw_item *item;

	if (!before || !before->b_resend || s->new_ack_at != TW_NO_TIME || e->at <= s->sent_at)
		return false;
	after = *before;
	item = push(s);
	if (!item)
		return false;
	after.from = s->sent_at;
	after.to = e->at;
	after.packet_from = s->sent_packet;
	after.packet_to = e->packet;
	after.ack_at = after.new_ack_at = TW_NO_TIME;
	after.outstanding_a = s->outstanding_a;
	after.interrupted = true;
	after.b_resend = false;
	item->kind = TW_ITEM_STALL;
	item->stall = after;
	s->ended_stall = false;
	return true;
}

static void count_released(struct tw_round *r)
{
	if (r->dry_released < UINT8_MAX)
		r->dry_released++;
}

/* The round that the last send's dry spell was counted in: that send may have begun the next one. */
static struct tw_round *round_of_restart(struct tw_side *s)
{
	struct tw_item *last = s->items.n ? &s->items.at[s->items.n - 1] : NULL;

	if (s->round.packet_from == s->sent_packet && last && last->kind == TW_ITEM_ROUND)
		return &last->round;
	return &s->round;
}

/*
 * Bursts that come by a clock of their own: evenly, at a time of which the round trip is no multiple. ACKs
 * come back after a round trip, and what they let go repeats with it; a program's timer does not care.
 */
static bool is_by_own_clock(struct tw_beat *beat, int64_t at, int64_t min_rtt)
{
	const struct tw_thresholds *t = &tw_thresholds;
	double period = beat->at ? (double)(at - beat->at) : 0, before = beat->period;
	double ratio, whole, band = t->clock_band * before;

	if (band < (double)t->clock_jitter)
		band = (double)t->clock_jitter;
	if (before > 0 && period >= before - band && period <= before + band)
		beat->n += beat->n < UINT8_MAX;
	else
		beat->n /= 2; /* a host that was late once is late and early */
	if (!beat->n)
		beat->period = (float)period;
	beat->at = at;
	period = beat->period;
	if (beat->n < t->clock_times || period <= 0)
		return false;
	ratio = (double)min_rtt / period;
	/* Several in each round trip, for many round trips: ACKs are not so even but behind a full link. */
	if (ratio >= 1.5 && beat->n >= t->clock_sure)
		return true;
	whole = ratio < 1 ? 1 : (double)(int64_t)(ratio + 0.5);
	return ratio < whole * (1 - 2 * t->clock_band) || ratio > whole * (1 + 2 * t->clock_band);
}

/*
 * Dry: ACKs freed room, the window was open, and yet nothing was sent for longer than this sender
 * usually takes.
 */
static void note_dry(struct tw_side *s, const struct tw_event *e, uint32_t len, int64_t min_rtt,
		     int64_t e_gap, bool own_clock)
{
	const struct tw_thresholds *t = &tw_thresholds;
	int64_t least = t->dry_min, idle;
	int64_t wake = e_gap < t->wake_max ? e_gap : t->wake_max;
	bool released = !own_clock && s->ack_at != TW_NO_TIME && e->at - s->ack_at <= wake;

	/*
	 * A small segment that an ACK let go is the rest of a write. With more right behind it, the
	 * program had waited for room; alone, it was all that there was.
	 */
	if (s->restarted_small && e->at - s->sent_at <= e_gap)
		count_released(round_of_restart(s));
	s->restarted_small = false;
	if (!s->freed_enough_at || e->is_resend || s->headroom_now < (int32_t)e->mss)
		return;
	if (min_rtt && min_rtt < t->dry_short_rtt)
		least = (int64_t)(t->dry_short_rtts * (double)min_rtt);
	if (s->typical_spacing * t->dry_spacings > (double)least)
		least = (int64_t)(s->typical_spacing * t->dry_spacings);
	idle = e->at - s->freed_enough_at;
	if (idle <= least)
		return;
	if (s->round.dry < UINT8_MAX)
		s->round.dry++;
	if (released && len < e->mss)
		s->restarted_small = true;
	else if (released)
		count_released(&s->round);
}

/* Whether a silence parts this send from the one before: not the time that a burst takes to leave. */
static bool starts_burst(const struct tw_side *s, const struct tw_event *e, int64_t min_rtt, bool arrivals)
{
	int64_t gap = arrivals ? ARRIVAL_GAP : BURST_GAP;
	int64_t near = min_rtt && min_rtt / 10 < gap ? min_rtt / 10 : gap;

	return s->sent_at == TW_NO_TIME || e->at - s->sent_at > near;
}

static void note_burst(struct tw_side *s, const struct tw_event *e, uint32_t len, int64_t promptly,
		       int64_t tolerance, bool own_clock)
{
	if (s->burst_at)
		add_spacing(s, e->at - s->burst_at);
	s->burst_at = e->at;
	if (len < e->mss || e->is_resend || s->round.bursts == UINT16_MAX)
		return;
	s->round.bursts++;
	s->round.own_clock += own_clock && s->round.own_clock < UINT8_MAX;
	if (s->ack_at == TW_NO_TIME)
		return;
	s->round.released += e->at - s->ack_at <= promptly;
	s->round.woken += e->at - s->ack_at <= tolerance;
}

static void count_segments(struct tw_round *r, uint32_t len, uint32_t mss)
{
	/* Nearly every segment is a full one: a division is worth avoiding. */
	uint32_t full = len == mss ? 1 : len / mss, segments = r->segments + full;

	r->segments = segments > UINT16_MAX ? UINT16_MAX : (uint16_t)segments;
	if (len != full * mss && r->small < UINT16_MAX)
		r->small++;
}

static void note_send(struct tw_side *s, const struct tw_event *e, uint32_t len)
{
	struct tw_round *r = &s->round;
	uint32_t window = window_of(e);
	int32_t room = headroom_of(e);

	r->packet_to = e->packet;
	if (e->flight > r->flight)
		r->flight = e->flight;
	if (window > r->window || r->window == 0)
		r->window = window;
	if (room < r->headroom)
		r->headroom = room;
	if (e->is_resend)
		r->resend = true;
	else
		count_segments(r, len, e->mss);
	r->hole |= e->hole;
	s->loss_seen |= e->is_resend && !e->is_probe;
	s->outstanding_a = s->outstanding_now = e->outstanding;
	s->headroom_a = s->headroom_now = room;
	s->sacked_now = e->sacked;
	s->hole = e->hole;
	s->sent_at = e->at;
	s->sent_packet = e->packet;
	s->sent_len = len;
	s->freed = 0;
	s->freed_enough_at = 0;
	s->ack_at = s->new_ack_at = TW_NO_TIME;
	s->window_opened = s->capture_missed = s->heard = false;
	s->id_gap = 0;
}

bool tw_side_ends_round(const struct tw_side *s, const struct tw_event *e)
{
	/* What the kernel did before it cut its window and after are two things. */
	bool cut = e->sample && e->sample->has & TW_SAMPLE_CWND && s->last_sample_cwnd &&
		   e->sample->cwnd < s->last_sample_cwnd - s->last_sample_cwnd / 10;

	return !s->in_round || s->round_over || cut;
}

bool tw_side_send(struct tw_side *s, const struct tw_event *e, int64_t min_rtt, bool arrivals,
		  bool new_turn, int64_t turn_gap)
{
	uint32_t len = (uint32_t)(e->to - e->from);
	int64_t tolerance = tw_tolerance(min_rtt);
	struct tw_stall *before = tw_side_last_stall(s);
	bool stall = false;
	bool fresh_round = new_turn || tw_side_ends_round(s, e);
	bool is_burst = starts_burst(s, e, min_rtt, arrivals);
	/* The end of a write that Nagle held goes when the ACK comes: it says nothing of the next write. */
	bool own_clock = is_burst && s->meters && len >= e->mss && !e->is_resend &&
			 is_by_own_clock(&s->meters->beat, e->at, min_rtt);

	if (before && !new_turn && e->at - s->sent_at <= tolerance && s->ack_at == TW_NO_TIME)
		before->followed = true;
	if (s->meters && s->meters->hush.thaw_until)
		tw_hush_send(s, e);
	s->ended_stall = false;
	if (s->sent_at != TW_NO_TIME && !new_turn && e->at - s->sent_at > tolerance &&
	    is_candidate(s, e, len) && e->flight_known)
		stall = end_stall(s, e, len);
	if (s->in_round && !new_turn)
		note_dry(s, e, len, min_rtt, tolerance, own_clock);
	if (fresh_round) {
		tw_side_close_round(s, e->at);
		open_round(s, e);
		s->round.has_turn = new_turn;
		s->round.turn_gap = turn_gap;
		if (new_turn)
			s->burst_at = 0;
	}
	if (is_burst)
		note_burst(s, e, len, arrivals ? tolerance : BURST_GAP, tolerance, own_clock);
	if (e->sample)
		note_sample(s, e, s->ack_at != TW_NO_TIME);
	if (meters_of(s, e)) {
		if (arrivals)
			tw_capacity_send(&s->meters->capacity, e, min_rtt);
		tw_losses_send(&s->meters->losses, e, s->delivered);
	}
	note_send(s, e, len);
	s->ended_stall = stall;
	return stall;
}
