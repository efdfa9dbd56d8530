/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the text report share. Private to output/text*.c. */
#ifndef TW_OUTPUT_TEXT_PARTS_H
#define TW_OUTPUT_TEXT_PARTS_H

#include "base/units.h"
#include "output/page.h"
#include "output/text.h"

struct tw_text_view {
	struct tw_page page;
	const struct tw_text_options *options;
	unsigned indent; /* of what belongs to a connection; its rows stand two further in */
};

/* A line under construction: pieces joined by a separator, cut where it is full. */
struct tw_line {
	const char *separator; /* of at most two bytes */
	char s[2048];
	size_t n;
};

void tw_line_add(struct tw_line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "client" or "server". */
const char *tw_side_name(int side);

/* "1 packet", "1,234 packets": a count of what `noun` names one of. */
struct tw_text tw_count_of(uint64_t n, const char *noun);

/* Share of `part` in `whole`, 0 where there is no whole. */
double tw_text_share(int64_t part, int64_t whole);

/* A time in one unit throughout a column, chosen by the column's largest: "6.980 s", "0.070 s". */
struct tw_text tw_time_in_column(int64_t ns, int64_t largest);

/* An instant in seconds and microseconds since the connection's first packet: "0.489732 s". */
struct tw_text tw_instant(int64_t at, const struct tw_connection_summary *connection);

/* "192.0.2.1:80", printable. `out` has TW_HOST_TEXT bytes. */
enum { TW_HOST_TEXT = 1024 };
const char *tw_endpoint_text(const struct tw_page *page, const struct tw_endpoint *endpoint,
			     char *out);

/* The same without the port: "192.0.2.1", "2001:db8::1". */
const char *tw_host_text(const struct tw_page *page, const struct tw_endpoint *endpoint, char *out);

/* What a party owns of data sent by `side`: 0 or 1 for the host's side, -1 for no host. */
int tw_party_side(enum tw_party party, int side);

/* The row of the bill that the first fault is about: its largest of the same party and side. */
const struct tw_bill_row *tw_blamed_row(const struct tw_connection_report *connection);

/* Parts of a connection, in the order they are printed. */
void tw_text_head(struct tw_text_view *view, const struct tw_connection_report *connection);
void tw_text_bill(struct tw_text_view *view, const struct tw_connection_report *connection);
void tw_text_findings(struct tw_text_view *view, const struct tw_connection_report *connection);
void tw_text_stalls(struct tw_text_view *view, const struct tw_connection_report *connection);
void tw_text_direction(struct tw_text_view *view, const struct tw_connection_report *connection,
		       int side);

/* Many connections: one line each, and what holds for all. */
void tw_text_list(struct tw_text_view *view, const struct tw_report *report);
void tw_text_totals(struct tw_text_view *view, const struct tw_report *report);

#endif
