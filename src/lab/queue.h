/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bottleneck: a first-in first-out queue with tail drop before a wire of a given rate. Nothing
 * is moved: when a frame enters, it is known when its last bit will have left. Times are in whole
 * ns and the remainder of each division is carried to the next frame, so that the rate is exact
 * over any time.
 */
#ifndef TW_LAB_QUEUE_H
#define TW_LAB_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/path.h"

struct tw_queue_entry;

struct tw_queue {
	uint64_t rate; /* bit/s; 0: no bottleneck, and never a queue */
	int64_t overhead;
	struct tw_amount limit, ecn;
	int64_t free_at; /* when the wire has sent all that waits; plus carry / rate ns */
	uint64_t carry;
	struct tw_queue_entry *ring; /* owned; the frames in the queue, oldest first */
	uint32_t cap, head, n;
	int64_t bytes; /* of these */
};

void tw_queue_init(struct tw_queue *queue, const struct tw_link_options *options);
void tw_queue_release(struct tw_queue *queue);

/* Makes sure that the next `more` tw_queue_send need no memory. -ENOMEM. */
int tw_queue_reserve(struct tw_queue *queue, uint32_t more);

enum tw_queue_verdict { TW_QUEUE_TAKES, TW_QUEUE_MARKS, TW_QUEUE_DROPS };

/*
 * What becomes of a frame of `n` bytes at `now`, which never decreases. It is dropped where it
 * would make the queue larger than a limit, but never by an empty queue: the wire is free. It is to
 * be marked where it finds more in the queue than the threshold. The frame being sent is in the
 * queue until its last bit has left.
 */
enum tw_queue_verdict tw_queue_judge(struct tw_queue *queue, int64_t now, uint32_t n);

/* Takes the frame; returns when its last bit has left. */
int64_t tw_queue_send(struct tw_queue *queue, int64_t now, uint32_t n);

#endif
