/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bottleneck's rate, as packet trains show it. At the sender: trains whose ACKs came more slowly
 * than they left. Elsewhere: the spacing of adjacent full segments as they arrive. Unknown rather
 * than wrong: too few or disagreeing trains tell nothing.
 */
#ifndef TW_LEDGER_CAPACITY_H
#define TW_LEDGER_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sketch.h"
#include "flow/event.h"

struct tw_capacity {
	struct tw_sketch trains;  /* bytes/s, at the sender */
	struct tw_sketch pairs;   /* bytes/s, of adjacent full segments */
	struct tw_sketch windows; /* bytes/s, over windows of 1.5 ms, or a part of the round trip */
	/* the train being measured */
	int64_t train_una, train_acked_at, train_sent_at;
	bool train_open;
	/* adjacent segments */
	int64_t last_at, gap_sum;
	uint32_t last_len;
	int64_t window_at;
	uint64_t window_bytes;
};

void tw_capacity_release(struct tw_capacity *capacity);

/* An ACK took effect at the sender. */
void tw_capacity_ack(struct tw_capacity *capacity, const struct tw_event *ack);

/*
 * New data passed a vantage that is not the sender's. `min_rtt`, ns, 0: not known; a sender that is held
 * by a window pauses once in it, and no rate may be taken across such a pause.
 */
void tw_capacity_send(struct tw_capacity *capacity, const struct tw_event *send, int64_t min_rtt);

/* Bytes/s; 0 where it is not evident. */
double tw_capacity_estimate(const struct tw_capacity *capacity, bool at_sender);

/* A round's delivery rate, bytes/s, and its peak flight, bytes. */
struct tw_rate_flight {
	double rate;
	double flight;
};

/* The highest rate, bytes/s; of ten rounds or more their P90. */
double tw_rate_high(const struct tw_rate_flight *round, uint32_t n);

/* The median rate, bytes/s; 0 for fewer than 8 rounds. */
double tw_rate_median(const struct tw_rate_flight *round, uint32_t n);

/*
 * The rate that more in flight did not raise, bytes/s, as BBR judges a pipe full: many rounds agree
 * on one rate, the highest, while their flights differ widely. 0 where there is none. For rounds in
 * which the sender had data.
 */
double tw_capacity_plateau(const struct tw_rate_flight *round, uint32_t n);

#endif
