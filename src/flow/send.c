/* SPDX-License-Identifier: BSD-2-Clause */
/* A transmission: new data, a resend, a late original, a probe; told apart and recorded. */
#include <stddef.h>

#include "flow/resend.h"
#include "flow/steps.h"

enum {
	ID_GAP_MAX = 256,       /* a larger step is a counter that others share */
	ID_STEPS_MIN = 16,      /* steps before the identification is believed to count by one */
	LATE_WITHOUT_CLOCK_NS = 3000000, /* a gap filled within this, RTT unknown, was reordered */
};

bool tw_sack_in_use(const struct tw_connection *c, int side)
{
	const struct tw_direction *d = &c->direction[side], *peer = &c->direction[!side];

	if (d->syn_seen && peer->syn_seen)
		return d->sack_permitted && peer->sack_permitted;
	return d->board.memo || (d->syn_seen && d->sack_permitted) ||
	       (peer->syn_seen && peer->sack_permitted) || (!d->syn_seen && !peer->syn_seen);
}

/*
 * Steps of the IPv4 identification. Linux counts a connection's packets by one, so a gap is a packet
 * that was lost before the vantage (specs/attribution.md). Returns packets missing before this one.
 */
static uint32_t id_gap(struct tw_direction *d, const struct tw_packet *p, uint32_t mss)
{
	uint32_t step, missing = 0, stands_for = p->payload > mss ? (p->payload + mss - 1) / mss : 1;

	/* Linux counts from another number than that of the SYN-ACK, which a socket did not send: 0. */
	if (!(p->has & TW_HAS_IP_ID) || (!p->ip_id && p->flags & TW_SYN))
		return 0;
	if (d->id_expect) {
		step = (uint16_t)(p->ip_id - d->last_id);
		if (step == 0 || step > 0x8000)
			return 0; /* a late original; the counter does not go back */
		d->id_steps++;
		if (step == d->id_expect || step == 1) {
			d->id_ones++;
			d->last_id = p->ip_id;
			d->id_expect = stands_for;
			return 0;
		}
		if (step > d->id_expect && step - d->id_expect <= ID_GAP_MAX)
			missing = step - d->id_expect;
	}
	d->last_id = p->ip_id;
	d->id_expect = stands_for;
	return d->id_steps >= ID_STEPS_MIN && d->id_ones * 10 >= d->id_steps * 7 ? missing : 0;
}

/*
 * Bytes that fill a gap in the capture: did they come late, or were they sent again? Timestamps tell
 * (an original carries an older TSval than data already seen); else time: no resend can arrive
 * before the sender could have heard of the gap.
 */
static bool is_late_original(const struct tw_connection *c, int side, const struct tw_packet *p,
			     int64_t gap_found_at)
{
	const struct tw_direction *d = &c->direction[side];
	int64_t answer = tw_connection_reaction(c, side), took = p->ts - gap_found_at;

	if (p->has & TW_HAS_TIMESTAMPS) {
		int32_t newer = (int32_t)(p->tsval - d->tsval_high);

		if (newer < 0)
			return true;
		if (newer > 0)
			return false;
	}
	if (p->has & TW_HAS_IP_ID && d->id_ones * 10 >= d->id_steps * 7 && d->id_steps >= ID_STEPS_MIN)
		return (uint16_t)(p->ip_id - d->last_id) > 0x8000;
	if (answer > 0)
		return took < answer - answer / 10;
	return took < LATE_WITHOUT_CLOCK_NS;
}

static void note_reordered(struct tw_direction *d, const struct tw_packet *p, int64_t from,
			   const struct tw_sent *sent)
{
	struct tw_trouble *t = tw_direction_trouble(d);
	int64_t behind = d->board.nxt - from;

	if (!t)
		return;
	tw_marks_add(&t->reordered, p->number, p->ts);
	if (behind > 0 && (uint64_t)behind > t->reorder_extent)
		t->reorder_extent = (uint64_t)behind;
	if (p->ts - sent->last_at > t->reorder_delay)
		t->reorder_delay = p->ts - sent->last_at;
}

