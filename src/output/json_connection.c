/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection in JSON: its bill, its findings, its stalls. */
#include "ledger/whatif.h"
#include "output/json_parts.h"

const char *tw_json_side(int side)
{
	return side ? "server" : "client";
}

void tw_json_instant(struct tw_json *json, const char *key, int64_t at,
		     const struct tw_connection_summary *connection)
{
	int64_t ns;

	/* instants come from the file: any two may be farther apart than an int64_t holds */
	if (__builtin_sub_overflow(at, connection->first, &ns))
		ns = at < connection->first ? INT64_MIN : INT64_MAX;
	tw_json_seconds(json, key, ns);
}

void tw_json_known_seconds(struct tw_json *json, const char *key, int64_t ns)
{
	if (ns)
		tw_json_seconds(json, key, ns);
	else
		tw_json_null(json, key);
}

void tw_json_known_uint(struct tw_json *json, const char *key, uint64_t value)
{
	if (value)
		tw_json_uint(json, key, value);
	else
		tw_json_null(json, key);
}

static double share(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

static void interval(struct tw_json *json, const struct tw_interval *i,
		     const struct tw_connection_summary *s)
{
	tw_json_object(json, NULL);
	tw_json_instant(json, "from", i->from, s);
	tw_json_instant(json, "to", i->to, s);
	tw_json_string(json, "kind", i->is_stall ? "stall" : "rounds");
	tw_json_string(json, "cause", tw_cause_id(i->cause));
	tw_json_string(json, "side", tw_json_side(i->side));
	tw_json_double(json, "confidence", i->confidence / 100.0);
	tw_json_uint(json, "packet_from", i->packet_from);
	tw_json_uint(json, "packet_to", i->packet_to);
	tw_json_known_uint(json, "released_by", i->released_by);
	tw_json_known_seconds(json, "waited_s", i->waited_ns);
	tw_json_uint(json, "outstanding", i->outstanding);
	tw_json_uint(json, "dup_acks", i->dup_acks);
	tw_json_bool(json, "turn", i->is_turn);
	if (i->seq_to > i->seq_from) {
		tw_json_uint(json, "seq_from", i->seq_from);
		tw_json_uint(json, "seq_to", i->seq_to);
	}
	tw_json_end(json);
}

static void row(struct tw_json *json, const struct tw_bill_row *r, int64_t whole)
{
	tw_json_object(json, NULL);
	tw_json_string(json, "cause", tw_cause_id(r->cause));
	tw_json_string(json, "side", tw_json_side(r->side));
	tw_json_string(json, "party", tw_party_title(r->party));
	tw_json_seconds(json, "seconds", r->ns);
	tw_json_double(json, "share", share(r->ns, whole));
	tw_json_seconds(json, "waits_s", r->waits_ns);
	tw_json_uint(json, "intervals", r->intervals);
	tw_json_uint(json, "rounds", r->rounds);
	tw_json_double(json, "confidence", r->confidence);
	tw_json_seconds(json, "saves_s", r->saves_ns);
	tw_json_bool(json, "at_least", r->at_least);
	if (r->next != TW_CAUSE_UNKNOWN)
		tw_json_string(json, "next", tw_cause_id(r->next));
	else
		tw_json_null(json, "next");
}

/* The connection without the cause and what goes with it. */
static void without(struct tw_json *json, const struct tw_bill *bill, const struct tw_bill_row *r)
{
	struct tw_whatif w = tw_whatif_cause(bill, r->cause, r->side);

	tw_json_object(json, "without");
	tw_json_seconds(json, "duration_s", w.ns);
	tw_json_seconds(json, "low_s", w.low_ns);
	tw_json_seconds(json, "high_s", w.high_ns);
	tw_json_bool(json, "at_least", w.at_least);
	tw_json_end(json);
}

void tw_json_rows(struct tw_json *json, const char *key,
		  const struct tw_connection_report *connection, int side, int64_t whole)
{
	const struct tw_bill *bill = &connection->bill;

	tw_json_array(json, key);
	for (unsigned i = 0; i < bill->n_rows; i++) {
		const struct tw_bill_row *r = &bill->rows[i];

		if (side >= 0 && r->side != side)
			continue;
		row(json, r, whole);
		if (side < 0) { /* once: a direction's ledger does not repeat them */
			without(json, bill, r);
			tw_json_array(json, "examples");
			for (unsigned k = 0; k < r->n_examples; k++)
				interval(json, &r->example[k], &connection->summary);
			tw_json_end(json);
		}
		tw_json_end(json);
	}
	tw_json_end(json);
}

static void finding(struct tw_json *json, const struct tw_finding *f,
		    const struct tw_connection_summary *s)
{
	tw_json_object(json, NULL);
	tw_json_string(json, "id", tw_finding_id(f->id));
	tw_json_string(json, "class",
		       tw_finding_class(f->id) == TW_CLASS_FAULT ? "fault" : "information");
	tw_json_string(json, "title", tw_finding_title(f->id));
	tw_json_string(json, "side", tw_json_side(f->side));
	tw_json_string(json, "party", tw_party_title(f->party));
	tw_json_double(json, "confidence", f->confidence);
	tw_json_string(json, "confidence_word", tw_confidence_word(f->confidence));
	tw_json_string(json, "text", f->text);
	tw_json_string(json, "fix", f->fix);
	tw_json_seconds(json, "saves_s", f->saves_ns);
	tw_json_seconds(json, "duration_without_s", f->duration_without_ns);
	tw_json_seconds(json, "duration_without_low_s", f->duration_low_ns);
	tw_json_seconds(json, "duration_without_high_s", f->duration_high_ns);
	tw_json_bool(json, "at_least", f->at_least);
	if (f->next != TW_CAUSE_UNKNOWN)
		tw_json_string(json, "next", tw_cause_id(f->next));
	else
		tw_json_null(json, "next");
	tw_json_array(json, "evidence");
	for (unsigned i = 0; i < f->n_evidence; i++) {
		const struct tw_evidence *e = &f->evidence[i];

		tw_json_object(json, NULL);
		tw_json_known_uint(json, "packet", e->packet);
		if (e->at >= s->first)
			tw_json_instant(json, "at", e->at, s);
		else
			tw_json_null(json, "at");
		tw_json_string(json, "note", e->note);
		tw_json_end(json);
	}
	tw_json_end(json);
	tw_json_end(json);
}

static void judged_round(struct tw_json *json, const struct tw_judged_round *r,
			 const struct tw_connection_summary *s)
{
	tw_json_object(json, NULL);
	tw_json_instant(json, "from", r->from, s);
	tw_json_instant(json, "to", r->to, s);
	tw_json_seconds(json, "seconds", r->ns);
	tw_json_string(json, "cause", tw_cause_id(r->cause));
	tw_json_string(json, "side", tw_json_side(r->side));
	tw_json_double(json, "confidence", r->confidence / 100.0);
	tw_json_uint(json, "flight", r->flight);
	if (r->window != UINT32_MAX)
		tw_json_uint(json, "window", r->window);
	else
		tw_json_null(json, "window");
	tw_json_bool(json, "window_full", r->window_full);
	tw_json_uint(json, "bytes", r->bytes);
	tw_json_end(json);
}

static void facts(struct tw_json *json, const struct tw_connection_report *c)
{
	const struct tw_connection_summary *s = &c->summary;
	char endpoint[TW_ENDPOINT_TEXT];

	tw_json_uint(json, "id", s->id);
	tw_json_string(json, "protocol", "tcp");
	tw_json_string(json, "client",
		       tw_endpoint_format(&s->endpoint[0], endpoint, sizeof(endpoint)));
	tw_json_string(json, "server",
		       tw_endpoint_format(&s->endpoint[1], endpoint, sizeof(endpoint)));
	tw_json_bool(json, "client_guessed", s->client_guessed);
	tw_json_seconds(json, "first", s->first);
	tw_json_seconds(json, "duration_s", c->bill.duration_ns);
	tw_json_seconds(json, "after_s", c->bill.after_ns);
	tw_json_uint(json, "packets", s->packets);
	tw_json_uint(json, "first_packet", s->first_packet);
	tw_json_bool(json, "complete", s->start_seen && s->closed);
	tw_json_bool(json, "start_seen", s->start_seen);
	tw_json_bool(json, "closed", s->closed);
	tw_json_bool(json, "reset", s->reset);
	tw_json_bool(json, "evicted", s->evicted);
	tw_json_bool(json, "one_way", s->one_way);
	tw_json_string(json, "main", tw_json_side(s->main_direction));
	tw_json_known_seconds(json, "handshake_s", s->handshake_ns);
	tw_json_known_seconds(json, "min_rtt_s", s->min_rtt);
	tw_json_uint(json, "syn_resends", s->syn_resends.count);
	tw_json_uint(json, "time_disorder", s->time_disorder);
	tw_json_seconds(json, "lost_s", c->lost_ns);
}

static const char *const places[] = {
	[TW_PLACE_UNKNOWN] = "unknown",
	[TW_PLACE_SENDER] = "sender",
	[TW_PLACE_RECEIVER] = "receiver",
	[TW_PLACE_MIDDLE] = "middle",
};

void tw_json_connection(struct tw_json *json, const struct tw_connection_report *connection)
{
	const struct tw_bill *bill = &connection->bill;

	facts(json, connection);
	tw_json_object(json, "vantage");
	tw_json_string(json, "place", places[connection->summary.place]);
	tw_json_double(json, "confidence", connection->summary.place_confidence);
	tw_json_end(json);
	tw_json_rows(json, "bill", connection, -1, bill->duration_ns);
	tw_json_object(json, "directions");
	tw_json_direction(json, connection, 0);
	tw_json_direction(json, connection, 1);
	tw_json_end(json);
	tw_json_array(json, "findings");
	for (unsigned i = 0; i < connection->n_findings; i++)
		finding(json, &connection->findings[i], &connection->summary);
	tw_json_end(json);
	if (bill->intervals) {
		tw_json_array(json, "stalls");
		for (uint32_t i = 0; i < bill->n_intervals; i++)
			interval(json, &bill->intervals[i], &connection->summary);
		tw_json_end(json);
		tw_json_uint(json, "stalls_dropped", bill->intervals_dropped);
	}
	if (bill->rounds) {
		tw_json_array(json, "rounds");
		for (uint32_t i = 0; i < bill->n_rounds; i++)
			judged_round(json, &bill->rounds[i], &connection->summary);
		tw_json_end(json);
		tw_json_uint(json, "rounds_dropped", bill->rounds_dropped);
	}
}
