/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sketch of a distribution of non-negative numbers in bounded memory: exact up to 64 values, then
 * a log-linear histogram (16 bins an octave: quantiles within 3.2 %). Minimum and maximum stay exact,
 * and are all there is to keep of two values: nothing is allocated before the third.
 */
#ifndef TW_BASE_SKETCH_H
#define TW_BASE_SKETCH_H

#include <stdint.h>

struct tw_sketch {
	void *store;  /* owned: the values, later the bins; NULL up to two values. See sketch.c */
	uint32_t n;   /* values added; saturates */
	uint32_t cap; /* values `store` has room for; UINT32_MAX when it holds bins, less 1 without memory */
	int64_t min;  /* valid where n > 0 */
	int64_t max;
};

/* Adds a value (negative counts as 0). Without memory only n, min and max are kept. */
void tw_sketch_add(struct tw_sketch *sketch, int64_t value);

/* The value at quantile q (0 to 1), by nearest rank; 0 where nothing was added. */
int64_t tw_sketch_quantile(const struct tw_sketch *sketch, double q);

/* Frees the store; the sketch is empty again. A zeroed sketch is a valid empty one. */
void tw_sketch_release(struct tw_sketch *sketch);

#endif
