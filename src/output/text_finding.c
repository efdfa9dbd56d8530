/* SPDX-License-Identifier: BSD-2-Clause */
/* The findings: what is wrong, how sure, the fix, what it gains, and the packets that prove it. */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "output/text_parts.h"

enum { EVIDENCE_LINES = 3 }; /* without -v */

/* Of a duration: limits closer than this are one figure. */
static const double narrow = 0.1;

/* A what-if is an estimate: two figures are all it can claim. */
static struct tw_text about(int64_t ns)
{
	static const struct {
		double least;
		const char *unit;
		double scale;
	} units[] = { { 1, "s", 1 }, { 1e-3, "ms", 1e3 }, { 0, "us", 1e6 } };
	struct tw_text t;
	double s = (double)ns / 1e9;
	unsigned i = 0;

	if (s >= 119.5)
		return tw_duration(ns);
	while (s < units[i].least * 0.9995)
		i++;
	s *= units[i].scale;
	snprintf(t.s, sizeof(t.s), "%.*f %s", s < 9.95 ? 1 : 0, s, units[i].unit);
	return t;
}

static bool is_narrow(const struct tw_finding *f)
{
	return (double)(f->duration_high_ns - f->duration_low_ns) <= narrow * (double)f->duration_without_ns;
}

static struct tw_text faster(int64_t now, int64_t then)
{
	return tw_times((double)now / (double)(then > 1000 ? then : 1000));
}

/*
 * "about 370 ms (9 times faster)", "300 to 480 ms (7 to 11 times faster)", "3.2 s or less (at least 1.3
 * times faster)", "370 ms at best (up to 9 times faster)".
 */
static void then(const struct tw_finding *f, int64_t now, struct tw_line *line)
{
	int64_t low = f->duration_low_ns, likely = f->duration_without_ns, high = f->duration_high_ns;

	if (is_narrow(f))
		tw_line_add(line, "%s -> about %s (%s faster)", tw_duration(now).s, about(likely).s,
			    faster(now, likely).s);
	else if (f->at_least)
		tw_line_add(line, "%s -> %s or less (at least %s faster)", tw_duration(now).s,
			    about(likely).s, faster(now, likely).s);
	else if ((double)high >= (1 - narrow) * (double)now)
		tw_line_add(line, "%s -> %s at best (up to %s faster)", tw_duration(now).s, about(low).s,
			    faster(now, low).s);
	else
		tw_line_add(line, "%s -> %s to %s (%s faster at least)", tw_duration(now).s, about(low).s,
			    about(high).s, faster(now, high).s);
}

static void gain(const struct tw_connection_report *c, const struct tw_finding *f,
		 struct tw_line *line)
{
	int64_t now = c->bill.duration_ns, likely = f->duration_without_ns;

	if (likely < 1000) /* of a transfer that was nothing but this cause */
		tw_line_add(line, "%s -> next to nothing", tw_duration(now).s);
	else if ((double)now / (double)likely < 1.15)
		tw_line_add(line, "%s -> %s%s (%s%s less)", tw_duration(now).s, tw_duration(likely).s,
			    f->at_least ? " or less" : "", f->at_least ? "at least " : "",
			    tw_percent(tw_text_share(f->saves_ns, now)).s);
	else
		then(f, now, line);
	if (f->next != TW_CAUSE_UNKNOWN)
		tw_line_add(line, "the next bound would be %s", tw_cause_id(f->next));
	else if (f->at_least && !is_narrow(f))
		tw_line_add(line, "what would bound it then was not seen");
}

static struct tw_text packet_text(uint64_t packet)
{
	struct tw_text t = { "" };

	if (packet)
		snprintf(t.s, sizeof(t.s), "packet %" PRIu64, packet);
	return t;
}

/* An instant before the connection is none. */
static struct tw_text evidence_instant(const struct tw_connection_summary *s,
				       const struct tw_evidence *e)
{
	return e->at >= s->first ? tw_instant(e->at, s) : (struct tw_text){ "" };
}

