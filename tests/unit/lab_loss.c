/* SPDX-License-Identifier: BSD-2-Clause */
/* Loss at random, in bursts and by rule, and the thinning of ACKs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lab_run.h"

enum { MSS = 100 };

/* Enters a segment; whether it was lost. */
static bool is_lost(struct tw_link *link, const struct lab_segment *s)
{
	static struct lab_frame frame;
	uint64_t before = lab_figures(link).dropped_loss;

	lab_make(&frame, s);
	lab_enter(link, 0, &frame);
	return lab_figures(link).dropped_loss > before;
}

static bool is_data_lost(struct tw_link *link, uint32_t seq, uint8_t flags)
{
	return is_lost(link,
		       &(struct lab_segment){
			       .seq = seq, .ack = 1, .payload = MSS, .flags = flags | F_ACK });
}

static void test_random(void **state)
{
	struct tw_link *link = lab_link("loss=1%"), *back = lab_link_of("loss=1%", true, 1);
	uint64_t both = 0, lost = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++) {
		bool here = is_data_lost(link, i * MSS, 0);

		both += is_data_lost(back, i * MSS, 0) && here;
		lost += here;
		lab_drain(link);
		lab_drain(back);
	}
	assert_in_range(lost, 900, 1100);
	assert_in_range(lab_figures(back).dropped_loss, 900, 1100);
	/* One seed, and yet the directions lose apart from each other. */
	assert_in_range(both, 0, 30);
	tw_link_free(link);
	tw_link_free(back);
}

/* What is not IP, and neighbour discovery, gets through. */
static void test_spares_neighbours(void **state)
{
	struct tw_link *link = lab_link("loss=100%");
	static uint8_t arp[60] = { [12] = 8, [13] = 6 };
	static struct lab_frame frame;

	(void)state;
	assert_int_equal(tw_link_enter(link, 0, arp, sizeof(arp)), 0);
	assert_int_equal(lab_figures(link).dropped_loss, 0);
	lab_make(&frame, &(struct lab_segment){ .ipv6 = true, .payload = MSS });
	frame.bytes[14 + 6] = 58;
	frame.bytes[54] = 135;
	lab_enter(link, 0, &frame);
	assert_int_equal(lab_figures(link).dropped_loss, 0);
	frame.bytes[54] = 128; /* an echo request is not */
	lab_enter(link, 0, &frame);
	assert_int_equal(lab_figures(link).dropped_loss, 1);
	lab_drain(link);
	tw_link_free(link);
}

/* Bursts of 1 / r packets in the mean, p / (p + r) of all. */
static void test_gilbert_elliott(void **state)
{
	struct tw_link *link = lab_link("gemodel=1%:25%");
	uint64_t bursts = 0, lost = 0;
	bool was = false;

	(void)state;
	for (uint32_t i = 0; i < 200000; i++) {
		bool now = is_data_lost(link, i * MSS, 0);

		bursts += now && !was;
		lost += now;
		was = now;
		lab_drain(link);
	}
	assert_in_range(lost * 100 / bursts, 385, 415);
	assert_in_range(lost, 200000 * 0.0385 * 0.95, 200000 * 0.0385 * 1.05);
	tw_link_free(link);

	/* Half of what falls into a burst, and 1 % of the rest: 1/26 * 0.5 + 25/26 * 0.01. */
	link = lab_link("gemodel=1%:25%:50%:1%");
	lost = 0;
	for (uint32_t i = 0; i < 200000; i++) {
		lost += is_data_lost(link, i * MSS, 0);
		lab_drain(link);
	}
	assert_in_range(lost, 200000 * 0.0288 * 0.95, 200000 * 0.0288 * 1.05);
	tw_link_free(link);
}

static void test_syn(void **state)
{
	struct tw_link *link = lab_link("drop=syn:2"), *back = lab_link_of("drop=synack", true, 1);
	struct lab_segment syn = { .flags = F_SYN, .seq = 1000 },
			   other = { .flags = F_SYN, .client_port = 4 };
	struct lab_segment syn_ack = { .flags = F_SYN | F_ACK, .back = true };

	(void)state;
	assert_true(is_lost(link, &syn));
	assert_true(is_lost(link, &other)); /* each connection for itself */
	assert_true(is_lost(link, &syn));
	assert_false(is_lost(link, &syn));
	assert_false(is_data_lost(link, 1001, 0));
	syn.seq = 5000; /* a new one between the same ports */
	assert_true(is_lost(link, &syn));
	assert_true(is_lost(link, &syn));
	assert_false(is_lost(link, &syn));
	assert_false(is_lost(link, &syn_ack));
	assert_true(is_lost(back, &syn_ack));
	assert_false(is_lost(back, &syn_ack));
	assert_false(is_lost(back, &syn));
	tw_link_free(link);
	tw_link_free(back);
}

