/* SPDX-License-Identifier: BSD-2-Clause */
/* pcapng files, block by block. */
#include "pcapng_blocks.h"

#include <errno.h>

#define NS INT64_C(1000000000)

static void expect_record(struct tw_source *source, int64_t ts, uint32_t captured,
			  uint32_t original, uint32_t linktype, uint32_t interface_id, uint8_t fill)
{
	struct tw_record record;
	int ret = tw_source_next(source, &record);

	if (ret != 1)
		fail_msg("%d %s", ret, source->error.text);
	assert_int_equal(record.ts, ts);
	assert_int_equal(record.number, source->records);
	assert_int_equal(record.captured, captured);
	assert_int_equal(record.original, original);
	assert_int_equal(record.linktype, linktype);
	assert_int_equal(record.interface, interface_id);
	for (uint32_t i = 0; i < captured; i++)
		assert_int_equal(record.bytes[i], fill);
}

/* Ends well, with `n` records and the warnings given (NULL: none). */
static void expect_end(struct tw_source *source, uint64_t n, uint64_t skipped, const char *warning)
{
	struct tw_record record;
	int ret = tw_source_next(source, &record);

	if (ret)
		fail_msg("%d %s", ret, source->error.text);
	assert_int_equal(source->records, n);
	assert_int_equal(source->skipped, skipped);
	if (warning) {
		assert_int_equal(source->n_warnings, 1);
		assert_string_equal(source->warning[0], warning);
	} else {
		assert_int_equal(source->n_warnings, 0);
	}
	assert_int_equal(tw_source_next(source, &record), 0);
	tw_source_close(source);
}

static void expect_failure(struct tw_source *source, const char *text)
{
	struct tw_record record;

	assert_int_equal(tw_source_next(source, &record), -EBADMSG);
	assert_string_equal(source->error.text, text);
	assert_int_equal(tw_source_next(source, &record), 0);
	tw_source_close(source);
}

static void test_enhanced_packets(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct bytes b = { .big = big };
		struct tw_source *source;

		section(&b);
		interface(&b, 101, 0, 6, 0);
		enhanced(&b, 0, 1700000000123456, 41, 1500, 1); /* 41: needs padding */
		enhanced(&b, 0, 1700000000123457, 0, 40, 2);
		source = source_of(b.data, b.n);
		assert_string_equal(source->format->id, "pcapng");
		expect_record(source, 1700000000 * NS + 123456000, 41, 1500, 101, 0, 1);
		assert_string_equal(source->title, "pcapng, raw IP");
		expect_record(source, 1700000000 * NS + 123457000, 0, 40, 101, 0, 2);
		expect_end(source, 2, 0, NULL);
		bytes_free(&b);
	}
}

/* Sections in different byte orders; interfaces are counted on, and numbered anew within each. */
static void test_sections_and_interfaces(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;

	(void)state;
	section(&b);
	interface(&b, 1, 0, 6, 0);
	interface(&b, 113, 0, 9, 0);
	enhanced(&b, 1, 5, 4, 4, 1);
	enhanced(&b, 0, 5, 4, 4, 2);
	b.big = true;
	section(&b);
	interface(&b, 1, 0, 3, 0);
	enhanced(&b, 0, 5, 4, 4, 3);
	b.big = false;
	section(&b);
	section(&b);
	interface(&b, 276, 0, 0, 0);
	interface(&b, 276, 0, 6, 0);
	enhanced(&b, 1, 6, 4, 4, 4);
	enhanced(&b, 0, 6, 4, 4, 5);
	source = source_of(b.data, b.n);
	expect_record(source, 5, 4, 4, 113, 1, 1);
	assert_string_equal(source->title, "pcapng, several link types");
	expect_record(source, 5000, 4, 4, 1, 0, 2);
	expect_record(source, 5000000, 4, 4, 1, 2, 3);
	expect_record(source, 6000, 4, 4, 276, 4, 4);
	expect_record(source, 6 * NS, 4, 4, 276, 3, 5);
	expect_end(source, 5, 0, NULL);
	bytes_free(&b);
}

