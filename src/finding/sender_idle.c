/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sending program leaves the connection idle in the middle of its own data. Time that a
 * program takes before it answers is peer-slow's; the two never claim the same time. A client's
 * pauses between a reply and its next request are claimed here, but only where they look like a
 * program's loop: a person's pauses are no fault.
 */
#include "finding/detect.h"

static const struct {
	double share;         /* of the time */
	int64_t ns;           /* and at least so long: less nobody would notice */
	uint64_t bulk;        /* bytes a turn; under three initial windows (RFC 6928) no transfer */
	uint64_t loop_turns;  /* so many requests one after another, */
	int64_t loop_mean_ns; /* after so short a pause on average and */
	int64_t loop_longest_ns; /* at the longest, are a program's: nobody types so fast */
} limits = {
	.share = 0.05,
	.ns = 50 * TW_MS,
	.bulk = 30 * TW_DEFAULT_MSS,
	.loop_turns = 20,
	.loop_mean_ns = 100 * TW_MS,
	.loop_longest_ns = TW_SECOND,
};

/* `ns` where it is worth a finding, else 0. */
static int64_t worthy(const struct tw_case *c, int64_t ns)
{
	return ns >= limits.ns && tw_share(c, ns) >= limits.share ? ns : 0;
}

/* The pauses amid much data that this side sends without being asked again. */
static int64_t idle_in_bulk(const struct tw_case *c, int side, const struct tw_claim *claim)
{
	uint64_t bytes = c->connection->direction[side].unique_bytes;
	uint64_t turns = c->bill->direction[side].turns;

	if (side != c->connection->main_direction || bytes / (turns ? turns : 1) < limits.bulk)
		return 0;
	return worthy(c, tw_span(c->bill->direction[side].think_ns, claim->ns));
}

/* The client's pauses before its next request, where a program's loop makes them. */
static int64_t idle_in_loop(const struct tw_case *c, int side, const struct tw_claim *claim)
{
	const struct tw_direction_bill *bill = &c->bill->direction[side];

	if (side != 0 || bill->turns < limits.loop_turns || bill->think_ns > claim->ns ||
	    bill->think_longest_ns > limits.loop_longest_ns ||
	    tw_mean(bill->think_ns, bill->turns) > limits.loop_mean_ns)
		return 0;
	return worthy(c, bill->think_ns);
}

bool tw_find_sender_idle(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_SENDER_APP, side);
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	const struct tw_direction_bill *bill = &c->bill->direction[side];
	int64_t bulk, loop;
	struct tw_hosts hosts;

	if (!claim.n_rows)
		return false;
	bulk = idle_in_bulk(c, side, &claim);
	loop = idle_in_loop(c, side, &claim);
	if (!bulk && !loop)
		return false;
	tw_claim_cut(&claim, bulk + loop);
	/* Pauses that something else would have filled: with them away nothing is gained. */
	if (tw_claim_saves(&claim, c) < limits.ns)
		return false;
	tw_claim_settle(&claim, c, out);
	tw_hosts_name(c, side, &hosts);
	if (bulk)
		tw_say(out->text,
		       "The program on %s left the connection idle for %s amid the %s that it "
		       "sent, with room in the receive window. ",
		       hosts.sender, tw_duration(bulk).s, tw_size(sent->unique_bytes).s);
	if (loop)
		tw_say(out->text,
		       "The program on %s let %s pass on average between a reply and its next "
		       "request, %s times, %s at the longest. ",
		       hosts.sender, tw_duration(tw_mean(bill->think_ns, bill->turns)).s,
		       tw_count(bill->turns).s, tw_duration(bill->think_longest_ns).s);
	tw_say(out->text, "That is %s of the time.", tw_percent(tw_share(c, claim.ns)).s);

	tw_say(out->fix,
	       "on %s: in the program; no TCP setting cures it. See what it waits for between "
	       "writes (strace -f -T -p PID, perf trace -p PID, iostat -x 1); prepare the next "
	       "data in another thread while the last is sent, and hand over 64 kB or more at a "
	       "time",
	       hosts.sender);

	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES; i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		if (x->is_turn ? loop > 0 : bulk > 0)
			tw_evidence_add(out, x->packet_to, x->to, "sends again after %s",
					tw_duration(tw_span(x->from, x->to)).s);
	}
	return true;
}
