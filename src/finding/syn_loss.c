/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The connection could not be opened at the first try: a SYN or SYN-ACK was sent again after the
 * initial timeout of one second (RFC 6298 section 2), doubled each time. One finding per
 * connection.
 */
#include "finding/detect.h"

static bool answered(const struct tw_case *c)
{
	const struct tw_direction_summary *server = &c->connection->direction[1];

	return server->syn_seen || server->syns || server->packets;
}

/* Whose resends are the finding's: the client's, unless only the server sent again. */
static int side_of(const struct tw_case *c)
{
	const struct tw_direction_summary *ends = c->connection->direction;

	return !ends[0].resends[TW_RESEND_SYN].count && ends[1].resends[TW_RESEND_SYN].count;
}

/* The instants of the resends, as far as they are marked: "0.998 s, 3.002 s and 7.010 s". */
static void say_times(const struct tw_case *c, const struct tw_marks *marks, struct tw_finding *out)
{
	unsigned n = marks->count < TW_MARKS ? (unsigned)marks->count : TW_MARKS;

	for (unsigned i = 0; i < n; i++) {
		bool is_last = i + 1 == marks->count;

		if (i)
			tw_say(out->text, is_last ? " and " : ", ");
		tw_say(out->text, "%s",
		       tw_duration(tw_span(c->connection->first, marks->first[i].at)).s);
	}
	if (marks->count > n)
		tw_say(out->text, " and so on");
}

static void describe(const struct tw_case *c, const struct tw_hosts *hosts, struct tw_finding *out)
{
	const struct tw_connection_summary *conn = c->connection;
	const struct tw_marks *syns = &conn->direction[0].resends[TW_RESEND_SYN];
	const struct tw_marks *synacks = &conn->direction[1].resends[TW_RESEND_SYN];

	if (syns->count || !synacks->count) {
		const struct tw_marks *marks = syns->count ? syns : &conn->syn_resends;

		tw_say(out->text, "%s sent its SYN again %s, ", hosts->sender,
		       tw_often(marks->count).s);
		say_times(c, marks, out);
		tw_say(out->text, " after the first");
		if (!answered(c))
			tw_say(out->text, ", and no answer of %s was seen", hosts->receiver);
		tw_say(out->text, ".");
	}
	if (synacks->count) {
		tw_say(out->text, "%s%s sent its SYN-ACK again %s, at ", out->text[0] ? " " : "",
		       hosts->receiver, tw_often(synacks->count).s);
		say_times(c, synacks, out);
		tw_say(out->text,
		       " of the connection: it had not got, or not taken, the ACK that opens it.");
	}
	if (conn->handshake_ns > 0)
		tw_say(out->text, " The connection was open after %s.",
		       tw_duration(conn->handshake_ns).s);
}

static void write_fix(const struct tw_case *c, const struct tw_hosts *hosts, struct tw_finding *out)
{
	tw_say(out->fix,
	       "on %s: see whether the program listens and keeps up, ss -ltn (Recv-Q against "
	       "Send-Q) and nstat -az TcpExtListenOverflows TcpExtListenDrops "
	       "TcpExtTCPReqQFullDrop; if these grow, a larger backlog in listen() and "
	       "net.core.somaxconn, and net.ipv4.tcp_max_syn_backlog. Else%s look for a firewall, "
	       "a SYN rate limit or loss between %s and %s",
	       hosts->receiver, answered(c) ? "" : ", or if the host is down,", hosts->sender,
	       hosts->receiver);
}

bool tw_find_syn_loss(const struct tw_case *c, int side, struct tw_finding *out)
{
	const struct tw_connection_summary *conn = c->connection;
	struct tw_claim claim = { 0 };
	struct tw_hosts hosts;

	if (!conn->syn_resends.count || side != side_of(c))
		return false;
	tw_claim_add(&claim, c, TW_CAUSE_SYN_RETRY, 0);
	tw_claim_add(&claim, c, TW_CAUSE_SYN_RETRY, 1);
	out->party = TW_PARTY_NETWORK;
	tw_claim_settle(&claim, c, out);
	/* The resends are facts; unseen answers are none where only one direction was captured. */
	out->confidence = conn->one_way && !answered(c) ? 0.75 : 0.95;
	tw_hosts_name(c, 0, &hosts); /* who opens and who answers, whichever of them sent again */
	describe(c, &hosts, out);
	if (claim.n_rows)
		tw_say_cost(out->text, c, claim.ns);
	write_fix(c, &hosts, out);

	tw_evidence_add(out, conn->first_packet, conn->first, "first packet of the connection");
	tw_evidence_marks(out, &conn->direction[0].resends[TW_RESEND_SYN], 3, "SYN again");
	tw_evidence_marks(out, &conn->direction[1].resends[TW_RESEND_SYN], 2, "SYN-ACK again");
	tw_evidence_marks(out, &conn->syn_resends, 4, "sent again");
	return true;
}
