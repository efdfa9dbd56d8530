/* SPDX-License-Identifier: BSD-2-Clause */
/* A file large enough to be read by a thread of its own gives the same bytes, however it is asked. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "config.h"
#include "source/ahead.h"
#include "source/stream.h"
#include "tests/gen/random.h"

#if TW_WITH_ZLIB
#include <zlib.h>
#endif

enum { SIZE = (6 << 20) + 12345 };

static uint8_t *bytes;
static struct gen_random chance;

static int begin(void **state)
{
	(void)state;
	chance = (struct gen_random){ .state = 42 };
	bytes = malloc(SIZE);
	/* Packs to well over the size from which a thread is used. */
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)gen_random_below(&chance, 250);
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(bytes);
	return 0;
}

static int plain_file(void)
{
	int fd = memfd_create("plain", 0);

	for (size_t at = 0; at < SIZE;) {
		ssize_t n = write(fd, bytes + at, SIZE - at);

		assert_true(n > 0);
		at += (size_t)n;
	}
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static struct tw_stream *open_stream(int fd)
{
	struct tw_stream *stream = NULL;
	struct tw_error err;

	assert_int_equal(tw_stream_open(&stream, fd, "test", &err), 0);
	return stream;
}

/* Records of every size, some of the largest that can be asked for, looked at and passed over. */
static void check_all(struct tw_stream *stream)
{
	size_t at = 0;

	while (at < SIZE) {
		uint32_t most = gen_random_below(&chance, 8) ? 3000 : TW_STREAM_MAX_PEEK;
		size_t want = 1 + gen_random_below(&chance, most), n, step;
		const uint8_t *seen;

		n = tw_stream_peek(stream, want, &seen);
		assert_int_equal(n, want < SIZE - at ? want : SIZE - at);
		assert_memory_equal(seen, bytes + at, n);
		step = gen_random_below(&chance, (uint32_t)n + 1);
		assert_int_equal(tw_stream_skip(stream, step), step);
		at += step;
		assert_int_equal(tw_stream_offset(stream), at);
		assert_true(tw_stream_progress(stream) <= 1);
	}
	assert_int_equal(tw_stream_skip(stream, 1), 0);
	assert_int_equal(tw_stream_error(stream), 0);
	assert_true(tw_stream_progress(stream) == 1);
	tw_stream_close(stream);
}

static void test_plain(void **state)
{
	(void)state;
	check_all(open_stream(plain_file()));
}

static void test_long_skip(void **state)
{
	struct tw_stream *stream = open_stream(plain_file());
	const uint8_t *seen;

	(void)state;
	assert_int_equal(tw_stream_skip(stream, SIZE - 10), SIZE - 10);
	assert_int_equal(tw_stream_peek(stream, 100, &seen), 10);
	assert_memory_equal(seen, bytes + SIZE - 10, 10);
	assert_int_equal(tw_stream_skip(stream, 100), 10);
	tw_stream_close(stream);
}

/* Nobody wants the rest: the thread is ended wherever it is. */
static void test_closed_early(void **state)
{
	const uint8_t *seen;

	(void)state;
	for (int i = 0; i < 50; i++) {
		struct tw_stream *stream = open_stream(plain_file());

		tw_stream_skip(stream, gen_random_below(&chance, 1 << 20));
		assert_true(tw_stream_peek(stream, 1, &seen) == 1);
		tw_stream_close(stream);
	}
}

#if TW_WITH_ZLIB
static int packed_file(size_t cut)
{
	int fd = memfd_create("packed", 0);
	gzFile file = gzdopen(dup(fd), "wb1");

	assert_int_equal(gzwrite(file, bytes, SIZE), SIZE);
	assert_int_equal(gzclose(file), 0);
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - (off_t)cut), 0);
	assert_true(lseek(fd, 0, SEEK_END) > 4 << 20);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}
#endif

static void test_packed(void **state)
{
	(void)state;
#if TW_WITH_ZLIB
	check_all(open_stream(packed_file(0)));
#else
	skip();
#endif
}

/* What the thread found wrong is told once all before it was read. */
static void test_packed_and_cut(void **state)
{
	(void)state;
#if TW_WITH_ZLIB
	struct tw_stream *stream = open_stream(packed_file(1000));
	size_t n = 0, more;

	while ((more = tw_stream_skip(stream, 10000)) == 10000) {
		n += more;
		assert_int_equal(tw_stream_error(stream), 0);
	}
	assert_true(n > SIZE / 2);
	assert_int_equal(tw_stream_error(stream), -EBADMSG);
	tw_stream_close(stream);
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_long_skip),
		cmocka_unit_test(test_closed_early),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_packed_and_cut),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
