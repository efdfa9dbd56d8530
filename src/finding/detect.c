/* SPDX-License-Identifier: BSD-2-Clause */
/* What the detectors share: claims to the bill's time, host names, prose and evidence. */
#include "finding/detect.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ledger/whatif.h"

void tw_claim_add(struct tw_claim *claim, const struct tw_case *c, enum tw_cause cause, int side)
{
	const struct tw_bill_row *row = tw_bill_row(c->bill, cause, side);
	unsigned at = claim->n_rows;
	int64_t ns;

	if (!row || row->ns <= 0 || claim->n_rows == TW_CLAIM_ROWS)
		return;
	if (__builtin_add_overflow(claim->ns, row->ns, &ns))
		return;
	claim->confidence =
		(claim->confidence * (double)claim->ns + row->confidence * (double)row->ns) /
		(double)ns;
	claim->ns = ns;
	claim->part = 1;
	claim->intervals += row->intervals;
	claim->rounds += row->rounds;
	while (at && claim->row[at - 1]->ns < row->ns) {
		claim->row[at] = claim->row[at - 1];
		at--;
	}
	claim->row[at] = row;
	claim->n_rows++;
	claim->party = claim->row[0]->party;
}

struct tw_claim tw_claim_of(const struct tw_case *c, enum tw_cause cause, int side)
{
	struct tw_claim claim = { 0 };

	tw_claim_add(&claim, c, cause, side);
	return claim;
}

void tw_claim_cut(struct tw_claim *claim, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	if (ns >= claim->ns)
		return;
	claim->part = claim->part * (double)ns / (double)claim->ns;
	claim->ns = ns;
}

static bool claims(const struct tw_claim *claim, enum tw_cause cause)
{
	for (unsigned i = 0; i < claim->n_rows; i++)
		if (claim->row[i]->cause == cause)
			return true;
	return false;
}

/* Of a duration, less a saving: 0 to the duration. */
static int64_t left_of(int64_t duration, int64_t saves_ns)
{
	return saves_ns <= 0 ? duration : saves_ns < duration ? duration - saves_ns : 0;
}

void tw_set_saving(const struct tw_case *c, int64_t saves_ns, struct tw_finding *out)
{
	int64_t duration = c->bill->duration_ns > 0 ? c->bill->duration_ns : 0;

	out->duration_without_ns = left_of(duration, saves_ns);
	out->duration_low_ns = out->duration_high_ns = out->duration_without_ns;
	out->saves_ns = duration - out->duration_without_ns;
}

int64_t tw_claim_saves(const struct tw_claim *claim, const struct tw_case *c)
{
	int64_t duration = c->bill->duration_ns > 0 ? c->bill->duration_ns : 0;

	return tw_part(duration - tw_whatif_rows(c->bill, claim->row, claim->n_rows).ns, claim->part);
}

void tw_claim_settle(const struct tw_claim *claim, const struct tw_case *c, struct tw_finding *out)
{
	int64_t duration = c->bill->duration_ns > 0 ? c->bill->duration_ns : 0;
	struct tw_whatif w;

	out->next = TW_CAUSE_UNKNOWN;
	if (!claim->n_rows)
		return;
	w = tw_whatif_rows(c->bill, claim->row, claim->n_rows);
	out->party = claim->party;
	out->confidence = claim->confidence < 0 ? 0 : claim->confidence > 1 ? 1 : claim->confidence;
	out->at_least = w.at_least;
	tw_set_saving(c, tw_part(duration - w.ns, claim->part), out);
	out->duration_low_ns = left_of(duration, tw_part(duration - w.low_ns, claim->part));
	out->duration_high_ns = left_of(duration, tw_part(duration - w.high_ns, claim->part));
	if (!claims(claim, w.next))
		out->next = w.next;
}

const struct tw_interval *tw_claim_longest(const struct tw_claim *claim)
{
	const struct tw_interval *longest = NULL;

	for (unsigned i = 0; i < claim->n_rows; i++) {
		const struct tw_bill_row *row = claim->row[i];

		for (unsigned k = 0; k < row->n_examples && k < TW_ROW_EXAMPLES; k++) {
			const struct tw_interval *x = &row->example[k];

			if (!longest ||
			    tw_span(x->from, x->to) > tw_span(longest->from, longest->to))
				longest = x;
		}
	}
	return longest;
}

void tw_say_longest(char *text, const struct tw_claim *claim)
{
	const struct tw_interval *longest = tw_claim_longest(claim);

	if (!longest)
		return;
	tw_say(text, " (");
	if (claim->intervals != 1)
		tw_say(text, "the longest %s, ", tw_duration(tw_span(longest->from, longest->to)).s);
	tw_say(text, "packets %s to %s)", tw_count(longest->packet_from).s, tw_count(longest->packet_to).s);
}

double tw_share(const struct tw_case *c, int64_t ns)
{
	return c->bill->duration_ns > 0 ? (double)ns / (double)c->bill->duration_ns : 0;
}

double tw_busy_share(const struct tw_case *c, int64_t ns)
{
	double busy = (double)c->bill->duration_ns;

	for (int side = 0; side < 2; side++) {
		const struct tw_bill_row *row = tw_bill_row(c->bill, TW_CAUSE_SENDER_APP, side);

		if (row)
			busy -= (double)row->ns;
	}
	return busy > 0 ? (double)ns / busy : 0;
}

int64_t tw_part(int64_t ns, double share)
{
	double part = (double)ns * share;

	if (!(part > 0))
		return 0;
	return part < 9e18 ? (int64_t)part : ns;
}

int64_t tw_mean(int64_t ns, uint64_t n)
{
	return n && n <= INT64_MAX && ns > 0 ? ns / (int64_t)n : 0;
}

