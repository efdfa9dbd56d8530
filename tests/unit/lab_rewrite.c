/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a link writes into frames: options, sequence numbers, ECN marks; and the ICMP of a small
 * mtu.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lab_run.h"

static struct lab_frame frame;

/* Sends `frame` through the link at time 0. */
static const struct tw_link_frame *through(struct tw_link *link)
{
	const struct tw_link_frame *out;

	lab_enter(link, 0, &frame);
	out = tw_link_leave(link, SECOND);
	assert_non_null(out);
	assert_int_equal(out->n, frame.n);
	return out;
}

/* As Linux orders them on a SYN: MSS, SACK-permitted, timestamps, NOP, window scale. */
static const uint8_t syn_options[20] = { 2, 4, 5, 0xb4, 4, 2, 8, 10, 1, 2,
					 3, 4, 0, 0,    0, 0, 1, 3,  3, 7 };

static void test_strip(void **state)
{
	static const struct {
		const char *text;
		uint8_t want[20];
		uint64_t rewritten;
	} cases[] = {
		{ "strip=wscale",
		  { 2, 4, 5, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 1, 1, 1 },
		  1 },
		{ "strip=sack",
		  { 2, 4, 5, 0xb4, 1, 1, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7 },
		  1 },
		{ "strip=timestamps",
		  { 2, 4, 5, 0xb4, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 7 },
		  1 },
		{ "strip=timestamps+sack+wscale",
		  { 2, 4, 5, 0xb4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
		  1 },
		{ "", { 2, 4, 5, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7 }, 0 },
	};

	(void)state;
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			const struct lab_segment s = {
				.ipv6 = ipv6,
				.flags = F_SYN,
				.seq = 0x89abcdef,
				.options = syn_options,
				.n_options = 20,
			};
			struct tw_link *link = lab_link(cases[i].text);
			const struct tw_link_frame *out;

			lab_make(&frame, &s);
			assert_true(lab_sums_right(frame.bytes, frame.n));
			out = through(link);
			assert_memory_equal(out->bytes + frame.tcp + 20, cases[i].want, 20);
			assert_memory_equal(out->bytes, frame.bytes, frame.tcp + 16);
			assert_true(lab_sums_right(out->bytes, out->n));
			assert_int_equal(lab_figures(link).rewritten, cases[i].rewritten);
			tw_link_free(link);
		}
	}
}

