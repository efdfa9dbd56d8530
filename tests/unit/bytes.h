/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests of the sources: captures built byte by byte, and inputs over them. */
#ifndef TW_TESTS_BYTES_H
#define TW_TESTS_BYTES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "source/source.h"

struct bytes {
	uint8_t *data;
	size_t n, cap;
	bool big; /* byte order of what is appended */
};

static inline void bytes_put(struct bytes *b, const void *data, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = (b->n + n) * 2;
		b->data = realloc(b->data, b->cap);
		assert_non_null(b->data);
	}
	if (n)
		memcpy(b->data + b->n, data, n);
	b->n += n;
}

static inline void bytes_fill(struct bytes *b, uint8_t value, size_t n)
{
	while (n--)
		bytes_put(b, &value, 1);
}

static inline void bytes_int(struct bytes *b, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint8_t byte = (uint8_t)(value >> 8 * (b->big ? n - 1 - i : i));

		bytes_put(b, &byte, 1);
	}
}

static inline void put16(struct bytes *b, uint16_t value)
{
	bytes_int(b, value, 2);
}

static inline void put32(struct bytes *b, uint32_t value)
{
	bytes_int(b, value, 4);
}

static inline void put64(struct bytes *b, uint64_t value)
{
	bytes_int(b, value, 8);
}

static inline void bytes_free(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes){ .big = b->big };
}

/* A file that holds the first `n` bytes, at its start. */
static inline int file_of(const void *data, size_t n)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, n), n);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* The reading end of a pipe into which a child writes `step` bytes at a time. Reap with wait(). */
static inline int pipe_of(const void *data, size_t n, size_t step)
{
	int fds[2];
	pid_t child;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		const uint8_t *p = data;

		close(fds[0]);
		while (n) {
			ssize_t done = write(fds[1], p, n < step ? n : step);

			if (done <= 0)
				_exit(1);
			p += done;
			n -= (size_t)done;
		}
		_exit(0);
	}
	close(fds[1]);
	return fds[0];
}

static inline struct tw_source *source_of(const void *data, size_t n)
{
	struct tw_error err = { "" };
	struct tw_source *source = NULL;
	int ret = tw_source_open_fd(&source, file_of(data, n), "file", &err);

	if (ret)
		fail_msg("open: %d, %s", ret, err.text);
	return source;
}

/* What opening fails with; the text is left in `err`. */
static inline int refusal_of(const void *data, size_t n, struct tw_error *err)
{
	struct tw_source *source = NULL;
	int ret = tw_source_open_fd(&source, file_of(data, n), "file", err);

	assert_int_not_equal(ret, 0);
	assert_null(source);
	return ret;
}

/* Classic pcap, in the byte order of `b`. */
static inline void pcap_header(struct bytes *b, uint32_t magic, uint32_t snaplen, uint32_t linktype)
{
	put32(b, magic);
	put16(b, 2);
	put16(b, 4);
	put32(b, 0);
	put32(b, 0);
	put32(b, snaplen);
	put32(b, linktype);
}

/* A record whose bytes are all `fill`. */
static inline void pcap_record(struct bytes *b, uint32_t seconds, uint32_t fraction,
			       uint32_t captured, uint32_t original, uint8_t fill)
{
	put32(b, seconds);
	put32(b, fraction);
	put32(b, captured);
	put32(b, original);
	bytes_fill(b, fill, captured);
}

#endif
