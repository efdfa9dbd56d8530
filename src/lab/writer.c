/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/writer.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct tw_writer {
	pthread_t thread;
	pthread_mutex_t lock; /* of all below; held for a few instructions only */
	pthread_cond_t wake;
	struct tw_chunk *first, **last; /* to be written */
	struct tw_chunk *unused;
	unsigned n, max; /* chunks that exist */
	bool is_over;
};

static void write_chunk(struct tw_chunk *chunk)
{
	size_t done = 0;

	while (done < chunk->n && !*chunk->error) {
		ssize_t n = write(chunk->fd, chunk->bytes + done, chunk->n - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR)
			*chunk->error = -errno;
	}
}

static void *run(void *context)
{
	struct tw_writer *w = context;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		struct tw_chunk *chunk = w->first;

		if (chunk) {
			w->first = chunk->next;
			if (!w->first)
				w->last = &w->first;
			pthread_mutex_unlock(&w->lock);
			write_chunk(chunk);
			pthread_mutex_lock(&w->lock);
			chunk->next = w->unused;
			w->unused = chunk;
		} else if (w->is_over) {
			break;
		} else {
			pthread_cond_wait(&w->wake, &w->lock);
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int tw_writer_new(struct tw_writer **out, unsigned max_chunks)
{
	struct tw_writer *w = calloc(1, sizeof(*w));
	pthread_mutexattr_t attributes;
	sigset_t all, before;
	int error;

	if (!w)
		return -ENOMEM;
	w->max = max_chunks;
	w->last = &w->first;
	/* The producer may run at real-time priority: who holds the lock then inherits it. */
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&w->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	pthread_cond_init(&w->wake, NULL);
	/* Signals are for the thread that waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		pthread_cond_destroy(&w->wake);
		pthread_mutex_destroy(&w->lock);
		free(w);
		return -error;
	}
	*out = w;
	return 0;
}

struct tw_chunk *tw_writer_take(struct tw_writer *w)
{
	struct tw_chunk *chunk;
	bool may_grow = false;

	pthread_mutex_lock(&w->lock);
	chunk = w->unused;
	if (chunk) {
		w->unused = chunk->next;
	} else if (w->n < w->max) {
		may_grow = true;
		w->n++;
	}
	pthread_mutex_unlock(&w->lock);
	if (may_grow) {
		chunk = malloc(sizeof(*chunk));
		if (!chunk) {
			pthread_mutex_lock(&w->lock);
			w->n--;
			pthread_mutex_unlock(&w->lock);
		}
	}
	if (chunk)
		chunk->n = 0;
	return chunk;
}

void tw_writer_put(struct tw_writer *w, struct tw_chunk *chunk)
{
	chunk->next = NULL;
	pthread_mutex_lock(&w->lock);
	*w->last = chunk;
	w->last = &chunk->next;
	pthread_mutex_unlock(&w->lock);
	pthread_cond_signal(&w->wake);
}

void tw_writer_free(struct tw_writer *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_over = true;
	pthread_mutex_unlock(&w->lock);
	pthread_cond_signal(&w->wake);
	pthread_join(w->thread, NULL);
	while (w->unused) {
		struct tw_chunk *next = w->unused->next;

		free(w->unused);
		w->unused = next;
	}
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
