/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pcapng files (draft-ietf-opsawg-pcapng): several sections in either byte order, several
 * interfaces of any link type each. Packets come from Enhanced, Simple and the obsolete Packet
 * Blocks; blocks that describe (names, secrets, statistics) are passed over, but for the counts
 * of dropped packets.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/vec.h"
#include "packet/decode.h"
#include "source/binary.h"
#include "source/pcapng_time.h"

enum block_type {
	SECTION_HEADER = 0x0a0d0d0a, /* reads the same in both byte orders */
	INTERFACE_DESCRIPTION = 1,
	PACKET = 2, /* obsolete */
	SIMPLE_PACKET = 3,
	NAME_RESOLUTION = 4,
	INTERFACE_STATISTICS = 5,
	ENHANCED_PACKET = 6,
	IRIG_TIMESTAMP = 7,
	AVIONICS = 8,
	SYSTEMD_JOURNAL = 9,
	DECRYPTION_SECRETS = 10,
	CUSTOM = 0x0bad,
	CUSTOM_NOT_COPIED = 0x40000bad,
	DARWIN_PROCESS = 0x80000001, /* local use: macOS tcpdump names processes in it */
};

enum option_code {
	END_OF_OPTIONS = 0,
	IDB_TIME_RESOLUTION = 9,
	IDB_TIME_OFFSET = 14,
	ISB_INTERFACE_DROPS = 5,
	ISB_SYSTEM_DROPS = 7,
	EPB_DROPS = 4,
};

/* Lengths in bytes; those of blocks count the type, both lengths and the fixed fields. */
enum {
	BYTE_ORDER_MAGIC = 0x1a2b3c4d,
	BLOCK_MIN = 12,
	BLOCK_MAX = 16 << 20,
	SECTION_MIN = 28,
	INTERFACE_MIN = 20,
	STATISTICS_MIN = 24,
	ENHANCED_MIN = 32,
	SIMPLE_MIN = 16,
	MAX_INTERFACES = 65536, /* of one section */
	MAX_UNKNOWN_WARNINGS = 3,
};

struct capture_interface {
	struct tw_pcapng_clock clock;
	uint32_t linktype;
	uint32_t snaplen; /* 0: unlimited */
	uint64_t drops; /* as its statistics said last: they count from the start of the capture */
};

struct pcapng_state {
	bool swapped;
	uint32_t pending;         /* bytes of the last block, still to be skipped */
	struct tw_vec interfaces; /* struct capture_interface, of this section */
	uint32_t earlier;         /* interfaces of earlier sections */
	int64_t last_ts;
	uint64_t interface_drops; /* of sections that are done */
	uint64_t packet_drops;    /* told beside packets */
	unsigned unknown_warnings;
	uint32_t first_linktype;
	bool mixed; /* link types */
};

/* One block, whole in the stream's buffer. */
struct block {
	const uint8_t *bytes;
	uint32_t length;
	uint64_t at; /* its offset in the input */
};

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/*
 * Calls `take` for each option between `from` and `to`. Options that run out of their block are
 * damage that leaves the block's fixed fields good: the rest of them is left out, with a warning.
 */
static void each_option(struct tw_source *source, const uint8_t *from, const uint8_t *to,
			void (*take)(void *context, bool swapped, uint16_t code,
				     const uint8_t *value, uint16_t length),
			void *context)
{
	bool swapped = ((struct pcapng_state *)source->state)->swapped;

	while (to - from >= 4) {
		uint16_t code = tw_file_u16(from, swapped);
		uint16_t length = tw_file_u16(from + 2, swapped);
		uint32_t padded = ((uint32_t)length + 3) & ~3U;

		if (code == END_OF_OPTIONS)
			return;
		from += 4;
		if (padded > (size_t)(to - from)) {
			tw_source_warn(source, "options that do not fit their block are left out");
			return;
		}
		take(context, swapped, code, from, length);
		from += padded;
	}
}

