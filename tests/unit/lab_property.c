/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds for any link and any frames; and how fast a full one is (printed, not judged). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "lab/headers.h"
#include "lab_run.h"

static uint64_t seed = 5;

static uint64_t below(uint64_t n)
{
	return lab_random(&seed) % n;
}

/* Some words, each there or not, of values that show within a few hundred frames. */
static void random_options(char *text, size_t size)
{
	static const char *const words[] = {
		"rate=1mbit",
		"rate=100mbit",
		"rate=1g overhead=24",
		"delay=10ms",
		"delay=1ms",
		"jitter=2ms",
		"queue=20k",
		"queue=7p",
		"ecn=3p",
		"ecn=5k",
		"loss=5%",
		"gemodel=3%:30%",
		"gemodel=10%:20%:80%:1%",
		"drop=syn:2+last+every:10",
		"drop=nth:4..6+resend:3+fin",
		"ackloss=20%",
		"thin=3",
		"thin=10",
		"duplicate=10%",
		"reorder=5%",
		"reorder=10% reorder-by=3ms",
		"police=2mbit",
		"police=50mbit burst=5000",
		"mtu=600",
		"mtu=1400 icmp",
		"strip=wscale+sack+timestamps",
		"seqrand",
		"outage=30ms..60ms",
		"memory=64k",
	};
	size_t n = 0;

	*text = '\0';
	for (uint64_t words_left = below(9); words_left; words_left--)
		n += (size_t)snprintf(text + n, size - n, "%s ",
				      words[below(sizeof(words) / sizeof(*words))]);
}

/* A segment of one of a few connections; now and then bytes changed, cut, or nothing but noise. */
static bool random_frame(struct lab_frame *f)
{
	static const uint8_t options[12] = { 1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8 };
	struct lab_segment s = {
		.ipv6 = below(2),
		.no_df = below(8) == 0,
		.flags = (uint8_t)below(64),
		.ecn = (uint8_t)below(4),
		.client_port = (uint16_t)(1 + below(5)),
		.seq = (uint32_t)below(20) * 100,
		.ack = (uint32_t)below(5000),
		.payload = below(2) ? (uint32_t)below(1400) : 0,
	};

	if (below(2)) {
		s.options = options;
		s.n_options = 12;
	}
	if (below(3))
		s.flags = F_ACK | (below(4) ? 0 : F_PSH);
	lab_make(f, &s);
	switch (below(12)) {
	case 0:
		for (uint64_t i = 1 + below(4); i; i--)
			f->bytes[below(f->n < 100 ? f->n : 100)] = (uint8_t)below(256);
		return false;
	case 1: f->n = (uint32_t)below(f->n + 1); return false;
	case 2:
		for (uint32_t i = 0; i < f->n; i++)
			f->bytes[i] = (uint8_t)below(256);
		return false;
	}
	return true;
}

struct run {
	uint64_t sum;    /* of all that left */
	int64_t due;     /* of the last */
	uint64_t number; /* of the last */
	bool in_order, thins, whole;
};

static void take(struct tw_link *link, struct run *run, int64_t now, bool waits)
{
	const struct tw_link_frame *out = tw_link_leave(link, now);

	assert_true(out || !waits || run->thins);
	if (!out)
		return;
	assert_true(out->entered <= out->passed && out->passed <= out->due && out->due <= now);
	assert_true(out->due >= run->due);
	if (run->in_order)
		assert_true(out->number >= run->number);
	if (run->whole && !lab_sums_right(out->bytes, out->n))
		fail_msg("frame %llu left with a wrong checksum", (unsigned long long)out->number);
	run->due = out->due;
	run->number = out->number;
	run->sum = (run->sum ^ out->number ^ (uint64_t)out->due) * 0x100000001b3;
	for (uint32_t i = 0; i < out->n; i++)
		run->sum = (run->sum ^ out->bytes[i]) * 0x100000001b3;
}

