/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the traffic of a scenario from one of its two hosts, over sockets of the kernel. */
#ifndef TW_LAB_TRAFFIC_RUN_H
#define TW_LAB_TRAFFIC_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "lab/sampler.h"
#include "lab/tcpinfo.h"
#include "lab/traffic.h"

struct tw_traffic_options {
	/*
	 * ADDRESS, ADDRESS:PORT, [ADDRESS]:PORT or :PORT; names are resolved. NULL: the client goes
	 * to "server", the server listens at all addresses.
	 */
	const char *where;
	int64_t limit; /* ns from the call until the connection is given up */
	bool with_samples;
	bool with_settings; /* the kernel's settings of the traffic may be written */
};

/* Instants are CLOCK_MONOTONIC in ns, 0 where there was none. */
struct tw_traffic_moved {
	int64_t sent, received; /* bytes that the kernel took, and gave */
	int64_t writes, reads;
	int64_t in_write, in_read; /* ns inside of send() and recv(), blocked or copying */
	int64_t first_read, last_read, last_write;
};

struct tw_traffic_result {
	bool is_server;
	bool is_connected;          /* else nothing else is set */
	bool is_complete;           /* all was said, and nothing failed */
	char local[64], remote[64]; /* "address:port" */
	/*
	 * CLOCK_REALTIME, ns: when the client called connect(), or accept() returned; and when the
	 * last byte was acknowledged (as a sender) or read, whichever was later.
	 */
	int64_t started, ended;
	int64_t connect;    /* ns of connect(); 0 in a server */
	int64_t duration;   /* ns from started to ended */
	int64_t first_byte; /* ns from started to the first byte read; 0: none was */
	struct tw_traffic_moved moved;
	int64_t *trips;  /* ns of each request, from its first write to its reply's last byte */
	int64_t n_trips; /* in a server: requests answered, without times */
	struct tw_tcpinfo info; /* when it ended */
	struct tw_sampler *sampler;
};

/*
 * Connects, or listens and takes one connection, and runs the pattern. 0, or a negative errno with
 * a text; `result` then has what there was until then, and is to be released as after success.
 */
int tw_traffic_client(const struct tw_traffic *traffic, const struct tw_traffic_options *options,
		      struct tw_traffic_result *result, struct tw_error *err);
int tw_traffic_server(const struct tw_traffic *traffic, const struct tw_traffic_options *options,
		      struct tw_traffic_result *result, struct tw_error *err);
void tw_traffic_release(struct tw_traffic_result *result);

/*
 * One line of JSON. `failure`: why it is not complete, or NULL. Sorts the trips. 0, or the first
 * write error.
 */
int tw_traffic_json(struct tw_traffic_result *result, const struct tw_traffic *traffic,
		    const char *failure, FILE *out);

#endif
