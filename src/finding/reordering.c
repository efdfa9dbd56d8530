/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Segments overtake each other on the way. The receiver must report holes that fill by themselves,
 * and a sender that believes them resends what was never lost and cuts its window.
 */
#include "finding/detect.h"

static const struct {
	uint64_t segments; /* fewer may be a single route change */
	double share;      /* of the data packets; below it a bill that names it must speak */
	double disorder;   /* capture times running backwards per late segment: a shuffled file */
	double duplicates; /* share of packets captured twice: two capture points, two orders */
} limits = { .segments = 3, .share = 0.001, .disorder = 0.5, .duplicates = 0.1 };

static uint64_t unneeded(const struct tw_direction_summary *sent)
{
	uint64_t most = 0;

	/* One resend may be shown unneeded in more than one way: at least so many were. */
	for (int i = 0; i < TW_SPURIOUS_PROOF_COUNT; i++)
		if (sent->spurious[i].count > most)
			most = sent->spurious[i].count;
	return most;
}

static bool fires(const struct tw_case *c, int side, const struct tw_claim *claim)
{
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	uint64_t late = sent->reordered.count;

	if ((double)c->connection->time_disorder > limits.disorder * (double)late ||
	    (double)sent->duplicates > limits.duplicates * (double)sent->packets)
		return false;
	/* At the sender late arrivals are not seen, only the resends that were unneeded. */
	if (claim->n_rows && (late || unneeded(sent)))
		return true;
	return late >= limits.segments && (double)late >= limits.share * (double)tw_segments(sent);
}

static void describe(const struct tw_case *c, int side, const struct tw_hosts *hosts,
		     struct tw_finding *out)
{
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	uint64_t late = sent->reordered.count, resent = unneeded(sent);
	uint64_t extent = (sent->reorder_extent_bytes + tw_mss(sent) - 1) / tw_mss(sent);

	if (late) {
		tw_say(out->text, "%s of %s from %s came after segments that were sent later",
		       tw_count(late).s, tw_counted(tw_segments(sent), "segment").s, hosts->sender);
		if (sent->reorder_extent_bytes)
			tw_say(out->text, ", up to %s behind (%s)",
			       tw_size(sent->reorder_extent_bytes).s,
			       tw_counted(extent, "segment").s);
		if (sent->reorder_delay_ns > 0)
			tw_say(out->text, " and %s late", tw_duration(sent->reorder_delay_ns).s);
		tw_say(out->text, "; they were late, not lost.");
	}
	if (resent)
		tw_say(out->text,
		       "%s%s took late segments for lost and sent %s again without need.",
		       late ? " " : "", hosts->sender, tw_count(resent).s);
}

static void write_fix(const struct tw_direction_summary *sent, const struct tw_hosts *hosts,
		      struct tw_finding *out)
{
	uint64_t segments = sent->reorder_extent_bytes / tw_mss(sent) + 1;

	tw_say(out->fix,
	       "in the network from %s to %s: keep the segments of a connection on one path "
	       "(bonding mode 802.3ad with xmit_hash_policy layer3+4 instead of balance-rr, "
	       "multipath routes by flow: sysctl -w net.ipv4.fib_multipath_hash_policy=1, one "
	       "queue per flow). ",
	       hosts->sender, hosts->receiver);
	if (!sent->timestamps)
		tw_say(out->fix, "On both hosts: sysctl -w net.ipv4.tcp_timestamps=1, by which an "
				 "unneeded resend is noticed and undone. ");
	tw_say(out->fix,
	       "On %s: sysctl -w net.ipv4.tcp_recovery=1 (RACK, which widens its patience as it "
	       "learns of reordering)",
	       hosts->sender);
	/* The kernel's first guess is 3, and beyond tcp_max_reordering (300) it does not go. */
	if (segments > 3 && segments <= 300)
		tw_say(out->fix, " net.ipv4.tcp_reordering=%s", tw_count(segments).s);
}

bool tw_find_reordering(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_REORDERING, side);
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	struct tw_hosts hosts;

	if (!fires(c, side, &claim))
		return false;
	out->party = TW_PARTY_NETWORK;
	/* An older timestamp shows a late original; without them the delay must tell. */
	out->confidence = sent->timestamps ? 0.95 : 0.75;
	tw_claim_settle(&claim, c, out);
	tw_hosts_name(c, side, &hosts);
	describe(c, side, &hosts, out);
	if (claim.n_rows)
		tw_say_cost(out->text, c, claim.ns);
	write_fix(sent, &hosts, out);

	tw_evidence_marks(out, &sent->reordered, TW_MARKS, "came after data sent later");
	for (int i = 0; i < TW_SPURIOUS_PROOF_COUNT; i++)
		tw_evidence_marks(out, &sent->spurious[i], 2, "shows a resend that was not needed");
	return true;
}
