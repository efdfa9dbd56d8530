/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files of the hosts: what runs inside the lab's namespaces. Used by host.c alone. */
#ifndef TW_LAB_INSIDE_H
#define TW_LAB_INSIDE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "lab/host.h"

/* What the keeper and the hosts are born with. Sockets lead to the program; see message.h. */
struct tw_inside {
	int keeper;                     /* the keeper's socket */
	int host[TW_HOST_COUNT];        /* and those of the hosts */
	int outside[1 + TW_HOST_COUNT]; /* the program's ends of them, to be closed */
	bool with_user;                 /* in a user namespace of its own */
	bool with_gso;                  /* the hosts' devices segment, and the path does it for them */
	uid_t uid;                      /* the caller's ids, seen from outside */
	gid_t gid;
	int path_ns; /* the path's network namespace, by descriptor; the keeper opens it */
	pid_t pids[TW_HOST_COUNT]; /* of the hosts */
	bool has_proc;             /* /proc shows the lab's processes */
};

/* The keeper: first process of the pid namespace. Does not return. */
void tw_keeper_main(struct tw_inside *inside) __attribute__((noreturn));

/* A host: takes a network namespace of its own, then serves its socket. Does not return. */
void tw_inhabit(struct tw_inside *inside, enum tw_host host) __attribute__((noreturn));

/* Tells the program what failed, as the errno and one line. */
void tw_inside_fail(int socket, int error, const char *what);

/* Maps the caller's ids to themselves in a new user namespace. */
int tw_namespace_map_user(uid_t uid, gid_t gid);

/*
 * What the lab's processes see: its own /proc (false in *has_proc where the kernel refuses one, as
 * inside some containers), and names of the hosts in /etc/hosts. Only a mount tree that is not
 * shared is a failure; without names there are still addresses.
 */
int tw_namespace_mounts(bool *has_proc);

/* Makes what `tcpwhy lab on` and network tools need survive exec by a user who is not root. */
int tw_namespace_keep_capabilities(void);

/* Which switch refuses it and how to allow it, for a namespace that was refused with `error`. */
int tw_namespace_explain(int error, struct tw_error *text);

/* Environment of commands: pids of the hosts, for tw_host_enter(). */
#define TW_LAB_PIDS "TCPWHY_LAB"

#endif
