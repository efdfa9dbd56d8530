/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One word of a path or of a traffic, and the values that it takes in turn:
 *
 *     server.rcvbuf=16k,64k,none      there.delay=1ms..32ms      request=16k..512k/2
 *
 * Items are parted by commas or blanks, each a value or a range. A range is geometric: from its
 * first value on doubled, or in N equal steps to a doubling where it ends in /N, up to its second
 * value. What does not come out even is rounded to three digits. Numbers with a unit (rates, times,
 * shares, sizes, amounts, counts) have ranges, other kinds have values alone.
 */
#ifndef TW_LAB_SWEEP_H
#define TW_LAB_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum {
	TW_SWEEP_MAX = 64,        /* values */
	TW_SWEEP_WORD_MAX = 64,   /* bytes of a word with its side, and of a value; with their NUL */
	TW_SWEEP_VALUE_MAX = 160,
	TW_SWEEP_STEPS_MAX = 16,  /* to a doubling */
};

struct tw_sweep {
	bool is_traffic; /* a word of lab/traffic.h; else of lab/path.h */
	char word[TW_SWEEP_WORD_MAX];
	int n; /* 1 at least */
	char value[TW_SWEEP_MAX][TW_SWEEP_VALUE_MAX]; /* as given, no two alike */
};

/*
 * Reads `text`. Each value is one that the word can have; whether it goes with the other words of a
 * path or traffic is not known here. -EINVAL with a text that says what would be right, -E2BIG for
 * too many values; `sweep` is then as before.
 */
int tw_sweep_parse(struct tw_sweep *sweep, const char *text, struct tw_error *err);

/* Writes "word=value" of value `i`, for tw_path_parse or tw_traffic_parse; cut at `size`. */
void tw_sweep_print(const struct tw_sweep *sweep, int i, char *out, size_t size);

#endif
