/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DTrace tables (see dtrace_table.h) as packets between "this host" and "peer", each with a sample
 * of this host's state.
 *
 * When the state was taken: before the segment of its line changed it. The tables say so
 * themselves. In this one (unacked bytes, sent or received, cwnd)
 *
 *     139760  1448 \   144800       Two of a batch: illumos' tcp_send() writes its snd_nxt back
 *     139760  1448 \   144800       when the batch is out. The third was above the excerpt:
 *     144104  1448 \   146248       139760 + 3 * 1448 = 144104.
 *     145552  / 0      144800       No other line between: so 145552 = 144104 + 1448 holds the
 *     145552  1448 \   147696       segment of the line before, and 144104 did not hold it.
 *     147000  / 0      144800       This one's ACK acknowledged nothing: the next line shows the
 *     147000  1448 \    76744       same 147000. Here cwnd is halved: a fast retransmission, and
 *     147000  / 0       76744       no new bytes: the next line shows 147000 still.
 *
 * a line's own segment is never in its count, be it sent or an ACK; its effect is seen in the next
 * line. Hence, where there is a column for unacked bytes:
 *   - a received ACK acknowledges all bytes sent, less the unacked ones of the *next* line; and
 *     the window that it announced is in the next line;
 *   - bytes sent are new as far as the count grew by the time of the next line that shows it move;
 *     otherwise they were sent again, from the first unacked byte on.
 * Without that column all bytes sent count as new, and no ACK's number is known.
 *
 * Sequence numbers are positions from an arbitrary origin in any case: TW_SEQ_UNKNOWN stays set.
 */
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet/name.h"
#include "source/dtrace_table.h"
#include "source/line.h"
#include "source/scan.h"

enum {
	LINE_MAX_TEXT = 1 << 10, /* of a table; longer lines are no part of it */
	ROWS_AHEAD = 64,         /* rows of one batch that are looked at together */
	QUOTES_MAX = 16,
	ORIGIN = 1,              /* of both directions' numbers: as if after a SYN */
};

/* Collects the header's lines. */
struct heading_lines {
	unsigned n;
	char text[TW_DTRACE_HEADER_LINES][LINE_MAX_TEXT];
	size_t length[TW_DTRACE_HEADER_LINES];
};

struct table {
	struct tw_dtrace_header header;
	bool has_header;
	struct heading_lines lines; /* of a header that may be beginning */
};

struct queued {
	struct tw_dtrace_row row;
	uint32_t seq; /* where is_placed */
	bool is_placed;
};

struct state {
	struct tw_lines lines;
	struct table table;
	struct queued queue[ROWS_AHEAD];
	unsigned n;
	bool started;
	uint32_t una, next;      /* this host's bytes: first unacked, and behind the last sent */
	uint32_t resend;         /* where the next segment sent again is put */
	uint32_t early;          /* bytes taken for new before the count showed them */
	uint32_t received;       /* behind the peer's last byte */
	int64_t ts;
	struct tw_endpoint host, peer;
	struct tw_packet packet; /* the record's */
};

/* Tabs to the columns that they were printed for, then as in any pasted text. False: too long. */
static bool clean(const struct tw_line *raw, char out[LINE_MAX_TEXT], size_t *n)
{
	char wide[LINE_MAX_TEXT];
	struct tw_line line = { .text = wide };
	unsigned quotes = QUOTES_MAX;

	for (size_t i = 0; i < raw->n; i++) {
		size_t width = raw->text[i] == '\t' ? 8 - line.n % 8 : 1;

		if (line.n + width > sizeof(wide))
			return false;
		memset(wide + line.n, raw->text[i] == '\t' ? ' ' : raw->text[i], width);
		line.n += width;
	}
	*n = tw_line_clean(&line, out, &quotes);
	return true;
}

static void push_heading(struct heading_lines *lines, const char *text, size_t n)
{
	if (lines->n == TW_DTRACE_HEADER_LINES) {
		lines->n--;
		memmove(lines->text[0], lines->text[1], lines->n * sizeof(lines->text[0]));
		memmove(lines->length, lines->length + 1, lines->n * sizeof(lines->length[0]));
	}
	memcpy(lines->text[lines->n], text, n);
	lines->length[lines->n++] = n;
}

/* Reads the header that was collected; one that is none leaves the one before in force. */
static void end_header(struct table *table)
{
	const char *text[TW_DTRACE_HEADER_LINES];
	struct heading_lines *lines = &table->lines;

	for (unsigned i = 0; i < lines->n; i++)
		text[i] = lines->text[i];
	if (lines->n && tw_dtrace_header(text, lines->length, lines->n, &table->header))
		table->has_header = true;
	lines->n = 0;
}

