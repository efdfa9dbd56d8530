/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue that does not drain stands before the slowest link. The transfer itself runs at the
 * link's rate all the same, hence information; whatever shares the link waits as long.
 */
#include "finding/detect.h"

static const struct {
	uint64_t rounds; /* with a queue: fewer may be a burst, */
	double share;    /* and this part of all rounds: it stands, it does not come and go */
	int64_t ns;      /* CoDel's target, the standing queue that it allows (RFC 8289) */
	double of_rtt;   /* a smaller queue beside the path's own delay hurts nobody */
} limits = { .rounds = 8, .share = 0.2, .ns = 5 * TW_MS, .of_rtt = 0.25 };

bool tw_find_bottleneck_queue(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_direction_bill *bill = &c->bill->direction[side];
	int64_t rtt = tw_least_rtt(c, side), queue = bill->queue_median_ns;
	uint64_t held = tw_path_bytes(bill->capacity_bps, queue);
	struct tw_hosts hosts;

	if (bill->queue_rounds < limits.rounds || !rtt || queue < limits.ns ||
	    (double)bill->queue_rounds < limits.share * (double)bill->rounds ||
	    (double)queue < limits.of_rtt * (double)rtt)
		return false;
	/* The delay itself is measured; that it is this transfer's own queue is inferred. */
	out->confidence = bill->capacity_bps > 0 ? 0.9 : 0.75;
	out->party = TW_PARTY_NETWORK;
	tw_hosts_name(c, side, &hosts);

	tw_say(out->text,
	       "Data from %s to %s waited in a queue before the slowest link in %s of %s rounds: "
	       "%s in the median",
	       hosts.sender, hosts.receiver, tw_count(bill->queue_rounds).s,
	       tw_count(bill->rounds).s, tw_duration(queue).s);
	if (bill->queue_max_ns > queue)
		tw_say(out->text, ", up to %s", tw_duration(bill->queue_max_ns).s);
	tw_say(out->text, ", on top of a round trip of %s.", tw_duration(rtt).s);
	if (held)
		tw_say(out->text, " At the link's %s that is a standing queue of %s.",
		       tw_rate(bill->capacity_bps).s, tw_size(held).s);
	tw_say(out->text,
	       " This transfer gains nothing without it; everything else on that link waits as "
	       "long.");

	tw_say(out->fix,
	       "on the device that sends into the slowest link: tc qdisc replace dev DEVICE root "
	       "fq_codel (RFC 8290)");
	/* A shaper ahead of the queue must stay under the link's rate, or it never queues. */
	if (bill->capacity_bps > 0)
		tw_say(out->fix,
		       ", or on a router before it: tc qdisc replace dev DEVICE root cake "
		       "bandwidth %.0fkbit",
		       bill->capacity_bps * 0.95 / 1e3);
	tw_say(out->fix,
	       ". On %s: sysctl -w net.ipv4.tcp_congestion_control=bbr, which leaves most of the "
	       "queue empty",
	       hosts.sender);

	tw_evidence_add(out, bill->queue_packet, bill->queue_at, "the longest queue, %s",
			tw_duration(bill->queue_max_ns).s);
	return true;
}