/* The statistics of a section stand when it ends. */
static void add_interface_drops(struct pcapng_state *state)
{
	for (uint32_t i = 0; i < state->interfaces.n; i++) {
		struct capture_interface *interface = tw_vec_at(&state->interfaces, i);

		state->interface_drops = saturating_add(state->interface_drops, interface->drops);
		interface->drops = 0;
	}
}

static int read_section(struct tw_source *source, const struct block *block)
{
	struct pcapng_state *state = source->state;
	uint16_t major, minor;

	if (block->length < SECTION_MIN)
		return tw_source_corrupt(source, block->at, "a section header of %u bytes",
					 block->length);
	major = tw_file_u16(block->bytes + 12, state->swapped);
	minor = tw_file_u16(block->bytes + 14, state->swapped);
	/* 1.2 was written by mistake and means 1.0 (section 4.1 of the draft). */
	if (major != 1 || (minor != 0 && minor != 2))
		return tw_error_set(&source->error, block->at ? -EBADMSG : -EPROTONOSUPPORT,
				    "%s: pcapng version %u.%u at byte %" PRIu64
				    ", not read by this version",
				    tw_stream_name(source->stream), major, minor, block->at);
	add_interface_drops(state);
	state->earlier += state->interfaces.n;
	state->interfaces.n = 0;
	return 0;
}

static void take_interface_option(void *context, bool swapped, uint16_t code, const uint8_t *value,
				  uint16_t length)
{
	struct capture_interface *interface = context;

	if (code == IDB_TIME_RESOLUTION && length >= 1)
		tw_pcapng_clock_set(&interface->clock, value[0]);
	else if (code == IDB_TIME_OFFSET && length >= 8)
		interface->clock.offset = (int64_t)tw_file_u64(value, swapped);
}

static void set_title(struct tw_source *source, uint32_t linktype)
{
	struct pcapng_state *state = source->state;
	const char *link = tw_linktype_name(linktype);

	if (!state->earlier && state->interfaces.n == 1)
		state->first_linktype = linktype;
	state->mixed = state->mixed || linktype != state->first_linktype;
	if (state->mixed)
		snprintf(source->title, sizeof(source->title), "pcapng, several link types");
	else if (link)
		snprintf(source->title, sizeof(source->title), "pcapng, %s", link);
	else
		snprintf(source->title, sizeof(source->title), "pcapng, link type %" PRIu32,
			 linktype);
}

static int read_interface(struct tw_source *source, const struct block *block)
{
	struct pcapng_state *state = source->state;
	struct capture_interface *interface;

	if (block->length < INTERFACE_MIN)
		return tw_source_corrupt(source, block->at, "an interface description of %u bytes",
					 block->length);
	interface = tw_vec_push(&state->interfaces);
	if (!interface && state->interfaces.n < MAX_INTERFACES)
		return tw_error_set(&source->error, -ENOMEM, "%s: %s",
				    tw_stream_name(source->stream), strerror(ENOMEM));
	if (!interface) {
		tw_source_warn(source,
			       "more than %s interfaces: packets of the others are left out",
			       tw_count(MAX_INTERFACES).s);
		return 0;
	}
	*interface = (struct capture_interface){
		.linktype = tw_file_u16(block->bytes + 8, state->swapped),
		.snaplen = tw_file_u32(block->bytes + 12, state->swapped),
	};
	tw_pcapng_clock_set(&interface->clock, TW_PCAPNG_MICROSECONDS);
	each_option(source, block->bytes + 16, block->bytes + block->length - 4,
		    take_interface_option, interface);
	set_title(source, interface->linktype);
	return 0;
}

static void take_statistics_option(void *context, bool swapped, uint16_t code, const uint8_t *value,
				   uint16_t length)
{
	uint64_t *drops = context;

	if ((code == ISB_INTERFACE_DROPS || code == ISB_SYSTEM_DROPS) && length >= 8)
		*drops = saturating_add(*drops, tw_file_u64(value, swapped));
}