/* One line of the table: true where it is a row; `*counts` whether it is a line of no use. */
static bool read_line(struct table *table, const struct tw_line *raw, struct tw_dtrace_row *row,
		      bool *counts)
{
	char text[LINE_MAX_TEXT];
	size_t n;

	*counts = !clean(raw, text, &n);
	if (*counts || !n || *text == '#')
		return false;
	if (tw_dtrace_is_heading(text, n)) {
		push_heading(&table->lines, text, n);
		return false;
	}
	*counts = true;
	end_header(table);
	return table->has_header && tw_dtrace_row(&table->header, text, n, row);
}

/* Makes the row `i` ahead known: 1, 0 where the input ends before it, or -ENOMEM. */
static int ahead(struct tw_source *source, unsigned i)
{
	struct state *st = source->state;

	while (st->n <= i) {
		struct tw_dtrace_row row;
		struct tw_line line;
		bool counts, found;
		int ret = tw_lines_peek(&st->lines, 0, &line);

		if (ret <= 0)
			return ret;
		found = read_line(&st->table, &line, &row, &counts);
		tw_lines_take(&st->lines, 1);
		if (found)
			st->queue[st->n++] = (struct queued){ .row = row };
		else
			source->skipped += counts;
	}
	return 1;
}

static bool has_unacked(const struct tw_dtrace_row *row)
{
	return row->sample.has & TW_SAMPLE_UNACKED_SENT;
}

/* Puts a segment that was sent again on the first unacked bytes that were not yet. */
static uint32_t place_resend(struct state *st, uint32_t bytes)
{
	uint32_t seq;

	if ((int32_t)(st->resend - st->una) < 0)
		st->resend = st->una;
	if (st->next - st->resend < bytes)
		st->resend = st->next - st->una < bytes ? st->next - bytes : st->una;
	seq = st->resend;
	st->resend += bytes;
	return seq;
}

/* How many rows from the front were sent in one batch: with the same count of unacked bytes. */
static int batch(struct tw_source *source, unsigned *count, bool *has_end)
{
	struct state *st = source->state;
	uint32_t unacked = st->queue[0].row.sample.unacked_sent;
	unsigned n = 1;

	*has_end = false;
	for (; n < ROWS_AHEAD; n++) {
		const struct tw_dtrace_row *row;
		int ret = ahead(source, n);

		if (ret < 0)
			return ret;
		if (!ret)
			break;
		row = &st->queue[n].row;
		if (!has_unacked(row))
			break;
		if (!row->is_sent || row->sample.unacked_sent != unacked) {
			*has_end = true;
			break;
		}
	}
	*count = n;
	return 0;
}

/*
 * Where nothing later tells whether a segment was new: TCP sends no new data beyond the congestion
 * window (RFC 5681 section 3.1).
 */
static bool is_resend_by_itself(const struct tw_dtrace_row *row)
{
	const struct tw_sample *s = &row->sample;

	return s->has & TW_SAMPLE_CWND && (uint64_t)s->unacked_sent + row->bytes > s->cwnd;
}

/* Gives the rows of the batch at the front their sequence numbers. */
static int place(struct tw_source *source)
{
	struct state *st = source->state;
	unsigned count, i;
	uint32_t before = st->queue[0].row.sample.unacked_sent, after = before, grown = 0;
	bool has_end, is_new[ROWS_AHEAD];
	int ret = batch(source, &count, &has_end);

	if (ret)
		return ret;
	if (has_end)
		after = st->queue[count].row.sample.unacked_sent;
	if (after > before && after - before > st->early)
		grown = after - before - st->early;
	if (has_end)
		st->early = 0;
	/* the last ones are the new ones; what exceeds them was sent before, outside the table */
	for (i = count; i--;) {
		const struct tw_dtrace_row *row = &st->queue[i].row;

		if (!has_end) {
			is_new[i] = !is_resend_by_itself(row);
			continue;
		}
		is_new[i] = row->bytes <= grown || after < before;
		grown -= after > before && is_new[i] ? row->bytes : 0;
	}
	st->next += grown;
	for (i = 0; i < count; i++) {
		struct queued *queued = &st->queue[i];

		queued->is_placed = true;
		if (is_new[i] || !queued->row.bytes) {
			queued->seq = st->next;
			st->next += queued->row.bytes;
			st->early += has_end ? 0 : queued->row.bytes;
		} else {
			queued->seq = place_resend(st, queued->row.bytes);
		}
	}
	if (after < before) /* an ACK came that the table does not show */
		st->una = st->next - after;
	return 0;
}

static int fill_sent(struct tw_source *source, struct tw_packet *p)
{
	struct state *st = source->state;
	struct queued *front = &st->queue[0];
	const struct tw_sample *s = &front->row.sample;
	int ret;

	if (has_unacked(&front->row)) {
		ret = front->is_placed ? 0 : place(source);
		if (ret)
			return ret;
		p->seq = front->seq;
	} else {
		p->seq = st->next;
		st->next += front->row.bytes;
	}
	p->src = st->host;
	p->dst = st->peer;
	p->ack = st->received; /* every segment acknowledges what came in */
	if (s->has & TW_SAMPLE_RCV_WND) {
		p->window = s->rcv_wnd;
		p->has |= TW_WINDOW_IS_SCALED;
	}
	return 0;
}

