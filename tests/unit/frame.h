/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames built byte by byte, for the decoder's tests. */
#ifndef TW_TESTS_UNIT_FRAME_H
#define TW_TESTS_UNIT_FRAME_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "packet/decode.h"

struct frame {
	uint8_t bytes[512];
	uint32_t n;
	uint32_t more; /* bytes on the wire behind them */
};

static inline void put8(struct frame *f, unsigned v)
{
	assert_true(f->n < sizeof(f->bytes));
	f->bytes[f->n++] = (uint8_t)v;
}

static inline void put16(struct frame *f, unsigned v)
{
	put8(f, v >> 8);
	put8(f, v & 0xff);
}

static inline void put32(struct frame *f, uint32_t v)
{
	put16(f, v >> 16);
	put16(f, v & 0xffff);
}

static inline void put_bytes(struct frame *f, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put8(f, ((const uint8_t *)bytes)[i]);
}

static inline void put_zeros(struct frame *f, size_t n)
{
	while (n--)
		put8(f, 0);
}

/* Ethernet addresses and the type or length. */
static inline void put_ethernet(struct frame *f, unsigned type)
{
	put_bytes(f, "\x02\0\0\0\0\x02\x02\0\0\0\0\x01", 12);
	put16(f, type);
}

/* 192.0.2.1 to 198.51.100.2, identification 0x1234, TTL 63, ECT(0), `words` of header. */
static inline void put_ipv4_long(struct frame *f, unsigned words, unsigned total,
				 unsigned fragment, unsigned protocol)
{
	put8(f, 0x40 | words);
	put8(f, 0x02);
	put16(f, total);
	put16(f, 0x1234);
	put16(f, fragment);
	put8(f, 63);
	put8(f, protocol);
	put16(f, 0);
	put_bytes(f, "\xc0\x00\x02\x01\xc6\x33\x64\x02", 8);
}

static inline void put_ipv4(struct frame *f, unsigned total)
{
	put_ipv4_long(f, 5, total, 0x4000, 6);
}

/* 2001:db8::1 to 2001:db8::2, hop limit 61, traffic class 1 (ECT(1)). */
static inline void put_ipv6(struct frame *f, unsigned length, unsigned next)
{
	put32(f, 0x60100000);
	put16(f, length);
	put8(f, next);
	put8(f, 61);
	put_bytes(f, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01", 16);
	put_bytes(f, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02", 16);
}

/* Ports 40000 to 5001, with a header of `words` and whatever flags. */
static inline void put_tcp_long(struct frame *f, unsigned words, unsigned flags)
{
	put16(f, 40000);
	put16(f, 5001);
	put32(f, 0x89abcdef);
	put32(f, 0x01234567);
	put16(f, words << 12 | flags);
	put16(f, 0xfedc);
	put16(f, 0);
	put16(f, 0);
}

static inline void put_tcp(struct frame *f)
{
	put_tcp_long(f, 5, TW_ACK);
}

/* Decodes the first `n` bytes from memory of just that size, so that ASan sees a read past them. */
static inline enum tw_decoded decode_part(const struct frame *f, uint32_t linktype, uint32_t n,
					  struct tw_packet *packet, const char **other)
{
	uint8_t *copy = malloc(n ? n : 1);
	enum tw_decoded result;

	assert_non_null(copy);
	memcpy(copy, f->bytes, n);
	memset(packet, 0xa5, sizeof(*packet));
	*other = NULL;
	result = tw_decode(linktype, copy, n, f->n + f->more, packet, other);
	free(copy);
	return result;
}

static inline enum tw_decoded decode(const struct frame *f, uint32_t linktype,
				     struct tw_packet *packet)
{
	const char *other;

	return decode_part(f, linktype, f->n, packet, &other);
}

/* The frame is of another protocol, by this name. */
static inline void assert_other(const struct frame *f, uint32_t linktype, const char *name)
{
	struct tw_packet packet;
	const char *other;

	assert_int_equal(decode_part(f, linktype, f->n, &packet, &other), TW_DECODED_OTHER);
	assert_non_null(other);
	assert_string_equal(other, name);
}

/* The frame holds the segment of put_tcp with this payload, in IPv4 or IPv6. */
static inline void assert_tcp(const struct frame *f, uint32_t linktype, unsigned version,
			      uint32_t payload, struct tw_packet *packet)
{
	static const uint8_t v4[2][16] = {
		{ [10] = 0xff, 0xff, 192, 0, 2, 1 }, { [10] = 0xff, 0xff, 198, 51, 100, 2 },
	};
	static const uint8_t v6[2][16] = {
		{ 0x20, 0x01, 0x0d, 0xb8, [15] = 1 }, { 0x20, 0x01, 0x0d, 0xb8, [15] = 2 },
	};

	assert_int_equal(decode(f, linktype, packet), TW_DECODED_TCP);
	assert_int_equal(packet->ip_version, version);
	assert_memory_equal(packet->src.addr, version == 4 ? v4[0] : v6[0], 16);
	assert_memory_equal(packet->dst.addr, version == 4 ? v4[1] : v6[1], 16);
	assert_int_equal(packet->src.port, 40000);
	assert_int_equal(packet->dst.port, 5001);
	assert_int_equal(packet->src.is_name, 0);
	assert_int_equal(packet->dst.is_name, 0);
	assert_int_equal(packet->seq, 0x89abcdef);
	assert_int_equal(packet->ack, 0x01234567);
	assert_int_equal(packet->window, 0xfedc);
	assert_int_equal(packet->payload, payload);
	assert_int_equal(packet->ttl, version == 4 ? 63 : 61);
	assert_int_equal(packet->ecn, version == 4 ? 2 : 1);
	assert_true(packet->has & TW_HAS_TTL);
	assert_true(packet->has & TW_HAS_ECN);
	assert_int_equal(!!(packet->has & TW_HAS_IP_ID), version == 4);
	if (version == 4)
		assert_int_equal(packet->ip_id, 0x1234);
}

#endif
