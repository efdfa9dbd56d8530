/* SPDX-License-Identifier: BSD-2-Clause */
/* For tests: pcapng, block by block. */
#ifndef TW_TESTS_PCAPNG_BLOCKS_H
#define TW_TESTS_PCAPNG_BLOCKS_H

#include "bytes.h"

enum { SHB = 0x0a0d0d0a, IDB = 1, PB = 2, SPB = 3, NRB = 4, ISB = 5, EPB = 6, DSB = 10 };
enum { TSRESOL = 9, TSOFFSET = 14, IFDROP = 5, OSDROP = 7, DROPCOUNT = 4 };

/* A block is begun, filled and ended, which pads it and writes both its lengths. */
static inline size_t begin(struct bytes *b, uint32_t type)
{
	size_t at = b->n;

	put32(b, type);
	put32(b, 0);
	return at;
}

static inline void set32(struct bytes *b, size_t at, uint32_t value)
{
	size_t n = b->n;

	b->n = at;
	put32(b, value);
	b->n = n;
}

static inline void end(struct bytes *b, size_t at)
{
	while (b->n % 4)
		bytes_fill(b, 0, 1);
	put32(b, 0);
	set32(b, at + 4, (uint32_t)(b->n - at));
	set32(b, b->n - 4, (uint32_t)(b->n - at));
}

static inline void option(struct bytes *b, uint16_t code, const void *value, uint16_t n)
{
	put16(b, code);
	put16(b, n);
	bytes_put(b, value, n);
	while (b->n % 4)
		bytes_fill(b, 0, 1);
}

static inline void option64(struct bytes *b, uint16_t code, uint64_t value)
{
	put16(b, code);
	put16(b, 8);
	put64(b, value);
}

static inline void section(struct bytes *b)
{
	size_t at = begin(b, SHB);

	put32(b, 0x1a2b3c4d);
	put16(b, 1);
	put16(b, 0);
	put64(b, UINT64_MAX);
	option(b, 4, "a program", 9);
	put32(b, 0);
	end(b, at);
}

/* `resolution` and `offset` only where they differ from what holds without them. */
static inline void interface(struct bytes *b, uint16_t linktype, uint32_t snaplen,
			     uint8_t resolution, int64_t offset)
{
	size_t at = begin(b, IDB);

	put16(b, linktype);
	put16(b, 0);
	put32(b, snaplen);
	option(b, 2, "eth0", 4);
	if (resolution != 6)
		option(b, TSRESOL, &resolution, 1);
	if (offset)
		option64(b, TSOFFSET, (uint64_t)offset);
	put32(b, 0);
	end(b, at);
}

static inline void enhanced(struct bytes *b, uint32_t id, uint64_t time, uint32_t captured,
			    uint32_t original, uint8_t fill)
{
	size_t at = begin(b, EPB);

	put32(b, id);
	put32(b, (uint32_t)(time >> 32));
	put32(b, (uint32_t)time);
	put32(b, captured);
	put32(b, original);
	bytes_fill(b, fill, captured);
	end(b, at);
}

static inline void simple(struct bytes *b, uint32_t original, uint32_t captured, uint8_t fill)
{
	size_t at = begin(b, SPB);

	put32(b, original);
	bytes_fill(b, fill, captured);
	end(b, at);
}

static inline void statistics(struct bytes *b, uint32_t id, uint64_t ifdrop, uint64_t osdrop)
{
	size_t at = begin(b, ISB);

	put32(b, id);
	put64(b, 0);
	option64(b, 4, 1000); /* received */
	option64(b, IFDROP, ifdrop);
	option64(b, OSDROP, osdrop);
	put32(b, 0);
	end(b, at);
}

#endif
