/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pcap files (draft-ietf-opsawg-pcap), micro- and nanoseconds, either byte order, and the variant
 * of A. Kuznetzov's patched libpcap. Old versions' exchanged length fields are undone as libpcap's
 * sf-pcap.c does.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "packet/decode.h"
#include "source/binary.h"

enum {
	MAGIC_MICROSECONDS = 0xa1b2c3d4,
	MAGIC_NANOSECONDS = 0xa1b23c4d,
	MAGIC_PATCHED = 0xa1b2cd34, /* microseconds; 8 more bytes in each record header */
	FILE_HEADER = 24,
	RECORD_HEADER = 16,
	RECORD_HEADER_PATCHED = 24,
	SNAPLEN_USUAL = 262144, /* libpcap lets a record be as large, whatever the file says */
};

struct pcap_state {
	uint32_t record_header; /* bytes */
	uint32_t max_captured;  /* beyond it a record header is taken for damage */
	uint32_t linktype;
	uint32_t pending;   /* bytes of the last record, still to be skipped */
	uint32_t subsecond; /* ns */
	bool swapped;
	/*
	 * Before version 2.3 the two lengths stood the other way round; some writers of 2.3 had it
	 * the old way, seen by a captured length beyond the original one.
	 */
	bool exchanged, maybe_exchanged;
};

static bool known_magic(uint32_t magic)
{
	return magic == MAGIC_MICROSECONDS || magic == MAGIC_NANOSECONDS || magic == MAGIC_PATCHED;
}

static bool pcap_probe(const uint8_t *head, size_t n)
{
	return n >= 4 &&
	       (known_magic(tw_file_u32(head, false)) || known_magic(tw_file_u32(head, true)));
}

static int pcap_version(struct tw_source *source, struct pcap_state *state, const uint8_t *header)
{
	uint16_t major = tw_file_u16(header + 4, state->swapped);
	uint16_t minor = tw_file_u16(header + 6, state->swapped);

	/* 543.0 is what tcpdump 3.0 alpha versions wrote. */
	if (!(major == 2 && minor <= 4) && !(major == 543 && !minor))
		return tw_error_set(&source->error, -EPROTONOSUPPORT,
				    "%s: a pcap file of version %u.%u, not read by this version",
				    tw_stream_name(source->stream), major, minor);
	state->exchanged = major == 543 || minor < 3;
	state->maybe_exchanged = major == 2 && minor == 3;
	return 0;
}

static void pcap_title(struct tw_source *source, const struct pcap_state *state, uint32_t magic)
{
	const char *link = tw_linktype_name(state->linktype);
	const char *unit = magic == MAGIC_NANOSECONDS ? "nanoseconds, " : "";

	if (link)
		snprintf(source->title, sizeof(source->title), "pcap, %s%s", unit, link);
	else
		snprintf(source->title, sizeof(source->title), "pcap, %slink type %" PRIu32, unit,
			 state->linktype);
}

static int pcap_open(struct tw_source *source)
{
	struct pcap_state state = { 0 };
	const uint8_t *header;
	uint32_t magic, snaplen;
	int ret;

	if (tw_stream_peek(source->stream, FILE_HEADER, &header) < FILE_HEADER) {
		ret = tw_source_cut(source, 0, "the file header");
		return ret ? ret : -EINTR;
	}
	magic = tw_file_u32(header, false);
	state.swapped = !known_magic(magic);
	magic = tw_file_u32(header, state.swapped);
	ret = pcap_version(source, &state, header);
	if (ret)
		return ret;
	state.record_header = magic == MAGIC_PATCHED ? RECORD_HEADER_PATCHED : RECORD_HEADER;
	state.subsecond = magic == MAGIC_NANOSECONDS ? 1 : 1000;
	snaplen = tw_file_u32(header + 16, state.swapped);
	state.max_captured = snaplen < SNAPLEN_USUAL      ? SNAPLEN_USUAL :
			     snaplen > TW_STREAM_MAX_PEEK ? TW_STREAM_MAX_PEEK :
							    snaplen;
	/* The upper half tells of check sequences behind the frames; we go by the lengths inside. */
	state.linktype = tw_file_u32(header + 20, state.swapped) & 0xffff;
	source->state = malloc(sizeof(state));
	if (!source->state)
		return -ENOMEM;
	*(struct pcap_state *)source->state = state;
	tw_stream_skip(source->stream, FILE_HEADER);
	pcap_title(source, &state, magic);
	return 0;
}

static int pcap_next(struct tw_source *source, struct tw_record *record)
{
	struct pcap_state *state = source->state;
	struct tw_stream *stream = source->stream;
	bool swapped = state->swapped;
	uint32_t captured, original;
	const uint8_t *header;
	uint64_t at;
	size_t n;

	tw_stream_skip(stream, state->pending);
	state->pending = 0;
	at = tw_stream_offset(stream);
	n = tw_stream_peek(stream, state->record_header, &header);
	if (n < state->record_header)
		return n ? tw_source_cut(source, at, "a packet") : 0;
	/* A fraction of a second or more is carried: it happens, and libpcap lets it pass. */
	record->ts = (int64_t)tw_file_u32(header, swapped) * 1000000000 +
		     (int64_t)tw_file_u32(header + 4, swapped) * state->subsecond;
	captured = tw_file_u32(header + 8, swapped);
	original = tw_file_u32(header + 12, swapped);
	if (state->exchanged || (state->maybe_exchanged && captured > original)) {
		uint32_t first = captured;

		captured = original;
		original = first;
	}
	if (captured > state->max_captured)
		return tw_source_corrupt(source, at, "a record of %s bytes", tw_count(captured).s);
	tw_stream_skip(stream, state->record_header);
	if (tw_stream_peek(stream, captured, &record->bytes) < captured)
		return tw_source_cut(source, at, "a packet");
	state->pending = captured;
	record->captured = captured;
	record->original = original;
	record->linktype = state->linktype;
	return 1;
}

static void pcap_close(struct tw_source *source)
{
	free(source->state);
}

const struct tw_source_format tw_format_pcap = {
	.id = "pcap",
	.title = "pcap",
	.probe = pcap_probe,
	.open = pcap_open,
	.next = pcap_next,
	.close = pcap_close,
};
