/* SPDX-License-Identifier: BSD-2-Clause */
/* A four-way heap: half the depth of a binary one; a node's children share a cache line or two. */
#include "event.h"

#include <stdlib.h>

#include "wire.h"

static bool before(const struct event *a, const struct event *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

void event_push(struct event_heap *heap, int64_t at, enum event_kind kind, uint32_t what)
{
	struct event e = { .at = at, .order = heap->pushed++ << 3 | kind, .what = what };
	size_t i = heap->n;

	if (heap->n == heap->cap) {
		heap->cap = heap->cap ? heap->cap * 2 : 4096;
		heap->v = gen_realloc(heap->v, heap->cap * sizeof(*heap->v));
	}
	heap->n++;
	while (i > 0 && before(&e, &heap->v[(i - 1) / 4])) {
		heap->v[i] = heap->v[(i - 1) / 4];
		i = (i - 1) / 4;
	}
	heap->v[i] = e;
}

bool event_pop(struct event_heap *heap, struct event *out)
{
	struct event last;
	size_t i = 0;

	if (heap->n == 0)
		return false;
	*out = heap->v[0];
	last = heap->v[--heap->n];
	for (;;) {
		size_t child = 4 * i + 1, least = child, c;

		if (child >= heap->n)
			break;
		for (c = child + 1; c < child + 4 && c < heap->n; c++)
			if (before(&heap->v[c], &heap->v[least]))
				least = c;
		if (!before(&heap->v[least], &last))
			break;
		heap->v[i] = heap->v[least];
		i = least;
	}
	if (heap->n > 0)
		heap->v[i] = last;
	return true;
}

void event_release(struct event_heap *heap)
{
	free(heap->v);
	*heap = (struct event_heap){ 0 };
}
