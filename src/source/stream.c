/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One buffer between the input and its reader. What is between `head` and `tail` was read (and
 * unpacked) and not yet consumed. Packed input passes through a second buffer on its way.
 */
#include "source/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/ahead.h"
#include "source/unpack.h"

#ifdef TW_STREAM_FENCED
#include <sanitizer/asan_interface.h>
#endif

enum {
	/* Room for the largest record tcpdump writes (256 KiB) and what is read behind it. */
	BUFFER_SIZE = 320 << 10,
	BUFFER_LARGE = TW_STREAM_MAX_PEEK + (64 << 10),
	PACKED_SIZE = 128 << 10,
	AHEAD_SIZE = 256 << 10,
	AHEAD_LEAST = 4 << 20, /* bytes of a file that are worth a thread */
};
_Static_assert(BUFFER_SIZE >= PACKED_SIZE, "the first read may have to move to the packed buffer");

struct tw_stream {
	struct tw_stream_ready ready;
	size_t size; /* of the buffer */
	int fd;
	int error;
	bool ended;      /* nothing more will come from the input, unpacked or not */
	char *name;

	uint64_t taken;  /* bytes read from fd */
	uint64_t length; /* bytes there were to read when it was opened; 0: not known */

	enum tw_packing packing;
	struct tw_unpack *unpack;
	uint8_t *packed; /* PACKED_SIZE bytes; NULL where the input is not packed */
	size_t packed_head, packed_tail;
	bool packed_ended;

	struct tw_ahead *ahead; /* large files: reads and unpacks in a thread of its own, NULL elsewhere */
	bool ahead_ended;       /* it has no more, ... */
	int ahead_error;        /* ... because of this */
	uint64_t ahead_taken;   /* `taken`, as far as what it gave */
	uint8_t *owned;         /* the buffer that is not one of its blocks */
};

static volatile sig_atomic_t interrupted;

void tw_stream_interrupt(void)
{
	interrupted = 1;
}

bool tw_stream_interrupted(void)
{
	return interrupted;
}

/*
 * Under AddressSanitizer the bytes behind those of the last peek may not be touched: a reader that
 * goes beyond what it asked for is found although the buffer goes on there.
 */
static void fence(struct tw_stream *stream, size_t n)
{
#ifdef TW_STREAM_FENCED
	size_t behind = stream->size - stream->ready.head - n;
	const uint8_t *peeked = stream->ready.buffer + stream->ready.head;

	ASAN_UNPOISON_MEMORY_REGION(peeked, n);
	ASAN_POISON_MEMORY_REGION(peeked + n, behind < 4096 ? behind : 4096);
#else
	(void)stream;
	(void)n;
#endif
}

static void unfence(struct tw_stream *stream)
{
#ifdef TW_STREAM_FENCED
	ASAN_UNPOISON_MEMORY_REGION(stream->ready.buffer, stream->size);
#else
	(void)stream;
#endif
}

/*
 * read(2) of up to `room` (not 0) bytes: how many came; 0 at the end, or after an error, which is
 * left in stream->error.
 */
static size_t read_some(struct tw_stream *stream, uint8_t *to, size_t room)
{
	struct pollfd wait = { .fd = stream->fd, .events = POLLIN };
	ssize_t n;

	while (!interrupted) {
		n = read(stream->fd, to, room);
		if (n >= 0) {
			stream->taken += (uint64_t)n;
			return (size_t)n;
		}
		if (errno == EAGAIN) /* standard input may be shared with one who made it so */
			(void)poll(&wait, 1, -1);
		else if (errno != EINTR) {
			stream->error = -errno;
			return 0;
		}
	}
	return 0;
}

static void end_with(struct tw_stream *stream, int error)
{
	stream->ended = true;
	if (error && !stream->error)
		stream->error = error;
}

/* Reads packed bytes where there are none left. */
static void fill_packed(struct tw_stream *stream)
{
	size_t n;

	stream->packed_head = stream->packed_tail = 0;
	n = read_some(stream, stream->packed, PACKED_SIZE);
	stream->packed_tail = n;
	stream->packed_ended = !n;
}

/*
 * Unpacks into `room` bytes at `to` and returns how many came, reading on only where what was read
 * gives nothing: a live pipe must not be waited for while there is something to yield.
 */
