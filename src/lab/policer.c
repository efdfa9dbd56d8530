/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/policer.h"

/* A bit in the unit of the bucket: `rate` of these units come each ns. */
static const uint64_t bit = 1000000000;

enum { BURST_LEAST = 2 * 1514, BURST_MOST = 1 << 30 };

void tw_policer_init(struct tw_policer *policer, int64_t rate, int64_t burst)
{
	if (!burst) {
		burst = rate / 8 / 100;
		if (burst < BURST_LEAST)
			burst = BURST_LEAST;
	}
	if (burst > BURST_MOST)
		burst = BURST_MOST;
	*policer = (struct tw_policer){
		.rate = (uint64_t)rate,
		.full = (uint64_t)burst * 8 * bit,
		.at = INT64_MIN,
	};
	policer->tokens = policer->full;
}

bool tw_policer_admits(struct tw_policer *policer, int64_t now, uint32_t n)
{
	uint64_t elapsed = (uint64_t)now - (uint64_t)policer->at, cost = (uint64_t)n * 8 * bit;

	if (!policer->rate)
		return true;
	policer->at = now;
	if (elapsed > policer->full / policer->rate)
		policer->tokens = policer->full;
	else
		policer->tokens += elapsed * policer->rate;
	if (policer->tokens > policer->full)
		policer->tokens = policer->full;
	if (cost > policer->tokens)
		return false;
	policer->tokens -= cost;
	return true;
}
