/* SPDX-License-Identifier: BSD-2-Clause */
/* IPv4 and IPv6: lengths and where they come from, options, fragments, extension headers. */
#include "frame.h"

enum { ETHERNET = 1, RAW = 101 };
enum { HOP_BY_HOP = 0, TCP = 6, ROUTING = 43, FRAGMENT = 44, AH = 51, NONE = 59, DESTINATION = 60 };

static void test_ipv4(void **state)
{
	struct frame f = { 0 };
	struct tw_packet packet;

	(void)state;
	put_ipv4(&f, 43);
	put_tcp(&f);
	put_zeros(&f, 3);
	assert_tcp(&f, RAW, 4, 3, &packet);
	assert_int_equal(packet.has, TW_HAS_IP_ID | TW_HAS_ECN | TW_HAS_TTL | TW_IP_DF);
}

static void test_ipv4_options(void **state)
{
	struct frame f = { 0 };
	struct frame cut = { 0 };
	struct tw_packet packet;
	const char *other;

	(void)state;
	put_ipv4_long(&f, 6, 54, 0, TCP);
	put_bytes(&f, "\x94\x04\0\0", 4); /* router alert */
	put_tcp(&f);
	put_zeros(&f, 10);
	assert_tcp(&f, RAW, 4, 10, &packet);
	assert_false(packet.has & TW_IP_DF);
	put_ipv4_long(&cut, 15, 80, 0, TCP);
	put_zeros(&cut, 40);
	put_tcp(&cut);
	assert_tcp(&cut, RAW, 4, 0, &packet);
	for (uint32_t n = 0; n < 76; n++)
		assert_int_equal(decode_part(&cut, RAW, n, &packet, &other), TW_DECODED_CUT);
	cut.bytes[9] = 17;
	assert_int_equal(decode_part(&cut, RAW, 59, &packet, &other), TW_DECODED_CUT);
	assert_int_equal(decode_part(&cut, RAW, 60, &packet, &other), TW_DECODED_OTHER);
}

static void test_ipv4_malformed(void **state)
{
	struct tw_packet packet;
	struct frame good = { 0 };
	struct frame f;

	(void)state;
	put_ipv4(&good, 40);
	put_tcp(&good);
	assert_tcp(&good, RAW, 4, 0, &packet);
	f = good;
	f.bytes[0] = 0x44; /* header of 16 bytes */
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
	f = good;
	f.bytes[3] = 19; /* total length below the header */
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
	f.bytes[9] = 17; /* of whatever protocol */
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
	f = good;
	f.bytes[0] = 0x65; /* another version in a frame that says IPv4 */
	assert_int_equal(decode(&f, 228, &packet), TW_DECODED_MALFORMED);
	f = good;
	f.bytes[0] = 0x4a; /* header beyond the total length */
	f.bytes[3] = 39;
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
	f = good;
	f.bytes[3] = 39; /* no room for a TCP header */
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
	f = good;
	f.bytes[3] = 20; /* nothing in it at all, what follows is padding */
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
}

/* Ethernet pads to 60 bytes; a trailer may follow. Neither is payload. */
static void test_padding(void **state)
{
	struct frame v4 = { 0 };
	struct frame v6 = { 0 };
	struct frame options = { 0 };
	struct tw_packet packet;

	(void)state;
	put_ethernet(&v4, 0x0800);
	put_ipv4(&v4, 41);
	put_tcp(&v4);
	put_zeros(&v4, 6);
	assert_tcp(&v4, ETHERNET, 4, 1, &packet);
	v4.more = 4; /* a checksum that was not captured */
	assert_tcp(&v4, ETHERNET, 4, 1, &packet);
	put_ethernet(&v6, 0x86dd);
	put_ipv6(&v6, 22, TCP);
	put_tcp(&v6);
	put_zeros(&v6, 40);
	assert_tcp(&v6, ETHERNET, 6, 2, &packet);
	/* The header's 24 bytes end in the padding: contradicts the IP length. */
	put_ethernet(&options, 0x0800);
	put_ipv4(&options, 40);
	put_tcp_long(&options, 6, TW_ACK);
	put_zeros(&options, 6);
	assert_int_equal(decode(&options, ETHERNET, &packet), TW_DECODED_MALFORMED);
}

