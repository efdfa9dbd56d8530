/* SPDX-License-Identifier: BSD-2-Clause */
/* Files, pipes, gzip and zstd through the one buffer. */
#include "bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "config.h"
#include "source/stream.h"

#if TW_WITH_ZLIB
#include <zlib.h>
#endif
#if TW_WITH_ZSTD
#include <zstd.h>
#endif

static struct tw_stream *open_stream(int fd)
{
	struct tw_stream *stream = NULL;
	struct tw_error err = { "" };

	if (tw_stream_open(&stream, fd, "name", &err))
		fail_msg("%s", err.text);
	return stream;
}

/* A byte that tells its own position, without a short period. */
static uint8_t pattern(size_t i)
{
	return (uint8_t)(i ^ i >> 8 ^ i >> 16);
}

static void put_pattern(struct bytes *b, size_t from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t byte = pattern(from + i);

		bytes_put(b, &byte, 1);
	}
}

/* Reads all of a stream by peeks and skips of uneven sizes; all must be the pattern from 0 on. */
static size_t read_pattern(struct tw_stream *stream)
{
	static const size_t sizes[] = { 1, 16, 24, 5000, 7, 262144, 3, 70000, 1 };
	size_t total = 0, i = 0;

	for (;;) {
		size_t want = sizes[i++ % (sizeof(sizes) / sizeof(sizes[0]))];
		const uint8_t *bytes;
		size_t n = tw_stream_peek(stream, want, &bytes);

		assert_true(n <= want);
		for (size_t k = 0; k < n; k++)
			if (bytes[k] != pattern(total + k))
				fail_msg("byte %zu is wrong", total + k);
		assert_int_equal(tw_stream_offset(stream), total);
		assert_int_equal(tw_stream_skip(stream, n), n);
		total += n;
		if (n < want)
			return total;
	}
}

static void expect_pattern(int fd, size_t n, int error, const char *compression)
{
	struct tw_stream *stream = open_stream(fd);
	const uint8_t *bytes;

	assert_int_equal(read_pattern(stream), n);
	assert_int_equal(tw_stream_error(stream), error);
	if (compression)
		assert_string_equal(tw_stream_compression(stream), compression);
	else
		assert_null(tw_stream_compression(stream));
	assert_int_equal(tw_stream_peek(stream, 1, &bytes), 0);
	assert_non_null(bytes);
	assert_int_equal(tw_stream_skip(stream, 10), 0);
	assert_int_equal(tw_stream_offset(stream), n);
	tw_stream_close(stream);
}

static void test_file(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	put_pattern(&b, 0, 3000001);
	for (size_t n = 0; n < 20; n++)
		expect_pattern(file_of(b.data, n), n, 0, NULL);
	expect_pattern(file_of(b.data, b.n), b.n, 0, NULL);
	bytes_free(&b);
}

static void test_large_peeks(void **state)
{
	static const size_t sizes[] = { 100, 327680, 327681, 1 << 20, 5, 1 << 20, 1 << 20 };
	struct bytes b = { 0 };
	struct tw_stream *stream;
	const uint8_t *bytes;
	size_t at = 0;

	(void)state;
	put_pattern(&b, 0, 5000000);
	stream = open_stream(file_of(b.data, b.n));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(tw_stream_peek(stream, sizes[i], &bytes), sizes[i]);
		assert_memory_equal(bytes, b.data + at, sizes[i]);
		/* Peeking consumes nothing, and the same bytes are there again. */
		assert_int_equal(tw_stream_peek(stream, 4, &bytes), 4);
		assert_memory_equal(bytes, b.data + at, 4);
		at += sizes[i] / 2 + 1;
		tw_stream_skip(stream, sizes[i] / 2 + 1);
	}
	assert_int_equal(tw_stream_offset(stream), at);
	/* More than the most is given as the most. */
	assert_int_equal(tw_stream_peek(stream, SIZE_MAX, &bytes), 1 << 20);
	tw_stream_close(stream);
	bytes_free(&b);
}

static void test_skip_beyond_what_was_peeked(void **state)
{
	struct bytes b = { 0 };
	struct tw_stream *stream;
	const uint8_t *bytes;

	(void)state;
	put_pattern(&b, 0, 2000000);
	stream = open_stream(file_of(b.data, b.n));
	assert_int_equal(tw_stream_skip(stream, 1000003), 1000003);
	assert_int_equal(tw_stream_peek(stream, 4, &bytes), 4);
	assert_memory_equal(bytes, b.data + 1000003, 4);
	assert_int_equal(tw_stream_skip(stream, 5000000), 2000000 - 1000003);
	assert_int_equal(tw_stream_offset(stream), 2000000);
	tw_stream_close(stream);
	bytes_free(&b);
}

