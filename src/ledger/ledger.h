/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ledger of one connection: takes its events, ends as its bill. Every nanosecond from the
 * connection's first packet to its end is charged once, to one cause and one side.
 */
#ifndef TW_LEDGER_LEDGER_H
#define TW_LEDGER_LEDGER_H

#include "flow/connection.h"
#include "ledger/bill.h"

struct tw_ledger;

/* `keep_intervals`: the bill lists every stall and every round. */
int tw_ledger_new(struct tw_ledger **out, bool keep_intervals);
void tw_ledger_free(struct tw_ledger *ledger);

/* A hint that an event comes soon: fetches what it will touch. NULL is fine. */
void tw_ledger_expect(const struct tw_ledger *ledger);

/* An event of the connection, in order. */
void tw_ledger_event(struct tw_ledger *ledger, const struct tw_connection *connection,
		     const struct tw_event *event);

/*
 * The connection is over: makes the bill, whose rows and intervals are then the caller's (see
 * tw_bill_release). `ledger` may be NULL: a connection without data. -ENOMEM leaves `bill` empty.
 */
int tw_ledger_finish(struct tw_ledger *ledger, const struct tw_connection *connection,
		     struct tw_bill *bill);

#endif
