/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the capture was taken, judged by how fast each host reacts as seen from here. */
#include "flow/connection.h"

bool tw_connection_put_at(const struct tw_connection *c, int side)
{
	enum tw_place here = side == tw_connection_main(c) ? TW_PLACE_SENDER : TW_PLACE_RECEIVER;

	return c->forced_place == here;
}

enum tw_place tw_connection_place(const struct tw_connection *c, int side, double *confidence)
{
	int64_t sender = c->direction[side].reaction, receiver = c->direction[!side].reaction;
	double rtt, near, bound;

	*confidence = 1;
	if (c->forced_place)
		return side == tw_connection_main(c) ? (enum tw_place)c->forced_place :
		       c->forced_place == TW_PLACE_SENDER ? TW_PLACE_RECEIVER :
		       c->forced_place == TW_PLACE_RECEIVER ? TW_PLACE_SENDER : TW_PLACE_MIDDLE;
	*confidence = 0;
	if (!c->direction[0].has_reaction || !c->direction[1].has_reaction ||
	    sender + receiver <= 0)
		return TW_PLACE_UNKNOWN;
	rtt = (double)(sender + receiver);
	near = (double)(sender < receiver ? sender : receiver) / rtt;
	/*
	 * A host takes some tens of microseconds to react. On a path of a millisecond or less that
	 * is a visible share of the round trip, so there the nearer end is believed earlier, with
	 * less confidence.
	 */
	bound = rtt < 1e6 ? 0.3 : 0.1;
	if (near >= bound) {
		*confidence = near > 0.25 ? 0.8 : 0.5;
		return TW_PLACE_MIDDLE;
	}
	*confidence = near < 0.05 ? 0.99 : near < 0.1 ? 0.9 : 0.7;
	return sender < receiver ? TW_PLACE_SENDER : TW_PLACE_RECEIVER;
}
