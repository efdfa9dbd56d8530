/* SPDX-License-Identifier: BSD-2-Clause */
/* The TCP header (RFC 9293 section 3.1) and its options. */
#include "packet/layer.h"

enum {
	OPTION_END = 0,
	OPTION_NOP = 1,
	OPTION_MSS = 2,            /* RFC 9293 section 3.7.1 */
	OPTION_WINDOW_SCALE = 3,   /* RFC 7323 section 2.2 */
	OPTION_SACK_PERMITTED = 4, /* RFC 2018 section 2 */
	OPTION_SACK = 5,           /* RFC 2018 section 3 */
	OPTION_TIMESTAMPS = 8,     /* RFC 7323 section 3.2 */
};

enum {
	HEADER_FIXED = 20,
	HEADER_NEEDED = 16, /* ports to window: the checksum and the urgent pointer are not used */
};

/*
 * No window reaches farther (RFC 7323 section 2.3), so no segment is longer; sequence arithmetic
 * needs lengths under 2^31 anyway. Only a frame length made up in the file comes here.
 */
static const uint32_t payload_max = UINT32_C(1) << 30;

/*
 * The blocks of a SACK option of `length` bytes of which `captured` are there: as many as are
 * whole. A header has room for four in all.
 */
static void read_sack(struct tw_packet *packet, const uint8_t *p, uint32_t length,
		      uint32_t captured)
{
	if (captured < length)
		length = captured;
	for (uint32_t i = 2; i + 8 <= length && packet->n_sack < TW_MAX_SACK_BLOCKS; i += 8) {
		packet->sack[packet->n_sack++] = (struct tw_sack_block){
			.left = tw_be32(p + i),
			.right = tw_be32(p + i + 4),
		};
	}
}

/*
 * Reads one option of `length` bytes at `p`, all captured. False where it does not have the length
 * that its kind prescribes: such a one is passed over, as Linux does (tcp_parse_options).
 */
static bool read_option(struct tw_packet *packet, const uint8_t *p, uint32_t length)
{
	switch (p[0]) {
	case OPTION_MSS:
		if (length != 4)
			return false;
		packet->mss = tw_be16(p + 2);
		packet->has |= TW_HAS_MSS;
		return true;
	case OPTION_WINDOW_SCALE:
		if (length != 3)
			return false;
		packet->wscale = p[2];
		packet->has |= TW_HAS_WSCALE;
		return true;
	case OPTION_SACK_PERMITTED:
		if (length != 2)
			return false;
		packet->has |= TW_HAS_SACK_PERMITTED;
		return true;
	case OPTION_TIMESTAMPS:
		if (length != 10)
			return false;
		packet->tsval = tw_be32(p + 2);
		packet->tsecr = tw_be32(p + 6);
		packet->has |= TW_HAS_TIMESTAMPS;
		return true;
	default:
		return true;
	}
}

/*
 * Reads the options: `size` bytes by the header, of which the first `captured` are at `p`. A
 * length that runs out of the header ends them, one that runs out of the capture is a cut.
 */
static void read_options(struct tw_packet *packet, const uint8_t *p, uint32_t size,
			 uint32_t captured)
{
	uint32_t i = 0;

	while (i < captured) {
		uint32_t length;

		if (p[i] == OPTION_END)
			return;
		if (p[i] == OPTION_NOP) {
			i++;
			continue;
		}
		if (size - i < 2)
			goto bad;
		if (captured - i < 2)
			break;
		length = p[i + 1];
		if (length < 2 || length > size - i)
			goto bad;
		if (p[i] == OPTION_SACK) {
			if (length % 8 == 2 && length > 2)
				read_sack(packet, p + i, length, captured - i);
			else
				packet->has |= TW_OPTIONS_BAD;
		} else if (length > captured - i) {
			break;
		} else if (!read_option(packet, p + i, length)) {
			packet->has |= TW_OPTIONS_BAD;
		}
		i += length;
	}
	if (captured < size)
		packet->has |= TW_OPTIONS_CUT;
	return;
bad:
	packet->has |= TW_OPTIONS_BAD;
}

enum tw_decoded tw_decode_tcp(struct tw_frame *frame)
{
	struct tw_packet *packet = frame->packet;
	const uint8_t *p = frame->in.at;
	uint32_t captured = (uint32_t)tw_cursor_left(&frame->in);
	uint32_t length = tw_frame_length(frame);
	uint32_t header;

	if (length < HEADER_FIXED)
		return TW_DECODED_MALFORMED;
	if (captured < HEADER_NEEDED)
		return TW_DECODED_CUT;
	header = (p[12] >> 4) * 4u;
	if (header < HEADER_FIXED || header > length || length - header > payload_max)
		return TW_DECODED_MALFORMED;
	packet->src.port = tw_be16(p);
	packet->dst.port = tw_be16(p + 2);
	packet->seq = tw_be32(p + 4);
	packet->ack = tw_be32(p + 8);
	packet->flags = tw_be16(p + 12) & 0x1ff;
	packet->window = tw_be16(p + 14);
	packet->payload = length - header;
	packet->n_sack = 0;
	if (header == HEADER_FIXED)
		return TW_DECODED_TCP;
	/* Nearly every segment of a modern connection (RFC 7323 appendix A). */
	if (header == 32 && captured >= 32 && tw_be32(p + 20) == 0x0101080a) {
		packet->tsval = tw_be32(p + 24);
		packet->tsecr = tw_be32(p + 28);
		packet->has |= TW_HAS_TIMESTAMPS;
		return TW_DECODED_TCP;
	}
	if (captured > header)
		captured = header;
	read_options(packet, p + HEADER_FIXED, header - HEADER_FIXED,
		     captured > HEADER_FIXED ? captured - HEADER_FIXED : 0);
	return TW_DECODED_TCP;
}
