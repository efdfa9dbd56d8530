/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host stood still: its kernel, not a program of it. Nothing was lost, no window was shut, and yet
 * nothing came of it for far longer than a round trip; then all at once.
 */
#include "finding/detect.h"

#include <ctype.h>

static const struct {
	double share;   /* of the time */
	int64_t ns;     /* or so long in all */
	double certain; /* below that the packets were held, by the host or on the last of the path */
} limits = { .share = 0.02, .ns = 200 * TW_MS, .certain = 0.6 };

static void describe(const struct tw_claim *claim, const struct tw_hosts *hosts, struct tw_finding *out)
{
	tw_say(out->text, "%s %s %s%s", tw_often(claim->intervals).s,
	       claim->confidence >= limits.certain ? "nothing came of the kernel of" :
						     "packets were held back at, or on their way to,",
	       hosts->sender, claim->confidence >= limits.certain ? "" : ",");
	out->text[0] = (char)toupper((unsigned char)out->text[0]);
	tw_say(out->text, " for %s%s", tw_duration(tw_mean(claim->ns, claim->intervals)).s,
	       claim->intervals != 1 ? " on average" : "");
	tw_say_longest(out->text, claim);
	if (claim->confidence >= limits.certain)
		tw_say(out->text,
		       ", though what it had to answer had reached it: by the clocks in the packets it then "
		       "answered all at once, and nothing was lost.");
	else
		tw_say(out->text,
		       ": by the clocks in them they had been sent in time, and then all came at once, none "
		       "lost. A capture on a host that stands still cannot show more.");
}

bool tw_find_host_slow(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_HOST_SLOW, side);
	struct tw_hosts hosts;

	if (!claim.n_rows || !claim.intervals ||
	    (tw_share(c, claim.ns) < limits.share && claim.ns < limits.ns))
		return false;
	tw_claim_settle(&claim, c, out);
	tw_hosts_name(c, side, &hosts);
	describe(&claim, &hosts, out);
	tw_say_cost(out->text, c, claim.ns);

	tw_say(out->fix,
	       "on %s: see whether it is paused or starved: a virtual machine's stolen time (vmstat 1, "
	       "column st; its CPU quota, live migration, snapshots), the kernel log (soft lockup, RCU stall, "
	       "clocksource), mpstat -P ALL 1 (%%irq, %%soft of one processor at 100), "
	       "/proc/net/softnet_stat (third column: squeezed), ethtool -c DEVICE (interrupt "
	       "coalescing). If it is none of these, a radio or tunnel at its end of the path holds packets",
	       hosts.sender_address);

	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_FINDING_EVIDENCE / 2; i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		tw_evidence_add(out, x->packet_from, x->from, "the last before it");
		tw_evidence_add(out, x->packet_to, x->to, "what came %s later",
				tw_duration(tw_span(x->from, x->to)).s);
	}
	return true;
}
