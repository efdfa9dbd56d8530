/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the program and the processes inside a lab say to each other, over SOCK_SEQPACKET socket
 * pairs: one fixed head, some bytes behind it, some file descriptors. When one side dies the other
 * reads the end of the file, so the same sockets are what binds their lives together.
 */
#ifndef TW_LAB_MESSAGE_H
#define TW_LAB_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

enum tw_message_kind {
	TW_MESSAGE_READY = 1, /* the sender has set itself up; `value`: see there */
	TW_MESSAGE_FAILED, /* it could not: `value` is the negative errno, the bytes are the line */
	TW_MESSAGE_OPEN,  /* keeper: open the packet sockets; answered by READY with both */
	TW_MESSAGE_COUNT, /* keeper: answered by READY with the devices' lost frames (uint64_t) */
	TW_MESSAGE_START, /* host: run the words in the bytes; three descriptors may follow */
	TW_MESSAGE_STARTED,   /* its pid */
	TW_MESSAGE_SIGNAL,    /* host: signal `value` to `pid`, as in kill(2) */
	TW_MESSAGE_ENDED,     /* `pid` ended with wait status `value` */
	TW_MESSAGE_LISTENING, /* host: is there a listening socket? Answered in kind by `value` */
};

enum {
	TW_MESSAGE_MAX = 128 << 10, /* bytes behind the head; below the default socket buffer */
	TW_MESSAGE_FDS = 4,
};

struct tw_message {
	uint32_t kind;
	int32_t pid; /* in the lab's own pid namespace */
	int32_t value;
	uint32_t n; /* bytes behind the head */
};

/*
 * Sends head, `n` bytes and `n_fds` descriptors (which stay the caller's). 0 or a negative errno:
 * -EMSGSIZE over the limits, -EPIPE where the other side is gone.
 */
int tw_message_send(int socket, struct tw_message head, const void *bytes, size_t n, const int *fds,
		    unsigned n_fds);

/*
 * Waits for a message. Its bytes go to `bytes` (room for `room`; NUL-terminated where there is
 * room, cut where there is not), its descriptors to `fds` (room for TW_MESSAGE_FDS; NULL: they are
 * closed), close-on-exec and owned by the caller, how many to `n_fds`. 0, -EPIPE at the end,
 * another negative errno.
 */
int tw_message_receive(int socket, struct tw_message *head, void *bytes, size_t room, int *fds,
		       unsigned *n_fds);

#endif