static size_t unpack_some(struct tw_stream *stream, uint8_t *to, size_t room)
{
	size_t in = stream->packed_tail - stream->packed_head, out = room;
	bool had_input = in > 0;
	int ret = tw_unpack_step(stream->unpack, stream->packed + stream->packed_head, &in, to, &out);

	stream->packed_head += in;
	if (ret) {
		end_with(stream, ret);
	} else if (!in && !out) {
		if (had_input)
			end_with(stream, -EBADMSG); /* neither library stands still: be safe */
		else if (!stream->packed_ended)
			fill_packed(stream);
		else
			end_with(stream,
				 interrupted || tw_unpack_may_end(stream->unpack) ? 0 : -EBADMSG);
	}
	return out;
}

/* What is left moves to the start of `to`, which may be the buffer itself. */
static void move_to(struct tw_stream_ready *ready, uint8_t *to)
{
	memmove(to, ready->buffer + ready->head, ready->tail - ready->head);
	ready->before += ready->head;
	ready->tail -= ready->head;
	ready->head = 0;
}

static int grow(struct tw_stream *stream)
{
	uint8_t *larger = malloc(BUFFER_LARGE);

	if (!larger)
		return -ENOMEM;
	move_to(&stream->ready, larger);
	free(stream->owned);
	stream->ready.buffer = stream->owned = larger;
	stream->size = BUFFER_LARGE;
	return 0;
}

/* Makes sure that `want` bytes fit from head on, with room for a read of useful size behind. */
static int make_room(struct tw_stream *stream, size_t want)
{
	if (want > stream->size)
		return grow(stream);
	if (stream->size - stream->ready.head < want ||
	    stream->size - stream->ready.tail < stream->size / 2)
		move_to(&stream->ready, stream->ready.buffer);
	return 0;
}

/* For the thread that reads ahead: the input's side of the stream is its alone. */
static size_t read_ahead(void *context, uint8_t *to, size_t room, uint64_t *taken)
{
	struct tw_stream *stream = context;
	size_t n = 0;

	while (!stream->ended && n < room) {
		size_t more = stream->packed ? unpack_some(stream, to + n, room - n) :
			      read_some(stream, to + n, room - n);

		n += more;
		if (!more && !stream->packed)
			end_with(stream, 0);
	}
	*taken = stream->taken;
	return n;
}

static void fill_from_ahead(struct tw_stream *stream, size_t want)
{
	struct tw_stream_ready *ready = &stream->ready;

	while (!stream->ahead_ended && ready->tail - ready->head < want) {
		uint64_t offset = ready->before + ready->head;
		size_t left = ready->tail - ready->head;
		const struct tw_ahead_block *block;

		if (interrupted) {
			stream->ahead_ended = true;
			return;
		}
		unfence(stream);
		block = tw_ahead_next(stream->ahead, ready->buffer + ready->head, left);
		if (!block->n) {
			stream->ahead_ended = true;
			stream->ahead_error = stream->error; /* the thread is done with it */
		}
		stream->ahead_taken = block->taken;
		ready->buffer = block->base;
		ready->tail = (size_t)(block->data - block->base) + block->n;
		ready->head = ready->tail - block->n - left;
		ready->before = offset - ready->head;
		stream->size = TW_STREAM_MAX_PEEK + AHEAD_SIZE;
	}
}

static void fill(struct tw_stream *stream, size_t want)
{
	int ret;
	size_t n;

	if (stream->ahead) {
		fill_from_ahead(stream, want);
		return;
	}
	if (stream->ended)
		return;
	unfence(stream);
	ret = make_room(stream, want);
	if (ret) {
		end_with(stream, ret);
		return;
	}
	while (!stream->ended && stream->ready.tail - stream->ready.head < want) {
		if (stream->packed) {
			stream->ready.tail += unpack_some(stream,
							  stream->ready.buffer + stream->ready.tail,
							  stream->size - stream->ready.tail);
			continue;
		}
		n = read_some(stream, stream->ready.buffer + stream->ready.tail,
			      stream->size - stream->ready.tail);
		stream->ready.tail += n;
		if (!n)
			end_with(stream, 0);
	}
}

size_t tw_stream_peek_far(struct tw_stream *stream, size_t want, const uint8_t **bytes)
{
	const struct tw_stream_ready *ready = &stream->ready;
	size_t n = ready->tail - ready->head;

	if (n < want) {
		if (want > TW_STREAM_MAX_PEEK)
			want = TW_STREAM_MAX_PEEK;
		fill(stream, want);
		n = ready->tail - ready->head;
	}
	if (n > want)
		n = want;
	fence(stream, n);
	*bytes = ready->buffer + ready->head;
	return n;
}

