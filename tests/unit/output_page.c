/* SPDX-License-Identifier: BSD-2-Clause */
/* The page and the table: wrapping, eliding, aligning by cells, styles, errors. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/page.h"
#include "output/table.h"

struct sheet {
	struct tw_page page;
	char *text;
	size_t size;
};

static void begin(struct sheet *sheet, unsigned width)
{
	*sheet = (struct sheet){ .page = { .width = width, .unicode = true } };
	sheet->page.out = open_memstream(&sheet->text, &sheet->size);
	assert_non_null(sheet->page.out);
}

static void expect(struct sheet *sheet, const char *want)
{
	assert_int_equal(sheet->page.error, 0);
	assert_int_equal(fclose(sheet->page.out), 0);
	assert_string_equal(sheet->text, want);
	free(sheet->text);
}

static void test_paragraph(void **state)
{
	struct sheet s;

	(void)state;
	begin(&s, 20);
	tw_page_paragraph(&s.page, 2, "fix  ", TW_STYLE_PLAIN, "one two three four five");
	expect(&s, "  fix  one two three\n"
		   "       four five\n");
	begin(&s, 21); /* a line may be full to the last cell, not beyond */
	tw_page_paragraph(&s.page, 0, "", TW_STYLE_PLAIN, "aaaaaaaaaa bbbbbbbbbb c");
	expect(&s, "aaaaaaaaaa bbbbbbbbbb\nc\n");
	begin(&s, 20);
	tw_page_paragraph(&s.page, 0, "", TW_STYLE_PLAIN, "aaaaaaaaaa bbbbbbbbbb c");
	expect(&s, "aaaaaaaaaa\nbbbbbbbbbb c\n");
	begin(&s, 20);
	tw_page_paragraph(&s.page, 3, "x", TW_STYLE_PLAIN, "");
	expect(&s, "   x\n");
}

static void test_figure_stays_with_its_unit(void **state)
{
	struct sheet s;

	(void)state;
	begin(&s, 20);
	tw_page_paragraph(&s.page, 0, "", TW_STYLE_PLAIN,
			  "waited for over 40.0 ms, then 8,688 bytes");
	expect(&s, "waited for over\n40.0 ms, then\n8,688 bytes\n");
	begin(&s, 20);
	tw_page_paragraph(&s.page, 0, "", TW_STYLE_PLAIN, "it was sent in packet 12 again");
	expect(&s, "it was sent in\npacket 12 again\n");
}

static void test_long_word_is_broken(void **state)
{
	struct sheet s;

	(void)state;
	begin(&s, 12);
	tw_page_paragraph(&s.page, 0, "", TW_STYLE_PLAIN, "a 0123456789abcdefghij b");
	expect(&s, "a\n0123456789ab\ncdefghij b\n");
	begin(&s, 13); /* wide characters: two cells each, never half of one */
	tw_page_paragraph(&s.page, 0, "", TW_STYLE_PLAIN,
			  "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad"
			  "\xe4\xb8\xad");
	expect(&s, "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad\n\xe4"
		   "\xb8\xad\n");
}

static void test_styles(void **state)
{
	struct sheet s;

	(void)state;
	begin(&s, 40);
	s.page.color = true;
	tw_page_put(&s.page, TW_STYLE_BOLD, "#1");
	tw_page_to(&s.page, 4); /* columns do not count the escape sequences */
	tw_page_put(&s.page, TW_STYLE_PLAIN, "x");
	tw_page_blanks(&s.page, 7); /* owed blanks are not written at a line's end */
	tw_page_newline(&s.page);
	expect(&s, "\033[1m#1\033[0m  x\n");
	begin(&s, 40);
	tw_page_put(&s.page, TW_STYLE_RED, "red");
	tw_page_newline(&s.page);
	expect(&s, "red\n");
}

