/* SPDX-License-Identifier: BSD-2-Clause */
/* The bill: where a connection's time went, and whose it was. */
#include <inttypes.h>
#include <string.h>

#include "output/table.h"
#include "output/text_parts.h"

enum { BAR_CELLS = 10 };

/* Rows below SMALL are folded into one, except with -v; below NOTHING that would read 0.0 %. */
static const double SMALL = 0.005, NOTHING = 0.0005;

/* How a row names its host, best first; the first that the page has room for is taken. */
enum host_style { HOST_ADDRESS, HOST_SIDE, HOST_NONE, HOST_SHORT };

/* `out` has BAR_CELLS * 3 + 1 bytes. */
static void bar(const struct tw_page *page, double share, char *out)
{
	unsigned eighths = (unsigned)(share * BAR_CELLS * 8 + 0.5);

	*out = '\0';
	if (!page->unicode) {
		for (unsigned i = 0; i < (eighths + 4) / 8; i++)
			strcat(out, "#");
		return;
	}
	for (; eighths; eighths -= eighths < 8 ? eighths : 8) {
		/* U+2588 is a full block, U+258F an eighth of one */
		char block[] = { '\xe2', '\x96', (char)(eighths < 8 ? 0x90 - eighths : 0x88),
				 '\0' };

		strcat(out, block);
	}
}

/* "receiving host, 192.0.2.2"; `out` has TW_HOST_TEXT bytes. */
static void whose(const struct tw_page *page, const struct tw_connection_summary *s,
		  const struct tw_bill_row *row, enum host_style style, char *out)
{
	static const char *const shorter[] = {
		[TW_PARTY_SENDING_APPLICATION] = "sender app",
		[TW_PARTY_SENDING_HOST] = "sender host",
		[TW_PARTY_NETWORK] = "network",
		[TW_PARTY_RECEIVING_HOST] = "receiver host",
		[TW_PARTY_RECEIVING_APPLICATION] = "receiver app",
		[TW_PARTY_NOBODY] = "not known",
	};
	int side = tw_party_side(row->party, row->side);
	char host[TW_HOST_TEXT];

	if (style == HOST_SHORT)
		snprintf(out, TW_HOST_TEXT, "%s", shorter[row->party]);
	else if (side < 0 || style == HOST_NONE)
		snprintf(out, TW_HOST_TEXT, "%s", tw_party_title(row->party));
	else if (style == HOST_ADDRESS && memcmp(s->endpoint[0].addr, s->endpoint[1].addr, 16))
		snprintf(out, TW_HOST_TEXT, "%s, %.900s", tw_party_title(row->party),
			 tw_host_text(page, &s->endpoint[side], host));
	else
		snprintf(out, TW_HOST_TEXT, "%s, %s", tw_party_title(row->party),
			 tw_side_name(side));
}

static int64_t rest_of(const struct tw_bill *bill, unsigned from)
{
	int64_t ns = 0;

	for (unsigned i = from; i < bill->n_rows; i++)
		ns += bill->rows[i].ns;
	return ns;
}

/* Rows printed one by one; the rest is folded, but never a single one: it takes a line anyway. */
static unsigned shown_rows(const struct tw_text_view *view, const struct tw_bill *bill)
{
	unsigned n = bill->n_rows;

	if (view->options->verbose)
		return n;
	while (n > 1 && tw_text_share(bill->rows[n - 1].ns, bill->duration_ns) < SMALL)
		n--;
	if (bill->n_rows - n == 1 && tw_text_share(bill->rows[n].ns, bill->duration_ns) >= NOTHING)
		n++;
	return n;
}

static bool has_both_sides(const struct tw_bill *bill, unsigned shown)
{
	for (unsigned i = 1; i < shown; i++) {
		if (bill->rows[i].side != bill->rows[0].side)
			return true;
	}
	return false;
}

