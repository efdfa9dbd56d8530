/* SPDX-License-Identifier: BSD-2-Clause */
/* Acknowledgements: read off a packet, kept until they reach the sender, applied there. */
#include <stdlib.h>

#include "flow/resend.h"
#include "flow/steps.h"

enum {
	LAG_JITTER_NS = 100000,      /* of hosts and paths that do nothing else */
	NEAR_SENDER_NS = 100000,     /* reactions under this are a host's, not a path's */
	SANE_SACK = (1 << 30) - 1,   /* a SACK block farther off than any window (RFC 7323: 2^30) */
	MAX_SCALE = 14,              /* RFC 7323 */
	USUAL_UNSCALED = 8192,       /* bytes; windows from here up are common without scaling */
	FIT_MIN_FLIGHT = 6,          /* segments; a smaller peak tells nothing of the window */
	FIT_MIN_SCALED_FLIGHT = 16,  /* segments; where a scale is claimed */
	FIT_HITS = 12,               /* peaks that must fit the same scale ... */
	FIT_PERCENT = 70,            /* ... and their share of those seen meanwhile */
};

/*
 * Looks for the window scale that no SYN told, at a peak of the flight: a sender bound by the window
 * fills raw << scale to within a segment, for one scale, most of the time. A flight bound by anything
 * else comes so near to a power of two times the window only by chance, and the less so the larger.
 */
static void fit_window(struct tw_direction *d, uint32_t mss)
{
	uint32_t peak = tw_scoreboard_outstanding(&d->board);
	uint8_t scale = d->fit_floor;

	if (d->peer_scale_known || !d->raw_window || peak < FIT_MIN_FLIGHT * mss ||
	    d->recovery != TW_RECOVERY_NONE)
		return;
	if (d->scale_fits) {
		/* A flight beyond it refutes what fitted by chance. */
		if (peak > ((uint64_t)d->raw_window << d->peer_scale) + mss &&
		    d->peer_scale < MAX_SCALE) {
			d->fit_floor = d->peer_scale + 1;
			d->scale_fits = false;
			d->fit_tries = d->fit_hits = 0;
		}
		return;
	}
	while (scale < MAX_SCALE && ((uint64_t)d->raw_window << scale) + mss / 2 < peak)
		scale++;
	if (d->fit_tries == UINT8_MAX)
		d->fit_tries = d->fit_hits = 0; /* a new try, with what is known now */
	d->fit_tries++;
	if (((uint64_t)d->raw_window << scale) > peak + (uint64_t)mss ||
	    (scale ? peak < FIT_MIN_SCALED_FLIGHT * mss : d->raw_window < USUAL_UNSCALED))
		return;
	if (scale != d->fit_scale) {
		d->fit_scale = scale;
		d->fit_tries = 1;
		d->fit_hits = 0;
	}
	d->fit_hits++;
	if (d->fit_hits >= FIT_HITS && d->fit_hits * 100 >= d->fit_tries * FIT_PERCENT) {
		d->peer_scale = scale;
		d->scale_fits = true;
	}
}

/*
 * No SYN told the scale. What the flight has shown to fit is used (see fit_window); until then a
 * window of usual unscaled size is taken as it stands while the flight keeps within it. Else nothing
 * is said of the window rather than a wrong "full"; but 0 is 0 at any scale.
 */
static bool infer_window(struct tw_direction *d, uint32_t raw, uint32_t *window)
{
	if (raw > d->raw_window_max)
		d->raw_window_max = raw;
	*window = raw << d->peer_scale;
	if (raw == 0 || d->scale_fits)
		return true;
	return d->raw_window_max >= USUAL_UNSCALED &&
	       d->flight_max <= d->raw_window_max + 2 * tw_direction_mss(d);
}

/* The peer's window in bytes. The scale is known from the SYNs, or inferred. */
static bool scaled_window(struct tw_direction *d, const struct tw_packet *p, uint32_t *window)
{
	if (p->has & TW_WINDOW_UNKNOWN)
		return false;
	if (p->has & TW_WINDOW_IS_SCALED) {
		*window = p->window;
		return true;
	}
	if (p->flags & TW_SYN || d->peer_scale_known) {
		*window = p->window << (p->flags & TW_SYN ? 0 : d->peer_scale);
		return true;
	}
	return infer_window(d, p->window, window);
}

