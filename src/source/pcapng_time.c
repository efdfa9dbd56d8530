/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks of 10^-n or 2^-n seconds, n up to 127, to ns without a 128-bit type. */
#include "source/pcapng_time.h"

enum {
	BINARY = 0x80,
	BITS_KEPT = 34, /* of a binary fraction: 58 ps; times 10^9 < 2^30 they just fit 64 bits */
};

#define NS_PER_S 1000000000U

/* 10^n, n up to 19. */
static uint64_t power_of_10(unsigned n)
{
	uint64_t power = 1;

	while (n--)
		power *= 10;
	return power;
}

void tw_pcapng_clock_set(struct tw_pcapng_clock *clock, uint8_t resolution)
{
	clock->resolution = resolution;
	clock->simple_factor = 0;
	clock->simple_max = 0;
	if (resolution <= 9) {
		clock->simple_factor = (uint32_t)power_of_10(9 - resolution);
		clock->simple_max = (uint64_t)TW_TIME_LIMIT / clock->simple_factor;
	}
}

static void split_decimal(unsigned n, uint64_t ticks, uint64_t *seconds, uint64_t *ns)
{
	uint64_t fraction = ticks;

	*seconds = 0;
	if (n <= 19) {
		*seconds = ticks / power_of_10(n);
		fraction = ticks % power_of_10(n);
	}
	if (n <= 9)
		*ns = fraction * power_of_10(9 - n);
	else
		*ns = n - 9 <= 19 ? fraction / power_of_10(n - 9) : 0;
}

static void split_binary(unsigned n, uint64_t ticks, uint64_t *seconds, uint64_t *ns)
{
	uint64_t fraction = ticks;
	unsigned bits = n;

	*seconds = 0;
	if (n < 64) {
		*seconds = ticks >> n;
		fraction = ticks & (((uint64_t)1 << n) - 1);
	}
	if (n > BITS_KEPT) {
		fraction = n - BITS_KEPT < 64 ? fraction >> (n - BITS_KEPT) : 0;
		bits = BITS_KEPT;
	}
	*ns = fraction * NS_PER_S >> bits;
}

static void split(const struct tw_pcapng_clock *clock, uint64_t ticks, uint64_t *seconds,
		  uint64_t *ns)
{
	if (clock->resolution & BINARY)
		split_binary(clock->resolution & ~BINARY, ticks, seconds, ns);
	else
		split_decimal(clock->resolution, ticks, seconds, ns);
}

/* `seconds`, on either side of 1970, and up to a second more. */
static int64_t clamp(int64_t seconds, int64_t ns)
{
	const int64_t limit = TW_TIME_LIMIT / NS_PER_S;

	if (seconds >= limit)
		return TW_TIME_LIMIT;
	if (seconds < -limit)
		return -TW_TIME_LIMIT;
	return seconds * NS_PER_S + ns;
}

int64_t tw_pcapng_time_slow(const struct tw_pcapng_clock *clock, uint64_t ticks)
{
	uint64_t seconds, ns;
	int64_t sum, ts = TW_TIME_LIMIT;

	split(clock, ticks, &seconds, &ns);
	if (seconds <= INT64_MAX && !__builtin_add_overflow((int64_t)seconds, clock->offset, &sum))
		ts = clamp(sum, (int64_t)ns);
	if (ts < TW_TIME_LIMIT || ticks <= INT64_MAX)
		return ts;
	/*
	 * Ticks are unsigned, but programs that shift a file's times write those before 1970 as if
	 * they were not. Read so they keep their distances.
	 */
	split(clock, -ticks, &seconds, &ns);
	if (seconds > INT64_MAX || __builtin_sub_overflow(clock->offset, (int64_t)seconds, &sum))
		return -TW_TIME_LIMIT;
	return ns ? clamp(sum - 1, (int64_t)(NS_PER_S - ns)) : clamp(sum, 0);
}
