/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of an input through one fixed buffer, files and pipes alike, with gzip or zstd taken off
 * where the input has it. No mmap: a mapped file counts as our memory and a file cut under us
 * would kill the program.
 */
#ifndef TW_SOURCE_STREAM_H
#define TW_SOURCE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct tw_stream;

enum { TW_STREAM_MAX_PEEK = 1 << 20 }; /* the most that one peek can ask for */

/*
 * Starts reading `fd`, which the stream owns from now on, also on failure. `name` is copied, for
 * messages. -ENOTSUP for a compression this build lacks.
 */
int tw_stream_open(struct tw_stream **out, int fd, const char *name, struct tw_error *err);
void tw_stream_close(struct tw_stream *stream);

/*
 * Makes up to `want` bytes (at most TW_STREAM_MAX_PEEK) contiguous at `*bytes` without consuming
 * them and returns how many there are: fewer only at the end of the input or after an error. The
 * pointer (never NULL) is valid until the next peek, or a skip beyond what it gave. An interrupted
 * read (EINTR) counts as the end of the input once tw_stream_interrupt was called. Waits for no
 * more bytes than are wanted, so that a live pipe is read as it flows.
 */
size_t tw_stream_peek(struct tw_stream *stream, size_t want, const uint8_t **bytes);

/* Consumes `n` bytes, peeked or not; returns how many were there. */
size_t tw_stream_skip(struct tw_stream *stream, size_t n);

/* Bytes consumed so far, decompressed: the offset that messages name. */
uint64_t tw_stream_offset(const struct tw_stream *stream);

/* 0, or the negative errno that ended the input early (-EIO, -EBADMSG for broken compression). */
int tw_stream_error(const struct tw_stream *stream);

/* Share of the input file read so far, 0 to 1; negative where its size is unknown (a pipe). */
double tw_stream_progress(const struct tw_stream *stream);

const char *tw_stream_name(const struct tw_stream *stream);

/* "gzip", "zstd" or NULL. */
const char *tw_stream_compression(const struct tw_stream *stream);

/* Async-signal-safe: reads of every stream end as at the end of their input. */
void tw_stream_interrupt(void);

/* Whether that was called: a record cut by it is no fault of the input. */
bool tw_stream_interrupted(void);

#endif
