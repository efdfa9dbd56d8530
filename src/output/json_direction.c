/* SPDX-License-Identifier: BSD-2-Clause */
/* One direction in JSON: what its side sent, what came back for it, what held it up. */
#include "output/json_parts.h"

static void spread(struct tw_json *json, const char *key, const struct tw_spread *s)
{
	if (!s->n) {
		tw_json_null(json, key);
		return;
	}
	tw_json_object(json, key);
	tw_json_seconds(json, "min", s->min);
	tw_json_seconds(json, "median", s->median);
	tw_json_seconds(json, "p95", s->p95);
	tw_json_seconds(json, "max", s->max);
	tw_json_uint(json, "samples", s->n);
	tw_json_end(json);
}

static void marks(struct tw_json *json, const char *key, const struct tw_marks *m)
{
	tw_json_object(json, key);
	tw_json_uint(json, "count", m->count);
	tw_json_array(json, "packets");
	for (unsigned i = 0; i < TW_MARKS && i < m->count; i++) {
		if (m->first[i].packet)
			tw_json_uint(json, NULL, m->first[i].packet);
	}
	tw_json_end(json);
	tw_json_end(json);
}

/* Triggers in the groups that the schema names, then every class and proof of its own. */
static void retransmissions(struct tw_json *json, const struct tw_direction_summary *d)
{
	static const char *const classes[] = {
#define X(id, name, title) name,
		TW_RESEND_CLASSES(X)
#undef X
	};
	static const char *const proofs[] = {
#define X(id, name) name,
		TW_SPURIOUS_PROOFS(X)
#undef X
	};
	const struct tw_marks *r = d->resends;

	tw_json_object(json, "retransmissions");
	tw_json_uint(json, "fast",
		     r[TW_RESEND_FAST_DUPACK].count + r[TW_RESEND_FAST_SACK].count +
			     r[TW_RESEND_FAST_RACK].count);
	tw_json_uint(json, "rto",
		     r[TW_RESEND_RTO].count + r[TW_RESEND_RTO_BACKOFF].count +
			     r[TW_RESEND_RTO_REPAIR].count);
	tw_json_uint(json, "tlp", r[TW_RESEND_TLP].count);
	tw_json_uint(json, "persist", r[TW_RESEND_PERSIST].count);
	tw_json_uint(json, "keepalive", r[TW_RESEND_KEEPALIVE].count);
	tw_json_uint(json, "syn", r[TW_RESEND_SYN].count);
	tw_json_uint(json, "unknown", r[TW_RESEND_UNKNOWN].count);
	tw_json_uint(json, "spurious", d->needless);
	tw_json_object(json, "classes");
	for (unsigned i = 0; i < TW_RESEND_CLASS_COUNT; i++) {
		if (r[i].count)
			marks(json, classes[i], &r[i]);
	}
	tw_json_end(json);
	tw_json_object(json, "spurious_by");
	for (unsigned i = 0; i < TW_SPURIOUS_PROOF_COUNT; i++) {
		if (d->spurious[i].count)
			marks(json, proofs[i], &d->spurious[i]);
	}
	tw_json_end(json);
	tw_json_end(json);
}

