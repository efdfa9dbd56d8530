/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/dtrace_table.h"

#include <string.h>
#include <strings.h>

#include "source/scan.h"

/* What the words of a heading stand for. */
enum word {
	WORD_NONE = 0,
	WORD_DELTA = 1 << 0,
	WORD_UNACKED = 1 << 1,
	WORD_BYTES = 1 << 2,
	WORD_SEND = 1 << 3,
	WORD_RECEIVE = 1 << 4,
	WORD_WINDOW = 1 << 5,
	WORD_CONGESTION = 1 << 6,
	WORD_SCALE = 1 << 7,
	WORD_SSTHRESH = 1 << 8,
	WORD_SRTT = 1 << 9,
	WORD_RTO = 1 << 10,
	WORD_MSS = 1 << 11,
	WORD_RETRANSMITS = 1 << 12,
	WORD_US = 1 << 13,
	WORD_MS = 1 << 14,
	WORD_NS = 1 << 15,
	WORD_OTHER = 1 << 16, /* seen in such tables, of no use here */
};

static const struct {
	const char *text;
	unsigned meaning;
} words[] = {
	{ "delta", WORD_DELTA },
	{ "unack", WORD_UNACKED }, { "unacked", WORD_UNACKED }, { "unacknowledged", WORD_UNACKED },
	{ "bytes", WORD_BYTES }, { "byte", WORD_BYTES }, { "len", WORD_BYTES },
	{ "send", WORD_SEND }, { "sent", WORD_SEND }, { "snd", WORD_SEND }, { "xmit", WORD_SEND },
	{ "recd", WORD_RECEIVE }, { "rec", WORD_RECEIVE }, { "recv", WORD_RECEIVE },
	{ "rcv", WORD_RECEIVE }, { "rcvd", WORD_RECEIVE }, { "receive", WORD_RECEIVE },
	{ "received", WORD_RECEIVE }, { "recieved", WORD_RECEIVE }, { "recieve", WORD_RECEIVE },
	{ "window", WORD_WINDOW }, { "wnd", WORD_WINDOW }, { "win", WORD_WINDOW },
	{ "swnd", WORD_WINDOW | WORD_SEND }, { "snd_wnd", WORD_WINDOW | WORD_SEND },
	{ "rwnd", WORD_WINDOW | WORD_RECEIVE }, { "rcv_wnd", WORD_WINDOW | WORD_RECEIVE },
	{ "cong", WORD_CONGESTION }, { "congestion", WORD_CONGESTION },
	{ "cwnd", WORD_CONGESTION | WORD_WINDOW },
	{ "snd_ws", WORD_SCALE | WORD_SEND }, { "rcv_ws", WORD_SCALE | WORD_RECEIVE },
	{ "scale", WORD_SCALE }, { "ws", WORD_SCALE },
	{ "ssthresh", WORD_SSTHRESH }, { "cwnd_ssthresh", WORD_SSTHRESH },
	{ "srtt", WORD_SRTT }, { "rtt", WORD_SRTT }, { "rto", WORD_RTO }, { "mss", WORD_MSS },
	{ "retransmit", WORD_RETRANSMITS }, { "retransmits", WORD_RETRANSMITS },
	{ "rexmit", WORD_RETRANSMITS }, { "retrans", WORD_RETRANSMITS },
	{ "us", WORD_US }, { "usec", WORD_US }, { "usecs", WORD_US },
	{ "ms", WORD_MS }, { "msec", WORD_MS }, { "msecs", WORD_MS },
	{ "ns", WORD_NS }, { "nsec", WORD_NS },
	{ "sack", WORD_OTHER }, { "fack", WORD_OTHER }, { "fwd", WORD_OTHER },
	{ "snxt", WORD_OTHER }, { "suna", WORD_OTHER }, { "rnxt", WORD_OTHER },
	{ "rack", WORD_OTHER }, { "cpu", WORD_OTHER },
};

static unsigned meaning_of(struct tw_scan token)
{
	/* "(us)", "delta," */
	while (token.at < token.end && strchr("(),:;|", *token.at))
		token.at++;
	while (token.end > token.at && strchr("(),:;|", token.end[-1]))
		token.end--;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].text) == tw_scan_left(&token) &&
		    !strncasecmp(words[i].text, token.at, tw_scan_left(&token)))
			return words[i].meaning;
	}
	return WORD_NONE;
}