size_t tw_stream_skip_far(struct tw_stream *stream, size_t n)
{
	struct tw_stream_ready *ready = &stream->ready;
	size_t left = n, step = ready->tail - ready->head;

	for (;;) {
		if (step > left)
			step = left;
		ready->head += step;
		left -= step;
		if (!left)
			return n;
		fill(stream, 1);
		step = ready->tail - ready->head;
		if (!step)
			return n - left;
	}
}

/* How much there is to read, for the progress; and a word to the kernel that it is all wanted. */
static void measure(struct tw_stream *stream)
{
	struct stat st;
	off_t at;

	if (fstat(stream->fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return;
	(void)posix_fadvise(stream->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	/* `tcpwhy - < file` may come with a part already read. */
	at = lseek(stream->fd, 0, SEEK_CUR);
	if (at >= 0 && at < st.st_size)
		stream->length = (uint64_t)(st.st_size - at);
}

/* Reads as much as tells whether the input is packed, and moves it aside where it is. */
static int start(struct tw_stream *stream, struct tw_error *err)
{
	bool undecided = true;
	size_t n;
	int ret;

	while (undecided) {
		n = read_some(stream, stream->ready.buffer + stream->ready.tail,
			      PACKED_SIZE - stream->ready.tail);
		if (!n)
			break;
		stream->ready.tail += n;
		stream->packing = tw_packing_detect(stream->ready.buffer, stream->ready.tail, &undecided);
	}
	if (stream->packing == TW_PACKING_NONE)
		return 0;
	ret = tw_unpack_new(&stream->unpack, stream->packing);
	if (ret == -ENOTSUP)
		return tw_error_set(err, ret, "%s: packed with %s, but this build lacks %s",
				    stream->name, tw_packing_name(stream->packing),
				    tw_packing_library(stream->packing));
	if (ret)
		return tw_error_set(err, ret, "%s: %s", stream->name, strerror(-ret));
	stream->packed = malloc(PACKED_SIZE);
	if (!stream->packed)
		return tw_error_set(err, -ENOMEM, "%s: %s", stream->name, strerror(ENOMEM));
	memcpy(stream->packed, stream->ready.buffer, stream->ready.tail);
	stream->packed_tail = stream->ready.tail;
	stream->ready.tail = 0;
	return 0;
}

int tw_stream_open(struct tw_stream **out, int fd, const char *name, struct tw_error *err)
{
	struct tw_stream *stream = calloc(1, sizeof(*stream));
	int ret = -ENOMEM;

	if (!stream) {
		close(fd);
		return tw_error_set(err, ret, "%s: %s", name, strerror(ENOMEM));
	}
	stream->fd = fd;
	stream->size = BUFFER_SIZE;
	stream->ready.buffer = stream->owned = malloc(stream->size);
	stream->name = strdup(name);
	if (!stream->ready.buffer || !stream->name) {
		tw_error_set(err, ret, "%s: %s", name, strerror(ENOMEM));
		goto cleanup;
	}
	measure(stream);
	ret = start(stream, err);
	if (ret)
		goto cleanup;
	/* Without a thread it is read as it is asked for. */
	if (stream->length >= AHEAD_LEAST)
		(void)tw_ahead_new(&stream->ahead, TW_STREAM_MAX_PEEK, AHEAD_SIZE, read_ahead, stream);
	*out = stream;
	stream = NULL;
cleanup:
	tw_stream_close(stream);
	return ret;
}

void tw_stream_close(struct tw_stream *stream)
{
	if (!stream)
		return;
	if (stream->ready.buffer)
		unfence(stream);
	tw_ahead_free(stream->ahead);
	tw_unpack_free(stream->unpack);
	free(stream->packed);
	free(stream->owned);
	free(stream->name);
	close(stream->fd);
	free(stream);
}

uint64_t tw_stream_offset(const struct tw_stream *stream)
{
	return stream->ready.before + stream->ready.head;
}

int tw_stream_error(const struct tw_stream *stream)
{
	return stream->ahead ? stream->ahead_error : stream->error;
}

double tw_stream_progress(const struct tw_stream *stream)
{
	double share;

	if (!stream->length)
		return -1;
	share = (double)(stream->ahead ? stream->ahead_taken : stream->taken) / (double)stream->length;
	return share > 1 ? 1 : share; /* a file may grow while it is read */
}

const char *tw_stream_name(const struct tw_stream *stream)
{
	return stream->name;
}

const char *tw_stream_compression(const struct tw_stream *stream)
{
	return tw_packing_name(stream->packing);
}
