/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The frames that wait in a link. Buffers come in a few sizes and are used again, so that nothing
 * is allocated in the steady state; all of them together stay below a ceiling.
 */
#ifndef TW_LAB_POOL_H
#define TW_LAB_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/link.h"

enum { TW_POOL_SIZES = 4 };

struct tw_slot {
	struct tw_link_frame frame; /* its `bytes` are those below */
	struct tw_slot *next;       /* in the pool */
	uint32_t size;              /* which of the sizes */
	uint32_t refs;              /* places in the schedule */
	bool late;                  /* held back, so that others overtake it */
	uint8_t bytes[];
};

struct tw_pool {
	struct tw_slot *unused[TW_POOL_SIZES];
	uint64_t allocated, ceiling; /* bytes */
};

void tw_pool_init(struct tw_pool *pool, uint64_t ceiling);

/* Frees the buffers that were given back. */
void tw_pool_release(struct tw_pool *pool);

/*
 * A buffer with the `n` bytes at `from` (at most TW_LINK_FRAME_MAX), the caller's until given back.
 * All else of the slot is cleared. -ENOSPC at the ceiling, -ENOMEM.
 */
int tw_pool_take(struct tw_pool *pool, struct tw_slot **out, const uint8_t *from, uint32_t n);
void tw_pool_give(struct tw_pool *pool, struct tw_slot *slot);

#endif
