/* SPDX-License-Identifier: BSD-2-Clause */
/* The TCP header and every option, whole, cut by the snap length, and wrong. */
#include "frame.h"

enum { RAW = 101 };

/* A segment with these options, padded to a multiple of 4 with what an end of options leaves. */
static struct frame with_options(const void *options, size_t n, unsigned payload)
{
	struct frame f = { .more = payload };
	unsigned words = 5 + (unsigned)(n + 3) / 4;

	put_ipv4(&f, 20 + words * 4 + payload);
	put_tcp_long(&f, words, TW_ACK);
	put_bytes(&f, options, n);
	put_zeros(&f, words * 4 - 20 - n);
	return f;
}

enum { ANY = TW_HAS_TIMESTAMPS | TW_HAS_MSS | TW_HAS_WSCALE | TW_HAS_SACK_PERMITTED |
	     TW_OPTIONS_CUT | TW_OPTIONS_BAD };

/* Decodes it with `captured` bytes of options; the answer is TCP with these option bits. */
static void check(const struct frame *f, uint32_t captured, uint32_t has, struct tw_packet *packet)
{
	const char *other;

	assert_int_equal(decode_part(f, RAW, 40 + captured, packet, &other), TW_DECODED_TCP);
	assert_int_equal(packet->has & ANY, has);
	assert_int_equal(packet->seq, 0x89abcdef);
	assert_int_equal(packet->payload, f->n + f->more - 20 - (f->bytes[32] >> 4) * 4);
}

static void check_whole(const struct frame *f, uint32_t has, struct tw_packet *packet)
{
	check(f, f->n - 40, has, packet);
}

static void test_flags(void **state)
{
	struct tw_packet packet;

	(void)state;
	for (unsigned flags = 0; flags < 0x1000; flags++) {
		struct frame f = { 0 };

		put_ipv4(&f, 40);
		put_tcp_long(&f, 5, flags);
		assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_TCP);
		assert_int_equal(packet.flags, flags & 0x1ff); /* three bits are still reserved */
		assert_int_equal(packet.n_sack, 0);
	}
}

static void test_syn_options(void **state)
{
	static const uint8_t options[] = {
		2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0x11, 0x22, 0x33, 0x44, 0, 0, 0, 0, 1, 3, 3, 7,
	};
	struct frame f = with_options(options, sizeof(options), 0);
	struct tw_packet packet;

	(void)state;
	check_whole(&f, TW_HAS_MSS | TW_HAS_SACK_PERMITTED | TW_HAS_TIMESTAMPS | TW_HAS_WSCALE,
		    &packet);
	assert_int_equal(packet.mss, 1460);
	assert_int_equal(packet.wscale, 7);
	assert_int_equal(packet.tsval, 0x11223344);
	assert_int_equal(packet.tsecr, 0);
}

static void test_timestamps(void **state)
{
	static const uint8_t first[] = {
		1, 1, 8, 10, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	};
	static const uint8_t last[] = {
		8, 10, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 1, 1,
	};
	const uint8_t *orders[] = { first, last };
	struct tw_packet packet;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct frame f = with_options(orders[i], 12, 100);

		check_whole(&f, TW_HAS_TIMESTAMPS, &packet);
		assert_int_equal(packet.tsval, 0x11223344);
		assert_int_equal(packet.tsecr, 0x55667788);
		assert_int_equal(packet.n_sack, 0);
		/* Cut within: no half of it is taken. */
		for (uint32_t n = 0; n < (i ? 10 : 12); n++)
			check(&f, n, TW_OPTIONS_CUT, &packet);
	}
}

/* A scale over 14 is stored as it came. */
static void test_large_scale(void **state)
{
	struct frame f = with_options("\x03\x03\xff\x00", 4, 0);
	struct tw_packet packet;

	(void)state;
	check_whole(&f, TW_HAS_WSCALE, &packet);
	assert_int_equal(packet.wscale, 255);
}

static void put_sack_option(uint8_t *p, unsigned blocks)
{
	p[0] = 5;
	p[1] = (uint8_t)(2 + 8 * blocks);
	for (unsigned i = 0; i < 8 * blocks; i++)
		p[2 + i] = (uint8_t)(0x80 + i);
}

static void check_blocks(const struct tw_packet *packet, unsigned n)
{
	assert_int_equal(packet->n_sack, n);
	for (unsigned i = 0; i < n; i++) {
		uint32_t first = 0x80818283 + i * 0x08080808;

		assert_int_equal(packet->sack[i].left, first);
		assert_int_equal(packet->sack[i].right, first + 0x04040404);
	}
}