/* A capture of offloaded packets: total length 0 stands for "the whole frame". */
static void test_tso(void **state)
{
	struct frame f = { .more = 0 };
	struct frame big = { .more = 180000 };
	struct frame empty = { 0 };
	struct tw_packet packet;

	(void)state;
	put_ethernet(&f, 0x0800);
	put_ipv4(&f, 0);
	put_tcp(&f);
	put_zeros(&f, 300);
	assert_tcp(&f, ETHERNET, 4, 300, &packet);
	assert_true(packet.has & TW_LENGTH_FROM_CAPTURE);
	put_ethernet(&big, 0x0800);
	put_ipv4(&big, 0);
	put_tcp(&big);
	assert_tcp(&big, ETHERNET, 4, 180000, &packet);
	assert_true(packet.has & TW_LENGTH_FROM_CAPTURE);
	big.more = UINT32_MAX - big.n; /* no segment has 4 GB */
	assert_int_equal(decode(&big, ETHERNET, &packet), TW_DECODED_MALFORMED);
	put_ethernet(&empty, 0x0800);
	put_ipv4(&empty, 0);
	assert_int_equal(decode(&empty, ETHERNET, &packet), TW_DECODED_MALFORMED);
}

/* Tools that shorten frames lose their length: the IP header still knows. */
static void test_lost_frame_length(void **state)
{
	struct frame v4 = { 0 };
	struct frame v6 = { 0 };
	struct frame options = { 0 };
	struct tw_packet packet;

	(void)state;
	put_ipv4(&v4, 1500);
	put_tcp(&v4);
	assert_tcp(&v4, RAW, 4, 1460, &packet);
	assert_false(packet.has & TW_LENGTH_FROM_CAPTURE);
	put_ipv6(&v6, 1440, TCP);
	put_tcp(&v6);
	assert_tcp(&v6, RAW, 6, 1420, &packet);
	put_ipv4(&options, 1500);
	put_tcp_long(&options, 8, TW_ACK);
	assert_tcp(&options, RAW, 4, 1448, &packet);
	assert_true(packet.has & TW_OPTIONS_CUT);
}

static void test_ipv4_fragments(void **state)
{
	struct frame first = { 0 };
	struct frame later = { 0 };
	struct frame last = { 0 };
	struct frame udp = { 0 };
	struct frame tiny = { 0 };
	struct tw_packet packet;

	(void)state;
	put_ipv4_long(&first, 5, 48, 0x2000, TCP);
	put_tcp(&first);
	put_zeros(&first, 8);
	assert_tcp(&first, RAW, 4, 8, &packet);
	assert_true(packet.has & TW_IS_FRAGMENT);
	assert_false(packet.has & TW_IP_DF);
	put_ipv4_long(&later, 5, 48, 0x2001, TCP);
	put_tcp(&later);
	put_zeros(&later, 8);
	assert_int_equal(decode(&later, RAW, &packet), TW_DECODED_FRAGMENT);
	put_ipv4_long(&last, 5, 21, 0x1fff, TCP);
	put_zeros(&last, 1);
	assert_int_equal(decode(&last, RAW, &packet), TW_DECODED_FRAGMENT);
	last.bytes[6] = 0x10; /* the offset's highest bit alone */
	last.bytes[7] = 0;
	assert_int_equal(decode(&last, RAW, &packet), TW_DECODED_FRAGMENT);
	put_ipv4_long(&udp, 5, 28, 0x2001, 17);
	put_zeros(&udp, 8);
	assert_other(&udp, RAW, "UDP");
	put_ipv4_long(&tiny, 5, 36, 0x2000, TCP); /* RFC 1858: hides the flags from a filter */
	put_tcp(&tiny);
	assert_int_equal(decode(&tiny, RAW, &packet), TW_DECODED_MALFORMED);
}

