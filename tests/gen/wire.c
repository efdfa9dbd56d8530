/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Headers byte by byte. Payload is all zeros, so the TCP checksum over the header and the pseudo
 * header is the true checksum of the whole packet.
 */
#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ETHERNET = 14, ETHERNET_LEAST = 60, EPOCH_S = 1700000000, HOSTS_PER_NET = 250 };

void *gen_realloc(void *old, size_t size)
{
	void *v = realloc(old, size ? size : 1);

	if (!v) {
		fprintf(stderr, "out of memory\n");
		exit(2);
	}
	return v;
}

static uint8_t *put8(uint8_t *p, uint32_t v)
{
	*p = (uint8_t)v;
	return p + 1;
}

static uint8_t *put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
	return p + 2;
}

static uint8_t *put32(uint8_t *p, uint32_t v)
{
	return put16(put16(p, v >> 16), v & 0xffff);
}

static uint32_t sum16(const uint8_t *p, size_t n, uint32_t sum)
{
	for (size_t i = 0; i + 1 < n; i += 2)
		sum += (uint32_t)p[i] << 8 | p[i + 1];
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* Clients in 198.51.100.0/24, servers in 192.0.2.0/24 (RFC 5737); or 2001:db8::/32 (RFC 3849). */
static void address(uint8_t out[16], const struct wire_path *path, int side)
{
	uint32_t host = path->host[side] % HOSTS_PER_NET + 1;

	memset(out, 0, 16);
	if (path->ipv6) {
		put32(out, 0x20010db8);
		put16(out + 6, side ? 2 : 1);
		put16(out + 14, host);
		return;
	}
	put32(out, (side ? 0xc0000200u : 0xc6336400u) | host);
}

void wire_endpoint(char *text, size_t size, const struct wire_path *path, int side)
{
	uint8_t a[16];

	address(a, path, side);
	if (path->ipv6)
		snprintf(text, size, "[2001:db8:0:%x::%x]:%u", a[7], a[14] << 8 | a[15],
			 path->port[side]);
	else
		snprintf(text, size, "%u.%u.%u.%u:%u", a[0], a[1], a[2], a[3], path->port[side]);
}

static unsigned options_size(const struct wire_path *path, const struct packet *packet)
{
	unsigned n = path->timestamps ? 12 : 0;

	if (packet->flags & TCP_SYN)
		return path->timestamps ? 20 : 12;
	return n + (packet->n_sack ? 4u + 8u * packet->n_sack : 0);
}

unsigned wire_size(const struct wire_path *path, const struct packet *packet)
{
	return ETHERNET + (path->ipv6 ? 40 : 20) + 20 + options_size(path, packet) + packet->len;
}

static uint8_t *put_timestamps(uint8_t *p, const struct packet *packet)
{
	return put32(put32(put8(put8(p, 8), 10), packet->tsval), packet->tsecr);
}

/* The order of options is that of Linux (net/ipv4/tcp_output.c, tcp_options_write). */
static uint8_t *put_options(uint8_t *p, const struct wire_path *path, const struct packet *packet)
{
	if (packet->flags & TCP_SYN) {
		p = put16(put8(put8(p, 2), 4), path->mss);
		if (path->timestamps)
			p = put_timestamps(put8(put8(p, 4), 2), packet);
		else
			p = put16(put16(p, 0x0101), 0x0402);
		return put8(put8(put8(put8(p, 1), 3), 3), path->scale);
	}
	if (path->timestamps)
		p = put_timestamps(put16(p, 0x0101), packet);
	if (packet->n_sack) {
		p = put8(put8(put16(p, 0x0101), 5), 2u + 8u * packet->n_sack);
		for (unsigned i = 0; i < packet->n_sack; i++)
			p = put32(put32(p, packet->sack[i][0]), packet->sack[i][1]);
	}
	return p;
}

static uint8_t *put_tcp(uint8_t *p, const struct wire_path *path, const struct packet *packet,
			const uint8_t from[16], const uint8_t to[16])
{
	unsigned header = 20 + options_size(path, packet);
	uint32_t window = packet->flags & TCP_SYN ? packet->window : packet->window >> path->scale;
	size_t alen = path->ipv6 ? 16 : 4;
	uint32_t sum = 6 + header + packet->len;
	uint8_t *tcp = p;

	p = put16(put16(p, path->port[packet->side]), path->port[!packet->side]);
	p = put32(put32(p, packet->seq), packet->flags & TCP_ACK ? packet->ack : 0);
	p = put8(put8(p, header / 4 << 4), packet->flags);
	p = put32(put16(p, window < 65535 ? window : 65535), 0);
	p = put_options(p, path, packet);
	sum = sum16(to, alen, sum16(from, alen, sum));
	put16(tcp + 16, fold(sum16(tcp, header, sum)));
	return p;
}

static uint8_t *put_ip(uint8_t *p, const struct wire_path *path, const struct packet *packet,
		       unsigned hops, const uint8_t from[16], const uint8_t to[16])
{
	unsigned length = 20 + options_size(path, packet) + packet->len;
	uint8_t *ip = p;

	if (path->ipv6) {
		uint32_t label = (packet->flow * 2 + packet->side + 1) * 2654435761u >> 12;

		p = put16(put32(p, 6u << 28 | label), length);
		p = put8(put8(p, 6), 64 - hops);
		memcpy(p, from, 16);
		memcpy(p + 16, to, 16);
		return p + 32;
	}
	p = put16(put16(p, 0x4500), length + 20);
	p = put16(put16(p, packet->ip_id), 0x4000);
	p = put16(put8(put8(p, 64 - hops), 6), 0);
	memcpy(p, from, 4);
	memcpy(p + 4, to, 4);
	put16(ip + 10, fold(sum16(ip, 20, 0)));
	return p + 8;
}

int wire_open(struct wire_file *file, const char *path, uint32_t snap)
{
	uint32_t header[6] = { 0xa1b2c3d4, 4u << 16 | 2, 0, 0, snap, 1 };
	uint16_t version[2] = { 2, 4 };

	*file = (struct wire_file){ .snap = snap };
	file->f = strcmp(path, "-") ? fopen(path, "wb") : stdout;
	if (!file->f)
		return -errno;
	setvbuf(file->f, NULL, _IOFBF, 1 << 20);
	memcpy(&header[1], version, 4);
	fwrite(header, sizeof(header), 1, file->f);
	return 0;
}

void wire_write(struct wire_file *file, int64_t at, const struct wire_path *path,
		const struct packet *packet, unsigned hops, bool received)
{
	static const uint8_t zeros[4096];
	uint8_t b[16 + 14 + 40 + 60 + 64] = { 0 }, from[16], to[16], *p = b + 16;
	uint32_t length = wire_size(path, packet), cut, head, record[4];

	address(from, path, packet->side);
	address(to, path, !packet->side);
	/* locally administered MACs; the one host seen from here, or two routers */
	p = put32(put16(p, 0x0200), 0x5e000000u | !packet->side);
	p = put32(put16(p, 0x0200), 0x5e000000u | packet->side);
	p = put16(p, path->ipv6 ? 0x86dd : 0x0800);
	p = put_ip(p, path, packet, hops, from, to);
	p = put_tcp(p, path, packet, from, to);
	head = (uint32_t)(p - b) - 16;
	if (received && length < ETHERNET_LEAST)
		length = ETHERNET_LEAST;
	cut = length < file->snap ? length : file->snap;
	record[0] = (uint32_t)(EPOCH_S + at / 1000000000);
	record[1] = (uint32_t)(at % 1000000000 / 1000);
	record[2] = cut;
	record[3] = length;
	memcpy(b, record, 16);
	if (head > cut)
		head = cut;
	fwrite(b, 16 + head, 1, file->f);
	for (uint32_t left = cut - head, n; left; left -= n) {
		n = left < sizeof(zeros) ? left : (uint32_t)sizeof(zeros);
		fwrite(zeros, n, 1, file->f);
	}
	file->packets++;
}

int wire_close(struct wire_file *file)
{
	int rc = ferror(file->f) ? -EIO : 0;

	if (file->f == stdout ? fflush(file->f) : fclose(file->f))
		rc = -errno;
	file->f = NULL;
	return rc;
}