static void test_last(void **state)
{
	struct tw_link *link = lab_link("drop=last:2");
	uint32_t seq = 0xffffff00; /* wraps */

	(void)state;
	for (int message = 0; message < 4; message++) {
		for (int i = 0; i < 5; i++, seq += MSS)
			assert_false(is_data_lost(link, seq, 0));
		assert_int_equal(is_data_lost(link, seq, F_PSH), message < 2);
		assert_false(is_data_lost(link, seq, F_PSH)); /* its resend */
		assert_false(is_data_lost(link, seq - MSS, F_PSH));
		seq += MSS;
	}
	/* An ACK with PSH ends no message. */
	assert_false(is_lost(link, &(struct lab_segment){ .flags = F_ACK | F_PSH, .seq = seq }));
	tw_link_free(link);
}

static void test_fin(void **state)
{
	struct tw_link *link = lab_link("drop=fin");

	(void)state;
	assert_false(is_data_lost(link, 1, F_PSH));
	assert_true(is_data_lost(link, 1 + MSS, F_FIN));
	assert_false(is_data_lost(link, 1 + MSS, F_FIN));
	tw_link_free(link);
}

static void test_every_and_nth(void **state)
{
	struct tw_link *link = lab_link("drop=every:10+nth:3..4");
	const struct lab_segment ack = { .flags = F_ACK, .seq = 1, .ack = 1 };

	(void)state;
	for (uint32_t i = 1; i <= 1000; i++) {
		assert_int_equal(is_data_lost(link, i * MSS, 0), i % 10 == 0 || i == 3 || i == 4);
		assert_false(is_lost(link, &ack)); /* no data: not counted */
	}
	tw_link_free(link);
}

static void test_resend(void **state)
{
	struct tw_link *link = lab_link("drop=resend:2+nth:3");

	(void)state;
	for (uint32_t i = 1; i <= 5; i++)
		assert_int_equal(is_data_lost(link, i * MSS, 0), i == 3);
	assert_true(is_data_lost(link, 3 * MSS, 0));
	assert_true(is_data_lost(link, 3 * MSS, 0));
	assert_false(is_data_lost(link, 3 * MSS, 0));
	assert_false(is_data_lost(link, 6 * MSS, 0));
	tw_link_free(link);
	/*
	 * A SYN takes a number of its own before its data (RFC 7413), and so does a FIN after it.
	 */
	link = lab_link("drop=resend");
	assert_false(is_data_lost(link, 1000, F_SYN));
	assert_true(is_data_lost(link, 1001, 0));
	tw_link_free(link);
	link = lab_link("drop=resend");
	assert_false(is_data_lost(link, 1000, 0));
	assert_false(is_data_lost(link, 1000 + MSS, F_FIN));
	assert_true(is_data_lost(link, 1001 + MSS, 0)); /* up to the FIN's number */
	tw_link_free(link);
}

static void test_ackloss(void **state)
{
	struct tw_link *link = lab_link("ackloss=100%");
	struct lab_segment s = { .flags = F_ACK, .seq = 1, .ack = 1 };

	(void)state;
	assert_true(is_lost(link, &s));
	assert_false(is_data_lost(link, 1, 0));
	s.flags = F_ACK | F_FIN;
	assert_false(is_lost(link, &s));
	s.flags = F_ACK | F_SYN;
	assert_false(is_lost(link, &s));
	s.flags = F_ACK | F_RST;
	assert_false(is_lost(link, &s));
	tw_link_free(link);
	link = lab_link("ackloss=10%");
	s.flags = F_ACK;
	for (uint32_t i = 0; i < 20000; i++) {
		s.ack += MSS;
		is_lost(link, &s);
		is_data_lost(link, i * MSS, 0);
		lab_drain(link);
	}
	assert_in_range(lab_figures(link).dropped_loss, 1850, 2150);
	tw_link_free(link);
}

/* More connections than are kept: it says so, and goes on. */
static void test_many_connections(void **state)
{
	struct tw_link *link = lab_link("drop=syn");

	(void)state;
	for (uint32_t i = 1; i <= 20000; i++) {
		assert_true(is_lost(
			link, &(struct lab_segment){ .flags = F_SYN, .client_port = (uint16_t)i }));
		if (i <= 100)
			assert_int_equal(lab_figures(link).forgotten, 0);
	}
	assert_in_range(lab_figures(link).forgotten, 20000 - 4096, 20000 - 3500);
	tw_link_free(link);
}

/* The next frame's ACK number if one leaves by `now`; 0: none. */
static uint32_t leaving_ack(struct tw_link *link, int64_t now)
{
	const struct tw_link_frame *out = tw_link_leave(link, now);

	return out ? lab_get(out->bytes + 34 + 8, 4) : 0;
}

static void enter_ack(struct tw_link *link, int64_t now, uint32_t ack, uint8_t flags,
		      const uint8_t *options, uint32_t n)
{
	static struct lab_frame frame;
	const struct lab_segment s = {
		.flags = flags, .seq = 1, .ack = ack, .options = options, .n_options = n
	};

	lab_make(&frame, &s);
	lab_enter(link, now, &frame);
}