static void read_sack(const struct tw_direction *d, const struct tw_packet *p, struct tw_ack *ack)
{
	for (unsigned i = 0; i < p->n_sack; i++) {
		int64_t left = tw_direction_position(d, p->sack[i].left);
		int64_t right = left + (int32_t)(p->sack[i].right - p->sack[i].left);

		if (right <= left || right - left > SANE_SACK || left - ack->ack > SANE_SACK ||
		    ack->ack - left > SANE_SACK)
			continue;
		/* RFC 2883: a first block below the ACK, or inside the second one, is a DSACK. */
		if (i == 0 && (right <= ack->ack ||
			       (p->n_sack > 1 &&
				(int32_t)(p->sack[0].left - p->sack[1].left) >= 0 &&
				(int32_t)(p->sack[0].right - p->sack[1].right) <= 0)))
			ack->dsack = true;
		ack->sack[ack->n_sack][0] = (int32_t)(left - ack->ack);
		ack->sack[ack->n_sack][1] = (int32_t)(right - ack->ack);
		ack->n_sack++;
	}
}

static void note_window(struct tw_direction *d, const struct tw_packet *p, const struct tw_ack *ack)
{
	if (!ack->has_window || p->flags & (TW_SYN | TW_RST))
		return;
	if (!d->has_window || ack->window < d->window_min)
		d->window_min = ack->window;
	if (!d->has_window || ack->window > d->window_max)
		d->window_max = ack->window;
	d->has_window = true;
	if (ack->window == 0) {
		struct tw_trouble *t = tw_direction_trouble(d);

		tw_marks_add(t ? &t->zero_windows : NULL, p->number, p->ts);
		if (d->zero_since == TW_NO_TIME)
			d->zero_since = p->ts;
	} else if (d->zero_since != TW_NO_TIME) {
		if (d->trouble)
			d->trouble->zero_ns += p->ts - d->zero_since;
		d->zero_since = TW_NO_TIME;
	}
}

/* How ACKs come: only where there are a few is that worth memory. */
static void note_wait(struct tw_direction *d, bool is_delay, int64_t ns)
{
	if (!d->waits) {
		if (d->data_packets < 3 && !d->acks_unknown)
			return;
		d->waits = calloc(1, sizeof(*d->waits));
		if (!d->waits)
			return;
	}
	tw_sketch_add(is_delay ? &d->waits->delays : &d->waits->waits, ns);
}

/* Of many ACKs every eighth tells enough of how they come. */
static bool is_sampled(const struct tw_direction *d)
{
	return d->acks < 1024 || d->acks % 8 == 0;
}

static void count_ack(struct tw_direction *d, const struct tw_packet *p, const struct tw_ack *ack)
{
	d->acks++;
	if (ack->n_sack || (ack->ece && !(p->flags & TW_SYN))) {
		struct tw_trouble *t = tw_direction_trouble(d);

		if (t) {
			t->sack_acks += ack->n_sack > 0;
			t->dsacks += ack->dsack;
			t->ece_acks += ack->ece && !(p->flags & TW_SYN);
		}
	}
	if (!ack->known)
		return;
	if (ack->ack > d->acked_here) {
		if (d->acked_here != INT64_MIN && d->data_packets) {
			const struct tw_segment *s = is_sampled(d) ?
				tw_scoreboard_find(&d->board, ack->ack - 1) : NULL;

			if (s && !(s->flags & (TW_SEG_RESENT | TW_SEG_UNSEEN)))
				note_wait(d, true, p->ts - s->sent_at);
		}
		d->acked_here = ack->ack;
	}
	if (ack->ack >= d->board.nxt && d->last_sent_at != TW_NO_TIME && d->done_at < d->last_sent_at)
		d->done_at = p->ts;
}

static void apply_sack(struct tw_direction *d, const struct tw_ack *ack, uint32_t mss,
		       struct tw_event *e)
{
	unsigned first = 0;

