/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Acknowledgements that passed the vantage but have not reached the sender yet. Away from the
 * sender everything is judged on the sender's clock: an ACK seen at t takes effect at
 * max(t + h, arrival of the last data packet whose TSecr is older than the ACK's TSval), where h is
 * the sender's smallest reaction as seen here. (The smallest lag alone is wrong under a queue.)
 */
#ifndef TW_FLOW_ACKQUEUE_H
#define TW_FLOW_ACKQUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "packet/packet.h"

/* An acknowledgement, decoded to positions of the direction it is for. */
struct tw_ack {
	int64_t at;          /* when it passed the vantage */
	int64_t ack;         /* position; valid where known */
	int32_t sack[TW_MAX_SACK_BLOCKS][2]; /* left and right edges, less `ack` */
	uint64_t packet;
	uint32_t window;     /* bytes, scaled */
	int32_t sent_ticks;  /* see struct tw_event */
	uint32_t tsval, tsecr;
	uint8_t n_sack;
	bool known;      /* the ACK number is known */
	bool pure;       /* no payload came with it */
	bool has_window;
	bool has_ts;
	bool ece;
	bool is_syn;
	bool dsack;      /* the first block reports a duplicate (RFC 2883) */
};

struct tw_ack_queue {
	struct tw_ack *ring; /* owned */
	uint16_t head, n, cap; /* cap is 0 or a power of two */
};

enum { TW_ACK_QUEUE_MAX = 4096 };

void tw_ack_queue_release(struct tw_ack_queue *queue);

/* -ENOBUFS at the ceiling, -ENOMEM; the queue unchanged. */
int tw_ack_queue_push(struct tw_ack_queue *queue, const struct tw_ack *ack);

/* The oldest, or NULL. Valid until the next push or pop. */
struct tw_ack *tw_ack_queue_first(const struct tw_ack_queue *queue);
void tw_ack_queue_pop(struct tw_ack_queue *queue);

/*
 * Whether `ack` had taken effect when a data packet with `tsecr` (where has_ts) passed at `now`.
 */
bool tw_ack_in_effect(const struct tw_ack *ack, int64_t lag, int64_t now, bool has_ts,
		      uint32_t tsecr);

/*
 * The instant, `now` at the latest, at which `ack` took effect on a sender that reacts after `lag`.
 * The data packet before had passed at `data_at` with `data_tsecr` (where has_ts): one that had not
 * heard of the ACK yet bounds it from below. (TSecr does not go back: none between can tell more.)
 */
int64_t tw_ack_effect(const struct tw_ack *ack, int64_t lag, int64_t now, int64_t data_at,
		      bool has_ts, uint32_t data_tsecr);

#endif
