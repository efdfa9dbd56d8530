/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receiving program leaves data unread: its host closes the window, shrinks it, or, as Linux
 * does with a slow reader, withholds the ACK so that the window need never close.
 */
#include "finding/detect.h"

static const struct {
	double share;          /* of the time */
	int64_t ns;            /* or so long: a visible wait even in a long connection */
	double closed_share;   /* time with the window at 0, which is proof in itself */
	uint64_t closed_count; /* or so many closings: the reader keeps falling behind */
} limits = { .share = 0.05, .ns = 500 * TW_MS, .closed_share = 0.01, .closed_count = 10 };

static bool fires(const struct tw_case *c, const struct tw_direction_summary *sent,
		  const struct tw_claim *claim)
{
	if (claim->n_rows && (tw_share(c, claim->ns) >= limits.share || claim->ns >= limits.ns))
		return true;
	if (!sent->zero_windows.count)
		return false;
	return sent->zero_windows.count >= limits.closed_count ||
	       tw_share(c, sent->zero_window_ns) >= limits.closed_share;
}

bool tw_find_receiver_not_reading(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	const struct tw_marks *probes = &sent->resends[TW_RESEND_PERSIST];
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_RECEIVER_APP, side);
	const struct tw_interval *longest = tw_claim_longest(&claim);
	uint64_t closed = sent->zero_windows.count;
	struct tw_hosts hosts;

	if (!fires(c, sent, &claim))
		return false;
	out->party = TW_PARTY_RECEIVING_APPLICATION;
	tw_claim_settle(&claim, c, out);
	tw_hosts_name(c, side, &hosts);
	if (closed) {
		if (out->confidence < 0.9)
			out->confidence = 0.9; /* a window of 0 says it in so many words */
		tw_say(out->text, "%s announced a receive window of 0 in %s, closed for %s in all",
		       hosts.receiver, tw_counted(closed, "packet").s,
		       tw_duration(sent->zero_window_ns).s);
		if (probes->count)
			tw_say(out->text, "; %s probed it %s", hosts.sender,
			       tw_often(probes->count).s);
		tw_say(out->text, ". Its program left what had arrived unread.");
	} else {
		tw_say(out->text,
		       "%s kept back its ACKs or its window longer than the path explains, in %s",
		       hosts.receiver,
		       claim.rounds ? tw_counted(claim.rounds, "round").s :
				      tw_counted(claim.intervals, "stall").s);
		tw_say(out->text, "%s",
		       out->confidence < 0.6 ? ", which is consistent with a program that leaves "
					       "what has arrived unread." :
					       ": its program left what had arrived unread.");
		tw_say(out->text, " (Linux withholds the ACK of a slow reader; the window need "
				  "never close.)");
	}
	if (claim.n_rows)
		tw_say_cost(out->text, c, claim.ns);
	if (longest)
		tw_say(out->text, " The longest stretch was %s (packets %s to %s).",
		       tw_duration(tw_span(longest->from, longest->to)).s,
		       tw_count(longest->packet_from).s, tw_count(longest->packet_to).s);

	tw_say(out->fix,
	       "on %s: in the program; no TCP setting cures it, and a larger buffer only puts it "
	       "off. See what it waits for (strace -f -T -e trace=network,desc -p PID, perf trace "
	       "-p PID), read 64 kB or more at a time, and read in another thread than the one "
	       "that writes to disk or computes",
	       hosts.receiver);

	tw_evidence_marks(out, &sent->zero_windows, 3, "window 0");
	for (unsigned i = 0; claim.n_rows && i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES;
	     i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		tw_evidence_add(out, x->packet_to, x->to, "goes on after %s",
				tw_duration(tw_span(x->from, x->to)).s);
	}
	return true;
}