/* What the next row shows of the ACK in the front one. */
static void take_ack(struct state *st, const struct tw_dtrace_row *after, struct tw_packet *p)
{
	uint32_t una = st->next - after->sample.unacked_sent;

	if ((int32_t)(una - st->una) < 0) { /* bytes were sent outside the table */
		una = st->una;
		st->next = una + after->sample.unacked_sent;
	}
	if (una != st->una)
		st->resend = una;
	st->una = una;
	p->ack = una;
	p->has &= ~(uint32_t)TW_ACK_UNKNOWN;
}

static int fill_received(struct tw_source *source, struct tw_packet *p)
{
	struct state *st = source->state;
	const struct tw_sample *s = &st->queue[0].row.sample;
	int ret = ahead(source, 1);

	if (ret < 0)
		return ret;
	p->src = st->peer;
	p->dst = st->host;
	p->seq = st->received;
	st->received += st->queue[0].row.bytes;
	p->ack = st->una;
	p->has |= TW_ACK_UNKNOWN;
	if (ret) {
		const struct tw_dtrace_row *after = &st->queue[1].row;

		if (has_unacked(&st->queue[0].row) && has_unacked(after))
			take_ack(st, after, p);
		if (after->sample.has & TW_SAMPLE_SND_WND)
			s = &after->sample;
	}
	if (s->has & TW_SAMPLE_SND_WND) {
		p->window = s->snd_wnd;
		p->has |= TW_WINDOW_IS_SCALED;
	}
	return 0;
}

static void start(struct state *st, const struct tw_dtrace_row *row)
{
	st->started = true;
	st->una = st->next = st->received = ORIGIN;
	if (has_unacked(row))
		st->next += row->sample.unacked_sent;
	st->resend = st->una;
}

static int next(struct tw_source *source, struct tw_record *record)
{
	struct state *st = source->state;
	struct tw_packet *p = &st->packet;
	const struct tw_dtrace_row *row = &st->queue[0].row;
	int ret = ahead(source, 0);

	if (ret <= 0)
		goto end;
	if (!st->started)
		start(st, row);
	if (st->ts < INT64_C(1) << 61)
		st->ts += row->delta;
	*p = (struct tw_packet){
		.ts = st->ts,
		.number = source->records + 1,
		.has = TW_HAS_SAMPLE | TW_SEQ_UNKNOWN | TW_TIME_IS_RELATIVE,
		.payload = row->bytes,
		.flags = TW_ACK,
		.ip_version = 4,
		.sample = row->sample,
	};
	ret = row->is_sent ? fill_sent(source, p) : fill_received(source, p);
	if (ret)
		goto end;
	if (!(p->has & TW_WINDOW_IS_SCALED))
		p->has |= TW_WINDOW_UNKNOWN;
	record->ts = p->ts;
	record->packet = p;
	memmove(st->queue, st->queue + 1, --st->n * sizeof(st->queue[0]));
	return 1;
end:
	if (ret < 0)
		tw_error_set(&source->error, ret, "%s: %s", tw_stream_name(source->stream),
			     strerror(-ret));
	return ret;
}

/* A header with a row below it is no accident. */
static bool probe(const uint8_t *head, size_t n)
{
	struct table *table = calloc(1, sizeof(*table));
	const char *p = (const char *)head, *end = p + n;
	bool found = false;

	if (!table)
		return false;
	if (memchr(head, '\0', n))
		end = p;
	if (end - p >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	while (p < end && !found) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		struct tw_line line = { .text = p, .n = (size_t)((stop ? stop : end) - p) };
		struct tw_dtrace_row row;
		bool counts;

		found = read_line(table, &line, &row, &counts);
		p = stop ? stop + 1 : end;
	}
	free(table);
	return found;
}

static void release(struct tw_source *source)
{
	struct state *st = source->state;

	tw_lines_release(&st->lines);
	free(st);
	source->state = NULL;
}

static int open_table(struct tw_source *source)
{
	struct state *st = calloc(1, sizeof(*st));

	if (!st)
		return -ENOMEM;
	source->state = st;
	tw_lines_init(&st->lines, source->stream);
	tw_endpoint_set_name(&st->host, "this host", strlen("this host"), 0);
	tw_endpoint_set_name(&st->peer, "peer", strlen("peer"), 0);
	return 0;
}

const struct tw_source_format tw_format_dtrace_text = {
	.id = "dtrace-text",
	.title = "DTrace table",
	.probe = probe,
	.open = open_table,
	.next = next,
	.close = release,
};