static void test_printable(void **state)
{
	struct tw_page page = { .unicode = true };
	char out[64];

	(void)state;
	assert_string_equal(tw_page_printable(&page, "\xc3\xa9\033", out, sizeof(out)),
			    "\xc3\xa9\\x1b");
	page.unicode = false;
	assert_string_equal(tw_page_printable(&page, "\xc3\xa9\033z", out, sizeof(out)),
			    "\\xc3\\xa9\\x1bz");
	assert_string_equal(tw_page_printable(&page, "ab\xc3\xa9", out, 7),
			    "ab\\xc3"); /* not half an escape */
}

static void test_elide(void **state)
{
	struct tw_page page = { .unicode = false };
	char out[64];

	(void)state;
	assert_string_equal(tw_page_elide(&page, "0123456789", 10, out, sizeof(out)), "0123456789");
	assert_string_equal(tw_page_elide(&page, "0123456789", 9, out, sizeof(out)), "012..6789");
	assert_string_equal(tw_page_elide(&page, "0123456789", 4, out, sizeof(out)), "0..9");
	page.unicode = true;
	assert_string_equal(tw_page_elide(&page, "0123456789", 5, out, sizeof(out)),
			    "01\xe2\x80\xa6"
			    "89");
	/* a wide character that does not fit is left out whole */
	assert_string_equal(tw_page_elide(&page,
					  "a\xe4\xb8\xad"
					  "bcde",
					  5, out, sizeof(out)),
			    "a\xe2\x80\xa6"
			    "de");
}

static const struct tw_column columns[] = {
	{ .heading = "id", .right = true },
	{ .heading = "name", .least = 6, .last = 4 },
	{ .heading = "time", .right = true, .drop = 2 },
	{ .heading = "empty" },
	{ .heading = "note", .drop = 1 },
};

static void fill(struct tw_table *table)
{
	tw_table_init(table, columns, 5);
	assert_int_equal(tw_table_add(table, TW_STYLE_PLAIN,
				      (const char *[]){ "1", "abcdefghij", "1.5 s", "", "first" }),
			 0);
	assert_int_equal(
		tw_table_add(table, TW_STYLE_PLAIN, (const char *[]){ "22", "k", "10 s", "", "" }),
		0);
}

static void expect_table(unsigned width, const char *want)
{
	struct tw_table table;
	struct sheet s;

	begin(&s, width);
	s.page.unicode = false;
	fill(&table);
	tw_table_print(&table, &s.page, 1);
	tw_table_release(&table);
	expect(&s, want);
}

static void test_table(void **state)
{
	struct tw_table table;

	(void)state;
	fill(&table);
	assert_int_equal(tw_table_width(&table), 2 + 2 + 10 + 2 + 5 + 2 + 5);
	tw_table_release(&table);
	expect_table(40, " id  name         time  note\n"
			 "  1  abcdefghij  1.5 s  first\n"
			 " 22  k            10 s\n");
	/* the name is cut, no more than needed; then columns go; last the name is cut again */
	expect_table(27, " id  name       time  note\n"
			 "  1  abc..hij  1.5 s  first\n"
			 " 22  k          10 s\n");
	expect_table(24, " id  name         time\n"
			 "  1  abcdefghij  1.5 s\n"
			 " 22  k            10 s\n");
	expect_table(16, " id  name\n"
			 "  1  abcdefghij\n"
			 " 22  k\n");
	expect_table(9, " id  name\n"
			"  1  a..j\n"
			" 22  k\n");
}

static void test_write_error(void **state)
{
	struct tw_page page = { .width = 80, .out = fopen("/dev/full", "w") };

	(void)state;
	if (!page.out)
		skip();
	setvbuf(page.out, NULL, _IONBF, 0);
	tw_page_paragraph(&page, 0, "", TW_STYLE_PLAIN, "words");
	assert_int_equal(page.error, -ENOSPC);
	fclose(page.out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paragraph),
		cmocka_unit_test(test_figure_stays_with_its_unit),
		cmocka_unit_test(test_long_word_is_broken),
		cmocka_unit_test(test_styles),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_elide),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_write_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
