/* SPDX-License-Identifier: BSD-2-Clause */
/* The times of texts. */
#include "text.h"

#include "source/texttime.h"

#define SECOND INT64_C(1000000000)
#define DAY (86400 * SECOND)

static void every_form(void **state)
{
	static const struct {
		const char *text;
		enum tw_stamp_kind kind;
		int64_t ns;
		const char *rest;
	} cases[] = {
		{ "11:31:39.237508 x", TW_STAMP_CLOCK, 41499 * SECOND + 237508000, "x" },
		{ "00:00:01.000721123 x", TW_STAMP_CLOCK, SECOND + 721123, "x" },
		{ "16:34:50 x", TW_STAMP_CLOCK, 59690 * SECOND, "x" },
		{ "9:05:00.5  x", TW_STAMP_CLOCK, 32700 * SECOND + SECOND / 2, "x" },
		{ " 00:00:00.010330 x", TW_STAMP_CLOCK, 10330000, "x" },
		{ "-00:00:00.000068 x", TW_STAMP_CLOCK, -68000, "x" },
		{ "  86 169.498392 x", TW_STAMP_SECONDS, 169 * SECOND + 498392000, "x" },
		{ "2  -0.000068 x", TW_STAMP_SECONDS, -68000, "x" },
		{ "1796063068.939534 x", TW_STAMP_SECONDS, 1796063068 * SECOND + 939534000, "x" },
		{ "   10: 15:56:07.2 x", TW_STAMP_CLOCK, 57367 * SECOND + SECOND / 5, "x" },
		{ "2026-11-30 18:24:28.9 x", TW_STAMP_DATE, 1796063068 * SECOND + 900000000, "x" },
		{ "3 2026-11-30 18:24:28.9 x", TW_STAMP_DATE, 1796063068 * SECOND + 900000000, "x" },
		{ "2026-11-30T18:24:28Z x", TW_STAMP_DATE, 1796063068 * SECOND, "x" },
		{ "11/30/2026 18:24:28 x", TW_STAMP_DATE, 1796063068 * SECOND, "x" },
		{ "2000-02-29 00:00:00 x", TW_STAMP_DATE, 951782400 * SECOND, "x" },
		{ "1970-01-01 00:00:00 x", TW_STAMP_DATE, 0, "x" },
		{ "000123 IP x", TW_STAMP_DELTA, 123000, "IP x" },
		{ "1. 000123 a > b", TW_STAMP_DELTA, SECOND + 123000, "a > b" },
		{ "0.1234567891234 x", TW_STAMP_SECONDS, 123456789, "x" }, /* picoseconds are cut */
	};
	static const char *const none[] = {
		"", "x", "12 x", "10.0.0.1 x", "1.5.2 x", "24:00:00 x", "11:60:00 x", "11:31 x",
		"11:31:39.1x", "794603 win 5792", "99999999999999999999.5 x", "2026-13-01 00:00:00 x",
		"0:c0:4f:bc:f8:0 x", "1.", "18446744073709551616 11:31:39 x", "1 2 11:31:39 x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_scan s = tw_scan_over(cases[i].text, strlen(cases[i].text));
		struct tw_stamp stamp;

		if (!tw_stamp_take(&s, &stamp))
			fail_msg("not read: %s", cases[i].text);
		assert_int_equal(stamp.kind, cases[i].kind);
		if (stamp.ns != cases[i].ns)
			fail_msg("%s: %lld", cases[i].text, (long long)stamp.ns);
		assert_true(tw_scan_is(&s, cases[i].rest));
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct tw_scan s = tw_scan_over(none[i], strlen(none[i]));
		struct tw_stamp stamp;

		if (tw_stamp_take(&s, &stamp))
			fail_msg("read as a time: %s", none[i]);
		assert_ptr_equal(s.at, none[i]);
	}
}

/* Times of packets that are written with these stamps, ns since the first. */
static const struct text *at(const char *const stamps[], unsigned n)
{
	static char text[16384];
	size_t used = 0;

	for (unsigned i = 0; i < n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s IP 192.0.2.1.5 > 192.0.2.2.6: Flags [.], ack 1, win 63, length 0\n",
					 stamps[i]);
	return text_read(text);
}

static void assert_times(const struct text *t, const int64_t expected[], unsigned n, bool is_relative)
{
	assert_int_equal(t->n, n);
	for (unsigned i = 0; i < n; i++) {
		if (t->packet[i].ts != expected[i])
			fail_msg("packet %u at %lld, not %lld", i + 1, (long long)t->packet[i].ts,
				 (long long)expected[i]);
		assert_int_equal(!!(t->packet[i].has & TW_TIME_IS_RELATIVE), is_relative);
	}
}

