/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data was acknowledged that the capture never shows: the capture lost packets, not the network.
 * What then looks like silence or loss may be a hole in the evidence. One finding per connection,
 * on the side whose data lacks more.
 */
#include "finding/detect.h"

static const struct {
	double sure;    /* confidence: acknowledged data did arrive, so it did pass */
	double one_way; /* the same with one direction only: other routes may explain it */
} limits = { .sure = 0.95, .one_way = 0.5 };

static void say_missed(const struct tw_direction_summary *d, const char *host,
		       struct tw_finding *out)
{
	uint64_t bytes = d->capture_missed_bytes;

	if (!d->capture_missed.count)
		return;
	tw_say(out->text,
	       "%s%s sent by %s %s not in the capture although %s acknowledged or skipped, at %s",
	       out->text[0] ? " " : "", bytes ? tw_size(bytes).s : "Data", host,
	       bytes > 1 ? "are" : "is", bytes > 1 ? "they were" : "it was",
	       tw_counted(d->capture_missed.count, "place").s);
	if (bytes && d->unique_bytes)
		tw_say(out->text, " (%s of the data)",
		       tw_percent((double)bytes / ((double)bytes + (double)d->unique_bytes)).s);
	tw_say(out->text, ".");
}

bool tw_find_capture_dropped_packets(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_direction_summary *mine = &c->connection->direction[side];
	const struct tw_direction_summary *other = &c->connection->direction[!side];
	struct tw_claim gap = { 0 };
	struct tw_hosts hosts;

	if (!mine->capture_missed.count ||
	    mine->capture_missed_bytes < other->capture_missed_bytes ||
	    (mine->capture_missed_bytes == other->capture_missed_bytes &&
	     other->capture_missed.count && side == 1))
		return false;
	out->party = TW_PARTY_NOBODY;
	out->confidence = c->connection->one_way ? limits.one_way : limits.sure;
	tw_hosts_name(c, side, &hosts);
	say_missed(mine, hosts.sender, out);
	say_missed(other, hosts.receiver, out);
	tw_claim_add(&gap, c, TW_CAUSE_CAPTURE_GAP, 0);
	tw_claim_add(&gap, c, TW_CAUSE_CAPTURE_GAP, 1);
	if (gap.n_rows)
		tw_say(out->text, " %s of the time cannot be explained because of it.",
		       tw_percent(tw_share(c, gap.ns)).s);
	tw_say(out->text,
	       " This is no loss of the network; figures of resends and holes here are to be taken "
	       "with care.");

	tw_say(out->fix,
	       "where the capture was taken: a larger buffer and short packets, tcpdump -B 65536 "
	       "-s 128 -w FILE with a filter for this connection, onto a disk that keeps up; see "
	       "\"packets dropped by kernel\" when it ends, and ethtool -S DEVICE "
	       "(rx_missed_errors) with ethtool -G DEVICE rx 4096. On a mirror port: one whose "
	       "rate exceeds both directions together");

	tw_evidence_marks(out, &mine->capture_missed, TW_MARKS, "data before here is missing");
	tw_evidence_marks(out, &other->capture_missed, 2,
			  "data before here is missing, other side");
	return true;
}
