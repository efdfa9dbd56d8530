/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK = 4 << 10, /* read ahead little: the input may be a live pipe */
	BUFFER_FIRST = 16 << 10,
	BUFFER_MAX = TW_LINES_AHEAD * (TW_LINE_MAX + 2) + 2 * CHUNK,
};

void tw_lines_init(struct tw_lines *lines, struct tw_stream *stream)
{
	*lines = (struct tw_lines){ .stream = stream };
}

void tw_lines_release(struct tw_lines *lines)
{
	free(lines->buffer);
	*lines = (struct tw_lines){ 0 };
}

/* Room for a chunk behind `tail`. */
static int make_room(struct tw_lines *lines)
{
	size_t used = lines->tail - lines->head;
	size_t size = lines->size ? lines->size : BUFFER_FIRST;
	char *grown;

	if (lines->size - lines->tail >= CHUNK)
		return 0;
	while (size - used < 2 * CHUNK && size < BUFFER_MAX)
		size = size * 2 < BUFFER_MAX ? size * 2 : BUFFER_MAX;
	grown = lines->buffer;
	if (size != lines->size) {
		grown = realloc(lines->buffer, size);
		if (!grown)
			return -ENOMEM;
	}
	memmove(grown, grown + lines->head, used);
	lines->buffer = grown;
	lines->size = size;
	for (unsigned i = 0; i < lines->n_ahead; i++)
		lines->ahead[i].at -= lines->head;
	lines->seen -= lines->head;
	lines->tail -= lines->head;
	lines->head = 0;
	return 0;
}

static int read_chunk(struct tw_lines *lines)
{
	const uint8_t *bytes;
	size_t n;
	int ret = make_room(lines);

	if (ret)
		return ret;
	n = tw_stream_peek(lines->stream, CHUNK, &bytes);
	if (n) /* what is there at the end of the input may be less than a chunk */
		memcpy(lines->buffer + lines->tail, bytes, n);
	else
		lines->ended = true;
	tw_stream_skip(lines->stream, n);
	lines->tail += n;
	if (!lines->started && n) {
		lines->started = true;
		if (n >= 3 && !memcmp(lines->buffer, "\xef\xbb\xbf", 3))
			lines->head = lines->seen = 3;
	}
	return 0;
}

/*
 * Splits off one more line, or drops one that is too long: 1; 0 where the buffer holds no whole
 * line. A line that outgrows TW_LINE_MAX is dropped as it comes, up to its end.
 */
static int split(struct tw_lines *lines)
{
	size_t n = lines->tail - lines->seen, length;
	char *from, *end;
	bool whole;

	if (!lines->buffer)
		return 0;
	from = lines->buffer + lines->seen;
	end = n ? memchr(from, '\n', n) : NULL;
	whole = end != NULL;
	if (!whole && lines->ended && n)
		end = from + n; /* a last line without its end */
	if (!end) {
		if (n > TW_LINE_MAX || lines->discarding) {
			lines->discarding = true;
			lines->tail = lines->seen;
		}
		return 0;
	}
	length = (size_t)(end - from);
	if (lines->discarding || length > TW_LINE_MAX) {
		lines->overlong++;
		lines->discarding = false;
		length += whole;
		memmove(from, from + length, n - length);
		lines->tail -= length;
		return 1;
	}
	lines->ahead[lines->n_ahead].at = lines->seen;
	lines->ahead[lines->n_ahead++].n = length;
	lines->seen += length + whole;
	return 1;
}

int tw_lines_peek(struct tw_lines *lines, unsigned ahead, struct tw_line *line)
{
	while (lines->n_ahead <= ahead) {
		int ret = split(lines);

		if (ret)
			continue;
		if (lines->ended) {
			lines->overlong += lines->discarding;
			lines->discarding = false;
			return 0;
		}
		ret = read_chunk(lines);
		if (ret)
			return ret;
	}
	line->text = lines->buffer + lines->ahead[ahead].at;
	line->n = lines->ahead[ahead].n;
	return 1;
}

void tw_lines_take(struct tw_lines *lines, unsigned count)
{
	if (count > lines->n_ahead)
		count = lines->n_ahead;
	lines->n_ahead -= count;
	memmove(lines->ahead, lines->ahead + count, lines->n_ahead * sizeof(lines->ahead[0]));
	lines->head = lines->n_ahead ? lines->ahead[0].at : lines->seen;
}

size_t tw_line_clean(const struct tw_line *line, char *out, unsigned *quotes)
{
	const char *p = line->text, *end = p + line->n;
	unsigned allowed = *quotes, found = 0;
	size_t n = 0;

	/* "> > text" and ">> text": a blank between the marks belongs to them */
	while (p < end && found < allowed) {
		const char *mark = p;

		if (found && *mark == ' ')
			mark++;
		if (mark == end || *mark != '>')
			break;
		p = mark + 1;
		found++;
	}
	if (found && p < end && *p == ' ')
		p++;
	*quotes = found;
	while (p < end) {
		if (end - p >= 2 && !memcmp(p, "\xc2\xa0", 2)) {
			out[n++] = ' ';
			p += 2;
			continue;
		}
		out[n++] = *p == '\t' ? ' ' : *p;
		p++;
	}
	while (n && (out[n - 1] == ' ' || out[n - 1] == '\r'))
		n--;
	return n;
}