static void sent(struct tw_json *json, const struct tw_direction_summary *d,
		 const struct tw_direction_bill *b)
{
	tw_json_uint(json, "bytes", d->bytes);
	tw_json_uint(json, "unique_bytes", d->unique_bytes);
	tw_json_uint(json, "packets", d->packets);
	tw_json_uint(json, "data_packets", d->data_packets);
	tw_json_uint(json, "retransmitted_packets", d->resent_packets);
	tw_json_uint(json, "retransmitted_bytes", d->resent_bytes);
	tw_json_uint(json, "retransmitted_unseen_packets", d->resent_unseen);
	tw_json_seconds(json, "duration_s", b->duration_ns);
	if (b->duration_ns > 0)
		tw_json_double(json, "rate_bps",
			       (double)d->unique_bytes * 8e9 / (double)b->duration_ns);
	else
		tw_json_null(json, "rate_bps");
	tw_json_known_uint(json, "mss", d->mss);
	tw_json_known_uint(json, "mss_option", d->mss_option);
	tw_json_uint(json, "largest_payload", d->largest_payload);
	tw_json_uint(json, "small_packets", d->small_packets);
	tw_json_uint(json, "super_packets", d->super_packets);
	tw_json_uint(json, "pure_acks_sent", d->pure_acks_sent);
	tw_json_uint(json, "duplicate_packets", d->duplicates);
	tw_json_uint(json, "urgent_packets", d->urgent_packets);
	tw_json_uint(json, "syns", d->syns);
	tw_json_bool(json, "fin", d->fin_seen);
	tw_json_bool(json, "rst", d->rst_seen);
	tw_json_bool(json, "sack_permitted", d->sack_permitted);
	tw_json_bool(json, "timestamps", d->timestamps);
}

static void losses(struct tw_json *json, const struct tw_direction_summary *d)
{
	marks(json, "losses", &d->losses);
	marks(json, "ip_id_gaps", &d->id_gaps);
	tw_json_object(json, "reordered");
	tw_json_uint(json, "count", d->reordered.count);
	tw_json_uint(json, "extent_bytes", d->reorder_extent_bytes);
	tw_json_seconds(json, "delay_s", d->reorder_delay_ns);
	tw_json_end(json);
	tw_json_uint(json, "capture_missed_bytes", d->capture_missed_bytes);
	marks(json, "capture_missed", &d->capture_missed);
}

static void came_back(struct tw_json *json, const struct tw_direction_summary *d)
{
	tw_json_uint(json, "acks", d->acks);
	tw_json_uint(json, "advancing_acks", d->advancing_acks);
	tw_json_uint(json, "acked_bytes", d->acked_bytes);
	if (d->advancing_acks)
		tw_json_double(json, "bytes_per_ack", (double)d->acked_bytes / (double)d->advancing_acks);
	else
		tw_json_null(json, "bytes_per_ack");
	tw_json_uint(json, "dup_acks", d->dup_acks);
	tw_json_uint(json, "sack_acks", d->sack_blocks);
	tw_json_uint(json, "dsacks", d->dsacks);
	spread(json, "ack_delay_s", &d->ack_delay);
	spread(json, "ack_wait_s", &d->ack_wait);
	tw_json_object(json, "window");
	if (d->window_max) {
		tw_json_uint(json, "min", d->window_min);
		tw_json_uint(json, "max", d->window_max);
	} else {
		tw_json_null(json, "min");
		tw_json_null(json, "max");
	}
	if (d->window_scale_known)
		tw_json_uint(json, "scale", d->window_scale);
	else
		tw_json_null(json, "scale");
	marks(json, "closed", &d->zero_windows);
	tw_json_seconds(json, "closed_s", d->zero_window_ns);
	tw_json_uint(json, "updates", d->window_updates);
	tw_json_uint(json, "full", d->window_full);
	tw_json_end(json);
}

static void sample(struct tw_json *json, const struct tw_sample_summary *s,
		   const struct tw_connection_summary *connection)
{
	if (!s->n) {
		tw_json_null(json, "kernel");
		return;
	}
	tw_json_object(json, "kernel");
	tw_json_uint(json, "samples", s->n);
	tw_json_known_uint(json, "cwnd_min", s->cwnd_min);
	tw_json_known_uint(json, "cwnd_max", s->cwnd_max);
	tw_json_known_uint(json, "cwnd_last", s->cwnd_last);
	tw_json_known_uint(json, "ssthresh_last", s->ssthresh_last);
	tw_json_known_uint(json, "unacked_max", s->unacked_max);
	tw_json_known_uint(json, "unacked_packet", s->unacked_packet);
	tw_json_known_uint(json, "unacked_cwnd", s->unacked_cwnd);
	if (s->cut_packet) {
		tw_json_object(json, "cut");
		tw_json_uint(json, "packet", s->cut_packet);
		tw_json_instant(json, "at", s->cut_at, connection);
		tw_json_uint(json, "cwnd_from", s->cut_from);
		tw_json_uint(json, "cwnd_to", s->cut_to);
		tw_json_uint(json, "ssthresh", s->cut_ssthresh);
		tw_json_end(json);
	} else {
		tw_json_null(json, "cut");
	}
	tw_json_end(json);
}

