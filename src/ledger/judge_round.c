/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds: the one constraint that bounded a round trip of continuous transfer. The rules, in their
 * order, are those of specs/attribution.md; the first that fits decides.
 */
#include "flow/event.h"
#include "ledger/judge.h"
#include "ledger/thresholds.h"

struct docket {
	const struct tw_round *const *round;
	uint32_t n;
	bool first, last;
	const struct tw_bench *bench;
	struct tw_verdict *verdict;
	uint32_t widest; /* window of the rounds judged so far, bytes; 0: none was known */
	uint32_t highest; /* flight of theirs */
};

static void decide(struct tw_verdict *v, enum tw_cause cause, int confidence)
{
	v->cause = (uint8_t)cause;
	v->confidence = (uint8_t)confidence;
}

double tw_round_rate(const struct tw_round *r)
{
	return r->span > 0 ? (double)r->bytes * 1e9 / (double)r->span : 0;
}

/* The flight came within two segments of the window's edge; within one where the window is small. */
static bool is_window_full(const struct tw_round *r)
{
	const struct tw_thresholds *t = &tw_thresholds;
	uint32_t mss = r->window <= t->window_small_mss * r->mss ? t->window_full_small_mss :
		       t->window_full_mss;

	return r->window != UINT32_MAX && r->headroom < (int32_t)(mss * r->mss);
}

bool tw_round_has_queue(const struct tw_round *r, const struct tw_bench *b)
{
	const struct tw_thresholds *t = &tw_thresholds;

	return r->rtt_samples >= t->queue_samples && b->min_rtt > 0 &&
	       (double)r->rtt_min > t->queue_rtts * (double)b->min_rtt + (double)t->queue_min &&
	       r->flight >= t->queue_flight_mss * r->mss &&
	       tw_round_rate(r) > t->queue_rate * b->best_rate;
}

bool tw_round_is_withheld(const struct tw_round *r, const struct tw_bench *b)
{
	const struct tw_thresholds *t = &tw_thresholds;
	double bound = t->hold_rtts * (double)b->min_rtt;

	if (bound < (double)t->hold_min)
		bound = (double)t->hold_min;
	return r->hold - (double)b->peer_reaction > bound;
}

/* Window and flight grow together: autotuning keeps pace, the window is not the bound. */
static bool is_tuning(const struct docket *d, uint32_t i)
{
	const struct tw_round *r = d->round[i], *before;

	if (!i)
		return false;
	before = d->round[i - 1];
	return (double)r->flight >= tw_thresholds.tuning_flight * before->flight &&
	       before->window != UINT32_MAX &&
	       (double)r->window >= tw_thresholds.tuning_window * before->window;
}

/*
 * The receiver once offered much more, and not in a whole round did it again: what fills its buffer is
 * data that its program has not read. (An ACK that goes out before the program wakes up shrinks a
 * window too, but not all those of a round.)
 */
static bool is_shrunk(const struct docket *d, uint32_t i)
{
	return (double)d->round[i]->window <= tw_thresholds.window_shrunk * d->widest;
}

/*
 * Far more was in flight once, and nothing has been lost or marked since: neither the congestion window
 * nor the path shrank. There is less to send.
 */
static bool has_fallen(const struct docket *d, uint32_t i)
{
	const struct tw_round *r = d->round[i];

	return !r->loss_before && (double)r->flight < tw_thresholds.flight_fallen * d->highest;
}

static bool is_grown(const struct docket *d, uint32_t i)
{
	const struct tw_round *r = d->round[i];

	if (r->dry)
		return false;
	if (i && (double)r->flight >= tw_thresholds.grown_one * d->round[i - 1]->flight)
		return true;
	if (i > 1 && (double)r->flight >= tw_thresholds.grown_two * d->round[i - 2]->flight)
		return true;
	/* The first flight is the initial window. */
	return !i && d->first && r->flight >= 4 * r->mss;
}

static bool is_even(const struct tw_round *r)
{
	return r->spacing50 > 0 && r->spacing90 <= (float)tw_thresholds.even_p90 * r->spacing50 &&
	       r->spacing10 >= (float)tw_thresholds.even_p10 * r->spacing50;
}

/* Even, and no more at a time than a pacer lets out; a program writes as much as it likes. */
static bool is_paced(const struct tw_round *r)
{
	const struct tw_thresholds *t = &tw_thresholds;

	return is_even(r) && (r->segments <= t->pacer_mss * r->bursts ||
			      r->spacing50 <= (float)t->pacer_quantum);
}

