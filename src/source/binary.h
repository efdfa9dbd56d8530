/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the sources: what the readers of binary formats share. */
#ifndef TW_SOURCE_BINARY_H
#define TW_SOURCE_BINARY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "source/source.h"

/* Times are kept within this, so that no difference of two overflows (see tw_record.ts). */
#define TW_TIME_LIMIT ((int64_t)1 << 62)

/* Integers in the file's byte order, which is known only at run time. */
static inline uint16_t tw_file_u16(const uint8_t *p, bool swapped)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? __builtin_bswap16(v) : v;
}

static inline uint32_t tw_file_u32(const uint8_t *p, bool swapped)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? __builtin_bswap32(v) : v;
}

static inline uint64_t tw_file_u64(const uint8_t *p, bool swapped)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? __builtin_bswap64(v) : v;
}

/*
 * What `next` returns where the input ends within `what` ("a packet"), which begins at byte `from`:
 * -EBADMSG with source->error set; or 0, where the end is no fault of the file: the user
 * interrupted, or the stream failed, which tw_source_next reports. An `open` makes -EINTR of 0.
 */
int tw_source_cut(struct tw_source *source, uint64_t from, const char *what);

/* The same for contradictions: "FILE: corrupt at byte FROM: ...". Returns -EBADMSG. */
int tw_source_corrupt(struct tw_source *source, uint64_t from, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
