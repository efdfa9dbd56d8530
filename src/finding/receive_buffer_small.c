/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receive window bounds the transfer although the receiving program reads: a window per round
 * trip is all that can pass, whatever the path could carry.
 */
#include "finding/detect.h"

static const struct {
	double share;         /* of the time; less is the start of autotuning, not a bound */
	uint64_t full_rounds; /* one full window alone is an edge, not a bound */
	double full_flight;   /* a flight that never reached half the window was not bound by it */
	uint32_t unscaled;    /* the largest window without the scale option (RFC 7323 section 2) */
} limits = { .share = 0.05, .full_rounds = 2, .full_flight = 0.5, .unscaled = 65535 };

static bool window_binds(const struct tw_case *c, int side, const struct tw_claim *claim)
{
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	const struct tw_direction_bill *bill = &c->bill->direction[side];

	if (!claim->n_rows || tw_share(c, claim->ns) < limits.share || !sent->window_max)
		return false;
	if (claim->rounds < limits.full_rounds && claim->intervals < limits.full_rounds &&
	    bill->rounds_window_full < limits.full_rounds)
		return false;
	return (double)sent->flight_max >= limits.full_flight * sent->window_max;
}

static void describe(const struct tw_case *c, int side, const struct tw_hosts *hosts,
		     uint64_t path_bytes, struct tw_finding *out)
{
	const struct tw_direction_summary *sent = &c->connection->direction[side];
	const struct tw_direction_bill *bill = &c->bill->direction[side];
	int64_t rtt = tw_least_rtt(c, side);

	tw_say(out->text, "%s never let more than %s be outstanding", hosts->receiver,
	       tw_size(sent->window_max).s);
	if (bill->rounds_window_full && bill->rounds >= bill->rounds_window_full) {
		tw_say(out->text, "; the flight filled the window in %s of %s rounds",
		       tw_count(bill->rounds_window_full).s, tw_count(bill->rounds).s);
		if (bill->first_full_packet)
			tw_say(out->text, " (packets %s to %s first)",
			       tw_count(bill->first_full_packet).s,
			       tw_count(bill->first_full_packet_to).s);
	}
	tw_say(out->text, ".");
	if (rtt)
		tw_say(out->text, " With a round trip of %s that is %s at best.",
		       tw_duration(rtt).s, tw_rate((double)sent->window_max * 8e9 / (double)rtt).s);
	if (path_bytes > sent->window_max)
		tw_say(out->text, " The path's %s would hold %s.", tw_rate(bill->capacity_bps).s,
		       tw_size(path_bytes).s);
}

/* What the window scale has to do with it; returns whether the lack of one is the bound itself. */
static bool describe_scale(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_direction_summary *ends = c->connection->direction;
	const struct tw_direction_summary *sent = &ends[side];

	if (sent->window_max > limits.unscaled)
		return false;
	if (sent->window_scale_known && sent->window_scale == 0) {
		tw_say(out->text,
		       " Its window scale is 0, so that the window cannot pass 65,535 bytes.");
		return sent->window_max > limits.unscaled / 2;
	}
	if (!sent->window_scale_known && ends[0].syn_seen && ends[1].syn_seen) {
		tw_say(out->text,
		       " The SYNs agreed on no window scaling, so that the window cannot pass "
		       "65,535 bytes.");
		return true;
	}
	if (!sent->window_scale_known) {
		tw_say(out->text,
		       " The SYN is not in the capture: if the window is scaled, it is larger.");
		if (out->confidence > 0.55)
			out->confidence = 0.55;
	}
	return false;
}

bool tw_find_receive_buffer_small(const struct tw_case *c, int side, struct tw_finding *out)
{
	struct tw_claim claim = tw_claim_of(c, TW_CAUSE_RECEIVE_WINDOW, side);
	const struct tw_bill_row *reader = tw_bill_row(c->bill, TW_CAUSE_RECEIVER_APP, side);
	const struct tw_direction_bill *bill = &c->bill->direction[side];
	uint64_t path_bytes = tw_path_bytes(bill->capacity_bps, tw_least_rtt(c, side));
	uint32_t window = c->connection->direction[side].window_max;
	struct tw_hosts hosts;
	bool unscaled;

	if (!window_binds(c, side, &claim))
		return false;
	/* A program that does not read fills any window first: how large it was is not the matter. */
	if (reader && reader->ns > claim.ns)
		return false;
	tw_claim_settle(&claim, c, out);
	tw_hosts_name(c, side, &hosts);
	describe(c, side, &hosts, path_bytes, out);
	unscaled = describe_scale(c, side, out);
	tw_say_cost(out->text, c, claim.ns);

	if (unscaled)
		tw_say(out->fix,
		       "on both hosts: sysctl -w net.ipv4.tcp_window_scaling=1, and nothing on the "
		       "way that strips the option. ");
	tw_say(out->fix,
	       "%s %s: leave SO_RCVBUF unset, since setting it ends the kernel's autotuning "
	       "(sysctl net.ipv4.tcp_moderate_rcvbuf must say 1), and see that the third value of "
	       "net.ipv4.tcp_rmem is ",
	       unscaled ? "On" : "on", hosts.receiver);
	/* Linux counts its own overhead in the buffer: a window is about half of it. */
	if (path_bytes > window)
		tw_say(out->fix, "at least %s bytes", tw_count(2 * path_bytes).s);
	else
		tw_say(out->fix, "at least 2 x the rate wanted x the round trip");
	tw_say(out->fix, "; or raise SO_RCVBUF, before connect() or listen(), and "
			 "net.core.rmem_max above it");

	tw_evidence_add(out, bill->first_full_packet, bill->first_full_at,
			"the first flight that fills the window begins");
	for (unsigned i = 0; i < claim.row[0]->n_examples && i < TW_ROW_EXAMPLES; i++) {
		const struct tw_interval *x = &claim.row[0]->example[i];

		tw_evidence_add(out, x->packet_from, x->from, "window full from here for %s",
				tw_duration(tw_span(x->from, x->to)).s);
	}
	return true;
}
