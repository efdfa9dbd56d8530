/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a text as if it were a file, for the tests of the sources that read text. */
#ifndef TW_TESTS_UNIT_TEXT_H
#define TW_TESTS_UNIT_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "packet/name.h"
#include "source/source.h"

enum { TEXT_PACKETS = 128 };

struct text {
	int opened;             /* what tw_source_open_fd returned */
	int ended;              /* what the last tw_source_next returned */
	struct tw_error error;
	unsigned n;             /* packets yielded; the first TEXT_PACKETS are kept */
	struct tw_packet packet[TEXT_PACKETS];
	uint64_t skipped;
	unsigned n_warnings;
	char warning[8][160];
	char title[96];
	const char *format;     /* id */
};

static inline int text_memfd(const char *bytes, size_t n)
{
	int fd = memfd_create("text", MFD_CLOEXEC);

	assert_true(fd >= 0);
	for (size_t at = 0; at < n;) {
		ssize_t written = write(fd, bytes + at, n - at);

		assert_true(written > 0);
		at += (size_t)written;
	}
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* The result is overwritten by the next call. */
static inline const struct text *text_read_bytes(const char *bytes, size_t n)
{
	static struct text t;
	struct tw_source *source = NULL;
	struct tw_record record;

	memset(&t, 0, sizeof(t));
	t.format = "";
	t.opened = tw_source_open_fd(&source, text_memfd(bytes, n), "test", &t.error);
	if (t.opened)
		return &t;
	t.format = source->format->id;
	while ((t.ended = tw_source_next(source, &record)) > 0) {
		assert_null(record.bytes);
		assert_non_null(record.packet);
		assert_int_equal(record.number, t.n + 1);
		assert_int_equal(record.packet->number, t.n + 1);
		assert_true(record.ts == record.packet->ts);
		if (t.n < TEXT_PACKETS)
			t.packet[t.n] = *record.packet;
		t.n++;
	}
	t.skipped = source->skipped;
	t.n_warnings = source->n_warnings;
	memcpy(t.warning, source->warning, sizeof(t.warning));
	memcpy(t.title, source->title, sizeof(t.title));
	t.error = source->error;
	tw_source_close(source);
	return &t;
}

static inline const struct text *text_read(const char *bytes)
{
	return text_read_bytes(bytes, strlen(bytes));
}

/* A file below the repository's root, or NULL where it is absent. */
static inline const struct text *text_read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	static char bytes[1 << 20];
	size_t n;

	if (!file)
		return NULL;
	n = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	return text_read_bytes(bytes, n);
}

/* "192.0.2.1:80", as tw_endpoint_format writes it. */
static inline void text_assert_endpoint(const struct tw_endpoint *endpoint, const char *expected)
{
	char buffer[TW_ENDPOINT_TEXT];

	assert_string_equal(tw_endpoint_format(endpoint, buffer, sizeof(buffer)), expected);
}

#define SECONDS(s) ((int64_t)((s) * 1000000 + 0.5) * 1000)

#endif
