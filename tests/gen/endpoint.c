/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sending half of one host's TCP: segments and their ring, windows, RTO with backoff (RFC 6298
 * with Linux's 200 ms floor on the variance term), tail-loss probe (RFC 8985). SYN and FIN are
 * segments like others. Loss detection and the congestion window are in loss.c.
 */
#include <stdlib.h>
#include <string.h>

#include "loss.h"
#include "receive.h"
#include "sim.h"

enum { INITIAL_WINDOW = 10 };
static const int64_t ms = 1000000;

void endpoint_init(struct sim *sim, struct endpoint *end)
{
	memset(end, 0, sizeof(*end));
	end->snd_una = end->snd_nxt = gen_random_u32(&sim->random);
	end->ts_offset = gen_random_u32(&sim->random);
	end->ip_id = (uint16_t)gen_random_u32(&sim->random);
	end->cwnd = INITIAL_WINDOW;
	end->ssthresh = 1e9;
	end->timer_at = end->delack_at = end->event_at = NEVER;
	end->rtt_min = NEVER;
}

void endpoint_release(struct endpoint *end)
{
	free(end->ring);
	free(end->holes);
	free(end->ooo);
	end->ring = NULL;
	end->holes = NULL;
	end->ooo = NULL;
	end->cap_holes = end->cap_ooo = 0;
}

static int64_t rto(const struct endpoint *end)
{
	int64_t v = 1000 * ms;

	if (end->srtt)
		v = end->srtt + (4 * end->rttvar > 200 * ms ? 4 * end->rttvar : 200 * ms);
	v <<= end->backoff < 10 ? end->backoff : 10;
	return v < 120000 * ms ? v : 120000 * ms;
}

static void timer_restart(struct sim *sim, struct flow *flow, int side)
{
	struct endpoint *end = &flow->end[side];
	int64_t probe = 2 * end->srtt + (end->nxt - end->una == 1 ? 200 * ms : 2 * ms);

	if (end->una == end->nxt) {
		end->timer = TIMER_NONE;
		end->timer_at = NEVER;
		return;
	}
	end->timer = TIMER_RTO;
	end->timer_at = sim->now + rto(end);
	if (end->established && end->srtt && !end->recovering && !end->probed && !end->backoff &&
	    sim->now + probe < end->timer_at) {
		end->timer = TIMER_PROBE;
		end->timer_at = sim->now + probe;
	}
	sim_arm(sim, flow, side, end->timer_at);
}

static struct segment *segment_new(struct endpoint *end, uint16_t len, uint8_t flags)
{
	struct segment *segment;

	if (!end->ring || end->nxt - end->una > end->mask) {
		uint32_t size = end->ring ? 2 * (end->mask + 1) : 8;
		struct segment *ring = gen_realloc(NULL, size * sizeof(*ring));

		for (uint32_t i = end->una; i != end->nxt; i++)
			ring[i & (size - 1)] = end->ring[i & end->mask];
		free(end->ring);
		end->ring = ring;
		end->mask = size - 1;
	}
	segment = &end->ring[end->nxt++ & end->mask];
	*segment = (struct segment){ .seq = end->snd_nxt, .len = len, .flags = flags };
	end->snd_nxt = segment_end(segment);
	return segment;
}

static void segment_send(struct sim *sim, struct flow *flow, int side, uint32_t index)
{
	struct endpoint *end = &flow->end[side];
	struct segment *segment = &end->ring[index & end->mask];
	struct packet packet = { .seq = segment->seq, .len = segment->len, .segment = index };

	if (segment->sent_at) {
		segment->flags |= SEGMENT_RESENT;
		if (segment->len)
			flow->truth[side].sent_resends++;
	}
	if (!(segment->flags & SEGMENT_FLYING))
		end->pipe++;
	segment->flags = (segment->flags & ~SEGMENT_LOST) | SEGMENT_FLYING;
	segment->sent_at = sim->now;
	packet.resent = segment->flags & SEGMENT_RESENT;
	if (segment->flags & SEGMENT_SYN)
		packet.flags |= TCP_SYN;
	if (segment->flags & SEGMENT_FIN)
		packet.flags |= TCP_FIN;
	if (segment->flags & SEGMENT_PSH)
		packet.flags |= TCP_PSH;
	receive_fill(sim, flow, side, &packet);
	sim_transmit(sim, flow, side, &packet);
	if (end->timer == TIMER_NONE)
		timer_restart(sim, flow, side);
}

