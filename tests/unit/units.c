/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures as people read them, at the edges where a unit or a digit changes; and escaping. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/units.h"

static void test_duration(void **state)
{
	static const struct {
		int64_t ns;
		const char *want;
	} cases[] = {
		{ 0, "0 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.0 us" },
		{ 9994, "10.0 us" },
		{ 143000, "143 us" },
		{ 999499, "999 us" },
		{ 999500, "1.00 ms" },
		{ 9994999, "9.99 ms" },
		{ 9995000, "10.0 ms" },
		{ 40000000, "40.0 ms" },
		{ 489700000, "489.7 ms" },
		{ 999949999, "999.9 ms" },
		{ 999950000, "1.000 s" },
		{ 1039000000, "1.039 s" },
		{ 9999400000, "9.999 s" },
		{ 9999500000, "10.00 s" },
		{ 99940000000, "99.94 s" },
		{ 99950000000, "100.0 s" },
		{ 119900000000, "119.9 s" },
		{ INT64_C(123000000000), "2 min 3 s" },
		{ INT64_C(7199000000000), "119 min 59 s" },
		{ INT64_C(11040000000000), "3 h 4 min" },
		{ -500000000, "-0.5 s" },
		{ INT64_MAX, "2562047 h 47 min" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(tw_duration(cases[i].ns).s, cases[i].want);
	assert_true(strlen(tw_duration(INT64_MIN).s) > 0);
}

static void test_count_and_size(void **state)
{
	(void)state;
	assert_string_equal(tw_count(0).s, "0");
	assert_string_equal(tw_count(999).s, "999");
	assert_string_equal(tw_count(1000).s, "1,000");
	assert_string_equal(tw_count(1234567).s, "1,234,567");
	assert_string_equal(tw_count(UINT64_MAX).s, "18,446,744,073,709,551,615");
	assert_string_equal(tw_size(1).s, "1 byte");
	assert_string_equal(tw_size(8688).s, "8,688 bytes");
	assert_string_equal(tw_size(99999).s, "99,999 bytes");
	assert_string_equal(tw_size(147000).s, "147 kB");
	assert_string_equal(tw_size(999499).s, "999 kB");
	assert_string_equal(tw_size(999500).s, "1.0 MB");
	assert_string_equal(tw_size(3000000).s, "3.0 MB");
	assert_string_equal(tw_size(20000000).s, "20 MB");
	assert_string_equal(tw_size(1500000000).s, "1.5 GB");
	assert_string_equal(tw_size(UINT64_MAX).s, "18447 PB");
}

static void test_rates_and_shares(void **state)
{
	(void)state;
	assert_string_equal(tw_rate(0).s, "0.0 bit/s");
	assert_string_equal(tw_rate(3.4e6).s, "3.4 Mbit/s");
	assert_string_equal(tw_rate(92400).s, "92 kbit/s");
	assert_string_equal(tw_rate(999.6e6).s, "1.0 Gbit/s");
	assert_string_equal(tw_rate(-1).s, "0.0 bit/s");
	assert_string_equal(tw_rate(NAN).s, "0.0 bit/s");
	assert_string_equal(tw_percent(0.987).s, "98.7 %");
	assert_string_equal(tw_percent(1).s, "100.0 %");
	assert_string_equal(tw_times(18.1).s, "18 times");
	assert_string_equal(tw_times(1.3).s, "1.3 times");
	assert_string_equal(tw_times(9.96).s, "10 times");
}

static void test_escape(void **state)
{
	char out[64];

	(void)state;
	assert_string_equal(tw_escape("plain.pcap", out, sizeof(out)), "plain.pcap");
	assert_string_equal(tw_escape("a\033[31mb\nc\x7f", out, sizeof(out)),
			    "a\\x1b[31mb\\x0ac\\x7f");
	assert_string_equal(tw_escape("\xc3\xa9 \xe2\x96\x88", out, sizeof(out)),
			    "\xc3\xa9 \xe2\x96\x88");
	assert_string_equal(tw_escape("\xff\xc3(", out, sizeof(out)), "\\xff\\xc3(");
	/* C1 in UTF-8, and the override that turns text around */
	assert_string_equal(tw_escape("\xc2\x9b"
				      "2J\xe2\x80\xae",
				      out, sizeof(out)),
			    "\\xc2\\x9b2J\\xe2\\x80\\xae");
}

/* Cut, but never in the middle of an escape or of a character. */
static void test_escape_cut(void **state)
{
	char out[6];

	(void)state;
	assert_string_equal(tw_escape("ab\033cd", out, sizeof(out)), "ab");
	assert_string_equal(tw_escape("a\033bc", out, sizeof(out)), "a\\x1b");
	assert_string_equal(tw_escape("abcd\xc3\xa9", out, sizeof(out)), "abcd");
	assert_string_equal(tw_escape("abcdefgh", out, sizeof(out)), "abcde");
	assert_string_equal(tw_escape("abc", out, 1), "");
	out[0] = 'x';
	assert_ptr_equal(tw_escape("abc", out, 0), out);
	assert_int_equal(out[0], 'x');
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_duration),         cmocka_unit_test(test_count_and_size),
		cmocka_unit_test(test_rates_and_shares), cmocka_unit_test(test_escape),
		cmocka_unit_test(test_escape_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