/* The marks between the columns for bytes may stand in a header too. */
static bool is_mark(const struct tw_scan *token)
{
	return tw_scan_is(token, "\\") || tw_scan_is(token, "/") || tw_scan_is(token, "|");
}

bool tw_dtrace_is_heading(const char *text, size_t n)
{
	struct tw_scan s = tw_scan_over(text, n), token;
	unsigned known = 0, all = 0;

	for (;;) {
		tw_scan_blanks(&s);
		if (!tw_scan_token(&s, &token))
			break;
		if (is_mark(&token))
			continue;
		if (tw_is_digit(*token.at))
			return false;
		known += meaning_of(token) != WORD_NONE;
		all++;
	}
	return known && known * 2 >= all;
}

/* A column in the making: words that overlap, line by line. */
struct stack {
	unsigned left, right, meaning;
};

/* The column that a word at [left, right) stands in most; NULL where it stands clear. */
static struct stack *most_overlapped(struct stack *stack, unsigned n, unsigned left, unsigned right)
{
	struct stack *best = NULL;
	unsigned most = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned from = stack[i].left > left ? stack[i].left : left;
		unsigned to = stack[i].right < right ? stack[i].right : right;

		if (from < to && to - from > most) {
			most = to - from;
			best = &stack[i];
		}
	}
	return best;
}

/* Puts one line's words on the columns; false where there are too many. */
static bool stack_line(struct stack *stack, unsigned *n, const char *text, size_t length)
{
	struct tw_scan s = tw_scan_over(text, length), token;

	for (;;) {
		struct stack *on;
		unsigned left, right;

		tw_scan_blanks(&s);
		if (!tw_scan_token(&s, &token))
			return true;
		if (is_mark(&token))
			continue;
		left = (unsigned)(token.at - text);
		right = (unsigned)(token.end - text);
		on = most_overlapped(stack, *n, left, right);
		if (!on) {
			if (*n == TW_DTRACE_COLUMNS)
				return false;
			on = &stack[(*n)++];
			*on = (struct stack){ .left = left, .right = right };
		}
		if (left < on->left)
			on->left = left;
		if (right > on->right)
			on->right = right;
		on->meaning |= meaning_of(token);
	}
}

static enum tw_dtrace_column column_of(unsigned meaning)
{
	static const struct {
		unsigned needs;
		enum tw_dtrace_column column;
	} rules[] = { /* the first that fits */
		{ WORD_DELTA, TW_COLUMN_DELTA },
		{ WORD_OTHER, TW_COLUMN_UNKNOWN },
		{ WORD_UNACKED | WORD_RECEIVE, TW_COLUMN_UNACKED_RECEIVED },
		{ WORD_UNACKED, TW_COLUMN_UNACKED_SENT },
		{ WORD_SSTHRESH, TW_COLUMN_SSTHRESH },
		{ WORD_SCALE | WORD_SEND, TW_COLUMN_SND_WS },
		{ WORD_SCALE | WORD_RECEIVE, TW_COLUMN_RCV_WS },
		{ WORD_CONGESTION, TW_COLUMN_CWND },
		{ WORD_WINDOW | WORD_SEND, TW_COLUMN_SND_WND },
		{ WORD_WINDOW | WORD_RECEIVE, TW_COLUMN_RCV_WND },
		{ WORD_SRTT, TW_COLUMN_SRTT },
		{ WORD_RTO, TW_COLUMN_RTO },
		{ WORD_MSS, TW_COLUMN_MSS },
		{ WORD_RETRANSMITS, TW_COLUMN_RETRANSMITS },
		{ WORD_BYTES | WORD_SEND, TW_COLUMN_SENT },
		{ WORD_BYTES | WORD_RECEIVE, TW_COLUMN_RECEIVED },
		{ WORD_SEND, TW_COLUMN_SENT },
		{ WORD_RECEIVE, TW_COLUMN_RECEIVED },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if ((meaning & rules[i].needs) == rules[i].needs)
			return rules[i].column;
	return TW_COLUMN_UNKNOWN;
}

static int64_t unit_of(unsigned meaning, int64_t us, int64_t otherwise)
{
	if (meaning & WORD_MS)
		return us * 1000;
	if (meaning & WORD_US)
		return us;
	return meaning & WORD_NS ? us / 1000 : otherwise;
}

bool tw_dtrace_header(const char *const text[], const size_t length[], unsigned n,
		      struct tw_dtrace_header *out)
{
	struct tw_dtrace_header header = {
		.delta_unit = 1000, .srtt_unit = 1000, .rto_unit = 1000,
	};
	struct stack stack[TW_DTRACE_COLUMNS] = { 0 };
	uint32_t seen = 0;

