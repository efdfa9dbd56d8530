/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IPv4 (RFC 791) and IPv6 (RFC 8200) down to TCP. The payload is what the IP header says, never
 * what the frame holds: short frames are padded. Only where offload left the length field 0 does
 * the frame's length stand in.
 */
#include <endian.h>

#include "packet/layer.h"

enum {
	HOP_BY_HOP = 0,
	ROUTING = 43,
	FRAGMENT = 44,
	AUTHENTICATION = 51,
	DESTINATION_OPTIONS = 60,
};

/* Most common first. */
static const struct tw_layer protocols[] = {
	{ 17, "UDP", NULL },
	{ 1, "ICMP", NULL },
	{ 58, "ICMPv6", NULL },
	{ 132, "SCTP", NULL },
	{ 47, "GRE", NULL },
	{ 50, "ESP", NULL },
	{ 2, "IGMP", NULL },
	{ 4, "IP in IP", NULL },
	{ 41, "IPv6 in IP", NULL },
	{ 89, "OSPF", NULL },
	{ 88, "EIGRP", NULL },
	{ 103, "PIM", NULL },
	{ 112, "VRRP", NULL },
	{ 46, "RSVP", NULL },
	{ 33, "DCCP", NULL },
	{ 136, "UDP-Lite", NULL },
	{ 115, "L2TP", NULL },
	{ 97, "Ethernet in IP", NULL },
	{ 108, "IPComp", NULL },
	{ 137, "MPLS in IP", NULL },
	{ 59, "IPv6 without payload", NULL },
	{ 135, "Mobile IPv6", NULL },
	{ 139, "HIP", NULL },
	{ 140, "Shim6", NULL },
};

static enum tw_decoded other_protocol(struct tw_frame *frame, uint8_t protocol)
{
	return tw_frame_by_table(frame, protocols, TW_ROWS(protocols), protocol,
				 "unknown IP protocol");
}

/* As ::ffff:a.b.c.d, stored by 8 bytes as it is read again: reads over smaller stores stall. */
static void set_ipv4(struct tw_endpoint *endpoint, const uint8_t *p)
{
	uint64_t low = htobe64(UINT64_C(0xffff) << 32 | tw_be32(p));

	memset(endpoint->addr, 0, 8);
	memcpy(endpoint->addr + 8, &low, 8);
	endpoint->is_name = 0;
}

static void set_ipv6(struct tw_endpoint *endpoint, const uint8_t *p)
{
	memcpy(endpoint->addr, p, 16);
	endpoint->is_name = 0;
}

static bool is_extension(uint8_t protocol)
{
	return protocol == HOP_BY_HOP || protocol == ROUTING || protocol == FRAGMENT ||
	       protocol == AUTHENTICATION || protocol == DESTINATION_OPTIONS;
}

/*
 * The fragment header (RFC 8200 section 4.5). False for a later fragment, whose next header is
 * that of the first. One of offset 0 that is the last as well is a whole packet (RFC 6946).
 */
static bool is_first_fragment(struct tw_frame *frame, const uint8_t *p)
{
	uint16_t field = tw_be16(p + 2);

	if (field & 0xfff8)
		return false;
	if (field & 1)
		frame->packet->has |= TW_IS_FRAGMENT;
	return true;
}

/* Walks a chain of extension headers that begins with `next`. */
static enum tw_decoded decode_extensions(struct tw_frame *frame, uint8_t next)
{
	while (is_extension(next)) {
		const uint8_t *p = frame->in.at;
		uint32_t length = 8;

		if (++frame->nesting > TW_MAX_NESTING)
			return TW_DECODED_MALFORMED;
		if (!tw_frame_has(frame, 8))
			return tw_frame_lacks(frame, 8);
		if (next == AUTHENTICATION)
			length = ((uint32_t)p[1] + 2) * 4; /* RFC 4302 section 2.2 */
		else if (next != FRAGMENT)
			length = ((uint32_t)p[1] + 1) * 8;
		if (!tw_frame_has(frame, length))
			return tw_frame_lacks(frame, length);
		if (next == FRAGMENT && !is_first_fragment(frame, p)) {
			if (p[0] == TW_IPPROTO_TCP || is_extension(p[0]))
				return TW_DECODED_FRAGMENT;
			return other_protocol(frame, p[0]);
		}
		next = p[0];
		tw_cursor_skip(&frame->in, length);
	}
	if (next == TW_IPPROTO_TCP)
		return tw_decode_tcp(frame);
	return other_protocol(frame, next);
}

