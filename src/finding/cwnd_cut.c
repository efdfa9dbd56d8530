/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's own samples show the congestion window cut, and its new size tells by what: the
 * figures of RFC 5681 are distinct. Information: what the cut cost is another finding's.
 */
#include "finding/detect.h"

static const struct {
	double full;          /* share of the congestion window that counts as filled */
	uint32_t inflation;   /* segments: cwnd = ssthresh + 3 SMSS (RFC 5681 section 3.2 step 3) */
	uint32_t loss_window; /* segments: cwnd after a timeout (RFC 5681 section 3.1) */
} limits = { .full = 0.95, .inflation = 3, .loss_window = 1 };

/* What RFC 5681 says of such a cut; the SMSS may lack the timestamps' 12 bytes. */
static void explain(const struct tw_sample_summary *s, uint32_t mss, struct tw_finding *out)
{
	struct tw_text ssthresh = tw_count(s->cut_ssthresh);

	if (s->cut_to == s->cut_ssthresh + (uint64_t)limits.inflation * mss)
		tw_say(out->text,
		       ": ssthresh, %s, and 3 segments of %s, as a fast retransmission sets it "
		       "after three duplicate ACKs (RFC 5681 section 3.2)",
		       ssthresh.s, tw_size(mss).s);
	else if (s->cut_to <= (uint64_t)limits.loss_window * mss)
		tw_say(out->text,
		       ", one segment, with ssthresh %s: a retransmission timeout (RFC 5681 "
		       "section 3.1)",
		       ssthresh.s);
	else if (s->cut_to <= s->cut_ssthresh)
		tw_say(out->text,
		       ", no more than ssthresh, %s: the end of a recovery, or an ECN mark",
		       ssthresh.s);
	else
		tw_say(out->text, ", with ssthresh %s", ssthresh.s);
}

bool tw_find_cwnd_cut(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	const struct tw_sample_summary *s = &sent->sample;
	struct tw_hosts hosts;

	if (!s->n || !s->cut_packet || s->cut_to >= s->cut_from)
		return false;
	out->party = TW_PARTY_NETWORK;
	out->confidence = 0.95; /* the kernel's own figures */
	tw_hosts_name(c, side, &hosts);

	if (s->unacked_packet && s->unacked_cwnd &&
	    (double)s->unacked_max >= limits.full * s->unacked_cwnd) {
		tw_say(out->text,
		       "The bytes that %s had unacknowledged reached its congestion window: %s "
		       "against %s (packet %s)",
		       hosts.sender, tw_count(s->unacked_max).s, tw_count(s->unacked_cwnd).s,
		       tw_count(s->unacked_packet).s);
		if (s->cwnd_max > s->unacked_cwnd)
			tw_say(out->text, ", %s at its widest", tw_count(s->cwnd_max).s);
		tw_say(out->text, ". ");
	}
	tw_say(out->text, "At packet %s the congestion window of %s fell from %s to %s",
	       tw_count(s->cut_packet).s, hosts.sender, tw_count(s->cut_from).s,
	       tw_count(s->cut_to).s);
	explain(s, tw_mss(sent), out);
	tw_say(out->text, ".");

	tw_evidence_add(out, s->cut_packet, s->cut_at, "cwnd %s, was %s; ssthresh %s",
			tw_count(s->cut_to).s, tw_count(s->cut_from).s,
			tw_count(s->cut_ssthresh).s);
	return true;
}
