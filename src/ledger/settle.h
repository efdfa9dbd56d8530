/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the ledger: its state, and the step from rounds and stalls to charges. */
#ifndef TW_LEDGER_SETTLE_H
#define TW_LEDGER_SETTLE_H

#include "flow/connection.h"
#include "ledger/account.h"
#include "ledger/judge.h"
#include "ledger/side.h"

/* The other side has spoken, but the floor's host cannot have heard of it yet. */
struct tw_turn {
	bool pending;
	bool heard;       /* it has, and nothing of its own was under way */
	int64_t at;       /* when the other side spoke */
	int64_t clock;    /* its last send since; clock - at is charged to its round */
};

/* Figures gathered when items are settled; see struct tw_direction_bill. */
struct tw_side_figures {
	struct tw_direction_bill bill;
	struct tw_sketch queues, flights;
	uint32_t black_hole_stalls, bsd_nagle_stalls; /* among the settled */
	uint32_t window;           /* the largest of the settled rounds, bytes */
	uint32_t flight;           /* the highest of theirs */
	uint32_t black_hole_bytes; /* of the shortest segment that vanished in them */
	bool settled;              /* some items have been: what is left is not the start */
	bool charged;              /* something has been: */
	uint8_t last_cause;        /* of the latest charge */
};

/* The charges and figures: needed when something is settled, mostly at the end. */
struct tw_books {
	struct tw_account account;
	struct tw_side_figures figures[2];
	int64_t tail;              /* the wait for the last acknowledgement, part of the floor's last round */
	bool late_tail;            /* it was for a lone segment, whose ACK came later than the path explains */
};

struct tw_ledger {
	bool keep_intervals;
	int8_t first_side;         /* that spoke first */
	int8_t floor;              /* side that speaks; -1 before the first data */
	int64_t clock;             /* charged up to here: the floor's last send */
	int64_t begun_at;          /* first data */
	uint64_t first_packet;
	struct tw_turn turn;
	uint32_t outstanding[2];   /* as each sender knows */
	struct tw_side *side[2];   /* in `own`; NULL until the side sends data */
	struct tw_books *books;    /* owned; NULL until something is settled */
	struct tw_side own[2];     /* one piece of memory: fetched as one, allocated as one */
};

/* Judges the items of `side` and charges the first `count` of them, which are then dropped. */
int tw_settle(struct tw_ledger *ledger, const struct tw_connection *connection, int side,
	      uint32_t count);

/* Opens the books where they are not yet. -ENOMEM. */
int tw_ledger_open_books(struct tw_ledger *ledger);

void tw_books_init(struct tw_books *books);
void tw_books_release(struct tw_books *books);

/* Charges a stretch that is no item: the opening, the first silence. The books are open. */
void tw_charge(struct tw_ledger *ledger, enum tw_cause cause, int side, int64_t from, int64_t to,
	       uint64_t packet_from, uint64_t packet_to, int confidence);

#endif
