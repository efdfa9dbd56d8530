/* SPDX-License-Identifier: BSD-2-Clause */
#include "loss.h"

#include <math.h>
#include <stdlib.h>

enum { DUP_THRESHOLD = 3 };

void loss_take_rtt(struct endpoint *end, int64_t rtt)
{
	if (rtt < end->rtt_min)
		end->rtt_min = rtt;
	if (!end->srtt) {
		end->srtt = rtt;
		end->rttvar = rtt / 2;
		return;
	}
	end->rttvar += (llabs(end->srtt - rtt) - end->rttvar) / 4;
	end->srtt += (rtt - end->srtt) / 8;
}

void loss_delivered(struct sim *sim, struct endpoint *end, struct segment *segment, int64_t *rtt)
{
	int64_t took = sim->now - segment->sent_at;

	if (segment->flags & SEGMENT_FLYING)
		end->pipe--;
	segment->flags &= ~(SEGMENT_FLYING | SEGMENT_LOST);
	if (!(segment->flags & SEGMENT_RESENT))
		*rtt = took; /* Karn */
	else if (took < end->rtt_min)
		return; /* the original came, not the resend */
	if (segment->sent_at > end->rack)
		end->rack = segment->sent_at;
}

void loss_add_hole(struct endpoint *end, uint32_t index)
{
	if (end->n_holes == end->cap_holes) {
		end->cap_holes = end->cap_holes ? 2 * end->cap_holes : 16;
		end->holes = gen_realloc(end->holes, end->cap_holes * sizeof(*end->holes));
	}
	end->holes[end->n_holes++] = index;
}

static void holes_prune(struct endpoint *end)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < end->n_holes; i++) {
		struct segment *segment = endpoint_segment(end, end->holes[i]);

		if (segment && !(segment->flags & SEGMENT_SACKED))
			end->holes[kept++] = end->holes[i];
	}
	end->n_holes = kept;
	if ((int32_t)(end->high - end->una) < 0)
		end->high = end->una;
}

static bool sacked_by(const struct packet *packet, const struct segment *segment)
{
	for (unsigned i = 0; i < packet->n_sack; i++)
		if (!seq_before(segment->seq, packet->sack[i][0]) &&
		    !seq_before(packet->sack[i][1], segment_end(segment)))
			return true;
	return false;
}

/* Only unsacked segments are looked at: the holes below the highest SACK, and what is above it. */
void loss_take_sack(struct sim *sim, struct endpoint *end, const struct packet *packet,
		    int64_t *rtt)
{
	uint32_t top = end->snd_una, high = end->high;

	for (unsigned i = 0; i < packet->n_sack; i++)
		if (seq_before(top, packet->sack[i][1]) &&
		    !seq_before(end->snd_nxt, packet->sack[i][1]))
			top = packet->sack[i][1];
	for (uint32_t i = 0; i < end->n_holes; i++) {
		struct segment *segment = endpoint_segment(end, end->holes[i]);

		if (segment && !(segment->flags & SEGMENT_SACKED) && sacked_by(packet, segment)) {
			segment->flags |= SEGMENT_SACKED;
			loss_delivered(sim, end, segment, rtt);
		}
	}
	for (uint32_t i = high; i != end->nxt; i++) {
		struct segment *segment = &end->ring[i & end->mask];

		if (seq_before(top, segment_end(segment)))
			break;
		if (sacked_by(packet, segment)) {
			segment->flags |= SEGMENT_SACKED;
			loss_delivered(sim, end, segment, rtt);
		} else {
			loss_add_hole(end, i);
		}
		end->high = i + 1;
	}
	holes_prune(end);
}

bool loss_mark(struct endpoint *end)
{
	int64_t window = end->rtt_min == NEVER ? 0 : end->rtt_min / 4;
	bool any = false;

	for (uint32_t i = 0; i < end->n_holes; i++) {
		struct segment *segment = &end->ring[end->holes[i] & end->mask];
		bool passed = !(segment->flags & SEGMENT_RESENT) &&
			      end->high - end->holes[i] > DUP_THRESHOLD;

		if (!(segment->flags & SEGMENT_FLYING) ||
		    (!passed && segment->sent_at + window >= end->rack))
			continue;
		segment->flags = (segment->flags & ~SEGMENT_FLYING) | SEGMENT_LOST;
		end->pipe--;
		any = true;
	}
	return any;
}

void loss_window_cut(struct sim *sim, struct endpoint *end)
{
	double beta = sim->options.reno ? 0.5 : 0.7;

	end->w_max = end->cwnd;
	end->ssthresh = fmax(2, end->cwnd * beta);
	end->epoch = 0;
}

void loss_window_grow(struct sim *sim, struct endpoint *end, uint32_t acked)
{
	double t, k, target;

	if (end->cwnd < end->ssthresh) {
		end->cwnd += acked;
		return;
	}
	if (sim->options.reno) {
		end->cwnd += acked / end->cwnd;
		return;
	}
	if (!end->epoch) {
		end->epoch = sim->now;
		end->epoch_cwnd = end->w_est = end->cwnd;
		if (end->w_max < end->cwnd)
			end->w_max = end->cwnd;
	}
	k = cbrt((end->w_max - end->epoch_cwnd) / 0.4);
	t = (double)(sim->now - end->epoch + end->srtt) * 1e-9;
	target = 0.4 * (t - k) * (t - k) * (t - k) + end->w_max;
	end->w_est += 0.53 * acked / end->cwnd;
	if (target < end->w_est)
		target = end->w_est;
	if (target > 1.5 * end->cwnd)
		target = 1.5 * end->cwnd;
	if (target > end->cwnd)
		end->cwnd += (target - end->cwnd) / end->cwnd * acked;
	else
		end->cwnd += 0.01 * acked / end->cwnd;
}
