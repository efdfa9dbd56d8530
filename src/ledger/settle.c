/* SPDX-License-Identifier: BSD-2-Clause */
/* From rounds and stalls to charges: verdicts, runs of equal ones, what no rule claims. */
#include "ledger/settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/thresholds.h"

int tw_ledger_open_books(struct tw_ledger *l)
{
	if (l->books)
		return 0;
	l->books = malloc(sizeof(*l->books));
	if (!l->books)
		return -ENOMEM;
	tw_books_init(l->books);
	return 0;
}

void tw_books_init(struct tw_books *books)
{
	tw_account_init(&books->account);
	memset(books->figures, 0, sizeof(books->figures));
	books->tail = 0;
	books->late_tail = false;
}

void tw_books_release(struct tw_books *books)
{
	tw_account_release(&books->account);
	for (int side = 0; side < 2; side++) {
		tw_sketch_release(&books->figures[side].flights);
		tw_sketch_release(&books->figures[side].queues);
	}
}

static void charge(struct tw_ledger *l, enum tw_cause cause, int side, int64_t from, int64_t to,
		   uint64_t packet_from, uint64_t packet_to, int confidence, bool is_turn)
{
	struct tw_interval interval = {
		.from = from, .to = to, .packet_from = packet_from, .packet_to = packet_to,
		.cause = (uint8_t)cause, .side = (uint8_t)side, .confidence = (uint8_t)confidence,
		.is_stall = true, .is_turn = is_turn,
	};

	tw_account_charge(&l->books->account, &interval,
			  &(struct tw_amount){ .ns = to - from, .waits_ns = to - from },
			  l->keep_intervals);
	if (to > from)
		l->books->figures[side].bill.duration_ns += to - from;
}

void tw_charge(struct tw_ledger *l, enum tw_cause cause, int side, int64_t from, int64_t to,
	       uint64_t packet_from, uint64_t packet_to, int confidence)
{
	charge(l, cause, side, from, to, packet_from, packet_to, confidence, false);
}

enum rounds { ALL_ROUNDS, BUSY_ROUNDS, QUEUED_ROUNDS };

/* Rates and flights of the rounds that carried enough to have a rate: all, those with data to send, queued. */
static uint32_t collect_rates(const struct tw_side *s, const struct tw_bench *b, enum rounds which,
			      struct tw_rate_flight *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->items.n; i++) {
		const struct tw_item *item = &s->items.at[i];
		const struct tw_round *round = &item->round;

		if (item->kind != TW_ITEM_ROUND || round->bytes < 4 * round->mss ||
		    (which == BUSY_ROUNDS && (round->dry || round->small)) ||
		    (which == QUEUED_ROUNDS &&
		     (!tw_round_has_queue(round, b) || tw_round_is_withheld(round, b))))
			continue;
		out[n++] = (struct tw_rate_flight){ tw_round_rate(round), round->flight };
	}
	return n;
}

/*
 * A reader sets the pace: its windows are full and it holds ACKs back, or what it offers has shrunk. Then
 * the spacing of its ACKs tells of it, not of the path.
 */
static bool is_paced_by_reader(const struct tw_side *s, const struct tw_bench *b)
{
	uint32_t rounds = 0, paced = 0, widest = b->window_before;

	for (uint32_t i = 0; i < s->items.n; i++) {
		const struct tw_round *round = &s->items.at[i].round;

		if (s->items.at[i].kind != TW_ITEM_ROUND)
			continue;
		rounds++;
		paced += tw_round_is_withheld(round, b) ||
			 (double)round->window <= tw_thresholds.window_shrunk * widest;
		if (round->window != UINT32_MAX && round->window > widest)
			widest = round->window;
	}
	return paced && 2 * paced >= rounds;
}

/* The best rate of the rounds, and the capacity where trains tell none but losses say "full". */
static void judge_rates(const struct tw_side *s, struct tw_bench *b)
{
	struct tw_rate_flight *r = malloc((s->items.n + 1) * sizeof(*r));
	double best, queued;

	if (!r)
		return;
	best = tw_rate_high(r, collect_rates(s, b, ALL_ROUNDS, r));
	if (best > b->best_rate)
		b->best_rate = best;
	/* What a link delivers while a queue stands before it is its capacity. */
	queued = tw_rate_median(r, collect_rates(s, b, QUEUED_ROUNDS, r));
	if (queued > 0)
		b->capacity = queued;
	else if (!b->capacity && s->loss_seen)
		b->capacity = tw_capacity_plateau(r, collect_rates(s, b, BUSY_ROUNDS, r));
	free(r);
}

