/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two sound rules that together cost a delayed-ACK timer per message: the sender keeps a small
 * segment back while an earlier one is unacknowledged (Nagle, RFC 9293 section 3.7.4), and the
 * receiver keeps that ACK back in the hope of something to send with it (section 3.8.6.3).
 */
#include "finding/detect.h"

static const struct {
	double share;       /* of the time: below it nobody would notice */
	uint64_t intervals; /* so many are a pattern: the share of the busy time will do */
	uint64_t sure; /* with fewer, one late ACK may be chance; BSD's Nagle asks for three, too */
} limits = { .share = 0.01, .intervals = 3, .sure = 3 };

bool tw_find_nagle_delayed_ack(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_NAGLE_DELAYED_ACK, side);
	struct tw_hosts hosts;
	bool many;

	if (!claim.n_rows || !claim.intervals ||
	    (tw_share(c, claim.ns) < limits.share &&
	     (claim.intervals < limits.intervals || tw_busy_share(c, claim.ns) < limits.share)))
		return false;
	tw_claim_settle(&claim, c, out);
	if (claim.intervals < limits.sure && out->confidence > 0.55)
		out->confidence = 0.55;
	tw_hosts_name(c, side, &hosts);
	many = claim.intervals != 1;

	tw_say(out->text, "%s of %s waited %s%s for an ACK",
	       tw_counted(claim.intervals, "small segment").s, hosts.sender,
	       tw_duration(tw_mean(claim.ns, claim.intervals)).s, many ? " on average" : "");
	tw_say_longest(out->text, &claim);
	tw_say(out->text,
	       ". %s held %s back because an earlier small segment was unacknowledged (Nagle); %s "
	       "delayed the ACK of that one, having nothing to send with it.",
	       hosts.sender, many ? "each" : "it", hosts.receiver);
	tw_say_cost(out->text, c, claim.ns);

	tw_say(out->fix,
	       "on %s: setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)), or hand "
	       "over each message whole: one writev() or sendmsg(), or MSG_MORE (TCP_CORK) on all "
	       "parts but the last. Where only %s can be changed: TCP_QUICKACK after every read, "
	       "or ",
	       hosts.sender, hosts.receiver);
	tw_say_route(out->fix, hosts.sender_address, "quickack 1");

	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES; i++)
		tw_evidence_release(out, &claim.row[0]->example[i],
				    "this ACK let the held segment go,");
	return true;
}
