/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a connection, as findings and report read them. */
#include "flow/connection.h"

static struct tw_spread spread_of(const struct tw_sketch *s)
{
	if (!s->n)
		return (struct tw_spread){ 0 };
	return (struct tw_spread){
		.n = s->n, .min = s->min, .max = s->max,
		.median = tw_sketch_quantile(s, 0.5), .p95 = tw_sketch_quantile(s, 0.95),
	};
}

/* The first losses, less the resends that proved needless. */
static struct tw_marks losses_of(const struct tw_trouble *t)
{
	struct tw_marks losses = t->losses;

	losses.count = losses.count > t->needless ? losses.count - t->needless : 0;
	return losses;
}

static void sent(const struct tw_direction *d,
		 struct tw_direction_summary *out)
{
	out->packets = d->packets;
	out->data_packets = d->data_packets;
	out->bytes = d->bytes;
	out->unique_bytes = d->unique_bytes;
	out->small_packets = d->small_packets;
	out->pure_acks_sent = d->pure_acks;
	out->mss = tw_direction_mss(d);
	out->mss_option = d->mss_option;
	out->largest_payload = d->largest_payload;
	out->super_packets = d->super_packets;
	out->sack_permitted = d->sack_permitted;
	out->timestamps = d->timestamps;
	out->syn_seen = d->syn_seen;
	out->fin_seen = d->fin_seen;
	out->rst_seen = d->rst_seen;
	out->syns = d->syns;
	out->ect_packets = d->ect_packets;
}

static void came_back(const struct tw_direction *d, struct tw_direction_summary *out)
{
	out->acks = d->acks;
	out->advancing_acks = d->advancing_acks;
	out->acked_bytes = d->acked_bytes;
	out->dup_acks = d->dup_acks_total;
	if (d->waits) {
		out->ack_delay = spread_of(&d->waits->delays);
		out->ack_wait = spread_of(&d->waits->waits);
	}
	out->window_min = d->window_min;
	out->window_max = d->window_max;
	out->window_scale = d->peer_scale;
	out->window_scale_known = d->peer_scale_known;
	out->window_updates = d->window_updates;
	out->window_full = d->window_full;
	out->rtt = spread_of(&d->rtts);
	out->srtt = d->rtt.srtt;
	out->rttvar = d->rtt.rttvar;
	out->rto = d->rtt.srtt ? tw_rtt_rto(&d->rtt) : 0;
	out->flight_max = d->acks_unknown ? 0 : d->flight_max;
}

static void controller(const struct tw_direction *d, struct tw_direction_summary *out)
{
	if (d->sample) {
		out->sample = d->sample->sum;
		out->cwnd_max = d->sample->sum.cwnd_max;
		out->cwnd_last = d->sample->sum.cwnd_last;
	}
	if (d->recovery == TW_RECOVERY_FAST)
		out->phase_last = TW_PHASE_RECOVERY;
	else if (d->recovery == TW_RECOVERY_TIMEOUT)
		out->phase_last = TW_PHASE_LOSS;
	else if (out->cwnd_last)
		out->phase_last = out->sample.ssthresh_last &&
			out->cwnd_last >= out->sample.ssthresh_last ?
			TW_PHASE_AVOIDANCE : TW_PHASE_SLOW_START;
}

static void troubles(const struct tw_trouble *t, const struct tw_direction *d,
		     const struct tw_connection *c, struct tw_direction_summary *out)
{
	for (int i = 0; i < TW_RESEND_CLASS_COUNT; i++)
		out->resends[i] = t->resends[i];
	for (int i = 0; i < TW_SPURIOUS_PROOF_COUNT; i++)
		out->spurious[i] = t->spurious[i];
	out->resent_packets = t->resent_packets;
	out->resent_bytes = t->resent_bytes;
	out->resent_unseen = t->resent_unseen;
	out->needless = t->needless;
	out->reordered = t->reordered;
	out->reorder_extent_bytes = t->reorder_extent;
	out->reorder_delay_ns = t->reorder_delay;
	out->duplicates = t->duplicates;
	out->urgent_packets = t->urgent_packets;
	out->losses = losses_of(t);
	out->id_gaps = t->id_gaps;
	out->capture_missed = t->capture_missed;
	out->capture_missed_bytes = t->capture_missed_bytes;
	out->sack_blocks = t->sack_acks;
	out->dsacks = t->dsacks;
	out->zero_windows = t->zero_windows;
	out->zero_window_ns = t->zero_ns +
		(d->zero_since == TW_NO_TIME ? 0 : c->last - d->zero_since);
	out->ce_packets = t->ce_packets;
	out->cwr_packets = t->cwr_packets;
	out->ece_acks = t->ece_acks;
}

static void direction(const struct tw_connection *c, int side, struct tw_direction_summary *out)
{
	const struct tw_direction *d = &c->direction[side];
	const struct tw_trouble *t = d->trouble;

	*out = (struct tw_direction_summary){ 0 };
	sent(d, out);
	came_back(d, out);
	controller(d, out);
	if (d->has_reaction)
		out->reaction = (struct tw_spread){ .n = 1, .min = d->reaction };
	if (t)
		troubles(t, d, c, out);
}

void tw_connection_summarize(const struct tw_connection *c, struct tw_connection_summary *out)
{
	*out = (struct tw_connection_summary){
		.id = c->id, .endpoint = { c->endpoint[0], c->endpoint[1] },
		.first = c->first, .last = c->last, .end = tw_connection_end(c),
		.packets = c->packets, .first_packet = c->first_packet,
		.start_seen = c->start_seen, .closed = c->closed, .reset = c->reset,
		.evicted = c->evicted, .client_guessed = c->client_guessed,
		.one_way = !c->direction[0].packets || !c->direction[1].packets,
		.main_direction = tw_connection_main(c),
		.min_rtt = tw_connection_min_rtt(c), .time_disorder = c->time_disorder,
	};
	if (c->direction[0].trouble)
		out->syn_resends = c->direction[0].trouble->syn_resends;
	if (c->syn_at != TW_NO_TIME && c->opened_at != TW_NO_TIME)
		out->handshake_ns = c->opened_at - c->syn_at;
	out->place = tw_connection_place(c, out->main_direction, &out->place_confidence);
	direction(c, 0, &out->direction[0]);
	direction(c, 1, &out->direction[1]);
}
