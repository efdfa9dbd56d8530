/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watches a connection from a thread of its own while others use it: takes samples of the kernel's
 * state every millisecond, and at a deadline shuts the connection down, so that whoever is blocked
 * on it wakes up.
 */
#ifndef TW_LAB_SAMPLER_H
#define TW_LAB_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

struct tw_sampler;

enum { TW_SAMPLES_MAX = 4096 }; /* when full, every second one goes and the interval doubles */

/*
 * Starts the thread. `start` is the instant that the samples' times count from, `deadline` that of
 * the shutdown: both CLOCK_MONOTONIC, ns. `fd` must stay open until tw_sampler_stop().
 */
int tw_sampler_new(struct tw_sampler **out, int fd, int64_t start, int64_t deadline,
		   bool with_samples);

/*
 * The program is in send(), or out of it again: what tells a send buffer that holds no more from a
 * program that has nothing to write. From any thread.
 */
void tw_sampler_is_writing(struct tw_sampler *sampler, bool is_writing);

/* Takes the last sample and ends the thread; no more is taken. May be called again. */
void tw_sampler_stop(struct tw_sampler *sampler);

/* Stops it as well. NULL is fine. */
void tw_sampler_free(struct tw_sampler *sampler);

bool tw_sampler_has_samples(const struct tw_sampler *sampler);

/* An object `key` of arrays of equal length, one per column. After the stop, where it has some. */
void tw_sampler_json(const struct tw_sampler *sampler, struct tw_json *json, const char *key);

#endif
