/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the sources: an interface's clock in pcapng, and its ticks as ns. */
#ifndef TW_SOURCE_PCAPNG_TIME_H
#define TW_SOURCE_PCAPNG_TIME_H

#include <stdint.h>

#include "source/binary.h"

enum { TW_PCAPNG_MICROSECONDS = 6 }; /* if_tsresol where an interface has none */

struct tw_pcapng_clock {
	uint64_t simple_max; /* up to here ticks times simple_factor are ns; 0: never */
	uint32_t simple_factor;
	uint8_t resolution;  /* if_tsresol: 10^-n s; with the top bit 2^-n s */
	int64_t offset;      /* if_tsoffset, s */
};

/* Sets the resolution; the offset stays. */
void tw_pcapng_clock_set(struct tw_pcapng_clock *clock, uint8_t resolution);

/* Any resolution, offset and overflow; the result is held within TW_TIME_LIMIT. */
int64_t tw_pcapng_time_slow(const struct tw_pcapng_clock *clock, uint64_t ticks);

/* ns since 1970, rounded down. */
static inline int64_t tw_pcapng_time(const struct tw_pcapng_clock *clock, uint64_t ticks)
{
	if (__builtin_expect(ticks <= clock->simple_max && !clock->offset, 1))
		return (int64_t)(ticks * clock->simple_factor);
	return tw_pcapng_time_slow(clock, ticks);
}

#endif
