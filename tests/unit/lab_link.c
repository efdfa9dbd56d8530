/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lab/path.h"
#include "lab_run.h"

enum { T0 = 1000 };

static void test_plain_wire(void **state)
{
	struct tw_link *link = lab_link("");
	const struct lab_frame *frame = lab_data(1, 100, 0);
	const struct tw_link_frame *out;

	(void)state;
	assert_true(tw_link_due(link) == INT64_MAX);
	assert_null(tw_link_leave(link, T0));
	lab_enter(link, T0, frame);
	assert_int_equal(tw_link_due(link), T0);
	out = tw_link_leave(link, T0);
	assert_non_null(out);
	assert_int_equal(out->n, frame->n);
	assert_memory_equal(out->bytes, frame->bytes, frame->n);
	assert_true(out->number == 1 && out->entered == T0 && out->passed == T0 && out->due == T0);
	assert_null(tw_link_leave(link, T0));
	assert_null(tw_link_reply(link));
	lab_conserved(link);
	tw_link_free(link);
	tw_link_free(NULL);
}

static void test_arguments(void **state)
{
	static uint8_t large[TW_LINK_FRAME_MAX + 1];
	struct tw_link *link = NULL;
	struct tw_path path;

	(void)state;
	tw_path_init(&path);
	path.there.rate = 3;
	assert_int_equal(tw_link_new(&link, &path.there, 1), -EINVAL);
	assert_null(link);
	link = lab_link("");
	assert_int_equal(tw_link_enter(link, 0, large, sizeof(large)), -EMSGSIZE);
	assert_int_equal(lab_figures(link).entered, 0);
	assert_int_equal(tw_link_enter(link, 0, large, TW_LINK_FRAME_MAX), 0);
	assert_int_equal(tw_link_enter(link, INT64_MAX, NULL, 0), 0);
	assert_int_equal(tw_link_enter(link, INT64_MIN, large, 1), 0); /* time does not run back */
	assert_int_equal(lab_drain(link), 3);
	tw_link_free(link);
}

/* 10^6 frames of 1514 bytes at a rate that no nanosecond fits: not one nanosecond off. */
static void test_rate_is_exact(void **state)
{
	static const int64_t rates[] = { 97000003, 1000000007, 1234567 };
	const struct lab_frame *frame = lab_data(1, 1460, 0);
	enum { FRAMES = 1000000 };

	(void)state;
	assert_int_equal(frame->n, 1514);
	for (int r = 0; r < 3; r++) {
		char text[64];
		struct tw_link *link;
		__int128 bits = 0;

		snprintf(text, sizeof(text), "rate=%lld", (long long)rates[r]);
		link = lab_link(text);
		lab_enter(link, 0, frame);
		for (int i = 1; i <= FRAMES; i++) {
			int64_t due = tw_link_due(link);
			const struct tw_link_frame *out;

			/* The next one comes in while this one is being sent. */
			lab_enter(link, due - 1, frame);
			out = tw_link_leave(link, due);
			bits += 1514 * 8;
			if (out->passed != (int64_t)(bits * SECOND / rates[r]))
				fail_msg("frame %d at %lld", i, (long long)out->passed);
		}
		tw_link_free(link);
	}
}

static void test_overhead_and_idle(void **state)
{
	struct tw_link *link = lab_link("rate=1mbit overhead=24");
	const struct lab_frame *frame = lab_data(1, 47, 0); /* 101 bytes */

	(void)state;
	lab_enter(link, 0, frame);
	lab_enter(link, 0, frame);
	assert_int_equal(tw_link_leave(link, SECOND)->passed, 1 * MS);
	assert_int_equal(tw_link_leave(link, SECOND)->passed, 2 * MS);
	lab_enter(link, SECOND, frame); /* an idle wire saves nothing up */
	assert_int_equal(tw_link_leave(link, 2 * SECOND)->passed, SECOND + 1 * MS);
	tw_link_free(link);

	/* Nor does it carry a remainder over. */
	link = lab_link("rate=7000 overhead=-14");
	for (int i = 0; i < 10; i++) {
		lab_enter(link, i * SECOND, lab_data(1, 0, 0)); /* 40 bytes: 45714285.71 ns */
		assert_int_equal(tw_link_leave(link, i * SECOND + SECOND / 2)->passed,
				 i * SECOND + 45714285);
	}
	tw_link_free(link);
}

