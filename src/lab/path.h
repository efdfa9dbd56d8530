/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an emulated path does to the frames that cross it, and the text that says so:
 *
 *     rate=100mbit delay=10ms queue=64k there.loss=1% back.thin=4 there.drop=syn
 *
 * Words are parted by blanks or commas and hold for both directions, or, led by `there.` (client to
 * server) or `back.` (server to client), for one. What a word says of a host is led by `client.` or
 * `server.` instead. Later words win. Where tc-netem(8) has a word for
 * it, the word and its meaning are netem's, but for jitter, which does not reorder here.
 */
#ifndef TW_LAB_PATH_H
#define TW_LAB_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "lab/freeze.h"

enum {
	TW_SHARE_ONE = 1000000000, /* shares are in parts of 10^9: 0.0000001 % */
	TW_PATH_TEXT_MAX = 4096,   /* bytes that any path needs as a text, with its NUL */
};

/* A size of a queue; 0: no limit by this count. */
struct tw_amount {
	int64_t bytes;
	int64_t packets;
};

/*
 * From `from` until before `to`, ns since the first frame entered the link; none where they are
 * equal.
 */
struct tw_span {
	int64_t from;
	int64_t to;
};

/*
 * Gilbert-Elliott loss, the four numbers of netem's gemodel as shares: good to bad, bad to good (so
 * that the mean burst is 1/r packets), loss while bad, loss while good. p = 0: none.
 */
struct tw_gemodel {
	int64_t p, r, bad, good;
};

/*
 * Loss by rule. All counts are of one connection and one direction, 0: rule not used. A segment
 * that a rule drops counts as sent: what comes next with the same bytes is its resend.
 */
struct tw_rules {
	int64_t syn;    /* the first so many SYNs */
	int64_t synack; /* the first so many SYN-ACKs */
	int64_t fin;    /* the first so many FINs */
	/*
	 * The last segments of the first so many messages, once each. A message's last segment is
	 * one with PSH and data that ends higher than any before. (Linux sets PSH where the send
	 * queue ends, so this is each write that was sent before the next one came; a bulk transfer
	 * has them where the writer was slower than the network, and at its end.)
	 */
	int64_t last;
	int64_t resend; /* the first so many segments whose data had all been sent before */
	int64_t every;  /* every so many-th data segment, resends counted too */
	int64_t nth_from, nth_to; /* data segments number from..to (from 1), once */
};

enum tw_strip {
	TW_STRIP_WSCALE = 1,     /* RFC 7323 section 2.2 */
	TW_STRIP_SACK = 2,       /* SACK-permitted, RFC 2018 section 2 */
	TW_STRIP_TIMESTAMPS = 4, /* RFC 7323 section 3.2 */
};

/* One direction; 0 everywhere is a wire without any limit. */
struct tw_link_options {
	int64_t rate;       /* bit/s of the bottleneck, counting frame bytes (Ethernet header, no FCS) */
	int64_t overhead;   /* bytes that a frame costs beyond its own; 24 on real Ethernet */
	struct tw_amount queue; /* what the bottleneck holds at most, the frame being sent included */
	struct tw_amount ecn;   /* with more than this in the queue, ECT packets are marked CE */
	int64_t delay;      /* ns beyond the bottleneck */
	/*
	 * ns: the delay is between delay - jitter (but not < 0) and delay + jitter. It wanders:
	 * points four jitters apart in time are even in that range, and between two it moves in a
	 * straight line. It never reorders, as jitter on a real path does not; netem's, drawn for
	 * each frame, does.
	 */
	int64_t jitter;
	int64_t reorder;    /* share of frames that do not keep their place */
	int64_t reorder_by; /* ns by which these come late; 0: they skip the delay, as in netem */
	int64_t duplicate;  /* share of frames that arrive twice */
	int64_t loss;       /* share of IP packets */
	struct tw_gemodel gemodel;
	struct tw_rules drop;
	int64_t ackloss;    /* share of TCP segments that only acknowledge */
	int64_t thin;       /* of so many ACKs in a row one passes, the newest */
	int64_t police;     /* bit/s of frame bytes: what exceeds it is dropped, not queued */
	int64_t burst;      /* bytes of the policer's bucket; 0: 10 ms of its rate, 3 kB at least */
	int64_t mtu;        /* bytes of an IP packet; larger ones are dropped */
	int64_t icmp;       /* 1: and the sender is told so, where it set DF */
	int64_t strip;      /* a set of enum tw_strip */
	int64_t seqrand;    /* 1: sequence numbers are shifted, those in SACK blocks forgotten */
	struct tw_span outage;
	int64_t memory;     /* bytes that waiting frames may take, then drops; 0: 128 MiB */
	struct tw_freeze freeze; /* the host at this direction's near end; not the link's: see lab/pump.h */
	int64_t is_back;    /* 1 in the direction from server to client; parts the draws of the two */
};

