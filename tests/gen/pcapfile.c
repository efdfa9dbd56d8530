/* SPDX-License-Identifier: BSD-2-Clause */
#include "pcapfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#if TW_WITH_ZLIB
#include <zlib.h>
#endif

enum { PCAP_HEADER = 24, RECORD_HEADER = 16, PACKET_MOST = 1 << 20 };

#if TW_WITH_ZLIB
static void *input_open(const char *path)
{
	return strcmp(path, "-") ? (void *)gzopen(path, "rb") : (void *)gzdopen(0, "rb");
}

static long input_read(void *input, void *to, unsigned n)
{
	return gzread(input, to, n);
}

static void input_close(void *input)
{
	gzclose(input);
}
#else
static void *input_open(const char *path)
{
	return strcmp(path, "-") ? fopen(path, "rb") : stdin;
}

static long input_read(void *input, void *to, unsigned n)
{
	return (long)fread(to, 1, n, input);
}

static void input_close(void *input)
{
	fclose(input);
}
#endif

static int slurp(const char *path, uint8_t **out, size_t *size)
{
	void *input = input_open(path);
	uint8_t *bytes = NULL;
	size_t n = 0, cap = 0;
	long got = 1;

	if (!input)
		return -1;
	while (got > 0) {
		if (cap - n < 1 << 20) {
			uint8_t *more = realloc(bytes, cap = cap ? 2 * cap : 4 << 20);

			if (!more)
				break;
			bytes = more;
		}
		got = input_read(input, bytes + n, 1 << 20);
		n += got > 0 ? (size_t)got : 0;
	}
	input_close(input);
	if (got) {
		free(bytes);
		return -1;
	}
	*out = bytes;
	*size = n;
	return 0;
}

static uint32_t host32(const uint8_t *p, bool swapped)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return swapped ? __builtin_bswap32(v) : v;
}

static int index_packets(struct capture *capture, size_t size, bool swapped, char *error,
			 size_t room)
{
	size_t at = PCAP_HEADER, cap = 0;

	while (size - at >= RECORD_HEADER) {
		const uint8_t *h = capture->bytes + at;
		struct capture_packet packet = {
			.at = host32(h, swapped) * INT64_C(1000000000) +
			      (int64_t)host32(h + 4, swapped) * (capture->nano ? 1 : 1000),
			.captured = host32(h + 8, swapped),
			.length = host32(h + 12, swapped),
			.offset = at + RECORD_HEADER,
		};

		if (packet.captured > PACKET_MOST || packet.captured > size - packet.offset) {
			snprintf(error, room, "broken off at byte %zu", at);
			return -1;
		}
		if (capture->n == cap) {
			void *more = realloc(capture->packets,
					     (cap = cap ? 2 * cap : 4096) * sizeof(packet));

			if (!more)
				return -1;
			capture->packets = more;
		}
		capture->packets[capture->n++] = packet;
		at = packet.offset + packet.captured;
	}
	return 0;
}

int capture_read(struct capture *capture, const char *path, char *error, size_t room)
{
	size_t size;
	uint32_t magic;
	bool swapped;

	*capture = (struct capture){ 0 };
	snprintf(error, room, "cannot be read");
	if (slurp(path, &capture->bytes, &size))
		return -1;
	snprintf(error, room, "not a pcap file");
	if (size < PCAP_HEADER)
		goto cleanup;
	magic = host32(capture->bytes, false);
	swapped = magic == 0xd4c3b2a1 || magic == 0x4d3cb2a1;
	magic = host32(capture->bytes, swapped);
	if (magic != 0xa1b2c3d4 && magic != 0xa1b23c4d)
		goto cleanup;
	capture->nano = magic == 0xa1b23c4d;
	capture->snap = host32(capture->bytes + 16, swapped);
	capture->link = host32(capture->bytes + 20, swapped) & 0x0fffffff;
	if (!index_packets(capture, size, swapped, error, room))
		return 0;
cleanup:
	capture_release(capture);
	return -1;
}