static void test_progress(void **state)
{
	struct bytes b = { 0 };
	struct tw_stream *stream;
	const uint8_t *bytes;
	int fd;

	(void)state;
	put_pattern(&b, 0, 4000000);
	/* From the middle of a file, as a shell may leave it. */
	fd = file_of(b.data, b.n);
	assert_int_equal(lseek(fd, 2000000, SEEK_SET), 2000000);
	stream = open_stream(fd);
	tw_stream_skip(stream, 1000000);
	tw_stream_peek(stream, 1, &bytes);
	assert_true(tw_stream_progress(stream) >= 0.5);
	assert_true(tw_stream_progress(stream) < 0.75);
	tw_stream_skip(stream, 1000000);
	assert_true(tw_stream_progress(stream) == 1);
	tw_stream_close(stream);

	stream = open_stream(pipe_of(b.data, 100, 100));
	assert_true(tw_stream_progress(stream) < 0);
	tw_stream_close(stream);
	wait(NULL);
	bytes_free(&b);
}

static void test_pipe_of_single_bytes(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	put_pattern(&b, 0, 30000);
	expect_pattern(pipe_of(b.data, b.n, 1), b.n, 0, NULL);
	wait(NULL);
	expect_pattern(pipe_of(b.data, 1, 1), 1, 0, NULL);
	wait(NULL);
	bytes_free(&b);
}

/* What is in a pipe is given while its writer sleeps: a peek asks for no more than it is asked for. */
static void test_live_pipe_is_not_waited_for(void **state)
{
	struct tw_stream *stream;
	const uint8_t *bytes;
	uint8_t data[100];
	int fds[2];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = pattern(i);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], data, 40), 40);
	alarm(20); /* dies here if it waits for more */
	stream = open_stream(fds[0]);
	assert_int_equal(tw_stream_peek(stream, 24, &bytes), 24);
	tw_stream_skip(stream, 24);
	assert_int_equal(tw_stream_peek(stream, 16, &bytes), 16);
	tw_stream_skip(stream, 16);
	assert_int_equal(write(fds[1], data + 40, 60), 60);
	assert_int_equal(tw_stream_peek(stream, 60, &bytes), 60);
	assert_memory_equal(bytes, data + 40, 60);
	close(fds[1]);
	assert_int_equal(tw_stream_peek(stream, 61, &bytes), 60);
	alarm(0);
	tw_stream_close(stream);
}

static void test_nonblocking_descriptor(void **state)
{
	struct bytes b = { 0 };
	int fd;

	(void)state;
	put_pattern(&b, 0, 100000);
	fd = pipe_of(b.data, b.n, 1000);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	expect_pattern(fd, b.n, 0, NULL);
	wait(NULL);
	bytes_free(&b);
}

static void test_unreadable_descriptor(void **state)
{
	struct tw_stream *stream = open_stream(open("/dev/null", O_WRONLY | O_CLOEXEC));
	const uint8_t *bytes;

	(void)state;
	assert_int_equal(tw_stream_peek(stream, 4, &bytes), 0);
	assert_int_equal(tw_stream_error(stream), -EBADF);
	tw_stream_close(stream);
}

#if TW_WITH_ZLIB
/* One gzip member of the pattern; the level decides the block type: 0 stored, others packed. */
static void put_gzip(struct bytes *out, size_t from, size_t n, int level)
{
	struct bytes plain = { 0 };
	z_stream z = { 0 };
	uLong bound;
	uint8_t *packed;

	put_pattern(&plain, from, n);
	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	bound = deflateBound(&z, n) + 64;
	packed = malloc(bound);
	assert_non_null(packed);
	z.next_in = plain.data;
	z.avail_in = (uInt)n;
	z.next_out = packed;
	z.avail_out = (uInt)bound;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	bytes_put(out, packed, z.total_out);
	deflateEnd(&z);
	free(packed);
	bytes_free(&plain);
}
#endif

static void on_alarm(int signal)
{
	(void)signal;
	tw_stream_interrupt();
}

/* In a child, since the flag stays set. Exit status 0: all as it should be. */
static int interrupted_child(void)
{
	struct sigaction action = { .sa_handler = on_alarm }; /* no SA_RESTART */
	struct itimerval soon = { .it_value = { .tv_usec = 50000 } };
	struct tw_stream *stream, *packed = NULL;
	struct tw_error err;
	const uint8_t *bytes;
	int fds[2];

#if TW_WITH_ZLIB
	struct bytes b = { 0 };

	put_gzip(&b, 0, 1000, 0);
	if (pipe(fds) || write(fds[1], b.data, 500) != 500)
		return 11;
	if (tw_stream_open(&packed, fds[0], "packed pipe", &err))
		return 12;
#endif
	if (pipe(fds) || write(fds[1], "0123456789", 10) != 10)
		return 1;
	if (tw_stream_open(&stream, fds[0], "pipe", &err) || tw_stream_interrupted())
		return 2;
	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &soon, NULL))
		return 3;
	if (tw_stream_peek(stream, 11, &bytes) != 10 || memcmp(bytes, "0123456789", 10))
		return 4;
	if (!tw_stream_interrupted() || tw_stream_error(stream))
		return 5;
	tw_stream_close(stream);
	/* Others end too, without being read on, and within a member as well. */
	if (tw_stream_open(&stream, file_of("abc", 3), "file", &err))
		return 6;
	if (tw_stream_peek(stream, 1, &bytes) || tw_stream_error(stream))
		return 7;
	tw_stream_close(stream);
	if (packed && (!tw_stream_peek(packed, 1000, &bytes) || tw_stream_error(packed)))
		return 13;
	tw_stream_close(packed);
	return 0;
}

