/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the lab's path: its text, and what the frames of a path do to it. Input: the text up to a
 * newline; then per frame 1 byte of what to do (its low bit: the direction), 1 byte of time, 2
 * bytes of length, little first, and the frame. With bit 1 the frame of before is sent again, the
 * bytes patched into it.
 *
 * A text is refused with one line, or printed back as a text of the same path. Every frame that
 * enters a link leaves it, or is counted as dropped for one reason.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/link.h"
#include "lab/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static void check_text(const struct tw_path *path)
{
	char text[TW_PATH_TEXT_MAX];
	struct tw_path again;

	tw_path_init(&again);
	CHECK(!tw_path_format(path, text, sizeof(text)));
	CHECK(!tw_path_parse(&again, text, NULL));
	CHECK(!memcmp(&again, path, sizeof(again)));
}

static void check_figures(const struct tw_link *link)
{
	struct tw_link_figures f;

	tw_link_figures(link, &f);
	CHECK(f.entered + f.duplicated == f.left + f.dropped_queue + f.dropped_loss +
						  f.dropped_policer + f.dropped_mtu +
						  f.dropped_outage + f.dropped_thinned + f.waiting);
}

static void touch(const struct tw_link_frame *frame)
{
	uint8_t *copy = malloc(frame->n + 1);

	CHECK(copy && frame->entered <= frame->passed && frame->passed <= frame->due);
	memcpy(copy, frame->bytes, frame->n);
	free(copy);
}

static void take(struct tw_link *link, int64_t now)
{
	const struct tw_link_frame *frame;

	while ((frame = tw_link_leave(link, now)))
		touch(frame);
	while ((frame = tw_link_reply(link)))
		touch(frame);
	check_figures(link);
}

static void run(struct tw_link *links[2], const uint8_t *data, size_t size)
{
	static uint8_t frame[65536];
	uint32_t n = 0;
	int64_t now = 0;

	while (size >= 4) {
		struct tw_link *link = links[data[0] & 1];
		uint32_t length = data[2] | (uint32_t)data[3] << 8;

		now += (int64_t)data[1] * data[1] * 10000;
		if (length > size - 4)
			length = (uint32_t)size - 4;
		if (!(data[0] & 2) || length > n)
			n = length;
		memcpy(frame, data + 4, length);
		CHECK(!tw_link_enter(link, now, frame, n));
		if (data[0] & 4)
			take(link, now);
		data += 4 + length;
		size -= 4 + length;
	}
	for (int i = 0; i < 2; i++) {
		take(links[i], now);
		while (tw_link_due(links[i]) < INT64_MAX)
			take(links[i], tw_link_due(links[i]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = memchr(data, '\n', size);
	size_t n = newline ? (size_t)(newline - data) : size;
	char *text = malloc(n + 1);
	struct tw_link *links[2];
	struct tw_error err = { "" };
	struct tw_path path;

	CHECK(text);
	memcpy(text, data, n);
	text[n] = '\0';
	tw_path_init(&path);
	if (tw_path_parse(&path, text, &err)) {
		CHECK(*err.text && !strchr(err.text, '\n'));
		free(text);
		return 0;
	}
	free(text);
	check_text(&path);
	CHECK(!tw_link_new(&links[0], &path.there, 1) && !tw_link_new(&links[1], &path.back, 1));
	if (newline)
		run(links, newline + 1, size - n - 1);
	tw_link_free(links[0]);
	tw_link_free(links[1]);
	return 0;
}
