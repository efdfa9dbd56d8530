/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sketch of a distribution of non-negative numbers in bounded memory: exact up to a few values,
 * then a log-linear histogram (16 bins an octave: quantiles within 3.2 %). Minimum, maximum and
 * sum stay exact.
 */
#ifndef TW_BASE_SKETCH_H
#define TW_BASE_SKETCH_H

#include <stdint.h>

struct tw_sketch {
	uint64_t n;   /* values added */
	int64_t min;  /* valid where n > 0 */
	int64_t max;
	int64_t sum;  /* saturates */
	void *store;  /* owned: the first values, later the bins; see sketch.c */
	uint32_t cap; /* values `store` has room for; TW_SKETCH_BINNED when it holds bins */
};

/* Adds a value (negative counts as 0). Without memory only n, min, max and sum are kept. */
void tw_sketch_add(struct tw_sketch *sketch, int64_t value);

/* The value at quantile q (0 to 1), by nearest rank; 0 where nothing was added. */
int64_t tw_sketch_quantile(const struct tw_sketch *sketch, double q);

/* Frees the store; the sketch is empty again. A zeroed sketch is a valid empty one. */
void tw_sketch_release(struct tw_sketch *sketch);

#endif