/* Bytes sent before, or lost before the vantage and sent again. */
static void note_resend(struct tw_connection *c, int side, struct tw_direction *d,
			const struct tw_packet *p, const struct tw_sent *sent, struct tw_event *e)
{
	struct tw_trouble *t = tw_direction_trouble(d);
	bool has_ts = p->has & TW_HAS_TIMESTAMPS;

	e->is_resend = true;
	e->is_unneeded = sent->acked == p->payload;
	e->is_highest = e->to >= d->board.nxt;
	e->resend_class = (uint8_t)tw_resend_classify(d, e->from, e->to, p->ts,
						      tw_direction_mss(d),
						      tw_sack_in_use(c, side), sent);
	if (t) {
		t->last_resend_at = p->ts;
		t->resent_unseen += sent->filled && !sent->seen && !sent->acked;
		tw_marks_add(&t->resends[e->resend_class], p->number, p->ts);
		/* A table without sequence numbers tells of resends, not of what was lost. */
		if (!e->is_unneeded && e->resend_class != TW_RESEND_PERSIST &&
		    !(p->has & TW_SEQ_UNKNOWN))
			tw_marks_add(&t->losses, p->number, p->ts);
	}
	tw_resend_note(d, e->from, e->to, p->number, p->ts, has_ts ? p->tsval : 0,
		       has_ts && (sent->last_at == TW_NO_TIME || sent->filled ||
				  sent->last_tsval != p->tsval), e->is_unneeded);
}

static void count_resent(struct tw_direction *d, uint32_t bytes)
{
	struct tw_trouble *t = tw_direction_trouble(d);

	if (!t)
		return;
	t->resent_packets++;
	t->resent_bytes += bytes;
}

static void count_sizes(struct tw_direction *d, const struct tw_direction *peer,
			const struct tw_packet *p, uint32_t mss)
{
	bool larger;

	d->data_packets++;
	d->bytes += p->payload;
	/* Most of a bulk transfer: one more full segment. */
	if (p->payload == mss && mss <= d->largest_frame_payload &&
	    d->data_packets > TW_MSS_PACKETS && !(p->flags & TW_URG))
		return;
	larger = p->payload > d->largest_payload ||
		 (p->payload <= 1460 && p->payload > d->largest_frame_payload);
	if (p->payload > d->largest_payload)
		d->largest_payload = p->payload;
	if (p->payload <= 1460 && p->payload > d->largest_frame_payload)
		d->largest_frame_payload = p->payload;
	if (larger || d->data_packets == TW_MSS_PACKETS)
		tw_direction_judge_mss(d, peer);
	if (p->payload < mss)
		d->small_packets++;
	else if (p->payload > mss)
		d->super_packets++;
	if (p->flags & TW_URG) {
		struct tw_trouble *t = tw_direction_trouble(d);

		if (t)
			t->urgent_packets++;
	}
}

/*
 * A byte or none just below or at snd_nxt while the window is closed: a zero-window probe (RFC 9293
 * section 3.8.6.1). Data waits behind it.
 */
static bool is_empty_probe(const struct tw_direction *d, const struct tw_packet *p, int64_t from)
{
	return !p->payload && from == d->board.nxt - 1 && d->zero_since != TW_NO_TIME &&
	       !(p->flags & (TW_SYN | TW_FIN | TW_RST));
}

/* A byte or none just below snd_nxt with nothing outstanding: a keep-alive (RFC 9293 section 3.8.4). */
static bool is_keepalive(const struct tw_direction *d, const struct tw_packet *p, int64_t from)
{
	return p->payload <= 1 && from == d->board.nxt - 1 && d->board.una == d->board.nxt &&
	       d->has_window && d->window > 0 && !(p->flags & (TW_SYN | TW_FIN | TW_RST));
}

static void note_class(struct tw_direction *d, const struct tw_packet *p,
		       enum tw_resend_class class)
{
	struct tw_trouble *t = tw_direction_trouble(d);

	tw_marks_add(t ? &t->resends[class] : NULL, p->number, p->ts);
}

static void note_high_tsval(struct tw_direction *d, const struct tw_packet *p)
{
	if (!(p->has & TW_HAS_TIMESTAMPS))
		return;
	if (!d->timestamps || (int32_t)(p->tsval - d->tsval_high) > 0) {
		d->tsval_high = p->tsval;
		d->tsval_high_at = p->ts;
	}
	if (!d->tsval_first_at) {
		d->tsval_first = p->tsval;
		d->tsval_first_at = (uint32_t)(p->ts >> 20) | 1;
	}
	d->timestamps = true;
}

/* What the transmission did to the direction's state; completes the event. */
static int record(struct tw_connection *c, int side, struct tw_direction *d,
		  const struct tw_direction *peer, const struct tw_packet *p, uint32_t mss,
		  struct tw_event *e)
{
	struct tw_sent sent;
	bool zero_window = d->has_window && d->window == 0;
	int err = tw_scoreboard_send(&d->board, e->from, p->payload, p->ts,
				     p->has & TW_HAS_TIMESTAMPS ? p->tsval : 0, &sent);

