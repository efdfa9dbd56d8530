/* SPDX-License-Identifier: BSD-2-Clause */
/* With -v: every stall, with the packets between which it lay. */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "output/text_parts.h"

/* "10 to 12"; one end alone where the other is no packet. */
static struct tw_text packet_range(const struct tw_interval *i)
{
	struct tw_text t = { "" };

	if (i->packet_from && i->packet_to)
		snprintf(t.s, sizeof(t.s), "%" PRIu64 " to %" PRIu64, i->packet_from, i->packet_to);
	else if (i->packet_to)
		snprintf(t.s, sizeof(t.s), "up to %" PRIu64, i->packet_to);
	else if (i->packet_from)
		snprintf(t.s, sizeof(t.s), "from %" PRIu64, i->packet_from);
	return t;
}

static void stall(struct tw_text_view *view, const struct tw_connection_report *c,
		  const struct tw_interval *i, unsigned digits)
{
	enum { SURE = 90 }; /* percent; above it is not worth the words */
	struct tw_page *page = &view->page;
	struct tw_line line = { .separator = ", " };
	bool is_narrow = page->width < 90;
	struct tw_text at;
	unsigned cause; /* column */

	if (is_narrow)
		tw_line_add(&line, "packets %s", packet_range(i).s);
	if (!i->is_stall)
		tw_line_add(&line, "rounds");
	if (i->outstanding)
		tw_line_add(&line, "%s outstanding", tw_size(i->outstanding).s);
	if (i->dup_acks)
		tw_line_add(&line, "%s", tw_count_of(i->dup_acks, "duplicate ACK").s);
	if (i->seq_to > i->seq_from)
		tw_line_add(&line, "bytes %" PRIu64 ":%" PRIu64, i->seq_from, i->seq_to);
	if (i->released_by && i->waited_ns)
		tw_line_add(&line, "released by %" PRIu64 " after %s", i->released_by,
			    tw_duration(i->waited_ns).s);
	else if (i->released_by)
		tw_line_add(&line, "released by %" PRIu64, i->released_by);
	if (i->confidence < SURE)
		tw_line_add(&line, "%u %% sure", i->confidence);
	at = tw_instant(i->from, &c->summary);
	cause = view->indent + 2 + digits + 2 + 9 + 2;
	tw_page_to(page, view->indent + 2 + digits - (unsigned)strlen(at.s));
	tw_page_put(page, TW_STYLE_PLAIN, at.s);
	tw_page_blanks(page, 2);
	tw_page_printf(page, TW_STYLE_PLAIN, "%9s", tw_duration(i->to - i->from).s);
	tw_page_to(page, cause);
	tw_page_put(page, TW_STYLE_PLAIN, tw_cause_id(i->cause));
	tw_page_to(page, cause + (is_narrow ? 0 : 22));
	tw_page_blanks(page, 2);
	tw_page_put(page, TW_STYLE_PLAIN, tw_side_name(i->side));
	tw_page_blanks(page, 2);
	tw_page_put(page, TW_STYLE_PLAIN, is_narrow ? "" : packet_range(i).s);
	if (line.n && page->column + 2 + tw_utf8_width(line.s) > page->width) {
		tw_page_newline(page);
		tw_page_to(page, cause);
	} else {
		tw_page_blanks(page, 2);
	}
	tw_page_hang(page, TW_STYLE_DIM, line.s);
}

void tw_text_stalls(struct tw_text_view *view, const struct tw_connection_report *connection)
{
	const struct tw_bill *bill = &connection->bill;
	struct tw_page *page = &view->page;
	unsigned digits = 0;

	if (!bill->n_intervals)
		return;
	tw_page_newline(page);
	tw_page_blanks(page, view->indent);
	tw_page_put(page, TW_STYLE_DIM, "every stall, from the connection's first packet on");
	tw_page_newline(page);
	for (uint32_t i = 0; i < bill->n_intervals; i++) {
		unsigned n = (unsigned)strlen(
			tw_instant(bill->intervals[i].from, &connection->summary).s);

		digits = n > digits ? n : digits;
	}
	for (uint32_t i = 0; i < bill->n_intervals; i++)
		stall(view, connection, &bill->intervals[i], digits);
	if (bill->intervals_dropped) {
		tw_page_blanks(page, view->indent + 2);
		tw_page_printf(page, TW_STYLE_PLAIN, "and %s more, beyond the number that is kept",
			       tw_count(bill->intervals_dropped).s);
		tw_page_newline(page);
	}
}