	if (ack->dsack) {
		tw_resend_dsacked(d, ack->ack + ack->sack[0][0], ack->ack + ack->sack[0][1],
				  e->at);
		first = 1;
	}
	for (unsigned i = first; i < ack->n_sack; i++)
		e->newly_sacked += tw_scoreboard_sack(&d->board, ack->ack + ack->sack[i][0],
						      ack->ack + ack->sack[i][1]);
	if (e->newly_sacked)
		tw_scoreboard_mark_lost(&d->board, mss);
}

static void apply_window(struct tw_direction *d, const struct tw_ack *ack, struct tw_event *e)
{
	int64_t edge = d->board.una - e->newly_acked + d->window;

	d->window_known = ack->has_window;
	if (!ack->has_window)
		return;
	if (!e->newly_acked && d->board.una + ack->window > edge && !ack->is_syn && e->is_pure) {
		e->window_opened = true;
		d->window_updates++;
	}
	d->window = ack->window;
}

/* Duplicate ACKs as RFC 5681 section 2 defines them, SACK blocks aside. */
static void count_duplicate(struct tw_direction *d, const struct tw_ack *ack,
			    const struct tw_event *e)
{
	if (e->newly_acked) {
		d->dup_acks = 0;
		return;
	}
	if (ack->known && ack->ack == d->board.una && e->is_pure && !ack->is_syn &&
	    tw_scoreboard_outstanding(&d->board) && (e->newly_sacked || !ack->has_window ||
						      ack->window == d->window) && !ack->dsack) {
		d->dup_acks++;
		d->dup_acks_total++;
	}
}

static void capture_missed(struct tw_direction *d, const struct tw_ack *ack, uint32_t bytes)
{
	struct tw_trouble *t;

	/* The FIN takes a number; one that was not captured is no missing byte. */
	if (bytes == 1 || !d->data_packets)
		return;
	t = tw_direction_trouble(d);
	if (!t)
		return;
	t->capture_missed_bytes += bytes;
	tw_marks_add(&t->capture_missed, ack->packet, ack->at);
}

/*
 * Where the capture sits nearer to the receiver, what its host took to acknowledge beyond its fastest
 * is seen here, and is no delay of the path. `took`: from the data to its ACK, as seen here.
 */
static int64_t receiver_part(const struct tw_connection *c, int side, int64_t took)
{
	int64_t fastest = tw_connection_reaction(c, !side);

	return 2 * fastest < tw_connection_min_rtt(c) && took > fastest ? took - fastest : 0;
}

/* New data is acknowledged: RTT (Karn), recovery, what the capture missed. */
static void apply_advance(struct tw_connection *c, int side, struct tw_direction *d,
			  const struct tw_ack *ack, int64_t to, uint32_t mss, struct tw_event *e)
{
	struct tw_acked acked;
	int64_t before = d->board.una, known_from = tw_direction_begun(d);
	/* A receiver acknowledges at least every second full segment (RFC 9293 section 3.8.6.3). One
	 * that covers more was due when the second came: how long ago is that? */
	int64_t second = ack->known && to - before > 3 * (int64_t)mss ?
		tw_scoreboard_sent_at(&d->board, before + 2 * (int64_t)mss - 1) : TW_NO_TIME;

	tw_scoreboard_ack(&d->board, to, &acked);
	e->newly_acked = acked.bytes;
	e->largest = acked.largest;
	if (!acked.bytes)
		return;
	if (before < known_from && acked.unseen) {
		int64_t earlier = (known_from < to ? known_from : to) - before;

		acked.unseen -= earlier < acked.unseen ? (uint32_t)earlier : acked.unseen;
	}
	if (d->data_packets) {
		d->acked_bytes += acked.bytes;
		d->advancing_acks++;
	}
	if (acked.unseen) {
		e->missed = acked.unseen;
		capture_missed(d, ack, acked.unseen);
	}
	if (acked.sent_at != TW_NO_TIME && !acked.resent) {
		e->acked_sent_at = acked.sent_at;
		if (!acked.was_sacked && ack->known) {
			e->rtt = e->at - acked.sent_at;
			e->path_rtt = e->rtt - receiver_part(c, side, ack->at - acked.sent_at);
			tw_rtt_sample(&d->rtt, e->rtt);
			tw_sketch_add(&d->rtts, e->rtt);
		}
	}
	if (d->trouble && d->trouble->n_unanswered)
		tw_resend_acked(d, to, e->at, ack->has_ts, ack->tsecr);
	if (d->recovery != TW_RECOVERY_NONE && to >= d->trouble->recover)
		d->recovery = TW_RECOVERY_NONE;
	if (second != TW_NO_TIME)
		e->hold_age = ack->at - second;
}

