/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/sort.h"

#include <errno.h>
#include <stdlib.h>

/* Beside the window: the one being filled, and the one popped last, which is still read. */
enum { SLOTS = TW_SORT_WINDOW + 2 };

struct tw_sorter {
	struct tw_packet *first, *free; /* in `slot`: the earliest, and the place behind the latest */
	uint32_t n;
	int64_t latest;                 /* time of the latest; where n > 0 */
	struct tw_packet slot[SLOTS];   /* a ring, earliest first */
};

int tw_sorter_new(struct tw_sorter **out)
{
	struct tw_sorter *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->first = s->free = s->slot;
	*out = s;
	return 0;
}

void tw_sorter_free(struct tw_sorter *s)
{
	free(s);
}

static inline struct tw_packet *after(struct tw_sorter *s, struct tw_packet *p)
{
	return p + 1 < s->slot + SLOTS ? p + 1 : s->slot;
}

static inline struct tw_packet *before(struct tw_sorter *s, struct tw_packet *p)
{
	return p > s->slot ? p - 1 : s->slot + SLOTS - 1;
}

struct tw_packet *tw_sorter_slot(struct tw_sorter *s)
{
	return s->free;
}

/* Rare: the packet being committed goes before those that are later than it. */
static __attribute__((noinline)) void move_forward(struct tw_sorter *s)
{
	struct tw_packet late = *s->free, *to = s->free;

	for (; to != s->first && before(s, to)->ts > late.ts; to = before(s, to))
		*to = *before(s, to);
	*to = late;
}

void tw_sorter_commit(struct tw_sorter *s)
{
	if (s->n++ && s->free->ts < s->latest)
		move_forward(s);
	else
		s->latest = s->free->ts;
	s->free = after(s, s->free);
}

struct tw_packet *tw_sorter_pop(struct tw_sorter *s, bool all)
{
	struct tw_packet *first = s->first;

	if (s->n < (all ? 1 : TW_SORT_WINDOW))
		return NULL;
	s->first = after(s, first);
	s->n--;
	return first;
}

const struct tw_packet *tw_sorter_peek(const struct tw_sorter *s, unsigned ahead)
{
	size_t i = (size_t)(s->first - s->slot) + ahead;

	return ahead < s->n ? &s->slot[i < SLOTS ? i : i - SLOTS] : NULL;
}
