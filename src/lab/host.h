/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two hosts, `client` and `server`, each a network namespace of this machine, and between them a
 * third one that carries nothing by itself: its two devices are handed out as packet sockets.
 * Nothing has a name outside: no file, no device, no network namespace of the caller's host. All
 * processes live in a pid namespace whose first process ends when the caller does, however it ends,
 * and takes everything with it.
 *
 * An ordinary user gets a user namespace around it (same uid; over the lab's network, what root
 * may).
 */
#ifndef TW_LAB_HOST_H
#define TW_LAB_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum tw_host { TW_HOST_CLIENT, TW_HOST_SERVER, TW_HOST_COUNT };

struct tw_hosts;

/* "client", "server". */
const char *tw_host_name(enum tw_host host);

/* "192.0.2.1", "192.0.2.2" (RFC 5737); of IPv6 "2001:db8::1", "2001:db8::2" (RFC 3849). */
const char *tw_host_address(enum tw_host host, bool is_ipv6);

/*
 * Builds the hosts. Forks: call it before any thread is started. 0, or a negative errno with a line
 * that says what is missing and how to allow it. `*out` is owned by the caller.
 *
 * `with_gso`: the hosts leave TCP segmentation and checksums to their devices, and whoever carries
 * the frames has to do it (lab/segment.h). Else frames come as a wire has them.
 */
int tw_hosts_new(struct tw_hosts **out, bool with_gso, struct tw_error *error);

/* Ends every process of the lab; when it returns none is left. NULL is fine. */
void tw_hosts_free(struct tw_hosts *hosts);

/*
 * Takes the path's two ends, once: packet sockets for tw_ring_map(), owned by the caller. What is
 * written to fds[TW_HOST_CLIENT] arrives at the client.
 */
int tw_hosts_path(struct tw_hosts *hosts, int fds[TW_HOST_COUNT], struct tw_error *error);

/*
 * Starts a command on a host: `words` as for execvp, NULL-terminated. `stdio` holds its descriptors
 * 0, 1 and 2; NULL: the caller's. `is_apart`: in a session of its own, out of reach of the
 * terminal. A command that cannot be run says so on its standard error and ends with 127 (not
 * found) or 126.
 */
int tw_host_start(struct tw_hosts *hosts, enum tw_host host, char *const words[], const int *stdio,
		  bool is_apart, pid_t *pid);

/* As kill(2), with a pid of tw_host_start(), or its negative for the session of one apart. */
int tw_host_signal(struct tw_hosts *hosts, enum tw_host host, pid_t pid, int signal_number);

/* Whether the host has a listening TCP socket, or a UDP socket without a peer. */
int tw_host_is_listening(struct tw_hosts *hosts, enum tw_host host, bool *is_listening);

/* Readable when tw_host_ended() may have something to tell. Not to be read. */
int tw_host_fd(const struct tw_hosts *hosts, enum tw_host host);

/*
 * The next command that ended: 1, with its wait status; 0 where there is none yet; -EPIPE where the
 * host itself is gone. Does not wait.
 */
int tw_host_ended(struct tw_hosts *hosts, enum tw_host host, pid_t *pid, int *status);

/* Frames that devices of the lab dropped so far: 0, or the emulation is not to be believed. */
int tw_hosts_dropped(struct tw_hosts *hosts, uint64_t *frames);

/*
 * For a process inside a lab: goes over to another of its hosts, as `tcpwhy lab on HOST` does. By
 * the environment that tw_host_start() gives. -ENOENT: not in a lab.
 */
int tw_host_enter(enum tw_host host, struct tw_error *error);

#endif
