/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network loses single segments, and the sender takes each loss for congestion: repairs cost
 * time, and the window that each of them cuts costs more.
 */
#include "finding/loss_pattern.h"

#include <math.h>

static const struct {
	double share;        /* of the time that repairs and the cut window took */
	uint64_t few;        /* fewer losses say nothing of how they are scattered */
	uint64_t for_rate;   /* losses from which a rate of loss means something (+- 30 %) */
	double queue_rounds; /* share of rounds with a standing queue: losses may be its overflow */
	double disorder;     /* share of packets shuffled or doubled: these hide what was lost */
	double mathis;       /* sqrt(3/2): Mathis et al. 1997, Reno with an ACK per segment */
} limits = {
	.share = 0.01,
	.few = 3,
	.for_rate = 10,
	.queue_rounds = 0.5,
	.disorder = 0.05,
	.mathis = 1.2247,
};

/* How often something had to be repaired. */
static uint64_t recoveries(const struct tw_case *c, int side)
{
	static const enum tw_cause repairs[] = { TW_CAUSE_FAST_RECOVERY, TW_CAUSE_RETRANSMISSION_TIMEOUT,
						 TW_CAUSE_TAIL_LOSS };
	uint64_t n = 0;

	for (size_t i = 0; i < sizeof(repairs) / sizeof(*repairs); i++) {
		const struct tw_bill_row *row = tw_bill_row(c->bill, repairs[i], side);

		n += row ? row->intervals : 0;
	}
	return n;
}

static bool fires(const struct tw_case *c, int side, const struct tw_claim *claim)
{
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	const struct tw_bill_row *link = tw_bill_row(c->bill, TW_CAUSE_LINK_RATE, side);
	uint64_t packets = c->connection->packets;

	if (!claim->n_rows || !sent->losses.count || tw_share(c, claim->ns) < limits.share)
		return false;
	/* When these came tells what made them: queue-overflow, policer. */
	if (tw_loss_pattern(c, side) != TW_LOSS_SCATTERED)
		return false;
	/* A burst or two, however many it took: a queue, an outage, a new route; not a path that loses. */
	if (recoveries(c, side) < limits.few && c->bill->direction[side].losses.n < limits.few)
		return false;
	/* Packets captured twice or shuffled look like resends and holes. */
	if ((double)sent->duplicates + (double)c->connection->time_disorder >
	    limits.disorder * (double)packets)
		return false;
	/* A link that was full anyway: losses are how its queue says so, and cost little. */
	return !link || link->ns <= claim->ns;
}

/* Losses beside a standing queue may be its overflow: lowers the confidence and says so. */
static void weigh_queue(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_direction_bill *bill = &c->bill->direction[side];

	if (!bill->queue_rounds ||
	    (double)bill->queue_rounds < limits.queue_rounds * (double)bill->rounds)
		return;
	if (out->confidence > 0.5)
		out->confidence = 0.5;
	tw_say(out->text,
	       " A queue of %s stood before the slowest link in %s of %s rounds: some of the "
	       "losses may be its overflow.",
	       tw_duration(bill->queue_median_ns).s, tw_count(bill->queue_rounds).s,
	       tw_count(bill->rounds).s);
}

static void describe(const struct tw_case *c, int side, const struct tw_hosts *hosts,
		     const struct tw_claim *claim, struct tw_finding *out)
{
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	uint64_t losses = sent->losses.count, segments = tw_segments(sent);
	double rate = segments ? (double)losses / (double)segments : 0;
	int64_t rtt = sent->rtt.n ? sent->rtt.median : tw_least_rtt(c, side);
	uint64_t cuts = 0;

	for (unsigned i = 0; i < claim->n_rows; i++)
		if (claim->row[i]->cause == TW_CAUSE_FAST_RECOVERY)
			cuts = claim->row[i]->intervals;
	tw_say(out->text, "The network lost %s of the %s that %s sent", tw_count(losses).s,
	       tw_counted(segments, "segment").s, hosts->sender);
	if (rate > 0 && rate <= 1)
		tw_say(out->text, " (%.*f %%)", rate < 0.01 ? 2 : 1, rate * 100);
	if (cuts > 1)
		tw_say(out->text, ", repaired in %s separate recoveries", tw_count(cuts).s);
	tw_say(out->text, "; after each loss the congestion window is cut and grows again slowly.");
	if (losses >= limits.for_rate && rtt && rate > 0 && rate <= 1)
		tw_say(out->text,
		       " At this rate and a round trip of %s, Reno gets about %s, however fast the "
		       "path is (Mathis 1997).",
		       tw_duration(rtt).s,
		       tw_rate(limits.mathis * tw_mss(sent) * 8e9 / ((double)rtt * sqrt(rate))).s);
}

bool tw_find_random_loss(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	struct tw_claim claim = { 0 };
	struct tw_hosts hosts;

	tw_claim_add(&claim, c, TW_CAUSE_CONGESTION_WINDOW, side);
	tw_claim_add(&claim, c, TW_CAUSE_FAST_RECOVERY, side);
	if (!fires(c, side, &claim))
		return false;
	tw_claim_settle(&claim, c, out);
	if (sent->losses.count < limits.few && out->confidence > 0.55)
		out->confidence = 0.55;
	tw_hosts_name(c, side, &hosts);
	describe(c, side, &hosts, &claim, out);
	weigh_queue(c, side, out);
	tw_say_cost(out->text, c, claim.ns);

	tw_say(out->fix,
	       "in the network from %s to %s: find the link that loses (ip -s link, ethtool -S "
	       "DEVICE: CRC and receive errors, half duplex, radio links; a policer or rate limit, "
	       "tc -s qdisc). On %s, until then: sysctl -w net.ipv4.tcp_congestion_control=bbr, "
	       "which does not cut its window at every loss",
	       hosts.sender, hosts.receiver, hosts.sender);

	tw_evidence_marks(out, &sent->losses, TW_MARKS, "a segment known to be lost");
	return true;
}
