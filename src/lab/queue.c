/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/queue.h"

#include <errno.h>
#include <stdlib.h>

struct tw_queue_entry {
	int64_t passed;
	uint32_t n;
};

void tw_queue_init(struct tw_queue *queue, const struct tw_link_options *options)
{
	*queue = (struct tw_queue){
		.rate = (uint64_t)options->rate,
		.overhead = options->overhead,
		.limit = options->queue,
		.ecn = options->ecn,
		.free_at = INT64_MIN,
	};
}

void tw_queue_release(struct tw_queue *queue)
{
	free(queue->ring);
	queue->ring = NULL;
}

static struct tw_queue_entry *entry(const struct tw_queue *queue, uint32_t i)
{
	return &queue->ring[(queue->head + i) & (queue->cap - 1)];
}

int tw_queue_reserve(struct tw_queue *queue, uint32_t more)
{
	struct tw_queue_entry *ring;
	uint32_t cap = queue->cap ? queue->cap * 2 : 64;

	if (!queue->rate || queue->cap - queue->n >= more)
		return 0;
	while (cap - queue->n < more)
		cap *= 2;
	ring = malloc(cap * sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	for (uint32_t i = 0; i < queue->n; i++)
		ring[i] = *entry(queue, i);
	free(queue->ring);
	queue->ring = ring;
	queue->cap = cap;
	queue->head = 0;
	return 0;
}

static void drain(struct tw_queue *queue, int64_t now)
{
	while (queue->n && entry(queue, 0)->passed <= now) {
		queue->bytes -= entry(queue, 0)->n;
		queue->head++;
		queue->n--;
	}
}

static bool exceeds(struct tw_amount limit, int64_t bytes, int64_t packets)
{
	return (limit.bytes && bytes > limit.bytes) || (limit.packets && packets > limit.packets);
}

enum tw_queue_verdict tw_queue_judge(struct tw_queue *queue, int64_t now, uint32_t n)
{
	drain(queue, now);
	if (!queue->n)
		return TW_QUEUE_TAKES;
	if (exceeds(queue->limit, queue->bytes + n, (int64_t)queue->n + 1))
		return TW_QUEUE_DROPS;
	return exceeds(queue->ecn, queue->bytes, queue->n) ? TW_QUEUE_MARKS : TW_QUEUE_TAKES;
}

int64_t tw_queue_send(struct tw_queue *queue, int64_t now, uint32_t n)
{
	int64_t size = (int64_t)n + queue->overhead;
	uint64_t work; /* in ns / rate: 65792 bytes are 5 * 10^14 */

	if (!queue->rate)
		return now;
	if (now > queue->free_at) {
		queue->free_at = now;
		queue->carry = 0;
	}
	work = (size > 0 ? (uint64_t)size : 0) * 8 * 1000000000 + queue->carry;
	queue->free_at += (int64_t)(work / queue->rate);
	queue->carry = work % queue->rate;
	*entry(queue, queue->n++) = (struct tw_queue_entry){ queue->free_at, n };
	queue->bytes += n;
	return queue->free_at;
}
