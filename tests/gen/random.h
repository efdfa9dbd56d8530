/* SPDX-License-Identifier: BSD-2-Clause */
/* A small seeded generator: the same seed gives the same capture on every machine. */
#ifndef TW_GEN_RANDOM_H
#define TW_GEN_RANDOM_H

#include <math.h>
#include <stdint.h>

struct gen_random {
	uint64_t state;
};

/* splitmix64 (Steele, Lea, Flood 2014): passes the usual tests, one word of state. */
static inline uint64_t gen_random_u64(struct gen_random *random)
{
	uint64_t z = (random->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint32_t gen_random_u32(struct gen_random *random)
{
	return (uint32_t)(gen_random_u64(random) >> 32);
}

/* Uniform in [0, 1). */
static inline double gen_random_unit(struct gen_random *random)
{
	return (double)(gen_random_u64(random) >> 11) * 0x1p-53;
}

/* Uniform in [0, n); n > 0. */
static inline uint32_t gen_random_below(struct gen_random *random, uint32_t n)
{
	return (uint32_t)(((uint64_t)gen_random_u32(random) * n) >> 32);
}

/* Exponential with the given mean, cut at ten times it. */
static inline double gen_random_exp(struct gen_random *random, double mean)
{
	double v = -log(1.0 - gen_random_unit(random)) * mean;

	return v < 10 * mean ? v : 10 * mean;
}

#endif