static uint64_t drive(const char *text, uint64_t link_seed, bool whole)
{
	struct tw_link *link = lab_link_of(text, below(2), link_seed);
	struct run run = {
		/* A withheld ACK lets what others sent go ahead. */
		.in_order = !strstr(text, "reorder") && !strstr(text, "thin"),
		.thins = strstr(text, "thin"),
		.whole = whole,
		.due = INT64_MIN,
	};
	struct lab_frame *frame = malloc(sizeof(*frame));
	const struct tw_link_frame *reply;
	int64_t now = 0;

	assert_non_null(frame);
	for (uint64_t frames = 20 + below(400); frames; frames--) {
		bool good = random_frame(frame);

		now += (int64_t)below(below(10) ? 300000 : 3000000);
		if (good || !whole)
			lab_enter(link, now, frame);
		for (uint64_t i = below(4); i && tw_link_due(link) <= now; i--)
			take(link, &run, now, true);
		if (below(2) && (reply = tw_link_reply(link))) {
			assert_in_range(reply->n, 14 + 28, 14 + 1280);
			run.sum += lab_sum(0, reply->bytes, reply->n);
		}
		lab_conserved(link);
	}
	while (tw_link_due(link) < INT64_MAX && below(500))
		take(link, &run, tw_link_due(link), true);
	lab_conserved(link);
	tw_link_free(link);
	free(frame);
	return run.sum;
}

static void test_any_link(void **state)
{
	(void)state;
	for (int i = 0; i < 1500; i++) {
		uint64_t start = seed, first;
		char text[600];

		random_options(text, sizeof(text));
		first = drive(text, 77, i % 3 == 0);
		seed = start;
		random_options(text, sizeof(text));
		if (drive(text, 77, i % 3 == 0) != first)
			fail_msg("not twice the same: %s", text);
	}
}

/* Each frame of a fully lossy link is drawn anew: with another seed others are lost. */
static void test_seeds_differ(void **state)
{
	uint64_t start = seed, first = drive("loss=50%", 1, false);

	(void)state;
	seed = start;
	assert_int_equal(drive("loss=50%", 1, false), first);
	seed = start;
	assert_int_not_equal(drive("loss=50%", 2, false), first);
}

/* Turning loss on does not change which frames are delayed by how much, or come twice. */
static void test_chances_are_apart(void **state)
{
	static int64_t due[2000];
	static uint8_t copies[2000];
	struct tw_link *link = lab_link("delay=5ms jitter=1ms duplicate=10%");
	const struct lab_frame *frame = lab_data(1, 10, 0);
	const struct tw_link_frame *out;
	uint64_t left = 0;

	(void)state;
	for (int64_t i = 0; i < 2000; i++)
		lab_enter(link, i * 10 * MS, frame);
	while ((out = tw_link_leave(link, INT64_MAX))) {
		due[out->number - 1] = out->due;
		copies[out->number - 1]++;
	}
	tw_link_free(link);
	link = lab_link(
		"delay=5ms jitter=1ms duplicate=10% loss=30% gemodel=5% reorder=1% ackloss=1%");
	for (int64_t i = 0; i < 2000; i++)
		lab_enter(link, i * 10 * MS, frame);
	while ((out = tw_link_leave(link, INT64_MAX))) {
		if (out->due > out->entered) /* not skipped */
			assert_int_equal(out->due, due[out->number - 1]);
		copies[out->number - 1]--;
		left++;
	}
	for (int i = 0; i < 2000; i++)
		assert_true(copies[i] <= 2); /* none below zero */
	assert_in_range(left, 1200, 1700);
	tw_link_free(link);
	/* Nor do those of the same share hit the same frames: half of what is left comes twice. */
	link = lab_link("loss=50% duplicate=50%");
	for (int64_t i = 0; i < 2000; i++)
		lab_enter(link, i, frame);
	assert_in_range(lab_figures(link).duplicated, 420, 580);
	tw_link_free(link);
}

