/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text page for people: a FILE with a width, styles, wrapping and alignment by terminal cells.
 * Text given to it is printable already: what came from a file goes through tw_page_printable.
 */
#ifndef TW_OUTPUT_PAGE_H
#define TW_OUTPUT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum tw_style { TW_STYLE_PLAIN, TW_STYLE_BOLD, TW_STYLE_DIM, TW_STYLE_RED };

enum { TW_PAGE_NARROW = 60, TW_PAGE_WIDE = 120, TW_PAGE_USUAL = 100 };

struct tw_page {
	FILE *out;         /* the caller's */
	unsigned width;    /* cells of a line */
	bool color;        /* styles are shown */
	bool unicode;      /* the reader's locale is UTF-8; else only ASCII is written */
	int error;         /* sticky: 0 or the first negative errno; nothing is written after it */
	unsigned column;   /* cells written on this line */
	unsigned pending;  /* blanks owed: written before the next text, dropped at a line's end */
};

/* The cells to use of a terminal `cells` wide (0: unknown): a line stays readable. */
unsigned tw_page_width(unsigned cells);

/* Text, without newline. */
void tw_page_put(struct tw_page *page, enum tw_style style, const char *text);
void tw_page_printf(struct tw_page *page, enum tw_style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void tw_page_blanks(struct tw_page *page, unsigned cells);
/* Blanks up to a column (0-based); none where the line is there already. */
void tw_page_to(struct tw_page *page, unsigned column);
void tw_page_newline(struct tw_page *page);

/*
 * `indent` blanks, the label (bold; "" for none), then the text, wrapped so that its lines start
 * where its first did; ends with a newline. A figure and its unit ("20.2 ms") stay together. A
 * word longer than the line is broken.
 */
void tw_page_paragraph(struct tw_page *page, unsigned indent, const char *label,
		       enum tw_style style, const char *text);

/* Wraps `text` from where the line stands, its other lines starting there, too. Ends the line. */
void tw_page_hang(struct tw_page *page, enum tw_style style, const char *text);

/*
 * tw_escape, and where the page is not `unicode` also every byte above 0x7e as \xNN: in an 8-bit
 * locale half of UTF-8's bytes are terminal controls. Returns `out`.
 */
const char *tw_page_printable(const struct tw_page *page, const char *text, char *out, size_t size);

/* Copies `text` to `out`, its middle replaced by dots where it is wider than `cells`. */
const char *tw_page_elide(const struct tw_page *page, const char *text, unsigned cells, char *out,
			  size_t size);

#endif