static bool resend_next(struct sim *sim, struct flow *flow, int side)
{
	struct endpoint *end = &flow->end[side];

	for (uint32_t i = 0; i < end->n_holes; i++) {
		struct segment *segment = endpoint_segment(end, end->holes[i]);

		if (segment && (segment->flags & (SEGMENT_LOST | SEGMENT_SACKED)) == SEGMENT_LOST) {
			segment_send(sim, flow, side, end->holes[i]);
			return true;
		}
	}
	return false;
}

/* Makes the next new segment of what the application wrote; false where there is none. */
static bool segment_next(struct sim *sim, struct flow *flow, int side)
{
	struct endpoint *end = &flow->end[side];
	uint32_t mss = flow->path.mss - (flow->path.timestamps ? 12u : 0);
	uint32_t len, flight = end->nxt - end->una;
	uint8_t flags = 0;

	/* what flies still brings an ACK for two, and itself where the capture is farther on */
	if (sim->options.vantage != VANTAGE_SENDER)
		flight *= 3;
	if (end->endless && flow->captured + flight / 2 + 4 >= flow->share) {
		end->endless = false;
		end->pending = 1 + gen_random_below(&sim->random, mss);
		end->fin_pending = end->closed = !sim->options.keep_open;
	}
	len = end->endless || end->pending > mss ? mss : (uint32_t)end->pending;
	if (len) {
		if (seq_before(end->right_edge, end->snd_nxt + len))
			return false;
		if (!end->endless)
			end->pending -= len;
		if (!end->endless && !end->pending)
			flags = SEGMENT_PSH;
	}
	if (end->fin_pending && !end->endless && !end->pending) {
		flags |= SEGMENT_FIN;
		end->fin_pending = false;
	}
	if (!len && !flags)
		return false;
	segment_new(end, (uint16_t)len, flags);
	segment_send(sim, flow, side, end->nxt - 1);
	return true;
}

void endpoint_push(struct sim *sim, struct flow *flow, int side)
{
	struct endpoint *end = &flow->end[side];

	if (!end->established)
		return;
	while (end->pipe < end->cwnd && resend_next(sim, flow, side))
		;
	while (end->pipe < end->cwnd && segment_next(sim, flow, side))
		;
}

static void became_established(struct sim *sim, struct flow *flow, int side)
{
	struct endpoint *end = &flow->end[side];

	end->established = true;
	if (side == 0)
		receive_ack_now(sim, flow, side);
	sim_established(sim, flow, side);
}

static void ack_take(struct sim *sim, struct flow *flow, int side, const struct packet *packet)
{
	struct endpoint *end = &flow->end[side];
	uint8_t shift = packet->flags & TCP_SYN ? 0 : flow->path.scale;
	uint32_t edge = packet->ack + (packet->window >> shift << shift);
	bool limited = end->pipe + 2 >= end->cwnd;
	uint32_t acked = 0;
	int64_t rtt = 0;

	if (seq_before(end->right_edge, edge) || !end->established)
		end->right_edge = edge;
	while (end->una != end->nxt) {
		struct segment *segment = &end->ring[end->una & end->mask];

		if (seq_before(packet->ack, segment_end(segment)))
			break;
		if (!(segment->flags & SEGMENT_SACKED))
			loss_delivered(sim, end, segment, &rtt);
		end->snd_una = segment_end(segment);
		end->una++;
		acked++;
	}
	loss_take_sack(sim, end, packet, &rtt);
	if (rtt)
		loss_take_rtt(end, rtt);
	if (acked) {
		end->backoff = 0;
		end->probed = false;
		if (end->recovering && (int32_t)(end->una - end->recover) >= 0)
			end->recovering = false;
	}
	if (loss_mark(end) && !end->recovering) {
		end->recovering = true;
		end->recover = end->nxt;
		flow->truth[side].recoveries++;
		loss_window_cut(sim, end);
		end->cwnd = end->ssthresh;
	} else if (acked && limited && (!end->recovering || end->cwnd < end->ssthresh)) {
		loss_window_grow(sim, end, acked);
	}
	if (acked || rtt)
		timer_restart(sim, flow, side);
	if (acked && !end->established)
		became_established(sim, flow, side);
}

