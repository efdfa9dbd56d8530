/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One segment alone in flight waits for the receiver's delayed-ACK timer: a second full-sized one
 * would have been acknowledged at once (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2).
 */
#include "finding/detect.h"

static const struct {
	double share;       /* of the time: below it nobody would notice */
	uint64_t intervals; /* so many are a pattern: the share of the busy time will do */
	int64_t longest_ns; /* RFC 9293: under 0.5 s, and a tick of a coarse timer more */
} limits = { .share = 0.01, .intervals = 3, .longest_ns = 550 * TW_MS };

bool tw_find_delayed_ack_timer(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_DELAYED_ACK, side);
	int64_t rtt = tw_least_rtt(c, side);
	const struct tw_interval *longest;
	struct tw_hosts hosts;

	if (!claim.n_rows || !claim.intervals ||
	    (tw_share(c, claim.ns) < limits.share &&
	     (claim.intervals < limits.intervals || tw_busy_share(c, claim.ns) < limits.share)))
		return false;
	tw_claim_settle(&claim, c, out);
	tw_hosts_name(c, side, &hosts);
	longest = tw_claim_longest(&claim);

	tw_say(out->text,
	       "%s a segment of %s was alone in flight, and %s acknowledged it only after %s",
	       claim.intervals == 1 ? "Once" : tw_counted(claim.intervals, "time").s, hosts.sender,
	       hosts.receiver, tw_duration(tw_mean(claim.ns, claim.intervals)).s);
	if (claim.intervals > 1)
		tw_say(out->text, " on average");
	if (longest) {
		tw_say(out->text, " (%s", claim.intervals > 1 ? "the longest " : "");
		if (claim.intervals > 1)
			tw_say(out->text, "%s, ",
			       tw_duration(tw_span(longest->from, longest->to)).s);
		/* What ended the wait follows the lone segment, all that was outstanding. */
		if (longest->outstanding && longest->seq_from > longest->outstanding)
			tw_say(out->text, "bytes %llu:%llu, ",
			       (unsigned long long)longest->seq_from - longest->outstanding,
			       (unsigned long long)longest->seq_from);
		tw_say(out->text, "packets %s to %s)", tw_count(longest->packet_from).s,
		       tw_count(longest->packet_to).s);
	}
	if (rtt)
		tw_say(out->text, "; the round trip is %s", tw_duration(rtt).s);
	tw_say(out->text, ". A second full-sized segment behind it would have been acknowledged "
			  "at once.");
	tw_say_cost(out->text, c, claim.ns);
	/* A timer that RFC 9293 forbids is more likely something else that held up the host. */
	if (tw_mean(claim.ns, claim.intervals) > limits.longest_ns + rtt) {
		if (out->confidence > 0.5)
			out->confidence = 0.5;
		tw_say(out->text,
		       " No delayed-ACK timer may run for 0.5 s or more: the host may have been "
		       "busy instead.");
	}

	tw_say(out->fix, "on %s: set TCP_QUICKACK after every read (the kernel takes it back), or ",
	       hosts.receiver);
	tw_say_route(out->fix, hosts.sender_address, "quickack 1");
	tw_say(out->fix,
	       ". On %s: keep two full-sized segments or more in flight, by larger writes and a "
	       "larger send buffer and initial window",
	       hosts.sender);

	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES; i++)
		tw_evidence_release(out, &claim.row[0]->example[i], "the segment's ACK,");
	return true;
}
