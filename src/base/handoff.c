/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/handoff.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	BATCH = 128, /* items: enough that waking the other thread costs little per item */
	AHEAD = 3,   /* items: time enough for memory to answer */
	DEPTH = 4,   /* batches: one being filled, one being used, the others even out */
};

struct tw_handoff {
	size_t size;
	void (*use)(void *context, void *item);
	void (*expect)(void *context, const void *item);
	void *context;
	unsigned filled;       /* items in the batch being filled */
	uint64_t made;         /* batches handed over */
	uint64_t used;         /* batches used up; by the second thread, under the lock */
	unsigned count[DEPTH]; /* items in a batch handed over */
	bool running, ending;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t to_use, to_fill;
	char *items;           /* DEPTH x BATCH x size */
};

int tw_handoff_new(struct tw_handoff **out, size_t size, void (*use)(void *context, void *item),
		   void (*expect)(void *context, const void *item), void *context)
{
	struct tw_handoff *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	h->items = calloc((size_t)DEPTH * BATCH, size);
	if (!h->items) {
		free(h);
		return -ENOMEM;
	}
	h->size = size;
	h->use = use;
	h->expect = expect;
	h->context = context;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->to_use, NULL);
	pthread_cond_init(&h->to_fill, NULL);
	*out = h;
	return 0;
}

static void *item_at(const struct tw_handoff *h, uint64_t batch, unsigned i)
{
	return h->items + ((batch % DEPTH) * BATCH + i) * h->size;
}

static void use_batch(struct tw_handoff *h, uint64_t batch, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (h->expect && i + AHEAD < count)
			h->expect(h->context, item_at(h, batch, i + AHEAD));
		h->use(h->context, item_at(h, batch, i));
	}
}

static void *second_thread(void *argument)
{
	struct tw_handoff *h = argument;

	pthread_mutex_lock(&h->lock);
	for (;;) {
		while (h->used == h->made && !h->ending)
			pthread_cond_wait(&h->to_use, &h->lock);
		if (h->used == h->made)
			break;
		pthread_mutex_unlock(&h->lock);
		use_batch(h, h->used, h->count[h->used % DEPTH]);
		pthread_mutex_lock(&h->lock);
		h->used++;
		pthread_cond_signal(&h->to_fill);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static void start(struct tw_handoff *h)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	h->running = !pthread_create(&h->thread, NULL, second_thread, h);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The batch being filled goes over; without a second thread it is used here. */
static void hand_over(struct tw_handoff *h)
{
	unsigned count = h->filled;

	h->filled = 0;
	if (!h->running && count == BATCH)
		start(h);
	if (!h->running) {
		use_batch(h, h->made, count);
		return;
	}
	pthread_mutex_lock(&h->lock);
	h->count[h->made % DEPTH] = count;
	h->made++;
	pthread_cond_signal(&h->to_use);
	/* The next batch to fill must have been used up. */
	while (h->made - h->used >= DEPTH)
		pthread_cond_wait(&h->to_fill, &h->lock);
	pthread_mutex_unlock(&h->lock);
}

void *tw_handoff_slot(struct tw_handoff *h)
{
	return item_at(h, h->made, h->filled);
}

void tw_handoff_commit(struct tw_handoff *h)
{
	if (++h->filled == BATCH)
		hand_over(h);
}

void tw_handoff_drain(struct tw_handoff *h)
{
	if (h->filled)
		hand_over(h);
	if (!h->running)
		return;
	pthread_mutex_lock(&h->lock);
	while (h->used < h->made)
		pthread_cond_wait(&h->to_fill, &h->lock);
	pthread_mutex_unlock(&h->lock);
}

void tw_handoff_free(struct tw_handoff *h)
{
	if (!h)
		return;
	tw_handoff_drain(h);
	if (h->running) {
		pthread_mutex_lock(&h->lock);
		h->ending = true;
		pthread_cond_signal(&h->to_use);
		pthread_mutex_unlock(&h->lock);
		pthread_join(h->thread, NULL);
	}
	pthread_cond_destroy(&h->to_fill);
	pthread_cond_destroy(&h->to_use);
	pthread_mutex_destroy(&h->lock);
	free(h->items);
	free(h);
}
