/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings: named faults with evidence, fix and gain. Each detector is a pure function in a file
 * of its own and one row of TW_FINDINGS; it sees the connection's summary and bill, nothing else.
 */
#ifndef TW_FINDING_FINDING_H
#define TW_FINDING_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/summary.h"
#include "ledger/bill.h"

/* X(ENUM, id, class, detector, title): one line, one file src/finding/<detector>.c with tw_find_<detector>(). */
#define TW_FINDINGS(X) \
	X(NAGLE_DELAYED_ACK, "nagle-delayed-ack", FAULT, nagle_delayed_ack, "small writes wait for delayed ACKs") \
	X(DELAYED_ACK_TIMER, "delayed-ack-timer", FAULT, delayed_ack_timer, "a lone segment waits for the delayed-ACK timer") \
	X(RECEIVE_BUFFER_SMALL, "receive-buffer-small", FAULT, receive_buffer_small, "the receive window is too small for the path") \
	X(RECEIVER_NOT_READING, "receiver-not-reading", FAULT, receiver_not_reading, "the receiving program does not read fast enough") \
	X(SEND_BUFFER_SMALL, "send-buffer-small", FAULT, send_buffer_small, "the send buffer is too small for the path") \
	X(SENDER_IDLE, "sender-idle", FAULT, sender_idle, "the sending program does not write fast enough") \
	X(PEER_SLOW, "peer-slow", FAULT, peer_slow, "the peer's program thinks before it answers") \
	X(ROUND_TRIP_BOUND, "round-trip-bound", FAULT, round_trip_bound, "one message per round trip") \
	X(SLOW_START_SHORT_FLOW, "slow-start-short-flow", INFORMATION, slow_start_short_flow, "the transfer ended while its window was still growing") \
	X(RANDOM_LOSS, "random-loss", FAULT, random_loss, "scattered losses keep the congestion window down") \
	X(QUEUE_OVERFLOW, "queue-overflow", FAULT, queue_overflow, "a queue on the path overflows") \
	X(POLICER, "policer", FAULT, policer, "a policer drops what exceeds its rate") \
	X(TAIL_LOSS_RTO, "tail-loss-rto", FAULT, tail_loss_rto, "the last segment was lost and only a timer repaired it") \
	X(TOO_FEW_DUPACKS, "too-few-dupacks", FAULT, too_few_dupacks, "a loss in a small flight could not be repaired fast") \
	X(HOST_SLOW, "host-slow", FAULT, host_slow, "a host stands still now and then") \
	X(PATH_OUTAGE, "path-outage", FAULT, path_outage, "the path carried nothing for a while") \
	X(BOTTLENECK_QUEUE, "bottleneck-queue", INFORMATION, bottleneck_queue, "a standing queue at the bottleneck") \
	X(REORDERING, "reordering", FAULT, reordering, "the network delivers segments out of order") \
	X(SYN_LOSS, "syn-loss", FAULT, syn_loss, "SYN or SYN-ACK unanswered") \
	X(CWND_CUT, "cwnd-cut", INFORMATION, cwnd_cut, "the kernel's own samples show the congestion window cut") \
	X(CAPTURE_DROPPED_PACKETS, "capture-dropped-packets", INFORMATION, capture_dropped_packets, "the capture itself lost packets")

enum tw_finding_id {
#define X(id, text, class, detector, title) TW_FINDING_##id,
	TW_FINDINGS(X)
#undef X
	TW_FINDING_COUNT
};

enum tw_finding_class { TW_CLASS_FAULT, TW_CLASS_INFORMATION };

enum { TW_FINDING_EVIDENCE = 6, TW_FINDING_TEXT = 768 };

struct tw_evidence {
	uint64_t packet; /* number in the input; 0: none in particular */
	int64_t at;      /* instant, ns */
	char note[120];
};

struct tw_finding {
	enum tw_finding_id id;
	int side;                  /* whose sending was held up: 0 client, 1 server */
	enum tw_party party;
	double confidence;         /* 0 to 1: from 0.9 "certain", from 0.6 "likely", below "consistent with" */
	char text[TW_FINDING_TEXT];/* what was seen, with figures; plain prose, no newline */
	char fix[TW_FINDING_TEXT]; /* commands or socket options, on which host; "" where there is none */
	int64_t saves_ns;          /* 0: nothing to gain */
	int64_t duration_without_ns; /* the connection's duration without the cause, most likely */
	int64_t duration_low_ns, duration_high_ns; /* and within which limits: see ledger/whatif.h */
	bool at_least;             /* it saves at least this */
	enum tw_cause next;        /* the next bound; TW_CAUSE_UNKNOWN: none observed */
	unsigned n_evidence;
	struct tw_evidence evidence[TW_FINDING_EVIDENCE];
};

/* What a detector may look at. */
struct tw_case {
	const struct tw_connection_summary *connection;
	const struct tw_bill *bill;
};

/*
 * A detector: examines data sent by `side` and, where its fault is there, fills `out` (zeroed but
 * for id, side, party and duration_without_ns) and returns true.
 */
typedef bool tw_detector(const struct tw_case *c, int side, struct tw_finding *out);

#define X(id, text, class, detector, title) tw_detector tw_find_##detector;
TW_FINDINGS(X)
#undef X

const char *tw_finding_id(enum tw_finding_id id);
const char *tw_finding_title(enum tw_finding_id id);
enum tw_finding_class tw_finding_class(enum tw_finding_id id);
/* "certain", "likely" or "consistent with". */
const char *tw_confidence_word(double confidence);

/*
 * Runs every detector over both sides; stores up to `room` findings in `out`, faults first, those
 * that save most first, and returns their number. `room` of 2 * TW_FINDING_COUNT always suffices.
 */
unsigned tw_findings(const struct tw_case *c, struct tw_finding *out, unsigned room);

#endif
