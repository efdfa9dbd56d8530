/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/sketch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	EXACT_FIRST = 8,
	EXACT_MAX = 64,
	SUB_BITS = 4, /* 16 bins an octave */
	BINS = (64 - SUB_BITS) << SUB_BITS,
	BINNED = UINT32_MAX,
	GIVEN_UP = UINT32_MAX - 1, /* there was no memory: values are gone, and none are kept from here on */
};

static void give_up(struct tw_sketch *sketch)
{
	free(sketch->store);
	sketch->store = NULL;
	sketch->cap = GIVEN_UP;
}

static uint32_t bin_of(int64_t value)
{
	uint64_t v = (uint64_t)value;
	int top;

	if (v < (1u << SUB_BITS))
		return (uint32_t)v;
	top = 63 - __builtin_clzll(v);
	return ((uint32_t)(top - SUB_BITS + 1) << SUB_BITS) +
	       (uint32_t)((v >> (top - SUB_BITS)) & ((1u << SUB_BITS) - 1));
}

/* The middle of a bin. */
static int64_t bin_value(uint32_t bin)
{
	uint32_t octave = bin >> SUB_BITS;
	uint64_t sub = bin & ((1u << SUB_BITS) - 1);

	if (!octave)
		return (int64_t)sub;
	return (int64_t)(((1ull << SUB_BITS) + sub) << (octave - 1)) +
	       (int64_t)((1ull << (octave - 1)) / 2);
}

static void to_bins(struct tw_sketch *sketch)
{
	uint32_t *bins = calloc(BINS, sizeof(*bins));
	int64_t *values = sketch->store;

	if (!bins) {
		give_up(sketch);
		return;
	}
	for (uint32_t i = 0; i < sketch->cap; i++)
		bins[bin_of(values[i])]++;
	free(values);
	sketch->store = bins;
	sketch->cap = BINNED;
}

/* Room for one more value; the first two are the minimum and the maximum. */
static void make_room(struct tw_sketch *sketch)
{
	uint32_t cap = sketch->cap ? sketch->cap * 2 : EXACT_FIRST;
	int64_t *grown;

	if (sketch->cap >= EXACT_MAX) {
		to_bins(sketch);
		return;
	}
	grown = realloc(sketch->store, cap * sizeof(*grown));
	if (!grown) {
		give_up(sketch);
		return;
	}
	if (!sketch->cap) {
		grown[0] = sketch->min;
		grown[1] = sketch->max;
	}
	sketch->store = grown;
	sketch->cap = cap;
}

void tw_sketch_add(struct tw_sketch *sketch, int64_t value)
{
	if (value < 0)
		value = 0;
	if (sketch->n >= 2 && sketch->n >= sketch->cap && sketch->cap < GIVEN_UP)
		make_room(sketch);
	if (!sketch->n || value < sketch->min)
		sketch->min = value;
	if (!sketch->n || value > sketch->max)
		sketch->max = value;
	if (sketch->cap == BINNED)
		((uint32_t *)sketch->store)[bin_of(value)]++;
	else if (sketch->store)
		((int64_t *)sketch->store)[sketch->n] = value;
	if (sketch->n < UINT32_MAX)
		sketch->n++;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t tw_sketch_quantile(const struct tw_sketch *sketch, double q)
{
	uint64_t rank, seen = 0;

	if (!sketch->n)
		return 0;
	if (!sketch->store)
		return q < 0.5 || sketch->n == 1 ? sketch->min : sketch->max;
	rank = (uint64_t)(q * (double)(sketch->n - 1) + 0.5);
	if (sketch->cap != BINNED) {
		int64_t sorted[EXACT_MAX];
		uint64_t n = sketch->n < sketch->cap ? sketch->n : sketch->cap;

		memcpy(sorted, sketch->store, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_value);
		return sorted[rank < n ? rank : n - 1];
	}
	for (uint32_t bin = 0; bin < BINS; bin++) {
		seen += ((const uint32_t *)sketch->store)[bin];
		if (seen > rank) {
			int64_t value = bin_value(bin);

			return value < sketch->min ? sketch->min :
			       value > sketch->max ? sketch->max : value;
		}
	}
	return sketch->max;
}

void tw_sketch_release(struct tw_sketch *sketch)
{
	free(sketch->store);
	*sketch = (struct tw_sketch){ 0 };
}
