/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The traffic of a scenario: what a client and a server say to each other over one connection, how
 * each goes about it, and the text that says so:
 *
 *     pattern=bulk dir=down bytes=8m write=64k server.sndbuf=16k client.read-pause=5ms
 *
 * Words as in lab/words.h; they hold for both hosts, or, led by `client.` or `server.`, for one.
 *
 * Three patterns. `bulk`: `bytes` one way or both, then a shutdown. `pull`: a request, answered
 * with `bytes` and a shutdown. `request`: `count` requests with their replies, one after the other.
 * A message (request or reply) can be written in pieces: a head of its own, then equal parts. All
 * that is written is ended by a shutdown, and by waiting for the other's: so each knows that the
 * other has read everything.
 */
#ifndef TW_LAB_TRAFFIC_H
#define TW_LAB_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "lab/value.h"
#include "lab/words.h"

enum {
	TW_TRAFFIC_MESSAGE_MAX = 64 << 20, /* bytes of a request, a reply, a write or a read */
	TW_TRAFFIC_COUNT_MAX = 1000000,    /* requests: their round trips are all kept */
	TW_TRAFFIC_PORT = 5001,
};

/* One host. 0: as the kernel has it, or none, if not said otherwise. */
struct tw_traffic_host {
	/* The pattern: the same in both hosts. */
	int64_t pattern;                      /* enum tw_pattern */
	int64_t dir;                          /* enum tw_dir; of bulk */
	int64_t bytes;                        /* of bulk each way, or of pull's answer */
	int64_t count;                        /* of requests */
	int64_t request, reply;               /* bytes of a message */
	int64_t request_head, reply_head;     /* bytes of its first write; 0: as the others */
	int64_t request_writes, reply_writes; /* writes that it takes, the head's included */
	/* How it reads and writes. */
	int64_t think; /* ns from a request's last byte to the reply's first write; in a server */
	int64_t gap;   /* ns from a reply's last byte to the next request; in a client */
	int64_t write; /* bytes per write of a bulk; 0: 64k */
	int64_t pause; /* ns: write number k of a bulk or message is not before k pauses */
	int64_t read;  /* bytes per read; 0: 64k */
	int64_t read_pause;             /* ns from one read to the next, at least */
	int64_t stall_after, stall_for; /* after so many bytes moved, idle for so many ns */
	int64_t stall_times;            /* and again after as many more, so often; 0: once */
	int64_t work;                   /* ns of CPU time before each write and after each read */
	/* Options of its socket. */
	int64_t nodelay;  /* 1: TCP_NODELAY */
	int64_t cork;     /* enum tw_cork: TCP_CORK around each message, or on and never off */
	int64_t quickack; /* LEVEL: TCP_QUICKACK at the begin and after each read */
	int64_t sndbuf, rcvbuf; /* as SO_SNDBUF takes them; Linux doubles them */
	int64_t notsent_lowat;  /* TCP_NOTSENT_LOWAT */
	int64_t maxseg;         /* TCP_MAXSEG */
	struct tw_name cc;      /* TCP_CONGESTION */
	int64_t pacing;         /* bit/s, SO_MAX_PACING_RATE */
	/* Settings of its kernel: LEVELs and TRIPLEs, see TW_TRAFFIC_SETTINGS. */
	int64_t timestamps, sack, window_scaling, ecn, slow_start_after_idle, no_metrics_save;
	int64_t mtu_probing, recovery, early_retrans, frto, moderate_rcvbuf, autocorking;
	struct tw_triple rmem, wmem;
};

struct tw_traffic {
	struct tw_traffic_host client, server;
};

/*
 * What is said of the hosts: X(word, kind of value, field, least, most, shared, help). A number is
 * 0 ("none") or within least and most, in the unit of its field. Shared ones take no host's name.
 */
