/* SPDX-License-Identifier: BSD-2-Clause */
/* With -v: all that is known of what each side sent, and of what came back for it. */
#include <inttypes.h>
#include <string.h>

#include "output/text_parts.h"

static void field(struct tw_text_view *view, const char *name, const struct tw_line *line)
{
	char label[24];

	if (!line->n)
		return;
	snprintf(label, sizeof(label), "%-14s", name);
	tw_page_paragraph(&view->page, view->indent + 2, label, TW_STYLE_PLAIN, line->s);
}

/* " (packets 12, 15, 18, 20, ...)"; "" where none is known. */
static const char *packets(const struct tw_marks *marks, char *out, size_t size)
{
	struct tw_line line = { .separator = ", " };
	unsigned n = 0;

	for (unsigned i = 0; i < TW_MARKS && i < marks->count; i++) {
		if (marks->first[i].packet) {
			tw_line_add(&line, "%" PRIu64, marks->first[i].packet);
			n++;
		}
	}
	if (n && marks->count > n)
		tw_line_add(&line, "...");
	*out = '\0';
	if (n)
		snprintf(out, size, " (packet%s %.96s)", n > 1 ? "s" : "", line.s);
	return out;
}

static void count_marks(struct tw_line *line, const struct tw_marks *marks, const char *words)
{
	char where[128];

	if (marks->count)
		tw_line_add(line, "%s %s%s", tw_count(marks->count).s, words,
			    packets(marks, where, sizeof(where)));
}

static void count_nouns(struct tw_line *line, const struct tw_marks *marks, const char *noun)
{
	char where[128];

	if (marks->count)
		tw_line_add(line, "%s%s", tw_count_of(marks->count, noun).s,
			    packets(marks, where, sizeof(where)));
}

static void payload(struct tw_text_view *view, const struct tw_direction_summary *d)
{
	struct tw_line line = { .separator = "; " };

	if (d->data_packets)
		tw_line_add(&line, "%s unique, %s sent, in %s of %s", tw_size(d->unique_bytes).s,
			    tw_size(d->bytes).s, tw_count(d->data_packets).s,
			    tw_count_of(d->packets, "packet").s);
	else
		tw_line_add(&line, "none in %s", tw_count_of(d->packets, "packet").s);
	if (d->mss)
		tw_line_add(&line, "MSS %s", tw_count(d->mss).s);
	if (d->mss_option)
		tw_line_add(&line, "announced %s", tw_count(d->mss_option).s);
	if (d->largest_payload)
		tw_line_add(&line, "largest payload %s", tw_size(d->largest_payload).s);
	if (d->small_packets)
		tw_line_add(&line, "%s under an MSS", tw_count(d->small_packets).s);
	if (d->super_packets)
		tw_line_add(&line, "%s over an MSS (offload)", tw_count(d->super_packets).s);
	if (d->duplicates)
		tw_line_add(&line, "%s captured twice", tw_count(d->duplicates).s);
	if (d->urgent_packets)
		tw_line_add(&line, "%s urgent", tw_count(d->urgent_packets).s);
	field(view, "payload", &line);

	line = (struct tw_line){ .separator = ", " };
	tw_line_add(&line, "SACK %s",
		    d->sack_permitted ? "offered" :
		    d->syn_seen       ? "not offered" :
					"not known");
	tw_line_add(&line, "timestamps %s", d->timestamps ? "used" : "not seen");
	if (d->syns > 1)
		tw_line_add(&line, "%u SYNs", d->syns);
	if (d->fin_seen)
		tw_line_add(&line, "FIN");
	if (d->rst_seen)
		tw_line_add(&line, "RST");
	field(view, "options", &line);
}

