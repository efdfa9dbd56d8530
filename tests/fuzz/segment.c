/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes what the lab does for a host's device. Input: a struct virtio_net_hdr, and the frame.
 *
 * A frame is refused and left as it was, or becomes frames within its own bytes, none of which has
 * more data than the size asked for, and which have all of it together.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)          \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

static void take(struct tw_segments *segments, const struct virtio_net_hdr *offload, uint32_t n)
{
	struct tw_headers whole = segments->headers, h;
	uint64_t payload = 0;
	const uint8_t *got;
	uint32_t length;

	while ((got = tw_segments_next(segments, &length))) {
		uint8_t *copy = malloc(length + 1);

		CHECK(copy && length <= n);
		memcpy(copy, got, length);
		if (offload->gso_type != VIRTIO_NET_HDR_GSO_NONE) {
			tw_headers_find(&h, copy, length);
			CHECK(h.tcp == whole.tcp && h.tcp_header == whole.tcp_header);
			CHECK(h.payload <= offload->gso_size && h.seq == (uint32_t)(whole.seq + payload));
			payload += h.payload;
		}
		free(copy);
	}
	CHECK(offload->gso_type == VIRTIO_NET_HDR_GSO_NONE || payload == whole.payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tw_segments segments = { 0 };
	struct virtio_net_hdr offload;
	uint8_t *frame;
	uint32_t n;
	int error;

	if (size < sizeof(offload) || size > sizeof(offload) + UINT16_MAX)
		return 0;
	memcpy(&offload, data, sizeof(offload));
	data += sizeof(offload);
	n = (uint32_t)(size - sizeof(offload));
	frame = malloc(n + 1); /* never of 0 bytes */
	CHECK(frame);
	memcpy(frame, data, n);
	error = tw_segments_begin(&segments, &offload, frame, n);
	CHECK(!error || error == -EBADMSG);
	if (error)
		CHECK(!memcmp(frame, data, n));
	else
		take(&segments, &offload, n);
	free(frame);
	return 0;
}
