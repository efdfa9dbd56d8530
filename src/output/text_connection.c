/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection's head: who sent how much to whom, how fast, and the facts worth knowing. */
#include <inttypes.h>

#include "base/utf8.h"
#include "output/text_parts.h"

static const struct tw_direction_summary *main_of(const struct tw_connection_summary *s)
{
	return &s->direction[s->main_direction ? 1 : 0];
}

static void volume(const struct tw_connection_report *c, struct tw_line *line)
{
	const struct tw_direction_summary *d = main_of(&c->summary);
	int64_t ns = c->bill.duration_ns;

	if (!d->unique_bytes)
		tw_line_add(line, "no data in %s", tw_duration(ns).s);
	else if (ns <= 0)
		tw_line_add(line, "%s sent %s", tw_side_name(c->summary.main_direction),
			    tw_size(d->unique_bytes).s);
	else
		tw_line_add(line, "%s sent %s in %s = %s", tw_side_name(c->summary.main_direction),
			    tw_size(d->unique_bytes).s, tw_duration(ns).s,
			    tw_rate((double)d->unique_bytes * 8e9 / (double)ns).s);
}

/* "client > server", on two lines where it has to be, cut in the middle where even that is short. */
static void endpoints(struct tw_text_view *view, const struct tw_connection_summary *s)
{
	struct tw_page *page = &view->page;
	char client[TW_HOST_TEXT], server[TW_HOST_TEXT], cut[TW_HOST_TEXT];
	unsigned at = page->column + page->pending;

	tw_endpoint_text(page, &s->endpoint[0], client);
	tw_endpoint_text(page, &s->endpoint[1], server);
	if (at + tw_utf8_width(client) + 3 + tw_utf8_width(server) <= page->width) {
		tw_page_printf(page, TW_STYLE_BOLD, "%s > ", client);
		tw_page_put(page, TW_STYLE_BOLD, server);
		return;
	}
	tw_page_put(page, TW_STYLE_BOLD,
		    tw_page_elide(page, client, page->width - at, cut, sizeof(cut)));
	tw_page_newline(page);
	tw_page_blanks(page, view->indent);
	tw_page_put(page, TW_STYLE_BOLD, "> ");
	tw_page_put(page, TW_STYLE_BOLD,
		    tw_page_elide(page, server, page->width - view->indent - 2, cut, sizeof(cut)));
}

static void title(struct tw_text_view *view, const struct tw_connection_report *c)
{
	struct tw_page *page = &view->page;
	struct tw_line line = { .separator = "; " };

	volume(c, &line);
	tw_page_printf(page, TW_STYLE_BOLD, "#%" PRIu64, c->summary.id);
	tw_page_blanks(page, 2);
	tw_page_to(page, view->indent);
	endpoints(view, &c->summary);
	if (page->column + 3 + tw_utf8_width(line.s) <= page->width) {
		tw_page_blanks(page, 3);
		tw_page_put(page, TW_STYLE_PLAIN, line.s);
		tw_page_newline(page);
	} else {
		tw_page_newline(page);
		tw_page_paragraph(page, view->indent, "", TW_STYLE_PLAIN, line.s);
	}
}

static void vantage(const struct tw_connection_summary *s, struct tw_line *line)
{
	const char *likely = s->place_confidence < 0.6 ? "probably " : "";

	switch (s->place) {
	case TW_PLACE_SENDER: tw_line_add(line, "%sseen at the sender", likely); break;
	case TW_PLACE_RECEIVER: tw_line_add(line, "%sseen at the receiver", likely); break;
	case TW_PLACE_MIDDLE: tw_line_add(line, "%sseen between the hosts", likely); break;
	case TW_PLACE_UNKNOWN: tw_line_add(line, "vantage not known"); break;
	}
}

static uint64_t turns_of(const struct tw_bill *bill)
{
	uint64_t a = bill->direction[0].turns, b = bill->direction[1].turns;

	return a > b ? a : b;
}

static void path(const struct tw_connection_report *c, struct tw_line *line)
{
	const struct tw_connection_summary *s = &c->summary;
	const struct tw_direction_summary *d = main_of(s);
	int64_t least = s->min_rtt ? s->min_rtt : d->rtt.min;

	/*
	 * A median well above the least is a queue: worth its place in the line. Not so in an
	 * exchange, where the ACK waits for the answer.
	 */
	if (least && d->rtt.median > least + least / 3 && turns_of(&c->bill) <= 1)
		tw_line_add(line, "RTT %s, median %s", tw_duration(least).s,
			    tw_duration(d->rtt.median).s);
	else if (least)
		tw_line_add(line, "RTT %s", tw_duration(least).s);
	if (d->mss && d->unique_bytes)
		tw_line_add(line, "MSS %s", tw_count(d->mss).s);
}

/* By what they were triggered, classes of one remedy together. */
static void resends(const struct tw_direction_summary *d, struct tw_line *line)
{
	static const struct {
		const char *words;
		unsigned char class[3], n;
	} groups[] = {
		{ "by fast retransmission",
		  { TW_RESEND_FAST_DUPACK, TW_RESEND_FAST_SACK, TW_RESEND_FAST_RACK },
		  3 },
		{ "by timeout", { TW_RESEND_RTO, TW_RESEND_RTO_BACKOFF, TW_RESEND_RTO_REPAIR }, 3 },
		{ "as tail-loss probe", { TW_RESEND_TLP }, 1 },
		{ "as window probe", { TW_RESEND_PERSIST }, 1 },
		{ "for no evident reason", { TW_RESEND_UNKNOWN }, 1 },
	};
	struct tw_line words = { .separator = ", " };
	struct tw_text total = tw_count(d->resent_packets);
	const char *only = NULL;

	if (!d->resent_packets)
		return;
	for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		uint64_t n = 0;

		for (unsigned k = 0; k < groups[i].n; k++)
			n += d->resends[groups[i].class[k]].count;
		if (n == d->resent_packets)
			only = groups[i].words;
		else if (n)
			tw_line_add(&words, "%s %s", tw_count(n).s, groups[i].words);
	}
	if (only)
		tw_line_add(line, "%s resent %s", total.s, only);
	else if (words.n)
		tw_line_add(line, "%s resent (%s)", total.s, words.s);
	else
		tw_line_add(line, "%s resent", total.s);
	if (d->needless)
		tw_line_add(line, "%s of them needlessly", tw_count(d->needless).s);
}

