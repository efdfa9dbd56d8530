/* SPDX-License-Identifier: BSD-2-Clause */
/* pcap files, byte by byte. */
#include "bytes.h"

#include <errno.h>

#define NS 1000000000

static void expect_end(struct tw_source *source, uint64_t records)
{
	struct tw_record record;

	assert_int_equal(tw_source_next(source, &record), 0);
	assert_string_equal(source->error.text, "");
	assert_int_equal(source->records, records);
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

static void one_file(bool big, uint32_t magic, uint32_t fraction, int64_t ns, const char *title)
{
	struct bytes b = { .big = big };
	struct tw_source *source;
	struct tw_record record;

	pcap_header(&b, magic, 65535, 1);
	pcap_record(&b, 1700000000, fraction, 60, 60, 0xaa);
	if (magic == 0xa1b2cd34) {
		/* Interface index, protocol, packet type and a byte to fill, before the frame. */
		b.n -= 60;
		bytes_fill(&b, 0xee, 8);
		bytes_fill(&b, 0xaa, 60);
	}
	source = source_of(b.data, b.n);
	assert_string_equal(source->format->id, "pcap");
	assert_string_equal(source->title, title);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(record.ts, 1700000000 * (int64_t)NS + ns);
	assert_int_equal(record.number, 1);
	assert_int_equal(record.captured, 60);
	assert_int_equal(record.original, 60);
	assert_int_equal(record.linktype, 1);
	assert_int_equal(record.interface, 0);
	assert_null(record.packet);
	for (int i = 0; i < 60; i++)
		assert_int_equal(record.bytes[i], 0xaa);
	expect_end(source, 1);
	bytes_free(&b);
}

static void test_magics(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		one_file(big, 0xa1b2c3d4, 123456, 123456000, "pcap, Ethernet");
		one_file(big, 0xa1b23c4d, 123456789, 123456789, "pcap, nanoseconds, Ethernet");
		one_file(big, 0xa1b2cd34, 999999, 999999000, "pcap, Ethernet");
	}
}

static void test_snaplen_cut(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	struct tw_record record;

	(void)state;
	pcap_header(&b, 0xa1b2c3d4, 68, 101);
	pcap_record(&b, 1, 0, 68, 1500, 1);
	pcap_record(&b, 2, 0, 0, 40, 2);
	pcap_record(&b, 3, 0, 44, 44, 3);
	source = source_of(b.data, b.n);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(record.captured, 68);
	assert_int_equal(record.original, 1500);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(record.captured, 0);
	assert_int_equal(record.original, 40);
	assert_non_null(record.bytes);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(record.number, 3);
	assert_int_equal(record.bytes[43], 3);
	expect_end(source, 3);
	bytes_free(&b);
}

static void test_times_out_of_range_are_carried(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	struct tw_record record;

	(void)state;
	pcap_header(&b, 0xa1b2c3d4, 65535, 1);
	pcap_record(&b, 10, 1000000, 1, 1, 0);
	pcap_record(&b, UINT32_MAX, UINT32_MAX, 1, 1, 0);
	source = source_of(b.data, b.n);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(record.ts, 11 * (int64_t)NS);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(record.ts, (int64_t)UINT32_MAX * NS + (int64_t)UINT32_MAX * 1000);
	assert_true(record.ts < (int64_t)1 << 62);
	expect_end(source, 2);
	bytes_free(&b);
}

static void test_check_sequence_bits_are_no_link_type(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	struct tw_record record;

	(void)state;
	pcap_header(&b, 0xa1b2c3d4, 65535, 0x24000000 | 1); /* 4 bytes of check sequence */
	pcap_record(&b, 1, 0, 64, 64, 0);
	source = source_of(b.data, b.n);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(record.linktype, 1);
	expect_end(source, 1);
	bytes_free(&b);
}

static void put_version(struct bytes *b, uint16_t major, uint16_t minor)
{
	b->n = 4;
	put16(b, major);
	put16(b, minor);
	b->n = 24;
}

/* Two records: the lengths exchanged, and (in 2.3 alone told apart) as today. */
static void old_version(uint16_t major, uint16_t minor, uint32_t first, uint32_t second)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	struct tw_record record;

	pcap_header(&b, 0xa1b2c3d4, 65535, 1);
	put_version(&b, major, minor);
	put32(&b, 1);
	put32(&b, 0);
	put32(&b, first);
	put32(&b, second);
	bytes_fill(&b, 7, 20);
	source = source_of(b.data, b.n);
	assert_int_equal(tw_source_next(source, &record), 1);
	assert_int_equal(record.captured, 20);
	assert_int_equal(record.original, 90);
	expect_end(source, 1);
	bytes_free(&b);
}

