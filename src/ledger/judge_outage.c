/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outages of the path: a chain of silences, each ended by a timer's resend that nothing answered. A
 * lone timeout is the loss of one packet; that the same data is lost three times in a row, and not one
 * packet of the other side comes meanwhile, is the path's doing.
 */
#include "flow/event.h"
#include "ledger/judge.h"
#include "ledger/thresholds.h"

/* A run of silences, from one resend to the next. */
struct chain {
	uint32_t first, last; /* items; the last that a resend ended */
	uint32_t end;         /* the last of all */
	uint32_t unanswered;  /* resends after which nothing was heard until the next */
	bool open;
	bool broken;          /* what came back did not acknowledge the resend: no link may follow */
};

/* The same data at the end as before, and no smaller: that would be an MTU black hole. */
static bool is_same_data(const struct tw_item *item, const struct chain *chain)
{
	const struct tw_stall *last = &item[chain->last].stall;
	bool again = false;

	for (uint32_t i = chain->first; i < chain->last; i++) {
		const struct tw_stall *s = &item[i].stall;

		if (item[i].kind != TW_ITEM_STALL || s->seq_from != last->seq_from)
			continue;
		if (s->len_b > last->len_b)
			return false;
		again = true;
	}
	return again;
}

static void close_chain(const struct tw_item *item, struct chain *chain, int64_t una,
			struct tw_verdict *verdict)
{
	if (chain->open && chain->unanswered >= tw_thresholds.outage_unanswered &&
	    is_same_data(item, chain) && una >= item[chain->last].stall.seq_to) {
		for (uint32_t i = chain->first; i <= chain->end; i++)
			if (item[i].kind == TW_ITEM_STALL)
				verdict[i] = (struct tw_verdict){ .cause = TW_CAUSE_PATH_OUTAGE,
								  .confidence = 90 };
	}
	*chain = (struct chain){ .open = false };
}

/* Whether the silence goes on with that which ended the one before: its resend was not answered. */
static bool goes_on(const struct tw_item *item, const struct chain *chain, const struct tw_stall *s,
		    const struct tw_bench *b)
{
	int64_t gap = s->to - s->from;

	if (!chain->open || chain->broken || !(s->b_resend || s->interrupted) || s->b_probe ||
	    item[chain->last].stall.packet_to != s->packet_from ||
	    (double)gap <= tw_thresholds.timer_rtts * (double)b->min_rtt)
		return false;
	/* The path is back, but what came told of no resend: the timer still runs for the data. */
	return s->new_ack_at == TW_NO_TIME;
}

void tw_judge_outages(const struct tw_item *item, uint32_t n, int64_t una, const struct tw_bench *b,
		      struct tw_verdict *verdict)
{
	struct chain chain = { .open = false };

	for (uint32_t i = 0; i < n; i++) {
		const struct tw_stall *s = &item[i].stall;

		if (item[i].kind != TW_ITEM_STALL)
			continue;
		if (goes_on(item, &chain, s, b)) {
			chain.end = i;
			chain.last = s->interrupted ? chain.last : i;
			chain.unanswered += !s->heard;
			chain.broken = s->heard || s->interrupted;
			continue;
		}
		close_chain(item, &chain, una, verdict);
		if (!b->one_way && !s->b_probe && tw_stall_is_timed(s, b))
			chain = (struct chain){ .first = i, .last = i, .end = i, .open = true };
	}
	close_chain(item, &chain, una, verdict);
}

void tw_join_outages(struct tw_item *item, uint32_t n, const struct tw_verdict *verdict)
{
	struct tw_stall *begun = NULL;

	for (uint32_t i = 0; i < n; i++) {
		struct tw_stall *s = &item[i].stall;

		if (item[i].kind != TW_ITEM_STALL)
			continue;
		if (verdict[i].cause != TW_CAUSE_PATH_OUTAGE) {
			begun = NULL;
		} else if (begun && begun->packet_to == s->packet_from) {
			begun->to = s->to;
			begun->packet_to = s->packet_to;
			s->to = s->from;
		} else {
			begun = s;
		}
	}
}
