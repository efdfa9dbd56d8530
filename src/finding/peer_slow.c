/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server's program takes its time between a request and the reply. Only the server answers: a
 * client's pauses before it asks again are its user's, or sender-idle's.
 */
#include "finding/detect.h"

static const struct {
	double share; /* of the time */
	int64_t ns;   /* and at least so long in all: less nobody would notice */
} limits = { .share = 0.05, .ns = 50 * TW_MS };

bool tw_find_peer_slow(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_SENDER_APP, side);
	const struct tw_direction_bill *bill = &c->bill->direction[side];
	struct tw_hosts hosts;
	int64_t ns = bill->think_ns < claim.ns ? bill->think_ns : claim.ns;

	if (side != 1 || !claim.n_rows || !bill->turns || ns < limits.ns ||
	    tw_share(c, ns) < limits.share)
		return false;
	tw_claim_cut(&claim, ns);
	tw_claim_settle(&claim, c, out);
	/* Who serves was guessed, and with it who answers. */
	if (c->connection->client_guessed && out->confidence > 0.75)
		out->confidence = 0.75;
	tw_hosts_name(c, side, &hosts);

	if (bill->turns == 1)
		tw_say(out->text, "The program on %s took %s before it answered", hosts.sender,
		       tw_duration(ns).s);
	else
		tw_say(out->text,
		       "The program on %s took %s on average before each of its %s answers, %s at "
		       "the longest",
		       hosts.sender, tw_duration(tw_mean(ns, bill->turns)).s,
		       tw_count(bill->turns).s, tw_duration(bill->think_longest_ns).s);
	if (bill->think_packet)
		tw_say(out->text, " (packet %s ends %s)", tw_count(bill->think_packet).s,
		       bill->turns == 1 ? "it" : "that wait");
	tw_say(out->text, ", round trip and acknowledgements not counted.");
	tw_say_cost(out->text, c, ns);

	tw_say(out->fix,
	       "on %s: in the program that answers, or what it asks in turn (database, name "
	       "service, disk); no TCP setting cures it. Profile it between the request's arrival "
	       "and the reply (strace -f -T -p PID, perf trace -p PID). On %s: ask for several "
	       "things at once, so that their waits overlap",
	       hosts.sender, hosts.receiver);

	tw_evidence_add(out, bill->think_packet, bill->think_at, "the answer that took longest, %s",
			tw_duration(bill->think_longest_ns).s);
	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES; i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		if (x->is_turn)
			tw_evidence_add(out, x->packet_to, x->to, "an answer after %s",
					tw_duration(tw_span(x->from, x->to)).s);
	}
	return true;
}