static void test_queue_limit(void **state)
{
	const struct lab_frame *frame = lab_data(1, 946, 0); /* 1000 bytes: 1 ms at 8 Mbit/s */
	struct tw_link *link = lab_link("rate=8mbit queue=5000");
	struct tw_link_figures f;

	(void)state;
	for (int i = 0; i < 8; i++)
		lab_enter(link, 0, frame);
	f = lab_figures(link);
	assert_true(f.dropped_queue == 3 && f.waiting == 5 && f.queue_max == 5000 &&
		    !f.dropped_memory);
	/* The frame being sent counts until its last bit has left. */
	lab_enter(link, 1 * MS - 1, frame);
	assert_int_equal(lab_figures(link).dropped_queue, 4);
	lab_enter(link, 1 * MS, frame);
	assert_int_equal(lab_figures(link).dropped_queue, 4);
	assert_int_equal(lab_drain(link), 6);
	tw_link_free(link);

	link = lab_link("rate=8mbit queue=3p");
	for (int i = 0; i < 8; i++)
		lab_enter(link, 0, frame);
	assert_int_equal(lab_figures(link).dropped_queue, 5);
	tw_link_free(link);

	/* Larger than the limit: passes where the wire is free. */
	link = lab_link("rate=8mbit queue=500");
	lab_enter(link, 0, frame);
	lab_enter(link, 0, frame);
	lab_enter(link, 2 * MS, frame);
	assert_int_equal(lab_drain(link), 2);
	tw_link_free(link);
}

static void test_delay(void **state)
{
	struct tw_link *link = lab_link("rate=8mbit delay=10ms");
	const struct lab_frame *frame = lab_data(1, 946, 0);

	(void)state;
	lab_enter(link, 5, frame);
	lab_enter(link, 5, frame);
	assert_int_equal(tw_link_due(link), 5 + 11 * MS);
	assert_null(tw_link_leave(link, 5 + 11 * MS - 1));
	assert_int_equal(tw_link_leave(link, 5 + 11 * MS)->due, 5 + 11 * MS);
	assert_int_equal(tw_link_due(link), 5 + 12 * MS);
	assert_int_equal(tw_link_leave(link, SECOND)->number, 2);
	tw_link_free(link);
}

static void test_jitter_keeps_order(void **state)
{
	struct tw_link *link = lab_link("delay=10ms jitter=4ms");
	const struct lab_frame *frame = lab_data(1, 10, 0);
	int64_t least = INT64_MAX, most = 0;
	uint64_t number = 0;
	double sum = 0;
	enum { FRAMES = 20000 };

	(void)state;
	for (int i = 0; i < FRAMES; i++) {
		/*
		 * Far apart, so that the draws are seen; every tenth is followed closely by
		 * another.
		 */
		int64_t now = i / 2 * 20 * MS + i % 2 * MS;
		const struct tw_link_frame *out;

		lab_enter(link, now, frame);
		if (i % 2 == 0)
			continue;
		for (int k = 0; k < 2; k++) {
			int64_t took;

			out = tw_link_leave(link, now + 16 * MS);
			assert_non_null(out);
			assert_int_equal(out->number, ++number);
			took = out->due - out->entered;
			assert_in_range(took, 6 * MS, 14 * MS);
			if (k)
				continue;
			least = took < least ? took : least;
			most = took > most ? took : most;
			sum += (double)took;
		}
	}
	assert_true(least < 6 * MS + MS / 10 && most > 14 * MS - MS / 10);
	assert_in_range((int64_t)(sum / (FRAMES / 2.0)), 10 * MS - MS / 10, 10 * MS + MS / 10);
	tw_link_free(link);

	/* Jitter larger than the delay: never before it was sent. */
	link = lab_link("delay=1ms jitter=4ms");
	for (int i = 0; i < 1000; i++) {
		lab_enter(link, i * 10 * MS, frame);
		assert_in_range(tw_link_due(link) - i * 10 * MS, 0, 5 * MS);
		assert_non_null(tw_link_leave(link, tw_link_due(link)));
	}
	tw_link_free(link);
}

