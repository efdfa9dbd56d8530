/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/headers.h"

#include <string.h>

#include "base/hash.h"

enum {
	ETHERTYPE_IPV4 = 0x0800,
	ETHERTYPE_IPV6 = 0x86dd,
	IPV4_HEADER = 20,
	IPV6_HEADER = 40,
	TCP_HEADER = 20,
	PROTOCOL_TCP = 6,
	PROTOCOL_ICMPV6 = 58,
	IPV6_HOP_BY_HOP = 0,
	IPV6_ROUTING = 43,
	IPV6_FRAGMENT = 44,
	IPV6_DESTINATION = 60,
	DISCOVERY_FIRST = 133, /* RFC 4861 section 4 */
	DISCOVERY_LAST = 137,
};

/* RFC 9293 section 3.1. `end` is where the IP packet ends. */
static void find_tcp(struct tw_headers *h, const uint8_t *frame, uint32_t at, uint32_t end)
{
	uint32_t header;

	if (end < at + TCP_HEADER)
		return;
	header = (frame[at + 12] >> 4) * 4u;
	if (header < TCP_HEADER || at + header > end)
		return;
	h->tcp = at;
	h->tcp_header = header;
	h->flags = frame[at + 13];
	h->seq = tw_get32(frame + at + 4);
	h->ack = tw_get32(frame + at + 8);
	h->payload = end - at - header;
}

/* RFC 791 section 3.1. */
static void find_ipv4(struct tw_headers *h, const uint8_t *frame, uint32_t n)
{
	const uint8_t *ip = frame + TW_ETHER_HEADER;
	uint32_t left = n - TW_ETHER_HEADER, header, total;

	if (left < IPV4_HEADER || ip[0] >> 4 != 4)
		return;
	header = (ip[0] & 15) * 4u;
	total = tw_get16(ip + 2);
	if (header < IPV4_HEADER || header > total || total > left)
		return;
	h->version = 4;
	h->protocol = ip[9];
	h->ip_total = total;
	h->later_fragment = tw_get16(ip + 6) & 0x1fff;
	if (h->later_fragment || header == total)
		return;
	h->upper = TW_ETHER_HEADER + header;
	if (h->protocol == PROTOCOL_TCP)
		find_tcp(h, frame, h->upper, TW_ETHER_HEADER + total);
}

static bool is_extension(uint8_t next)
{
	return next == IPV6_HOP_BY_HOP || next == IPV6_ROUTING || next == IPV6_DESTINATION ||
	       next == IPV6_FRAGMENT;
}

/* RFC 8200 section 4: past the extension headers, each of which is 8 bytes at least. */
static void find_ipv6(struct tw_headers *h, const uint8_t *frame, uint32_t n)
{
	const uint8_t *ip = frame + TW_ETHER_HEADER;
	uint32_t left = n - TW_ETHER_HEADER, at = TW_ETHER_HEADER + IPV6_HEADER, end;
	uint8_t next;

	if (left < IPV6_HEADER || ip[0] >> 4 != 6)
		return;
	h->ip_total = IPV6_HEADER + (uint32_t)tw_get16(ip + 4);
	if (h->ip_total > left)
		return;
	h->version = 6;
	end = TW_ETHER_HEADER + h->ip_total;
	next = ip[6];
	while (is_extension(next) && at + 8 <= end && !h->later_fragment) {
		/* The fragment header's second byte is reserved, not a length. */
		uint32_t units = next == IPV6_FRAGMENT ? 0 : frame[at + 1];

		if (next == IPV6_FRAGMENT)
			h->later_fragment = tw_get16(frame + at + 2) >> 3 != 0;
		next = frame[at];
		at += (units + 1) * 8;
	}
	h->protocol = next;
	if (h->later_fragment || at >= end)
		return;
	h->upper = at;
	if (next == PROTOCOL_ICMPV6)
		h->discovery = frame[at] >= DISCOVERY_FIRST && frame[at] <= DISCOVERY_LAST;
	if (next == PROTOCOL_TCP)
		find_tcp(h, frame, at, end);
}

void tw_headers_find(struct tw_headers *out, const uint8_t *frame, uint32_t n)
{
	*out = (struct tw_headers){ 0 };
	if (n < TW_ETHER_HEADER)
		return;
	switch (tw_get16(frame + 12)) {
	case ETHERTYPE_IPV4: find_ipv4(out, frame, n); break;
	case ETHERTYPE_IPV6: find_ipv6(out, frame, n); break;
	}
	if (!out->version)
		*out = (struct tw_headers){ 0 };
}

bool tw_headers_option(const struct tw_headers *h, const uint8_t *frame, uint32_t *at,
		       uint32_t *length)
{
	uint32_t i = *at ? *at + *length : h->tcp + 20, end = h->tcp + h->tcp_header;

	while (i < end && frame[i] == TW_OPTION_NOP)
		i++;
	if (end < i + 2 || frame[i] == TW_OPTION_END || frame[i + 1] < 2 || frame[i + 1] > end - i)
		return false;
	*at = i;
	*length = frame[i + 1];
	return true;
}

uint64_t tw_headers_hash(const struct tw_headers *h, const uint8_t *frame, bool reversed,
			 uint64_t seed)
{
	uint8_t key[2 * 16 + 4] = { 0 };
	uint32_t n = h->version == 4 ? 4 : 16;
	const uint8_t *from = frame + TW_ETHER_HEADER + (h->version == 4 ? 12 : 8), *to = from + n;
	const uint8_t *from_port = frame + h->tcp, *to_port = from_port + 2;

	memcpy(key, reversed ? to : from, n);
	memcpy(key + 16, reversed ? from : to, n);
	memcpy(key + 32, reversed ? to_port : from_port, 2);
	memcpy(key + 34, reversed ? from_port : to_port, 2);
	return tw_hash(key, sizeof(key), seed | 1);
}
