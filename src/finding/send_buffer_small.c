/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The send buffer holds less than the path does: the sender runs dry each round and goes on only
 * when an ACK makes room for the next write. On the wire this is inferred, so it is said as such.
 */
#include "finding/detect.h"

static const struct {
	double share;    /* of the time */
	uint64_t rounds; /* the flight must have stood still for a few rounds */
	double inferred; /* the most confidence without the kernel's own figures */
	double weak;     /* confidence under which it must be what mostly happened, and */
	double mostly;   /* take this share of the time: a few rounds may be anything */
} limits = { .share = 0.05, .rounds = 3, .inferred = 0.85, .weak = 0.6, .mostly = 0.25 };

static bool fires(const struct tw_case *c, int side, const struct tw_claim *claim)
{
	const struct tw_bill_row *pacing = tw_bill_row(c->bill, TW_CAUSE_PACING, side);
	double share = tw_share(c, claim->ns);

	if (!claim->n_rows || share < limits.share ||
	    (claim->rounds < limits.rounds && claim->intervals < limits.rounds))
		return false;
	/* A sender that paces itself looks like one that runs dry, and the other way round. */
	if (claim->confidence < limits.weak)
		return share >= limits.mostly && !(pacing && pacing->ns > claim->ns);
	return true;
}

bool tw_find_send_buffer_small(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_SEND_BUFFER, side);
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	const struct tw_direction_bill *bill = &c->bill->direction[side];
	int64_t rtt = tw_least_rtt(c, side);
	uint64_t path_bytes = tw_path_bytes(bill->capacity_bps, rtt);
	uint64_t flight = bill->flight_p90 ? bill->flight_p90 : sent->flight_max;
	struct tw_hosts hosts;

	if (!flight || !fires(c, side, &claim))
		return false;
	tw_claim_settle(&claim, c, out);
	if (!sent->sample.n && out->confidence > limits.inferred)
		out->confidence = limits.inferred;
	tw_hosts_name(c, side, &hosts);

	tw_say(out->text, "%s had %s or less in flight in nine rounds of ten", hosts.sender,
	       tw_size(flight).s);
	if (sent->window_max > flight)
		tw_say(out->text, " although %s allowed up to %s", hosts.receiver,
		       tw_size(sent->window_max).s);
	if (!sent->losses.count)
		tw_say(out->text, " and nothing was lost");
	tw_say(out->text, out->confidence < 0.6 ?
				  ", which is consistent with a send buffer that holds no more." :
				  ": its send buffer held no more, and the program could write "
				  "only as ACKs made room.");
	if (rtt)
		tw_say(out->text, " With a round trip of %s that is %s at best.",
		       tw_duration(rtt).s, tw_rate((double)flight * 8e9 / (double)rtt).s);
	if (path_bytes > flight)
		tw_say(out->text, " The path's %s would hold %s.", tw_rate(bill->capacity_bps).s,
		       tw_size(path_bytes).s);
	tw_say_cost(out->text, c, claim.ns);

	tw_say(out->fix,
	       "on %s: leave SO_SNDBUF unset, since setting it ends the kernel's autotuning, and "
	       "see that the third value of net.ipv4.tcp_wmem is ",
	       hosts.sender);
	/* The kernel keeps data until it is acknowledged, and counts its own overhead with it. */
	if (path_bytes > flight)
		tw_say(out->fix, "at least %s bytes", tw_count(2 * path_bytes).s);
	else
		tw_say(out->fix, "at least 2 x the rate wanted x the round trip");
	tw_say(out->fix,
	       "; or raise SO_SNDBUF and net.core.wmem_max above it. If the program sets "
	       "TCP_NOTSENT_LOWAT or writes less than a flight at a time, raise that too");

	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES; i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		tw_evidence_add(out, x->packet_from, x->from, "%s outstanding and no more, for %s",
				tw_size(x->outstanding).s, tw_duration(tw_span(x->from, x->to)).s);
	}
	return true;
}
