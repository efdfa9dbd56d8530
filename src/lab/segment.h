/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a network device does for a kernel that leaves work to it: cuts a TCP super-packet into
 * segments (TSO), and fills in checksums. Pure: bytes in, frames out, by what the kernel says of
 * the frame in a struct virtio_net_hdr (linux/virtio_net.h; virtio 1.3, section 5.1.6.2), which it
 * gives in this machine's byte order where PACKET_VNET_HDR is set.
 */
#ifndef TW_LAB_SEGMENT_H
#define TW_LAB_SEGMENT_H

#include <stdint.h>

#include <linux/virtio_net.h>

#include "lab/headers.h"

/* Ethernet, IPv4 and TCP with all their options are 134; the rest is for extensions of IPv6. */
enum { TW_SEGMENT_HEADERS_MAX = 320 };

/* The frames that one frame of the kernel becomes. No field is the caller's. */
struct tw_segments {
	uint8_t *frame;
	uint32_t n;     /* its bytes; without `size` */
	uint32_t size;  /* of the data in a segment; 0: the frame is whole, and goes as it is */
	uint32_t at;    /* bytes of data before the next segment */
	uint32_t count; /* segments given so far */
	struct tw_headers headers;
	uint8_t kept[TW_SEGMENT_HEADERS_MAX]; /* the headers as they came */
};

/*
 * Prepares to cut `frame`, which is written to from now on, and has to stay until the last segment
 * is used. 0, or -EBADMSG for what no segments can be made of: headers that are not whole, not TCP,
 * longer than TW_SEGMENT_HEADERS_MAX or not of the protocol in `offload`; a checksum outside of the
 * frame; an offload of another kind than TCP's. The frame is as it was then.
 */
int tw_segments_begin(struct tw_segments *segments, const struct virtio_net_hdr *offload,
		      uint8_t *frame, uint32_t n);

/*
 * The next frame, its bytes in `*n`, valid until the next call; NULL after the last. Each segment
 * has the headers of the super-packet with all options, its own lengths, sequence number and
 * checksums, and in IPv4 the next identification (as inet_gso_segment in net/ipv4/af_inet.c). FIN
 * and PSH are on the last one only, CWR on the first (as tcp_gso_segment in
 * net/ipv4/tcp_offload.c).
 */
const uint8_t *tw_segments_next(struct tw_segments *segments, uint32_t *n);

#endif
