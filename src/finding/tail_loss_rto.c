/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last segments of a burst were lost. No segment behind them made the receiver report it, so
 * that only a timer could: the retransmission timer (RFC 6298) or a tail-loss probe (RFC 8985).
 */
#include "finding/detect.h"

static const struct {
	double share; /* of the time */
	int64_t ns;   /* or so long in all: a visible wait */
} limits = { .share = 0.01, .ns = 150 * TW_MS };

bool tw_find_tail_loss_rto(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_TAIL_LOSS, side);
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	uint64_t probes = sent->resends[TW_RESEND_TLP].count;
	int64_t rtt = tw_least_rtt(c, side);
	const struct tw_interval *longest;
	struct tw_hosts hosts;
	bool many;

	if (!claim.n_rows || !claim.intervals ||
	    (tw_share(c, claim.ns) < limits.share && claim.ns < limits.ns))
		return false;
	tw_claim_settle(&claim, c, out);
	tw_hosts_name(c, side, &hosts);
	longest = tw_claim_longest(&claim);
	many = claim.intervals != 1;

	tw_say(out->text,
	       "%s the end of a burst from %s was lost, with nothing behind it to tell of the "
	       "loss; %s waited %s%s for a timer",
	       many ? tw_counted(claim.intervals, "time").s : "Once", hosts.sender, hosts.sender,
	       tw_duration(tw_mean(claim.ns, claim.intervals)).s, many ? " on average" : "");
	if (longest)
		tw_say(out->text, " (%s%s%spackets %s to %s)", many ? "the longest " : "",
		       many ? tw_duration(tw_span(longest->from, longest->to)).s : "",
		       many ? ", " : "", tw_count(longest->packet_from).s,
		       tw_count(longest->packet_to).s);
	if (rtt)
		tw_say(out->text, "; the round trip is %s", tw_duration(rtt).s);
	tw_say(out->text, ".");
	if (probes)
		tw_say(out->text, " %s of the resends in this direction %s tail-loss probe%s.",
		       tw_count(probes).s, probes == 1 ? "was a" : "were", probes == 1 ? "" : "s");
	tw_say_cost(out->text, c, claim.ns);

	if (!probes)
		tw_say(out->fix,
		       "on %s: tail-loss probes, sysctl -w net.ipv4.tcp_early_retrans=3, with "
		       "net.ipv4.tcp_sack=1 on both hosts. ",
		       hosts.sender);
	/* Linux delays an ACK for 40 ms at the least: a floor under that would fire for nothing. */
	tw_say(out->fix, "%s %s, where the path's delay is steady, a lower floor under the timer: ",
	       probes ? "on" : "On", hosts.sender);
	tw_say_route(out->fix, hosts.receiver_address, "rto_min 50ms");
	tw_say(out->fix,
	       ". The loss itself is cured in the network (ip -s link, ethtool -S, tc -s qdisc on "
	       "the way to %s)",
	       hosts.receiver);

	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES; i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		tw_evidence_add(out, x->packet_to, x->to,
				"sent again after %s of silence, %s outstanding",
				tw_duration(tw_span(x->from, x->to)).s, tw_size(x->outstanding).s);
	}
	return true;
}