/* What the options of an interface do to its times, and to nobody else's; pcapng_time tests the rest. */
static void test_interface_clocks(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct bytes b = { .big = big };
		struct tw_source *source;

		section(&b);
		interface(&b, 1, 0, 9, 0);
		interface(&b, 1, 0, 0x80 | 10, 0);
		interface(&b, 1, 0, 6, -100);
		interface(&b, 1, 0, 6, 0);
		for (uint32_t i = 0; i < 4; i++)
			enhanced(&b, i, 1536, 4, 4, 1);
		source = source_of(b.data, b.n);
		expect_record(source, 1536, 4, 4, 1, 0, 1);
		expect_record(source, NS + NS / 2, 4, 4, 1, 1, 1);
		expect_record(source, -100 * NS + 1536000, 4, 4, 1, 2, 1);
		expect_record(source, 1536000, 4, 4, 1, 3, 1);
		expect_end(source, 4, 0, NULL);
		bytes_free(&b);
	}
}

static void test_simple_packets(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;

	(void)state;
	section(&b);
	interface(&b, 1, 50, 6, 0);
	interface(&b, 101, 0, 6, 0);
	simple(&b, 60, 50, 1);
	enhanced(&b, 1, 7, 4, 4, 2);
	simple(&b, 30, 30, 3);
	section(&b);
	simple(&b, 4, 4, 9); /* no interface to be of */
	source = source_of(b.data, b.n);
	expect_record(source, 0, 50, 60, 1, 0, 1);
	expect_record(source, 7000, 4, 4, 101, 1, 2);
	expect_record(source, 7000, 30, 30, 1, 0, 3);
	assert_int_equal(source->n_warnings, 1);
	assert_string_equal(source->warning[0],
			    "some packets carry no time: they are given that of the packet before");
	source->n_warnings = 0;
	expect_end(source, 3, 1,
		   "packets of interfaces that the file does not describe are left out");
	bytes_free(&b);
}

static void test_obsolete_packets(void **state)
{
	struct bytes b = { .big = true };
	struct tw_source *source;
	size_t at;

	(void)state;
	section(&b);
	interface(&b, 1, 0, 6, 0);
	interface(&b, 101, 0, 6, 0);
	for (unsigned i = 0; i < 3; i++) {
		at = begin(&b, PB);
		put16(&b, 1);
		put16(&b, i == 1 ? 0xffff : 4); /* dropped before it; all ones: not known */
		put32(&b, 1);
		put32(&b, i);
		put32(&b, 6);
		put32(&b, 60);
		bytes_fill(&b, 7, 6);
		end(&b, at);
	}
	source = source_of(b.data, b.n);
	for (unsigned i = 0; i < 3; i++)
		expect_record(source, (((int64_t)1 << 32) + i) * 1000, 6, 60, 101, 1, 7);
	expect_end(source, 3, 0, "the capturing system reports 8 dropped packets");
	bytes_free(&b);
}

static void test_other_blocks_are_passed_over(void **state)
{
	static const uint32_t known[] = { NRB, 7, 8, 9, DSB, 0x0bad, 0x40000bad, 0x80000001 };
	static const uint32_t unknown[] = {
		0x80001234, 0x7777, 0x80001234, 0x7778, 0x7779, 0x777a
	};
	struct bytes b = { 0 };
	struct tw_source *source;
	struct tw_record record;

	(void)state;
	section(&b);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		end(&b, begin(&b, known[i]));
	interface(&b, 1, 0, 6, 0);
	enhanced(&b, 0, 1, 4, 4, 1);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t at = begin(&b, known[i]);

		bytes_fill(&b, (uint8_t)i, 33);
		end(&b, at);
	}
	enhanced(&b, 0, 2, 4, 4, 2);
	source = source_of(b.data, b.n);
	expect_record(source, 1000, 4, 4, 1, 0, 1);
	expect_record(source, 2000, 4, 4, 1, 0, 2);
	expect_end(source, 2, 0, NULL);

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		end(&b, begin(&b, unknown[i]));
	enhanced(&b, 0, 3, 4, 4, 3);
	source = source_of(b.data, b.n);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(tw_source_next(source, &record), 0);
	assert_int_equal(source->skipped, 6);
	assert_int_equal(source->n_warnings, 3);
	assert_string_equal(source->warning[0],
			    "blocks of the unknown type 0x80001234 are left out");
	assert_string_equal(source->warning[1],
			    "blocks of the unknown type 0x00007777 are left out");
	assert_string_equal(source->warning[2],
			    "blocks of the unknown type 0x00007778 are left out");
	tw_source_close(source);
	bytes_free(&b);
}

