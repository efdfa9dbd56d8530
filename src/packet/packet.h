/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoded record: what one captured TCP segment says, whatever it was captured from. Sources
 * that read text fill what their text holds and say so in `has`; nobody downstream asks where a
 * packet came from.
 */
#ifndef TW_PACKET_PACKET_H
#define TW_PACKET_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* An address and a port. IPv4 is held as ::ffff:a.b.c.d, so that one comparison serves both. */
struct tw_endpoint {
	uint8_t addr[16];
	uint16_t port;
	uint16_t is_name; /* `addr` is a hash of a host or service name that a text printed */
};

/* Without a branch: which of two endpoints it is follows no pattern that a processor could learn. */
static inline bool tw_endpoint_same(const struct tw_endpoint *a, const struct tw_endpoint *b)
{
	uint64_t x[2], y[2];
	uint32_t u, v;

	memcpy(x, a->addr, 16);
	memcpy(y, b->addr, 16);
	memcpy(&u, &a->port, 4);
	memcpy(&v, &b->port, 4);
	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (u ^ v));
}
_Static_assert(sizeof(struct tw_endpoint) == 20, "address, port and the mark behind it");

/* TCP flags as on the wire (RFC 9293 section 3.1, RFC 3168, RFC 9768 for AE). */
enum tw_tcp_flag {
	TW_FIN = 0x001,
	TW_SYN = 0x002,
	TW_RST = 0x004,
	TW_PSH = 0x008,
	TW_ACK = 0x010,
	TW_URG = 0x020,
	TW_ECE = 0x040,
	TW_CWR = 0x080,
	TW_AE = 0x100,
};

/* What the record told us; a field whose bit is absent is not to be read. */
enum tw_packet_has {
	TW_HAS_TIMESTAMPS = 1 << 0, /* tsval, tsecr */
	TW_HAS_MSS = 1 << 1,
	TW_HAS_WSCALE = 1 << 2,
	TW_HAS_SACK_PERMITTED = 1 << 3,
	TW_HAS_IP_ID = 1 << 4,       /* IPv4 identification (meaningless where 0 with DF, counted all the same) */
	TW_HAS_ECN = 1 << 5,         /* ecn is the IP header's two bits */
	TW_HAS_TTL = 1 << 6,
	TW_HAS_SAMPLE = 1 << 7,      /* sample, field by field */
	TW_WINDOW_IS_SCALED = 1 << 8,/* `window` is in bytes already, no shift applies */
	TW_SEQ_UNKNOWN = 1 << 9,     /* the text has no sequence numbers: `seq` is a running count of bytes */
	TW_ACK_UNKNOWN = 1 << 10,    /* an acknowledgement came, its number is not known */
	TW_IS_FRAGMENT = 1 << 11,    /* first fragment: `payload` is this fragment's part only */
	TW_OPTIONS_CUT = 1 << 12,    /* the snap length cut the TCP options */
	TW_OPTIONS_BAD = 1 << 13,    /* an option's length is impossible */
	TW_LENGTH_FROM_CAPTURE = 1 << 14, /* IP total length was 0 (TSO): payload from the frame's length */
	TW_WINDOW_UNKNOWN = 1 << 15, /* the text has no window column */
	TW_TIME_IS_RELATIVE = 1 << 16, /* `ts` counts from the text's first line, no wall clock known */
	TW_IP_DF = 1 << 17,            /* IPv4: do not fragment */
};

/* The kernel's TCP state beside a packet: bits of `has`, one per field. Bytes unless said. */
enum tw_sample_has {
	TW_SAMPLE_CWND = 1 << 0,
	TW_SAMPLE_SSTHRESH = 1 << 1,
	TW_SAMPLE_SND_WND = 1 << 2,
	TW_SAMPLE_RCV_WND = 1 << 3,
	TW_SAMPLE_UNACKED_SENT = 1 << 4,
	TW_SAMPLE_UNACKED_RECEIVED = 1 << 5,
	TW_SAMPLE_SRTT = 1 << 6,
	TW_SAMPLE_RTO = 1 << 7,
	TW_SAMPLE_MSS = 1 << 8,
	TW_SAMPLE_RETRANSMITS = 1 << 9,
};

/* The largest window there is, 65,535 << 14 (RFC 7323): no slow start threshold reaches it. */
#define TW_SSTHRESH_NOT_SET (UINT32_C(65535) << 14)

struct tw_sample {
	uint32_t has;
	uint32_t cwnd;
	uint32_t ssthresh;         /* from TW_SSTHRESH_NOT_SET on (Linux: 0x7fffffff, illumos: that) not set yet */
	uint32_t snd_wnd;          /* what the peer lets us send, scaled */
	uint32_t rcv_wnd;          /* what we offer, scaled */
	uint32_t unacked_sent;     /* bytes we sent that are not acknowledged */
	uint32_t unacked_received; /* bytes we received and have not acknowledged */
	uint32_t srtt_us;
	uint32_t rto_us;
	uint32_t mss;
	uint32_t retransmits;
	uint8_t of_source;         /* 1: the state of the packet's source host (it sent); 0: of its destination */
};

struct tw_sack_block {
	uint32_t left;
	uint32_t right;
};

enum { TW_MAX_SACK_BLOCKS = 4 }; /* 40 bytes of options hold no more (RFC 2018) */

struct tw_packet {
	int64_t ts;       /* capture time, ns since 1970 (or since the text's first line) */
	uint64_t number;  /* 1-based position in the input, as Wireshark counts */
	struct tw_endpoint src;
	struct tw_endpoint dst;
	uint32_t has;     /* enum tw_packet_has */
	uint32_t seq;
	uint32_t ack;     /* valid with TW_ACK in flags, unless TW_ACK_UNKNOWN */
	uint32_t window;  /* as on the wire, unscaled, unless TW_WINDOW_IS_SCALED */
	uint32_t payload; /* TCP payload in bytes by the IP length, captured or not; SYN and FIN not counted */
	uint32_t tsval;
	uint32_t tsecr;
	uint16_t flags;   /* enum tw_tcp_flag */
	uint16_t ip_id;
	uint16_t mss;
	uint8_t wscale;   /* as on the wire; over 14 is to be read as 14 (RFC 7323 section 2.3) */
	uint8_t ttl;      /* or hop limit */
	uint8_t ecn;      /* 0 not-ECT, 1 ECT(1), 2 ECT(0), 3 CE */
	uint8_t ip_version; /* 4 or 6 */
	uint8_t n_sack;   /* blocks in `sack`; the first may be a DSACK (RFC 2883) */
	uint32_t hash;    /* of both endpoints, for the connection table: see tw_flow_hash */
	uint32_t interface; /* capture interface within the input, 0-based */
	struct tw_sack_block sack[TW_MAX_SACK_BLOCKS];
	struct tw_sample sample;
};

/*
 * Writes "192.0.2.1:80" or "[2001:db8::1]:80" (NUL-terminated, cut at `size`); returns `out`.
 * A name endpoint prints as its source registered it (see tw_endpoint_name), else as "?".
 */
const char *tw_endpoint_format(const struct tw_endpoint *endpoint, char *out, unsigned size);

enum { TW_ENDPOINT_TEXT = 320 }; /* room for the longest formatted endpoint */

#endif