	if (err)
		return err;
	count_sizes(d, peer, p, mss);
	e->is_probe = zero_window && p->payload <= 1;
	if (sent.fresh == p->payload) {
		d->unique_bytes += sent.fresh;
		return 0;
	}
	if (e->from < 0 && sent.acked) {
		/* Before the first byte captured: sent earlier, and come late or sent again; not seen twice. */
		uint32_t below = (uint32_t)((e->to < 0 ? e->to : 0) - e->from);

		sent.acked -= below;
		d->unique_bytes += below;
		e->is_late = !sent.fresh;
	}
	d->unique_bytes += sent.fresh + sent.filled;
	if (sent.filled && !sent.seen && !sent.acked && !sent.fresh && e->from >= tw_direction_begun(d) &&
	    is_late_original(c, side, p, sent.last_at)) {
		e->is_late = true;
		note_reordered(d, p, e->from, &sent);
	} else if (sent.seen + sent.acked + sent.filled >= p->payload / 2 + 1) {
		note_resend(c, side, d, p, &sent, e);
		count_resent(d, sent.seen + sent.acked + sent.filled);
	} else if (sent.seen + sent.acked) {
		/* New data with a little of the old before it: a resend in the count, not in its doing. */
		count_resent(d, sent.seen + sent.acked);
	}
	return 0;
}

/* The direction's first sequence number. A kernel sample tells what was under way before it. */
static void begin(struct tw_direction *d, const struct tw_packet *p, uint32_t seq)
{
	if (p->has & TW_HAS_SAMPLE && p->sample.has & TW_SAMPLE_UNACKED_SENT &&
	    p->sample.of_source && d->sample)
		d->sample->begun_at = p->sample.unacked_sent;
	d->base = seq - (uint32_t)tw_direction_begun(d);
	d->has_base = true;
	tw_scoreboard_start(&d->board, 0);
}

/* A packet without payload or with one byte: a probe, a keep-alive, or nothing sent. True: it is done with. */
static bool is_idle_packet(struct tw_direction *d, const struct tw_packet *p, int64_t from)
{
	bool done = !p->payload;

	if (d->zero_since != TW_NO_TIME && from >= d->board.nxt - 1 && d->trouble)
		d->trouble->probed_at = p->ts;
	if (is_empty_probe(d, p, from)) {
		note_class(d, p, TW_RESEND_PERSIST);
	} else if (is_keepalive(d, p, from)) {
		note_class(d, p, TW_RESEND_KEEPALIVE);
		done = true;
	}
	if (done)
		note_high_tsval(d, p);
	return done;
}

/* Payload left: what it did to the direction, told to the ledger. `missing`: packets lost before it. */
static void transmit(struct tw_connection *c, int side, struct tw_direction *d,
		     const struct tw_direction *peer, const struct tw_packet *p, int64_t from,
		     uint32_t missing, const struct tw_event_sink *sink)
{
	uint32_t mss = tw_direction_mss(d), flight;
	struct tw_event e;

	tw_event_begin(&e, TW_EVENT_SEND, p->ts, p->number);
	e.from = from;
	e.to = from + p->payload;
	if (record(c, side, d, peer, p, mss, &e))
		return;
	e.sent_ticks = tw_direction_ticks(d, p);
	if (d->queue.n)
		e.unheard = tw_step_unheard(c, side, d, p);
	note_high_tsval(d, p);
	if (missing && !e.is_late) {
		struct tw_trouble *t = tw_direction_trouble(d);

		e.id_gap = (uint16_t)missing;
		tw_marks_add(t ? &t->id_gaps : NULL, p->number, p->ts);
	}
	if (!e.is_unneeded)
		d->last_sent_at = p->ts;
	d->waited = false;
	flight = tw_scoreboard_flight(&d->board);
	if (flight > d->flight_max)
		d->flight_max = flight;
	if (d->window_known && !d->acks_unknown && d->board.una + d->window - d->board.nxt < mss)
		d->window_full++;
	e.acks_all = p->flags & TW_ACK && !(p->has & TW_ACK_UNKNOWN) && peer->has_base &&
		     tw_direction_position(peer, p->ack) >= peer->board.nxt;
	if (p->has & TW_HAS_SAMPLE && p->sample.of_source)
		e.sample = &p->sample;
	d->clock = p->ts;
	tw_event_fill(d, side, &e);
	sink->event(sink->context, c, &e);
}

void tw_step_send(struct tw_connection *c, int side, struct tw_direction *d,
		  struct tw_direction *peer, const struct tw_packet *p,
		  const struct tw_event_sink *sink)
{
	uint32_t seq = p->seq + !!(p->flags & TW_SYN);
	uint32_t missing = id_gap(d, p, tw_direction_mss(d));
	int64_t from;

	if (!d->has_base)
		begin(d, p, seq);
	from = tw_direction_position(d, seq);
	if (p->flags & TW_FIN && d->fin_at == INT64_MAX)
		d->fin_at = from + p->payload;
	if (p->payload <= 1 && is_idle_packet(d, p, from))
		return;
	transmit(c, side, d, peer, p, from, missing, sink);
}