/* Larger than any peek: passed over, and the packets behind are read. */
static void test_large_blocks(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	size_t at, large;
	char text[160];

	(void)state;
	section(&b);
	interface(&b, 1, 0, 6, 0);
	at = begin(&b, DSB);
	bytes_fill(&b, 1, (1 << 20) - 12);
	end(&b, at); /* exactly the most that a peek gives */
	large = begin(&b, DSB);
	bytes_fill(&b, 2, (16 << 20) - 12);
	end(&b, large); /* exactly the largest */
	enhanced(&b, 0, 1, (1 << 20) - 32, 1 << 20, 3);
	source = source_of(b.data, b.n);
	expect_record(source, 1000, (1 << 20) - 32, 1 << 20, 1, 0, 3);
	expect_end(source, 1, 0, NULL);

	enhanced(&b, 0, 2, (1 << 20) - 28, 1 << 20, 4);
	enhanced(&b, 0, 3, 4, 4, 5);
	source = source_of(b.data, b.n);
	expect_record(source, 1000, (1 << 20) - 32, 1 << 20, 1, 0, 3);
	expect_record(source, 3000, 4, 4, 1, 0, 5);
	expect_end(source, 2, 1, "packets of more than 1,048,576 bytes are left out");

	/* A header of that size is none. */
	at = b.n;
	set32(&b, begin(&b, SHB) + 4, (1 << 20) + 4);
	put32(&b, 0x1a2b3c4d);
	bytes_fill(&b, 0, 1 << 20);
	source = source_of(b.data, b.n);
	expect_record(source, 1000, (1 << 20) - 32, 1 << 20, 1, 0, 3);
	expect_record(source, 3000, 4, 4, 1, 0, 5);
	snprintf(text, sizeof(text), "file: corrupt at byte %zu: a header of 1,048,580 bytes", at);
	expect_failure(source, text);

	/* Its second length is checked as that of any other. */
	set32(&b, large + (16 << 20) - 4, 12);
	source = source_of(b.data, b.n);
	snprintf(text, sizeof(text), "file: corrupt at byte %zu: a block whose two lengths differ",
		 large);
	expect_failure(source, text);
	source = source_of(b.data, large + 2000000);
	snprintf(text, sizeof(text),
		 "file: ends at byte %zu, in the middle of a block that begins at byte %zu",
		 large + 2000000, large);
	expect_failure(source, text);
	bytes_free(&b);
}

/* Statistics count from the start of the capture: the last of an interface holds, not their sum. */
static void test_drops(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;

	(void)state;
	section(&b);
	interface(&b, 1, 0, 6, 0);
	interface(&b, 1, 0, 6, 0);
	statistics(&b, 0, 2, 1);
	enhanced(&b, 0, 1, 4, 4, 1);
	statistics(&b, 0, 5, 1);
	statistics(&b, 1, 0, 3);
	statistics(&b, 2, 1000, 0); /* of nobody */
	section(&b);
	interface(&b, 1, 0, 6, 0);
	statistics(&b, 0, 3, 0);
	source = source_of(b.data, b.n);
	expect_record(source, 1000, 4, 4, 1, 0, 1);
	expect_end(source, 1, 0, "the capturing system reports 12 dropped packets");
	b.n = 0;
	section(&b);
	interface(&b, 1, 0, 6, 0);
	statistics(&b, 0, UINT64_MAX, UINT64_MAX);
	source = source_of(b.data, b.n);
	expect_end(source, 0, 0,
		   "the capturing system reports 18,446,744,073,709,551,615 dropped packets");
	bytes_free(&b);
}

