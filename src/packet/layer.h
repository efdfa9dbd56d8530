/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the decoders of the layers share: the frame being read and tables of protocols. Private to
 * packet/. To read one more protocol, write its tw_layer_decode and give it a row where its number
 * is looked up: link types in link.c, EtherTypes and LLC in ether.c, IP protocols in ip.c.
 */
#ifndef TW_PACKET_LAYER_H
#define TW_PACKET_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "packet/decode.h"
#include "packet/packet.h"

/*
 * Headers one within the other (tags, labels, extension headers) that a frame may have before it is
 * taken for malformed: far beyond what is sent, it only bounds the work on a hostile frame.
 */
enum { TW_MAX_NESTING = 16 };

enum { TW_ETHERTYPE_IPV4 = 0x0800, TW_ETHERTYPE_IPV6 = 0x86dd };
enum { TW_IPPROTO_TCP = 6 };

/* One frame on its way through the layers. */
struct tw_frame {
	struct tw_cursor in;      /* captured bytes of the present layer that are not read yet */
	uint32_t missing;         /* bytes of it behind them that were sent but not captured */
	uint32_t nesting;         /* optional headers passed, at most TW_MAX_NESTING */
	struct tw_packet *packet; /* filled on the way */
	const char *other;        /* static name; set where the answer is TW_DECODED_OTHER */
};

/* Reads the layer at the cursor and, through the next decoder, all above it. */
typedef enum tw_decoded tw_layer_decode(struct tw_frame *frame);

struct tw_layer {
	uint32_t number;         /* in the number space of its table */
	const char *name;        /* under 24 characters, see struct tw_input_report */
	tw_layer_decode *decode; /* NULL: counted by name */
};

tw_layer_decode tw_decode_ethernet; /* ether.c */
tw_layer_decode tw_decode_llc;
tw_layer_decode tw_decode_pppoe;
tw_layer_decode tw_decode_ppp; /* ppp.c */
tw_layer_decode tw_decode_ipv4; /* ip.c */
tw_layer_decode tw_decode_ipv6;
tw_layer_decode tw_decode_ip;  /* of the version that its first bits tell */
tw_layer_decode tw_decode_tcp; /* tcp.c */

/* The payload of an EtherType; numbers up to 1500 are the length of an 802.3 frame. */
enum tw_decoded tw_decode_ethertype(struct tw_frame *frame, uint32_t type);

/* Bytes of the present layer that are not read yet, captured or not. */
static inline uint32_t tw_frame_length(const struct tw_frame *frame)
{
	return (uint32_t)tw_cursor_left(&frame->in) + frame->missing;
}

static inline bool tw_frame_has(const struct tw_frame *frame, uint32_t n)
{
	return n <= tw_cursor_left(&frame->in);
}

/*
 * The answer where a header of `n` bytes is not there: cut where the capture left it out,
 * malformed where it was never sent.
 */
static inline enum tw_decoded tw_frame_lacks(const struct tw_frame *frame, uint32_t n)
{
	return n <= tw_frame_length(frame) ? TW_DECODED_CUT : TW_DECODED_MALFORMED;
}

/*
 * The present layer has `n` bytes more by its own header: what is captured behind is padding or
 * trailer, what is not captured was cut. The header's word outweighs the frame's length in the
 * file, since tools that shorten frames lose that.
 */
static inline void tw_frame_bound(struct tw_frame *frame, uint32_t n)
{
	uint32_t left = (uint32_t)tw_cursor_left(&frame->in);

	if (n <= left) {
		frame->in.end = frame->in.at + n;
		frame->missing = 0;
	} else {
		frame->missing = n - left;
	}
}

static inline enum tw_decoded tw_frame_other(struct tw_frame *frame, const char *name)
{
	frame->other = name;
	return TW_DECODED_OTHER;
}

/* Goes on by the row of `number` in `table`, or with `unknown` as the protocol's name. */
static inline enum tw_decoded tw_frame_by_table(struct tw_frame *frame,
						const struct tw_layer *table, size_t rows,
						uint32_t number, const char *unknown)
{
	for (size_t i = 0; i < rows; i++) {
		if (table[i].number != number)
			continue;
		if (!table[i].decode)
			return tw_frame_other(frame, table[i].name);
		return table[i].decode(frame);
	}
	return tw_frame_other(frame, unknown);
}

/* Network byte order at `p`; compilers make one load and a byte swap of each. */
static inline uint16_t tw_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t tw_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

#define TW_ROWS(table) (sizeof(table) / sizeof((table)[0]))

#endif
