/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stream under any bytes, packed or not: however it is read, it gives the same. The first byte
 * chooses the sizes of the peeks; the rest is the input.
 */
#include "input.h"

enum { LIMIT = 1100 << 10 }; /* of unpacked bytes, of which a small input may have endlessly many */

struct outcome {
	uint64_t bytes, sum;
	int error;
};

static uint64_t mix(uint64_t sum, const uint8_t *bytes, size_t n)
{
	while (n--)
		sum = (sum ^ *bytes++) * 0x100000001b3;
	return sum;
}

/* Reads to the end, or LIMIT, with peeks of sizes that `seed` draws, largest `most`. */
static struct outcome read_all(const uint8_t *data, size_t size, uint32_t seed, uint32_t most)
{
	struct outcome outcome = { .sum = 0xcbf29ce484222325 };
	struct tw_stream *stream = NULL;
	struct tw_error err = { "" };
	int ret = tw_stream_open(&stream, fuzz_input(data, size), "input", &err);

	if (ret) {
		CHECK(ret == -ENOTSUP && *err.text);
		return outcome;
	}
	while (outcome.bytes < LIMIT) {
		const uint8_t *bytes, *again;
		size_t want, n, use;

		seed = seed * 1664525 + 1013904223;
		want = 1 + (seed >> 8) % most;
		if (want > LIMIT - outcome.bytes)
			want = LIMIT - outcome.bytes;
		n = tw_stream_peek(stream, want, &bytes);
		CHECK(n <= want && tw_stream_peek(stream, n, &again) == n);
		use = seed & 1 ? n : (n + 1) / 2;
		outcome.sum = mix(outcome.sum, again, use);
		CHECK(tw_stream_skip(stream, use) == use);
		outcome.bytes += use;
		CHECK(tw_stream_offset(stream) == outcome.bytes);
		CHECK(tw_stream_progress(stream) <= 1);
		if (!n)
			break;
	}
	if (outcome.bytes < LIMIT)
		outcome.error = tw_stream_error(stream);
	if (!tw_stream_compression(stream)) {
		CHECK(!outcome.error && outcome.bytes == (size < LIMIT ? size : LIMIT));
		CHECK(outcome.sum == mix(0xcbf29ce484222325, data, outcome.bytes));
	}
	tw_stream_close(stream);
	return outcome;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct outcome a, b;

	if (!size)
		return 0;
	a = read_all(data + 1, size - 1, data[0], 16U << data[0] % 17);
	b = read_all(data + 1, size - 1, data[0] ^ 0xffU, 65536);
	CHECK(a.bytes == b.bytes && a.sum == b.sum && a.error == b.error);
	return 0;
}