/* The headers of every cut of a frame lie within it. */
static void test_headers_within(void **state)
{
	static struct lab_frame frame;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		uint8_t *exact;
		struct tw_headers h;
		uint32_t n, at = 0, length = 0;

		random_frame(&frame);
		n = (uint32_t)below(frame.n + 1);
		exact = malloc(n ? n : 1);
		assert_non_null(exact);
		memcpy(exact, frame.bytes, n);
		tw_headers_find(&h, exact, n);
		assert_true(!h.version || h.ip_total + 14 <= n);
		assert_true(h.version || (!h.tcp && !h.upper && !h.ip_total));
		assert_true(h.payload <= n && h.tcp_header <= n);
		assert_true(!h.tcp || h.tcp + h.tcp_header + h.payload == 14 + h.ip_total);
		while (h.tcp && tw_headers_option(&h, exact, &at, &length))
			assert_true(at >= h.tcp + 20 && at + length <= h.tcp + h.tcp_header);
		free(exact);
	}
}

/* IPv6 with extension headers before TCP, of which the fragment header has no length of its own. */
static void test_extension_headers(void **state)
{
	static uint8_t f[14 + 40 + 16 + 8 + 20 + 5];
	struct tw_headers h;

	(void)state;
	memcpy(f + 12, "\x86\xdd\x60", 3);
	lab_put(f + 14 + 4, 16 + 8 + 20 + 5, 2);
	f[14 + 6] = 0; /* hop-by-hop, */
	f[54] = 44;    /* then a fragment header, */
	f[55] = 1;     /* after 16 bytes */
	f[70] = 6;     /* then TCP */
	f[71] = 200;   /* reserved */
	f[78 + 12] = 0x50;
	f[78 + 13] = F_ACK;
	tw_headers_find(&h, f, sizeof(f));
	assert_true(h.version == 6 && h.tcp == 78 && h.payload == 5 && h.protocol == 6 &&
		    !h.later_fragment);
	f[70 + 3] = 8; /* a later fragment */
	tw_headers_find(&h, f, sizeof(f));
	assert_true(h.version == 6 && !h.tcp && !h.upper && h.later_fragment);
	f[70 + 3] = 0;
	f[55] = 255; /* beyond the packet */
	tw_headers_find(&h, f, sizeof(f));
	assert_true(h.version == 6 && !h.tcp && !h.upper);
}

/* A TCP header that says to be longer than its packet, or shorter than any, is none. */
static void test_header_lengths_that_lie(void **state)
{
	struct lab_frame *frame = lab_data(1, 10, 0);
	struct tw_headers h;

	(void)state;
	for (unsigned words = 0; words < 16; words++) {
		frame->bytes[frame->tcp + 12] = (uint8_t)(words << 4);
		tw_headers_find(&h, frame->bytes, frame->n);
		assert_int_equal(h.tcp, words >= 5 && words * 4 <= 30 ? frame->tcp : 0);
		assert_true(h.version == 4 && h.upper == frame->tcp);
	}
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A long fat path: 1 Gbit/s, 40 ms, 3,300 frames in flight. */
static void speed(const char *text)
{
	struct tw_link *link = lab_link(text);
	const struct lab_frame *frame = lab_data(1, 1460, 0);
	enum { FRAMES = 300000 };
	double start = seconds();

	for (int64_t i = 0; i < FRAMES; i++) {
		lab_enter(link, i * 12112, frame);
		while (tw_link_due(link) <= i * 12112)
			(void)tw_link_leave(link, i * 12112);
	}
	print_message("# %.0f ns a frame: %s\n", (seconds() - start) / FRAMES * 1e9, text);
	lab_drain(link);
	tw_link_free(link);
}

static void test_speed(void **state)
{
	(void)state;
	speed("");
	speed("rate=1gbit delay=40ms queue=1m loss=0.1%");
	speed("rate=1gbit delay=40ms jitter=1ms queue=1m ecn=500k loss=0.1% gemodel=0.1%:30% "
	      "drop=every:1000+last:1 "
	      "duplicate=0.1% reorder=0.1% reorder-by=1ms police=2gbit mtu=1500 strip=timestamps "
	      "seqrand thin=4 "
	      "ackloss=1% outage=1s..1001ms");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_link),
		cmocka_unit_test(test_seeds_differ),
		cmocka_unit_test(test_chances_are_apart),
		cmocka_unit_test(test_headers_within),
		cmocka_unit_test(test_extension_headers),
		cmocka_unit_test(test_header_lengths_that_lie),
		cmocka_unit_test(test_speed),
	};

	return cmocka_run_group_tests_name("lab_property", tests, NULL, NULL);
}