/* A dense stream sees all of it, too, and not just the largest delay of late. */
static void test_jitter_of_a_dense_stream(void **state)
{
	struct tw_link *link = lab_link("delay=10ms jitter=4ms");
	const struct lab_frame *frame = lab_data(1, 10, 0);
	int64_t last = 0;
	double sum = 0;

	(void)state;
	for (int64_t i = 0; i < 100000; i++) {
		lab_enter(link, i * MS / 10, frame);
		while (tw_link_due(link) <= i * MS / 10) {
			const struct tw_link_frame *out = tw_link_leave(link, i * MS / 10);

			sum += (double)(out->due - out->entered);
			/* It wanders: half as fast as time goes by, at most. */
			assert_true(out->number == 1 || out->due - last >= MS / 20 - 1);
			assert_true(out->number == 1 || out->due - last <= MS * 3 / 20 + 1);
			last = out->due;
		}
	}
	assert_in_range((int64_t)(sum / (double)lab_figures(link).left), 10 * MS - MS / 2,
			10 * MS + MS / 2);
	tw_link_free(link);
}

/*
 * The shape of it: how many frames leave before one that entered earlier, or after one that entered
 * later.
 */
static void reorder(const char *text, uint64_t *jumps, uint64_t *overtaken,
		    struct tw_link_figures *figures)
{
	struct tw_link *link = lab_link(text);
	const struct lab_frame *frame = lab_data(1, 10, 0);
	const struct tw_link_frame *out;
	uint64_t newest = 0;

	*jumps = *overtaken = 0;
	for (int i = 0; i < 100000; i++) {
		int64_t now = i * MS;

		lab_enter(link, now, frame);
		while ((out = tw_link_leave(link, now))) {
			*jumps += out->number > newest + 1;
			*overtaken += out->number < newest;
			newest = out->number > newest ? out->number : newest;
		}
	}
	lab_drain(link);
	*figures = lab_figures(link);
	tw_link_free(link);
}

static void test_reorder(void **state)
{
	struct tw_link_figures f;
	uint64_t jumps, overtaken;

	(void)state;
	/* As netem: at once, past the ten that wait. */
	reorder("delay=10ms reorder=1%", &jumps, &overtaken, &f);
	assert_in_range(f.reordered, 900, 1100);
	assert_in_range(overtaken, 8 * f.reordered, 11 * f.reordered);
	/* Held back by 3 ms: three later ones pass it. */
	reorder("delay=10ms reorder=1% reorder-by=3500us", &jumps, &overtaken, &f);
	assert_in_range(f.reordered, 900, 1100);
	assert_int_equal(overtaken, f.reordered);
	/* Too little to be overtaken. */
	reorder("delay=10ms reorder=1% reorder-by=500us", &jumps, &overtaken, &f);
	assert_int_equal(f.reordered, 0);
	assert_int_equal(overtaken, 0);
	/* Nothing to skip. */
	reorder("reorder=50%", &jumps, &overtaken, &f);
	assert_int_equal(overtaken + f.reordered, 0);
}

static void test_duplicate(void **state)
{
	struct tw_link *link = lab_link("delay=1ms rate=1g duplicate=2%");
	const struct lab_frame *frame = lab_data(1, 10, 0);
	const struct tw_link_frame *out;
	uint64_t last = 0, twice = 0;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		lab_enter(link, i * 10000, frame);
		while ((out = tw_link_leave(link, i * 10000))) {
			assert_true(out->number == last || out->number == last + 1);
			assert_memory_equal(out->bytes, frame->bytes, frame->n);
			twice += out->number == last;
			last = out->number;
		}
	}
	lab_conserved(link);
	assert_in_range(twice, 900, 1100);
	lab_drain(link);
	assert_in_range(lab_figures(link).duplicated, twice, twice + 10);
	assert_int_equal(lab_figures(link).left, 50000 + lab_figures(link).duplicated);
	tw_link_free(link);
}

