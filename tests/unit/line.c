/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a stream, with a look ahead. */
#include "text.h"

#include "source/line.h"

static struct tw_stream *stream_of(const char *bytes, size_t n)
{
	struct tw_stream *stream = NULL;

	assert_int_equal(tw_stream_open(&stream, text_memfd(bytes, n), "test", NULL), 0);
	return stream;
}

static void assert_line(struct tw_lines *lines, unsigned ahead, const char *expected)
{
	struct tw_line line;

	assert_int_equal(tw_lines_peek(lines, ahead, &line), 1);
	assert_int_equal(line.n, strlen(expected));
	assert_memory_equal(line.text, expected, line.n);
}

static void looks_ahead(void **state)
{
	static const char text[] = "\xef\xbb\xbf" "one\n\nthree\r\nfour";
	struct tw_stream *stream = stream_of(text, sizeof(text) - 1);
	struct tw_lines lines;
	struct tw_line line;

	(void)state;
	tw_lines_init(&lines, stream);
	assert_line(&lines, 3, "four"); /* a last line needs no end */
	assert_line(&lines, 0, "one");  /* the byte order mark is gone */
	assert_line(&lines, 1, "");
	assert_line(&lines, 2, "three\r");
	assert_int_equal(tw_lines_peek(&lines, 4, &line), 0);
	tw_lines_take(&lines, 2);
	assert_line(&lines, 0, "three\r");
	tw_lines_take(&lines, 9);
	assert_int_equal(tw_lines_peek(&lines, 0, &line), 0);
	assert_int_equal(tw_lines_peek(&lines, 0, &line), 0);
	tw_lines_release(&lines);
	tw_stream_close(stream);
}

/* Lengths around every bound of the buffer, in one text; the too long ones are dropped, and no other. */
static void lengths(void **state)
{
	static const size_t sizes[] = {
		0, 1, 4095, 4096, 4097, 8192, 16384, TW_LINE_MAX - 1, TW_LINE_MAX, TW_LINE_MAX + 1,
		3, TW_LINE_MAX + 4096, TW_LINE_MAX, 300000, 5, TW_LINE_MAX + 1,
	};
	enum { N = sizeof(sizes) / sizeof(sizes[0]), TIMES = 3 };
	static char text[TIMES * 900000];
	struct tw_stream *stream;
	struct tw_lines lines;
	struct tw_line line;
	size_t used = 0;
	unsigned kept = 0, overlong = 0;

	(void)state;
	for (unsigned i = 0; i < N * TIMES; i++) {
		memset(text + used, 'a' + (int)(i % 26), sizes[i % N]);
		used += sizes[i % N];
		text[used++] = '\n';
		assert_true(used < sizeof(text));
	}
	used--; /* the last one, too long, has no end */
	stream = stream_of(text, used);
	tw_lines_init(&lines, stream);
	for (unsigned i = 0; i < N * TIMES; i++) {
		if (sizes[i % N] > TW_LINE_MAX) {
			overlong++;
			continue;
		}
		/* now and then look far ahead first: what is seen must not move what comes before */
		if (kept % 3 == 0)
			tw_lines_peek(&lines, TW_LINES_AHEAD - 1, &line);
		assert_int_equal(tw_lines_peek(&lines, 0, &line), 1);
		assert_int_equal(line.n, sizes[i % N]);
		for (size_t k = 0; k < line.n; k++)
			if (line.text[k] != 'a' + (int)(i % 26))
				fail_msg("line %u, byte %zu", i, k);
		tw_lines_take(&lines, 1);
		kept++;
	}
	assert_int_equal(tw_lines_peek(&lines, 0, &line), 0);
	assert_int_equal(lines.overlong, overlong);
	tw_lines_release(&lines);
	tw_stream_close(stream);
}

static void cleans(void **state)
{
	static const struct {
		const char *raw;
		unsigned allowed;
		const char *clean;
		unsigned quotes;
	} cases[] = {
		{ "a\tb\xc2\xa0" "c \t\r", 9, "a b c", 0 },
		{ "> a", 9, "a", 1 },
		{ ">a", 9, "a", 1 },
		{ "> > >> a", 9, "a", 4 },
		{ ">   a", 9, "  a", 1 },     /* what was indented stays so */
		{ "> > 192.0.2.1", 1, "> 192.0.2.1", 1 },
		{ "> a", 0, "> a", 0 },
		{ " > a", 9, " > a", 0 },
		{ ">", 9, "", 1 },
		{ "\r", 9, "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_line line = { cases[i].raw, strlen(cases[i].raw) };
		unsigned quotes = cases[i].allowed;
		char out[32];
		size_t n = tw_line_clean(&line, out, &quotes);

		if (n != strlen(cases[i].clean) || memcmp(out, cases[i].clean, n) != 0)
			fail_msg("\"%s\" became \"%.*s\"", cases[i].raw, (int)n, out);
		assert_int_equal(quotes, cases[i].quotes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_ahead),
		cmocka_unit_test(lengths),
		cmocka_unit_test(cleans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
