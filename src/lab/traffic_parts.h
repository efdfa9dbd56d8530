/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of lab/traffic_run.h. Instants are CLOCK_MONOTONIC in ns; 0 is "never". */
#ifndef TW_LAB_TRAFFIC_PARTS_H
#define TW_LAB_TRAFFIC_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "lab/traffic.h"
#include "lab/traffic_run.h"

int64_t tw_traffic_now(void);
struct timespec tw_traffic_timespec(int64_t ns);

/* -ETIMEDOUT where the deadline comes first: then it is past. */
int tw_traffic_sleep_until(int64_t instant, int64_t deadline);

/*
 * Writes the settings that `host` asks for. -EPERM where there are some and they are not allowed;
 * or what open() or write() said.
 */
int tw_traffic_set_kernel(const struct tw_traffic_host *host, bool is_allowed,
			  struct tw_error *err);

/* Moves bytes as a host does: its sizes, pauses, stalls, its CPU time. One per thread. */
struct tw_mover {
	int fd;
	const struct tw_traffic_host *host;
	struct tw_sampler *sampler; /* is told of writes; borrowed */
	int64_t deadline; /* the connection is shut down then, by lab/sampler.h */
	unsigned char *buffer;
	int64_t next_read;
	int64_t stalls; /* so far */
	struct tw_traffic_moved moved;
};

/* -ENOMEM. `sampler` is to be set by the caller. */
int tw_mover_init(struct tw_mover *mover, int fd, const struct tw_traffic_host *host,
		  int64_t deadline);
void tw_mover_release(struct tw_mover *mover);

/*
 * Writes `total` bytes: `head` (0: none) in one write, then `piece` in each. 0, -ETIMEDOUT, or what
 * send() said; what was written is in mover->moved all the same.
 */
int tw_mover_write(struct tw_mover *mover, int64_t total, int64_t head, int64_t piece);

/* Reads `wanted` bytes. -ENODATA where the stream ends before; -ETIMEDOUT, or what recv() said. */
int tw_mover_read(struct tw_mover *mover, int64_t wanted);

/*
 * Waits until all that was written is acknowledged; the instant, to a hundredth of the wait (0.1 ms
 * at least, 1 ms at most). `has_ended`: after a shutdown. -ECONNRESET where it never will be.
 */
int tw_mover_drain(const struct tw_mover *mover, bool has_ended, int64_t *instant);

/* Applies the socket options: before connect() or listen(), and on what accept() gave. */
int tw_traffic_set_socket(int fd, const struct tw_traffic_host *host, struct tw_error *err);
int tw_traffic_set_connected(int fd, const struct tw_traffic_host *host, struct tw_error *err);

/*
 * `where` is ADDRESS, ADDRESS:PORT, [ADDRESS]:PORT, :PORT or NULL. The descriptors are the
 * caller's. `start`: when the first SYN was asked for. -ETIMEDOUT.
 */
int tw_traffic_connect(const char *where, const struct tw_traffic_host *host, int64_t deadline,
		       int *fd, int64_t *start, struct tw_error *err);
int tw_traffic_listen(const char *where, const struct tw_traffic_host *host, int *fd,
		      struct tw_error *err);
int tw_traffic_accept(int listening, int64_t deadline, int *fd, struct tw_error *err);

/*
 * Runs the pattern over a connection, as the client or the server of it, and fills `result`.
 * `start`: when the client called connect(), or accept() returned.
 */
int tw_traffic_talk(int fd, const struct tw_traffic *traffic,
		    const struct tw_traffic_options *options, int64_t start, int64_t deadline,
		    struct tw_traffic_result *result, struct tw_error *err);

#endif
