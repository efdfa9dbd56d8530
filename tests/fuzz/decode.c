/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzzes the packet decoder. Input: 1 byte that chooses the link type, 3 bytes of length that was
 * on the wire but not captured, 1 byte that chooses a cut, the frame.
 *
 * Beside the bounds of the result three properties are checked. Every field that the result says
 * is there was written (the packet starts out with two different fillings). The same frame gives
 * the same answer. A frame cut shorter never means something else: it says the same, or "cut".
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "packet/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

struct result {
	enum tw_decoded decoded;
	struct tw_packet packet;
	const char *other;
};

/* Fields that `has` does not promise are cleared, so that two results can be compared. */
static void normalise(struct tw_packet *packet)
{
	struct tw_packet out;

	memset(&out, 0, sizeof(out));
	out.src = packet->src;
	out.dst = packet->dst;
	out.has = packet->has;
	out.seq = packet->seq;
	out.ack = packet->ack;
	out.window = packet->window;
	out.payload = packet->payload;
	out.flags = packet->flags;
	out.ip_version = packet->ip_version;
	out.n_sack = packet->n_sack;
	memcpy(out.sack, packet->sack, packet->n_sack * sizeof(out.sack[0]));
	if (packet->has & TW_HAS_TIMESTAMPS) {
		out.tsval = packet->tsval;
		out.tsecr = packet->tsecr;
	}
	if (packet->has & TW_HAS_IP_ID)
		out.ip_id = packet->ip_id;
	if (packet->has & TW_HAS_MSS)
		out.mss = packet->mss;
	if (packet->has & TW_HAS_WSCALE)
		out.wscale = packet->wscale;
	if (packet->has & TW_HAS_TTL)
		out.ttl = packet->ttl;
	if (packet->has & TW_HAS_ECN)
		out.ecn = packet->ecn;
	*packet = out;
}

static void check_packet(const struct tw_packet *packet, uint32_t original)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const uint32_t possible =
		TW_HAS_TIMESTAMPS | TW_HAS_MSS | TW_HAS_WSCALE | TW_HAS_SACK_PERMITTED |
		TW_HAS_IP_ID | TW_HAS_ECN | TW_HAS_TTL | TW_IS_FRAGMENT | TW_OPTIONS_CUT |
		TW_OPTIONS_BAD | TW_LENGTH_FROM_CAPTURE | TW_IP_DF;

	CHECK(packet->n_sack <= TW_MAX_SACK_BLOCKS);
	CHECK(packet->ip_version == 4 || packet->ip_version == 6);
	CHECK(!packet->src.is_name && !packet->dst.is_name);
	CHECK(!(packet->flags & ~0x1ff) && packet->window <= 0xffff && packet->ecn <= 3);
	CHECK(!(packet->has & ~possible));
	CHECK((packet->has & TW_HAS_TTL) && (packet->has & TW_HAS_ECN));
	if (packet->ip_version == 4) {
		CHECK(packet->has & TW_HAS_IP_ID);
		CHECK(!memcmp(packet->src.addr, mapped, sizeof(mapped)));
		CHECK(!memcmp(packet->dst.addr, mapped, sizeof(mapped)));
	} else {
		CHECK(!(packet->has & (TW_HAS_IP_ID | TW_IP_DF)));
	}
	/* By a 16-bit field of the IP header, or within the frame. */
	CHECK(packet->payload <= 65535 - 20 || packet->payload + 40 <= original);
	CHECK(packet->payload <= UINT32_C(1) << 30);
}

static void run(struct result *r, uint32_t linktype, const uint8_t *bytes, uint32_t captured,
		uint32_t original, int filling)
{
	uint8_t *exact = malloc(captured ? captured : 1); /* ASan sees a read past it */

	CHECK(exact);
	memcpy(exact, bytes, captured);
	memset(r, filling, sizeof(*r));
	r->other = NULL;
	r->decoded = tw_decode(linktype, exact, captured, original, &r->packet, &r->other);
	free(exact);
	CHECK(r->decoded <= TW_DECODED_UNKNOWN_LINK);
	CHECK((r->decoded == TW_DECODED_OTHER) == !!r->other);
	if (r->other)
		CHECK(strlen(r->other) > 0 && strlen(r->other) < 24);
	if (r->decoded != TW_DECODED_TCP)
		return;
	check_packet(&r->packet, original > captured ? original : captured);
	normalise(&r->packet);
}

/* `part` is what a cut of the frame gave that whole gave `whole`. */
static void check_cut(const struct result *whole, const struct result *part)
{
	const uint32_t options = TW_HAS_TIMESTAMPS | TW_HAS_MSS | TW_HAS_WSCALE |
				 TW_HAS_SACK_PERMITTED | TW_OPTIONS_CUT | TW_OPTIONS_BAD;
	const struct tw_packet *a = &whole->packet;
	const struct tw_packet *b = &part->packet;

	if (part->decoded == TW_DECODED_CUT)
		return;
	CHECK(part->decoded == whole->decoded);
	CHECK(part->other == whole->other);
	if (part->decoded != TW_DECODED_TCP)
		return;
	CHECK(!memcmp(&a->src, &b->src, sizeof(a->src)));
	CHECK(!memcmp(&a->dst, &b->dst, sizeof(a->dst)));
	CHECK(a->seq == b->seq && a->ack == b->ack && a->window == b->window);
	CHECK(a->payload == b->payload && a->flags == b->flags && a->ip_id == b->ip_id);
	CHECK(a->ttl == b->ttl && a->ecn == b->ecn && a->ip_version == b->ip_version);
	CHECK((a->has & ~options) == (b->has & ~options));
	/* Options: no more than the whole frame had, and a shortfall is owned up to. */
	CHECK(!(b->has & options & ~(a->has | TW_OPTIONS_CUT)));
	CHECK(b->n_sack <= a->n_sack);
	CHECK(!memcmp(a->sack, b->sack, b->n_sack * sizeof(a->sack[0])));
	if (!(b->has & TW_OPTIONS_CUT))
		CHECK(!memcmp(a, b, sizeof(*a)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t linktypes[] = {
		1, 101, 113, 276, 0, 108, 12, 14, 228, 229, 9, 51, 10, 147,
	};
	static struct result first, second, part;
	uint32_t linktype, captured, missing, shorter;

	if (size < 5)
		return 0;
	linktype = linktypes[data[0] % (sizeof(linktypes) / sizeof(linktypes[0]))];
	missing = (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
	captured = (uint32_t)(size - 5 < 1 << 20 ? size - 5 : 1 << 20);
	shorter = captured * data[4] / 256;
	run(&first, linktype, data + 5, captured, captured + missing, 0x55);
	run(&second, linktype, data + 5, captured, captured + missing, 0xaa);
	CHECK(first.decoded == second.decoded && first.other == second.other);
	if (first.decoded == TW_DECODED_TCP)
		CHECK(!memcmp(&first.packet, &second.packet, sizeof(first.packet)));
	run(&part, linktype, data + 5, shorter, captured + missing, 0x55);
	if (first.decoded != TW_DECODED_MALFORMED && first.decoded != TW_DECODED_CUT)
		check_cut(&first, &part);
	/* An original length that cannot be is as good as none. */
	run(&part, linktype, data + 5, captured, captured / 2, 0x55);
	return 0;
}
