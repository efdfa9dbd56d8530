/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue on the path is full and drops what comes on top (drop-tail): losses come at one flight, and
 * the data just before each had waited as long as the queue is. Below that flight none is lost.
 */
#include "finding/loss_pattern.h"

static const struct {
	double share;  /* of the time that its losses cost: a full link that drops now and then is none */
	uint64_t sure; /* loss episodes that agree */
	int64_t seen;  /* a delay below that is none: the capture is beyond the queue */
} limits = { .share = 0.05, .sure = 6, .seen = 1 * TW_MS };

/* What the queue holds: at the link's rate; else its share of the flight, which fills path and queue. */
static uint64_t queue_bytes(const struct tw_direction_bill *bill, int64_t queue)
{
	uint64_t held = tw_path_bytes(bill->capacity_bps, queue);

	return held ? held : (uint64_t)tw_whole(bill->losses.flight.mid * (double)queue / bill->losses.rtt.mid);
}

static void describe(const struct tw_direction_bill *bill, const struct tw_hosts *hosts, int64_t rtt,
		     int64_t queue, struct tw_finding *out)
{
	const struct tw_loss_figures *l = &bill->losses;

	tw_say(out->text, "Losses came when a queue was full: at most of %s of %s, ",
	       tw_counted(l->n, "loss episode").s, hosts->sender);
	if (l->flight.high > l->flight.low)
		tw_say(out->text, "%s to ", tw_size((uint64_t)tw_whole(l->flight.low)).s);
	tw_say(out->text, "%s were outstanding", tw_size((uint64_t)tw_whole(l->flight.high)).s);
	if (queue < limits.seen) {
		tw_say(out->text,
		       ". What does not fit is dropped; how long the queue is cannot be seen beyond it.");
		return;
	}
	tw_say(out->text,
	       ", and the data just before had taken %s instead of %s. So a queue of about %s, or %s, "
	       "stands before the slowest link and drops what comes on top.",
	       tw_duration(tw_whole(l->rtt.mid)).s, tw_duration(rtt).s,
	       tw_size(queue_bytes(bill, queue)).s, tw_duration(queue).s);
}

static void write_fix(const struct tw_direction_bill *bill, const struct tw_hosts *hosts, int64_t rtt,
		      struct tw_finding *out)
{
	uint64_t path = tw_path_bytes(bill->capacity_bps, rtt);

	tw_say(out->fix, "on the device that sends into the slowest link between %s and %s: a queue that "
	       "marks or drops early and takes bursts, tc qdisc replace dev DEVICE root fq_codel",
	       hosts->sender, hosts->receiver);
	if (path)
		tw_say(out->fix, ", or a limit of a round trip's worth, %s", tw_size(path).s);
	tw_say(out->fix,
	       ". On %s, until then: sysctl -w net.core.default_qdisc=fq and "
	       "net.ipv4.tcp_congestion_control=bbr, which paces instead of filling the queue; or, for "
	       "messages, no more at once than fits: setsockopt SO_SNDBUF under %s",
	       hosts->sender, tw_size((uint64_t)tw_whole(bill->losses.flight.low)).s);
}

bool tw_find_queue_overflow(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_direction_bill *bill = &c->bill->direction[side];
	const struct tw_loss_figures *l = &bill->losses;
	struct tw_claim claim;
	int64_t queue, rtt = tw_least_rtt(c, side);
	struct tw_hosts hosts;

	if (tw_loss_pattern(c, side) != TW_LOSS_OVERFLOW)
		return false;
	claim = tw_loss_claim(c, side);
	if (!claim.n_rows || tw_share(c, claim.ns) < limits.share)
		return false;
	queue = tw_loss_queue(c, side);
	tw_claim_settle(&claim, c, out);
	out->party = TW_PARTY_NETWORK;
	out->confidence = queue < limits.seen ? 0.6 : l->n >= limits.sure ? 0.9 : 0.75;
	tw_hosts_name(c, side, &hosts);

	describe(bill, &hosts, rtt, queue, out);
	tw_say_cost(out->text, c, claim.ns);
	write_fix(bill, &hosts, rtt, out);

	tw_evidence_marks(out, &l->begun, TW_MARKS, "a recovery began");
	return true;
}