static void resends(struct tw_text_view *view, const struct tw_direction_summary *d)
{
	static const char *const titles[] = {
#define X(id, json, title) title,
		TW_RESEND_CLASSES(X)
#undef X
	};
	static const char *const proofs[] = {
		[TW_SPURIOUS_DSACK] = "shown by DSACK",
		[TW_SPURIOUS_EIFEL] = "shown by timestamps (Eifel)",
		[TW_SPURIOUS_ACKED] = "acknowledged before",
	};
	struct tw_line line = { .separator = "; " };

	if (d->resent_packets)
		tw_line_add(&line, "%s, %s", tw_count_of(d->resent_packets, "packet").s,
			    tw_size(d->resent_bytes).s);
	if (d->resent_unseen)
		tw_line_add(&line, "%s of them never captured before",
			    tw_count(d->resent_unseen).s);
	for (unsigned i = 0; i < TW_RESEND_CLASS_COUNT; i++)
		count_marks(&line, &d->resends[i], titles[i]);
	field(view, "resent", &line);

	line = (struct tw_line){ .separator = "; " };
	for (unsigned i = 0; i < TW_SPURIOUS_PROOF_COUNT; i++)
		count_marks(&line, &d->spurious[i], proofs[i]);
	field(view, "needlessly", &line);

	line = (struct tw_line){ .separator = "; " };
	count_nouns(&line, &d->losses, "segment");
	count_nouns(&line, &d->id_gaps, "IPv4 ID gap");
	field(view, "lost", &line);

	line = (struct tw_line){ .separator = "; " };
	count_nouns(&line, &d->reordered, "late original");
	if (d->reordered.count)
		tw_line_add(&line, "up to %s and %s late", tw_size(d->reorder_extent_bytes).s,
			    tw_duration(d->reorder_delay_ns).s);
	field(view, "reordered", &line);

	line = (struct tw_line){ .separator = "; " };
	if (d->capture_missed_bytes)
		tw_line_add(&line, "%s", tw_size(d->capture_missed_bytes).s);
	count_nouns(&line, &d->capture_missed, "gap");
	field(view, "not captured", &line);
}

static void spread(struct tw_line *line, const struct tw_spread *s)
{
	if (s->n)
		tw_line_add(line, "least %s, median %s, 95 %% under %s, most %s, of %s",
			    tw_duration(s->min).s, tw_duration(s->median).s, tw_duration(s->p95).s,
			    tw_duration(s->max).s, tw_count(s->n).s);
}

static void times(struct tw_text_view *view, const struct tw_direction_summary *d)
{
	struct tw_line line = { .separator = "; " };

	spread(&line, &d->rtt);
	if (d->srtt)
		tw_line_add(&line, "last estimate %s, varying %s, timeout %s",
			    tw_duration(d->srtt).s, tw_duration(d->rttvar).s,
			    tw_duration(d->rto).s);
	field(view, "RTT", &line);

	line = (struct tw_line){ .separator = "; " };
	if (d->advancing_acks)
		tw_line_add(&line, "%s, %s of them for something new, one for every %s",
			    tw_count(d->acks).s, tw_count(d->advancing_acks).s,
			    tw_size(d->acked_bytes / d->advancing_acks).s);
	if (d->dup_acks)
		tw_line_add(&line, "%s duplicate", tw_count(d->dup_acks).s);
	if (d->sack_blocks)
		tw_line_add(&line, "%s with SACK", tw_count(d->sack_blocks).s);
	if (d->dsacks)
		tw_line_add(&line, "%s with DSACK", tw_count(d->dsacks).s);
	field(view, "ACKs", &line);

	line = (struct tw_line){ .separator = "; " };
	spread(&line, &d->ack_delay);
	field(view, "ACK delay", &line);
	line = (struct tw_line){ .separator = "; " };
	spread(&line, &d->ack_wait);
	field(view, "ACK wait", &line);
	line = (struct tw_line){ .separator = "; " };
	if (d->reaction.n) /* a least value: the rest of the spread is not measured */
		tw_line_add(&line, "least %s", tw_duration(d->reaction.min).s);
	field(view, "reaction", &line);
}

static void windows(struct tw_text_view *view, const struct tw_direction_summary *d)
{
	struct tw_line line = { .separator = "; " };
	char where[128];

	if (d->window_max) {
		tw_line_add(&line, "%s to %s", tw_size(d->window_min).s, tw_size(d->window_max).s);
		if (d->window_scale_known)
			tw_line_add(&line, "scale %u", d->window_scale);
		else
			tw_line_add(&line, "scale not known, so these may be far too small");
	}
	if (d->zero_windows.count)
		tw_line_add(&line, "closed %s for %s%s",
			    tw_count_of(d->zero_windows.count, "time").s,
			    tw_duration(d->zero_window_ns).s,
			    packets(&d->zero_windows, where, sizeof(where)));
	if (d->window_updates)
		tw_line_add(&line, "%s", tw_count_of(d->window_updates, "update").s);
	if (d->window_full)
		tw_line_add(&line, "%s left under an MSS of it",
			    tw_count_of(d->window_full, "send").s);
	field(view, "window", &line);
}