static int add_row(struct tw_table *table, const struct tw_text_view *view,
		   const struct tw_connection_report *c, const struct tw_bill_row *row,
		   enum host_style hosts, bool both_sides)
{
	const struct tw_bill *bill = &c->bill;
	char blocks[BAR_CELLS * 3 + 1], party[TW_HOST_TEXT];
	bool all = view->options->verbose;
	struct tw_text intervals = tw_count(row->intervals), rounds = tw_count(row->rounds);
	char sure[16];
	struct tw_text time = tw_time_in_column(row->ns, bill->rows[0].ns);
	struct tw_text share = tw_percent(tw_text_share(row->ns, bill->duration_ns));
	const char *cells[] = {
		tw_cause_id(row->cause),
		time.s,
		share.s,
		blocks,
		all ? intervals.s : "",
		all ? rounds.s : "",
		all ? sure : "",
		both_sides ? tw_side_name(row->side) : "",
		party,
	};

	snprintf(sure, sizeof(sure), "%.0f %%", row->confidence * 100);
	bar(&view->page, tw_text_share(row->ns, bill->duration_ns), blocks);
	whose(&view->page, &c->summary, row, hosts, party);
	return tw_table_add(table, row == tw_blamed_row(c) ? TW_STYLE_RED : TW_STYLE_PLAIN, cells);
}

/* Whether a row before this one, from `from` on, has the same cause: on the other side. */
static bool is_named(const struct tw_bill *bill, unsigned from, unsigned row)
{
	for (unsigned i = from; i < row; i++) {
		if (bill->rows[i].cause == bill->rows[row].cause)
			return true;
	}
	return false;
}

static int add_other(struct tw_table *table, const struct tw_bill *bill, unsigned shown)
{
	enum { NAMES = 2 };
	struct tw_line names = { .separator = ", " };
	int64_t ns = rest_of(bill, shown);
	struct tw_text time = tw_time_in_column(ns, bill->rows[0].ns);
	struct tw_text share = tw_percent(tw_text_share(ns, bill->duration_ns));
	unsigned n = 0;

	for (unsigned i = shown; i < bill->n_rows; i++) {
		if (!is_named(bill, shown, i) && n++ < NAMES)
			tw_line_add(&names, "%s", tw_cause_id(bill->rows[i].cause));
	}
	if (n > NAMES)
		tw_line_add(&names, "%u more", n - NAMES);
	return tw_table_add(
		table, TW_STYLE_DIM,
		(const char *[]){ "other", time.s, share.s, "", "", "", "", "", names.s });
}

static int fill(struct tw_table *table, const struct tw_text_view *view,
		const struct tw_connection_report *c, enum host_style hosts)
{
	const struct tw_bill *bill = &c->bill;
	unsigned shown = shown_rows(view, bill);
	bool both_sides = has_both_sides(bill, shown);
	int error = 0;

	for (unsigned i = 0; i < shown && !error; i++)
		error = add_row(table, view, c, &bill->rows[i], hosts, both_sides);
	if (!error && tw_text_share(rest_of(bill, shown), bill->duration_ns) >= NOTHING)
		error = add_other(table, bill, shown);
	return error;
}

void tw_text_bill(struct tw_text_view *view, const struct tw_connection_report *connection)
{
	struct tw_page *page = &view->page;
	char heading[64];
	const struct tw_column columns[] = {
		{ .heading = heading, .last = 17 },
		{ .heading = "", .right = true },
		{ .heading = "", .right = true },
		{ .heading = "", .drop = 1 },
		{ .heading = "intervals",
		  .right = true,
		  .drop = 4 }, /* this and the next two: -v */
		{ .heading = "rounds", .right = true, .drop = 3 },
		{ .heading = "sure", .right = true, .drop = 2 },
		{ .heading = "held up" },
		{ .heading = "whose", .last = 10 },
	};
	enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };

	if (!connection->bill.n_rows)
		return;
	snprintf(heading, sizeof(heading), page->width < 80 ? "%s" : "where %s went",
		 tw_duration(connection->bill.duration_ns).s);
	tw_page_newline(page);
	for (enum host_style hosts = HOST_ADDRESS; hosts <= HOST_SHORT; hosts++) {
		struct tw_table table;
		bool is_last = hosts == HOST_SHORT;
		int error;

		tw_table_init(&table, columns, N_COLUMNS);
		table.outdent = 2;
		error = fill(&table, view, connection, hosts);
		if (error && !page->error)
			page->error = error;
		if (is_last || tw_table_width(&table) + view->indent + 2 <= page->width) {
			tw_table_print(&table, page, view->indent + 2);
			is_last = true;
		}
		tw_table_release(&table);
		if (is_last)
			break;
	}
}