static void controller(struct tw_json *json, const struct tw_direction_summary *d,
		       const struct tw_connection_summary *connection)
{
	static const char *const phases[] = {
		[TW_PHASE_UNKNOWN] = "unknown",     [TW_PHASE_SLOW_START] = "slow-start",
		[TW_PHASE_AVOIDANCE] = "avoidance", [TW_PHASE_RECOVERY] = "recovery",
		[TW_PHASE_LOSS] = "loss",
	};

	spread(json, "rtt_s", &d->rtt);
	tw_json_known_seconds(json, "reaction_min_s", d->reaction.min);
	tw_json_known_seconds(json, "srtt_s", d->srtt);
	tw_json_known_seconds(json, "rttvar_s", d->rttvar);
	tw_json_known_seconds(json, "rto_s", d->rto);
	tw_json_uint(json, "flight_max", d->flight_max);
	tw_json_object(json, "cwnd");
	tw_json_known_uint(json, "max", d->cwnd_max);
	tw_json_known_uint(json, "last", d->cwnd_last);
	tw_json_string(json, "phase", phases[d->phase_last]);
	tw_json_bool(json, "from_kernel", d->sample.cwnd_last != 0);
	tw_json_end(json);
	sample(json, &d->sample, connection);
	tw_json_object(json, "ecn");
	tw_json_uint(json, "ect_packets", d->ect_packets);
	tw_json_uint(json, "ce_packets", d->ce_packets);
	tw_json_uint(json, "ece_acks", d->ece_acks);
	tw_json_uint(json, "cwr_packets", d->cwr_packets);
	tw_json_end(json);
}

static void attribution(struct tw_json *json, const struct tw_direction_bill *b)
{
	tw_json_uint(json, "rounds", b->rounds);
	tw_json_uint(json, "stalls_seen", b->stalls);
	tw_json_uint(json, "rounds_window_full", b->rounds_window_full);
	tw_json_uint(json, "rounds_grown", b->rounds_grown);
	tw_json_uint(json, "flight_p90", b->flight_p90);
	if (b->capacity_bps > 0)
		tw_json_double(json, "capacity_bps", b->capacity_bps);
	else
		tw_json_null(json, "capacity_bps");
	tw_json_double(json, "best_rate_bps", b->best_rate_bps);
	tw_json_object(json, "queue");
	tw_json_seconds(json, "median_s", b->queue_median_ns);
	tw_json_seconds(json, "max_s", b->queue_max_ns);
	tw_json_uint(json, "rounds", b->queue_rounds);
	tw_json_end(json);
	tw_json_uint(json, "small_holds", b->small_holds);
	tw_json_uint(json, "turns", b->turns);
	tw_json_seconds(json, "think_s", b->think_ns);
	tw_json_seconds(json, "think_longest_s", b->think_longest_ns);
	tw_json_known_uint(json, "think_packet", b->think_packet);
	tw_json_seconds(json, "round_trip_s", b->round_trip_ns);
}

void tw_json_direction(struct tw_json *json, const struct tw_connection_report *connection,
		       int side)
{
	const struct tw_direction_summary *d = &connection->summary.direction[side];
	const struct tw_direction_bill *b = &connection->bill.direction[side];

	tw_json_object(json, tw_json_side(side));
	sent(json, d, b);
	retransmissions(json, d);
	losses(json, d);
	came_back(json, d);
	controller(json, d, &connection->summary);
	attribution(json, b);
	tw_json_rows(json, "ledger", connection, side, b->duration_ns);
	tw_json_end(json);
}
