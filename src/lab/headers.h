/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the IP and TCP headers of an Ethernet frame are. Frames are hostile: what is not whole and
 * consistent is not there. No VLAN tags: the lab's own interfaces set none.
 */
#ifndef TW_LAB_HEADERS_H
#define TW_LAB_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

enum { TW_ETHER_HEADER = 14 };

enum {
	TW_TCP_FIN = 0x01,
	TW_TCP_SYN = 0x02,
	TW_TCP_RST = 0x04,
	TW_TCP_PSH = 0x08,
	TW_TCP_ACK = 0x10,
	TW_TCP_ECE = 0x40,
	TW_TCP_CWR = 0x80,
};

enum { /* TCP options */
       TW_OPTION_END = 0,
       TW_OPTION_NOP = 1,
       TW_OPTION_WSCALE = 3,         /* RFC 7323 section 2.2 */
       TW_OPTION_SACK_PERMITTED = 4, /* RFC 2018 section 2 */
       TW_OPTION_SACK = 5,           /* RFC 2018 section 3 */
       TW_OPTION_TIMESTAMPS = 8,     /* RFC 7323 section 3.2 */
};

struct tw_headers {
	uint8_t version;     /* 4, 6, or 0: not IP, and nothing below is set */
	uint8_t protocol;    /* that the IP headers end with */
	bool later_fragment; /* not the first: there is no header after IP's */
	bool discovery;      /* ICMPv6 neighbour discovery, which IPv6 has instead of ARP */
	uint8_t flags;       /* TCP: the low eight */
	uint32_t upper;      /* where the header after IP's begins in the frame; 0: none is there */
	uint32_t tcp;        /* the same where it is a whole TCP header; else 0 */
	uint32_t tcp_header; /* its bytes, options included */
	uint32_t ip_total;   /* bytes of the IP packet by its header; the frame has them all */
	uint32_t payload;    /* TCP: bytes of data */
	uint32_t seq, ack;   /* TCP */
};

void tw_headers_find(struct tw_headers *out, const uint8_t *frame, uint32_t n);

/* A segment that does nothing but acknowledge. */
static inline bool tw_headers_only_ack(const struct tw_headers *h)
{
	return h->tcp && !h->payload &&
	       (h->flags & (TW_TCP_ACK | TW_TCP_SYN | TW_TCP_FIN | TW_TCP_RST)) == TW_TCP_ACK;
}

/*
 * Steps through the TCP options: `*at` is 0 before the first, else where the last one given began.
 * True with its offset in `*at`, from the frame's begin, and its bytes in `*length`. NOPs are
 * passed over.
 */
bool tw_headers_option(const struct tw_headers *headers, const uint8_t *frame, uint32_t *at,
		       uint32_t *length);

/*
 * A hash of the addresses and ports of a TCP segment, its sender's first, or its receiver's where
 * `reversed`: so the two directions can name the same thing.
 */
uint64_t tw_headers_hash(const struct tw_headers *headers, const uint8_t *frame, bool reversed,
			 uint64_t seed);

static inline uint16_t tw_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t tw_get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void tw_put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void tw_put32(uint8_t *p, uint32_t v)
{
	tw_put16(p, v >> 16);
	tw_put16(p + 2, v);
}

#endif
