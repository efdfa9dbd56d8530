/* SPDX-License-Identifier: BSD-2-Clause */
/* For the fuzzers of the sources that read text: what their packets always keep. */
#ifndef TW_TESTS_FUZZ_TEXT_H
#define TW_TESTS_FUZZ_TEXT_H

#include "input.h"

static inline uint64_t fuzz_mix(uint64_t sum, uint64_t v)
{
	return (sum ^ v) * 0x100000001b3;
}

static inline uint64_t fuzz_packet(const struct tw_packet *p, uint64_t sum)
{
	const uint64_t fields[] = {
		(uint64_t)p->ts, p->has, p->seq, p->flags & TW_ACK ? p->ack : 0, p->window, p->payload,
		p->flags, p->src.port, p->dst.port, p->has & TW_HAS_TIMESTAMPS ? p->tsval : 0,
		p->n_sack ? p->sack[p->n_sack - 1].right : 0, p->sample.has, p->sample.unacked_sent,
	};

	CHECK(p->ip_version == 4 || p->ip_version == 6);
	CHECK(p->n_sack <= TW_MAX_SACK_BLOCKS);
	CHECK(p->payload < 1u << 30);
	CHECK(p->flags <= 0x1ff && p->ecn <= 3);
	CHECK(!(p->has & TW_WINDOW_UNKNOWN) || !(p->has & TW_WINDOW_IS_SCALED));
	CHECK(!(p->has & TW_ACK_UNKNOWN) || p->flags & TW_ACK);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		sum = fuzz_mix(sum, fields[i]);
	return sum;
}

/* Reads the bytes as this format, whatever they are; returns a sum over all that was read. */
static inline uint64_t fuzz_read(const struct tw_source_format *format, const uint8_t *data, size_t size)
{
	struct tw_source source = { .format = format };
	struct tw_error err;
	struct tw_record record;
	uint64_t sum = 0xcbf29ce484222325;
	int ret;

	if (tw_stream_open(&source.stream, fuzz_input(data, size), "input", &err))
		return sum;
	ret = format->open(&source);
	if (ret) {
		CHECK(ret < 0);
		tw_stream_close(source.stream);
		return sum;
	}
	for (;;) {
		record = (struct tw_record){ 0 };
		ret = format->next(&source, &record);
		if (ret <= 0)
			break;
		source.records++;
		CHECK(ret == 1 && !record.bytes && record.packet);
		CHECK(record.packet->number == source.records && record.packet->ts == record.ts);
		CHECK(record.ts > -(INT64_C(1) << 62) && record.ts < INT64_C(1) << 62);
		sum = fuzz_packet(record.packet, sum);
	}
	CHECK(!ret && !*source.error.text);
	sum = fuzz_mix(sum, source.skipped);
	sum = fuzz_mix(sum, source.n_warnings);
	format->close(&source);
	CHECK(!source.state);
	tw_stream_close(source.stream);
	return sum;
}

/* Twice alike: nothing is read that was not written. Then with the probe, in the order of formats. */
static inline void fuzz_text(const struct tw_source_format *format, const uint8_t *data, size_t size)
{
	uint64_t sum = fuzz_read(format, data, size);

	CHECK(sum == fuzz_read(format, data, size));
	fuzz_source(data, size, UINT64_MAX);
}

#endif
