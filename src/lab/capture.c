/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Frames held back to be sorted: at 80,000 a second more than ten seconds of them. */
enum { HELD_MAX = 1 << 20 };

struct record {
	uint32_t n, original;
	uint8_t bytes[];
};

struct entry {
	int64_t time;
	uint64_t number; /* equal times keep the order they came in */
	struct record *record;
};

struct tw_capture {
	struct tw_writer *writer;
	struct tw_chunk *chunk; /* being filled; NULL: to be taken */
	int fd;
	uint32_t snap;
	int64_t offset;
	struct tw_vec heap; /* struct entry, a binary heap, earliest first */
	uint64_t number;
	int64_t last; /* time of the last one written */
	struct tw_capture_figures figures;
};

/* pcap-savefile(5), in this machine's byte order, with nanoseconds. */
struct file_head {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, accuracy, snap, link_type;
};

struct frame_head {
	uint32_t seconds, nanoseconds, n, original;
};

static struct entry *at(const struct tw_capture *c, uint32_t i)
{
	return tw_vec_at(&c->heap, i);
}

static int is_before(const struct entry *a, const struct entry *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void swap(struct entry *a, struct entry *b)
{
	struct entry kept = *a;

	*a = *b;
	*b = kept;
}

/* Takes the earliest entry off the heap, which is not empty. */
static struct entry pop(struct tw_capture *c)
{
	struct entry first = *at(c, 0);
	uint32_t i = 0;

	*at(c, 0) = *at(c, c->heap.n - 1);
	c->heap.n--;
	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= c->heap.n)
			break;
		if (child + 1 < c->heap.n && is_before(at(c, child + 1), at(c, child)))
			child++;
		if (!is_before(at(c, child), at(c, i)))
			break;
		swap(at(c, child), at(c, i));
		i = child;
	}
	return first;
}

/* Room for `n` bytes in the chunk, a new one where it is full; NULL: the writer has none left. */
static uint8_t *room(struct tw_capture *c, size_t n)
{
	if (c->chunk && c->chunk->n + n > TW_CHUNK) {
		tw_writer_put(c->writer, c->chunk);
		c->chunk = NULL;
	}
	if (!c->chunk) {
		c->chunk = tw_writer_take(c->writer);
		if (!c->chunk)
			return NULL;
		c->chunk->fd = c->fd;
		c->chunk->error = &c->figures.error;
	}
	c->chunk->n += n;
	return c->chunk->bytes + c->chunk->n - n;
}

static void write_first(struct tw_capture *c)
{
	struct entry first = pop(c);
	struct record *record = first.record;
	int64_t time = first.time + c->offset;
	const struct frame_head head = {
		.seconds = (uint32_t)(time / 1000000000),
		.nanoseconds = (uint32_t)(time % 1000000000),
		.n = record->n,
		.original = record->original,
	};
	uint8_t *to = room(c, sizeof(head) + record->n);

	if (to) {
		memcpy(to, &head, sizeof(head));
		memcpy(to + sizeof(head), record->bytes, record->n);
		c->figures.frames++;
		c->figures.disordered += first.time < c->last;
		c->last = first.time;
	} else {
		c->figures.missed++;
	}
	free(record);
}

int tw_capture_new(struct tw_capture **out, struct tw_writer *writer, int fd, uint32_t snap,
		   int64_t offset)
{
	const struct file_head head = {
		.magic = 0xa1b23c4d,
		.major = 2,
		.minor = 4,
		.snap = snap,
		.link_type = 1, /* LINKTYPE_ETHERNET */
	};
	struct tw_capture *c = calloc(1, sizeof(*c));
	uint8_t *to;

	if (!c)
		return -ENOMEM;
	*c = (struct tw_capture){
		.writer = writer, .fd = fd, .snap = snap, .offset = offset, .last = INT64_MIN
	};
	tw_vec_init(&c->heap, sizeof(struct entry), HELD_MAX);
	to = room(c, sizeof(head));
	if (!to) {
		free(c);
		return -ENOMEM;
	}
	memcpy(to, &head, sizeof(head));
	*out = c;
	return 0;
}

void tw_capture_add(struct tw_capture *c, int64_t time, const uint8_t *frame, uint32_t n)
{
	uint32_t kept = n < c->snap ? n : c->snap;
	struct record *record = malloc(sizeof(*record) + kept);
	struct entry *entry;
	uint32_t i;

	/* At the ceiling the earliest goes out, whatever was promised of it. */
	if (c->heap.n == c->heap.max)
		write_first(c);
	entry = record ? tw_vec_push(&c->heap) : NULL;
	if (!entry) {
		c->figures.missed++;
		free(record);
		return;
	}
	record->n = kept;
	record->original = n;
	memcpy(record->bytes, frame, kept);
	*entry = (struct entry){ time, c->number++, record };
	for (i = c->heap.n - 1; i && is_before(at(c, i), at(c, (i - 1) / 2)); i = (i - 1) / 2)
		swap(at(c, i), at(c, (i - 1) / 2));
}

void tw_capture_advance(struct tw_capture *c, int64_t time)
{
	while (c->heap.n && at(c, 0)->time < time)
		write_first(c);
}

void tw_capture_finish(struct tw_capture *c)
{
	tw_capture_advance(c, INT64_MAX);
	if (c->chunk)
		tw_writer_put(c->writer, c->chunk);
	c->chunk = NULL;
}

void tw_capture_figures(const struct tw_capture *c, struct tw_capture_figures *out)
{
	*out = c->figures;
}

void tw_capture_free(struct tw_capture *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->heap.n; i++)
		free(at(c, i)->record);
	tw_vec_release(&c->heap);
	free(c);
}
