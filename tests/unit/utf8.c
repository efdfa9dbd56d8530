/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8: what is decoded, what is refused, what is a control, how wide it is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdint.h>

#include "base/utf8.h"

static void test_decode(void **state)
{
	static const struct {
		const char *text;
		size_t length;
		uint32_t code;
	} cases[] = {
		{ "a", 1, 'a' },
		{ "\x7f", 1, 0x7f },
		{ "\xc2\x80", 2, 0x80 },
		{ "\xdf\xbf", 2, 0x7ff },
		{ "\xe0\xa0\x80", 3, 0x800 },
		{ "\xed\x9f\xbf", 3, 0xd7ff },
		{ "\xee\x80\x80", 3, 0xe000 },
		{ "\xef\xbf\xbd", 3, 0xfffd },
		{ "\xf0\x90\x80\x80", 4, 0x10000 },
		{ "\xf4\x8f\xbf\xbf", 4, 0x10ffff },
		{ "\xc3\xa9z", 2, 0xe9 }, /* what follows is left alone */
		{ "", 0, 0 },
		{ "\x80", 0, 0 }, /* a continuation alone */
		{ "\xbf\xbf", 0, 0 },
		{ "\xc0\x80", 0, 0 },     /* overlong NUL */
		{ "\xc1\xbf", 0, 0 },     /* overlong DEL */
		{ "\xe0\x9f\xbf", 0, 0 }, /* overlong, three bytes */
		{ "\xf0\x8f\xbf\xbf", 0, 0 },
		{ "\xed\xa0\x80", 0, 0 },     /* first surrogate */
		{ "\xed\xbf\xbf", 0, 0 },     /* last surrogate */
		{ "\xf4\x90\x80\x80", 0, 0 }, /* above U+10FFFF */
		{ "\xf5\x80\x80\x80", 0, 0 },
		{ "\xff", 0, 0 },
		{ "\xe2\x82", 0, 0 }, /* cut by the end */
		{ "\xf0\x9f\x98", 0, 0 },
		{ "\xc3(", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t code = 0xdead;

		assert_int_equal(tw_utf8_decode(cases[i].text, &code), cases[i].length);
		assert_int_equal(code, cases[i].length ? cases[i].code : 0xdead);
	}
}

static void test_controls(void **state)
{
	static const uint32_t controls[] = {
		0x01,   0x0a,   0x1b,   0x1f,   0x7f,   0x80,   0x9b,    0x9f,
		0x200b, 0x200e, 0x2028, 0x202e, 0x2066, 0xfeff, 0xe0041,
	};
	static const uint32_t plain[] = { ' ',    '~',    0xa0,   0xe9,   0x2013,
					  0x2588, 0x4e2d, 0xfffd, 0x1f600 };

	(void)state;
	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		assert_true(tw_utf8_is_control(controls[i]));
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_false(tw_utf8_is_control(plain[i]));
}

static void test_width(void **state)
{
	(void)state;
	assert_int_equal(tw_utf8_width(""), 0);
	assert_int_equal(tw_utf8_width("abc"), 3);
	assert_int_equal(tw_utf8_width("\xe2\x96\x88\xe2\x96\x8f"), 2); /* blocks of a bar */
	assert_int_equal(tw_utf8_width("\xe4\xb8\xad\xe6\x96\x87"), 4); /* two Han characters */
	assert_int_equal(tw_utf8_width("e\xcc\x81"), 1); /* e and a combining acute */
	assert_int_equal(tw_utf8_width("\xf0\x9f\x98\x80"), 2);
	assert_int_equal(tw_utf8_width("\xff\xfe"), 2); /* invalid bytes: one each */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_controls),
		cmocka_unit_test(test_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
