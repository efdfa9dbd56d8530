/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/page.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"

static void write_bytes(struct tw_page *page, const char *bytes, size_t n)
{
	if (page->error || !n)
		return;
	errno = 0;
	if (fwrite(bytes, 1, n, page->out) != n)
		page->error = errno ? -errno : -EIO;
}

static void write_n(struct tw_page *page, enum tw_style style, const char *text, size_t n,
		    unsigned cells)
{
	static const char *const on[] = { "", "\033[1m", "\033[2m", "\033[1;31m" };
	static const char blanks[] = "                                ";

	if (!n)
		return;
	while (page->pending) {
		unsigned some = page->pending < sizeof(blanks) - 1 ? page->pending :
								     (unsigned)sizeof(blanks) - 1;

		write_bytes(page, blanks, some);
		page->pending -= some;
		page->column += some;
	}
	if (page->color && style != TW_STYLE_PLAIN)
		write_bytes(page, on[style], strlen(on[style]));
	write_bytes(page, text, n);
	if (page->color && style != TW_STYLE_PLAIN)
		write_bytes(page, "\033[0m", 4);
	page->column += cells;
}

unsigned tw_page_width(unsigned cells)
{
	if (!cells)
		return TW_PAGE_USUAL;
	if (cells < TW_PAGE_NARROW)
		return TW_PAGE_NARROW;
	return cells < TW_PAGE_WIDE ? cells : TW_PAGE_WIDE;
}

void tw_page_put(struct tw_page *page, enum tw_style style, const char *text)
{
	write_n(page, style, text, strlen(text), tw_utf8_width(text));
}

void tw_page_printf(struct tw_page *page, enum tw_style style, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	tw_page_put(page, style, text);
}

void tw_page_blanks(struct tw_page *page, unsigned cells)
{
	page->pending += cells;
}

void tw_page_to(struct tw_page *page, unsigned column)
{
	if (column > page->column + page->pending)
		page->pending = column - page->column;
}

void tw_page_newline(struct tw_page *page)
{
	write_bytes(page, "\n", 1);
	page->column = 0;
	page->pending = 0;
}

/* Bytes of `text` that fill at most `cells`; at least one character. */
static size_t fit(const char *text, size_t n, unsigned cells, unsigned *used)
{
	size_t at = 0;

	*used = 0;
	while (at < n) {
		uint32_t code;
		size_t step = tw_utf8_decode(text + at, &code);
		unsigned wide = step ? tw_utf8_cells(code) : 1;

		if (at && *used + wide > cells)
			break;
		*used += wide;
		at += step ? step : 1;
	}
	return at;
}

/* Whether the word, without what punctuation ends it, stands in a list of words between blanks. */
static bool is_among(const char *list, const char *word, size_t n)
{
	char padded[16];

	while (n && strchr(",;.:)", word[n - 1]))
		n--;
	if (!n || n + 2 >= sizeof(padded))
		return false;
	snprintf(padded, sizeof(padded), " %.*s ", (int)n, word);
	return strstr(list, padded) != NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Length of the next piece that stays on one line: a word, or a figure with what it is of. */
static size_t next_piece(const char *text)
{
	static const char units[] =
		" ns us ms s min h byte bytes kB MB GB TB PB % bit/s kbit/s Mbit/s "
		"Gbit/s Tbit/s times packets connection connections ";
	static const char names[] = " RTT MSS packet packets ";
	size_t n = strcspn(text, " ");

	if (text[n] == ' ' && is_digit(text[n + 1]) && is_among(names, text, n))
		n += 1 + strcspn(text + n + 1, " ");
	while (text[n] == ' ' && n && is_digit(text[n - 1])) {
		size_t unit = strcspn(text + n + 1, " ");

		if (!is_among(units, text + n + 1, unit))
			break;
		n += 1 + unit;
	}
	return n;
}

/* Bytes of `text` that make one line of at most `room` cells, and the cells they take. */
static size_t line_length(const char *text, unsigned room, unsigned *cells)
{
	size_t n = 0;

	*cells = 0;
	while (text[n]) {
		size_t blanks = n ? strspn(text + n, " ") : 0;
		size_t piece = next_piece(text + n + blanks);
		unsigned wide;

		if (!piece)
			break;
		(void)fit(text + n + blanks, piece, UINT_MAX, &wide);
		if (*cells + blanks + wide > room) {
			if (n)
				break;
			return fit(text, piece, room, cells); /* longer than a line: broken */
		}
		*cells += (unsigned)blanks + wide;
		n += blanks + piece;
	}
	return n;
}

void tw_page_hang(struct tw_page *page, enum tw_style style, const char *text)
{
	unsigned left = page->column + page->pending;
	unsigned room = page->width > left + 10 ? page->width - left : 10;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		unsigned cells;
		size_t n = line_length(text, room, &cells);

		if (page->column > left) {
			tw_page_newline(page);
			tw_page_blanks(page, left);
		}
		write_n(page, style, text, n, cells);
		text += n;
	}
	tw_page_newline(page);
}

void tw_page_paragraph(struct tw_page *page, unsigned indent, const char *label,
		       enum tw_style style, const char *text)
{
	tw_page_blanks(page, indent);
	tw_page_put(page, TW_STYLE_BOLD, label);
	tw_page_hang(page, style, text);
}

const char *tw_page_printable(const struct tw_page *page, const char *text, char *out, size_t size)
{
	char escaped[1024];
	size_t used = 0;

	if (page->unicode)
		return tw_escape(text, out, size);
	if (!size)
		return out;
	tw_escape(text, escaped, sizeof(escaped));
	for (const char *p = escaped; *p; p++) {
		bool is_ascii = (unsigned char)*p < 0x7f;
		size_t n = is_ascii ? 1 : 4;

		if (used + n >= size)
			break;
		snprintf(out + used, n + 1, is_ascii ? "%c" : "\\x%02x", (unsigned char)*p);
		used += n;
	}
	out[used] = '\0';
	return out;
}

const char *tw_page_elide(const struct tw_page *page, const char *text, unsigned cells, char *out,
			  size_t size)
{
	const char *dots = page->unicode ? "\xe2\x80\xa6" : "..";
	unsigned width = tw_utf8_width(text);
	unsigned dots_width = tw_utf8_width(dots);
	unsigned head_cells, used, skip;
	size_t head, tail = 0;

	if (width <= cells || cells <= dots_width) {
		snprintf(out, size, "%s", text);
		return out;
	}
	head_cells = (cells - dots_width) / 2;
	head = head_cells ? fit(text, strlen(text), head_cells, &used) : 0;
	skip = width - (cells - dots_width - head_cells);
	while (skip) {
		tail += fit(text + tail, strlen(text + tail), 1, &used);
		skip -= used < skip ? used : skip;
	}
	snprintf(out, size, "%.*s%s%s", (int)head, text, dots, text + tail);
	return out;
}
