/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The connection's timeline: who speaks, and what each moment is charged to. One side holds the
 * floor; silence between its sends is its stall or its round's. The floor passes when the other side
 * speaks after everything sent had reached it: a request and its reply. Of the time until then at
 * most a round trip is the path's, the rest is the speaker's application.
 */
#include "ledger/ledger.h"

#include <errno.h>
#include <stdlib.h>

#include "ledger/settle.h"
#include "ledger/whatif.h"

enum { SETTLE_ITEMS = TW_MAX_ITEMS / 2 };

static struct tw_side *side_of(struct tw_ledger *l, int i)
{
	if (!l->side[i]) {
		l->side[i] = &l->own[i];
		tw_side_init(l->side[i]);
	}
	return l->side[i];
}

int tw_ledger_new(struct tw_ledger **out, bool keep_intervals)
{
	struct tw_ledger *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->floor = -1;
	l->keep_intervals = keep_intervals;
	*out = l;
	return 0;
}

void tw_ledger_free(struct tw_ledger *l)
{
	if (!l)
		return;
	for (int i = 0; i < 2; i++)
		if (l->side[i])
			tw_side_release(l->side[i]);
	if (l->books)
		tw_books_release(l->books);
	free(l->books);
	free(l);
}

/*
 * Takes the time of a silence out of its round's charge: the silence is an item of its own, and the
 * round gets it back where no rule claims it. `claimed`: the side held the floor, the time is its own.
 */
static void part_stall(struct tw_side *s, int64_t gap, bool claimed)
{
	struct tw_item *last = &s->items.at[s->items.n - 1];
	struct tw_stall *stall = tw_side_last_stall(s);

	if (!claimed)
		stall->to = stall->from;
	else if (last->kind == TW_ITEM_ROUND)
		last->round.charged -= gap; /* the round closed with it */
	else
		s->round.charged -= gap;
}

/* The side's send goes into its rounds; the time since the floor's last send into the charge. */
static void speak(struct tw_ledger *l, const struct tw_connection *c, const struct tw_event *e,
		  bool new_turn, int64_t turn_gap)
{
	struct tw_side *s = side_of(l, e->side);
	bool claimed;
	int64_t min_rtt = tw_connection_min_rtt(c), gap = e->at - l->clock;
	bool arrivals = !tw_connection_is_at(c, e->side);

	if (s->items.n >= TW_MAX_ITEMS - 2)
		tw_settle(l, c, e->side, SETTLE_ITEMS);
	claimed = l->floor == e->side && !new_turn && s->in_round;
	if (claimed)
		s->round.charged += gap;
	if (tw_side_send(s, e, min_rtt, arrivals, new_turn, turn_gap))
		part_stall(s, gap, claimed);
}

static void begin(struct tw_ledger *l, const struct tw_connection *c, const struct tw_event *e)
{
	l->begun_at = e->at;
	l->floor = (int8_t)e->side;
	l->clock = e->at;
	l->first_packet = e->packet;
	l->first_side = (int8_t)e->side;
	speak(l, c, e, true, 0);
}

/* The other side's message had reached this one: it held the floor since it spoke. */
static void pass_floor(struct tw_ledger *l, const struct tw_connection *c, const struct tw_event *e)
{
	int64_t gap = e->at - l->clock;

	l->floor = (int8_t)e->side;
	speak(l, c, e, true, gap);
	l->clock = e->at;
}

/* Whether the side that holds the floor has nothing of its own under way, as its host knows. */
static bool is_drained(const struct tw_ledger *l, const struct tw_event *e)
{
	return e->acks_all && l->outstanding[l->floor] == 0;
}

static void confirm_turn(struct tw_ledger *l)
{
	l->floor = !l->floor;
	l->clock = l->turn.clock;
	l->turn.pending = false;
}

/*
 * It was no turn: the floor's sender had gone on before it could have heard. What was charged to the
 * other side since is taken back.
 */
static void cancel_turn(struct tw_ledger *l)
{
	struct tw_side *s = l->side[!l->floor];

	l->turn.pending = false;
	if (!s)
		return;
	s->round.charged -= l->turn.clock - l->turn.at;
	if (s->round.charged < 0)
		s->round.charged = 0;
	s->round.turn_gap = 0;
	s->round.has_turn = false;
}

/* It goes on with what may be its turn; a round trip later, or once acknowledged, that is certain. */
static void go_on(struct tw_ledger *l, const struct tw_connection *c, const struct tw_event *e)
{
	struct tw_side *s = l->side[e->side];

	/* A round that has closed cannot be taken back: see cancel_turn. */
	if (!s || tw_side_ends_round(s, e) ||
	    e->at >= l->turn.at + tw_connection_reaction(c, l->floor)) {
		confirm_turn(l);
		speak(l, c, e, false, 0);
		l->clock = e->at;
		return;
	}
	s->round.charged += e->at - l->turn.clock;
	l->turn.clock = e->at;
	speak(l, c, e, false, 0);
}