void endpoint_arrive(struct sim *sim, struct flow *flow, int side, const struct packet *packet)
{
	struct endpoint *end = &flow->end[side];

	if (packet->flags & TCP_SYN) {
		if (!end->syn_received) {
			end->syn_received = true;
			end->rcv_nxt = end->acked_to = packet->seq + 1;
			end->ts_recent = packet->tsval;
		} else if (side == 0) {
			receive_ack_now(sim, flow, side); /* our ACK of it was lost */
		}
		if (side == 1 && end->una == end->nxt && !end->established) {
			segment_new(end, 0, SEGMENT_SYN);
			segment_send(sim, flow, side, end->nxt - 1);
		}
	}
	if (packet->flags & TCP_ACK)
		ack_take(sim, flow, side, packet);
	if (packet->len || (packet->flags & TCP_FIN))
		receive_take(sim, flow, side, packet);
	if (packet->flags & TCP_ACK) {
		endpoint_push(sim, flow, side);
		sim_acked(sim, flow);
	}
}

static void timeout(struct sim *sim, struct flow *flow, int side)
{
	struct endpoint *end = &flow->end[side];

	flow->truth[side].timeouts++;
	end->n_holes = 0;
	for (uint32_t i = end->una; i != end->nxt; i++) {
		struct segment *segment = &end->ring[i & end->mask];

		if (segment->flags & SEGMENT_SACKED)
			continue;
		segment->flags = (segment->flags & ~SEGMENT_FLYING) | SEGMENT_LOST;
		loss_add_hole(end, i);
	}
	end->pipe = 0;
	if (!end->backoff)
		loss_window_cut(sim, end);
	end->cwnd = 1;
	end->high = end->nxt;
	end->recovering = true;
	end->recover = end->nxt;
	if (end->backoff < 10)
		end->backoff++;
	end->timer = TIMER_NONE;
	segment_send(sim, flow, side, end->una);
}

void endpoint_timer(struct sim *sim, struct flow *flow, int side, int64_t at)
{
	struct endpoint *end = &flow->end[side];

	if (at != end->event_at)
		return; /* an earlier one was asked for since, and has rung */
	end->event_at = NEVER;
	if (end->delack_at <= sim->now)
		receive_ack_now(sim, flow, side);
	if (end->timer_at <= sim->now) {
		end->timer_at = NEVER;
		if (end->timer == TIMER_PROBE) {
			end->probed = true;
			end->timer = TIMER_NONE;
			if (!segment_next(sim, flow, side)) {
				uint32_t last = end->nxt - 1;

				if (end->ring[last & end->mask].flags & SEGMENT_SACKED)
					last = end->una;
				segment_send(sim, flow, side, last);
			}
		} else if (end->timer == TIMER_RTO) {
			timeout(sim, flow, side);
		}
	}
	if (end->timer_at != NEVER || end->delack_at != NEVER)
		sim_arm(sim, flow, side,
			end->timer_at < end->delack_at ? end->timer_at : end->delack_at);
}

void endpoint_connect(struct sim *sim, struct flow *flow)
{
	segment_new(&flow->end[0], 0, SEGMENT_SYN);
	segment_send(sim, flow, 0, 0);
}

void endpoint_write(struct sim *sim, struct flow *flow, int side, uint64_t bytes)
{
	flow->end[side].pending += bytes;
	endpoint_push(sim, flow, side);
}

void endpoint_close(struct sim *sim, struct flow *flow, int side)
{
	flow->end[side].fin_pending = flow->end[side].closed = true;
	endpoint_push(sim, flow, side);
}

bool endpoint_finished(const struct endpoint *end)
{
	return end->established && end->una == end->nxt && !end->pending && !end->endless &&
	       !end->fin_pending;
}