/* Nearly all that was resent was resent fast, and none of it was needed: reordering, not loss. */
static bool is_needless(const struct tw_trouble *t)
{
	uint64_t fast = t->resends[TW_RESEND_FAST_DUPACK].count +
			t->resends[TW_RESEND_FAST_SACK].count + t->resends[TW_RESEND_FAST_RACK].count;

	return t->needless >= 2 && t->needless * 10 >= t->resent_packets * 9 &&
	       fast * 10 >= t->resent_packets * 9;
}

/* What is known of the direction now. The first `count` items will be dropped, the others seen again. */
static struct tw_bench bench_of(struct tw_ledger *l, const struct tw_connection *c, int side,
				uint32_t count)
{
	const struct tw_direction *d = &c->direction[side];
	struct tw_side *s = l->side[side];
	struct tw_side_figures *f = &l->books->figures[side];
	struct tw_bench b = { .min_rtt = tw_connection_min_rtt(c) };
	double confidence;
	uint32_t n = s->items.n, black_holes = 0, bsd_nagles = 0;

	b.peer_reaction = tw_connection_reaction(c, !side);
	b.at_sender = tw_connection_is_at(c, side);
	if (tw_connection_place(c, side, &confidence) == TW_PLACE_UNKNOWN)
		b.at_sender = true;
	if (s->meters)
		b.capacity = tw_capacity_estimate(&s->meters->capacity, b.at_sender);
	b.one_way = !d->acks;
	b.at_receiver = tw_connection_is_at(c, !side);
	b.tick = tw_direction_tick(d);
	b.peer_tick = tw_direction_tick(&c->direction[!side]);
	b.usual_rtt = tw_sketch_quantile(&d->rtts, 0.5);
	b.best_rate = f->bill.best_rate_bps / 8;
	b.largest_acked = s->largest_acked;
	b.window_before = f->window;
	b.flight_before = f->flight;
	if (b.at_sender && is_paced_by_reader(s, &b))
		b.capacity = 0;
	judge_rates(s, &b);
	if (f->black_hole_stalls && f->black_hole_bytes <= b.largest_acked)
		f->black_hole_stalls = 0; /* their like have got through since */
	for (uint32_t i = 0; i < n; i++) {
		const struct tw_item *item = &s->items.at[i];

		if (item->kind == TW_ITEM_ROUND)
			continue;
		if (tw_stall_is_bsd_nagle(&item->stall, &b))
			++*(i < count ? &f->bsd_nagle_stalls : &bsd_nagles);
		if (!tw_stall_is_black_hole(&item->stall, &b))
			continue;
		if (i < count && (!f->black_hole_stalls || item->stall.len_b < f->black_hole_bytes))
			f->black_hole_bytes = item->stall.len_b;
		++*(i < count ? &f->black_hole_stalls : &black_holes);
	}
	f->bill.best_rate_bps = b.best_rate * 8;
	b.black_hole = !b.one_way && f->black_hole_stalls + black_holes >= tw_thresholds.black_hole_times;
	b.bsd_nagle = f->bsd_nagle_stalls + bsd_nagles >= tw_thresholds.bsd_nagle_times;
	b.nothing_lost = d->trouble && d->trouble->resent_packets &&
		d->trouble->needless >= d->trouble->resent_packets && !d->trouble->id_gaps.count;
	b.needless_resends = d->trouble && is_needless(d->trouble);
	return b;
}

/* Rounds with one verdict in a row, being charged as one interval. */
struct run {
	struct tw_interval interval;
	struct tw_amount amount;
	bool open;
};

static void end_run(struct tw_ledger *l, struct run *run)
{
	if (run->open)
		tw_account_charge(&l->books->account, &run->interval, &run->amount, false);
	run->open = false;
}

