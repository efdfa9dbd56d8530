/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/ahead.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3 }; /* one looked at, one ready, one being read */

struct tw_ahead {
	tw_ahead_read *read;
	void *context;
	size_t size;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* Counts without end, under the mutex: block i is blocks[i % BLOCKS]. */
	unsigned filled, returned, given;
	bool stop;
	struct tw_ahead_block blocks[BLOCKS];
};

/* Waits until there is a block to fill. False: it is over. */
static bool wait_for_room(struct tw_ahead *a)
{
	bool go_on;

	pthread_mutex_lock(&a->mutex);
	while (!a->stop && a->filled - a->returned == BLOCKS)
		pthread_cond_wait(&a->changed, &a->mutex);
	go_on = !a->stop;
	pthread_mutex_unlock(&a->mutex);
	return go_on;
}

static void *run(void *context)
{
	struct tw_ahead *a = context;
	bool is_end = false;

	while (!is_end && wait_for_room(a)) {
		struct tw_ahead_block *block = &a->blocks[a->filled % BLOCKS];

		block->n = a->read(a->context, block->data, a->size, &block->taken);
		is_end = !block->n;
		pthread_mutex_lock(&a->mutex);
		a->filled++;
		pthread_cond_signal(&a->changed);
		pthread_mutex_unlock(&a->mutex);
	}
	return NULL;
}

static void release(struct tw_ahead *a)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		free(a->blocks[i].base);
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->mutex);
	free(a);
}

int tw_ahead_new(struct tw_ahead **out, size_t headroom, size_t size, tw_ahead_read *read,
		 void *context)
{
	struct tw_ahead *a = calloc(1, sizeof(*a));
	sigset_t all, before;
	int err = 0;

	if (!a)
		return -ENOMEM;
	a->read = read;
	a->context = context;
	a->size = size;
	pthread_mutex_init(&a->mutex, NULL);
	pthread_cond_init(&a->changed, NULL);
	for (unsigned i = 0; i < BLOCKS && !err; i++) {
		a->blocks[i].base = malloc(headroom + size);
		if (a->blocks[i].base)
			a->blocks[i].data = a->blocks[i].base + headroom;
		else
			err = -ENOMEM;
	}
	if (!err) {
		/* Signals are for the thread that asked: its reads are the ones to break off. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		err = -pthread_create(&a->thread, NULL, run, a);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	if (err) {
		release(a);
		return err;
	}
	*out = a;
	return 0;
}

void tw_ahead_free(struct tw_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->mutex);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
	pthread_join(a->thread, NULL);
	release(a);
}

const struct tw_ahead_block *tw_ahead_next(struct tw_ahead *a, const uint8_t *left, size_t n)
{
	struct tw_ahead_block *next = &a->blocks[a->given % BLOCKS];

	pthread_mutex_lock(&a->mutex);
	while (a->filled == a->given)
		pthread_cond_wait(&a->changed, &a->mutex);
	pthread_mutex_unlock(&a->mutex);
	if (n)
		memcpy(next->data - n, left, n);
	pthread_mutex_lock(&a->mutex);
	a->returned = a->given++; /* all before this one */
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->mutex);
	return next;
}
