/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A token bucket that drops what exceeds it and delays nothing (RFC 2697 with one bucket): `rate`
 * fills it, a frame that conforms takes its bytes out. In whole numbers, so that the rate is exact.
 */
#ifndef TW_LAB_POLICER_H
#define TW_LAB_POLICER_H

#include <stdbool.h>
#include <stdint.h>

struct tw_policer {
	uint64_t rate;   /* bit/s; 0: none */
	uint64_t full;   /* the bucket, in bit * 10^9 */
	uint64_t tokens; /* in it */
	int64_t at;      /* ns: when `tokens` was right */
};

/* A full bucket. `burst` in bytes, up to 2^30; 0: what `rate` brings in 10 ms, 3028 at least. */
void tw_policer_init(struct tw_policer *policer, int64_t rate, int64_t burst);

/* Whether a frame of `n` bytes conforms at `now`, which never decreases. */
bool tw_policer_admits(struct tw_policer *policer, int64_t now, uint32_t n);

#endif