static void charge_round(struct tw_ledger *l, int side, const struct tw_round *r,
			 const struct tw_verdict *v, int64_t ns, struct run *run)
{
	struct tw_side_figures *f = &l->books->figures[side];

	f->bill.duration_ns += ns;
	if (run->open && run->interval.cause == v->cause) {
		run->interval.to = r->to;
		run->interval.packet_to = r->packet_to;
	} else {
		end_run(l, run);
		*run = (struct run){ .open = true, .interval = {
			.from = r->from, .to = r->to, .packet_from = r->packet_from,
			.packet_to = r->packet_to, .cause = v->cause, .side = (uint8_t)side,
			.confidence = v->confidence, .outstanding = r->flight } };
	}
	run->amount.ns += ns;
	run->amount.rounds++;
	run->amount.bytes += r->bytes;
	if (r->window != UINT32_MAX && r->window > f->window)
		f->window = r->window;
	if (r->flight > f->flight)
		f->flight = r->flight;
	if (ns > 0) {
		f->last_cause = v->cause;
		f->charged = true;
	}
}

static void keep_round(struct tw_ledger *l, int side, const struct tw_round *r,
		       const struct tw_verdict *v, int64_t ns)
{
	const struct tw_judged_round kept = {
		.from = r->from, .to = r->to, .ns = ns, .flight = r->flight, .window = r->window,
		.bytes = r->bytes, .cause = v->cause, .side = (uint8_t)side,
		.confidence = v->confidence, .window_full = v->window_full,
	};

	tw_account_keep_round(&l->books->account, &kept);
}

static void charge_stall(struct tw_ledger *l, int side, const struct tw_stall *s,
			 const struct tw_verdict *v)
{
	int whose = v->of_peer ? !side : side;
	struct tw_side_figures *f = &l->books->figures[whose];
	struct tw_interval interval = {
		.from = s->from, .to = s->to, .packet_from = s->packet_from,
		.packet_to = s->packet_to, .cause = v->cause, .side = (uint8_t)whose,
		.confidence = v->confidence, .is_stall = true, .outstanding = s->outstanding_a,
		.dup_acks = s->dup_acks,
		.waited_ns = s->ack_at == TW_NO_TIME ? 0 : s->ack_at - s->from,
		.released_by = s->ack_at == TW_NO_TIME ? 0 : s->ack_packet,
		/* As tcpdump counts: the direction's first byte is 1. */
		.seq_from = s->seq_from >= 0 ? (uint64_t)s->seq_from + 1 : 0,
		.seq_to = s->seq_to >= 0 ? (uint64_t)s->seq_to + 1 : 0,
	};
	struct tw_amount amount = { .ns = s->to - s->from, .waits_ns = s->to - s->from };

	if (s->to <= s->from)
		return;
	/* A program's pause is counted from its last write, and what that wrote travels meanwhile. */
	if (v->cause == TW_CAUSE_SENDER_APP && s->new_ack_at != TW_NO_TIME && s->new_ack_at > s->from)
		amount.waits_ns = s->to - s->new_ack_at;
	f->bill.stalls++;
	f->bill.duration_ns += s->to - s->from;
	if (v->cause == TW_CAUSE_NAGLE || v->cause == TW_CAUSE_NAGLE_DELAYED_ACK)
		f->bill.small_holds++;
	f->last_cause = v->cause;
	f->charged = true;
	tw_account_charge(&l->books->account, &interval, &amount, l->keep_intervals);
}

/*
 * The other side had spoken: the path takes its round trip, which is what the fastest reaction seen
 * was made of, and the rest is this side's application.
 */
static void charge_turn(struct tw_ledger *l, const struct tw_connection *c, int side,
			const struct tw_round *r)
{
	struct tw_side_figures *f = &l->books->figures[side];
	int64_t path = tw_connection_reaction(c, side), think;
	int64_t began = r->from - r->turn_gap;

	if (r->turn_gap <= 0)
		return;
	f->bill.turns++;
	if (path > r->turn_gap)
		path = r->turn_gap;
	think = r->turn_gap - path;
	f->bill.round_trip_ns += path;
	f->bill.think_ns += think;
	if (think > f->bill.think_longest_ns) {
		f->bill.think_longest_ns = think;
		f->bill.think_packet = r->packet_from;
		f->bill.think_at = r->from;
	}
	charge(l, TW_CAUSE_ROUND_TRIP, side, began, began + path, 0, r->packet_from, 90, true);
	charge(l, TW_CAUSE_SENDER_APP, side, began + path, r->from, 0, r->packet_from, 90, true);
	f->charged = true;
	f->last_cause = think > path ? TW_CAUSE_SENDER_APP : TW_CAUSE_ROUND_TRIP;
}

