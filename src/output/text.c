/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/utf8.h"
#include "output/text_parts.h"

void tw_line_add(struct tw_line *line, const char *format, ...)
{
	va_list args;
	int n;

	if (line->n && line->n + 3 < sizeof(line->s))
		line->n += (size_t)snprintf(line->s + line->n, sizeof(line->s) - line->n, "%s",
					    line->separator);
	va_start(args, format);
	n = vsnprintf(line->s + line->n, sizeof(line->s) - line->n, format, args);
	va_end(args);
	if (n > 0)
		line->n += (size_t)n;
	if (line->n >= sizeof(line->s))
		line->n = sizeof(line->s) - 1;
}

const char *tw_side_name(int side)
{
	return side ? "server" : "client";
}

struct tw_text tw_count_of(uint64_t n, const char *noun)
{
	struct tw_text t;

	snprintf(t.s, sizeof(t.s), "%.27s %.18s%s", tw_count(n).s, noun, n == 1 ? "" : "s");
	return t;
}

double tw_text_share(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

struct tw_text tw_time_in_column(int64_t ns, int64_t largest)
{
	struct tw_text t;
	double s = (double)ns / 1e9;

	if (largest < 1000000)
		snprintf(t.s, sizeof(t.s), "%.1f us", s * 1e6);
	else if (largest < 1000000000)
		snprintf(t.s, sizeof(t.s), "%.*f ms", largest < 10000000 ? 3 : 1, s * 1e3);
	else
		snprintf(t.s, sizeof(t.s), "%.*f s", largest < INT64_C(1000000000000) ? 3 : 1, s);
	return t;
}

struct tw_text tw_instant(int64_t at, const struct tw_connection_summary *connection)
{
	struct tw_text t;

	snprintf(t.s, sizeof(t.s), "%.6f s", ((double)at - (double)connection->first) / 1e9);
	return t;
}

const char *tw_endpoint_text(const struct tw_page *page, const struct tw_endpoint *endpoint,
			     char *out)
{
	char raw[TW_ENDPOINT_TEXT];

	tw_endpoint_format(endpoint, raw, sizeof(raw));
	return tw_page_printable(page, raw, out, TW_HOST_TEXT);
}

const char *tw_host_text(const struct tw_page *page, const struct tw_endpoint *endpoint, char *out)
{
	char *colon;
	size_t n;

	tw_endpoint_text(page, endpoint, out);
	colon = strrchr(out, ':');
	if (colon && colon != out && !colon[1 + strspn(colon + 1, "0123456789")])
		*colon = '\0';
	n = strlen(out);
	if (out[0] == '[' && out[n - 1] == ']') {
		memmove(out, out + 1, n - 2);
		out[n - 2] = '\0';
	}
	return out;
}

int tw_party_side(enum tw_party party, int side)
{
	switch (party) {
	case TW_PARTY_SENDING_APPLICATION:
	case TW_PARTY_SENDING_HOST: return side;
	case TW_PARTY_RECEIVING_HOST:
	case TW_PARTY_RECEIVING_APPLICATION: return !side;
	default: return -1;
	}
}

const struct tw_bill_row *tw_blamed_row(const struct tw_connection_report *connection)
{
	const struct tw_finding *fault = connection->findings;

	if (!connection->n_findings || tw_finding_class(fault->id) != TW_CLASS_FAULT)
		return NULL;
	for (unsigned i = 0; i < connection->bill.n_rows; i++) {
		const struct tw_bill_row *row = &connection->bill.rows[i];

		if (row->side == fault->side && row->party == fault->party)
			return row;
	}
	return NULL;
}

static void input_line(struct tw_text_view *view, const struct tw_report *report,
		       const struct tw_input_report *in)
{
	struct tw_page *page = &view->page;
	char name[TW_HOST_TEXT], title[sizeof(in->title) * 4];
	struct tw_line line = { .separator = "; " };

	tw_page_printable(page, strcmp(in->name, "-") ? in->name : "standard input", name,
			  sizeof(name) - 2);
	tw_page_printable(page, in->title, title, sizeof(title));
	tw_line_add(&line, "%s%s%s", title, in->compression[0] ? ", " : "", in->compression);
	tw_line_add(&line, "%s in %s", tw_count_of(in->packets, "packet").s,
		    tw_duration(in->last > in->first ? in->last - in->first : 0).s);
	if (report->n_inputs == 1)
		tw_line_add(&line, "%s", tw_count_of(report->total_connections, "connection").s);
	if (tw_utf8_width(name) + 2 + tw_utf8_width(line.s) > page->width) {
		tw_page_paragraph(page, 0, "", TW_STYLE_BOLD, name);
		tw_page_paragraph(page, view->indent, "", TW_STYLE_PLAIN, line.s);
	} else {
		strcat(name, "  ");
		tw_page_paragraph(page, 0, name, TW_STYLE_PLAIN, line.s);
	}
}

static void input(struct tw_text_view *view, const struct tw_report *report,
		  const struct tw_input_report *in)
{
	struct tw_page *page = &view->page;
	char text[sizeof(in->warnings[0]) * 4];
	struct tw_line line = { .separator = ", " };
	uint64_t named = 0;

	input_line(view, report, in);
	for (unsigned i = 0; i < in->n_other; i++) {
		tw_line_add(&line, "%s %s", tw_count(in->other[i].packets).s,
			    tw_page_printable(page, in->other[i].name, text, sizeof(text)));
		named += in->other[i].packets;
	}
	if (in->skipped > named)
		tw_line_add(&line, "%s %s", tw_count(in->skipped - named).s,
			    named ? "others" : "without TCP");
	if (line.n)
		tw_page_paragraph(page, view->indent, "also  ", TW_STYLE_DIM, line.s);
	for (unsigned i = 0; i < in->n_warnings; i++)
		tw_page_paragraph(page, view->indent, "warning  ", TW_STYLE_PLAIN,
				  tw_page_printable(page, in->warnings[i], text, sizeof(text)));
}

static void connection(struct tw_text_view *view, const struct tw_connection_report *c)
{
	tw_text_head(view, c);
	tw_text_bill(view, c);
	tw_text_findings(view, c);
	if (!view->options->verbose)
		return;
	tw_text_stalls(view, c);
	tw_text_direction(view, c, 0);
	tw_text_direction(view, c, 1);
}

static void nothing(struct tw_text_view *view, const struct tw_report *report)
{
	const char *why = "No TCP in it: there is no transfer to explain.";

	for (unsigned i = 0; i < report->n_inputs; i++) {
		if (report->inputs[i].tcp_packets)
			why = "No TCP connection could be followed: there is no transfer to explain.";
	}
	if (view->options->is_filtered)
		why = "Nothing that the filter lets through is TCP: there is no transfer to explain.";
	tw_page_newline(&view->page);
	tw_page_paragraph(&view->page, 0, "", TW_STYLE_PLAIN, why);
}

int tw_output_text(const struct tw_report *report, const struct tw_text_options *options, FILE *out)
{
	struct tw_text_view view = {
		.page = { .out = out, .color = options->color, .unicode = options->unicode },
		.options = options,
	};
	bool is_single = report->n_connections == 1 && report->total_connections <= 1;

	view.page.width = tw_page_width(options->width);
	view.indent = view.page.width < 80 ? 2 : 4;
	for (unsigned i = 0; i < report->n_inputs; i++)
		input(&view, report, &report->inputs[i]);
	if (!report->total_connections && !report->n_connections)
		nothing(&view, report);
	if (!is_single && report->n_connections)
		tw_text_list(&view, report);
	for (unsigned i = 0; i < report->n_connections && (is_single || i < options->top); i++) {
		tw_page_newline(&view.page);
		connection(&view, report->connections[i]);
	}
	if (!is_single && report->total_connections)
		tw_text_totals(&view, report);
	return view.page.error;
}
