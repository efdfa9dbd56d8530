/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loss in a small flight: segments behind it did arrive, but fewer duplicate ACKs came back than
 * the three that start a fast retransmission (RFC 5681 section 3.2), so the timer had to run out.
 * Limited transmit (RFC 3042), early retransmit (RFC 5827) and RACK-TLP (RFC 8985) were made for
 * it.
 */
#include "finding/detect.h"

static const struct {
	double share;       /* of the time */
	int64_t ns;         /* or so long in all: a visible wait */
	uint32_t segments;  /* outstanding at the least: of one alone no duplicate ACK can come */
	uint32_t threshold; /* DupThresh of RFC 5681 and RFC 6675 */
} limits = { .share = 0.01, .ns = 150 * TW_MS, .segments = 2, .threshold = 3 };

struct few {
	int64_t ns;     /* of the timeouts that fit */
	int64_t all_ns; /* of all that were looked at */
	unsigned n;
	const struct tw_interval *longest; /* that fits */
};

static bool fits(const struct tw_interval *x, uint32_t mss)
{
	return x->dup_acks > 0 && x->dup_acks < limits.threshold &&
	       x->outstanding > (limits.segments - 1) * (uint64_t)mss;
}

static struct few look(const struct tw_bill_row *row, uint32_t mss)
{
	struct few few = { 0 };

	for (unsigned i = 0; i < row->n_examples && i < TW_ROW_EXAMPLES; i++) {
		const struct tw_interval *x = &row->example[i];
		int64_t ns = tw_span(x->from, x->to);

		if (__builtin_add_overflow(few.all_ns, ns, &few.all_ns))
			few.all_ns = INT64_MAX;
		if (!fits(x, mss))
			continue;
		few.n++;
		if (__builtin_add_overflow(few.ns, ns, &few.ns))
			few.ns = INT64_MAX;
		if (!few.longest || ns > tw_span(few.longest->from, few.longest->to))
			few.longest = x;
	}
	return few;
}

static const char *dupacks(uint32_t n)
{
	return n == 1 ? "a single duplicate ACK" : "two duplicate ACKs";
}

static void describe(const struct tw_claim *claim, const struct few *few,
		     const struct tw_direction_summary *sent, const struct tw_hosts *hosts,
		     struct tw_finding *out)
{
	const struct tw_interval *x = few->longest;
	uint32_t mss = tw_mss(sent);
	uint64_t segments = ((uint64_t)x->outstanding + mss - 1) / mss;

	tw_say(out->text,
	       "%s had %s (%s) outstanding and got %s; a fast retransmission takes three, so it "
	       "waited %s for the retransmission timer",
	       hosts->sender, tw_counted(segments, "segment").s, tw_size(x->outstanding).s,
	       dupacks(x->dup_acks), tw_duration(tw_span(x->from, x->to)).s);
	tw_say(out->text, " (packets %s to %s", tw_count(x->packet_from).s,
	       tw_count(x->packet_to).s);
	if (x->seq_to > x->seq_from)
		tw_say(out->text, ", bytes %llu:%llu", (unsigned long long)x->seq_from,
		       (unsigned long long)x->seq_to);
	tw_say(out->text, ").");
	if (claim->intervals > 1)
		tw_say(out->text, " That is the longest of %s; of the %u looked at, %u %s like it.",
		       tw_counted(claim->intervals, "timeout").s, claim->row[0]->n_examples, few->n,
		       few->n == 1 ? "was" : "were");
	if (!sent->sack_blocks)
		tw_say(out->text,
		       " No ACK of %s carried SACK, which RACK and tail-loss probes need.",
		       hosts->receiver);
}

bool tw_find_too_few_dupacks(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_RETRANSMISSION_TIMEOUT, side);
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	struct tw_hosts hosts;
	struct few few;

	if (!claim.n_rows)
		return false;
	/* A sender seen to use RACK or probes has the cure: its timeouts have other reasons. */
	if (sent->resends[TW_RESEND_FAST_RACK].count || sent->resends[TW_RESEND_TLP].count)
		return false;
	few = look(claim.row[0], tw_mss(sent));
	if (!few.longest || !few.ns)
		return false;
	if (few.ns < few.all_ns)
		tw_claim_cut(&claim, tw_part(claim.ns, (double)few.ns / (double)few.all_ns));
	if (tw_share(c, claim.ns) < limits.share && claim.ns < limits.ns)
		return false;
	tw_claim_settle(&claim, c, out);
	tw_hosts_name(c, side, &hosts);
	describe(&claim, &few, sent, &hosts, out);
	tw_say_cost(out->text, c, claim.ns);

	tw_say(out->fix,
	       "on %s: a TCP with RACK and tail-loss probes (RFC 8985), in Linux sysctl -w "
	       "net.ipv4.tcp_recovery=1 net.ipv4.tcp_early_retrans=3, with net.ipv4.tcp_sack=1 on "
	       "both hosts. A larger flight helps too: larger writes, a larger send buffer, a "
	       "wider initial window. The loss itself is cured in the network to %s (ip -s link, "
	       "ethtool -S)",
	       hosts.sender, hosts.receiver);

	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES; i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		if (!fits(x, tw_mss(sent)))
			continue;
		tw_evidence_add(out, x->packet_from, x->from, "%s outstanding from here",
				tw_size(x->outstanding).s);
		tw_evidence_add(out, x->packet_to, x->to, "sent again after %s and %s",
				tw_duration(tw_span(x->from, x->to)).s, dupacks(x->dup_acks));
	}
	return true;
}
