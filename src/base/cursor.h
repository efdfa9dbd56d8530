/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounds-checked reader over bytes with a sticky shortfall: a read past the end yields 0 and
 * marks the cursor short, so a decoder checks once per header. Captured bytes may be fewer than
 * the packet had; that is "cut", told by the caller, who knows the original length.
 */
#ifndef TW_BASE_CURSOR_H
#define TW_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tw_cursor {
	const uint8_t *at;
	const uint8_t *end;
	bool is_short; /* sticky: a read went past the end */
};

static inline struct tw_cursor tw_cursor_over(const void *bytes, size_t n)
{
	const uint8_t *p = (const uint8_t *)bytes;

	return (struct tw_cursor){ .at = p, .end = p + n };
}

static inline size_t tw_cursor_left(const struct tw_cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* `n` bytes at the cursor, which moves past them; NULL (and short) where fewer are left. */
static inline const uint8_t *tw_cursor_take(struct tw_cursor *c, size_t n)
{
	const uint8_t *p = c->at;

	if (n > tw_cursor_left(c)) {
		c->is_short = true;
		c->at = c->end;
		return NULL;
	}
	c->at += n;
	return p;
}

static inline void tw_cursor_skip(struct tw_cursor *c, size_t n)
{
	(void)tw_cursor_take(c, n);
}

static inline uint8_t tw_cursor_u8(struct tw_cursor *c)
{
	const uint8_t *p = tw_cursor_take(c, 1);

	return p ? p[0] : 0;
}

/* Network byte order. */
static inline uint16_t tw_cursor_be16(struct tw_cursor *c)
{
	const uint8_t *p = tw_cursor_take(c, 2);

	return p ? (uint16_t)(p[0] << 8 | p[1]) : 0;
}

static inline uint32_t tw_cursor_be32(struct tw_cursor *c)
{
	const uint8_t *p = tw_cursor_take(c, 4);

	return p ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3] : 0;
}

#endif
