/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pcap file held in memory, for test tools only: both byte orders, micro- and nanoseconds, gzip
 * where built with zlib. It is written back in this machine's byte order, resolution kept.
 */
#ifndef TW_GEN_PCAPFILE_H
#define TW_GEN_PCAPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture_packet {
	int64_t at;             /* ns since 1970 */
	uint32_t captured, length;
	size_t offset;          /* of its bytes in capture.bytes */
	bool dropped;           /* not written */
};

struct capture {
	struct capture_packet *packets;
	size_t n;
	uint8_t *bytes;
	uint32_t link, snap;
	bool nano;
};

/* Reads "-" as standard input. 0, or -1 with one line in `error`. */
int capture_read(struct capture *capture, const char *path, char *error, size_t size);
/* Writes what is not dropped. 0, or -1 with errno. */
int capture_write(const struct capture *capture, const char *path);
void capture_release(struct capture *capture);

/* The TCP header of a captured packet and what stands around it; offsets are into the packet. */
struct tcp_view {
	unsigned ip;            /* offset of the IP header */
	unsigned version;       /* 4 or 6 */
	unsigned tcp;           /* offset of the TCP header */
	unsigned header;        /* its length, options included */
	unsigned options;       /* length of those captured */
	uint32_t payload;       /* by the IP length; may not be captured */
	uint32_t ip_length;     /* IP header and all behind it */
	uint32_t seq, ack;
	uint8_t flags;
	uint8_t endpoint[2][18];/* source, destination: address (zero-filled) and port */
};

/* False where the packet holds no TCP header over IPv4, or IPv6 without extensions. */
bool tcp_view(const struct capture *capture, const struct capture_packet *packet,
	      struct tcp_view *out);

static inline uint32_t get16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t get32(const uint8_t *p)
{
	return get16(p) << 16 | get16(p + 2);
}

#endif
