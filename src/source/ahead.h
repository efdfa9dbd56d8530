/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading ahead by a thread of its own: while one block is looked at, the next ones are read and
 * unpacked. Worth it for files: the analysis need not wait for the kernel's copy, nor for gzip.
 */
#ifndef TW_SOURCE_AHEAD_H
#define TW_SOURCE_AHEAD_H

#include <stddef.h>
#include <stdint.h>

struct tw_ahead;

/* A block that was read. What was left of the one before stands right in front of `data`. */
struct tw_ahead_block {
	uint8_t *base;  /* start of its memory: `headroom` bytes before `data` */
	uint8_t *data;
	size_t n;       /* bytes at `data`; 0: the end, none follows */
	uint64_t taken; /* bytes of the input read by then, packed */
};

/*
 * Called by the thread alone: up to `room` bytes to `to`, fewer only at the end; `taken` as in the
 * block. Errors are the caller's to keep: it may look at them once the end was seen.
 */
typedef size_t tw_ahead_read(void *context, uint8_t *to, size_t room, uint64_t *taken);

/*
 * Starts the thread. `headroom`: the most that is ever left of a block, bytes (not touched, it costs
 * no memory). -ENOMEM, -EAGAIN.
 */
int tw_ahead_new(struct tw_ahead **out, size_t headroom, size_t size, tw_ahead_read *read,
		 void *context);

/* Ends the thread; waits for a read that is going on. NULL is fine. */
void tw_ahead_free(struct tw_ahead *ahead);

/*
 * The next block, waited for; with the `n` bytes at `left` (of the block before, or not of any) put
 * before its data. The block before is given back. Not to be called again after the end.
 */
const struct tw_ahead_block *tw_ahead_next(struct tw_ahead *ahead, const uint8_t *left, size_t n);

#endif
