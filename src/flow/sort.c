/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/sort.h"

#include <errno.h>
#include <stdlib.h>

enum { SLOTS = TW_SORT_WINDOW + 1 }; /* one is being filled */

struct tw_sorter {
	uint16_t order[TW_SORT_WINDOW]; /* a ring of slots, earliest first */
	uint32_t head, n;
	uint16_t unused[SLOTS];         /* a stack */
	uint32_t n_unused;
	struct tw_packet slot[SLOTS];
};

int tw_sorter_new(struct tw_sorter **out)
{
	struct tw_sorter *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	for (unsigned i = 0; i < SLOTS; i++)
		s->unused[i] = (uint16_t)i;
	s->n_unused = SLOTS;
	*out = s;
	return 0;
}

void tw_sorter_free(struct tw_sorter *s)
{
	free(s);
}

struct tw_packet *tw_sorter_slot(struct tw_sorter *s)
{
	return &s->slot[s->unused[s->n_unused - 1]];
}

static inline uint16_t *place(struct tw_sorter *s, uint32_t i)
{
	return &s->order[(s->head + i) % TW_SORT_WINDOW];
}

void tw_sorter_commit(struct tw_sorter *s)
{
	uint16_t slot = s->unused[--s->n_unused];
	int64_t ts = s->slot[slot].ts;
	uint32_t i = s->n++;

	for (; i > 0 && s->slot[*place(s, i - 1)].ts > ts; i--)
		*place(s, i) = *place(s, i - 1);
	*place(s, i) = slot;
}

struct tw_packet *tw_sorter_pop(struct tw_sorter *s, bool all)
{
	uint16_t slot;

	if (!s->n || (!all && s->n < TW_SORT_WINDOW))
		return NULL;
	slot = *place(s, 0);
	s->head = (s->head + 1) % TW_SORT_WINDOW;
	s->n--;
	/* Handed out again by the next tw_sorter_slot, not before. */
	s->unused[s->n_unused++] = slot;
	return &s->slot[slot];
}

const struct tw_packet *tw_sorter_peek(const struct tw_sorter *s, unsigned ahead)
{
	if (ahead >= s->n)
		return NULL;
	return &s->slot[s->order[(s->head + ahead) % TW_SORT_WINDOW]];
}
