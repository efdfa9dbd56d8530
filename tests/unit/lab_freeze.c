/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "lab/freeze.h"

static void test_thaw(void **state)
{
	const struct tw_freeze freeze = { .length = 100, .every = 400 };

	(void)state;
	assert_int_equal(tw_freeze_thaw(&freeze, -5), -5);
	assert_int_equal(tw_freeze_thaw(&freeze, 0), 0);
	assert_int_equal(tw_freeze_thaw(&freeze, 299), 299);
	assert_int_equal(tw_freeze_thaw(&freeze, 300), 400);
	assert_int_equal(tw_freeze_thaw(&freeze, 399), 400);
	assert_int_equal(tw_freeze_thaw(&freeze, 400), 400);
	assert_int_equal(tw_freeze_thaw(&freeze, 4000000000350), 4000000000400);
}

static void test_usual_and_never(void **state)
{
	const struct tw_freeze usual = { .length = 100000000 }, never = { .every = 400 };
	const struct tw_freeze always = { .length = 400, .every = 400 };

	(void)state;
	assert_int_equal(tw_freeze_thaw(&usual, 899999999), 899999999);
	assert_int_equal(tw_freeze_thaw(&usual, 900000000), TW_FREEZE_EVERY);
	assert_int_equal(tw_freeze_thaw(&never, 350), 350);
	/* It moves now and then, whatever is asked for. */
	assert_int_equal(tw_freeze_thaw(&always, 200), 401);
	assert_int_equal(tw_freeze_thaw(&always, 401), 401);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thaw),
		cmocka_unit_test(test_usual_and_never),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
