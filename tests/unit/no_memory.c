/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every allocation of an analysis fails once: alone, with all that follow, and with every so many
 * after it. Nothing crashes, leaks (under AddressSanitizer) or is lost without a word. Packets that no connection of the report holds
 * are counted as not analysed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "config.h"
#include "report/report.h"
#include "tcpwhy.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

enum pattern { ALONE, ONWARD, AGAIN, PATTERNS };

static uint64_t allocations, fail_at; /* 1-based; 0: none */
static enum pattern pattern;

static bool fails(void)
{
	allocations++;
	if (!fail_at || allocations < fail_at)
		return false;
	switch (pattern) {
	case ALONE: return allocations == fail_at;
	case AGAIN: return allocations % fail_at == 0;
	default: return true;
	}
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static void check_report(const struct tw_report *r)
{
	uint64_t packets = r->unanalysed_packets;

	assert_int_equal(r->n_inputs, 1);
	assert_int_equal(r->folded_connections, r->total_connections - r->n_connections);
	for (unsigned i = 0; i < r->n_connections; i++)
		packets += r->connections[i]->summary.packets;
	if (!r->folded_connections)
		assert_true(packets >= r->inputs[0].tcp_packets);
}

/* Whether a report came of it. */
static bool analyse(const char *path)
{
	struct tw_analysis *a = NULL;
	struct tw_report *report = NULL;
	int err;

	allocations = 0;
	err = tw_analysis_new(&a, NULL);
	if (!err)
		err = tw_analysis_add_file(a, path);
	if (!err)
		err = tw_analysis_finish(a, &report);
	if (report)
		check_report(report);
	tw_report_free(report);
	if (a)
		tw_analysis_free(a);
	return !err;
}

static void starve(const char *path)
{
	uint64_t needed, survived = 0;

	fail_at = 0;
	assert_true(analyse(path));
	needed = allocations;
	assert_true(needed > 10);
	for (pattern = ALONE; pattern < PATTERNS; pattern++)
		for (fail_at = 1; fail_at <= needed; fail_at++)
			survived += analyse(path);
	fail_at = 0;
	print_message("%s: %u allocations, %u of %u analyses came through\n", path, (unsigned)needed,
		      (unsigned)survived, (unsigned)(PATTERNS * needed));
	assert_true(survived > needed / 2); /* most are not vital */
}

static void test_text(void **state)
{
	(void)state;
	starve("examples/gigabit-stall.txt");
}

static void test_captures(void **state)
{
	(void)state;
	if (!TW_WITH_ZLIB)
		skip();
	starve("examples/small-writes.pcap.gz");
	starve("examples/slow.pcap.gz");
}

/* TW_FILE=... in the environment: any other. */
static void test_given(void **state)
{
	const char *path = getenv("TW_FILE");

	(void)state;
	if (!path)
		skip();
	starve(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_captures),
		cmocka_unit_test(test_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
