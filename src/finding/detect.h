/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the detectors share, so that each of them reads like its rule: the time a finding lays
 * claim to, the names of the two hosts, prose and evidence. Private to src/finding/.
 *
 * A detector leaves `out` untouched until it knows that it fires: tw_findings() then need not
 * clear two kilobytes for each of the many questions that are answered with no.
 */
#ifndef TW_FINDING_DETECT_H
#define TW_FINDING_DETECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/units.h"
#include "finding/finding.h"

#define TW_MS INT64_C(1000000)
#define TW_SECOND INT64_C(1000000000)

enum {
	TW_HOST_TEXT = 64, /* the longest IPv6 address with port takes 53; longer names are cut */
	TW_CLAIM_ROWS = 4,
	TW_DEFAULT_MSS = 1448, /* Ethernet with timestamps, where the capture does not say */
};

/* The rows of a bill that one finding explains, taken together. A zeroed claim is empty. */
struct tw_claim {
	int64_t ns;
	double part; /* of the rows that is claimed: 1 unless it was cut */
	uint64_t intervals;
	uint64_t rounds;
	double confidence; /* 0 to 1, weighted by time */
	enum tw_party party; /* of the row with the most time */
	unsigned n_rows;
	const struct tw_bill_row *row[TW_CLAIM_ROWS]; /* most time first */
};

/* Adds the bill's row of `cause` and `side`, where there is one. */
void tw_claim_add(struct tw_claim *claim, const struct tw_case *c, enum tw_cause cause, int side);

/* A claim to one row: empty (n_rows 0) where the bill has none. */
struct tw_claim tw_claim_of(const struct tw_case *c, enum tw_cause cause, int side);

/*
 * Lays claim to part of the rows only: scales time and saving to `ns` (at most what was claimed).
 * Counts of intervals and rounds stay, since they cannot be split.
 */
void tw_claim_cut(struct tw_claim *claim, int64_t ns);

/* What the claim alone saves of the connection's duration, most likely. */
int64_t tw_claim_saves(const struct tw_claim *claim, const struct tw_case *c);

/*
 * Copies party, confidence, saving, at_least and the next bound (one that is not itself claimed)
 * to the finding. A detector calls it first when it fires and then corrects what it knows better.
 */
void tw_claim_settle(const struct tw_claim *claim, const struct tw_case *c, struct tw_finding *out);

/* Sets what the finding saves (held within 0 and the duration) and the duration without it: for certain. */
void tw_set_saving(const struct tw_case *c, int64_t saves_ns, struct tw_finding *out);

/* The example of the claim's rows that took longest; NULL where the bill kept none. */
const struct tw_interval *tw_claim_longest(const struct tw_claim *claim);

/*
 * Appends which wait of the claim was the longest: " (the longest 3 s, packets 1 to 2)", or where it is the
 * only one " (packets 1 to 2)"; nothing where the bill kept none.
 */
void tw_say_longest(char *text, const struct tw_claim *claim);

/* A figure as a whole number, held within 0 and the type. */
static inline int64_t tw_whole(double figure)
{
	return figure >= (double)INT64_MAX ? INT64_MAX : figure > 0 ? (int64_t)figure : 0;
}

/* Share of the connection's duration, 0 to 1; 0 where that is 0. */
double tw_share(const struct tw_case *c, int64_t ns);

/* The same share of the time in which neither side's application was what was waited for. */
double tw_busy_share(const struct tw_case *c, int64_t ns);

/* The given part (0 to 1) of a time. */
int64_t tw_part(int64_t ns, double share);

/* A time by its count: the average; 0 where nothing was counted. */
int64_t tw_mean(int64_t ns, uint64_t n);

/* to - from without overflow on hostile instants; 0 where it would be negative. */
int64_t tw_span(int64_t from, int64_t to);

/* Segments this direction sent, resends included; offload may show them as fewer packets. */
uint64_t tw_segments(const struct tw_direction_summary *d);

/* The direction's MSS, or TW_DEFAULT_MSS where it is not known. */
uint32_t tw_mss(const struct tw_direction_summary *d);

/* Bytes that a path of `bps` bits/s and a round trip of `ns` holds; 0 where either is not known. */
uint64_t tw_path_bytes(double bps, int64_t ns);

/* The least round trip of the direction, from its bill or else the connection's; 0: not known. */
int64_t tw_least_rtt(const struct tw_case *c, int side);

/* How prose calls the two hosts, and how commands must. */
struct tw_hosts {
	char sender[TW_HOST_TEXT];   /* address or name; with the port where both are one host */
	char receiver[TW_HOST_TEXT];
	char sender_address[TW_HOST_TEXT]; /* never with the port */
	char receiver_address[TW_HOST_TEXT];
};

/* Names the hosts of the direction that `side` sends. Escaped: a text's names are hostile bytes. */
void tw_hosts_name(const struct tw_case *c, int side, struct tw_hosts *hosts);

/* Appends to a text of TW_FINDING_TEXT bytes; what does not fit is cut. */
void tw_say(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends " Cost: 3.199 s, 95.0 % of the time." */
void tw_say_cost(char *text, const struct tw_case *c, int64_t ns);

/* Appends the command that sets a route's metric: "ip route replace ADDRESS [via ...] METRIC". */
void tw_say_route(char *text, const char *address, const char *metric);

/* "1 segment", "1,234 segments". */
struct tw_text tw_counted(uint64_t n, const char *noun);

/* "once", "twice", "12 times". */
struct tw_text tw_often(uint64_t n);

/* Adds a piece of evidence where there is room and the packet is not yet among it. */
void tw_evidence_add(struct tw_finding *out, uint64_t packet, int64_t at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds up to `most` of the marks, all with the same note. */
void tw_evidence_marks(struct tw_finding *out, const struct tw_marks *marks, unsigned most,
		       const char *note);

/* The ACK that ended a stall, and when it came; the next send where no ACK was the reason. */
void tw_evidence_release(struct tw_finding *out, const struct tw_interval *stall,
			 const char *note);

#endif