/* Options that lie about their length, run out of the header or follow an end are left alone. */
static void test_strip_odd_options(void **state)
{
	static const uint8_t odd[][8] = {
		{ 3, 0, 3, 3, 1, 1, 1, 1 }, { 3, 1, 3, 3, 1, 1, 1, 1 },
		{ 1, 1, 1, 1, 1, 1, 3, 3 }, { 0, 2, 3, 3, 7, 1, 1, 1 },
		{ 1, 1, 1, 1, 1, 1, 1, 8 }, { 8, 200, 1, 1, 3, 3, 7, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		const struct lab_segment s = { .flags = F_SYN, .options = odd[i], .n_options = 8 };
		struct tw_link *link = lab_link("strip=wscale+sack+timestamps");

		lab_make(&frame, &s);
		assert_memory_equal(through(link)->bytes, frame.bytes, frame.n);
		assert_int_equal(lab_figures(link).rewritten, 0);
		tw_link_free(link);
	}
	/* Odd places are summed rightly: a 3-byte option at each offset. */
	for (int at = 0; at < 5; at++) {
		uint8_t options[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
		const struct lab_segment s = { .flags = F_SYN, .options = options, .n_options = 8 };
		struct tw_link *link = lab_link("strip=wscale");
		const struct tw_link_frame *out;

		memcpy(options + at, "\3\3\16", 3);
		lab_make(&frame, &s);
		out = through(link);
		assert_true(lab_sums_right(out->bytes, out->n));
		assert_memory_equal(out->bytes + frame.tcp + 20, "\1\1\1\1\1\1\1\1", 8);
		tw_link_free(link);
	}
}

/* Both directions of a connection, and a SACK block that names what the client never sent. */
static void seqrand(bool ipv6, uint16_t port)
{
	static const uint8_t sack[12] = { 1,    1,    5,    10,   0x11, 0x22,
					  0x33, 0x44, 0x11, 0x22, 0x44, 0x44 };
	struct tw_link *there = lab_link_of("seqrand", false, 9),
		       *back = lab_link_of("seqrand", true, 9);
	struct lab_segment s = {
		.ipv6 = ipv6, .client_port = port, .flags = F_SYN, .seq = 0xfffffff0, .ack = 0
	};
	const struct tw_link_frame *out;
	uint32_t seen_by_server, seen_by_client;

	lab_make(&frame, &s);
	out = through(there);
	seen_by_server = lab_get(out->bytes + frame.tcp + 4, 4);
	assert_int_not_equal(seen_by_server, s.seq);
	assert_int_equal(lab_get(out->bytes + frame.tcp + 8, 4), 0); /* no ACK: not touched */
	assert_true(lab_sums_right(out->bytes, out->n));

	s = (struct lab_segment){
		.ipv6 = ipv6,
		.client_port = port,
		.back = true,
		.flags = F_SYN | F_ACK,
		.seq = 77,
		.ack = seen_by_server + 1,
		.options = sack,
		.n_options = 12,
	};
	lab_make(&frame, &s);
	out = through(back);
	assert_int_equal(lab_get(out->bytes + frame.tcp + 8, 4), 0xfffffff1);
	seen_by_client = lab_get(out->bytes + frame.tcp + 4, 4);
	assert_int_not_equal(seen_by_client, 77);
	assert_memory_equal(out->bytes + frame.tcp + 20, sack, 12);
	assert_true(lab_sums_right(out->bytes, out->n));

	s = (struct lab_segment){
		.ipv6 = ipv6,
		.client_port = port,
		.flags = F_ACK | F_PSH,
		.seq = 0xfffffff1,
		.ack = seen_by_client + 1,
		.payload = 333,
	};
	lab_make(&frame, &s);
	out = through(there);
	assert_int_equal(lab_get(out->bytes + frame.tcp + 4, 4), seen_by_server + 1);
	assert_int_equal(lab_get(out->bytes + frame.tcp + 8, 4), 78);
	assert_true(lab_sums_right(out->bytes, out->n));
	assert_int_equal(lab_figures(there).rewritten, 2);
	tw_link_free(there);
	tw_link_free(back);
}

static void test_seqrand(void **state)
{
	(void)state;
	for (uint16_t port = 1; port < 500; port++)
		seqrand(port % 2, port);
}

static void test_ecn_marks(void **state)
{
	(void)state;
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		struct tw_link *link = lab_link("rate=8mbit ecn=2p");
		const struct tw_link_frame *out;
		uint64_t marked = 0;

		for (unsigned i = 0; i < 40; i++) {
			const struct lab_segment s = {
				.ipv6 = ipv6, .flags = F_ACK, .ecn = i % 4, .seq = i, .payload = i
			};

			lab_make(&frame, &s);
			lab_enter(link, 0, &frame);
		}
		for (unsigned i = 0; i < 40; i++) {
			unsigned ecn;

			out = tw_link_leave(link, SECOND);
			ecn = ipv6 ? out->bytes[15] >> 4 & 3 : out->bytes[15] & 3;
			/* Three and more found more than two there. */
			if (i >= 3 && (i % 4 == 1 || i % 4 == 2)) {
				assert_int_equal(ecn, 3);
				marked++;
			} else {
				assert_int_equal(ecn, i % 4);
			}
			assert_true(lab_sums_right(out->bytes, out->n));
		}
		assert_int_equal(lab_figures(link).marked_ce, marked);
		assert_int_equal(lab_figures(link).rewritten, 0);
		tw_link_free(link);
	}
}

/* A data segment whose IP packet has `total` bytes. */
static void make_packet(bool ipv6, bool no_df, uint32_t total)
{
	const struct lab_segment s = {
		.ipv6 = ipv6,
		.no_df = no_df,
		.flags = F_ACK,
		.seq = 1,
		.payload = total - 20 - (ipv6 ? 40 : 20),
	};

	lab_make(&frame, &s);
}

static void test_mtu(void **state)
{
	struct tw_link *link = lab_link("mtu=1400");
	static uint8_t other[1500];

	(void)state;
	for (int ipv6 = 0; ipv6 < 2; ipv6++) {
		make_packet(ipv6, false, 1400);
		lab_enter(link, 0, &frame);
		assert_int_equal(lab_figures(link).dropped_mtu, ipv6);
		make_packet(ipv6, false, 1401);
		lab_enter(link, 0, &frame);
		assert_int_equal(lab_figures(link).dropped_mtu, ipv6 + 1);
		assert_null(tw_link_reply(link));
	}
	assert_int_equal(tw_link_enter(link, 0, other, sizeof(other)), 0); /* not IP */
	assert_int_equal(lab_drain(link), 3);
	tw_link_free(link);
}

static void test_icmpv4(void **state)
{
	struct tw_link *link = lab_link("mtu=1400 icmp");
	const struct tw_link_frame *r;

	(void)state;
	make_packet(false, false, 1500);
	lab_enter(link, 123, &frame);
	r = tw_link_reply(link);
	assert_non_null(r);
	assert_int_equal(r->n, 14 + 576);
	assert_true(r->entered == 123 && r->due == 123);
	assert_memory_equal(r->bytes, "\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x08\0", 14);
	assert_memory_equal(r->bytes + 14, "\x45\xc0\x02\x40\0\0\0\0\x40\x01", 10);
	assert_int_equal(lab_sum(0, r->bytes + 14, 20), 0xffff);
	assert_memory_equal(r->bytes + 26, "\xc0\0\2\2\xc0\0\2\1", 8);
	assert_memory_equal(r->bytes + 34, "\3\4", 2);
	assert_memory_equal(r->bytes + 38, "\0\0\x05\x78", 4);
	assert_int_equal(lab_sum(0, r->bytes + 34, 556), 0xffff);
	assert_memory_equal(r->bytes + 42, frame.bytes + 14, 548);
	assert_null(tw_link_reply(link));
	assert_int_equal(lab_figures(link).replies, 1);

	/* Without DF, a later fragment, from nobody or many, to many, an ICMP error: silence. */
	make_packet(false, true, 1500);
	lab_enter(link, 123, &frame);
	for (int i = 0; i < 6; i++) {
		static const uint8_t at[] = { 14 + 7, 14 + 12, 14 + 16, 0, 14 + 9, 14 + 12 };
		static const uint8_t value[] = { 1, 224, 239, 3, 1, 0 };

		make_packet(false, false, 1500);
		frame.bytes[at[i]] = value[i];
		if (i == 4)
			frame.bytes[34] = 11; /* time exceeded */
		if (i == 5)
			memset(frame.bytes + 26, 0, 4);
		lab_enter(link, 123, &frame);
	}
	assert_null(tw_link_reply(link));
	frame.bytes[14 + 9] = 1;
	memcpy(frame.bytes + 26, "\xc0\0\2\1", 4);
	frame.bytes[34] = 8; /* an echo request is answered */
	lab_enter(link, 123, &frame);
	assert_non_null(tw_link_reply(link));
	assert_int_equal(lab_figures(link).dropped_mtu, 9);
	tw_link_free(link);
}

static void test_icmpv6(void **state)
{
	struct tw_link *link = lab_link("mtu=1400 icmp");
	const struct tw_link_frame *r;

	(void)state;
	make_packet(true, false, 1500);
	lab_enter(link, 5, &frame);
	r = tw_link_reply(link);
	assert_non_null(r);
	assert_int_equal(r->n, 14 + 1280);
	assert_memory_equal(r->bytes, "\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x86\xdd", 14);
	assert_memory_equal(r->bytes + 14, "\x60\0\0\0\x04\xd8\x3a\x40", 8);
	assert_memory_equal(r->bytes + 22, frame.bytes + 38, 16);
	assert_memory_equal(r->bytes + 38, frame.bytes + 22, 16);
	assert_memory_equal(r->bytes + 54, "\2\0", 2);
	assert_memory_equal(r->bytes + 58, "\0\0\x05\x78", 4);
	assert_memory_equal(r->bytes + 62, frame.bytes + 14, 1232);
	assert_int_equal(lab_sum(lab_pseudo(r->bytes, 58, 1240), r->bytes + 54, 1240), 0xffff);
	frame.bytes[14 + 6] = 58;
	frame.bytes[54] = 2; /* an error itself */
	lab_enter(link, 5, &frame);
	make_packet(true, false, 1500);
	frame.bytes[14 + 24] = 0xff; /* to many */
	lab_enter(link, 5, &frame);
	assert_null(tw_link_reply(link));
	tw_link_free(link);

	link = lab_link("mtu=1200 icmp"); /* no link of IPv6 */
	make_packet(true, false, 1300);
	lab_enter(link, 5, &frame);
	assert_null(tw_link_reply(link));
	assert_int_equal(lab_figures(link).dropped_mtu, 1);
	tw_link_free(link);
}

/* Small packets are quoted whole; replies that nobody takes do not pile up. */
static void test_icmp_bounds(void **state)
{
	struct tw_link *link = lab_link("mtu=100 icmp");
	struct tw_link_figures f;

	(void)state;
	make_packet(false, false, 101);
	for (int i = 0; i < 100; i++)
		lab_enter(link, 5, &frame);
	f = lab_figures(link);
	assert_true(f.replies == 16 && f.replies_dropped == 84 && f.dropped_mtu == 100);
	for (unsigned i = 1; i <= 16; i++) {
		const struct tw_link_frame *r = tw_link_reply(link);

		assert_int_equal(r->number, i);
		assert_int_equal(r->n, 14 + 28 + 101);
		assert_int_equal(lab_sum(0, r->bytes + 34, 109), 0xffff);
	}
	assert_null(tw_link_reply(link));
	lab_enter(link, 5, &frame);
	tw_link_free(link); /* with one left in it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strip),   cmocka_unit_test(test_strip_odd_options),
		cmocka_unit_test(test_seqrand), cmocka_unit_test(test_ecn_marks),
		cmocka_unit_test(test_mtu),     cmocka_unit_test(test_icmpv4),
		cmocka_unit_test(test_icmpv6),  cmocka_unit_test(test_icmp_bounds),
	};

	return cmocka_run_group_tests_name("lab_rewrite", tests, NULL, NULL);
}