#define TW_TRAFFIC_PARAMETERS(X)                                                                   \
	X("pattern", PATTERN, pattern, 1, 3, true, "who says what: see above")                     \
	X("dir", DIR, dir, 1, 3, true, "bulk: client to server (up), down, or both")               \
	X("bytes", SIZE, bytes, 1, INT64_C(1) << 40, true, "of a bulk each way, or of the answer") \
	X("count", COUNT, count, 1, TW_TRAFFIC_COUNT_MAX, true, "number of requests")              \
	X("request", SIZE, request, 1, TW_TRAFFIC_MESSAGE_MAX, true, "bytes of a request")         \
	X("reply", SIZE, reply, 1, TW_TRAFFIC_MESSAGE_MAX, true, "bytes of a reply")               \
	X("request-head", SIZE, request_head, 1, 1 << 20, true, "bytes of its first write")        \
	X("reply-head", SIZE, reply_head, 1, 1 << 20, true, "bytes of its first write")            \
	X("request-writes", COUNT, request_writes, 1, 1000, true, "writes that a request takes")   \
	X("reply-writes", COUNT, reply_writes, 1, 1000, true, "writes that a reply takes")         \
	X("think", TIME, think, 1, 3600000000000, false, "the server waits before it answers")     \
	X("gap", TIME, gap, 1, 3600000000000, false, "the client waits before the next request")   \
	X("write", SIZE, write, 1, TW_TRAFFIC_MESSAGE_MAX, false, "bytes per write")               \
	X("pause", TIME, pause, 1, 3600000000000, false, "one write in this time, as by a clock")  \
	X("read", SIZE, read, 1, TW_TRAFFIC_MESSAGE_MAX, false, "bytes per read, at most")         \
	X("read-pause", TIME, read_pause, 1, 3600000000000, false, "between two reads, at least")  \
	X("stall-after", SIZE, stall_after, 1, INT64_C(1) << 40, false, "stop after so many")      \
	X("stall-for", TIME, stall_for, 1, 3600000000000, false, "how long it stops then")         \
	X("stall-times", COUNT, stall_times, 1, 1000000, false, "and again after as many more")    \
	X("work", TIME, work, 1, 3600000000000, false, "CPU time that a write or read costs")      \
	X("nodelay", FLAG, nodelay, 1, 1, false, "TCP_NODELAY: no Nagle")                          \
	X("cork", CORK, cork, 1, 2, false, "TCP_CORK around each message, or never off")           \
	X("quickack", LEVEL, quickack, 1, 2, false, "TCP_QUICKACK, again after each read")         \
	X("sndbuf", SIZE, sndbuf, 2304, 1 << 30, false, "SO_SNDBUF; the kernel doubles it")        \
	X("rcvbuf", SIZE, rcvbuf, 1152, 1 << 30, false, "SO_RCVBUF; the kernel doubles it")        \
	X("notsent-lowat", SIZE, notsent_lowat, 1, 1 << 30, false, "TCP_NOTSENT_LOWAT")            \
	X("maxseg", SIZE, maxseg, 88, 32767, false, "TCP_MAXSEG: bytes of a segment, at most")     \
	X("cc", NAME, cc, 0, 0, false, "TCP_CONGESTION: the congestion control")                   \
	X("pacing", RATE, pacing, 1000, 1000000000000, false, "SO_MAX_PACING_RATE")

/*
 * What is said of their kernels: X(word, kind, field, least, most, name under /proc/sys/net/ipv4,
 * help). LEVELs have their number plus 1 in the field and in the range.
 */
#define TW_TRAFFIC_SETTINGS(X)                                                                     \
	X("timestamps", LEVEL, timestamps, 1, 3, "tcp_timestamps", "RFC 7323 timestamps")          \
	X("sack", LEVEL, sack, 1, 2, "tcp_sack", "selective acknowledgements")                     \
	X("window-scaling", LEVEL, window_scaling, 1, 2, "tcp_window_scaling", "windows over 64k") \
	X("ecn", LEVEL, ecn, 1, 6, "tcp_ecn", "ECN; 2: only if the other asks for it")             \
	X("slow-start-after-idle", LEVEL, slow_start_after_idle, 1, 2,                             \
	  "tcp_slow_start_after_idle", "begin small again after a pause")                          \
	X("no-metrics-save", LEVEL, no_metrics_save, 1, 2, "tcp_no_metrics_save",                  \
	  "1: connections learn nothing from earlier ones")                                        \
	X("rmem", TRIPLE, rmem, 1, 1 << 30, "tcp_rmem", "receive buffer without rcvbuf")           \
	X("wmem", TRIPLE, wmem, 1, 1 << 30, "tcp_wmem", "send buffer without sndbuf")              \
	X("mtu-probing", LEVEL, mtu_probing, 1, 3, "tcp_mtu_probing", "1: after a black hole")     \
	X("recovery", LEVEL, recovery, 1, 256, "tcp_recovery", "0: no RACK (until Linux 6.16)")    \
	X("early-retrans", LEVEL, early_retrans, 1, 5, "tcp_early_retrans", "3: tail loss probes") \
	X("frto", LEVEL, frto, 1, 3, "tcp_frto", "detect timeouts that were not needed")           \
	X("moderate-rcvbuf", LEVEL, moderate_rcvbuf, 1, 2, "tcp_moderate_rcvbuf",                  \
	  "let the receive buffer grow by itself")                                                 \
	X("autocorking", LEVEL, autocorking, 1, 2, "tcp_autocorking", "join small writes that wait")

/* The parameter that `name` means, with `client.` or `server.` before it or without; NULL: none. */
const struct tw_word *tw_traffic_word(const char *name);

/* Defaults: pattern=bulk dir=down bytes=1m count=100 request=100 reply=100. */
void tw_traffic_init(struct tw_traffic *traffic);

/*
 * Applies the words of `text` to `traffic`, which must have been initialised. -EINVAL with a text
 * that names the word and says what would be right; `traffic` is then as before.
 */
int tw_traffic_parse(struct tw_traffic *traffic, const char *text, struct tw_error *err);

/* Whether the parameters go together: 0, or -EINVAL with a text. */
int tw_traffic_check(const struct tw_traffic *traffic, struct tw_error *err);

/*
 * Writes what differs from the defaults as words that tw_traffic_parse reads back to the same. As
 * tw_path_format; TW_WORDS_TEXT_MAX bytes always suffice.
 */
int tw_traffic_format(const struct tw_traffic *traffic, char *out, size_t size);

void tw_traffic_help(void (*line)(void *user, const char *word, const char *form, const char *help),
		     void *user);

#endif
