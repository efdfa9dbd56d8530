/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames by the time they are due, those due at once in the order they came: a binary heap. */
#ifndef TW_LAB_SCHEDULE_H
#define TW_LAB_SCHEDULE_H

#include <stdint.h>

#include "lab/pool.h"

struct tw_schedule_entry {
	int64_t due;
	uint64_t order;
	struct tw_slot *slot;
};

struct tw_schedule {
	struct tw_schedule_entry *heap; /* owned, the slots not */
	uint32_t n, cap;
	uint64_t order; /* of the next entry */
};

/* A zeroed one is valid and empty. */
void tw_schedule_release(struct tw_schedule *schedule);

/* Makes sure that the next `more` tw_schedule_add need no memory. -ENOMEM. */
int tw_schedule_reserve(struct tw_schedule *schedule, uint32_t more);

void tw_schedule_add(struct tw_schedule *schedule, int64_t due, struct tw_slot *slot);

/* INT64_MAX where it is empty. */
static inline int64_t tw_schedule_due(const struct tw_schedule *schedule)
{
	return schedule->n ? schedule->heap[0].due : INT64_MAX;
}

/* Takes the first out; NULL where it is empty. */
struct tw_slot *tw_schedule_pop(struct tw_schedule *schedule);

#endif