static void test_protocols(void **state)
{
	static const struct {
		unsigned protocol;
		const char *name;
	} cases[] = {
		{ 1, "ICMP" }, { 2, "IGMP" }, { 4, "IP in IP" }, { 17, "UDP" },
		{ 41, "IPv6 in IP" }, { 47, "GRE" }, { 50, "ESP" }, { 58, "ICMPv6" },
		{ 89, "OSPF" }, { 132, "SCTP" },
		{ NONE, "IPv6 without payload" }, { 253, "unknown IP protocol" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame v4 = { 0 };
		struct frame v6 = { 0 };

		put_ipv4_long(&v4, 5, 20, 0, cases[i].protocol);
		assert_other(&v4, RAW, cases[i].name);
		put_ipv6(&v6, 0, cases[i].protocol);
		assert_other(&v6, RAW, cases[i].name);
	}
}

/* An extension header of `n` bytes filled with zeros (which are Pad1 options). */
static void put_extension(struct frame *f, unsigned type, unsigned next, unsigned n)
{
	put8(f, next);
	put8(f, type == AH ? n / 4 - 2 : n / 8 - 1);
	put_zeros(f, n - 2);
}

static void put_fragment(struct frame *f, unsigned next, unsigned field)
{
	put8(f, next);
	put8(f, 0xff); /* reserved: not a length */
	put16(f, field);
	put32(f, 0xdeadbeef);
}

static void test_ipv6_chain(void **state)
{
	struct frame f = { 0 };
	struct tw_packet packet;
	const char *other;

	(void)state;
	put_ipv6(&f, 8 + 24 + 16 + 8 + 24 + 8 + 20 + 5, HOP_BY_HOP);
	put_extension(&f, HOP_BY_HOP, DESTINATION, 8);
	put_extension(&f, DESTINATION, ROUTING, 24);
	put_extension(&f, ROUTING, FRAGMENT, 16);
	put_fragment(&f, AH, 0);
	put_extension(&f, AH, DESTINATION, 24);
	put_extension(&f, DESTINATION, TCP, 8);
	put_tcp(&f);
	put_zeros(&f, 5);
	put_zeros(&f, 9); /* padding */
	assert_tcp(&f, RAW, 6, 5, &packet);
	/* A fragment header that fragments nothing (RFC 6946). */
	assert_int_equal(packet.has, TW_HAS_ECN | TW_HAS_TTL);
	for (uint32_t n = 0; n < f.n - 14 - 4; n++)
		assert_int_equal(decode_part(&f, RAW, n, &packet, &other), TW_DECODED_CUT);
}

static void test_ipv6_chain_malformed(void **state)
{
	struct frame longer = { 0 };
	struct frame endless = { 0 };
	struct frame shorter = { 0 };
	struct tw_packet packet;

	(void)state;
	put_ipv6(&longer, 28, DESTINATION); /* the header claims 48 of 28 bytes */
	put_extension(&longer, DESTINATION, TCP, 8);
	longer.bytes[41] = 5;
	put_tcp(&longer);
	put_zeros(&longer, 60);
	assert_int_equal(decode(&longer, RAW, &packet), TW_DECODED_MALFORMED);
	longer.bytes[40] = 17;
	assert_int_equal(decode(&longer, RAW, &packet), TW_DECODED_MALFORMED);
	put_ipv6(&endless, 40 * 8 + 20, DESTINATION);
	for (int i = 0; i < 40; i++)
		put_extension(&endless, DESTINATION, i < 39 ? DESTINATION : TCP, 8);
	put_tcp(&endless);
	assert_int_equal(decode(&endless, RAW, &packet), TW_DECODED_MALFORMED);
	put_ipv6(&shorter, 4, ROUTING);
	put_extension(&shorter, ROUTING, TCP, 8);
	put_tcp(&shorter);
	assert_int_equal(decode(&shorter, RAW, &packet), TW_DECODED_MALFORMED);
}

static void test_ipv6_fragments(void **state)
{
	struct frame first = { 0 };
	struct frame later = { 0 };
	struct frame unknown = { 0 };
	struct frame udp = { 0 };
	struct tw_packet packet;

	(void)state;
	put_ipv6(&first, 8 + 20 + 4, FRAGMENT);
	put_fragment(&first, TCP, 0x0001);
	put_tcp(&first);
	put_zeros(&first, 4);
	assert_tcp(&first, RAW, 6, 4, &packet);
	assert_true(packet.has & TW_IS_FRAGMENT);
	put_ipv6(&later, 8 + 20, FRAGMENT);
	put_fragment(&later, TCP, 0x0008);
	put_tcp(&later);
	assert_int_equal(decode(&later, RAW, &packet), TW_DECODED_FRAGMENT);
	put_ipv6(&unknown, 8 + 20, FRAGMENT);
	put_fragment(&unknown, DESTINATION, 0xfff9);
	put_tcp(&unknown);
	assert_int_equal(decode(&unknown, RAW, &packet), TW_DECODED_FRAGMENT);
	put_ipv6(&udp, 8 + 20, FRAGMENT);
	put_fragment(&udp, 17, 0x0008);
	put_zeros(&udp, 20);
	assert_other(&udp, RAW, "UDP");
}

static void test_ipv4_authentication(void **state)
{
	struct frame f = { 0 };
	struct frame later = { 0 };
	struct tw_packet packet;

	(void)state;
	put_ipv4_long(&f, 5, 20 + 24 + 20 + 7, 0, AH);
	put_extension(&f, AH, TCP, 24);
	put_tcp(&f);
	put_zeros(&f, 7);
	assert_tcp(&f, RAW, 4, 7, &packet);
	put_ipv4_long(&later, 5, 60, 0x0010, AH);
	put_zeros(&later, 40);
	assert_int_equal(decode(&later, RAW, &packet), TW_DECODED_FRAGMENT);
}

/* Hop-by-hop options with a jumbo length behind `pad`, 16 bytes, before a TCP header. */
static void put_jumbo(struct frame *f, const char *pad, size_t n, uint32_t length)
{
	put_ipv6(f, 0, HOP_BY_HOP);
	put8(f, TCP);
	put8(f, 1);
	put_bytes(f, pad, n);
	put8(f, 0xc2);
	put8(f, 4);
	put32(f, length);
	put_zeros(f, 16 - 2 - n - 6);
	put_tcp(f);
}

static void test_ipv6_jumbo(void **state)
{
	struct frame first = { .more = 80000 };
	struct frame second = { .more = 80010 };
	struct tw_packet packet;
	const char *other;

	(void)state;
	put_jumbo(&first, "", 0, 16 + 20 + 80000);
	assert_tcp(&first, RAW, 6, 80000, &packet);
	assert_false(packet.has & TW_LENGTH_FROM_CAPTURE);
	put_jumbo(&second, "\x00\x01\x02\0\0\x00", 6, 16 + 20 + 80000); /* Pad1, PadN, Pad1 */
	assert_tcp(&second, RAW, 6, 80000, &packet); /* the rest of the frame is trailer */
	for (uint32_t n = 0; n < 40 + 16 + 16; n++) {
		assert_int_equal(decode_part(&first, RAW, n, &packet, &other), TW_DECODED_CUT);
		assert_int_equal(decode_part(&second, RAW, n, &packet, &other), TW_DECODED_CUT);
	}
}

static void test_ipv6_jumbo_malformed(void **state)
{
	struct frame good = { .more = 80000 };
	struct frame f = { .more = 80000 };
	struct tw_packet packet;

	(void)state;
	put_jumbo(&f, "", 0, 0xffff); /* would have fitted the plain field */
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
	f.n = 0;
	put_jumbo(&f, "", 0, 16 + 20 + 80001); /* beyond the frame */
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
	put_jumbo(&good, "", 0, 16 + 20 + 80000);
	assert_tcp(&good, RAW, 6, 80000, &packet);
	f = good;
	f.bytes[43] = 3; /* the option's length */
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
	f = good;
	f.bytes[42] = 1; /* some padding that runs out of the header */
	f.bytes[43] = 13;
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
	f = good;
	f.bytes[42] = 1; /* its last byte is an option without a length */
	f.bytes[43] = 11;
	f.bytes[55] = 1;
	assert_int_equal(decode(&f, RAW, &packet), TW_DECODED_MALFORMED);
}

/* Newer kernels leave the length 0 and add no option. */
static void test_ipv6_without_length(void **state)
{
	struct frame plain = { .more = 150000 };
	struct frame options = { .more = 5 };
	struct tw_packet packet;

	(void)state;
	put_ipv6(&plain, 0, TCP);
	put_tcp(&plain);
	assert_tcp(&plain, RAW, 6, 150000, &packet);
	assert_true(packet.has & TW_LENGTH_FROM_CAPTURE);
	put_ipv6(&options, 0, HOP_BY_HOP);
	put_extension(&options, HOP_BY_HOP, TCP, 8);
	put_tcp(&options);
	assert_tcp(&options, RAW, 6, 5, &packet);
	assert_true(packet.has & TW_LENGTH_FROM_CAPTURE);
}

/* The congestion bits, all four, from both headers' places. */
static void test_ecn(void **state)
{
	struct tw_packet packet;

	(void)state;
	for (unsigned ecn = 0; ecn < 4; ecn++) {
		struct frame v4 = { 0 };
		struct frame v6 = { 0 };

		put_ipv4(&v4, 40);
		put_tcp(&v4);
		v4.bytes[1] = (uint8_t)(0xb8 | ecn);
		assert_int_equal(decode(&v4, RAW, &packet), TW_DECODED_TCP);
		assert_int_equal(packet.ecn, ecn);
		put_ipv6(&v6, 20, TCP);
		put_tcp(&v6);
		v6.bytes[0] = 0x6b;
		v6.bytes[1] = (uint8_t)(0x8f | ecn << 4);
		assert_int_equal(decode(&v6, RAW, &packet), TW_DECODED_TCP);
		assert_int_equal(packet.ecn, ecn);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4),
		cmocka_unit_test(test_ipv4_options),
		cmocka_unit_test(test_ipv4_malformed),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_tso),
		cmocka_unit_test(test_lost_frame_length),
		cmocka_unit_test(test_ipv4_fragments),
		cmocka_unit_test(test_protocols),
		cmocka_unit_test(test_ipv6_chain),
		cmocka_unit_test(test_ipv6_chain_malformed),
		cmocka_unit_test(test_ipv6_fragments),
		cmocka_unit_test(test_ipv4_authentication),
		cmocka_unit_test(test_ipv6_jumbo),
		cmocka_unit_test(test_ipv6_jumbo_malformed),
		cmocka_unit_test(test_ipv6_without_length),
		cmocka_unit_test(test_ecn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
