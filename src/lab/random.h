/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repeatable chance. A draw depends on nothing but the seed, the impairment that asks and a number,
 * mostly the frame's: turning one impairment on changes no draw of another. The n-th output of
 * splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014), which
 * needs no state.
 */
#ifndef TW_LAB_RANDOM_H
#define TW_LAB_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* One per use, in each direction. */
enum tw_chance {
	TW_CHANCE_LOSS,
	TW_CHANCE_STATE, /* Gilbert-Elliott: the change of state */
	TW_CHANCE_STATE_LOSS,
	TW_CHANCE_ACK,
	TW_CHANCE_JITTER,
	TW_CHANCE_REORDER,
	TW_CHANCE_DUPLICATE,
};

static inline uint64_t tw_random_mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline uint64_t tw_random(uint64_t seed, enum tw_chance chance, uint64_t number)
{
	uint64_t stream =
		tw_random_mix(seed + ((uint64_t)chance + 1) * UINT64_C(0xd1342543de82ef95));

	return tw_random_mix(stream + number * UINT64_C(0x9e3779b97f4a7c15));
}

/* True with the probability `share`, in parts of 10^9. */
static inline bool tw_random_hit(uint64_t seed, enum tw_chance chance, uint64_t number,
				 int64_t share)
{
	return share &&
	       (tw_random(seed, chance, number) >> 32) * 1000000000 >> 32 < (uint64_t)share;
}

/* Even between -span and span. */
static inline int64_t tw_random_around(uint64_t seed, enum tw_chance chance, uint64_t number,
				       int64_t span)
{
	uint64_t width = 2 * (uint64_t)span + 1;

	return (int64_t)((__uint128_t)tw_random(seed, chance, number) * width >> 64) - span;
}

#endif