static void midnight(void **state)
{
	static const char *const stamps[] = {
		"23:59:59.9", "23:59:59.8", "00:00:00.1", "23:59:59.95", "00:00:00.2", "11:00:00",
		"10:59:59.9", "23:30:00", "00:10:00",
	};
	const int64_t ms = SECOND / 1000;
	const int64_t expected[] = {
		DAY - 100 * ms, DAY - 200 * ms, DAY + 100 * ms, DAY - 50 * ms, DAY + 200 * ms,
		DAY + 39600 * SECOND, DAY + 39600 * SECOND - 100 * ms, DAY + 84600 * SECOND,
		2 * DAY + 600 * SECOND,
	};

	(void)state;
	assert_times(at(stamps, 9), expected, 9, false);
}

static void since_the_one_before(void **state)
{
	static const char *const ttt[] = {
		" 00:00:00.000000", " 00:00:00.010330", " 00:00:00.000040", " 00:00:01.000180",
	};
	static const char *const ttttt[] = {
		" 00:00:00.000000", " 00:00:00.010330", " 00:00:00.010370", " 00:00:01.010550",
	};
	static const char *const old[] = { "000000", "010330", "000040", "1. 000180" };
	static const char *const tshark[] = { "1 0.000000", "2 0.010330", "3 0.000040", "4 1.000180" };
	const int64_t expected[] = { 0, 10330000, 10370000, 1010550000 };
	/* rising but for one, which falls too deep for disorder */
	static const char *const rising[] = {
		"00:00:00.000000", "00:00:00.000048", "00:00:00.000199", "00:00:00.184826", "00:00:00.000071",
	};
	const int64_t sums[] = { 0, 48000, 247000, 185073000, 185144000 };

	(void)state;
	assert_times(at(rising, 5), sums, 5, true);
	assert_times(at(ttt, 4), expected, 4, true);
	assert_times(at(ttttt, 4), expected, 4, true);
	assert_times(at(old, 4), expected, 4, true);
	assert_times(at(tshark, 4), expected, 4, true);
}

/* Lines of other protocols have their share of the time. */
static void deltas_of_other_packets_count(void **state)
{
	const struct text *t = text_read(
		" 00:00:00.000000 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [.], ack 1, win 63, length 0\n"
		" 00:00:00.500000 IP 192.0.2.1.53 > 192.0.2.2.53: 1+ A? example.com. (38)\n"
		" 00:00:00.000001 ARP, Request who-has 192.0.2.1 tell 192.0.2.2, length 28\n"
		" 00:00:00.000002 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [.], ack 1, win 63, length 0\n");

	(void)state;
	assert_int_equal(t->n, 2);
	assert_true(t->packet[1].ts == 500003000);
	assert_int_equal(t->skipped, 2);
}

/* Disorder in a clock that runs on is none of it, even many times, even just after midnight. */
static void disorder_is_no_delta(void **state)
{
	static const char *const evening[] = {
		"18:00:00.9", "18:00:00.1", "18:00:00.8", "18:00:00.2", "18:00:00.7", "18:00:00.3",
		"18:00:00.6", "18:00:00.4", "18:00:00.5",
	};
	static const char *const early[] = { "00:00:05.9", "00:00:05.8", "00:00:06.1" };
	static const char *const from_zero[] = { "00:00:00.0", "00:00:00.8", "00:00:00.7", "00:00:00.9", "00:00:01.0", "00:00:01.1" };
	const struct text *t;

	(void)state;
	t = at(evening, 9);
	assert_true(t->packet[8].ts == 64800 * SECOND + SECOND / 2);
	assert_false(t->packet[8].has & TW_TIME_IS_RELATIVE);
	t = at(early, 3);
	assert_true(t->packet[1].ts == 5 * SECOND + 8 * SECOND / 10);
	t = at(from_zero, 6);
	assert_true(t->packet[5].ts == SECOND + SECOND / 10);
}

static void dates_and_seconds(void **state)
{
	static const char *const tt[] = { "1796063068.939534", "1796063068.949864" };
	static const char *const tttt[] = { "2026-11-30 18:24:28.939534", "2026-11-30 18:24:28.949864" };
	const int64_t expected[] = { 1796063068 * SECOND + 939534000, 1796063068 * SECOND + 949864000 };

	(void)state;
	assert_times(at(tt, 2), expected, 2, false);
	assert_times(at(tttt, 2), expected, 2, false);
}

/* Whatever the stamps add up to stays within what struct tw_record promises. */
static void sums_are_clamped(void **state)
{
	struct tw_text_clock clock = { .deltas = true };
	struct tw_stamp stamp = { TW_STAMP_SECONDS, 4600000000 * SECOND };

	(void)state;
	for (int i = 0; i < 10; i++)
		assert_in_range(tw_text_clock_instant(&clock, &stamp), 0, (INT64_C(1) << 62) - 1);
	stamp.ns = -stamp.ns;
	for (int i = 0; i < 10; i++)
		assert_true(tw_text_clock_instant(&clock, &stamp) > -(INT64_C(1) << 62));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form),
		cmocka_unit_test(midnight),
		cmocka_unit_test(since_the_one_before),
		cmocka_unit_test(deltas_of_other_packets_count),
		cmocka_unit_test(disorder_is_no_delta),
		cmocka_unit_test(dates_and_seconds),
		cmocka_unit_test(sums_are_clamped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
