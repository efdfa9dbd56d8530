/* SPDX-License-Identifier: BSD-2-Clause */
/* For the fuzzers of the sources: an input over the bytes, and the contract every source keeps. */
#ifndef TW_TESTS_FUZZ_INPUT_H
#define TW_TESTS_FUZZ_INPUT_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/source.h"

#define CHECK(condition)                                                                         \
	do {                                                                                     \
		if (!(condition)) {                                                              \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
			abort();                                                                 \
		}                                                                                \
	} while (0)

/* A descriptor, closed by who gets it, of a file that holds the bytes; one file serves all runs. */
static inline int fuzz_input(const uint8_t *data, size_t size)
{
	static int file = -1;
	int fd;

	if (file < 0)
		file = memfd_create("fuzz", MFD_CLOEXEC);
	CHECK(file >= 0);
	CHECK(!ftruncate(file, 0));
	CHECK(pwrite(file, data, size, 0) == (ssize_t)size);
	fd = dup(file); /* shares the offset */
	CHECK(fd >= 0 && !lseek(fd, 0, SEEK_SET));
	return fd;
}

/* Touches every byte a record gives: the sanitizer tells of those that are not there. */
static inline void fuzz_touch(const uint8_t *bytes, uint32_t n)
{
	static volatile uint8_t sink;
	uint8_t sum = 0;

	while (n--)
		sum ^= *bytes++;
	sink = sum;
	(void)sink;
}

/* Reads the bytes as a source to its end, or to `limit` records, of which a few bytes may pack many. */
static inline void fuzz_source(const uint8_t *data, size_t size, uint64_t limit)
{
	struct tw_source *source = NULL;
	struct tw_error err = { "" };
	struct tw_record record;
	uint64_t n = 0;
	int ret = tw_source_open_fd(&source, fuzz_input(data, size), "input", &err);

	if (ret) {
		CHECK(ret < 0 && !source && *err.text && !strchr(err.text, '\n'));
		return;
	}
	while (n < limit && (ret = tw_source_next(source, &record)) == 1) {
		n++;
		CHECK(record.number == n && source->records == n);
		CHECK(record.ts >= -(INT64_C(1) << 62) && record.ts <= INT64_C(1) << 62);
		CHECK(!record.bytes == !!record.packet);
		CHECK(record.captured <= TW_STREAM_MAX_PEEK);
		if (record.bytes)
			fuzz_touch(record.bytes, record.captured);
	}
	CHECK(n == limit || ret <= 0);
	if (n < limit) {
		CHECK((ret < 0) == !!*source->error.text);
		CHECK(!tw_source_next(source, &record) && source->records == n);
	}
	CHECK(memchr(source->title, 0, sizeof(source->title)) && *source->title);
	CHECK(source->n_warnings <= 8);
	for (unsigned i = 0; i < source->n_warnings; i++)
		CHECK(*source->warning[i] && memchr(source->warning[i], 0, sizeof(source->warning[i])));
	tw_source_close(source);
}

#endif