static const char *const phases[] = {
	[TW_PHASE_UNKNOWN] = "not known",
	[TW_PHASE_SLOW_START] = "slow start",
	[TW_PHASE_AVOIDANCE] = "congestion avoidance",
	[TW_PHASE_RECOVERY] = "recovery",
	[TW_PHASE_LOSS] = "loss, after a timeout",
};

static void controller(struct tw_text_view *view, const struct tw_direction_summary *d,
		       const struct tw_direction_bill *b)
{
	struct tw_line line = { .separator = "; " };

	if (d->flight_max)
		tw_line_add(&line, "at most %s, 90 %% of rounds under %s", tw_size(d->flight_max).s,
			    tw_size(b->flight_p90).s);
	if (d->sample.unacked_max)
		tw_line_add(&line,
			    "the kernel counts at most %s, under a cwnd of %s (packet %" PRIu64 ")",
			    tw_size(d->sample.unacked_max).s, tw_size(d->sample.unacked_cwnd).s,
			    d->sample.unacked_packet);
	field(view, "flight", &line);

	line = (struct tw_line){ .separator = "; " };
	if (d->cwnd_max)
		tw_line_add(&line, "at most %s, last %s (%s)", tw_size(d->cwnd_max).s,
			    tw_size(d->cwnd_last).s,
			    d->sample.cwnd_last ? "from the kernel" : "inferred from the flight");
	if (d->sample.ssthresh_last)
		tw_line_add(&line, "ssthresh %s", tw_size(d->sample.ssthresh_last).s);
	if (d->sample.cut_packet)
		tw_line_add(&line, "first cut from %s to %s, ssthresh %s (packet %" PRIu64 ")",
			    tw_size(d->sample.cut_from).s, tw_size(d->sample.cut_to).s,
			    tw_size(d->sample.cut_ssthresh).s, d->sample.cut_packet);
	if (d->phase_last != TW_PHASE_UNKNOWN)
		tw_line_add(&line, "last phase: %s", phases[d->phase_last]);
	field(view, "cwnd", &line);

	line = (struct tw_line){ .separator = "; " };
	if (b->capacity_bps > 0)
		tw_line_add(&line, "capacity %s", tw_rate(b->capacity_bps).s);
	if (b->best_rate_bps > 0)
		tw_line_add(&line, "best round %s", tw_rate(b->best_rate_bps).s);
	if (b->queue_rounds)
		tw_line_add(&line, "standing queue of %s, at most %s, in %s",
			    tw_duration(b->queue_median_ns).s, tw_duration(b->queue_max_ns).s,
			    tw_count_of(b->queue_rounds, "round").s);
	if (d->ect_packets)
		tw_line_add(&line, "ECN: %s packets capable, %s marked, %s ACKs echo it",
			    tw_count(d->ect_packets).s, tw_count(d->ce_packets).s,
			    tw_count(d->ece_acks).s);
	field(view, "path", &line);
}

static void ledger(struct tw_text_view *view, const struct tw_direction_bill *b)
{
	struct tw_line line = { .separator = "; " };

	if (b->duration_ns)
		tw_line_add(&line, "%s charged", tw_duration(b->duration_ns).s);
	if (b->stalls)
		tw_line_add(&line, "%s", tw_count_of(b->stalls, "stall").s);
	if (b->rounds)
		tw_line_add(&line, "%s, %s of them filled the window, %s still grew",
			    tw_count_of(b->rounds, "round").s, tw_count(b->rounds_window_full).s,
			    tw_count(b->rounds_grown).s);
	if (b->turns)
		tw_line_add(&line, "spoke in turn %s, thought for %s, at most %s",
			    tw_count_of(b->turns, "time").s, tw_duration(b->think_ns).s,
			    tw_duration(b->think_longest_ns).s);
	if (b->small_holds)
		tw_line_add(&line, "%s waited for an ACK",
			    tw_count_of(b->small_holds, "small segment").s);
	field(view, "time", &line);
}

void tw_text_direction(struct tw_text_view *view, const struct tw_connection_report *connection,
		       int side)
{
	const struct tw_direction_summary *d = &connection->summary.direction[side];
	const struct tw_direction_bill *b = &connection->bill.direction[side];

	if (!d->packets)
		return;
	tw_page_newline(&view->page);
	tw_page_blanks(&view->page, view->indent);
	tw_page_printf(&view->page, TW_STYLE_DIM, "what the %s sent, and what came back for it",
		       tw_side_name(side));
	tw_page_newline(&view->page);
	payload(view, d);
	resends(view, d);
	times(view, d);
	windows(view, d);
	controller(view, d, b);
	ledger(view, b);
}
