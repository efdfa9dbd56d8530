/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/segment.h"

#include <errno.h>
#include <string.h>

#include "lab/checksum.h"

enum { TCP_SEQ = 4, TCP_FLAGS = 13, TCP_CHECKSUM = 16, IPV6_HEADER = 40 };

/*
 * Fills in a checksum over all from `start` to the frame's end. The field holds the sum of the
 * pseudo-header; 0 is sent as its other form, since in UDP it would say that there is none (RFC
 * 768), as skb_checksum_help in net/core/dev.c does for all protocols.
 */
static void finish(uint8_t *frame, uint32_t n, uint32_t start, uint32_t offset)
{
	uint16_t sum = tw_checksum_fold(tw_checksum_add(0, frame + start, n - start));

	tw_put16(frame + start + offset, sum ? sum : 0xffff);
}

static int begin_whole(const struct virtio_net_hdr *offload, uint8_t *frame, uint32_t n)
{
	uint32_t start = offload->csum_start, offset = offload->csum_offset;

	if (!(offload->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM))
		return 0;
	if (start + offset + 2 > n)
		return -EBADMSG;
	finish(frame, n, start, offset);
	return 0;
}

static int begin_tcp(struct tw_segments *s, const struct virtio_net_hdr *offload, uint32_t n)
{
	/* Whether CWR was set is in the headers, too. */
	uint8_t type = offload->gso_type & (uint8_t)~VIRTIO_NET_HDR_GSO_ECN;
	uint8_t version = type == VIRTIO_NET_HDR_GSO_TCPV4 ? 4 :
			  type == VIRTIO_NET_HDR_GSO_TCPV6 ? 6 :
							     0;
	struct tw_headers *h = &s->headers;

	if (!version || !offload->gso_size)
		return -EBADMSG;
	tw_headers_find(h, s->frame, n);
	if (h->version != version || !h->tcp || h->tcp + h->tcp_header > sizeof(s->kept))
		return -EBADMSG;
	/* Another place would be that of a packet within this one: a tunnel's. */
	if (!(offload->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) || offload->csum_start != h->tcp ||
	    offload->csum_offset != TCP_CHECKSUM)
		return -EBADMSG;
	memcpy(s->kept, s->frame, h->tcp + h->tcp_header);
	s->size = offload->gso_size;
	return 0;
}

int tw_segments_begin(struct tw_segments *s, const struct virtio_net_hdr *offload, uint8_t *frame,
		      uint32_t n)
{
	s->frame = frame;
	s->n = n;
	s->size = s->at = s->count = 0;
	return offload->gso_type == VIRTIO_NET_HDR_GSO_NONE ? begin_whole(offload, frame, n) :
							      begin_tcp(s, offload, n);
}

/* The IP header of a segment whose packet has `total` bytes. */
static void write_ip(const struct tw_segments *s, uint8_t *ip, uint32_t total)
{
	uint32_t header = s->headers.tcp - TW_ETHER_HEADER;

	if (s->headers.version == 6) {
		tw_put16(ip + 4, total - IPV6_HEADER);
		return;
	}
	tw_put16(ip + 2, total);
	tw_put16(ip + 4, tw_get16(ip + 4) + s->count);
	tw_put16(ip + 10, 0);
	tw_put16(ip + 10, tw_checksum_fold(tw_checksum_add(0, ip, header)));
}

/* The TCP header of a segment with `payload` bytes, up to its checksum. */
static void write_tcp(const struct tw_segments *s, uint8_t *tcp, uint32_t payload)
{
	const struct tw_headers *h = &s->headers;
	uint64_t pseudo = tw_get16(tcp + TCP_CHECKSUM);

	tw_put32(tcp + TCP_SEQ, h->seq + s->at);
	if (s->at)
		tcp[TCP_FLAGS] &= (uint8_t)~TW_TCP_CWR;
	if (s->at + payload < h->payload)
		tcp[TCP_FLAGS] &= (uint8_t) ~(TW_TCP_FIN | TW_TCP_PSH);
	/*
	 * Of the pseudo-header only the length is another, so that it need not be known what else
	 * is in it (with a routing header of IPv6 not the address in sight).
	 */
	pseudo += (uint16_t) ~(h->tcp_header + h->payload) + (uint64_t)h->tcp_header + payload;
	tw_put16(tcp + TCP_CHECKSUM, (uint16_t)~tw_checksum_fold(pseudo));
}

/*
 * A segment is made where its data lie: its headers go over the end of the segment before, which is
 * out already. So 64 kB need not be moved.
 */
const uint8_t *tw_segments_next(struct tw_segments *s, uint32_t *n)
{
	const struct tw_headers *h = &s->headers;
	uint32_t headers = h->tcp + h->tcp_header, payload;
	uint8_t *to = s->frame + s->at;

	if (s->count && (!s->size || s->at >= h->payload))
		return NULL;
	if (!s->size) {
		s->count++;
		*n = s->n;
		return s->frame;
	}
	payload = h->payload - s->at < s->size ? h->payload - s->at : s->size;
	memcpy(to, s->kept, headers);
	write_ip(s, to + TW_ETHER_HEADER, headers - TW_ETHER_HEADER + payload);
	write_tcp(s, to + h->tcp, payload);
	finish(to, headers + payload, h->tcp, TCP_CHECKSUM);
	s->at += payload;
	s->count++;
	*n = headers + payload;
	return to;
}