static void evidence(struct tw_text_view *view, const struct tw_connection_report *c,
		     const struct tw_finding *f)
{
	struct tw_page *page = &view->page;
	unsigned shown = view->options->verbose || f->n_evidence < EVIDENCE_LINES ? f->n_evidence :
										    EVIDENCE_LINES;
	unsigned left = view->indent + 8, right = 0;
	char note[sizeof(f->evidence[0].note) * 4];

	for (unsigned i = 0; i < shown; i++) {
		unsigned packet = (unsigned)strlen(packet_text(f->evidence[i].packet).s);
		unsigned at = (unsigned)strlen(evidence_instant(&c->summary, &f->evidence[i]).s);

		if (packet + 2 + at > right)
			right = packet + 2 + at;
	}
	for (unsigned i = 0; i < shown; i++) {
		struct tw_text at = evidence_instant(&c->summary, &f->evidence[i]);

		tw_page_blanks(page, view->indent + 2);
		tw_page_put(page, TW_STYLE_BOLD, i ? "" : "see");
		tw_page_to(page, left);
		tw_page_put(page, TW_STYLE_DIM, packet_text(f->evidence[i].packet).s);
		tw_page_to(page, left + right - (unsigned)strlen(at.s));
		tw_page_put(page, TW_STYLE_DIM, at.s);
		tw_page_blanks(page, 2);
		tw_page_hang(page, TW_STYLE_DIM,
			     tw_page_printable(page, f->evidence[i].note, note, sizeof(note)));
	}
}

static void heading(struct tw_text_view *view, const struct tw_finding *f)
{
	struct tw_page *page = &view->page;
	const char *sure = tw_confidence_word(f->confidence);
	unsigned room = page->width - view->indent;
	unsigned id = tw_utf8_width(tw_finding_id(f->id)),
		 title = tw_utf8_width(tw_finding_title(f->id));
	bool on_one_line = id + 2 + title + 2 + tw_utf8_width(sure) <= room;

	tw_page_blanks(page, view->indent);
	tw_page_put(page, TW_STYLE_BOLD, tw_finding_id(f->id));
	if (on_one_line) {
		tw_page_put(page, TW_STYLE_PLAIN, ": ");
		tw_page_put(page, TW_STYLE_PLAIN, tw_finding_title(f->id));
	}
	tw_page_to(page, page->width - tw_utf8_width(sure));
	tw_page_put(page, TW_STYLE_PLAIN, sure);
	tw_page_newline(page);
	if (!on_one_line)
		tw_page_paragraph(page, view->indent + 2, "", TW_STYLE_PLAIN,
				  tw_finding_title(f->id));
}

static void finding(struct tw_text_view *view, const struct tw_connection_report *c,
		    const struct tw_finding *f)
{
	struct tw_page *page = &view->page;
	bool is_fault = tw_finding_class(f->id) == TW_CLASS_FAULT;
	char text[TW_FINDING_TEXT * 4];
	struct tw_line then = { .separator = "; " };

	tw_page_newline(page);
	heading(view, f);
	tw_page_paragraph(page, view->indent + 2, "", TW_STYLE_PLAIN,
			  tw_page_printable(page, f->text, text, sizeof(text)));
	if (f->fix[0])
		tw_page_paragraph(page, view->indent + 2, "fix   ", TW_STYLE_PLAIN,
				  tw_page_printable(page, f->fix, text, sizeof(text)));
	if (f->saves_ns > 0) {
		gain(c, f, &then);
		tw_page_paragraph(page, view->indent + 2, "then  ", TW_STYLE_PLAIN, then.s);
	}
	if (is_fault || view->options->verbose)
		evidence(view, c, f);
}

/* Where no fault speaks, the top of the bill does, in one sentence. */
static void no_fault(struct tw_text_view *view, const struct tw_connection_report *c)
{
	const struct tw_bill_row *top = c->bill.rows;
	struct tw_line line = { .separator = "" };

	if (!c->bill.n_rows)
		return;
	if (top->cause == TW_CAUSE_UNKNOWN)
		tw_line_add(&line,
			    "No fault found, and for %s of the time the evidence does not say "
			    "what held the transfer up.",
			    tw_percent(tw_text_share(top->ns, c->bill.duration_ns)).s);
	else
		tw_line_add(&line, "No fault found. For %s of the time %s.",
			    tw_percent(tw_text_share(top->ns, c->bill.duration_ns)).s,
			    tw_cause_meaning(top->cause));
	tw_page_newline(&view->page);
	tw_page_paragraph(&view->page, view->indent, "", TW_STYLE_PLAIN, line.s);
}

void tw_text_findings(struct tw_text_view *view, const struct tw_connection_report *connection)
{
	if (!connection->n_findings ||
	    tw_finding_class(connection->findings[0].id) != TW_CLASS_FAULT)
		no_fault(view, connection);
	for (unsigned i = 0; i < connection->n_findings; i++)
		finding(view, connection, &connection->findings[i]);
}
