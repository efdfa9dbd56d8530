/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/keepsake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/tw-keepsake-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static unsigned count_files(void)
{
	unsigned n = 0;
	DIR *dir = opendir(folder);

	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

static void check_content(const char *name, const char *content)
{
	char path[128], bytes[32] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_true(read(fd, bytes, sizeof(bytes) - 1) >= 0);
	close(fd);
	assert_string_equal(bytes, content);
}

static int remove_folder(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/a", folder);
	unlink(path);
	return rmdir(folder);
}

static void test_named_last(void **state)
{
	int fd = tw_keepsake_open(folder);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "one", 3), 3);
	assert_int_equal(count_files(), 0);
	assert_int_equal(tw_keepsake_name(fd, folder, "a"), 0);
	close(fd);
	check_content("a", "one");
	/* A later one takes its name. */
	fd = tw_keepsake_open(folder);
	assert_int_equal(write(fd, "two", 3), 3);
	check_content("a", "one");
	assert_int_equal(tw_keepsake_name(fd, folder, "a"), 0);
	close(fd);
	check_content("a", "two");
	assert_int_equal(count_files(), 1);
}

static void test_copied(void **state)
{
	/* From memory no link leads to a folder. */
	int fd = memfd_create("test", MFD_CLOEXEC);

	(void)state;
	assert_int_equal(write(fd, "far", 3), 3);
	assert_int_equal(tw_keepsake_name(fd, folder, "a"), 0);
	close(fd);
	check_content("a", "far");
}

static void test_no_folder(void **state)
{
	int fd = tw_keepsake_open("/nothere");

	(void)state;
	assert_true(fd >= 0); /* elsewhere */
	assert_int_equal(tw_keepsake_name(fd, "/nothere", "a"), -ENOENT);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_named_last, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_copied, make_folder, remove_folder),
		cmocka_unit_test(test_no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
