/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pacing slower than a segment a round trip: each goes alone, with nothing in flight, so that the silences
 * between look like a program's. But a program's writes end in a part of a segment, and come when they
 * come; what a pacer lets go are whole segments, evenly apart.
 */
#include "ledger/judge.h"
#include "ledger/thresholds.h"

static bool is_whole(uint32_t len, uint32_t mss)
{
	return mss && len && len % mss == 0; /* super-packets are several */
}

static bool is_candidate(const struct tw_item *item, const struct tw_verdict *verdict)
{
	const struct tw_stall *s = &item->stall;

	return item->kind == TW_ITEM_STALL && verdict->cause == TW_CAUSE_SENDER_APP &&
	       is_whole(s->len_a, s->mss) && is_whole(s->len_b, s->mss);
}

/* As long as those of the run so far. */
static bool is_alike(int64_t gap, int64_t sum, uint32_t n)
{
	double mean = (double)sum / (double)n;

	return (double)gap <= tw_thresholds.even_p90 * mean && (double)gap >= tw_thresholds.even_p10 * mean;
}

static void end_run(const struct tw_item *item, uint32_t first, uint32_t last, uint32_t n,
		    struct tw_verdict *verdict)
{
	if (n < tw_thresholds.bursts_around)
		return;
	for (uint32_t i = first; i <= last; i++)
		if (item[i].kind == TW_ITEM_STALL && verdict[i].cause == TW_CAUSE_SENDER_APP)
			verdict[i] = (struct tw_verdict){ .cause = TW_CAUSE_PACING, .confidence = 65 };
}

void tw_judge_paced(const struct tw_item *item, uint32_t count, struct tw_verdict *verdict)
{
	uint32_t first = 0, last = 0, n = 0;
	int64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		int64_t gap;

		if (item[i].kind != TW_ITEM_STALL)
			continue;
		gap = item[i].stall.to - item[i].stall.from;
		if (is_candidate(&item[i], &verdict[i]) && n && is_alike(gap, sum, n)) {
			last = i;
			n++;
			sum += gap;
			continue;
		}
		end_run(item, first, last, n, verdict);
		n = is_candidate(&item[i], &verdict[i]);
		first = last = i;
		sum = gap;
	}
	end_run(item, first, last, n, verdict);
}