/* Congestion avoidance: a segment more in a few rounds, and never was it more. */
static bool is_climbing(const struct docket *d, uint32_t i)
{
	const struct tw_round *r = d->round[i];
	uint32_t back = tw_thresholds.growth_rounds;

	if (i < back ||
	    r->flight < d->round[i - back]->flight + tw_thresholds.growth_mss * r->mss)
		return false;
	for (uint32_t j = 0; j < i; j++)
		if (d->round[j]->flight > r->flight)
			return false;
	return true;
}

/*
 * Whether ACKs let the bursts go. A program that writes much at a time makes one burst a round or
 * fewer: then the rounds around are looked at as well, and the program is given time to wake up.
 * (Away from the sender the lag between an ACK and what it let go is a guess, and few prove little.)
 */
static bool is_clocked(const struct docket *d, uint32_t i)
{
	const struct tw_thresholds *t = &tw_thresholds;
	const struct tw_round *r = d->round[i];
	uint32_t bursts = r->bursts, woken = r->woken;

	if (r->own_clock && (2 * r->own_clock >= r->bursts || r->own_clock == UINT8_MAX))
		return false;
	if (bursts >= t->bursts)
		return r->released >= t->released_share * bursts;
	for (uint32_t away = 1; bursts < t->bursts_around && away <= t->burst_rounds; away++) {
		if (i >= away) {
			bursts += d->round[i - away]->bursts;
			woken += d->round[i - away]->woken;
		}
		if (i + away < d->n) {
			bursts += d->round[i + away]->bursts;
			woken += d->round[i + away]->woken;
		}
	}
	return bursts < t->bursts_around || woken >= t->released_share * bursts;
}

/* What the kernel itself said goes before what the wire suggests. */
static bool by_sample(const struct tw_round *r, struct tw_verdict *v)
{
	if (r->sampled & TW_SAMPLED_CUT)
		decide(v, TW_CAUSE_FAST_RECOVERY, 95);
	else if (r->sampled & TW_SAMPLED_WINDOW_FULL)
		decide(v, TW_CAUSE_RECEIVE_WINDOW, 95);
	else if ((r->sampled & TW_SAMPLED_CWND_FULL) && (r->sampled & TW_SAMPLED_SLOW_START))
		decide(v, TW_CAUSE_SLOW_START, 90);
	else if (r->sampled & TW_SAMPLED_CWND_FULL)
		decide(v, TW_CAUSE_CONGESTION_WINDOW, 95);
	else
		return false;
	return true;
}

/* Rules for a sender that neither the window nor the path held. */
static void by_sender(const struct docket *d, uint32_t i, struct tw_verdict *v)
{
	const struct tw_thresholds *t = &tw_thresholds;
	const struct tw_round *r = d->round[i];

	if (v->grown)
		decide(v, TW_CAUSE_SLOW_START, 90);
	else if (r->dry && 2 * r->dry_released > r->dry)
		decide(v, TW_CAUSE_SEND_BUFFER, 60);
	else if (r->dry)
		decide(v, TW_CAUSE_SENDER_APP, 75);
	else if (r->small && r->segments <= t->small_per_mss * r->small)
		decide(v, TW_CAUSE_SENDER_APP, 80);
	else if (r->loss_before)
		decide(v, TW_CAUSE_CONGESTION_WINDOW, 85);
	else if (is_even(r) && has_fallen(d, i))
		decide(v, TW_CAUSE_SENDER_APP, 65);
	else if (!is_clocked(d, i))
		decide(v, is_paced(r) ? TW_CAUSE_PACING : TW_CAUSE_SENDER_APP, 65);
	else if (is_climbing(d, i))
		decide(v, TW_CAUSE_CONGESTION_WINDOW, 70);
	else if (r->window != UINT32_MAX && r->window >= t->window_wide * r->flight)
		decide(v, TW_CAUSE_SEND_BUFFER, 50);
	else
		decide(v, TW_CAUSE_UNKNOWN, 0);
}

