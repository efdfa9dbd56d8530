/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stages from flow to bill, joined as src/tcpwhy.c does, and what must hold of every bill whatever
 * was captured: the rows partition the duration, to the nanosecond. PARTITION_CHECK(condition) is the
 * includer's; it must not return where the condition is false.
 */
#ifndef TW_TESTS_PARTITION_H
#define TW_TESTS_PARTITION_H

#include <string.h>

#include "flow/flow.h"
#include "ledger/ledger.h"

struct partition {
	bool keep_intervals;
	uint64_t done;              /* connections billed */
	uint64_t billed_ns;         /* over all; may wrap */
	/* called with each bill, before it is released; NULL: not */
	void (*bill)(struct partition *p, const struct tw_connection_summary *summary,
		     struct tw_bill *bill);
	void *context;
	uint64_t cause[TW_CAUSE_COUNT]; /* rows seen */
	struct {
		uint64_t id;
		int64_t at[2];      /* latest event for the data of each side */
	} clock[64];                /* of a few connections, by id */
};

static inline void partition_event(void *context, struct tw_connection *c,
				   const struct tw_event *e)
{
	struct partition *p = context;
	__typeof__(p->clock[0]) *clock = &p->clock[c->id % 64];

	PARTITION_CHECK(e->at >= c->first);
	if (clock->id == c->id)
		PARTITION_CHECK(e->at >= clock->at[e->side]); /* the sender's clock runs forwards */
	else
		clock->at[!e->side] = INT64_MIN;
	clock->id = c->id;
	clock->at[e->side] = e->at;
	PARTITION_CHECK(e->una <= e->nxt && e->una <= e->fack && e->fack <= e->nxt);
	PARTITION_CHECK(e->mss > 0);
	if (e->nxt - e->una < UINT32_MAX) {
		PARTITION_CHECK(e->outstanding == e->nxt - e->una);
		PARTITION_CHECK(e->flight <= e->outstanding && e->sacked <= e->outstanding);
	}
	if (!c->ledger) {
		struct tw_ledger *ledger;

		if (e->kind == TW_EVENT_ACK && e->flight_known)
			return;
		PARTITION_CHECK(!tw_ledger_new(&ledger, p->keep_intervals));
		c->ledger = ledger;
	}
	tw_ledger_event(c->ledger, c, e);
}

static inline void partition_interval(const struct tw_interval *i,
				      const struct tw_connection_summary *s, bool is_stall)
{
	PARTITION_CHECK(i->cause < TW_CAUSE_COUNT && i->side < 2 && i->confidence <= 100);
	PARTITION_CHECK(s->first <= i->from && i->from <= i->to && i->to <= s->end);
	PARTITION_CHECK(i->waited_ns >= 0 && i->waited_ns <= i->to - i->from);
	PARTITION_CHECK(!is_stall || i->is_stall);
}

static inline void partition_row(const struct tw_bill_row *row, const struct tw_bill *bill,
				 const struct tw_connection_summary *s)
{
	PARTITION_CHECK(row->cause < TW_CAUSE_COUNT && (row->side == 0 || row->side == 1));
	PARTITION_CHECK(row->party == tw_cause_party(row->cause));
	PARTITION_CHECK(row->ns > 0 && row->ns <= bill->duration_ns);
	PARTITION_CHECK(row->intervals > 0 && row->n_examples > 0);
	PARTITION_CHECK(row->n_examples <= TW_ROW_EXAMPLES && row->n_examples <= row->intervals);
	PARTITION_CHECK(row->confidence >= 0 && row->confidence <= 1.000001);
	PARTITION_CHECK(row->saves_ns >= 0 && row->saves_ns <= row->ns);
	PARTITION_CHECK(row->next < TW_CAUSE_COUNT);
	for (unsigned i = 0; i < row->n_examples; i++) {
		partition_interval(&row->example[i], s, false);
		PARTITION_CHECK(row->example[i].cause == row->cause);
		PARTITION_CHECK(row->example[i].side == row->side);
	}
}

static inline void partition_bill(const struct tw_bill *bill, const struct tw_connection_summary *s)
{
	int64_t sum = 0, side[2] = { 0, 0 };

	PARTITION_CHECK(bill->duration_ns >= 0 && bill->duration_ns == s->end - s->first);
	PARTITION_CHECK(bill->after_ns >= 0 && bill->after_ns == s->last - s->end);
	for (unsigned i = 0; i < bill->n_rows; i++) {
		const struct tw_bill_row *row = &bill->rows[i];

		partition_row(row, bill, s);
		sum += row->ns;
		side[row->side] += row->ns;
		for (unsigned j = 0; j < i; j++)
			PARTITION_CHECK(bill->rows[j].cause != row->cause ||
					bill->rows[j].side != row->side);
		PARTITION_CHECK(!i || bill->rows[i - 1].ns >= row->ns);
	}
	PARTITION_CHECK(sum == bill->duration_ns);
	for (int i = 0; i < 2; i++)
		PARTITION_CHECK(side[i] == bill->direction[i].duration_ns);
	for (uint32_t i = 0; i < bill->n_intervals; i++) {
		partition_interval(&bill->intervals[i], s, true);
		PARTITION_CHECK(!i || bill->intervals[i - 1].from <= bill->intervals[i].from);
	}
}

static inline void partition_summary(const struct tw_connection_summary *s)
{
	PARTITION_CHECK(s->first <= s->end && s->end <= s->last);
	for (int i = 0; i < 2; i++) {
		const struct tw_direction_summary *d = &s->direction[i];

		PARTITION_CHECK(d->data_packets <= d->packets && d->unique_bytes <= d->bytes);
		PARTITION_CHECK(d->resent_packets <= d->data_packets);
		PARTITION_CHECK(d->resent_unseen <= d->resent_packets);
		PARTITION_CHECK(d->rtt.min <= d->rtt.median && d->rtt.median <= d->rtt.max);
		PARTITION_CHECK(d->zero_window_ns >= 0 && d->zero_window_ns <= s->last - s->first);
	}
}

static inline void partition_done(void *context, struct tw_connection *c)
{
	struct partition *p = context;
	struct tw_connection_summary summary;
	struct tw_bill bill;

	tw_connection_summarize(c, &summary);
	partition_summary(&summary);
	PARTITION_CHECK(!tw_ledger_finish(c->ledger, c, &bill));
	partition_bill(&bill, &summary);
	p->done++;
	p->billed_ns += (uint64_t)bill.duration_ns;
	for (unsigned i = 0; i < bill.n_rows; i++)
		p->cause[bill.rows[i].cause]++;
	if (p->bill)
		p->bill(p, &summary, &bill);
	tw_bill_release(&bill);
	tw_ledger_free(c->ledger);
	c->ledger = NULL;
}

static inline struct tw_flow *partition_flow(struct partition *p, uint32_t max_connections,
					     enum tw_place place)
{
	const struct tw_flow_options options = { .max_connections = max_connections,
						 .place = place };
	const struct tw_flow_sink sink = { .events = { .event = partition_event, .context = p },
					   .done = partition_done };
	struct tw_flow *flow;

	memset(p->clock, 0, sizeof(p->clock));
	PARTITION_CHECK(!tw_flow_new(&flow, &options, &sink));
	return flow;
}

#endif