/* Nearly every packet comes through here: TCP is read in the same function. */
__attribute__((flatten)) enum tw_decoded tw_decode_ipv4(struct tw_frame *frame)
{
	struct tw_packet *packet = frame->packet;
	const uint8_t *p;
	uint32_t header;
	uint32_t total;
	uint32_t fragment;
	uint32_t has = TW_HAS_IP_ID | TW_HAS_ECN | TW_HAS_TTL;

	if (!tw_frame_has(frame, 20))
		return tw_frame_lacks(frame, 20);
	p = tw_cursor_take(&frame->in, 20);
	header = (p[0] & 0xfu) * 4;
	total = tw_be16(p + 2);
	fragment = tw_be16(p + 6);
	if (p[0] != 0x45 && (p[0] >> 4 != 4 || header < 20))
		return TW_DECODED_MALFORMED;
	if (total && total < header)
		return TW_DECODED_MALFORMED;
	/*
	 * 0: the card or driver was to fill it in for each segment of a TSO packet, or the packet
	 * is longer than the field can say (Linux BIG TCP, iph_set_totlen in linux/ip.h).
	 */
	if (total)
		tw_frame_bound(frame, total - 20);
	else
		has |= TW_LENGTH_FROM_CAPTURE;
	if (header > 20) {
		if (!tw_frame_has(frame, header - 20))
			return tw_frame_lacks(frame, header - 20);
		tw_cursor_skip(&frame->in, header - 20);
	}
	if (fragment & 0x4000)
		has |= TW_IP_DF;
	if (fragment & 0x2000)
		has |= TW_IS_FRAGMENT;
	set_ipv4(&packet->src, p + 12);
	set_ipv4(&packet->dst, p + 16);
	packet->has = has;
	packet->ip_id = tw_be16(p + 4);
	packet->ttl = p[8];
	packet->ecn = p[1] & 3; /* RFC 3168 section 5 */
	packet->ip_version = 4;
	if (p[9] != TW_IPPROTO_TCP && p[9] != AUTHENTICATION)
		return other_protocol(frame, p[9]);
	if (fragment & 0x1fff)
		return TW_DECODED_FRAGMENT;
	if (p[9] == TW_IPPROTO_TCP)
		return tw_decode_tcp(frame);
	return decode_extensions(frame, p[9]);
}

enum { JUMBO_NONE = 0, JUMBO_BAD = 1 }; /* neither is a valid length */

/*
 * The jumbo payload option in the hop-by-hop options at the cursor (RFC 2675 section 2): Linux
 * marks its BIG TCP packets so, on their way to the card and to captures. The length, or one of the
 * two above. Where the options are not all captured there is none: who reads them next will tell.
 */
static uint32_t find_jumbo(const struct tw_frame *frame)
{
	enum { PAD1 = 0, JUMBO = 0xc2 };
	const uint8_t *p = frame->in.at;
	uint32_t end;
	uint32_t i = 2;

	if (!tw_frame_has(frame, 8))
		return JUMBO_NONE;
	end = ((uint32_t)p[1] + 1) * 8;
	if (!tw_frame_has(frame, end))
		return JUMBO_NONE;
	while (i < end) {
		uint32_t length;

		if (p[i] == PAD1) {
			i++;
			continue;
		}
		if (end - i < 2)
			return JUMBO_BAD;
		length = p[i + 1];
		if (length > end - i - 2)
			return JUMBO_BAD;
		if (p[i] == JUMBO) {
			if (length != 4)
				return JUMBO_BAD;
			length = tw_be32(p + i + 2);
			/* Section 3: an error where the plain field would have done. */
			return length > 0xffff ? length : JUMBO_BAD;
		}
		i += 2 + length;
	}
	return JUMBO_NONE;
}

/*
 * The header says 0: the length is in a jumbo option, or offload left it to the frame, as Linux
 * does for BIG TCP where it adds no option. False where the option is bad.
 */
static bool bound_without_length(struct tw_frame *frame, uint8_t next)
{
	uint32_t jumbo = next == HOP_BY_HOP ? find_jumbo(frame) : JUMBO_NONE;

	if (jumbo == JUMBO_NONE) {
		frame->packet->has |= TW_LENGTH_FROM_CAPTURE;
		return true;
	}
	/* A 32-bit length is not believed against the frame's: it could claim gigabytes. */
	if (jumbo == JUMBO_BAD || jumbo > tw_frame_length(frame))
		return false;
	tw_frame_bound(frame, jumbo);
	return true;
}

enum tw_decoded tw_decode_ipv6(struct tw_frame *frame)
{
	struct tw_packet *packet = frame->packet;
	const uint8_t *p;
	uint32_t payload;

	if (!tw_frame_has(frame, 40))
		return tw_frame_lacks(frame, 40);
	p = tw_cursor_take(&frame->in, 40);
	if (p[0] >> 4 != 6)
		return TW_DECODED_MALFORMED;
	packet->has = TW_HAS_ECN | TW_HAS_TTL;
	payload = tw_be16(p + 4);
	if (payload)
		tw_frame_bound(frame, payload);
	else if (!bound_without_length(frame, p[6]))
		return TW_DECODED_MALFORMED;
	set_ipv6(&packet->src, p + 8);
	set_ipv6(&packet->dst, p + 24);
	packet->ttl = p[7];
	packet->ecn = p[1] >> 4 & 3; /* the low bits of the traffic class */
	packet->ip_version = 6;
	if (p[6] == TW_IPPROTO_TCP)
		return tw_decode_tcp(frame);
	return decode_extensions(frame, p[6]);
}

enum tw_decoded tw_decode_ip(struct tw_frame *frame)
{
	if (!tw_frame_has(frame, 1))
		return tw_frame_lacks(frame, 1);
	switch (frame->in.at[0] >> 4) {
	case 4:
		return tw_decode_ipv4(frame);
	case 6:
		return tw_decode_ipv6(frame);
	default:
		return TW_DECODED_MALFORMED;
	}
}
