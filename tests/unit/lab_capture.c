/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { HEAD = 24, RECORD = 16, SNAP = 64 };

static uint32_t word(const uint8_t *bytes, unsigned i)
{
	uint32_t value;

	memcpy(&value, bytes + 4 * i, sizeof(value));
	return value;
}

struct run {
	struct tw_writer *writer;
	struct tw_capture *capture;
	int fd;
	uint8_t bytes[1 << 16];
	size_t n;
};

static void begin(struct run *run, int64_t offset)
{
	*run = (struct run){ .fd = memfd_create("test", MFD_CLOEXEC) };
	assert_true(run->fd >= 0);
	assert_int_equal(tw_writer_new(&run->writer, 8), 0);
	assert_int_equal(tw_capture_new(&run->capture, run->writer, run->fd, SNAP, offset), 0);
}

static struct tw_capture_figures end(struct run *run)
{
	struct tw_capture_figures figures;
	ssize_t n;

	tw_capture_finish(run->capture);
	tw_writer_free(run->writer);
	tw_capture_figures(run->capture, &figures);
	tw_capture_free(run->capture);
	n = pread(run->fd, run->bytes, sizeof(run->bytes), 0);
	assert_true(n >= 0);
	run->n = (size_t)n;
	close(run->fd);
	return figures;
}

static void test_empty(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 0);
	assert_int_equal(end(&run).frames, 0);
	assert_int_equal(run.n, HEAD);
	assert_int_equal(word(run.bytes, 0), 0xa1b23c4d);
	assert_int_equal(word(run.bytes, 4), SNAP);
	assert_int_equal(word(run.bytes, 5), 1);
}

static void test_order(void **state)
{
	/* Times, and what of them is written before the end. */
	static const int64_t times[] = { 5, 3, 9, 3, 7, 1 };
	static const unsigned sorted[] = { 5, 1, 3, 0, 4, 2 }; /* equal ones as they came */
	struct run run;
	struct tw_capture_figures figures;

	(void)state;
	begin(&run, 1000000007);
	for (unsigned i = 0; i < 6; i++) {
		uint8_t frame[100] = { (uint8_t)i };

		tw_capture_add(run.capture, times[i], frame, sizeof(frame) - i);
	}
	tw_capture_advance(run.capture, 7); /* not 7 itself */
	tw_capture_figures(run.capture, &figures);
	assert_int_equal(figures.frames, 4);
	figures = end(&run);
	assert_int_equal(figures.frames, 6);
	assert_int_equal(figures.disordered, 0);
	assert_int_equal(figures.missed, 0);
	assert_int_equal(figures.error, 0);
	assert_int_equal(run.n, HEAD + 6 * (RECORD + SNAP));
	for (unsigned i = 0; i < 6; i++) {
		const uint8_t *record = run.bytes + HEAD + i * (RECORD + SNAP);

		assert_int_equal(word(record, 0), 1);
		assert_int_equal(word(record, 1), 7 + times[sorted[i]]);
		assert_int_equal(word(record, 2), SNAP);
		assert_int_equal(word(record, 3), 100 - sorted[i]);
		assert_int_equal(record[RECORD], sorted[i]);
	}
}

static void test_short_frame(void **state)
{
	struct run run;
	const uint8_t frame[5] = "abcd";

	(void)state;
	begin(&run, 0);
	tw_capture_add(run.capture, 1, frame, sizeof(frame));
	end(&run);
	assert_int_equal(run.n, HEAD + RECORD + sizeof(frame));
	assert_memory_equal(run.bytes + HEAD + RECORD, frame, sizeof(frame));
}

static void test_broken_promise(void **state)
{
	struct run run;
	const uint8_t frame[1] = { 0 };

	(void)state;
	begin(&run, 0);
	tw_capture_add(run.capture, 8, frame, 1);
	tw_capture_advance(run.capture, 9);
	tw_capture_add(run.capture, 7, frame, 1);
	assert_int_equal(end(&run).disordered, 1);
	assert_int_equal(run.n, HEAD + 2 * (RECORD + 1));
}

static void test_many(void **state)
{
	enum { N = 50000 };
	struct run run;
	struct tw_capture_figures figures;
	uint8_t frame[SNAP] = { 0 };

	(void)state;
	begin(&run, 0);
	for (unsigned i = 0; i < N; i++)
		tw_capture_add(run.capture, (i * 7919) % N, frame, sizeof(frame));
	figures = end(&run);
	assert_int_equal(figures.frames, N);
	assert_int_equal(figures.disordered, 0);
	for (size_t at = HEAD, i = 0; at + RECORD < run.n; at += RECORD + SNAP, i++)
		assert_int_equal(word(run.bytes + at, 1), i);
}

/* Who adds frames never waits for a file: what finds no room is missed, and counted. */
static void test_slow_file(void **state)
{
	enum { N = 3 * TW_CHUNK / (RECORD + SNAP) };
	int ends[2];
	struct run run = { 0 };
	struct tw_capture_figures figures;
	uint8_t frame[SNAP] = { 0 };

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(tw_writer_new(&run.writer, 2), 0);
	assert_int_equal(tw_capture_new(&run.capture, run.writer, ends[1], SNAP, 0), 0);
	for (unsigned i = 0; i < N; i++)
		tw_capture_add(run.capture, i, frame, sizeof(frame));
	tw_capture_advance(run.capture, INT64_MAX); /* the pipe is full: two chunks, then none */
	tw_capture_figures(run.capture, &figures);
	assert_true(figures.missed > 0);
	assert_int_equal(figures.frames + figures.missed, N);
	assert_true(figures.frames <= 2 * TW_CHUNK / (RECORD + SNAP));
	/* Its reader being gone, the writer comes to its end and the error is told. */
	close(ends[0]);
	tw_capture_finish(run.capture);
	tw_writer_free(run.writer);
	tw_capture_figures(run.capture, &figures);
	assert_int_equal(figures.error, -EPIPE);
	tw_capture_free(run.capture);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),       cmocka_unit_test(test_order),
		cmocka_unit_test(test_short_frame), cmocka_unit_test(test_broken_promise),
		cmocka_unit_test(test_many),        cmocka_unit_test(test_slow_file),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
