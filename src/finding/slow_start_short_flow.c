/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transfer was over before its congestion window had grown to what the path carries. Nothing
 * is broken, hence information; a wider start, or a connection that is wide already, saves round
 * trips.
 */
#include "finding/detect.h"

static const struct {
	double share;      /* of the time */
	int64_t ns;        /* on a LAN slow start takes no time worth a word */
	uint64_t segments; /* the initial window of RFC 6928: less went out at once */
	double growing;    /* of the rounds; else the transfer outlived its slow start */
} limits = { .share = 0.3, .ns = 20 * TW_MS, .segments = 10, .growing = 0.5 };

bool tw_find_slow_start_short_flow(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_SLOW_START, side);
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	const struct tw_direction_bill *bill = &c->bill->direction[side];
	int64_t rtt = tw_least_rtt(c, side);
	struct tw_hosts hosts;

	if (!claim.n_rows || claim.ns < limits.ns || tw_share(c, claim.ns) < limits.share ||
	    sent->unique_bytes <= limits.segments * tw_mss(sent))
		return false;
	if (sent->phase_last != TW_PHASE_SLOW_START &&
	    (double)bill->rounds_grown < limits.growing * (double)bill->rounds)
		return false;
	tw_claim_settle(&claim, c, out);
	tw_hosts_name(c, side, &hosts);

	tw_say(out->text, "%s sent %s to %s", hosts.sender, tw_size(sent->unique_bytes).s,
	       hosts.receiver);
	if (bill->rounds)
		tw_say(out->text,
		       " in %s of data; in %s of them the flight still grew, to %s at the most",
		       tw_counted(bill->rounds, "round").s, tw_count(bill->rounds_grown).s,
		       tw_size(sent->flight_max).s);
	tw_say(out->text, ".");
	if (rtt)
		tw_say(out->text, " Each doubling of the window takes a round trip, %s.",
		       tw_duration(rtt).s);
	tw_say_cost(out->text, c, claim.ns);

	tw_say(out->fix,
	       "in the program on %s: send over a connection that is already open and warm, with "
	       "sysctl -w net.ipv4.tcp_slow_start_after_idle=0 to keep its window over pauses. Or "
	       "start wider: ",
	       hosts.sender);
	tw_say_route(out->fix, hosts.receiver_address, "initcwnd 30");
	tw_say(out->fix, " on %s, with initrwnd 30 on the route back of %s", hosts.sender,
	       hosts.receiver);

	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES; i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		tw_evidence_add(out, x->packet_from, x->from, "the flight grows from here for %s",
				tw_duration(tw_span(x->from, x->to)).s);
	}
	return true;
}