static void test_sack(void **state)
{
	struct tw_packet packet;
	uint8_t options[40];

	(void)state;
	for (unsigned blocks = 1; blocks <= 4; blocks++) {
		struct frame f;

		put_sack_option(options, blocks);
		f = with_options(options, 2 + 8 * blocks, 10);
		check_whole(&f, 0, &packet);
		check_blocks(&packet, blocks);
		/* Cut: as many as are whole. */
		for (uint32_t n = 0; n < 2 + 8 * blocks; n++) {
			check(&f, n, TW_OPTIONS_CUT, &packet);
			check_blocks(&packet, n < 2 ? 0 : (n - 2) / 8);
		}
	}
}

static void test_sack_with_timestamps(void **state)
{
	uint8_t options[40] = { 1, 1, 8, 10, 0, 0, 0, 9, 0, 0, 0, 8, 1, 1 };
	struct tw_packet packet;
	struct frame f;

	(void)state;
	put_sack_option(options + 14, 3);
	f = with_options(options, 40, 0);
	check_whole(&f, TW_HAS_TIMESTAMPS, &packet);
	assert_int_equal(packet.tsval, 9);
	assert_int_equal(packet.tsecr, 8);
	check_blocks(&packet, 3);
	check(&f, 14 + 2 + 8 + 7, TW_HAS_TIMESTAMPS | TW_OPTIONS_CUT, &packet);
	check_blocks(&packet, 1);
}

/* More than one SACK option still makes no more than four blocks. */
static void test_sack_repeated(void **state)
{
	uint8_t options[40];
	struct tw_packet packet;
	struct frame f;

	(void)state;
	for (int i = 0; i < 4; i++)
		put_sack_option(options + 10 * i, 1);
	f = with_options(options, 40, 0);
	check_whole(&f, 0, &packet);
	assert_int_equal(packet.n_sack, 4);
	assert_int_equal(packet.sack[3].right, 0x84858687);
}

/* Options of no interest are passed over by their length, whatever is in them. */
static void test_unknown_options(void **state)
{
	static const uint8_t options[] = {
		30, 12, 0, 2, 4, 9, 9, 3, 3, 9, 8, 10, /* MPTCP, with what looks like options */
		34, 2, 253, 4, 2, 4, 1, 2, 4, 0x02, 0x18, /* fast open, an experiment, MSS */
		19, 2, 254, 3, 0xff,
	};
	struct frame f = with_options(options, sizeof(options), 33);
	struct tw_packet packet;

	(void)state;
	check_whole(&f, TW_HAS_MSS, &packet);
	assert_int_equal(packet.mss, 536);
}

/* What follows the end of options is not looked at, and not missed. */
static void test_end_of_options(void **state)
{
	struct frame f = with_options("\x01\x00\x02\x04\x05\xb4\x03\x01", 8, 0);
	struct tw_packet packet;

	(void)state;
	check_whole(&f, 0, &packet);
	check(&f, 2, 0, &packet);
	check(&f, 1, TW_OPTIONS_CUT, &packet);
}

/* The header ends the options, not the capture: payload that looks like options is payload. */
static void test_payload_is_no_option(void **state)
{
	static const uint8_t payload[] = { 3, 3, 9, 1, 2, 4, 5, 5, 5, 10, 0, 0, 0, 1, 0, 0, 0, 2 };
	struct frame f = { 0 };
	struct tw_packet packet;

	(void)state;
	put_ipv4(&f, 20 + 24 + sizeof(payload));
	put_tcp_long(&f, 6, TW_ACK);
	put_bytes(&f, "\x01\x01\x04\x02", 4);
	put_bytes(&f, payload, sizeof(payload));
	check_whole(&f, TW_HAS_SACK_PERMITTED, &packet);
	assert_int_equal(packet.n_sack, 0);
	assert_int_equal(packet.payload, sizeof(payload));
}

