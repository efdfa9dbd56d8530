/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hands items from the thread that makes them to a second one that uses them, in order, by the batch.
 * The second thread is started when the first batch is full, so that little work stays on one.
 * Signals stay with the first: the second blocks them all.
 */
#ifndef TW_BASE_HANDOFF_H
#define TW_BASE_HANDOFF_H

#include <stddef.h>

struct tw_handoff;

/*
 * Items of `size` bytes go to `use(context, item)`, a few items after `expect(context, item)`, which
 * may fetch what `use` will need into the cache (NULL: not called). Ownership of what an item points to is the
 * callers' matter. -ENOMEM.
 */
int tw_handoff_new(struct tw_handoff **out, size_t size, void (*use)(void *context, void *item),
		   void (*expect)(void *context, const void *item), void *context);

/* A place for the next item, to be filled and committed. Waits while the other side is behind. */
void *tw_handoff_slot(struct tw_handoff *handoff);
void tw_handoff_commit(struct tw_handoff *handoff);

/* Returns when every committed item has been used: what `use` wrote may be read then. */
void tw_handoff_drain(struct tw_handoff *handoff);

/* Drains, ends the second thread; NULL is fine. */
void tw_handoff_free(struct tw_handoff *handoff);

#endif
