/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast each host reacts, as seen from the vantage: from a segment to the ACK that covers it
 * (never timed across a resend: Karn), and from the first sight of a TSval to the first packet that
 * echoes it. One of each is timed at a time: the minimum needs no more.
 */
#include "flow/steps.h"

static void reacted(struct tw_direction *d, int64_t took)
{
	if (took < 0 || (d->has_reaction && took >= d->reaction))
		return;
	d->reaction = took;
	d->has_reaction = true;
}

/* Does this packet of `d`'s sender answer what is being timed? */
static void answer(struct tw_direction *d, const struct tw_direction *peer,
		   const struct tw_packet *p)
{
	if (d->by_seq.at != TW_NO_TIME && (p->flags & TW_ACK) && !(p->has & TW_ACK_UNKNOWN) &&
	    peer->has_base) {
		int64_t ack = tw_direction_position(peer, p->ack);

		if (ack >= d->by_seq.value) {
			reacted(d, p->ts - d->by_seq.at);
			d->by_seq.at = TW_NO_TIME;
		}
	}
	if (!(p->has & TW_HAS_TIMESTAMPS) || !p->tsecr)
		return;
	/* Near this host, what it echoes is the newest that passed; far from it, one of long ago. */
	if (peer->timestamps && p->tsecr == peer->tsval_high)
		reacted(d, p->ts - peer->tsval_high_at);
	if (d->by_ts.at != TW_NO_TIME) {
		int32_t newer = (int32_t)(p->tsecr - (uint32_t)d->by_ts.value);

		if (newer >= 0) {
			if (!newer)
				reacted(d, p->ts - d->by_ts.at);
			d->by_ts.at = TW_NO_TIME;
		}
	}
}

/* Starts timing the peer's reaction to this packet of `d`'s sender. */
static void time_peer(struct tw_direction *d, struct tw_direction *peer, const struct tw_packet *p)
{
	bool syn = p->flags & TW_SYN;

	if (peer->by_ts.at == TW_NO_TIME && p->has & TW_HAS_TIMESTAMPS && p->tsval &&
	    (!d->timestamps || (int32_t)(p->tsval - d->tsval_high) > 0))
		peer->by_ts = (struct tw_echo){ .at = p->ts, .value = p->tsval };
	if ((!d->has_base && !syn) || p->has & (TW_SEQ_UNKNOWN | TW_ACK_UNKNOWN))
		return;
	if (p->payload || syn || p->flags & TW_FIN) {
		/* The SYN's own number lies just below the first byte's, whose position is 0. */
		int64_t from = d->has_base ? tw_direction_position(d, p->seq) : -1;

		if (syn ? d->syns > 0 : from < d->board.nxt) {
			/* Sent again, maybe: what is timed can no longer be told apart. */
			if (peer->by_seq.at != TW_NO_TIME && from < peer->by_seq.value)
				peer->by_seq.at = TW_NO_TIME;
		} else if (peer->by_seq.at == TW_NO_TIME) {
			peer->by_seq = (struct tw_echo){
				.at = p->ts,
				.value = from + syn + p->payload + !!(p->flags & TW_FIN),
			};
		}
	}
}

void tw_step_reaction(struct tw_direction *d, struct tw_direction *peer, const struct tw_packet *p)
{
	if (p->flags & TW_RST)
		return;
	answer(d, peer, p);
	time_peer(d, peer, p);
}
