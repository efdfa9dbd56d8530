/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of a stream, with a look at the lines ahead, and what pasting did to them taken off.
 */
#ifndef TW_SOURCE_LINE_H
#define TW_SOURCE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/stream.h"

enum {
	TW_LINE_MAX = 64 << 10, /* bytes; a longer line is passed over */
	TW_LINES_AHEAD = 8,     /* lines that can be looked at together */
};

struct tw_line {
	const char *text; /* without its line end, no NUL */
	size_t n;
};

struct tw_lines {
	struct tw_stream *stream;
	uint64_t overlong;  /* lines that were passed over */
	/* private */
	char *buffer;       /* owned; unread text from `head` to `tail` */
	size_t size, head, tail;
	size_t seen;        /* up to here the text is split into lines */
	unsigned n_ahead;
	struct {
		size_t at, n;
	} ahead[TW_LINES_AHEAD];
	bool ended, discarding, started;
};

/* Allocates nothing. The stream stays the caller's and must outlive the lines. */
void tw_lines_init(struct tw_lines *lines, struct tw_stream *stream);
void tw_lines_release(struct tw_lines *lines);

/*
 * The line `ahead` (below TW_LINES_AHEAD) lines ahead, 0 being the next: 1, or 0 where the input
 * ends before it, or -ENOMEM. The text is valid until the next call. A UTF-8 byte order mark at the
 * start of the input is no part of the first line.
 */
int tw_lines_peek(struct tw_lines *lines, unsigned ahead, struct tw_line *line);

/* Consumes `count` lines that were peeked. */
void tw_lines_take(struct tw_lines *lines, unsigned count);

/*
 * Copies a line to `out`, which has room for line->n bytes, with tabs and no-break spaces made
 * blanks, trailing blanks and carriage returns cut, and up to `*quotes` leading marks of a mail's
 * quotation ("> ") taken off; `*quotes` becomes how many there were. Returns the length.
 */
size_t tw_line_clean(const struct tw_line *line, char *out, unsigned *quotes);

#endif
