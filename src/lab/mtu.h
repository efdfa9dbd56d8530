/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hop whose link takes IP packets of `mtu` bytes only. Larger ones are dropped; fragmenting is
 * not emulated, so IPv4 packets without DF vanish as well. Where the hop speaks ICMP, a packet with
 * DF (or IPv6) is answered as RFC 792 with RFC 1191 section 4, and RFC 4443 section 3.2, have it.
 */
#ifndef TW_LAB_MTU_H
#define TW_LAB_MTU_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/headers.h"

enum { TW_MTU_REPLY_MAX = TW_ETHER_HEADER + 1280 };

static inline bool tw_mtu_exceeded(const struct tw_headers *headers, int64_t mtu)
{
	return mtu && headers->version && headers->ip_total > mtu;
}

/*
 * Writes to `out` (TW_MTU_REPLY_MAX bytes) the frame that tells the sender of a packet too big, and
 * returns its bytes; 0 where none may be sent: IPv4 without DF; an ICMP error, a later fragment, a
 * multicast or nobody as the one to answer (RFC 1812 section 4.3.2.7); IPv6 with a `mtu` under
 * 1280, which no IPv6 link may have (RFC 8200 section 5) and hosts ignore (RFC 8201 section 4).
 *
 * The link has no address of its own: the answer comes from the one that the packet was sent to.
 */
uint32_t tw_mtu_reply(const struct tw_headers *headers, const uint8_t *frame, uint32_t mtu,
		      uint8_t *out);

#endif
