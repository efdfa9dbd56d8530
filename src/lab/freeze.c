/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/freeze.h"

int64_t tw_freeze_thaw(const struct tw_freeze *freeze, int64_t at)
{
	int64_t every = freeze->every ? freeze->every : TW_FREEZE_EVERY, into;

	if (!freeze->length || at < 0)
		return at;
	if (every <= freeze->length)
		every = freeze->length + 1; /* never to move is an outage */
	into = at % every;
	return into < every - freeze->length ? at : at - into + every;
}
