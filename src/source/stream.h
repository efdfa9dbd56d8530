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

#if defined(__SANITIZE_ADDRESS__) /* gcc */
#define TW_STREAM_FENCED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TW_STREAM_FENCED 1
#endif
#endif

struct tw_stream;

/*
 * What was read (and unpacked) and not yet consumed: the beginning of every stream, seen from here
 * so that a record that is there costs no call. Only stream.c and the functions below touch it.
 */
struct tw_stream_ready {
	uint8_t *buffer;
	size_t head, tail; /* in `buffer` */
	uint64_t before;   /* bytes consumed before buffer[0] */
};

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
static inline size_t tw_stream_peek(struct tw_stream *stream, size_t want, const uint8_t **bytes);

/* Consumes `n` bytes, peeked or not; returns how many were there. */
static inline size_t tw_stream_skip(struct tw_stream *stream, size_t n);

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

/* The same where the input has to be read first. */
size_t tw_stream_peek_far(struct tw_stream *stream, size_t want, const uint8_t **bytes);
size_t tw_stream_skip_far(struct tw_stream *stream, size_t n);

static inline size_t tw_stream_peek(struct tw_stream *stream, size_t want, const uint8_t **bytes)
{
#ifndef TW_STREAM_FENCED
	const struct tw_stream_ready *ready = (const struct tw_stream_ready *)stream;

	if (__builtin_expect(ready->tail - ready->head >= want, 1)) {
		*bytes = ready->buffer + ready->head;
		return want;
	}
#endif
	return tw_stream_peek_far(stream, want, bytes);
}

static inline size_t tw_stream_skip(struct tw_stream *stream, size_t n)
{
	struct tw_stream_ready *ready = (struct tw_stream_ready *)stream;

	if (__builtin_expect(ready->tail - ready->head >= n, 1)) {
		ready->head += n;
		return n;
	}
	return tw_stream_skip_far(stream, n);
}

#endif
