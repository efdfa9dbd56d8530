/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/mtu.h"

#include <string.h>

#include "lab/checksum.h"

enum {
	ICMP_HEADER = 8,
	IPV4_REPLY = 576,  /* bytes at most: RFC 1812 section 4.3.2.3 */
	IPV6_REPLY = 1280, /* RFC 4443 section 3.2 */
	PROTOCOL_ICMP = 1,
	PROTOCOL_ICMPV6 = 58,
	TTL = 64,
};

/* To where the frame came from. */
static void ether_reply(const uint8_t *frame, uint8_t *out)
{
	memcpy(out, frame + 6, 6);
	memcpy(out + 6, frame, 6);
	memcpy(out + 12, frame + 12, 2);
}

static bool is_group(uint8_t first_byte)
{
	return first_byte >= 224;
}

static uint32_t reply_ipv4(const struct tw_headers *h, const uint8_t *frame, uint32_t mtu,
			   uint8_t *out)
{
	const uint8_t *ip = frame + TW_ETHER_HEADER;
	uint8_t *reply = out + TW_ETHER_HEADER, *icmp = reply + 20;
	uint32_t quoted = IPV4_REPLY - 20 - ICMP_HEADER;

	if (!(ip[6] & 0x40) || is_group(ip[12]) || is_group(ip[16]) || !tw_get32(ip + 12))
		return 0;
	if (h->protocol == PROTOCOL_ICMP && frame[h->upper] != 8 && frame[h->upper] != 0)
		return 0;
	if (quoted > h->ip_total)
		quoted = h->ip_total;
	memset(reply, 0, 20 + ICMP_HEADER);
	reply[0] = 0x45;
	reply[1] = 0xc0; /* internetwork control: RFC 1812 section 4.3.2.5 */
	tw_put16(reply + 2, 20 + ICMP_HEADER + quoted);
	reply[8] = TTL;
	reply[9] = PROTOCOL_ICMP;
	memcpy(reply + 12, ip + 16, 4);
	memcpy(reply + 16, ip + 12, 4);
	tw_put16(reply + 10, tw_checksum_fold(tw_checksum_add(0, reply, 20)));
	icmp[0] = 3; /* destination unreachable: */
	icmp[1] = 4; /* fragmentation needed and DF set */
	tw_put16(icmp + 6, mtu);
	memcpy(icmp + ICMP_HEADER, ip, quoted);
	tw_put16(icmp + 2, tw_checksum_fold(tw_checksum_add(0, icmp, ICMP_HEADER + quoted)));
	return TW_ETHER_HEADER + 20 + ICMP_HEADER + quoted;
}

static uint32_t reply_ipv6(const struct tw_headers *h, const uint8_t *frame, uint32_t mtu,
			   uint8_t *out)
{
	static const uint8_t nobody[16];
	const uint8_t *ip = frame + TW_ETHER_HEADER;
	uint8_t *reply = out + TW_ETHER_HEADER, *icmp = reply + 40;
	uint32_t quoted = IPV6_REPLY - 40 - ICMP_HEADER;
	uint64_t sum;

	if (mtu < 1280 || ip[8] == 0xff || ip[24] == 0xff || !memcmp(ip + 8, nobody, 16))
		return 0;
	if (h->protocol == PROTOCOL_ICMPV6 && frame[h->upper] < 128)
		return 0;
	if (quoted > h->ip_total)
		quoted = h->ip_total;
	memset(reply, 0, 40 + ICMP_HEADER);
	reply[0] = 0x60;
	tw_put16(reply + 4, ICMP_HEADER + quoted);
	reply[6] = PROTOCOL_ICMPV6;
	reply[7] = TTL;
	memcpy(reply + 8, ip + 24, 16);
	memcpy(reply + 24, ip + 8, 16);
	icmp[0] = 2; /* packet too big */
	tw_put32(icmp + 4, mtu);
	memcpy(icmp + ICMP_HEADER, ip, quoted);
	/* The pseudo-header, RFC 8200 section 8.1. */
	sum = tw_checksum_add(PROTOCOL_ICMPV6 + ICMP_HEADER + quoted, reply + 8, 32);
	tw_put16(icmp + 2, tw_checksum_fold(tw_checksum_add(sum, icmp, ICMP_HEADER + quoted)));
	return TW_ETHER_HEADER + 40 + ICMP_HEADER + quoted;
}

uint32_t tw_mtu_reply(const struct tw_headers *headers, const uint8_t *frame, uint32_t mtu,
		      uint8_t *out)
{
	/*
	 * A later fragment has no upper header, nor has what ends with IP's; a group's frame none
	 * to answer.
	 */
	if (!headers->version || !headers->upper || frame[0] & 1)
		return 0;
	ether_reply(frame, out);
	return headers->version == 4 ? reply_ipv4(headers, frame, mtu, out) :
				       reply_ipv6(headers, frame, mtu, out);
}