static void test_drops_told_beside_packets(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	size_t at;

	(void)state;
	section(&b);
	interface(&b, 1, 0, 6, 0);
	for (unsigned i = 0; i < 2; i++) {
		at = begin(&b, EPB);
		put32(&b, 0);
		put64(&b, 0);
		put32(&b, 5);
		put32(&b, 5);
		bytes_fill(&b, 1, 8);
		option(&b, 1, "a comment", 9);
		option64(&b, DROPCOUNT, 1 - i);
		put32(&b, 0);
		end(&b, at);
	}
	source = source_of(b.data, b.n);
	expect_record(source, 0, 5, 5, 1, 0, 1);
	expect_record(source, 0, 5, 5, 1, 0, 1);
	expect_end(source, 2, 0, "the capturing system reports 1 dropped packet");
	bytes_free(&b);
}

static void test_broken_options_spoil_no_packet(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	size_t at;

	(void)state;
	section(&b);
	at = begin(&b, IDB);
	put16(&b, 1);
	put16(&b, 0);
	put32(&b, 0);
	option(&b, TSRESOL, "\x09", 1);
	put16(&b, TSOFFSET); /* says 8 bytes, has 4 */
	put16(&b, 8);
	put32(&b, 0);
	end(&b, at);
	enhanced(&b, 0, 11, 4, 4, 1);
	source = source_of(b.data, b.n);
	expect_record(source, 11, 4, 4, 1, 0, 1);
	expect_end(source, 1, 0, "options that do not fit their block are left out");
	bytes_free(&b);
}