static int read_statistics(struct tw_source *source, const struct block *block)
{
	struct pcapng_state *state = source->state;
	struct capture_interface *interface;
	uint64_t drops = 0;
	uint32_t id;

	if (block->length < STATISTICS_MIN)
		return tw_source_corrupt(source, block->at, "interface statistics of %u bytes",
					 block->length);
	id = tw_file_u32(block->bytes + 8, state->swapped);
	if (id >= state->interfaces.n)
		return 0;
	each_option(source, block->bytes + 20, block->bytes + block->length - 4,
		    take_statistics_option, &drops);
	interface = tw_vec_at(&state->interfaces, id);
	if (drops > interface->drops)
		interface->drops = drops;
	return 0;
}

static void take_packet_option(void *context, bool swapped, uint16_t code, const uint8_t *value,
			       uint16_t length)
{
	uint64_t *drops = context;

	if (code == EPB_DROPS && length >= 8)
		*drops = saturating_add(*drops, tw_file_u64(value, swapped));
}

/* A packet whose interface was never described: its link type is unknown, so nobody can read it. */
static int skip_stray_packet(struct tw_source *source)
{
	source->skipped++;
	tw_source_warn(source,
		       "packets of interfaces that the file does not describe are left out");
	return 0;
}

/* Enhanced Packet Block, and the obsolete one, whose first word is two halves. 1: a packet. */
static int read_packet(struct tw_source *source, const struct block *block, enum block_type type,
		       struct tw_record *record)
{
	struct pcapng_state *state = source->state;
	const struct capture_interface *interface;
	const uint8_t *p = block->bytes;
	bool swapped = state->swapped;
	uint32_t id, captured, room;
	uint64_t time;

	if (block->length < ENHANCED_MIN)
		return tw_source_corrupt(source, block->at, "a packet block of %u bytes",
					 block->length);
	room = block->length - ENHANCED_MIN;
	captured = tw_file_u32(p + 20, swapped);
	if (captured > room)
		return tw_source_corrupt(source, block->at, "a packet of %s bytes in a block of %s",
					 tw_count(captured).s, tw_count(block->length).s);
	id = tw_file_u32(p + 8, swapped);
	if (type == PACKET) {
		uint16_t drops = tw_file_u16(p + 10, swapped);

		id = tw_file_u16(p + 8, swapped);
		if (drops != 0xffff) /* not known */
			state->packet_drops = saturating_add(state->packet_drops, drops);
	}
	if (id >= state->interfaces.n)
		return skip_stray_packet(source);
	/* Both are multiples of 4 now: what the packet leaves is 4 bytes of options or more. */
	captured = (captured + 3) & ~3U;
	if (captured < room && type == ENHANCED_PACKET)
		each_option(source, p + 28 + captured, p + block->length - 4, take_packet_option,
			    &state->packet_drops);
	interface = tw_vec_at(&state->interfaces, id);
	time = (uint64_t)tw_file_u32(p + 12, swapped) << 32 | tw_file_u32(p + 16, swapped);
	record->ts = state->last_ts = tw_pcapng_time(&interface->clock, time);
	record->bytes = p + 28;
	record->captured = tw_file_u32(p + 20, swapped);
	record->original = tw_file_u32(p + 24, swapped);
	record->linktype = interface->linktype;
	record->interface = state->earlier + id;
	return 1;
}

/* Simple Packet Block: of interface 0, as long as its snap length lets it be, without a time. */
static int read_simple_packet(struct tw_source *source, const struct block *block,
			      struct tw_record *record)
{
	struct pcapng_state *state = source->state;
	const struct capture_interface *interface;
	uint32_t room;

