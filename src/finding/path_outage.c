/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The path carried nothing for a while: timers sent the same data again, more than once, and nothing
 * came back. Afterwards the sender goes on when its timer, doubled each time (RFC 6298 section 5.5),
 * runs out next: up to as long again as the outage was.
 */
#include "finding/detect.h"

static void describe(const struct tw_case *c, int side, const struct tw_hosts *hosts,
		     const struct tw_claim *claim, struct tw_finding *out)
{
	const struct tw_interval *longest = tw_claim_longest(claim);
	uint64_t timers = c->connection->direction[side].resends[TW_RESEND_RTO_BACKOFF].count;
	bool many = claim->intervals != 1;

	tw_say(out->text, "%s the path between %s and %s carried nothing for %s%s",
	       many ? tw_counted(claim->intervals, "time").s : "Once", hosts->sender,
	       hosts->receiver, tw_duration(tw_mean(claim->ns, claim->intervals)).s,
	       many ? " on average" : "");
	tw_say_longest(out->text, claim);
	tw_say(out->text, ", with %s unacknowledged",
	       longest ? tw_size(longest->outstanding).s : "data");
	if (timers)
		tw_say(out->text, ": timers of %s sent the same data again, and no packet answered "
		       "until one of these came through",
		       hosts->sender);
	else
		tw_say(out->text,
		       ": packets that %s sent meanwhile did not come here (the IPv4 identification counts them)",
		       hosts->sender);
	tw_say(out->text,
	       ". The last part of that is the timer, which doubles each time and does not notice "
	       "that the path is back.");
}

bool tw_find_path_outage(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_PATH_OUTAGE, side);
	struct tw_hosts hosts;

	if (!claim.n_rows || !claim.intervals)
		return false;
	tw_claim_settle(&claim, c, out);
	tw_hosts_name(c, side, &hosts);
	describe(c, side, &hosts, &claim, out);
	tw_say_cost(out->text, c, claim.ns);

	tw_say(out->fix,
	       "between %s and %s: find what was down then (ip -s link, ip monitor, the logs of "
	       "switches, routers and firewalls: a link that flapped, a route or failover that took "
	       "its time, a firewall that lost its table, a radio out of reach; or %s itself stood "
	       "still). For small messages on %s: sysctl -w net.ipv4.tcp_thin_linear_timeouts=1, so "
	       "that the timer does not double at once and finds the path back sooner",
	       hosts.sender, hosts.receiver, hosts.receiver, hosts.sender);

	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_FINDING_EVIDENCE / 2; i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		tw_evidence_add(out, x->packet_from, x->from, "the last before the silence");
		tw_evidence_add(out, x->packet_to, x->to, "what ended it, %s later",
				tw_duration(tw_span(x->from, x->to)).s);
	}
	return true;
}
