/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The link types: one row each, and the small ones' decoders. Numbers and layouts are those of
 * https://www.tcpdump.org/linktypes.html.
 */
#include "packet/layer.h"

/* BSD loopback: 4 bytes of address family, which each system numbers its own way for IPv6. */
static enum tw_decoded by_family(struct tw_frame *frame, uint32_t family)
{
	switch (family) {
	case 2: /* AF_INET, the same everywhere */
		return tw_decode_ipv4(frame);
	case 10: /* AF_INET6: Linux */
	case 24: /* NetBSD, OpenBSD */
	case 28: /* FreeBSD */
	case 30: /* Darwin */
		return tw_decode_ipv6(frame);
	default:
		return tw_frame_other(frame, "unknown address family");
	}
}

/* LINKTYPE_NULL: in the byte order of the host that captured, which the frame does not tell. */
static enum tw_decoded decode_null(struct tw_frame *frame)
{
	uint32_t family;

	if (!tw_frame_has(frame, 4))
		return tw_frame_lacks(frame, 4);
	family = tw_be32(tw_cursor_take(&frame->in, 4));
	if (family > 0xffff)
		family = __builtin_bswap32(family);
	return by_family(frame, family);
}

/* LINKTYPE_LOOP: OpenBSD's, in network order. */
static enum tw_decoded decode_loop(struct tw_frame *frame)
{
	if (!tw_frame_has(frame, 4))
		return tw_frame_lacks(frame, 4);
	return by_family(frame, tw_be32(tw_cursor_take(&frame->in, 4)));
}

/* The protocol field of Linux cooked frames means what the ARPHRD_ type of the device says. */
static enum tw_decoded decode_cooked(struct tw_frame *frame, uint32_t hardware, uint32_t protocol)
{
	enum { ARPHRD_NETLINK = 824 };
	enum { ETH_P_802_3 = 1, ETH_P_802_2 = 4 }; /* linux/if_ether.h: no EtherTypes */

	if (hardware == ARPHRD_NETLINK)
		return tw_frame_other(frame, "netlink");
	if (protocol == ETH_P_802_2)
		return tw_decode_llc(frame);
	if (protocol == ETH_P_802_3)
		return tw_frame_other(frame, "IPX");
	if (protocol < 0x0600)
		return tw_frame_other(frame, "unknown EtherType");
	return tw_decode_ethertype(frame, protocol);
}

/* Packet type 2, ARPHRD_ type 2, address length 2, address 8, protocol 2. */
static enum tw_decoded decode_sll(struct tw_frame *frame)
{
	const uint8_t *p;

	if (!tw_frame_has(frame, 16))
		return tw_frame_lacks(frame, 16);
	p = tw_cursor_take(&frame->in, 16);
	return decode_cooked(frame, tw_be16(p + 2), tw_be16(p + 14));
}

/* Protocol 2, reserved 2, interface 4, ARPHRD_ 2, packet type 1, address length 1, address 8. */
static enum tw_decoded decode_sll2(struct tw_frame *frame)
{
	const uint8_t *p;

	if (!tw_frame_has(frame, 20))
		return tw_frame_lacks(frame, 20);
	p = tw_cursor_take(&frame->in, 20);
	return decode_cooked(frame, tw_be16(p + 8), tw_be16(p));
}

/* Frame control 1, destination 6, source 6, then LLC in data frames (ANSI X3.139). */
static enum tw_decoded decode_fddi(struct tw_frame *frame)
{
	const uint8_t *p;

	if (!tw_frame_has(frame, 13))
		return tw_frame_lacks(frame, 13);
	p = tw_cursor_take(&frame->in, 13);
	if ((p[0] & 0x70) != 0x50) /* class aside: asynchronous or synchronous LLC frame */
		return tw_frame_other(frame, "FDDI management");
	return tw_decode_llc(frame);
}

/* Most common first: the table is searched for every packet. */
static const struct tw_layer link_types[] = {
	{ 1, "Ethernet", tw_decode_ethernet },
	{ 101, "raw IP", tw_decode_ip },
	{ 113, "Linux cooked", decode_sll },
	{ 276, "Linux cooked v2", decode_sll2 },
	{ 0, "BSD loopback", decode_null },
	{ 12, "raw IP", tw_decode_ip }, /* DLT_RAW, as some systems wrote it into files */
	{ 14, "raw IP", tw_decode_ip }, /* the same on OpenBSD */
	{ 228, "raw IPv4", tw_decode_ipv4 },
	{ 229, "raw IPv6", tw_decode_ipv6 },
	{ 108, "OpenBSD loopback", decode_loop },
	{ 9, "PPP", tw_decode_ppp },
	{ 51, "PPPoE", tw_decode_pppoe },
	{ 10, "FDDI", decode_fddi },
};

enum tw_decoded tw_decode(uint32_t linktype, const uint8_t *bytes, uint32_t captured,
			  uint32_t original, struct tw_packet *packet, const char **other)
{
	struct tw_frame frame = {
		.in = tw_cursor_over(bytes, captured),
		.missing = original > captured ? original - captured : 0,
		.packet = packet,
	};
	enum tw_decoded result;

	for (size_t i = 0; i < TW_ROWS(link_types); i++) {
		if (link_types[i].number != linktype)
			continue;
		result = link_types[i].decode(&frame);
		if (result == TW_DECODED_OTHER)
			*other = frame.other;
		return result;
	}
	return TW_DECODED_UNKNOWN_LINK;
}

const char *tw_linktype_name(uint32_t linktype)
{
	for (size_t i = 0; i < TW_ROWS(link_types); i++) {
		if (link_types[i].number == linktype)
			return link_types[i].name;
	}
	return NULL;
}