/* The congestion window as the wire shows it: where it was the bound, the flight filled it. */
static void note_cwnd(struct tw_direction_bill *b, const struct tw_round *r, uint8_t cause)
{
	if (cause == TW_CAUSE_SLOW_START)
		b->phase_last = TW_PHASE_SLOW_START;
	else if (cause == TW_CAUSE_CONGESTION_WINDOW)
		b->phase_last = TW_PHASE_AVOIDANCE;
	else if (cause == TW_CAUSE_FAST_RECOVERY)
		b->phase_last = TW_PHASE_RECOVERY;
	else
		return;
	b->cwnd_last = r->flight;
	if (r->flight > b->cwnd_max)
		b->cwnd_max = r->flight;
}

static void note_figures(struct tw_side_figures *f, const struct tw_round *r,
			 const struct tw_verdict *v, int64_t min_rtt)
{
	struct tw_direction_bill *b = &f->bill;

	b->rounds++;
	b->rounds_grown += v->grown;
	tw_sketch_add(&f->flights, r->flight);
	note_cwnd(b, r, v->cause);
	if (v->window_full && !b->rounds_window_full++) {
		b->first_full_packet = r->packet_from;
		b->first_full_packet_to = r->packet_to;
		b->first_full_at = r->from;
	}
	if (v->queue) {
		int64_t queue = (int64_t)r->rtt_min - min_rtt;

		b->queue_rounds++;
		tw_sketch_add(&f->queues, queue);
		if (queue > b->queue_max_ns) {
			b->queue_max_ns = queue;
			b->queue_packet = r->packet_from;
			b->queue_at = r->from;
		}
	}
}

/* Verdicts on all rounds held; stores them in `verdict`, one per item (stalls: one each as well). */
static int judge_all(struct tw_ledger *l, const struct tw_connection *c, int side,
		     const struct tw_bench *bench, struct tw_verdict *verdict)
{
	struct tw_side *s = l->side[side];
	uint32_t n = s->items.n, rounds = 0;
	const struct tw_round **round = malloc((n + 1) * sizeof(*round));
	struct tw_verdict *given = malloc((n + 1) * sizeof(*given));

	if (!round || !given) {
		free(round);
		free(given);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct tw_item *item = &s->items.at[i];

		if (item->kind == TW_ITEM_ROUND)
			round[rounds++] = &item->round;
		else
			verdict[i] = tw_judge_stall(&item->stall, bench);
	}
	tw_judge_paced(s->items.at, n, verdict);
	tw_judge_hosts(s->items.at, n, bench, verdict);
	tw_judge_outages(s->items.at, n, c->direction[side].board.una, bench, verdict);
	tw_judge_rounds(round, rounds, c->start_seen && !l->books->figures[side].settled, !s->in_round, bench, given);
	rounds = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct tw_item *item = &s->items.at[i];

		if (item->kind == TW_ITEM_ROUND)
			verdict[i] = given[rounds++];
	}
	free(round);
	free(given);
	return 0;
}

/* What the wait for the last acknowledgement was: what came before it, unless it shows more. */
static uint8_t tail_cause(const struct tw_ledger *l, const struct tw_direction *d, int side,
			  const struct tw_verdict *v, int64_t min_rtt)
{
	const struct tw_side_figures *f = &l->books->figures[side];
	uint8_t cause = f->charged ? f->last_cause : v->cause;

	if (tw_direction_is_shut(d))
		return TW_CAUSE_RECEIVER_APP;
	/* Sent again, and never acknowledged: the next timeout was still to come. */
	if (d->done_at < d->last_sent_at && d->acks && tw_direction_last_resend(d) > d->last_news_at)
		return TW_CAUSE_RETRANSMISSION_TIMEOUT;
	/* The capture ends in silence: nothing tells whose. */
	if (d->done_at < d->last_sent_at && l->books->tail > 2 * min_rtt)
		return TW_CAUSE_UNKNOWN;
	if (l->books->late_tail)
		return TW_CAUSE_DELAYED_ACK;
	/* A lone message and its acknowledgement: the path's delay, nothing else. */
	return cause == TW_CAUSE_UNKNOWN ? TW_CAUSE_ROUND_TRIP : cause;
}