/* Both sides are busy, and this one has now sent more: the moment becomes the main direction's. */
static void take_over(struct tw_ledger *l, const struct tw_connection *c, const struct tw_event *e)
{
	struct tw_side *s = l->side[l->floor];

	if (s && s->in_round && !(l->clock == s->sent_at && tw_side_interrupt(s, e)))
		s->round.charged += e->at - l->clock;
	speak(l, c, e, false, 0);
	l->floor = (int8_t)e->side;
	l->clock = e->at;
}

/* A send of the side that does not hold the floor. */
static void other_speaks(struct tw_ledger *l, const struct tw_connection *c,
			 const struct tw_event *e)
{
	const struct tw_direction *d = c->direction;

	if (l->turn.pending) {
		go_on(l, c, e);
	} else if (is_drained(l, e)) {
		pass_floor(l, c, e);
	} else if (e->acks_all) {
		l->turn = (struct tw_turn){ .pending = true, .at = e->at, .clock = e->at };
		speak(l, c, e, true, e->at - l->clock);
	} else if (d[e->side].unique_bytes > d[l->floor].unique_bytes) {
		take_over(l, c, e);
	} else {
		speak(l, c, e, false, 0);
	}
}

static void sent(struct tw_ledger *l, const struct tw_connection *c, const struct tw_event *e)
{
	if (l->floor < 0) {
		begin(l, c, e);
		return;
	}
	if (l->turn.pending && l->floor == e->side) {
		if (l->turn.heard)
			confirm_turn(l);
		else
			cancel_turn(l);
	}
	if (l->floor != e->side) {
		other_speaks(l, c, e);
		return;
	}
	speak(l, c, e, false, 0);
	l->clock = e->at;
}

void tw_ledger_expect(const struct tw_ledger *l)
{
	if (!l)
		return;
	for (size_t at = 0; at < sizeof(*l); at += 64)
		__builtin_prefetch((const char *)l + at);
}

void tw_ledger_event(struct tw_ledger *l, const struct tw_connection *c, const struct tw_event *e)
{
	struct tw_side *s = l->side[e->side];

	if (e->kind == TW_EVENT_ACK) {
		l->outstanding[e->side] = e->outstanding;
		if (l->turn.pending && e->side == l->floor && e->outstanding == 0)
			l->turn.heard = true;
		if (!s && !e->flight_known)
			s = side_of(l, e->side);
		if (s)
			tw_side_ack(s, e);
		return;
	}
	if (e->is_late || e->is_unneeded) {
		/* Not sent now, or already acknowledged as the sender knows: no step of the timeline. */
		if (s && s->in_round) {
			s->round.late |= e->is_late;
			s->round.resend |= e->is_unneeded;
		}
		if (s && e->id_gap > s->id_gap)
			s->id_gap = e->id_gap;
		return;
	}
	sent(l, c, e);
	l->outstanding[e->side] = e->outstanding;
}

/* The opening: until the handshake was done, and from there to the first data. */
static void charge_opening(struct tw_ledger *l, const struct tw_connection *c, int64_t end)
{
	int64_t from = c->first, opened = c->opened_at, first = end, h;
	int speaker = 0;

	if (l->floor >= 0) {
		first = l->begun_at < end ? l->begun_at : end;
		speaker = l->first_side;
	}
	if (c->syn_at != TW_NO_TIME || c->opened_at != TW_NO_TIME) {
		if (opened == TW_NO_TIME || opened > first)
			opened = first;
		if (c->last_syn_at != TW_NO_TIME && c->last_syn_at > from) {
			int64_t retried = c->last_syn_at < opened ? c->last_syn_at : opened;

			if (c->opened_at == TW_NO_TIME && l->floor < 0)
				retried = opened; /* never answered */
			tw_charge(l, TW_CAUSE_SYN_RETRY, 0, from, retried, c->first_packet, 0, 95);
			from = retried;
		}
		tw_charge(l, TW_CAUSE_HANDSHAKE, 0, from, opened, c->first_packet, 0, 95);
		if (opened > from)
			from = opened;
	}
	if (l->floor < 0) {
		tw_charge(l, TW_CAUSE_UNKNOWN, 0, from, end, c->first_packet, 0, 0);
		return;
	}
	/* The server's first word waits for the ACK that opens the connection to reach it. */
	h = speaker == 1 ? tw_connection_reaction(c, 1) : 0;
	if (h > first - from)
		h = first - from;
	tw_charge(l, TW_CAUSE_ROUND_TRIP, speaker, from, from + h, 0, l->first_packet, 80);
	tw_charge(l, c->start_seen ? TW_CAUSE_SENDER_APP : TW_CAUSE_UNKNOWN, speaker, from + h,
		  first, 0, l->first_packet, 80);
}

/* The last wait, from the floor's last send to the end. */
static void close_floor(struct tw_ledger *l, const struct tw_connection *c, int64_t end)
{
	struct tw_side *s;
	int64_t left;

	if (l->floor < 0)
		return;
	if (l->turn.pending)
		confirm_turn(l);
	s = l->side[l->floor];
	left = end - l->clock;
	if (s && left > 0 && s->in_round) {
		s->round.charged += left;
		l->books->tail = left;
		l->books->late_tail = s->outstanding_a <= s->sent_len &&
			c->direction[l->floor].done_at >= l->clock &&
			tw_is_late_ack(left, tw_connection_min_rtt(c));
	}
	for (int i = 0; i < 2; i++)
		if (l->side[i])
			tw_side_close_round(l->side[i], end);
}

