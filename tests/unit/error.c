/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <errno.h>

#include "base/error.h"

static void test_text_and_code(void **state)
{
	struct tw_error err = { "old" };

	(void)state;
	assert_int_equal(tw_error_set(&err, -EBADMSG, "%s: cut at byte %d", "a.pcap", 24), -EBADMSG);
	assert_string_equal(err.text, "a.pcap: cut at byte 24");
	assert_int_equal(tw_error_set(&err, -EIO, "%s", ""), -EIO);
	assert_string_equal(err.text, "");
}

static void test_nobody_listens(void **state)
{
	(void)state;
	assert_int_equal(tw_error_set(NULL, -ENOENT, "%s", "lost"), -ENOENT);
}

/* A file name may be longer than the text; what follows the error must stay as it was. */
static void test_long_text_is_cut(void **state)
{
	struct {
		struct tw_error err;
		char guard[8];
	} box;
	char name[1000];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	memset(&box, '#', sizeof(box));
	assert_int_equal(tw_error_set(&box.err, -EISDIR, "%s: is a directory", name), -EISDIR);
	assert_int_equal(strlen(box.err.text), sizeof(box.err.text) - 1);
	assert_memory_equal(box.err.text, name, sizeof(box.err.text) - 1);
	assert_memory_equal(box.guard, "########", sizeof(box.guard));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_and_code),
		cmocka_unit_test(test_nobody_listens),
		cmocka_unit_test(test_long_text_is_cut),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