static void test_thin(void **state)
{
	static const uint8_t sack[12] = { 1, 1, 5, 10, 0, 0, 0, 9, 0, 0, 0, 10 };
	struct tw_link *link = lab_link("thin=4");
	const struct tw_link_frame *out;

	(void)state;
	enter_ack(link, 0, 100, F_ACK, NULL, 0);
	assert_int_equal(leaving_ack(link, 0), 100); /* the handshake's */
	for (uint32_t i = 1; i <= 8; i++) {
		enter_ack(link, i, 100 + i, F_ACK, NULL, 0);
		assert_int_equal(leaving_ack(link, i), i % 4 ? 0 : 100 + i);
	}
	assert_int_equal(lab_figures(link).dropped_thinned, 6);
	/* The last of a train is let go by time, and enters the wire then. */
	enter_ack(link, 100, 200, F_ACK, NULL, 0);
	enter_ack(link, 200, 300, F_ACK, NULL, 0);
	assert_int_equal(tw_link_due(link), 200 + 5 * MS);
	assert_int_equal(leaving_ack(link, 200 + 5 * MS - 1), 0);
	out = tw_link_leave(link, 10 * MS); /* asked for late */
	assert_non_null(out);
	assert_int_equal(lab_get(out->bytes + 34 + 8, 4), 300);
	assert_true(out->entered == 200 && out->passed == 200 + 5 * MS);
	assert_int_equal(lab_figures(link).dropped_thinned, 7);
	/* Nothing but plain progress is withheld: a duplicate, SACK blocks, ECN-Echo, a FIN. */
	enter_ack(link, 11 * MS, 300, F_ACK, NULL, 0);
	assert_int_equal(leaving_ack(link, 11 * MS), 300);
	enter_ack(link, 11 * MS, 400, F_ACK, sack, 12);
	assert_int_equal(leaving_ack(link, 11 * MS), 400);
	enter_ack(link, 11 * MS, 500, F_ACK | F_ECE, NULL, 0);
	assert_int_equal(leaving_ack(link, 11 * MS), 500);
	enter_ack(link, 11 * MS, 600, F_ACK | F_FIN, NULL, 0);
	assert_int_equal(leaving_ack(link, 11 * MS), 600);
	/* What is withheld gives way to it. */
	enter_ack(link, 11 * MS, 700, F_ACK, NULL, 0);
	enter_ack(link, 11 * MS, 700, F_ACK, NULL, 0);
	assert_int_equal(leaving_ack(link, 11 * MS), 700);
	assert_int_equal(leaving_ack(link, SECOND), 0);
	assert_int_equal(lab_figures(link).dropped_thinned, 8);
	lab_conserved(link);
	tw_link_free(link);
}

/* Many connections at once: each one's newest ACK arrives, in the end. */
static void test_thin_many(void **state)
{
	struct tw_link *link = lab_link("thin=8 delay=3ms rate=10mbit");
	const struct tw_link_frame *out;
	static struct lab_frame frame;
	uint32_t newest[50] = { 0 };
	int64_t now = 0;

	(void)state;
	for (uint32_t i = 0; i < 20000; i++) {
		const struct lab_segment s = { .flags = F_ACK,
					       .client_port = (uint16_t)(1 + i % 50),
					       .ack = i };

		lab_make(&frame, &s);
		lab_enter(link, now += 20000, &frame);
		while ((out = tw_link_leave(link, now)))
			newest[lab_get(out->bytes + 34, 2) - 1] = lab_get(out->bytes + 34 + 8, 4);
	}
	while (tw_link_due(link) < INT64_MAX)
		if ((out = tw_link_leave(link, tw_link_due(link))))
			newest[lab_get(out->bytes + 34, 2) - 1] = lab_get(out->bytes + 34 + 8, 4);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(newest[i], 20000 - 50 + i);
	assert_in_range(lab_figures(link).dropped_thinned, 20000 * 0.7, 20000 * 0.88);
	lab_conserved(link);
	tw_link_free(link);
	/* Freed while some are withheld. */
	link = lab_link("thin=8");
	for (uint32_t i = 0; i < 3; i++)
		enter_ack(link, 0, i, F_ACK, NULL, 0);
	assert_int_equal(lab_figures(link).waiting, 2);
	tw_link_free(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_spares_neighbours),
		cmocka_unit_test(test_gilbert_elliott),
		cmocka_unit_test(test_syn),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_fin),
		cmocka_unit_test(test_every_and_nth),
		cmocka_unit_test(test_resend),
		cmocka_unit_test(test_ackloss),
		cmocka_unit_test(test_many_connections),
		cmocka_unit_test(test_thin),
		cmocka_unit_test(test_thin_many),
	};

	return cmocka_run_group_tests_name("lab_loss", tests, NULL, NULL);
}
