/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was under way when losses came. A recovery is what follows one loss or several in a flight:
 * how much was outstanding when the first lost segment was sent, the round trip of the data just
 * before it, and the rate delivered since the recovery before. Losses that a full queue or a policer
 * makes come at one flight or one rate, again and again; those of a bad link come at any.
 */
#ifndef TW_LEDGER_LOSSES_H
#define TW_LEDGER_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sketch.h"
#include "flow/event.h"
#include "ledger/bill.h"

enum { TW_LOSS_MARKS = 32 };

struct tw_losses {
	/* A ring: how much was outstanding as the data up to `nxt` had been sent. */
	struct {
		int64_t nxt;
		uint32_t outstanding;
	} mark[TW_LOSS_MARKS];
	uint32_t n_marks;
	int64_t next_mark;       /* position: nothing is marked below it */
	int64_t recover;         /* position: a resend from below belongs to the recovery before */
	int64_t begun_at;        /* the recovery before began; 0: none yet */
	uint64_t begun_delivered;/* bytes delivered by then */
	int64_t rtt;             /* of the newest data acknowledged in order, ns; 0: none */
	int64_t rtt_before;      /* the one before that */
	bool hole;               /* there was one after the latest acknowledgement */
	struct tw_sketch flights;/* bytes, a value per recovery */
	struct tw_sketch rtts;   /* ns */
	struct tw_sketch rates;  /* bytes/s, from one recovery to the next */
	struct tw_sketch bytes;  /* delivered from one to the next */
	struct tw_marks begun;
};

void tw_losses_release(struct tw_losses *losses);

/* Data leaves the sender; `delivered`: bytes acknowledged or SACKed by then. */
void tw_losses_send(struct tw_losses *losses, const struct tw_event *send, uint64_t delivered);

/* An acknowledgement took effect on the sender. */
void tw_losses_ack(struct tw_losses *losses, const struct tw_event *ack);

void tw_losses_figures(const struct tw_losses *losses, struct tw_loss_figures *out);

#endif
