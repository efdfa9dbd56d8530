/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A policer drops what exceeds its rate instead of queueing it: losses come while no queue stands, and
 * from one to the next the path delivers the same rate, whatever it lets through at once (Flach et
 * al., "An Internet-Wide Analysis of Traffic Policing", 2016). Where its bucket is small beside the path, the
 * rate is never reached, and losses come at one flight.
 */
#include "finding/loss_pattern.h"

static const struct {
	double share; /* of the time that its losses cost */
} limits = { .share = 0.05 };

static void describe(const struct tw_case *c, int side, const struct tw_hosts *hosts,
		     struct tw_finding *out)
{
	const struct tw_direction_bill *bill = &c->bill->direction[side];
	const struct tw_loss_figures *l = &bill->losses;
	double most = bill->best_rate_bps;

	tw_say(out->text,
	       "Segments of %s were lost while no queue stood: the data just before each loss had taken %s, "
	       "and %s is the least.",
	       hosts->sender, tw_duration(tw_whole(l->rtt.mid)).s,
	       tw_duration(tw_least_rtt(c, side)).s);
	if (tw_losses_share_rate(c, side)) {
		tw_say(out->text, " From one of the %s to the next the path delivered %s each time",
		       tw_counted(l->n, "loss episode").s, tw_rate(l->rate.mid).s);
		if (most > l->rate.mid)
			tw_say(out->text, ", though for a moment %s", tw_rate(most).s);
		tw_say(out->text, ": a policer of that rate, which drops what exceeds it.");
		return;
	}
	tw_say(out->text,
	       " At most of the %s %s to %s were outstanding: more than a policer's bucket holds, or a "
	       "buffer too small to show in the delay.",
	       tw_counted(l->n, "loss episode").s, tw_size((uint64_t)tw_whole(l->flight.low)).s,
	       tw_size((uint64_t)tw_whole(l->flight.high)).s);
}

static void write_fix(const struct tw_case *c, int side, const struct tw_hosts *hosts,
		      struct tw_finding *out)
{
	const struct tw_loss_figures *l = &c->bill->direction[side].losses;

	tw_say(out->fix,
	       "in the network from %s to %s: a higher rate, or a shaper instead of the policer (it queues "
	       "what exceeds the rate), or a bucket of a round trip's worth at the least. On %s: ",
	       hosts->sender, hosts->receiver, hosts->sender);
	if (tw_losses_share_rate(c, side))
		tw_say(out->fix,
		       "stay under the rate, tc qdisc replace dev DEVICE root fq maxrate %.0fkbit or "
		       "setsockopt SO_MAX_PACING_RATE, or ",
		       l->rate.mid * 0.95 / 1e3);
	tw_say(out->fix, "sysctl -w net.ipv4.tcp_congestion_control=bbr, which paces");
}

bool tw_find_policer(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_loss_figures *l = &c->bill->direction[side].losses;
	struct tw_claim claim;
	struct tw_hosts hosts;

	if (tw_loss_pattern(c, side) != TW_LOSS_POLICED)
		return false;
	claim = tw_loss_claim(c, side);
	if (!claim.n_rows || tw_share(c, claim.ns) < limits.share)
		return false;
	tw_claim_settle(&claim, c, out);
	out->party = TW_PARTY_NETWORK;
	out->confidence = tw_losses_share_rate(c, side) ? 0.85 : 0.65;
	tw_hosts_name(c, side, &hosts);
	describe(c, side, &hosts, out);
	tw_say_cost(out->text, c, claim.ns);
	write_fix(c, side, &hosts, out);
	tw_evidence_marks(out, &l->begun, TW_MARKS, "a recovery began");
	return true;
}