/* The ACK takes effect on the sender at `at`. */
static void apply(struct tw_connection *c, int side, struct tw_direction *d,
		  const struct tw_ack *ack, int64_t at, const struct tw_sample *sample,
		  const struct tw_event_sink *sink)
{
	uint32_t mss = tw_direction_mss(d);
	int64_t to = ack->known ? ack->ack : d->board.nxt;
	struct tw_event e;

	tw_event_begin(&e, TW_EVENT_ACK, at, ack->packet);
	e.is_pure = ack->pure;
	e.sent_ticks = ack->sent_ticks;
	e.ece = ack->ece && !ack->is_syn;
	e.sample = sample;
	/* Without its number an ACK is taken to cover what was sent before it. */
	if (!ack->known)
		d->acks_unknown = true;
	/* The FIN's number is no byte of data. */
	if (to > d->fin_at)
		to = d->fin_at;
	else if (to == d->board.nxt + 1 && d->fin_at == INT64_MAX && d->data_packets)
		to = d->board.nxt;
	if (!d->waited && d->last_sent_at == TW_NO_TIME && !ack->known) {
		/* A table of deltas: its first line's counts from the line before the table. */
		d->waited = true;
		note_wait(d, false, at);
	} else if (d->last_sent_at != TW_NO_TIME && !d->waited && at >= d->last_sent_at) {
		d->waited = true;
		fit_window(d, mss);
		if (is_sampled(d))
			note_wait(d, false, at - d->last_sent_at);
	}
	apply_advance(c, side, d, ack, to, mss, &e);
	if (ack->n_sack)
		apply_sack(d, ack, mss, &e);
	if (e.newly_acked || e.newly_sacked)
		d->last_news_at = at;
	count_duplicate(d, ack, &e);
	apply_window(d, ack, &e);
	d->clock = at;
	tw_event_fill(d, side, &e);
	sink->event(sink->context, c, &e);
}

/* Where the capture sits so near the sender that ACKs take effect as they pass. */
static bool is_immediate(const struct tw_connection *c, int64_t lag)
{
	return lag <= NEAR_SENDER_NS || lag < tw_connection_min_rtt(c) / 20;
}

/*
 * What the ACK lets go may come a little faster than the fastest reaction seen so far, for it may become
 * the fastest itself. Taken for one that left before, it would tell of two flights where there was one.
 */
static int64_t least_lag(int64_t lag)
{
	int64_t part = lag / 20;

	return lag - (part < LAG_JITTER_NS ? part : LAG_JITTER_NS);
}

void tw_step_release(struct tw_connection *c, int side, struct tw_direction *d, int64_t now,
		     const uint32_t *tsecr, const struct tw_event_sink *sink)
{
	int64_t lag = tw_connection_reaction(c, side), least = least_lag(lag), at;
	struct tw_ack *first;

	while ((first = tw_ack_queue_first(&d->queue))) {
		struct tw_ack ack;

		if (now != INT64_MAX &&
		    !tw_ack_in_effect(first, least, now, tsecr, tsecr ? *tsecr : 0))
			break;
		ack = *first;
		tw_ack_queue_pop(&d->queue);
		at = tw_ack_effect(&ack, lag, now, d->echo_at, d->has_echo, d->echo_tsecr);
		if (at > now)
			at = now;
		/* It had not by then, though the smallest lag known has shrunk since. */
		if (at < d->clock)
			at = d->clock;
		apply(c, side, d, &ack, at, NULL, sink);
	}
}