static void test_outage(void **state)
{
	struct tw_link *link = lab_link("outage=2s..3500ms delay=1s");
	const struct lab_frame *frame = lab_data(1, 10, 0);
	static const int64_t at[] = { 0, 1999999999, 2000000000, 3499999999, 3500000000 };
	static const uint64_t left[] = { 1, 2, 5 };

	(void)state;
	for (int i = 0; i < 5; i++)
		lab_enter(link, 77 * SECOND + at[i], frame);
	assert_int_equal(lab_figures(link).dropped_outage, 2);
	for (int i = 0; i < 3; i++)
		assert_int_equal(tw_link_leave(link, INT64_MAX)->number, left[i]);
	tw_link_free(link);
}

static void test_policer(void **state)
{
	struct tw_link *link = lab_link("police=8mbit burst=10k");
	const struct lab_frame *frame = lab_data(1, 970, 0); /* 1024 bytes: 1.024 ms */
	struct tw_link_figures f;

	(void)state;
	for (int i = 0; i < 15; i++)
		lab_enter(link, 0, frame);
	assert_int_equal(lab_figures(link).dropped_policer, 5);
	/* The token of a frame, to the nanosecond. */
	lab_enter(link, 1024000 - 1, frame);
	assert_int_equal(lab_figures(link).dropped_policer, 6);
	lab_enter(link, 1024000, frame);
	assert_int_equal(lab_figures(link).dropped_policer, 6);
	/* What passes is not delayed. */
	assert_int_equal(tw_link_leave(link, 1024000)->due, 0);
	lab_drain(link);
	tw_link_free(link);

	/* Twice the rate for 10 s: the rate passes, and the bucket once. */
	link = lab_link("police=8mbit burst=10k");
	for (int i = 0; i < 20000; i++)
		lab_enter(link, i * 512000LL, frame);
	f = lab_figures(link);
	assert_in_range(20000 - f.dropped_policer, 10000 + 9, 10000 + 10);
	/* A pause refills the bucket, no more. */
	for (int i = 0; i < 15; i++)
		lab_enter(link, 1000 * SECOND, frame);
	assert_int_equal(lab_figures(link).dropped_policer, f.dropped_policer + 5);
	/* Nor does a short one, before which it was half full. */
	for (int i = 0; i < 5; i++)
		lab_enter(link, 2000 * SECOND, frame);
	for (int i = 0; i < 15; i++)
		lab_enter(link, 2000 * SECOND + 9 * MS, frame);
	assert_int_equal(lab_figures(link).dropped_policer, f.dropped_policer + 10);
	lab_drain(link);
	tw_link_free(link);
}

static void test_memory_ceiling(void **state)
{
	struct tw_link *link = lab_link("memory=64k delay=1s");
	const struct lab_frame *frame = lab_data(1, 1460, 0);
	static uint8_t small[60];
	struct tw_link_figures f;

	(void)state;
	for (int i = 0; i < 100; i++)
		lab_enter(link, 0, frame);
	f = lab_figures(link);
	assert_in_range(f.waiting, 25, 32);
	assert_true(f.dropped_queue == 100 - f.waiting && f.dropped_memory == f.dropped_queue);
	lab_drain(link);
	/* The room of large frames serves small ones. */
	for (int i = 0; i < 1000; i++)
		assert_int_equal(tw_link_enter(link, 2 * SECOND, small, sizeof(small)), 0);
	assert_in_range(lab_figures(link).waiting, 150, 256);
	lab_drain(link);
	tw_link_free(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_wire),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_rate_is_exact),
		cmocka_unit_test(test_overhead_and_idle),
		cmocka_unit_test(test_queue_limit),
		cmocka_unit_test(test_delay),
		cmocka_unit_test(test_jitter_keeps_order),
		cmocka_unit_test(test_jitter_of_a_dense_stream),
		cmocka_unit_test(test_reorder),
		cmocka_unit_test(test_duplicate),
		cmocka_unit_test(test_outage),
		cmocka_unit_test(test_policer),
		cmocka_unit_test(test_memory_ceiling),
	};

	return cmocka_run_group_tests_name("lab_link", tests, NULL, NULL);
}