int capture_write(const struct capture *capture, const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "wb") : stdout;
	uint32_t head[6] = { capture->nano ? 0xa1b23c4d : 0xa1b2c3d4, 0, 0, 0, capture->snap,
			     capture->link };
	uint16_t version[2] = { 2, 4 };

	if (!f)
		return -1;
	memcpy(&head[1], version, 4);
	fwrite(head, sizeof(head), 1, f);
	for (size_t i = 0; i < capture->n; i++) {
		const struct capture_packet *p = &capture->packets[i];
		uint32_t record[4] = { (uint32_t)(p->at / 1000000000),
				       (uint32_t)(p->at % 1000000000 / (capture->nano ? 1 : 1000)),
				       p->captured, p->length };

		if (p->dropped)
			continue;
		fwrite(record, sizeof(record), 1, f);
		fwrite(capture->bytes + p->offset, 1, p->captured, f);
	}
	if (ferror(f)) {
		if (f != stdout)
			fclose(f);
		return -1;
	}
	return f == stdout ? fflush(f) : fclose(f);
}

void capture_release(struct capture *capture)
{
	free(capture->packets);
	free(capture->bytes);
	*capture = (struct capture){ 0 };
}

/* Offset of the IP header, or UINT32_MAX. */
static uint32_t link_header(uint32_t link, const uint8_t *p, uint32_t n)
{
	uint32_t at = 14;

	switch (link) {
	case 0: case 108: return 4;            /* NULL, LOOP */
	case 12: case 14: case 101: case 228: case 229: return 0; /* raw IP */
	case 113: return 16;                   /* Linux cooked */
	case 276: return 20;                   /* Linux cooked, second form */
	case 1:
		while (n >= at && (get16(p + at - 2) == 0x8100 || get16(p + at - 2) == 0x88a8))
			at += 4;
		return at;
	default: return UINT32_MAX;
	}
}

static uint32_t ip_header(const uint8_t *p, uint32_t n, struct tcp_view *view)
{
	uint32_t header;

	if (n < 20)
		return 0;
	view->version = p[0] >> 4;
	if (view->version == 4) {
		header = (p[0] & 15) * 4u;
		view->ip_length = get16(p + 2);
		if (header < 20 || p[9] != 6 || (get16(p + 6) & 0x1fff) || view->ip_length < header)
			return 0;
		memcpy(view->endpoint[0], p + 12, 4);
		memcpy(view->endpoint[1], p + 16, 4);
		return header;
	}
	if (view->version != 6 || n < 40 || p[6] != 6)
		return 0;
	view->ip_length = get16(p + 4) + 40;
	memcpy(view->endpoint[0], p + 8, 16);
	memcpy(view->endpoint[1], p + 24, 16);
	return 40;
}

bool tcp_view(const struct capture *capture, const struct capture_packet *packet,
	      struct tcp_view *out)
{
	const uint8_t *p = capture->bytes + packet->offset;
	struct tcp_view view = { 0 };
	uint32_t n = packet->captured, header;

	view.ip = link_header(capture->link, p, n);
	if (view.ip >= n)
		return false;
	header = ip_header(p + view.ip, n - view.ip, &view);
	view.tcp = view.ip + header;
	if (!header || n < view.tcp + 20)
		return false;
	p += view.tcp;
	view.header = (p[12] >> 4) * 4u;
	if (view.header < 20 || header + view.header > view.ip_length)
		return false;
	view.options = (n - view.tcp < view.header ? n - view.tcp : view.header) - 20;
	view.payload = view.ip_length - header - view.header;
	view.seq = get32(p + 4);
	view.ack = get32(p + 8);
	view.flags = p[13];
	memcpy(view.endpoint[0] + 16, p, 2);
	memcpy(view.endpoint[1] + 16, p + 2, 2);
	*out = view;
	return true;
}