	for (unsigned i = 0; i < n; i++)
		if (!stack_line(stack, &header.n, text[i], length[i]))
			return false;
	/* a lower line may have begun columns between those of the upper ones */
	for (unsigned i = 1; i < header.n; i++) {
		for (unsigned j = i; j && stack[j].left < stack[j - 1].left; j--) {
			struct stack moved = stack[j];

			stack[j] = stack[j - 1];
			stack[j - 1] = moved;
		}
	}
	for (unsigned i = 0; i < header.n; i++) {
		enum tw_dtrace_column column = column_of(stack[i].meaning);

		if (column != TW_COLUMN_UNKNOWN && seen & 1u << column)
			column = TW_COLUMN_UNKNOWN; /* named twice: the first counts */
		seen |= 1u << column;
		header.heading[i] = (struct tw_dtrace_heading){ column, stack[i].left,
								stack[i].right };
		if (column == TW_COLUMN_DELTA)
			header.delta_unit = unit_of(stack[i].meaning, 1000, 1000);
		else if (column == TW_COLUMN_SRTT)
			header.srtt_unit = unit_of(stack[i].meaning, 1, 1000);
		else if (column == TW_COLUMN_RTO)
			header.rto_unit = unit_of(stack[i].meaning, 1, 1000);
	}
	if (!(seen & 1u << TW_COLUMN_DELTA) ||
	    !(seen & (1u << TW_COLUMN_SENT | 1u << TW_COLUMN_RECEIVED)))
		return false;
	*out = header;
	return true;
}

struct cell {
	unsigned left, right;
	uint32_t v;
};

struct cells {
	struct cell cell[TW_DTRACE_COLUMNS];
	unsigned n;
	unsigned bytes; /* which one stands at the mark */
	bool is_sent;
};

/* Numbers and the one mark; false where there is anything else. */
static bool read_cells(const char *text, size_t n, struct cells *out)
{
	struct tw_scan s = tw_scan_over(text, n);
	bool marked = false;

	out->n = 0;
	for (;;) {
		tw_scan_blanks(&s);
		if (s.at == s.end)
			break;
		if (*s.at == '\\' || *s.at == '/') {
			if (marked)
				return false;
			marked = true;
			out->is_sent = *s.at++ == '\\';
			if (out->is_sent && !out->n)
				return false;
			out->bytes = out->is_sent ? out->n - 1 : out->n;
			continue;
		}
		if (out->n == TW_DTRACE_COLUMNS)
			return false;
		out->cell[out->n].left = (unsigned)(s.at - text);
		if (!tw_scan_u32(&s, &out->cell[out->n].v))
			return false;
		out->cell[out->n++].right = (unsigned)(s.at - text);
	}
	return marked && out->bytes < out->n;
}

static void set_sample(struct tw_sample *sample, uint32_t *field, uint32_t has, uint32_t v)
{
	*field = v;
	sample->has |= has;
}

static uint32_t scaled(uint32_t v, int64_t unit)
{
	uint64_t us = (uint64_t)v * (uint64_t)unit;

	return us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

static void set_column(const struct tw_dtrace_header *header, enum tw_dtrace_column column,
		       uint32_t v, struct tw_dtrace_row *row)
{
	struct tw_sample *s = &row->sample;

	switch (column) {
	case TW_COLUMN_DELTA:
		row->delta = (int64_t)v * header->delta_unit;
		break;
	case TW_COLUMN_SENT:
	case TW_COLUMN_RECEIVED:
		row->bytes = v;
		break;
	case TW_COLUMN_SND_WND:
		set_sample(s, &s->snd_wnd, TW_SAMPLE_SND_WND, v);
		break;
	case TW_COLUMN_RCV_WND:
		set_sample(s, &s->rcv_wnd, TW_SAMPLE_RCV_WND, v);
		break;
	case TW_COLUMN_CWND:
		set_sample(s, &s->cwnd, TW_SAMPLE_CWND, v);
		break;
	case TW_COLUMN_SSTHRESH:
		set_sample(s, &s->ssthresh, TW_SAMPLE_SSTHRESH, v);
		break;
	case TW_COLUMN_UNACKED_SENT:
		set_sample(s, &s->unacked_sent, TW_SAMPLE_UNACKED_SENT, v);
		break;
	case TW_COLUMN_UNACKED_RECEIVED:
		set_sample(s, &s->unacked_received, TW_SAMPLE_UNACKED_RECEIVED, v);
		break;
	case TW_COLUMN_SRTT:
		set_sample(s, &s->srtt_us, TW_SAMPLE_SRTT, scaled(v, header->srtt_unit));
		break;
	case TW_COLUMN_RTO:
		set_sample(s, &s->rto_us, TW_SAMPLE_RTO, scaled(v, header->rto_unit));
		break;
	case TW_COLUMN_MSS:
		set_sample(s, &s->mss, TW_SAMPLE_MSS, v);
		break;
	case TW_COLUMN_RETRANSMITS:
		set_sample(s, &s->retransmits, TW_SAMPLE_RETRANSMITS, v);
		break;
	default:
		break;
	}
}

/* All columns have their number, but the one for the bytes that went the other way. */
static bool by_order(const struct tw_dtrace_header *header, const struct cells *cells,
		     unsigned column[])
{
	enum tw_dtrace_column blank = cells->is_sent ? TW_COLUMN_RECEIVED : TW_COLUMN_SENT;
	enum tw_dtrace_column bytes = cells->is_sent ? TW_COLUMN_SENT : TW_COLUMN_RECEIVED;
	unsigned at = 0;

	for (unsigned i = 0; i < header->n; i++) {
		if (header->heading[i].column == blank)
			continue;
		if (at == cells->n ||
		    (header->heading[i].column == bytes) != (at == cells->bytes))
			return false;
		column[at++] = i;
	}
	return at == cells->n;
}

static unsigned apart(const struct tw_dtrace_heading *heading, const struct cell *cell)
{
	unsigned a = heading->left + heading->right, b = cell->left + cell->right;

	return a < b ? b - a : a - b;
}

/* Each number belongs to the nearest heading, and the one at the mark to its own. */
static bool by_position(const struct tw_dtrace_header *header, const struct cells *cells,
			unsigned column[])
{
	enum tw_dtrace_column bytes = cells->is_sent ? TW_COLUMN_SENT : TW_COLUMN_RECEIVED;

	for (unsigned i = 0; i < cells->n; i++) {
		unsigned best = header->n;

		for (unsigned j = 0; j < header->n; j++) {
			enum tw_dtrace_column c = header->heading[j].column;

			if (i == cells->bytes ? c != bytes :
						c == TW_COLUMN_SENT || c == TW_COLUMN_RECEIVED)
				continue;
			if (best == header->n ||
			    apart(&header->heading[j], &cells->cell[i]) <
				    apart(&header->heading[best], &cells->cell[i]))
				best = j;
		}
		if (best == header->n || (i && best <= column[i - 1]))
			return false;
		column[i] = best;
	}
	return true;
}

bool tw_dtrace_row(const struct tw_dtrace_header *header, const char *text, size_t n,
		   struct tw_dtrace_row *out)
{
	unsigned column[TW_DTRACE_COLUMNS];
	struct tw_dtrace_row row = { 0 };
	struct cells cells = { 0 };
	bool timed = false;

	if (!read_cells(text, n, &cells) ||
	    (!by_order(header, &cells, column) && !by_position(header, &cells, column)))
		return false;
	for (unsigned i = 0; i < cells.n; i++) {
		enum tw_dtrace_column c = header->heading[column[i]].column;

		timed |= c == TW_COLUMN_DELTA;
		set_column(header, c, cells.cell[i].v, &row);
	}
	if (!timed || row.bytes >= 1u << 30)
		return false;
	row.is_sent = cells.is_sent;
	row.sample.of_source = cells.is_sent;
	*out = row;
	return true;
}