int64_t tw_step_unheard(const struct tw_connection *c, int side, const struct tw_direction *d,
			const struct tw_packet *p)
{
	const struct tw_ack *first = tw_ack_queue_first(&d->queue);
	int64_t late;

	if (!first || !first->has_ts || !(p->has & TW_HAS_TIMESTAMPS) || !p->tsecr ||
	    (int32_t)(first->tsval - p->tsecr) <= 0)
		return 0;
	late = p->ts - first->at - tw_connection_reaction(c, side);
	return late > 0 ? late : 0;
}

/*
 * Nothing is outstanding, nothing is acknowledged, and the window held nothing back: most packets of
 * a bulk transfer are such ACKs for the direction that sends no data.
 */
static bool changes_nothing(const struct tw_direction *d, const struct tw_ack *ack)
{
	return ack->known && ack->ack == d->board.nxt && d->board.una == d->board.nxt &&
	       !ack->n_sack && (d->window >= tw_direction_mss(d) || !d->data_packets);
}

/* The same ACK as the last one, for a direction that has nothing outstanding: told by a glance. */
static bool repeats_last(const struct tw_direction *d, const struct tw_packet *p)
{
	return d->board.una == d->board.nxt && d->has_base &&
	       p->ack == d->base + (uint32_t)d->board.nxt && p->window == d->raw_window &&
	       d->settled_ack && !p->n_sack && !(p->flags & (TW_SYN | TW_RST | TW_ECE)) &&
	       !(p->has & (TW_ACK_UNKNOWN | TW_WINDOW_UNKNOWN));
}

void tw_step_ack(struct tw_connection *c, int side, struct tw_direction *d,
		 const struct tw_packet *p, const struct tw_event_sink *sink)
{
	const struct tw_sample *sample;
	struct tw_ack ack;

	if (!(p->flags & TW_ACK) || p->flags & TW_RST)
		return;
	if (repeats_last(d, p)) {
		d->acks++;
		return;
	}
	ack = (struct tw_ack){
		.at = p->ts, .packet = p->number, .pure = !p->payload,
		.known = !(p->has & TW_ACK_UNKNOWN), .has_ts = p->has & TW_HAS_TIMESTAMPS,
		.ece = p->flags & TW_ECE, .is_syn = p->flags & TW_SYN,
	};
	sample = p->has & TW_HAS_SAMPLE && !p->sample.of_source ? &p->sample : NULL;
	if (ack.known) {
		if (!d->has_base) {
			/* Nothing of that direction was seen: it begins here. */
			d->base = p->ack;
			d->has_base = true;
			tw_scoreboard_start(&d->board, 0);
		}
		ack.ack = tw_direction_position(d, p->ack);
	}
	ack.sent_ticks = tw_direction_ticks(&c->direction[!side], p);
	if (ack.has_ts) {
		ack.tsval = p->tsval;
		ack.tsecr = p->tsecr;
	}
	ack.has_window = scaled_window(d, p, &ack.window);
	if (p->n_sack && ack.known)
		read_sack(d, p, &ack);
	note_window(d, p, &ack);
	count_ack(d, p, &ack);
	d->raw_window = p->window;
	d->settled_ack = changes_nothing(d, &ack);
	if (d->settled_ack) {
		d->window = ack.has_window ? ack.window : d->window;
		d->window_known = ack.has_window;
		return;
	}
	if (is_immediate(c, tw_connection_reaction(c, side)) && !d->queue.n) {
		apply(c, side, d, &ack, p->ts, sample, sink);
		return;
	}
	/* At its ceiling, or without memory: the oldest takes effect, whatever the clock says. */
	while (tw_ack_queue_push(&d->queue, &ack)) {
		const struct tw_ack *first = tw_ack_queue_first(&d->queue);
		struct tw_ack oldest = first ? *first : ack;

		if (first)
			tw_ack_queue_pop(&d->queue);
		apply(c, side, d, &oldest, p->ts, NULL, sink);
		if (!first)
			break;
	}
}