static void test_versions(void **state)
{
	struct bytes b = { 0 };
	struct tw_error err;

	(void)state;
	old_version(2, 4, 20, 90);
	old_version(2, 3, 20, 90);
	old_version(2, 3, 90, 20);
	old_version(2, 2, 90, 20);
	old_version(543, 0, 90, 20);
	pcap_header(&b, 0xa1b2c3d4, 65535, 1);
	put_version(&b, 2, 5);
	assert_int_equal(refusal_of(b.data, b.n, &err), -EPROTONOSUPPORT);
	assert_string_equal(err.text, "file: a pcap file of version 2.5, not read by this version");
	put_version(&b, 1, 4);
	assert_int_equal(refusal_of(b.data, b.n, &err), -EPROTONOSUPPORT);
	bytes_free(&b);
}

static void test_impossible_lengths_end_the_file(void **state)
{
	struct bytes b = { 0 };
	struct tw_source *source;
	struct tw_record record;

	(void)state;
	pcap_header(&b, 0xa1b2c3d4, 65535, 1);
	pcap_record(&b, 1, 0, 10, 10, 0);
	put32(&b, 1);
	put32(&b, 0);
	put32(&b, 0xffff0000);
	put32(&b, 60);
	bytes_fill(&b, 0, 5000);
	source = source_of(b.data, b.n);
	assert_int_equal(tw_source_next(source, &record), 1);
	expect_failure(source, "file: corrupt at byte 50: a record of 4,294,901,760 bytes");
	bytes_free(&b);
}

/* The usual 256 KiB pass whatever the file's snap length is; a larger one lifts the bound to 1 MiB. */
static void test_large_records(void **state)
{
	static const struct {
		uint32_t snaplen, captured;
		bool good;
	} rows[] = {
		{ 96, 262144, true },          { 96, 262145, false },
		{ 500000, 500000, true },      { 500000, 500001, false },
		{ UINT32_MAX, 1 << 20, true }, { UINT32_MAX, (1 << 20) + 1, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bytes b = { 0 };
		struct tw_source *source;
		struct tw_record record;

		pcap_header(&b, 0xa1b2c3d4, rows[i].snaplen, 1);
		pcap_record(&b, 1, 0, rows[i].captured, rows[i].captured, 5);
		pcap_record(&b, 2, 0, 3, 3, 6);
		source = source_of(b.data, b.n);
		if (rows[i].good) {
			assert_int_equal(tw_source_next(source, &record), 1);
			assert_int_equal(record.captured, rows[i].captured);
			assert_int_equal(record.bytes[record.captured - 1], 5);
			assert_int_equal(tw_source_next(source, &record), 1);
			assert_int_equal(record.bytes[2], 6);
			expect_end(source, 2);
		} else {
			assert_int_equal(tw_source_next(source, &record), -EBADMSG);
			assert_non_null(
				strstr(source->error.text, "corrupt at byte 24: a record of"));
			tw_source_close(source);
		}
		bytes_free(&b);
	}
}

static void test_cut_everywhere(void **state)
{
	static const size_t ends[] = { 24, 24 + 16 + 20, 24 + 2 * 16 + 20 + 30,
				       24 + 3 * 16 + 20 + 30 };
	struct bytes b = { 0 };
	struct tw_error err;
	char text[160];

	(void)state;
	pcap_header(&b, 0xa1b2c3d4, 65535, 1);
	pcap_record(&b, 1, 0, 20, 20, 1);
	pcap_record(&b, 2, 0, 30, 99, 2);
	pcap_record(&b, 3, 0, 0, 0, 3);
	assert_int_equal(b.n, ends[3]);
	assert_int_equal(refusal_of(b.data, 0, &err), -ENODATA);
	for (size_t n = 1; n < 24; n++) {
		assert_int_equal(refusal_of(b.data, n, &err), n < 4 ? -EPROTONOSUPPORT : -EBADMSG);
		snprintf(text, sizeof(text),
			 "file: ends at byte %zu, in the middle of the file header that begins at "
			 "byte 0",
			 n);
		if (n >= 4)
			assert_string_equal(err.text, text);
	}
	for (size_t n = 24; n <= b.n; n++) {
		struct tw_source *source = source_of(b.data, n);
		struct tw_record record;
		size_t whole = 0;

		while (whole < 3 && n >= ends[whole + 1])
			whole++;
		for (size_t i = 0; i < whole; i++)
			assert_int_equal(tw_source_next(source, &record), 1);
		snprintf(
			text, sizeof(text),
			"file: ends at byte %zu, in the middle of a packet that begins at byte %zu",
			n, ends[whole]);
		if (n == ends[whole])
			expect_end(source, whole);
		else
			expect_failure(source, text);
	}
	bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_magics),
		cmocka_unit_test(test_snaplen_cut),
		cmocka_unit_test(test_times_out_of_range_are_carried),
		cmocka_unit_test(test_check_sequence_bits_are_no_link_type),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_impossible_lengths_end_the_file),
		cmocka_unit_test(test_large_records),
		cmocka_unit_test(test_cut_everywhere),
	};

	return cmocka_run_group_tests_name("pcap", tests, NULL, NULL);
}
