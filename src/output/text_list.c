/* SPDX-License-Identifier: BSD-2-Clause */
/* Many connections: one line each, most time lost first; and what holds for all of them. */
#include <inttypes.h>

#include "output/table.h"
#include "output/text_parts.h"

enum { IPV4_TEXT = sizeof("255.255.255.255:65535") - 1 };
enum { LIST_LINES = 20 }; /* fits a terminal together with the first details */

/* "3.0 MB": a size that keeps its column narrow. */
static struct tw_text short_size(uint64_t bytes)
{
	struct tw_text t;

	if (bytes >= 1000 && bytes < 100000)
		snprintf(t.s, sizeof(t.s), "%.1f kB", (double)bytes / 1e3);
	else if (bytes < 1000)
		snprintf(t.s, sizeof(t.s), "%u B", (unsigned)bytes);
	else
		t = tw_size(bytes);
	return t;
}

static int add_connection(struct tw_table *table, const struct tw_page *page,
			  const struct tw_connection_report *c)
{
	const struct tw_connection_summary *s = &c->summary;
	uint64_t bytes = s->direction[0].unique_bytes + s->direction[1].unique_bytes;
	int64_t ns = c->bill.duration_ns;
	char id[24], client[TW_HOST_TEXT], server[TW_HOST_TEXT + 2] = "> ", cause[64] = "";
	struct tw_text size = short_size(bytes), time = tw_duration(ns), saves = { "" },
		       rate = { "" };

	snprintf(id, sizeof(id), "#%" PRIu64, s->id);
	tw_endpoint_text(page, &s->endpoint[0], client);
	tw_endpoint_text(page, &s->endpoint[1], server + 2);
	if (ns > 0 && bytes)
		rate = tw_rate((double)bytes * 8e9 / (double)ns);
	if (c->lost_ns > 0)
		saves = tw_duration(c->lost_ns);
	if (c->bill.n_rows)
		snprintf(cause, sizeof(cause), "%.0f %% %s",
			 tw_text_share(c->bill.rows[0].ns, ns) * 100,
			 tw_cause_id(c->bill.rows[0].cause));
	return tw_table_add(table, TW_STYLE_PLAIN,
			    (const char *[]){
				    id,
				    client,
				    server,
				    size.s,
				    time.s,
				    rate.s,
				    saves.s,
				    cause,
				    c->n_findings ? tw_finding_id(c->findings[0].id) : "",
			    });
}

void tw_text_list(struct tw_text_view *view, const struct tw_report *report)
{
	static const struct tw_column columns[] = {
		{ .heading = "", .style = TW_STYLE_BOLD, .right = true },
		{ .heading = "client", .least = IPV4_TEXT, .last = 12 },
		{ .heading = "> server", .least = IPV4_TEXT + 2, .last = 14 },
		{ .heading = "bytes", .right = true, .drop = 3 },
		{ .heading = "time", .right = true, .drop = 5 },
		{ .heading = "rate", .right = true, .drop = 1 },
		{ .heading = "to gain", .right = true, .drop = 4 },
		{ .heading = "mostly", .last = 20 },
		{ .heading = "first finding", .drop = 2 },
	};
	struct tw_page *page = &view->page;
	unsigned shown = report->n_connections;
	struct tw_line line = { .separator = "" };
	struct tw_table table;
	int error = 0;

	if (!view->options->verbose && shown > LIST_LINES)
		shown = view->options->top > LIST_LINES ? view->options->top : LIST_LINES;
	if (shown > report->n_connections)
		shown = report->n_connections;
	if (shown < report->total_connections)
		tw_line_add(&line,
			    "The %u costliest of %s connections, by the time that curing their "
			    "first fault would gain:",
			    shown, tw_count(report->total_connections).s);
	else
		tw_line_add(&line,
			    "%u connections, by the time that curing their first fault would gain:",
			    shown);
	tw_page_newline(page);
	tw_page_paragraph(page, 0, "", TW_STYLE_PLAIN, line.s);
	tw_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned i = 0; i < shown && !error; i++)
		error = add_connection(&table, page, report->connections[i]);
	if (error && !page->error)
		page->error = error;
	tw_table_print(&table, page, 2);
	tw_table_release(&table);
}

static void total_causes(struct tw_text_view *view, const struct tw_report *report)
{
	static const struct tw_column columns[] = {
		{ .heading = "cause" },
		{ .heading = "time", .right = true },
		{ .heading = "share", .right = true },
		{ .heading = "connections", .right = true, .drop = 1 },
		{ .heading = "whose", .last = 10 },
	};
	struct tw_page *page = &view->page;
	struct tw_table table;
	int error = 0;

	tw_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned i = 0; i < report->n_total_rows && !error; i++) {
		const struct tw_total_row *row = &report->total_rows[i];
		struct tw_text time = tw_time_in_column(row->ns, report->total_rows[0].ns);
		struct tw_text share = tw_percent(tw_text_share(row->ns, report->total_ns));
		struct tw_text n = tw_count(row->connections);

		if (i && tw_text_share(row->ns, report->total_ns) < 0.0005 &&
		    !view->options->verbose)
			continue;
		error = tw_table_add(&table, TW_STYLE_PLAIN,
				     (const char *[]){
					     tw_cause_id(row->cause),
					     time.s,
					     share.s,
					     n.s,
					     tw_party_title(row->party),
				     });
	}
	if (error && !page->error)
		page->error = error;
	tw_table_print(&table, page, 2);
	tw_table_release(&table);
}

static void total_findings(struct tw_text_view *view, const struct tw_report *report)
{
	struct tw_line line = { .separator = ", " };

	for (unsigned i = 0; i < TW_FINDING_COUNT; i++) {
		if (report->finding_counts[i])
			tw_line_add(&line, "%s %s", tw_finding_id(i),
				    tw_count(report->finding_counts[i]).s);
	}
	if (line.n)
		tw_page_paragraph(&view->page, 2, "findings  ", TW_STYLE_PLAIN, line.s);
}

void tw_text_totals(struct tw_text_view *view, const struct tw_report *report)
{
	struct tw_page *page = &view->page;
	struct tw_line line = { .separator = "; " };

	tw_page_newline(page);
	tw_page_printf(page, TW_STYLE_PLAIN, "Sum of %s connections: %s of transfers, %s",
		       tw_count(report->total_connections).s, tw_duration(report->total_ns).s,
		       tw_size(report->total_bytes).s);
	tw_page_newline(page);
	total_causes(view, report);
	total_findings(view, report);
	if (report->folded_connections)
		tw_line_add(&line,
			    "%s connections that cost less stand in these totals only (--top N "
			    "keeps N)",
			    tw_count(report->folded_connections).s);
	if (report->evicted_connections)
		tw_line_add(&line,
			    "%s were pushed out of the table of open connections before their end",
			    tw_count(report->evicted_connections).s);
	if (report->unanalysed_packets)
		tw_line_add(&line, "%s TCP packets were not analysed: a ceiling was reached",
			    tw_count(report->unanalysed_packets).s);
	if (line.n)
		tw_page_paragraph(page, 2, "note  ", TW_STYLE_PLAIN, line.s);
}