int64_t tw_span(int64_t from, int64_t to)
{
	int64_t span;

	if (__builtin_sub_overflow(to, from, &span))
		return to > from ? INT64_MAX : 0;
	return span > 0 ? span : 0;
}

uint32_t tw_mss(const struct tw_direction_summary *d)
{
	return d->mss ? d->mss : TW_DEFAULT_MSS;
}

uint64_t tw_segments(const struct tw_direction_summary *d)
{
	uint64_t by_bytes = d->bytes / tw_mss(d);

	return by_bytes > d->data_packets ? by_bytes : d->data_packets;
}

uint64_t tw_path_bytes(double bps, int64_t ns)
{
	double bytes = bps / 8 * ((double)ns / 1e9);

	if (!(bytes > 0)) /* also where a figure is not a number */
		return 0;
	return bytes < 1e18 ? (uint64_t)bytes : UINT64_C(1000000000000000000);
}

int64_t tw_least_rtt(const struct tw_case *c, int side)
{
	int64_t rtt = c->bill->direction[side].min_rtt;

	if (rtt <= 0)
		rtt = c->connection->min_rtt;
	return rtt > 0 ? rtt : 0;
}

static void copy_name(const char *name, char out[TW_HOST_TEXT])
{
	size_t n = strnlen(name, TW_HOST_TEXT);

	if (n == TW_HOST_TEXT) {
		memcpy(out, name, TW_HOST_TEXT - 4);
		memcpy(out + TW_HOST_TEXT - 4, "...", 4);
	} else {
		memcpy(out, name, n + 1);
	}
}

/*
 * The endpoint with and without its port, which is cut off only where the text ends in it, since a
 * name may print in some other way.
 */
static void name_host(const struct tw_endpoint *endpoint, char *whole, char *bare)
{
	char text[TW_ENDPOINT_TEXT], clean[TW_ENDPOINT_TEXT], tail[8];
	char *host = clean;
	size_t n, t;

	tw_escape(tw_endpoint_format(endpoint, text, sizeof(text)), clean, sizeof(clean));
	copy_name(clean, whole);
	t = (size_t)snprintf(tail, sizeof(tail), ":%u", endpoint->port);
	n = strlen(clean);
	if (n > t && !strcmp(clean + n - t, tail)) {
		n -= t;
		clean[n] = '\0';
	}
	if (n > 2 && clean[0] == '[' && clean[n - 1] == ']') {
		clean[n - 1] = '\0';
		host++;
	}
	copy_name(host, bare);
}

void tw_hosts_name(const struct tw_case *c, int side, struct tw_hosts *hosts)
{
	const struct tw_endpoint *ends = c->connection->endpoint;

	name_host(&ends[side], hosts->sender, hosts->sender_address);
	name_host(&ends[!side], hosts->receiver, hosts->receiver_address);
	/* On the loopback both hosts are one: there the port tells the two programs apart. */
	if (strcmp(hosts->sender_address, hosts->receiver_address)) {
		memcpy(hosts->sender, hosts->sender_address, TW_HOST_TEXT);
		memcpy(hosts->receiver, hosts->receiver_address, TW_HOST_TEXT);
	}
}

void tw_say(char *text, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, TW_FINDING_TEXT - used, format, args);
	va_end(args);
}

void tw_say_cost(char *text, const struct tw_case *c, int64_t ns)
{
	tw_say(text, " Cost: %s, %s of the time.", tw_duration(ns).s,
	       tw_percent(tw_share(c, ns)).s);
}

void tw_say_route(char *text, const char *address, const char *metric)
{
	tw_say(text, "ip%s route replace %s [via GATEWAY] dev DEVICE %s",
	       strchr(address, ':') ? " -6" : "", address, metric);
}

struct tw_text tw_often(uint64_t n)
{
	struct tw_text t = { .s = "once" };

	if (n == 1)
		return t;
	if (n == 2)
		strcpy(t.s, "twice");
	else
		t = tw_counted(n, "time");
	return t;
}

struct tw_text tw_counted(uint64_t n, const char *noun)
{
	struct tw_text t = tw_count(n); /* 26 characters at the most */
	size_t used = strlen(t.s);

	snprintf(t.s + used, sizeof(t.s) - used, " %s%s", noun, n == 1 ? "" : "s");
	return t;
}

void tw_evidence_add(struct tw_finding *out, uint64_t packet, int64_t at, const char *format, ...)
{
	struct tw_evidence *e;
	va_list args;

	if (!packet || out->n_evidence == TW_FINDING_EVIDENCE)
		return;
	for (unsigned i = 0; i < out->n_evidence; i++)
		if (out->evidence[i].packet == packet)
			return;
	e = &out->evidence[out->n_evidence++];
	e->packet = packet;
	e->at = at;
	va_start(args, format);
	vsnprintf(e->note, sizeof(e->note), format, args);
	va_end(args);
}

void tw_evidence_marks(struct tw_finding *out, const struct tw_marks *marks, unsigned most,
		       const char *note)
{
	for (unsigned i = 0; i < most && i < marks->count && i < TW_MARKS; i++)
		tw_evidence_add(out, marks->first[i].packet, marks->first[i].at, "%s", note);
}

void tw_evidence_release(struct tw_finding *out, const struct tw_interval *stall, const char *note)
{
	uint64_t packet = stall->released_by ? stall->released_by : stall->packet_to;
	int64_t waited = tw_span(stall->from, stall->to);
	int64_t at = stall->to;

	/* The ACK came a moment before the send that it released and that ends the interval. */
	if (stall->released_by && stall->waited_ns > 0 && stall->waited_ns <= waited) {
		waited = stall->waited_ns;
		at = stall->from + waited;
	}
	tw_evidence_add(out, packet, at, "%s after %s", note, tw_duration(waited).s);
}
