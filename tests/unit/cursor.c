/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/cursor.h"

static void test_network_byte_order(void **state)
{
	static const uint8_t bytes[] = { 0xfe, 0x80, 0x01, 0xff, 0x02, 0x83, 0x04, 0x11 };
	struct tw_cursor c = tw_cursor_over(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(tw_cursor_u8(&c), 0xfe);
	assert_int_equal(tw_cursor_be16(&c), 0x8001);
	assert_int_equal(tw_cursor_be32(&c), 0xff028304);
	assert_int_equal(tw_cursor_left(&c), 1);
	assert_false(c.is_short);
	assert_int_equal(tw_cursor_u8(&c), 0x11);
	assert_int_equal(tw_cursor_left(&c), 0);
	assert_false(c.is_short); /* the end itself is not past the end */
}

static void test_take_points_into_the_bytes(void **state)
{
	static const uint8_t bytes[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct tw_cursor c = tw_cursor_over(bytes, sizeof(bytes));

	(void)state;
	assert_ptr_equal(tw_cursor_take(&c, 4), bytes);
	tw_cursor_skip(&c, 2);
	assert_ptr_equal(tw_cursor_take(&c, 0), bytes + 6);
	assert_ptr_equal(tw_cursor_take(&c, 4), bytes + 6);
	assert_false(c.is_short);
	assert_ptr_equal(tw_cursor_take(&c, 0), bytes + 10);
	assert_false(c.is_short);
}

/*
 * Every read, at every length too short for it: 0, short for good, and no byte touched past the
 * end (the bytes lie in an allocation of exactly their size, for ASan).
 */
static void test_short_reads(void **state)
{
	(void)state;
	for (unsigned width = 1; width <= 4; width++) {
		if (width == 3)
			continue;
		for (size_t n = 0; n < width; n++) {
			uint8_t *bytes = malloc(n ? n : 1);
			struct tw_cursor c;

			assert_non_null(bytes);
			memset(bytes, 0xff, n);
			c = tw_cursor_over(bytes, n);
			assert_int_equal(width == 1 ? tw_cursor_u8(&c) :
					 width == 2 ? tw_cursor_be16(&c) : tw_cursor_be32(&c), 0);
			assert_true(c.is_short);
			assert_int_equal(tw_cursor_left(&c), 0);
			free(bytes);
		}
	}
}

static void test_shortfall_is_sticky(void **state)
{
	static const uint8_t bytes[4] = { 1, 2, 3, 4 };
	struct tw_cursor c = tw_cursor_over(bytes, sizeof(bytes));

	(void)state;
	assert_null(tw_cursor_take(&c, 5));
	assert_true(c.is_short);
	/* What the shortfall left behind is not given out as if it came next. */
	assert_int_equal(tw_cursor_u8(&c), 0);
	assert_non_null(tw_cursor_take(&c, 0));
	assert_true(c.is_short);
}

/* A length from a file can be anything; at + n must not wrap round. */
static void test_huge_lengths(void **state)
{
	static const uint8_t bytes[4] = { 1, 2, 3, 4 };
	static const size_t lengths[] = { 5, UINT32_MAX, SIZE_MAX / 2, SIZE_MAX - 3, SIZE_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct tw_cursor c = tw_cursor_over(bytes, sizeof(bytes));

		tw_cursor_skip(&c, lengths[i]);
		assert_true(c.is_short);
		assert_int_equal(tw_cursor_left(&c), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_network_byte_order),
		cmocka_unit_test(test_take_points_into_the_bytes),
		cmocka_unit_test(test_short_reads),
		cmocka_unit_test(test_shortfall_is_sticky),
		cmocka_unit_test(test_huge_lengths),
	};

	return cmocka_run_group_tests_name("cursor", tests, NULL, NULL);
}