/* Each row writes `value` at `offset` into the block under test, an EPB of 4 bytes at `at`. */
static void test_corrupt_blocks(void **state)
{
	static const struct {
		size_t offset;
		uint32_t value;
		const char *text;
	} rows[] = {
		{ 4, 0, "a block of 0 bytes" },
		{ 4, 8, "a block of 8 bytes" },
		{ 4, 38, "a block of 38 bytes" },
		{ 4, (16 << 20) + 4, "a block of 16,777,220 bytes" },
		{ 4, UINT32_MAX, "a block of 4,294,967,295 bytes" },
		{ 32, 40, "a block whose two lengths differ" },
		{ 20, 5, "a packet of 5 bytes in a block of 36" },
		{ 20, UINT32_MAX, "a packet of 4,294,967,295 bytes in a block of 36" },
		{ 0, SHB, "a section header without byte order" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes b = { 0 };
		struct tw_source *source;
		char text[160];
		size_t at;

		section(&b);
		interface(&b, 1, 0, 6, 0);
		enhanced(&b, 0, 1, 4, 4, 1);
		at = b.n;
		enhanced(&b, 0, 2, 4, 4, 2);
		set32(&b, at + rows[i].offset, rows[i].value);
		source = source_of(b.data, b.n);
		expect_record(source, 1000, 4, 4, 1, 0, 1);
		snprintf(text, sizeof(text), "file: corrupt at byte %zu: %s", at, rows[i].text);
		expect_failure(source, text);
		bytes_free(&b);
	}
}

/* A known block of every length too short for its fixed fields. */
static void test_short_blocks(void **state)
{
	static const struct {
		uint32_t type;
		size_t least;
	} rows[] = { { SHB, 28 }, { IDB, 20 }, { PB, 32 }, { SPB, 16 }, { ISB, 24 }, { EPB, 32 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t length = 12; length < rows[i].least; length += 4) {
			struct bytes b = { 0 };
			struct tw_source *source;
			struct tw_record record;
			size_t at;

			section(&b);
			interface(&b, 1, 0, 6, 0);
			at = begin(&b, rows[i].type);
			/* For a section header of 12 bytes the last length stands where this does. */
			if (rows[i].type == SHB && length > 12)
				put32(&b, 0x1a2b3c4d);
			while (b.n - at < length - 4)
				put32(&b, 0);
			end(&b, at);
			assert_int_equal(b.n - at, length);
			source = source_of(b.data, b.n);
			assert_int_equal(tw_source_next(source, &record), -EBADMSG);
			assert_non_null(strstr(source->error.text, "corrupt at byte"));
			tw_source_close(source);
			bytes_free(&b);
		}
	}
}

static void test_versions(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	struct tw_error err;
	size_t at;

	(void)state;
	section(&b);
	b.data[14] = 2;
	at = b.n;
	section(&b);
	source = source_of(b.data, b.n);
	expect_end(source, 0, 0, NULL);
	b.data[at + 14] = 1;
	source = source_of(b.data, b.n);
	expect_failure(source, "file: pcapng version 1.1 at byte 48, not read by this version");
	b.data[12] = 2;
	assert_int_equal(refusal_of(b.data, b.n, &err), -EPROTONOSUPPORT);
	assert_string_equal(err.text,
			    "file: pcapng version 2.2 at byte 0, not read by this version");
	bytes_free(&b);
}

static void test_packets_of_unknown_interfaces(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;

	(void)state;
	section(&b);
	enhanced(&b, 0, 1, 4, 4, 1);
	interface(&b, 1, 0, 6, 0);
	enhanced(&b, 1, 1, 4, 4, 1);
	enhanced(&b, UINT32_MAX, 1, 4, 4, 1);
	enhanced(&b, 0, 1, 4, 4, 2);
	source = source_of(b.data, b.n);
	expect_record(source, 1000, 4, 4, 1, 0, 2);
	expect_end(source, 1, 3,
		   "packets of interfaces that the file does not describe are left out");
	bytes_free(&b);
}

static void test_too_many_interfaces(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	struct tw_record record;

	(void)state;
	section(&b);
	for (unsigned i = 0; i < 65537; i++) {
		size_t at = begin(&b, IDB);

		put32(&b, 1);
		put32(&b, 0);
		end(&b, at);
	}
	enhanced(&b, 65535, 1, 4, 4, 1);
	enhanced(&b, 65536, 1, 4, 4, 2);
	source = source_of(b.data, b.n);
	expect_record(source, 1000, 4, 4, 1, 65535, 1);
	assert_int_equal(tw_source_next(source, &record), 0);
	assert_int_equal(source->skipped, 1);
	assert_int_equal(source->n_warnings, 2);
	assert_string_equal(source->warning[0],
			    "more than 65,536 interfaces: packets of the others are left out");
	tw_source_close(source);
	bytes_free(&b);
}

static void test_cut_everywhere(void **state)
{
	struct bytes b = { 0 };
	size_t ends[8], n_ends = 0, packets_before = 2; /* blocks before the first packet */
	struct tw_error err;

	(void)state;
	section(&b);
	ends[n_ends++] = b.n;
	interface(&b, 1, 0, 6, 0);
	ends[n_ends++] = b.n;
	for (unsigned i = 0; i < 3; i++) {
		enhanced(&b, 0, i, 5 * i, 100, 1);
		ends[n_ends++] = b.n;
	}
	simple(&b, 9, 9, 1);
	ends[n_ends++] = b.n;
	for (size_t n = 1; n < ends[0]; n++)
		assert_int_equal(refusal_of(b.data, n, &err), n < 12 ? -EPROTONOSUPPORT : -EBADMSG);
	for (size_t n = ends[0]; n <= b.n; n++) {
		struct tw_source *source = source_of(b.data, n);
		struct tw_record record;
		size_t whole = 0;
		char text[160];

		while (whole < n_ends && ends[whole] <= n)
			whole++;
		for (size_t i = packets_before; i < whole; i++)
			assert_int_equal(tw_source_next(source, &record), 1);
		snprintf(text, sizeof(text),
			 "file: ends at byte %zu, in the middle of a block that begins at byte %zu",
			 n, ends[whole - 1]);
		if (n != ends[whole - 1]) {
			expect_failure(source, text);
			continue;
		}
		source->n_warnings = 0;
		expect_end(source, whole > packets_before ? whole - packets_before : 0, 0, NULL);
	}
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_enhanced_packets),
		cmocka_unit_test(test_sections_and_interfaces),
		cmocka_unit_test(test_interface_clocks),
		cmocka_unit_test(test_simple_packets),
		cmocka_unit_test(test_obsolete_packets),
		cmocka_unit_test(test_other_blocks_are_passed_over),
		cmocka_unit_test(test_large_blocks),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_drops_told_beside_packets),
		cmocka_unit_test(test_broken_options_spoil_no_packet),
		cmocka_unit_test(test_corrupt_blocks),
		cmocka_unit_test(test_short_blocks),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_packets_of_unknown_interfaces),
		cmocka_unit_test(test_too_many_interfaces),
		cmocka_unit_test(test_cut_everywhere),
	};

	return cmocka_run_group_tests_name("pcapng", tests, NULL, NULL);
}
