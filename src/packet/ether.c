/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ethernet: EtherTypes with stacks of VLAN tags (IEEE 802.1Q), 802.3 frames with LLC and SNAP,
 * MPLS label stacks and PPPoE sessions.
 */
#include "packet/layer.h"

/* A tag is 2 bytes of control information and the EtherType of what follows. */
static enum tw_decoded decode_vlan(struct tw_frame *frame)
{
	if (++frame->nesting > TW_MAX_NESTING)
		return TW_DECODED_MALFORMED;
	if (!tw_frame_has(frame, 4))
		return tw_frame_lacks(frame, 4);
	return tw_decode_ethertype(frame, tw_be16(tw_cursor_take(&frame->in, 4) + 2));
}

/*
 * Labels to the one that ends the stack (RFC 3032 section 2.1). What they carry is not told: by
 * custom the first bits are the IP version, and 0 or 1 where it is something else (RFC 4928).
 */
static enum tw_decoded decode_mpls(struct tw_frame *frame)
{
	bool is_last;

	do {
		if (++frame->nesting > TW_MAX_NESTING)
			return TW_DECODED_MALFORMED;
		if (!tw_frame_has(frame, 4))
			return tw_frame_lacks(frame, 4);
		is_last = tw_cursor_take(&frame->in, 4)[2] & 1;
	} while (!is_last);
	if (!tw_frame_has(frame, 1))
		return tw_frame_lacks(frame, 1);
	if (frame->in.at[0] >> 4 != 4 && frame->in.at[0] >> 4 != 6)
		return tw_frame_other(frame, "MPLS");
	return tw_decode_ip(frame);
}

/* Version and type 1, code 1, session 2, length 2, a PPP frame (RFC 2516 section 4). */
enum tw_decoded tw_decode_pppoe(struct tw_frame *frame)
{
	const uint8_t *p;

	if (!tw_frame_has(frame, 6))
		return tw_frame_lacks(frame, 6);
	p = tw_cursor_take(&frame->in, 6);
	if (p[1]) /* discovery */
		return tw_frame_other(frame, "PPPoE");
	return tw_decode_ppp(frame);
}

static const struct tw_layer ether_types[] = {
	{ TW_ETHERTYPE_IPV4, "IPv4", tw_decode_ipv4 },
	{ TW_ETHERTYPE_IPV6, "IPv6", tw_decode_ipv6 },
	{ 0x8100, "VLAN", decode_vlan },
	{ 0x88a8, "VLAN", decode_vlan }, /* 802.1ad: the provider's tag */
	{ 0x9100, "VLAN", decode_vlan }, /* the same before the standard */
	{ 0x0806, "ARP", NULL },
	{ 0x8847, "MPLS", decode_mpls },
	{ 0x8848, "MPLS", decode_mpls },
	{ 0x8864, "PPPoE", tw_decode_pppoe },
	{ 0x8863, "PPPoE", NULL },
	{ 0x88cc, "LLDP", NULL },
	{ 0x888e, "EAPOL", NULL },
	{ 0x8809, "LACP", NULL },
	{ 0x8808, "Ethernet flow control", NULL },
	{ 0x88e5, "MACsec", NULL },
	{ 0x88e7, "802.1ah", NULL },
	{ 0x88f7, "PTP", NULL },
	{ 0x8902, "Ethernet CFM", NULL },
	{ 0x8903, "FabricPath", NULL },
	{ 0x8906, "FCoE", NULL },
	{ 0x8915, "RoCE", NULL },
	{ 0x8035, "RARP", NULL },
	{ 0x8137, "IPX", NULL },
	{ 0x809b, "AppleTalk", NULL },
	{ 0x80f3, "AppleTalk ARP", NULL },
	{ 0x22f3, "TRILL", NULL },
	{ 0x6558, "Ethernet bridging", NULL },
	{ 0x0842, "Wake-on-LAN", NULL },
	{ 0x6002, "DEC MOP", NULL },
	{ 0x6003, "DECnet", NULL },
	{ 0x6004, "DEC LAT", NULL },
	{ 0x6007, "DEC cluster", NULL },
	{ 0x9000, "Ethernet loopback test", NULL },
};

enum tw_decoded tw_decode_ethertype(struct tw_frame *frame, uint32_t type)
{
	if (type == TW_ETHERTYPE_IPV4)
		return tw_decode_ipv4(frame);
	if (type <= 1500)
		return tw_decode_llc(frame);
	return tw_frame_by_table(frame, ether_types, TW_ROWS(ether_types), type,
				 "unknown EtherType");
}

enum tw_decoded tw_decode_ethernet(struct tw_frame *frame)
{
	if (!tw_frame_has(frame, 14))
		return tw_frame_lacks(frame, 14);
	return tw_decode_ethertype(frame, tw_be16(tw_cursor_take(&frame->in, 14) + 12));
}

/* Organisation 3 bytes, protocol 2 bytes (IEEE 802, RFC 1042). */
static enum tw_decoded decode_snap(struct tw_frame *frame)
{
	const uint8_t *p;
	uint32_t organisation;
	uint32_t protocol;

	if (!tw_frame_has(frame, 5))
		return tw_frame_lacks(frame, 5);
	p = tw_cursor_take(&frame->in, 5);
	organisation = tw_be32(p) >> 8;
	protocol = tw_be16(p + 3);
	/* RFC 1042 encapsulation, and 802.1H bridging of protocols that must not become it. */
	if ((organisation == 0x000000 || organisation == 0x0000f8) && protocol >= 0x0600)
		return tw_decode_ethertype(frame, protocol);
	if (organisation == 0x080007 && protocol == 0x809b)
		return tw_frame_other(frame, "AppleTalk");
	if (organisation == 0x00000c && protocol == 0x2000)
		return tw_frame_other(frame, "CDP");
	if (organisation == 0x00000c && protocol == 0x010b)
		return tw_frame_other(frame, "STP"); /* one per VLAN */
	return tw_frame_other(frame, "unknown SNAP");
}

/* By destination SAP. */
static const struct tw_layer llc_saps[] = {
	{ 0xaa, "SNAP", decode_snap },
	{ 0x06, "IPv4", tw_decode_ipv4 }, /* RFC 948 */
	{ 0x42, "STP", NULL },
	{ 0xfe, "OSI", NULL },
	{ 0xe0, "IPX", NULL },
	{ 0xff, "IPX", NULL }, /* Novell's frames without LLC: no checksum stands in its place */
	{ 0xf0, "NetBEUI", NULL },
	{ 0x04, "SNA", NULL },
};

/* Destination SAP 1, source SAP 1, control 1 (2 in numbered frames, which carry no IP). */
enum tw_decoded tw_decode_llc(struct tw_frame *frame)
{
	enum { UNNUMBERED_INFORMATION = 0x03 };
	const uint8_t *p;

	if (!tw_frame_has(frame, 3))
		return tw_frame_lacks(frame, 3);
	p = tw_cursor_take(&frame->in, 3);
	if ((p[0] == 0xaa || p[0] == 0x06) && p[2] != UNNUMBERED_INFORMATION)
		return tw_frame_other(frame, "LLC");
	return tw_frame_by_table(frame, llc_saps, TW_ROWS(llc_saps), p[0], "LLC");
}
