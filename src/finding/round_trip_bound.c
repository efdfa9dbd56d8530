/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One message per round trip: each side waits for the other before it speaks again. The path's
 * delay cannot be cured, but how often it is waited for can. Both sides' halves of the round trips
 * are one finding, reported for the side that was charged more of it.
 */
#include "finding/detect.h"

static const struct {
	double share;       /* of the time: it must be what the connection mostly does */
	uint64_t exchanges; /* fewer are a handshake and a request or two, which nobody can batch */
	int64_t ns;         /* less nobody would notice */
} limits = { .share = 0.3, .exchanges = 5, .ns = 20 * TW_MS };

static int64_t charged(const struct tw_case *c, int side)
{
	const struct tw_bill_row *row = tw_bill_row(c->bill, TW_CAUSE_ROUND_TRIP, side);

	return row ? row->ns : 0;
}

bool tw_find_round_trip_bound(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_direction_bill *bills = c->bill->direction;
	const struct tw_direction_summary *ends = c->connection->direction;
	/* A request and its reply change the speaker twice: the exchanges are one side's turns. */
	uint64_t n = bills[0].turns > bills[1].turns ? bills[0].turns : bills[1].turns;
	int64_t mine = charged(c, side), other = charged(c, !side);
	int64_t rtt = tw_least_rtt(c, side);
	struct tw_claim claim = { 0 };
	struct tw_hosts hosts;

	if (n < limits.exchanges || mine < other || (mine == other && side != 1))
		return false;
	tw_claim_add(&claim, c, TW_CAUSE_ROUND_TRIP, side);
	tw_claim_add(&claim, c, TW_CAUSE_ROUND_TRIP, !side);
	if (claim.ns < limits.ns || tw_share(c, claim.ns) < limits.share)
		return false;
	tw_claim_settle(&claim, c, out);
	/*
	 * Removing the cause would mean a path without delay. What can be had is one round trip for
	 * all the messages instead of one for each.
	 */
	tw_set_saving(c, tw_part(claim.ns, (double)(n - 1) / (double)n), out);
	out->at_least = false;
	tw_hosts_name(c, 0, &hosts);

	tw_say(out->text,
	       "%s and %s took turns %s, one message under way at a time (on average %s there and "
	       "%s back); each exchange waits for a round trip",
	       hosts.sender, hosts.receiver, tw_often(n).s, tw_size(ends[0].unique_bytes / n).s,
	       tw_size(ends[1].unique_bytes / n).s);
	if (rtt)
		tw_say(out->text, ", %s at the least", tw_duration(rtt).s);
	tw_say(out->text, ".");
	tw_say_cost(out->text, c, claim.ns);
	tw_say(out->text,
	       " The saving is that of all messages under way at once, as far as none needs the "
	       "answer to the one before.");

	tw_say(out->fix,
	       "in the programs on %s and %s: send the next requests before the replies arrive "
	       "(pipelining, asynchronous calls, several connections), or ask for more at a time "
	       "(batches, larger messages); else move the two closer together. No TCP setting "
	       "shortens the path",
	       hosts.sender, hosts.receiver);

	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES; i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		tw_evidence_add(out, x->packet_to, x->to, "speaks %s after the other side",
				tw_duration(tw_span(x->from, x->to)).s);
	}
	return true;
}
