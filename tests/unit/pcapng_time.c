/* SPDX-License-Identifier: BSD-2-Clause */
/* Clocks of pcapng interfaces: each resolution, offset and bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/pcapng_time.h"

#define NS INT64_C(1000000000)

static void test_clocks(void **state)
{
	const int64_t limit = (int64_t)1 << 62;
	const struct {
		uint8_t resolution;
		int64_t offset;
		uint64_t ticks;
		int64_t ts;
	} rows[] = {
		{ 6, 0, 0, 0 },
		{ 0, 0, 1700000000, 1700000000 * NS },
		{ 3, 0, 1700000000123, 1700000000 * NS + 123000000 },
		{ 9, 0, 1700000000123456789, 1700000000 * NS + 123456789 },
		{ 10, 0, 17000000001234567899u, 1700000000 * NS + 123456789 },
		{ 12, 0, 1234567890123456, 1234 * NS + 567890123 },
		{ 19, 0, 18446744073709551615u, 1 * NS + 844674407 },
		{ 28, 0, UINT64_MAX, 1 },
		{ 29, 0, UINT64_MAX, 0 },
		{ 127, 0, UINT64_MAX, 0 },
		{ 0x80, 0, 77, 77 * NS },
		{ 0x80 | 1, 0, 3, NS + NS / 2 },
		{ 0x80 | 10, 0, 1024 * 5 + 512, 5 * NS + NS / 2 },
		{ 0x80 | 32, 0, (uint64_t)1700000000 << 32 | 0xc0000000,
		  1700000000 * NS + 750000000 },
		{ 0x80 | 34, 0, ((uint64_t)1 << 34) - 1, 999999999 },
		{ 0x80 | 63, 0, (uint64_t)3 << 62, NS + NS / 2 },
		{ 0x80 | 64, 0, (uint64_t)1 << 63, NS / 2 },
		{ 0x80 | 70, 0, UINT64_MAX, NS / 64 - 1 },
		{ 0xff, 0, UINT64_MAX, 0 },
		{ 6, 10, 1500000, 11 * NS + NS / 2 },
		{ 6, -10, 1500000, -9 * NS + NS / 2 },
		{ 9, 1700000000, 1, 1700000000 * NS + 1 },
		/* Beyond the bounds, in the ticks or by the offset, they are held there. */
		{ 0, 0, 4611686019, limit },
		{ 6, INT64_MAX, UINT64_MAX / 2, limit },
		{ 6, INT64_MIN, 0, -limit },
		{ 0x80, 1, INT64_MAX, limit },
		/* Ticks below zero, as written by programs that shift a file's times. */
		{ 6, 0, (uint64_t)-1500000, -2 * NS + NS / 2 },
		{ 9, 0, (uint64_t)-3, -3 },
		{ 6, 100, (uint64_t)-1500000, 98 * NS + NS / 2 },
		{ 0, 0, (uint64_t)-5, -5 * NS },
		{ 0, 0, (uint64_t)1 << 63, -limit },
		{ 0x80, INT64_MIN + 5, (uint64_t)-5, -limit },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tw_pcapng_clock clock = { .offset = rows[i].offset };
		int64_t ts;

		tw_pcapng_clock_set(&clock, rows[i].resolution);
		ts = tw_pcapng_time(&clock, rows[i].ticks);
		if (ts != rows[i].ts)
			fail_msg("row %zu: %lld is not %lld", i, (long long)ts,
				 (long long)rows[i].ts);
		/* The quick way and the other must agree. */
		assert_int_equal(tw_pcapng_time_slow(&clock, rows[i].ticks), rows[i].ts);
	}
}

/* Distances are what counts: any resolution keeps order. */
static void test_order_is_kept(void **state)
{
	(void)state;
	for (unsigned resolution = 0; resolution < 256; resolution++) {
		struct tw_pcapng_clock clock = { .offset = 5 };
		int64_t before = INT64_MIN;
		uint64_t ticks = 0;

		tw_pcapng_clock_set(&clock, (uint8_t)resolution);
		while (ticks < INT64_MAX / 2) {
			int64_t ts = tw_pcapng_time(&clock, ticks);

			assert_true(ts >= before);
			before = ts;
			ticks += ticks / 3 + 1;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_order_is_kept),
	};

	return cmocka_run_group_tests_name("pcapng_time", tests, NULL, NULL);
}
