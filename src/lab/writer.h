/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes to files from a thread of its own, so that who produces the bytes never waits for a disk:
 * bytes are handed over in chunks of memory, and where the disk is slower for long the chunks run
 * out, which the producer is told and must count.
 */
#ifndef TW_LAB_WRITER_H
#define TW_LAB_WRITER_H

#include <stddef.h>
#include <stdint.h>

struct tw_writer;

enum { TW_CHUNK = 1 << 20 };

struct tw_chunk {
	struct tw_chunk *next; /* the writer's */
	int fd;                /* where the bytes go; it must stay open until they are written */
	int *error; /* takes the first negative errno of that file; read it after the end */
	size_t n;
	uint8_t bytes[TW_CHUNK];
};

/* Holds at most `max_chunks` at a time. -ENOMEM, -EAGAIN. */
int tw_writer_new(struct tw_writer **out, unsigned max_chunks);

/* An empty chunk, the caller's; NULL at the ceiling or without memory. Does not wait. */
struct tw_chunk *tw_writer_take(struct tw_writer *writer);

/* Gives a chunk back, to be written (its n bytes, in the order of the calls). */
void tw_writer_put(struct tw_writer *writer, struct tw_chunk *chunk);

/* Waits until all is written, ends the thread, and frees. NULL is fine. */
void tw_writer_free(struct tw_writer *writer);

#endif
