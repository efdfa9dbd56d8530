/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ACKs; full frames; jumbo frames; whatever else. */
static const uint32_t sizes[TW_POOL_SIZES] = { 256, 2048, 10240, TW_LINK_FRAME_MAX };

void tw_pool_init(struct tw_pool *pool, uint64_t ceiling)
{
	*pool = (struct tw_pool){ .ceiling = ceiling };
}

static uint64_t cost(uint32_t size)
{
	return sizeof(struct tw_slot) + sizes[size];
}

/* Frees one unused buffer, of any size; false where there is none. */
static bool free_one(struct tw_pool *pool)
{
	for (uint32_t i = 0; i < TW_POOL_SIZES; i++) {
		struct tw_slot *slot = pool->unused[i];

		if (!slot)
			continue;
		pool->unused[i] = slot->next;
		pool->allocated -= cost(i);
		free(slot);
		return true;
	}
	return false;
}

void tw_pool_release(struct tw_pool *pool)
{
	while (free_one(pool))
		;
}

int tw_pool_take(struct tw_pool *pool, struct tw_slot **out, const uint8_t *from, uint32_t n)
{
	struct tw_slot *slot;
	uint32_t size = 0;

	while (size < TW_POOL_SIZES - 1 && n > sizes[size])
		size++;
	slot = pool->unused[size];
	if (slot) {
		pool->unused[size] = slot->next;
	} else {
		while (pool->allocated + cost(size) > pool->ceiling)
			if (!free_one(pool))
				return -ENOSPC;
		slot = malloc(cost(size));
		if (!slot)
			return -ENOMEM;
		pool->allocated += cost(size);
	}
	*slot = (struct tw_slot){ .frame = { .bytes = slot->bytes, .n = n }, .size = size };
	if (n)
		memcpy(slot->bytes, from, n);
	*out = slot;
	return 0;
}

void tw_pool_give(struct tw_pool *pool, struct tw_slot *slot)
{
	slot->next = pool->unused[slot->size];
	pool->unused[slot->size] = slot;
}
