/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures as people read them. Each returns a small value: printf("%s", tw_duration(ns).s). */
#ifndef TW_BASE_UNITS_H
#define TW_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

struct tw_text {
	char s[48]; /* NUL-terminated */
};

/* "143 us", "40.0 ms", "1.039 s", "2 min 3 s", "3 h 4 min": three or four significant figures. */
struct tw_text tw_duration(int64_t ns);

/* "8,688 bytes" below 100,000; above "147 kB", "3.0 MB", "1.5 GB" (powers of 1000). */
struct tw_text tw_size(uint64_t bytes);

/* "3.4 Mbit/s", from bits per second. */
struct tw_text tw_rate(double bits_per_second);

/* "1,234,567". */
struct tw_text tw_count(uint64_t n);

/* "98.7 %". */
struct tw_text tw_percent(double share);

/* "18 times", "1.3 times": how many times faster. */
struct tw_text tw_times(double ratio);

/*
 * Copies `text` to `out` (NUL-terminated, cut at `size`) with every control character and every
 * byte that is not part of valid UTF-8 written as \xNN, so that a hostile file cannot drive a
 * terminal. Returns `out`.
 */
const char *tw_escape(const char *text, char *out, size_t size);

#endif
