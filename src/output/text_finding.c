/* SPDX-License-Identifier: BSD-2-Clause */
/* The findings: what is wrong, how sure, the fix, what it gains, and the packets that prove it. */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "output/text_parts.h"

enum { EVIDENCE_LINES = 3 }; /* without -v */

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

static void gain(const struct tw_connection_report *c, const struct tw_finding *f,
		 struct tw_line *line)
{
	int64_t now = c->bill.duration_ns, then = f->duration_without_ns;
	bool is_small = then > 0 && (double)now / (double)then < 1.15;
	struct tw_text after = is_small ? tw_duration(then) : about(then);
	const char *at_least = f->at_least ? "at least " : "";
	struct tw_text much = is_small ? tw_percent(tw_text_share(f->saves_ns, now)) :
					 tw_times(then > 0 ? (double)now / (double)then : 0);

	if (then < 1000) /* of a transfer that was nothing but this cause */
		tw_line_add(line, "%s -> next to nothing", tw_duration(now).s);
	else
		tw_line_add(line, "%s -> %s%s%s (%s%s %s)", tw_duration(now).s,
			    is_small || f->at_least ? "" : "about ", after.s,
			    f->at_least ? " or less" : "", at_least, much.s,
			    is_small ? "less" : "faster");
	if (f->next != TW_CAUSE_UNKNOWN)
		tw_line_add(line, "the next bound would be %s", tw_cause_id(f->next));
	else if (f->at_least)
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