static void test_interrupt(void **state)
{
	pid_t child;
	int status;

	(void)state;
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		alarm(20);
		_exit(interrupted_child());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_near_magic_is_not_packed(void **state)
{
	static const char *const heads[] = {
		"\x1f",         "\x1f\x8a",        "\x28", "\x28\xb5\x2f", "\x28\xb5\x2f\xfe",
		"\x50\x2a\x4d", "\x5f\x2a\x4d\x19"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		size_t n = strlen(heads[i]);
		struct tw_stream *stream = open_stream(pipe_of(heads[i], n, 1));
		const uint8_t *bytes;

		assert_null(tw_stream_compression(stream));
		assert_int_equal(tw_stream_peek(stream, 100, &bytes), n);
		assert_memory_equal(bytes, heads[i], n);
		assert_int_equal(tw_stream_error(stream), 0);
		tw_stream_close(stream);
		wait(NULL);
	}
}

#if !TW_WITH_ZLIB || !TW_WITH_ZSTD
static void expect_no_library(const char *head, size_t n, const char *library)
{
	struct tw_stream *stream = NULL;
	struct tw_error err = { "" };

	assert_int_equal(tw_stream_open(&stream, file_of(head, n), "name", &err), -ENOTSUP);
	assert_null(stream);
	assert_non_null(strstr(err.text, library));
}
#endif

#if TW_WITH_ZLIB
static void test_gzip(void **state)
{
	struct bytes b = { 0 };
	size_t first, whole;

	(void)state;
	put_gzip(&b, 0, 1000000, 6);
	expect_pattern(file_of(b.data, b.n), 1000000, 0, "gzip");
	first = b.n;
	put_gzip(&b, 1000000, 0, 6); /* an empty member */
	put_gzip(&b, 1000000, 500000, 0);
	put_gzip(&b, 1500000, 1, 9);
	whole = b.n;
	expect_pattern(file_of(b.data, b.n), 1500001, 0, "gzip");
	expect_pattern(pipe_of(b.data, b.n, 4096), 1500001, 0, "gzip");
	wait(NULL);
	/* Zeros behind are padding, anything else is damage. */
	bytes_fill(&b, 0, 300000);
	expect_pattern(file_of(b.data, b.n), 1500001, 0, "gzip");
	bytes_fill(&b, 'x', 1);
	expect_pattern(file_of(b.data, b.n), 1500001, -EBADMSG, "gzip");
	b.n = whole;
	bytes_fill(&b, 0x1f, 1);
	expect_pattern(file_of(b.data, b.n), 1500001, -EBADMSG, "gzip");
	/* Damage in the second half of the first member: its check sum is the proof. */
	b.n = whole;
	b.data[first - 5] ^= 1;
	expect_pattern(file_of(b.data, b.n), 1000000, -EBADMSG, "gzip");
	bytes_free(&b);
}

static void test_gzip_cut_everywhere(void **state)
{
	struct bytes b = { 0 };
	size_t first;

	(void)state;
	put_gzip(&b, 0, 300, 0);
	first = b.n;
	put_gzip(&b, 300, 200, 6);
	for (size_t n = 2; n <= b.n; n++) {
		struct tw_stream *stream = open_stream(file_of(b.data, n));
		size_t got = read_pattern(stream);

		assert_int_equal(tw_stream_error(stream), n == first || n == b.n ? 0 : -EBADMSG);
		if (n >= first)
			assert_true(got >= 300);
		else if (n >= 15) /* stored behind two headers: all bytes that are there come out */
			assert_int_equal(got, n - 15 < 300 ? n - 15 : 300);
		if (n == b.n)
			assert_int_equal(got, 500);
		tw_stream_close(stream);
	}
	bytes_free(&b);
}

/* A member flushed into a pipe is readable before the rest of it exists. */
static void test_gzip_of_single_bytes(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	put_gzip(&b, 0, 5000, 6);
	put_gzip(&b, 5000, 5000, 1);
	expect_pattern(pipe_of(b.data, b.n, 1), 10000, 0, "gzip");
	wait(NULL);
	bytes_free(&b);
}
#else
static void test_gzip(void **state)
{
	(void)state;
	expect_no_library("\x1f\x8b\x08", 3, "zlib");
}
#endif

#if TW_WITH_ZSTD
static void put_zstd(struct bytes *out, size_t from, size_t n)
{
	struct bytes plain = { 0 };
	size_t bound = ZSTD_compressBound(n);
	uint8_t *packed = malloc(bound);

	assert_non_null(packed);
	put_pattern(&plain, from, n);
	n = ZSTD_compress(packed, bound, plain.data, n, 3);
	assert_false(ZSTD_isError(n));
	bytes_put(out, packed, n);
	free(packed);
	bytes_free(&plain);
}

static void put_skippable(struct bytes *out, size_t n)
{
	put32(out, 0x184d2a53);
	put32(out, (uint32_t)n);
	bytes_fill(out, 0xff, n);
}

static void test_zstd(void **state)
{
	struct bytes b = { 0 };
	struct tw_stream *stream;
	size_t whole, got;

	(void)state;
	put_zstd(&b, 0, 1000000);
	expect_pattern(file_of(b.data, b.n), 1000000, 0, "zstd");
	put_skippable(&b, 200000);
	put_zstd(&b, 1000000, 0);
	put_zstd(&b, 1000000, 500001);
	whole = b.n;
	expect_pattern(file_of(b.data, b.n), 1500001, 0, "zstd");
	expect_pattern(pipe_of(b.data, b.n, 4096), 1500001, 0, "zstd");
	wait(NULL);
	bytes_fill(&b, 0, 10);
	expect_pattern(file_of(b.data, b.n), 1500001, -EBADMSG, "zstd");
	/* Cut in the last frame: its whole blocks come out. */
	stream = open_stream(file_of(b.data, whole - 1));
	got = read_pattern(stream);
	assert_true(got > 1000000 && got < 1500001);
	assert_int_equal(tw_stream_error(stream), -EBADMSG);
	tw_stream_close(stream);
	/* Damage in the second block of a frame that fits the buffers whole: the first comes out. */
	b.n = 0;
	put_zstd(&b, 0, 300000);
	bytes_fill(&b, 0, 8);
	b.data[b.n - 8 - 5] ^= 0xff;
	stream = open_stream(file_of(b.data, b.n));
	got = read_pattern(stream);
	assert_true(got >= 131072 && got < 300000);
	assert_int_equal(tw_stream_error(stream), -EBADMSG);
	tw_stream_close(stream);
	b.n = 0;
	put_skippable(&b, 5);
	put_zstd(&b, 0, 100);
	expect_pattern(file_of(b.data, b.n), 100, 0, "zstd");
	bytes_free(&b);
}

static void test_zstd_cut_everywhere(void **state)
{
	struct bytes b = { 0 };
	size_t first;

	(void)state;
	put_zstd(&b, 0, 300);
	first = b.n;
	put_zstd(&b, 300, 200);
	for (size_t n = 4; n <= b.n; n++) {
		struct tw_stream *stream = open_stream(file_of(b.data, n));
		size_t got = read_pattern(stream);

		assert_int_equal(tw_stream_error(stream), n == first || n == b.n ? 0 : -EBADMSG);
		if (n >= first)
			assert_true(got >= 300);
		if (n == b.n)
			assert_int_equal(got, 500);
		tw_stream_close(stream);
	}
	bytes_free(&b);
}

static void test_zstd_of_single_bytes(void **state)
{
	struct bytes b = { 0 };

	(void)state;
	put_zstd(&b, 0, 5000);
	put_zstd(&b, 5000, 5000);
	expect_pattern(pipe_of(b.data, b.n, 1), 10000, 0, "zstd");
	wait(NULL);
	bytes_free(&b);
}
#else
static void test_zstd(void **state)
{
	(void)state;
	expect_no_library("\x28\xb5\x2f\xfd", 4, "libzstd");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_large_peeks),
		cmocka_unit_test(test_skip_beyond_what_was_peeked),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_pipe_of_single_bytes),
		cmocka_unit_test(test_live_pipe_is_not_waited_for),
		cmocka_unit_test(test_nonblocking_descriptor),
		cmocka_unit_test(test_unreadable_descriptor),
		cmocka_unit_test(test_interrupt),
		cmocka_unit_test(test_near_magic_is_not_packed),
		cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_zstd),
#if TW_WITH_ZLIB
		cmocka_unit_test(test_gzip_cut_everywhere),
		cmocka_unit_test(test_gzip_of_single_bytes),
#endif
#if TW_WITH_ZSTD
		cmocka_unit_test(test_zstd_cut_everywhere),
		cmocka_unit_test(test_zstd_of_single_bytes),
#endif
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
