/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/rewrite.h"

#include <string.h>

#include "lab/checksum.h"
#include "lab/path.h"

enum { TCP_SEQ = 4, TCP_ACK = 8, TCP_CHECKSUM = 16, TCP_OPTIONS = 20, CE = 3 };

static int64_t strip_bit(uint8_t kind)
{
	switch (kind) {
	case TW_OPTION_WSCALE: return TW_STRIP_WSCALE;
	case TW_OPTION_SACK_PERMITTED: return TW_STRIP_SACK;
	case TW_OPTION_TIMESTAMPS: return TW_STRIP_TIMESTAMPS;
	}
	return 0;
}

bool tw_rewrite_strip(const struct tw_headers *h, uint8_t *frame, int64_t set)
{
	uint32_t at = 0, length = 0, size = h->tcp_header - TCP_OPTIONS;
	uint8_t *tcp = frame + h->tcp;
	uint64_t before;
	bool changed = false;

	if (!h->tcp || !size || !set)
		return false;
	before = tw_checksum_add(0, tcp + TCP_OPTIONS, size);
	while (tw_headers_option(h, frame, &at, &length)) {
		if (!(strip_bit(frame[at]) & set))
			continue;
		memset(frame + at, TW_OPTION_NOP, length);
		changed = true;
	}
	if (changed)
		tw_checksum_change(tcp + TCP_CHECKSUM, before,
				   tw_checksum_add(0, tcp + TCP_OPTIONS, size));
	return changed;
}

bool tw_rewrite_sequence(const struct tw_headers *h, uint8_t *frame, uint64_t seed)
{
	uint8_t *tcp = frame + h->tcp;
	uint64_t before;
	uint32_t own, other;

	if (!h->tcp)
		return false;
	own = (uint32_t)(tw_headers_hash(h, frame, false, seed) >> 32);
	other = (uint32_t)(tw_headers_hash(h, frame, true, seed) >> 32);
	before = tw_checksum_add(0, tcp + TCP_SEQ, 8);
	tw_put32(tcp + TCP_SEQ, h->seq + own);
	if (h->flags & TW_TCP_ACK)
		tw_put32(tcp + TCP_ACK, h->ack - other);
	tw_checksum_change(tcp + TCP_CHECKSUM, before, tw_checksum_add(0, tcp + TCP_SEQ, 8));
	return true;
}

bool tw_rewrite_mark(const struct tw_headers *h, uint8_t *frame)
{
	uint8_t *ip = frame + TW_ETHER_HEADER;
	uint32_t before = tw_get16(ip);
	/* The low two bits of the traffic class, which IPv6 has four bits further left. */
	int shift = h->version == 6 ? 4 : 0;
	int ecn = ip[1] >> shift & 3;

	if (!h->version || ecn == 0 || ecn == CE)
		return false;
	ip[1] |= (uint8_t)(CE << shift);
	if (h->version == 4)
		tw_checksum_change(ip + 10, before, tw_get16(ip));
	return true;
}
