/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/schedule.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

void tw_schedule_release(struct tw_schedule *schedule)
{
	free(schedule->heap);
	*schedule = (struct tw_schedule){ 0 };
}

int tw_schedule_reserve(struct tw_schedule *schedule, uint32_t more)
{
	struct tw_schedule_entry *heap;
	uint32_t cap = schedule->cap ? schedule->cap * 2 : 64;

	if (schedule->cap - schedule->n >= more)
		return 0;
	while (cap - schedule->n < more)
		cap *= 2;
	heap = realloc(schedule->heap, cap * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	schedule->heap = heap;
	schedule->cap = cap;
	return 0;
}

static bool before(const struct tw_schedule_entry *a, const struct tw_schedule_entry *b)
{
	return a->due != b->due ? a->due < b->due : a->order < b->order;
}

void tw_schedule_add(struct tw_schedule *schedule, int64_t due, struct tw_slot *slot)
{
	const struct tw_schedule_entry entry = { due, schedule->order++, slot };
	struct tw_schedule_entry *heap = schedule->heap;
	uint32_t i = schedule->n++;

	while (i && before(&entry, &heap[(i - 1) / 2])) {
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = entry;
}

struct tw_slot *tw_schedule_pop(struct tw_schedule *schedule)
{
	struct tw_schedule_entry *heap = schedule->heap, last;
	struct tw_slot *first;
	uint32_t i = 0, child;

	if (!schedule->n)
		return NULL;
	first = heap[0].slot;
	last = heap[--schedule->n];
	while ((child = 2 * i + 1) < schedule->n) {
		if (child + 1 < schedule->n && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}
