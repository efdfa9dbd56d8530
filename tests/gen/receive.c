/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ACK every second segment or after 40 ms, at once for anything out of order (RFC 5681 4.2); the
 * block with the newest segment first, then those last reported (RFC 2018 4); a duplicate once as
 * DSACK (RFC 2883); the timestamp of the earliest segment not yet acknowledged (RFC 7323 4.3).
 */
#include "receive.h"

#include <string.h>

static const int64_t delayed_ack = 40 * 1000000;

/* Where the range that holds `seq` stands; n_ooo where none does. */
static uint32_t range_find(const struct endpoint *end, uint32_t seq)
{
	for (uint32_t i = 0; i < end->n_ooo; i++)
		if (!seq_before(seq, end->ooo[i].from) && seq_before(seq, end->ooo[i].to))
			return i;
	return end->n_ooo;
}

static void range_add(struct endpoint *end, uint32_t from, uint32_t to)
{
	uint32_t i = 0, j;

	while (i < end->n_ooo && seq_before(end->ooo[i].to, from))
		i++;
	for (j = i; j < end->n_ooo && !seq_before(to, end->ooo[j].from); j++) {
		if (seq_before(end->ooo[j].from, from))
			from = end->ooo[j].from;
		if (seq_before(to, end->ooo[j].to))
			to = end->ooo[j].to;
	}
	if (end->n_ooo == end->cap_ooo) {
		end->cap_ooo = end->cap_ooo ? 2 * end->cap_ooo : 8;
		end->ooo = gen_realloc(end->ooo, end->cap_ooo * sizeof(*end->ooo));
	}
	memmove(&end->ooo[i + 1], &end->ooo[j], (end->n_ooo - j) * sizeof(*end->ooo));
	end->n_ooo = end->n_ooo - (j - i) + 1;
	end->ooo[i] = (struct range){ from, to };
}

static void recent_add(struct endpoint *end, uint32_t seq)
{
	memmove(&end->recent[1], &end->recent[0], sizeof(end->recent) - sizeof(end->recent[0]));
	end->recent[0] = seq;
}

static void sack_fill(const struct flow *flow, struct endpoint *end, struct packet *packet)
{
	unsigned most = flow->path.timestamps ? 3 : 4;
	uint32_t used[PACKET_SACKS], n_used = 0;

	if (end->dsack.from != end->dsack.to) {
		packet->sack[0][0] = end->dsack.from;
		packet->sack[0][1] = end->dsack.to;
		packet->n_sack = 1;
		end->dsack.to = end->dsack.from;
	}
	for (unsigned r = 0; end->n_ooo && r < PACKET_SACKS && packet->n_sack < most; r++) {
		uint32_t i = range_find(end, end->recent[r]), u;

		for (u = 0; u < n_used && used[u] != i; u++)
			;
		if (i == end->n_ooo || u < n_used)
			continue;
		used[n_used++] = i;
		packet->sack[packet->n_sack][0] = end->ooo[i].from;
		packet->sack[packet->n_sack++][1] = end->ooo[i].to;
	}
}

void receive_fill(struct sim *sim, struct flow *flow, int side, struct packet *packet)
{
	struct endpoint *end = &flow->end[side];
	uint64_t window = 65160 + 2 * end->received; /* buffer tuning that keeps ahead */

	packet->window = window < sim->options.window ? (uint32_t)window : sim->options.window;
	packet->tsval = (uint32_t)(sim->now / 1000000) + end->ts_offset;
	if (!end->syn_received)
		return; /* the first SYN */
	packet->flags |= TCP_ACK;
	packet->ack = end->rcv_nxt;
	packet->tsecr = end->ts_recent;
	if (!(packet->flags & TCP_SYN))
		sack_fill(flow, end, packet);
	end->acked_to = end->rcv_nxt;
	end->unacked = 0;
	end->delack_at = NEVER;
}

void receive_ack_now(struct sim *sim, struct flow *flow, int side)
{
	struct packet packet = { .seq = flow->end[side].snd_nxt };

	receive_fill(sim, flow, side, &packet);
	sim_transmit(sim, flow, side, &packet);
}

/* Moves rcv_nxt over [.., to) and what waits behind it; true where it filled a hole. */
static bool advance(struct endpoint *end, uint32_t to)
{
	bool filled = false;

	if (end->n_ooo && !seq_before(to, end->ooo[0].from)) {
		if (seq_before(to, end->ooo[0].to))
			to = end->ooo[0].to;
		memmove(&end->ooo[0], &end->ooo[1], --end->n_ooo * sizeof(*end->ooo));
		filled = true;
	}
	end->received += to - end->rcv_nxt;
	end->rcv_nxt = to;
	return filled;
}

void receive_take(struct sim *sim, struct flow *flow, int side, const struct packet *packet)
{
	struct endpoint *end = &flow->end[side];
	uint32_t from = packet->seq, to = from + packet->len + !!(packet->flags & TCP_FIN);
	bool at_once = true;

	if (!end->established)
		return; /* a client's, before the SYN-ACK: resent later */
	if (!seq_before(end->acked_to, from) && (int32_t)(packet->tsval - end->ts_recent) > 0)
		end->ts_recent = packet->tsval;
	if (!seq_before(end->rcv_nxt, to)) {
		end->dsack = (struct range){ from, to };
	} else if (seq_before(end->rcv_nxt, from)) {
		uint32_t at = range_find(end, from);

		if (at < end->n_ooo && !seq_before(end->ooo[at].to, to))
			end->dsack = (struct range){ from, to };
		else
			range_add(end, from, to);
		recent_add(end, from);
	} else {
		at_once = advance(end, to) || end->n_ooo || ++end->unacked >= 2;
	}
	if (packet->flags & TCP_FIN) {
		end->fin_received = true;
		end->fin_to = to;
		at_once |= end->closed; /* else the application closes soon: its FIN has the ACK */
	}
	if (at_once) {
		receive_ack_now(sim, flow, side);
	} else if (end->delack_at == NEVER) {
		end->delack_at = sim->now + delayed_ack;
		sim_arm(sim, flow, side, end->delack_at);
	}
	sim_received(sim, flow, side);
	if (end->fin_received && end->rcv_nxt == end->fin_to && !end->fin_told) {
		end->fin_told = true;
		sim_peer_closed(sim, flow, side);
	}
}