static void judge(const struct docket *d, uint32_t i)
{
	const struct tw_round *r = d->round[i];
	const struct tw_bench *b = d->bench;
	struct tw_verdict *v = &d->verdict[i];
	bool full_here = is_window_full(r), full_near = full_here, full, repair;

	*v = (struct tw_verdict){ .window_full = full_here, .queue = tw_round_has_queue(r, b),
				  .grown = is_grown(d, i) };
	if (i && is_window_full(d->round[i - 1]))
		full_near = true;
	if (i + 1 < d->n && is_window_full(d->round[i + 1]))
		full_near = true;
	full = v->queue ||
	       (b->capacity > 0 && tw_round_rate(r) >= tw_thresholds.full_rate * b->capacity);
	if (r->sampled && by_sample(r, v))
		return;
	/* Without an ACK nobody knows what was in flight, nor for how long. */
	if (b->one_way) {
		decide(v, TW_CAUSE_UNKNOWN, 0);
		return;
	}
	repair = r->hole || (r->resend && !b->nothing_lost);
	if (repair && !(full && !full_here)) {
		decide(v, TW_CAUSE_FAST_RECOVERY, 90);
		return;
	}
	if (repair)
		decide(v, TW_CAUSE_LINK_RATE, 80);
	else if (full_near && tw_round_is_withheld(r, b) && !is_tuning(d, i))
		decide(v, TW_CAUSE_RECEIVER_APP, 85);
	else if (full_here && is_shrunk(d, i))
		decide(v, TW_CAUSE_RECEIVER_APP, 80);
	else if (full_here && v->queue)
		/* The window's worth stands in a queue: a larger one would only lengthen it. */
		decide(v, TW_CAUSE_LINK_RATE, 75);
	else if (full_here && !is_tuning(d, i))
		decide(v, TW_CAUSE_RECEIVE_WINDOW, 95);
	else if (full)
		decide(v, TW_CAUSE_LINK_RATE, v->queue ? 90 : 85);
	else
		by_sender(d, i, v);
}

/* BBR's ProbeRTT: a flight of four segments for 200 ms, about every ten seconds. */
static void probe_rtt(const struct docket *d)
{
	const struct tw_thresholds *t = &tw_thresholds;
	int64_t last = INT64_MIN;

	for (uint32_t i = 1; i < d->n; i++) {
		uint32_t from = i;

		while (i < d->n && d->round[i]->flight <= t->probe_rtt_mss * d->round[i]->mss)
			i++;
		if (i == from || i == d->n || d->round[from - 1]->flight < 3 * d->round[from]->flight ||
		    d->round[i]->flight < 2 * d->round[from]->flight ||
		    d->round[i]->from - d->round[from]->from > t->probe_rtt_max ||
		    d->round[from]->from - d->round[0]->from < t->probe_rtt_every ||
		    (last != INT64_MIN && d->round[from]->from - last < t->probe_rtt_every))
			continue;
		last = d->round[from]->from;
		for (uint32_t j = from; j < i; j++)
			if (!d->round[j]->resend)
				decide(&d->verdict[j], TW_CAUSE_CONGESTION_WINDOW, 80);
	}
}

static bool is_weak(const struct tw_verdict *v)
{
	return v->cause == TW_CAUSE_PACING || v->cause == TW_CAUSE_UNKNOWN;
}

/* Short runs of weak verdicts between equal ones take these. */
static void smooth(const struct docket *d)
{
	for (uint32_t i = 1; i < d->n; i++) {
		uint32_t from = i;

		while (i < d->n && is_weak(&d->verdict[i]))
			i++;
		if (i == from || i == d->n || i - from >= tw_thresholds.smooth_rounds ||
		    d->verdict[from - 1].cause != d->verdict[i].cause)
			continue;
		for (uint32_t j = from; j < i; j++)
			decide(&d->verdict[j], d->verdict[i].cause, d->verdict[i].confidence / 2);
	}
}

/* Recoveries that nothing had been lost for were the network's reordering. */
static void reordered(const struct docket *d)
{
	if (!d->bench->needless_resends)
		return;
	for (uint32_t i = 0; i < d->n; i++)
		if (d->verdict[i].cause == TW_CAUSE_FAST_RECOVERY ||
		    d->verdict[i].cause == TW_CAUSE_CONGESTION_WINDOW)
			decide(&d->verdict[i], TW_CAUSE_REORDERING, 85);
}

void tw_judge_rounds(const struct tw_round *const *round, uint32_t n, bool first, bool last,
		     const struct tw_bench *bench, struct tw_verdict *verdict)
{
	struct docket d = { .round = round, .n = n, .first = first, .last = last, .bench = bench,
			    .verdict = verdict, .widest = bench->window_before,
			    .highest = bench->flight_before };

	for (uint32_t i = 0; i < n; i++) {
		judge(&d, i);
		if (round[i]->window != UINT32_MAX && round[i]->window > d.widest)
			d.widest = round[i]->window;
		if (round[i]->flight > d.highest)
			d.highest = round[i]->flight;
	}
	/* The end of the data is a small segment of its own, and tells nothing of the program. */
	if (last && n > 1 && round[n - 1]->small == 1 && verdict[n - 1].cause == TW_CAUSE_SENDER_APP)
		decide(&verdict[n - 1], verdict[n - 2].cause, verdict[n - 2].confidence);
	probe_rtt(&d);
	smooth(&d);
	reordered(&d);
}