struct tw_path {
	struct tw_link_options there; /* client to server */
	struct tw_link_options back;  /* server to client */
};

/*
 * The parameters: X(word, kind of value, field, least, most, help). A number is 0 ("none") or
 * within least and most, in the unit of its field. Kinds are in lab/value.h.
 */
#define TW_PATH_PARAMETERS(X)                                                                          \
	X("rate", RATE, rate, 1000, 1000000000000, "rate of the bottleneck, counting Ethernet frames") \
	X("overhead", SIGNED, overhead, -14, 256, "bytes a frame costs beyond its own (Ethernet: 24)") \
	X("queue", AMOUNT, queue, 1, 1 << 30, "limit of the bottleneck's queue; beyond it, tail drop") \
	X("ecn", AMOUNT, ecn, 1, 1 << 30, "mark ECT packets CE while the queue holds more than this")  \
	X("delay", TIME, delay, 1, 3600000000000, "one-way delay")                                     \
	X("jitter", TIME, jitter, 1, 3600000000000, "the delay wanders by +- this, in order")          \
	X("reorder", SHARE, reorder, 1, TW_SHARE_ONE, "frames that skip the delay (see reorder-by)")   \
	X("reorder-by", TIME, reorder_by, 1, 3600000000000, "these frames come later by this instead") \
	X("duplicate", SHARE, duplicate, 1, TW_SHARE_ONE, "frames that arrive twice")                  \
	X("loss", SHARE, loss, 1, TW_SHARE_ONE, "packets lost at random")                              \
	X("gemodel", GEMODEL, gemodel, 1, TW_SHARE_ONE, "losses in bursts (Gilbert-Elliott)")          \
	X("drop", RULES, drop, 1, 1000000000, "losses by rule, joined by +")                           \
	X("ackloss", SHARE, ackloss, 1, TW_SHARE_ONE, "pure ACKs lost at random")                      \
	X("thin", COUNT, thin, 2, 1000, "of this many ACKs in a row only the newest passes")           \
	X("police", RATE, police, 1000, 1000000000000, "token bucket: what exceeds it is dropped")     \
	X("burst", SIZE, burst, 1514, 1 << 30, "bucket of the policer")                                \
	X("mtu", SIZE, mtu, 68, 65535, "larger IP packets vanish (black hole)")                        \
	X("icmp", FLAG, icmp, 1, 1, "with mtu: the sender is told, if it set DF")                      \
	X("strip", STRIP, strip, 1, 7, "TCP options that a middlebox overwrites, joined by +")         \
	X("seqrand", FLAG, seqrand, 1, 1, "a firewall shifts SEQ and ACK, but not SACK blocks")        \
	X("outage", SPAN, outage, 0, 86400000000000, "nothing enters, from..to since the first frame") \
	X("memory", SIZE, memory, 1 << 16, INT64_C(1) << 32, "ceiling on what waiting frames may take") \
	X("freeze", TIME, freeze.length, 1, 3600000000000, "client. or server.: the host stands still so long") \
	X("freeze-every", TIME, freeze.every, 1, 3600000000000, "... once in this time (1s)")

struct tw_word; /* lab/words.h */

/* The parameter that `name` means, with `there.` or `back.` before it or without; NULL: none. */
const struct tw_word *tw_path_word(const char *name);

/* A path without any limit, loss or delay. */
void tw_path_init(struct tw_path *path);

/*
 * Applies the words of `text` to `path`, which must have been initialised. -EINVAL with a text that
 * names the word and says what would be right; the path is then as before.
 */
int tw_path_parse(struct tw_path *path, const char *text, struct tw_error *err);

/*
 * Writes what differs from a plain path as words that tw_path_parse reads back to the same path; ""
 * for a plain one. -ENOSPC where `size` bytes do not hold it: TW_PATH_TEXT_MAX always do.
 */
int tw_path_format(const struct tw_path *path, char *out, size_t size);

/* Calls `line` for each parameter: its word, the form of its values, its help. All are static. */
void tw_path_help(void (*line)(void *user, const char *word, const char *form, const char *help),
		  void *user);

/* Whether every parameter of a direction is within its range. */
bool tw_link_options_valid(const struct tw_link_options *options);

#endif