	if (block->length < SIMPLE_MIN)
		return tw_source_corrupt(source, block->at, "a packet block of %u bytes",
					 block->length);
	if (!state->interfaces.n)
		return skip_stray_packet(source);
	interface = tw_vec_at(&state->interfaces, 0);
	room = block->length - SIMPLE_MIN;
	record->original = tw_file_u32(block->bytes + 8, state->swapped);
	record->captured = record->original;
	if (interface->snaplen && record->captured > interface->snaplen)
		record->captured = interface->snaplen;
	if (record->captured > room)
		return tw_source_corrupt(source, block->at, "a packet of %s bytes in a block of %s",
					 tw_count(record->captured).s, tw_count(block->length).s);
	tw_source_warn(source,
		       "some packets carry no time: they are given that of the packet before");
	record->ts = state->last_ts;
	record->bytes = block->bytes + 12;
	record->linktype = interface->linktype;
	record->interface = state->earlier;
	return 1;
}

static void skip_unknown(struct tw_source *source, uint32_t type)
{
	struct pcapng_state *state = source->state;

	source->skipped++;
	if (state->unknown_warnings < MAX_UNKNOWN_WARNINGS) {
		unsigned before = source->n_warnings;

		tw_source_warn(source, "blocks of the unknown type 0x%08" PRIx32 " are left out",
			       type);
		state->unknown_warnings += source->n_warnings - before;
	}
}

/* 1: `record` is filled; 0: the block held no packet of ours; negative errno. */
static int read_block(struct tw_source *source, const struct block *block, struct tw_record *record)
{
	struct pcapng_state *state = source->state;
	uint32_t type = tw_file_u32(block->bytes, state->swapped);

	switch (type) {
	case SECTION_HEADER: return read_section(source, block);
	case INTERFACE_DESCRIPTION: return read_interface(source, block);
	case PACKET:
	case ENHANCED_PACKET: return read_packet(source, block, type, record);
	case SIMPLE_PACKET: return read_simple_packet(source, block, record);
	case INTERFACE_STATISTICS: return read_statistics(source, block);
	case NAME_RESOLUTION:
	case IRIG_TIMESTAMP:
	case AVIONICS:
	case SYSTEMD_JOURNAL:
	case DECRYPTION_SECRETS:
	case CUSTOM:
	case CUSTOM_NOT_COPIED:
	case DARWIN_PROCESS: return 0;
	default: skip_unknown(source, type); return 0;
	}
}

/* A block that no peek can show whole: passes over it. 1, 0 at the end, or negative errno. */
static int skip_large_block(struct tw_source *source, const struct block *block, uint32_t type)
{
	struct pcapng_state *state = source->state;
	struct tw_stream *stream = source->stream;
	const uint8_t *trailer;

	if (type == SECTION_HEADER || type == INTERFACE_DESCRIPTION)
		return tw_source_corrupt(source, block->at, "a header of %s bytes",
					 tw_count(block->length).s);
	if (tw_stream_skip(stream, block->length - 4) < block->length - 4 ||
	    tw_stream_peek(stream, 4, &trailer) < 4)
		return tw_source_cut(source, block->at, "a block");
	if (tw_file_u32(trailer, state->swapped) != block->length)
		return tw_source_corrupt(source, block->at, "a block whose two lengths differ");
	state->pending = 4;
	if (type == PACKET || type == SIMPLE_PACKET || type == ENHANCED_PACKET) {
		source->skipped++;
		tw_source_warn(source, "packets of more than %s bytes are left out",
			       tw_count(TW_STREAM_MAX_PEEK).s);
	}
	return 1;
}

/* A section header decides its own byte order. */
static int choose_byte_order(struct tw_source *source, const struct block *block)
{
	struct pcapng_state *state = source->state;

	state->swapped = tw_file_u32(block->bytes + 8, false) != BYTE_ORDER_MAGIC;
	if (tw_file_u32(block->bytes + 8, state->swapped) != BYTE_ORDER_MAGIC)
		return tw_source_corrupt(source, block->at, "a section header without byte order");
	return 0;
}