static void charge_tail(struct tw_ledger *l, const struct tw_connection *c, int side,
			const struct tw_round *r, const struct tw_verdict *v)
{
	const struct tw_direction *d = &c->direction[side];
	const struct tw_side *s = l->side[side];
	bool acked = d->done_at >= d->last_sent_at && s->ack_at != TW_NO_TIME;
	int64_t tail = l->books->tail;
	struct tw_interval interval = {
		.from = r->to - tail, .to = r->to, .packet_from = r->packet_to,
		.packet_to = acked ? s->ack_packet : r->packet_to,
		.cause = tail_cause(l, d, side, v, tw_connection_min_rtt(c)),
		.side = (uint8_t)side, .confidence = 60, .is_stall = true,
		.outstanding = s->outstanding_a, .waited_ns = acked ? tail : 0,
		.released_by = acked ? s->ack_packet : 0,
	};

	tw_account_charge(&l->books->account, &interval,
			  &(struct tw_amount){ .ns = tail }, l->keep_intervals);
	l->books->figures[side].bill.duration_ns += tail;
}

/* The last round of the side that holds the floor at the end: the tail is part of it. */
static bool is_last(const struct tw_ledger *l, int side, uint32_t i)
{
	return l->books->tail && side == l->floor && i + 1 == l->side[side]->items.n;
}

int tw_settle(struct tw_ledger *l, const struct tw_connection *c, int side, uint32_t count)
{
	struct tw_side *s = l->side[side];
	struct tw_verdict *verdict = malloc((s->items.n + 1) * sizeof(*verdict));
	struct tw_side_figures *f;
	struct tw_bench bench;
	struct run run = { 0 };
	int64_t unclaimed = 0, tail;
	int err = -ENOMEM;

	if (!verdict || tw_ledger_open_books(l))
		goto cleanup;
	f = &l->books->figures[side];
	bench = bench_of(l, c, side, count);
	err = judge_all(l, c, side, &bench, verdict);
	if (err)
		goto cleanup;
	tw_join_outages(s->items.at, count < s->items.n ? count : s->items.n, verdict);
	for (uint32_t i = 0; i < s->items.n && i < count; i++) {
		const struct tw_item *item = &s->items.at[i];

		if (item->kind == TW_ITEM_STALL) {
			if (verdict[i].cause == TW_CAUSE_COUNT) {
				unclaimed += item->stall.to - item->stall.from;
			} else {
				end_run(l, &run);
				charge_stall(l, side, &item->stall, &verdict[i]);
			}
			continue;
		}
		if (item->round.has_turn) {
			end_run(l, &run);
			charge_turn(l, c, side, &item->round);
		}
		note_figures(f, &item->round, &verdict[i], bench.min_rtt);
		tail = is_last(l, side, i) ? l->books->tail : 0;
		unclaimed += item->round.charged - tail;
		charge_round(l, side, &item->round, &verdict[i], unclaimed, &run);
		if (l->keep_intervals)
			keep_round(l, side, &item->round, &verdict[i], unclaimed);
		unclaimed = 0;
		if (tail) {
			end_run(l, &run);
			charge_tail(l, c, side, &item->round, &verdict[i]);
		}
	}
	end_run(l, &run);
	f->settled = true;
	f->bill.capacity_bps = bench.capacity * 8;
	f->bill.min_rtt = bench.min_rtt;
	tw_side_drop(s, count);
	/* What no rule claimed at the cut goes to the next round. */
	if (unclaimed)
		s->round.charged += unclaimed;
	err = 0;
cleanup:
	free(verdict);
	return err;
}
