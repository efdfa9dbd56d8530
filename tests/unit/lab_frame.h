/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ethernet frames for the lab's tests, and checksums computed from scratch, by another way than the
 * lab's.
 */
#ifndef TW_TESTS_UNIT_LAB_FRAME_H
#define TW_TESTS_UNIT_LAB_FRAME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { F_FIN = 1, F_SYN = 2, F_RST = 4, F_PSH = 8, F_ACK = 16, F_ECE = 64 };

/* What a frame is made from; 0 is usual everywhere. */
struct lab_segment {
	bool ipv6, back; /* back: from the server to the client */
	bool no_df;
	uint8_t flags, ecn;
	uint16_t client_port;
	uint32_t seq, ack;
	uint32_t payload;
	const uint8_t *options;
	uint32_t n_options; /* a multiple of 4 */
};

struct lab_frame {
	uint8_t bytes[66000];
	uint32_t n, tcp, payload;
};

/* The sum of RFC 1071 by end-around carry, one byte after the other. */
static inline uint32_t lab_sum(uint32_t sum, const uint8_t *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
		if (sum > 0xffff)
			sum -= 0xffff;
	}
	return sum;
}

static inline uint32_t lab_pseudo(const uint8_t *frame, uint32_t protocol, uint32_t length)
{
	bool ipv6 = frame[14] >> 4 == 6;
	uint8_t tail[8] = { 0, 0, (uint8_t)(length >> 8), (uint8_t)length, 0,
			    0, 0, (uint8_t)protocol };
	uint32_t sum = lab_sum(0, frame + 14 + (ipv6 ? 8 : 12), ipv6 ? 32 : 8);

	return lab_sum(sum, tail, 8);
}

/* Whether the checksums of a frame that lab_make made are right. */
static inline bool lab_sums_right(const uint8_t *frame, uint32_t n)
{
	uint32_t at = frame[14] >> 4 == 6 ? 54 : 34;

	if (at == 34 && lab_sum(0, frame + 14, 20) != 0xffff)
		return false;
	return lab_sum(lab_pseudo(frame, 6, n - at), frame + at, n - at) == 0xffff;
}

static inline void lab_put(uint8_t *p, uint32_t v, int bytes)
{
	while (bytes--) {
		p[bytes] = (uint8_t)v;
		v >>= 8;
	}
}

static inline uint32_t lab_get(const uint8_t *p, int bytes)
{
	uint32_t v = 0;

	for (int i = 0; i < bytes; i++)
		v = v << 8 | p[i];
	return v;
}

static inline void lab_make_ip(struct lab_frame *f, const struct lab_segment *s, uint32_t total)
{
	uint8_t *ip = f->bytes + 14;

	memcpy(f->bytes, "\x02\0\0\0\0\x02\x02\0\0\0\0\x01", 12);
	lab_put(f->bytes + 12, s->ipv6 ? 0x86dd : 0x0800, 2);
	if (s->ipv6) {
		lab_put(ip, 0x60000000 | (uint32_t)s->ecn << 20, 4);
		lab_put(ip + 4, total - 40, 2);
		ip[6] = 6;
		ip[7] = 63;
		memcpy(ip + 8, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
		memcpy(ip + 24, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\2", 16);
		if (s->back) {
			ip[23] = 2;
			ip[39] = 1;
		}
		return;
	}
	ip[0] = 0x45;
	ip[1] = s->ecn;
	lab_put(ip + 2, total, 2);
	lab_put(ip + 4, 0x1234, 2);
	lab_put(ip + 6, s->no_df ? 0 : 0x4000, 2);
	ip[8] = 63;
	ip[9] = 6;
	memcpy(ip + 12, s->back ? "\xc0\0\2\2\xc0\0\2\1" : "\xc0\0\2\1\xc0\0\2\2", 8);
	lab_put(ip + 10, 0xffff & ~lab_sum(0, ip, 20), 2);
}

static inline void lab_make(struct lab_frame *f, const struct lab_segment *s)
{
	uint32_t header = s->ipv6 ? 40 : 20, length = 20 + s->n_options + s->payload;
	uint32_t client = s->client_port ? s->client_port : 40000;
	uint8_t *tcp = f->bytes + 14 + header;

	memset(f->bytes, 0, 14 + header + 20);
	f->tcp = 14 + header;
	f->n = f->tcp + length;
	f->payload = s->payload;
	lab_make_ip(f, s, header + length);
	lab_put(tcp, s->back ? 80 : client, 2);
	lab_put(tcp + 2, s->back ? client : 80, 2);
	lab_put(tcp + 4, s->seq, 4);
	lab_put(tcp + 8, s->ack, 4);
	tcp[12] = (uint8_t)((20 + s->n_options) / 4 << 4);
	tcp[13] = s->flags;
	lab_put(tcp + 14, 5000, 2);
	if (s->n_options)
		memcpy(tcp + 20, s->options, s->n_options);
	for (uint32_t i = 0; i < s->payload; i++)
		tcp[20 + s->n_options + i] = (uint8_t)(s->seq + i * 7);
	lab_put(tcp + 16, 0xffff & ~lab_sum(lab_pseudo(f->bytes, 6, length), tcp, length), 2);
}

static inline uint64_t lab_random(uint64_t *seed)
{
	*seed ^= *seed << 13; /* xorshift64 */
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

#endif
