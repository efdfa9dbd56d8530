/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel tells of a TCP socket (TCP_INFO), whatever the kernel's age: a field that it does
 * not have is null in JSON and 0 elsewhere.
 */
#ifndef TW_LAB_TCPINFO_H
#define TW_LAB_TCPINFO_H

#include <stddef.h>
#include <stdint.h>

#include <linux/tcp.h>

#include "base/json.h"

struct tw_tcpinfo {
	union {
		struct tcp_info info;
		unsigned char bytes[512]; /* kernels append fields that our header does not know */
	};
	uint32_t length;        /* of what the kernel gave */
	int64_t sendq;          /* bytes written and not acknowledged; a FIN counts as one */
	int64_t receiveq;       /* bytes received and not read */
	int64_t sndbuf, rcvbuf; /* as the kernel has them now: doubled, or grown by itself */
	char cc[16];            /* congestion control */
};

/* Takes everything. 0, or a negative errno of getsockopt. */
int tw_tcpinfo_take(struct tw_tcpinfo *out, int fd);

/* Only what TCP_INFO itself says, and the queues: cheap enough for every millisecond. */
int tw_tcpinfo_take_sample(struct tw_tcpinfo *out, int fd);

/* tcpi_rcv_wnd of Linux 6.2: the window that was last advertised; 0 where it is not known. */
uint32_t tw_tcpinfo_rcv_wnd(const struct tw_tcpinfo *info);

/* An object `key`; what its members mean is in the table in tcpinfo.c. */
void tw_tcpinfo_json(const struct tw_tcpinfo *info, struct tw_json *json, const char *key);

#endif
