/* SPDX-License-Identifier: BSD-2-Clause */
/* The Internet checksum: RFC 1071 over bytes, RFC 1624 for what changes in place. */
#ifndef TW_LAB_CHECKSUM_H
#define TW_LAB_CHECKSUM_H

#include <stdint.h>

#include "lab/headers.h"

/* Adds `n` bytes, network order, to a sum; an odd last byte is the upper half of a word. */
static inline uint64_t tw_checksum_add(uint64_t sum, const uint8_t *p, uint32_t n)
{
	for (; n >= 2; n -= 2, p += 2)
		sum += tw_get16(p);
	return n ? sum + (uint64_t)(p[0] << 8) : sum;
}

static inline uint16_t tw_checksum_fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/*
 * The checksum at `field` after words whose sum was `before` became words whose sum is `after`:
 * HC' = ~(~HC + ~m + m'), RFC 1624 section 3, for many words at once. `before` is below 2^32.
 */
static inline void tw_checksum_change(uint8_t *field, uint64_t before, uint64_t after)
{
	uint64_t sum = (uint16_t)~tw_get16(field);

	sum += tw_checksum_fold(before); /* folded and complemented: ~m */
	tw_put16(field, tw_checksum_fold(sum + after));
}

#endif