static int by_time(const void *a, const void *b)
{
	const struct tw_bill_row *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (int)x->cause * 2 + x->side - ((int)y->cause * 2 + y->side);
}

static void fill_row(const struct tw_ledger *l, enum tw_cause cause, int side, struct tw_bill_row *out)
{
	const struct tw_account_row *row = l->books->account.row[cause][side];

	*out = (struct tw_bill_row){
		.cause = cause, .side = side, .party = tw_cause_party(cause), .ns = row->ns,
		.waits_ns = row->waits_ns, .bytes = row->bytes, .intervals = row->intervals,
		.rounds = row->rounds, .confidence = row->weight / (double)row->ns,
		.n_examples = row->n_examples,
	};
	for (unsigned i = 0; i < row->n_examples; i++)
		out->example[i] = row->example[i];
}

/* What each row alone would save. */
static void fill_savings(struct tw_bill *bill)
{
	for (unsigned i = 0; i < bill->n_rows; i++) {
		struct tw_bill_row *row = &bill->rows[i];
		struct tw_whatif w = tw_whatif_rows(bill, (const struct tw_bill_row *const[]){ row }, 1);

		row->saves_ns = bill->duration_ns - w.ns;
		row->at_least = w.at_least;
		row->next = w.next;
	}
}

static int make_rows(const struct tw_ledger *l, struct tw_bill *bill)
{
	unsigned n = 0;

	for (int cause = 0; cause < TW_CAUSE_COUNT; cause++)
		for (int side = 0; side < 2; side++)
			n += l->books->account.row[cause][side] != NULL;
	if (!n)
		return 0;
	bill->rows = calloc(n, sizeof(*bill->rows));
	if (!bill->rows)
		return -ENOMEM;
	for (int cause = 0; cause < TW_CAUSE_COUNT; cause++)
		for (int side = 0; side < 2; side++)
			if (l->books->account.row[cause][side])
				fill_row(l, cause, side, &bill->rows[bill->n_rows++]);
	qsort(bill->rows, n, sizeof(*bill->rows), by_time);
	fill_savings(bill);
	return 0;
}

static void make_figures(struct tw_ledger *l, struct tw_bill *bill)
{
	for (int side = 0; side < 2; side++) {
		struct tw_side_figures *f = &l->books->figures[side];

		f->bill.flight_p90 = (uint64_t)tw_sketch_quantile(&f->flights, 0.9);
		f->bill.queue_median_ns = tw_sketch_quantile(&f->queues, 0.5);
		bill->direction[side] = f->bill;
		if (l->side[side] && l->side[side]->meters)
			tw_losses_figures(&l->side[side]->meters->losses, &bill->direction[side].losses);
		tw_sketch_release(&f->flights);
		tw_sketch_release(&f->queues);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct tw_interval *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static int finish(struct tw_ledger *l, const struct tw_connection *c, struct tw_bill *bill)
{
	struct tw_account *account = &l->books->account;
	int64_t end = tw_connection_end(c);
	int err;

	*bill = (struct tw_bill){ .duration_ns = end - c->first, .after_ns = c->last - end };
	charge_opening(l, c, end);
	close_floor(l, c, end);
	for (int side = 0; side < 2; side++) {
		struct tw_direction_bill *figures = &l->books->figures[side].bill;

		figures->min_rtt = tw_connection_min_rtt(c);
		figures->mss = tw_direction_mss(&c->direction[side]);
		figures->window_max = c->direction[side].window_max;
		if (l->side[side] && tw_settle(l, c, side, UINT32_MAX))
			return -ENOMEM;
	}
	make_figures(l, bill);
	err = account->failed ? -ENOMEM : make_rows(l, bill);
	if (err)
		return err;
	bill->intervals_dropped = account->dropped;
	bill->n_intervals = account->intervals.n;
	bill->intervals = account->intervals.data;
	account->intervals.data = NULL;
	account->intervals.n = account->intervals.cap = 0;
	bill->rounds_dropped = account->rounds_dropped;
	bill->n_rounds = account->rounds.n;
	bill->rounds = account->rounds.data;
	account->rounds.data = NULL;
	account->rounds.n = account->rounds.cap = 0;
	if (bill->n_intervals)
		qsort(bill->intervals, bill->n_intervals, sizeof(*bill->intervals), by_start);
	return 0;
}

int tw_ledger_finish(struct tw_ledger *given, const struct tw_connection *c, struct tw_bill *bill)
{
	struct tw_ledger empty = { .floor = -1 }, *l = given ? given : &empty;
	struct tw_books books; /* most connections need none before */
	int err;

	if (l->books)
		return finish(l, c, bill);
	tw_books_init(&books);
	l->books = &books;
	err = finish(l, c, bill);
	l->books = NULL;
	tw_books_release(&books);
	return err;
}