/* A length that no option can have ends them: nothing tells where the next begins. */
static void test_impossible_lengths(void **state)
{
	static const struct {
		uint8_t bytes[8];
	} cases[] = {
		{ { 2, 0, 0x05, 0xb4, 3, 3, 7, 0 } },
		{ { 2, 1, 0x05, 0xb4, 3, 3, 7, 0 } },
		{ { 8, 10, 0, 0, 3, 3, 7, 0 } },      /* beyond the header */
		{ { 99, 255, 0, 0, 3, 3, 7, 0 } },
		{ { 5, 10, 0, 0, 3, 3, 7, 0 } },
		{ { 1, 1, 1, 1, 1, 1, 1, 2 } },       /* a kind without room for a length */
	};
	struct tw_packet packet;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame f = with_options(cases[i].bytes, 8, 50);

		check_whole(&f, TW_OPTIONS_BAD, &packet);
		assert_int_equal(packet.n_sack, 0);
	}
}

/* The wrong length for its kind: that option is not believed, those behind it are. */
static void test_wrong_lengths(void **state)
{
	static const struct {
		uint8_t n;
		uint8_t bytes[16];
	} cases[] = {
		{ 3, { 2, 3, 0x05 } },
		{ 6, { 2, 6, 0x05, 0xb4, 0, 0 } },
		{ 2, { 3, 2 } },
		{ 4, { 3, 4, 7, 7 } },
		{ 3, { 4, 3, 1 } },
		{ 6, { 8, 6, 1, 2, 3, 4 } },
		{ 12, { 8, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } },
		{ 2, { 5, 2 } }, /* SACK without a block */
		{ 6, { 5, 6, 1, 2, 3, 4 } },
		{ 11, { 5, 11, 1, 2, 3, 4, 5, 6, 7, 8, 9 } },
	};
	struct tw_packet packet;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t options[24];
		struct frame f;

		memcpy(options, cases[i].bytes, cases[i].n);
		memcpy(options + cases[i].n, "\x08\x0a\0\0\0\x05\0\0\0\x06", 10);
		f = with_options(options, cases[i].n + 10u, 0);
		check_whole(&f, TW_OPTIONS_BAD | TW_HAS_TIMESTAMPS, &packet);
		assert_int_equal(packet.tsval, 5);
		assert_int_equal(packet.tsecr, 6);
		assert_int_equal(packet.n_sack, 0);
	}
}

/* From the window on nothing is needed; before it nothing can be done. */
static void test_fixed_header_cut(void **state)
{
	struct frame f = { .more = 1000 };
	struct frame longer = with_options("\x01\x01\x01\x01", 4, 0);
	struct tw_packet packet;
	const char *other;

	(void)state;
	put_ipv4(&f, 1040);
	put_tcp(&f);
	for (uint32_t n = 0; n < 36; n++)
		assert_int_equal(decode_part(&f, RAW, n, &packet, &other), TW_DECODED_CUT);
	for (uint32_t n = 36; n <= 40; n++) {
		assert_int_equal(decode_part(&f, RAW, n, &packet, &other), TW_DECODED_TCP);
		assert_int_equal(packet.payload, 1000);
		assert_int_equal(packet.window, 0xfedc);
		assert_false(packet.has & TW_OPTIONS_CUT);
		assert_int_equal(decode_part(&longer, RAW, n, &packet, &other), TW_DECODED_TCP);
		assert_true(packet.has & TW_OPTIONS_CUT);
	}
}

static void test_data_offset(void **state)
{
	struct tw_packet packet;

	(void)state;
	for (unsigned words = 0; words < 16; words++) {
		struct frame f = { 0 };

		put_ipv4(&f, 20 + 40); /* room for up to 10 words */
		put_tcp_long(&f, words, TW_ACK);
		memset(f.bytes + f.n, 1, 20);
		f.n += 20;
		put_zeros(&f, 30); /* padding is no room */
		assert_int_equal(decode(&f, RAW, &packet),
				 words < 5 || words > 10 ? TW_DECODED_MALFORMED : TW_DECODED_TCP);
		if (words >= 5 && words <= 10)
			assert_int_equal(packet.payload, 40 - words * 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_syn_options),
		cmocka_unit_test(test_timestamps),
		cmocka_unit_test(test_large_scale),
		cmocka_unit_test(test_sack),
		cmocka_unit_test(test_sack_with_timestamps),
		cmocka_unit_test(test_sack_repeated),
		cmocka_unit_test(test_unknown_options),
		cmocka_unit_test(test_end_of_options),
		cmocka_unit_test(test_payload_is_no_option),
		cmocka_unit_test(test_impossible_lengths),
		cmocka_unit_test(test_wrong_lengths),
		cmocka_unit_test(test_fixed_header_cut),
		cmocka_unit_test(test_data_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
