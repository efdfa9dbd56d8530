/* SPDX-License-Identifier: BSD-2-Clause */
/* The causes: the one table of reasons why a sender was not sending faster, and whose they are. */
#ifndef TW_LEDGER_CAUSE_H
#define TW_LEDGER_CAUSE_H

#include <stdbool.h>

#include <stdint.h>

/* X(ENUM, title): who owns a cause. */
#define TW_PARTIES(X) \
	X(SENDING_APPLICATION, "sending application") \
	X(SENDING_HOST, "sending host") \
	X(NETWORK, "network") \
	X(RECEIVING_HOST, "receiving host") \
	X(RECEIVING_APPLICATION, "receiving application") \
	X(NOBODY, "not known")

enum tw_party {
#define X(id, title) TW_PARTY_##id,
	TW_PARTIES(X)
#undef X
	TW_PARTY_COUNT
};

/* X(ENUM, id, party, meaning): ids are the JSON contract; fields are only ever added. */
#define TW_CAUSES(X) \
	X(HANDSHAKE, "handshake", NETWORK, "the connection was being opened") \
	X(SYN_RETRY, "syn-retry", NETWORK, "a SYN or SYN-ACK went unanswered and was sent again") \
	X(SENDER_APP, "sender-app", SENDING_APPLICATION, "the sending program had nothing to send") \
	X(RECEIVER_APP, "receiver-app", RECEIVING_APPLICATION, "the receiving program did not read") \
	X(RECEIVE_WINDOW, "receive-window", RECEIVING_HOST, "the receive window allowed no more in flight") \
	X(SEND_BUFFER, "send-buffer", SENDING_HOST, "the send buffer held no more") \
	X(NAGLE, "nagle", SENDING_HOST, "Nagle held a small segment until the ACK came") \
	X(NAGLE_DELAYED_ACK, "nagle-delayed-ack", SENDING_HOST, "Nagle held a small segment for an ACK that the peer delayed") \
	X(DELAYED_ACK, "delayed-ack", RECEIVING_HOST, "the only segment in flight waited for a delayed ACK") \
	X(SLOW_START, "slow-start", SENDING_HOST, "the congestion window was still growing from its start") \
	X(CONGESTION_WINDOW, "congestion-window", NETWORK, "the congestion window, cut by loss or ECN or probing, allowed no more") \
	X(FAST_RECOVERY, "fast-recovery", NETWORK, "lost segments were being repaired") \
	X(RETRANSMISSION_TIMEOUT, "retransmission-timeout", NETWORK, "only the retransmission timer could repair a loss") \
	X(TAIL_LOSS, "tail-loss", NETWORK, "the last segments were lost, nothing behind them told of it") \
	X(REORDERING, "reordering", NETWORK, "reordered segments were taken for lost") \
	X(PATH_OUTAGE, "path-outage", NETWORK, "the path carried nothing for a while") \
	X(LINK_RATE, "link-rate", NETWORK, "the slowest link was full") \
	X(PACING, "pacing", SENDING_HOST, "the sender paced itself") \
	X(ROUND_TRIP, "round-trip", NETWORK, "one message was in flight, the path's delay was the wait") \
	X(HOST_SLOW, "host-slow", SENDING_HOST, "the host reacted far later than it usually does") \
	X(MTU_BLACK_HOLE, "mtu-black-hole", NETWORK, "large segments vanish, small ones pass") \
	X(CAPTURE_GAP, "capture-gap", NOBODY, "the capture missed what happened") \
	X(UNKNOWN, "unknown", NOBODY, "the evidence does not say")

enum tw_cause {
#define X(id, text, party, meaning) TW_CAUSE_##id,
	TW_CAUSES(X)
#undef X
	TW_CAUSE_COUNT
};

/* The table id ("receive-window"); never NULL for a valid cause. */
const char *tw_cause_id(enum tw_cause cause);
const char *tw_cause_meaning(enum tw_cause cause);

/* What a loss costs, or what is taken for one: it all goes when nothing is lost. */
bool tw_cause_is_loss(enum tw_cause cause);

/* Whether one cure takes both away. Every cause goes with itself. */
bool tw_causes_go_together(enum tw_cause a, enum tw_cause b);

enum tw_party tw_cause_party(enum tw_cause cause);
const char *tw_party_title(enum tw_party party);

#endif