static void losses(const struct tw_direction_summary *d, bool one_way, struct tw_line *line)
{
	/* packets merged by offload hide segments: count those that the bytes make */
	uint64_t segments = d->mss ? (d->unique_bytes + d->mss - 1) / d->mss : 0;

	if (segments < d->data_packets)
		segments = d->data_packets;
	if (d->losses.count)
		tw_line_add(
			line, "%s lost (%s)", tw_count_of(d->losses.count, "segment").s,
			tw_percent(segments ? (double)d->losses.count / (double)segments : 0).s);
	else if (!d->resent_packets && !one_way && d->unique_bytes)
		tw_line_add(line, "nothing lost");
	resends(d, line);
	if (d->reordered.count)
		tw_line_add(line, "%s out of order", tw_count(d->reordered.count).s);
}

static void exchanges(const struct tw_connection_report *c, struct tw_line *line)
{
	const struct tw_direction_summary *other =
		&c->summary.direction[!c->summary.main_direction];
	uint64_t turns = turns_of(&c->bill);

	if (other->unique_bytes)
		tw_line_add(line, "%s sent %s", tw_side_name(!c->summary.main_direction),
			    tw_size(other->unique_bytes).s);
	if (other->losses.count)
		tw_line_add(line, "%s of it lost", tw_count_of(other->losses.count, "segment").s);
	if (turns > 1)
		tw_line_add(line, "%s exchanges of %s on average", tw_count(turns).s,
			    tw_duration(c->bill.duration_ns / (int64_t)turns).s);
}

static void acks(const struct tw_direction_summary *d, struct tw_line *line)
{
	enum { BULK = 10 }; /* segments and ACKs from which an average says something */
	const struct tw_spread *wait = &d->ack_wait;

	/* A kernel's table is short: it was made to be looked at line by line. */
	if (d->sample.n && d->mss && d->advancing_acks) {
		double segments = (double)d->acked_bytes / (double)d->advancing_acks / d->mss;

		tw_line_add(line, "an ACK for every %s (%.*f segments)",
			    tw_size(d->acked_bytes / d->advancing_acks).s,
			    segments < 9.95 ? 1 : 0, segments);
		if (wait->n)
			tw_line_add(line, "waits of %s to %s for an ACK", tw_duration(wait->min).s,
				    tw_duration(wait->max).s);
	} else if (d->mss && d->advancing_acks >= BULK && d->acked_bytes / d->mss >= BULK) {
		tw_line_add(line, "an ACK for every %s",
			    tw_size(d->acked_bytes / d->advancing_acks).s);
	}
	if (d->zero_windows.count)
		tw_line_add(line, "window closed %s, for %s",
			    tw_count_of(d->zero_windows.count, "time").s,
			    tw_duration(d->zero_window_ns).s);
	if (d->ce_packets)
		tw_line_add(line, "%s marked by ECN", tw_count_of(d->ce_packets, "packet").s);
	else if (d->ece_acks)
		tw_line_add(line, "ECN marks echoed by %s", tw_count_of(d->ece_acks, "ACK").s);
}

/* What the capture holds of the connection, and what it does not. */
static void capture(const struct tw_connection_report *c, struct tw_line *line)
{
	const struct tw_connection_summary *s = &c->summary;
	uint64_t missed =
		s->direction[0].capture_missed_bytes + s->direction[1].capture_missed_bytes;

	if (!s->start_seen)
		tw_line_add(line, "mid-stream: the start is not in the capture%s",
			    s->client_guessed ? ", which side is the client is a guess" : "");
	if (s->one_way)
		tw_line_add(line, "only one direction was captured");
	if (missed)
		tw_line_add(line, "the capture missed %s", tw_size(missed).s);
	if (s->time_disorder)
		tw_line_add(line, "%s with a time that ran backwards",
			    tw_count_of(s->time_disorder, "packet").s);
	if (s->reset)
		tw_line_add(line, "reset%s",
			    s->direction[0].rst_seen == s->direction[1].rst_seen ? "" :
			    s->direction[1].rst_seen ? " by the server" :
						       " by the client");
	else if (s->evicted)
		tw_line_add(line, "pushed out of the connection table before its end");
	else if (!s->closed)
		tw_line_add(line, "still open at the end");
	if (c->bill.after_ns > c->bill.duration_ns / 10 && c->bill.after_ns > 0)
		tw_line_add(line, "then %s without data, not billed",
			    tw_duration(c->bill.after_ns).s);
}

void tw_text_head(struct tw_text_view *view, const struct tw_connection_report *connection)
{
	const struct tw_connection_summary *s = &connection->summary;
	const struct tw_direction_summary *d = main_of(s);
	struct tw_line line = { .separator = "; " };

	title(view, connection);
	if (d->unique_bytes)
		vantage(s, &line);
	path(connection, &line);
	losses(d, s->one_way, &line);
	exchanges(connection, &line);
	acks(d, &line);
	capture(connection, &line);
	if (line.n)
		tw_page_paragraph(&view->page, view->indent, "", TW_STYLE_PLAIN, line.s);
}