/*
 * The next block: 1 with `block` filled (bytes NULL where it was large and is passed over), 0 at
 * the end, negative errno.
 */
static int next_block(struct tw_source *source, struct block *block)
{
	struct pcapng_state *state = source->state;
	struct tw_stream *stream = source->stream;
	uint32_t type;
	size_t n;
	int ret;

	tw_stream_skip(stream, state->pending);
	state->pending = 0;
	block->at = tw_stream_offset(stream);
	n = tw_stream_peek(stream, BLOCK_MIN, &block->bytes);
	if (n < BLOCK_MIN)
		return n ? tw_source_cut(source, block->at, "a block") : 0;
	type = tw_file_u32(block->bytes, state->swapped);
	if (type == SECTION_HEADER) {
		ret = choose_byte_order(source, block);
		if (ret)
			return ret;
	}
	block->length = tw_file_u32(block->bytes + 4, state->swapped);
	if (block->length < BLOCK_MIN || block->length > BLOCK_MAX || block->length % 4)
		return tw_source_corrupt(source, block->at, "a block of %s bytes",
					 tw_count(block->length).s);
	if (block->length > TW_STREAM_MAX_PEEK) {
		block->bytes = NULL;
		return skip_large_block(source, block, type);
	}
	if (tw_stream_peek(stream, block->length, &block->bytes) < block->length)
		return tw_source_cut(source, block->at, "a block");
	if (tw_file_u32(block->bytes + block->length - 4, state->swapped) != block->length)
		return tw_source_corrupt(source, block->at, "a block whose two lengths differ");
	state->pending = block->length;
	return 1;
}

static void pcapng_close(struct tw_source *source)
{
	struct pcapng_state *state = source->state;

	tw_vec_release(&state->interfaces);
	free(state);
}

/* Said once, when all the counts are in. */
static void warn_of_drops(struct tw_source *source)
{
	struct pcapng_state *state = source->state;
	uint64_t drops;

	add_interface_drops(state);
	/* Two ways to tell of the same packets. */
	drops = state->interface_drops > state->packet_drops ? state->interface_drops :
							       state->packet_drops;
	if (drops)
		tw_source_warn(source, "the capturing system reports %s dropped packet%s",
			       tw_count(drops).s, drops == 1 ? "" : "s");
}

static bool pcapng_probe(const uint8_t *head, size_t n)
{
	return n >= BLOCK_MIN && tw_file_u32(head, false) == SECTION_HEADER &&
	       (tw_file_u32(head + 8, false) == BYTE_ORDER_MAGIC ||
		tw_file_u32(head + 8, true) == BYTE_ORDER_MAGIC);
}

/* Reads the section header alone: for what follows a live pipe might have to be waited for. */
static int pcapng_open(struct tw_source *source)
{
	struct pcapng_state *state = calloc(1, sizeof(*state));
	struct tw_record none;
	struct block block;
	int ret;

	if (!state)
		return -ENOMEM;
	tw_vec_init(&state->interfaces, sizeof(struct capture_interface), MAX_INTERFACES);
	source->state = state;
	ret = next_block(source, &block);
	if (ret == 1)
		ret = read_block(source, &block, &none); /* a section header: bytes are there */
	else if (!ret)
		ret = -EINTR;
	if (ret)
		pcapng_close(source);
	return ret;
}

static int pcapng_next(struct tw_source *source, struct tw_record *record)
{
	struct block block;
	int ret;

	while ((ret = next_block(source, &block)) == 1) {
		if (!block.bytes)
			continue;
		ret = read_block(source, &block, record);
		if (ret)
			break;
	}
	if (ret <= 0)
		warn_of_drops(source);
	return ret;
}

const struct tw_source_format tw_format_pcapng = {
	.id = "pcapng",
	.title = "pcapng",
	.probe = pcapng_probe,
	.open = pcapng_open,
	.next = pcapng_next,
	.close = pcapng_close,
};
