/* SPDX-License-Identifier: BSD-2-Clause */
/* The link layers: each one's header, what it carries, and what a cut or a bad one answers. */
#include "frame.h"

enum { ETHERNET = 1, RAW = 101 };

static void put_ip_and_tcp(struct frame *f, unsigned version)
{
	if (version == 4)
		put_ipv4(f, 40);
	else
		put_ipv6(f, 20, 6);
	put_tcp(f);
}

/* The link header is in `f`: complete it with either IP version, and check every cut of it. */
static void check_link(const struct frame *head, uint32_t linktype, unsigned version)
{
	struct frame f = *head;
	struct tw_packet packet;
	const char *other;

	put_ip_and_tcp(&f, version);
	assert_tcp(&f, linktype, version, 0, &packet);
	for (uint32_t n = 0; n < f.n; n++) {
		enum tw_decoded want = n + 4 < f.n ? TW_DECODED_CUT : TW_DECODED_TCP;

		assert_int_equal(decode_part(&f, linktype, n, &packet, &other), want);
	}
	/* The same bytes where the frame never had more: short headers contradict themselves. */
	for (uint32_t n = 0; n < head->n; n++) {
		f.n = n;
		assert_int_equal(decode(&f, linktype, &packet), TW_DECODED_MALFORMED);
	}
}

static void test_ethernet(void **state)
{
	struct frame v4 = { 0 };
	struct frame v6 = { 0 };

	(void)state;
	put_ethernet(&v4, 0x0800);
	check_link(&v4, ETHERNET, 4);
	put_ethernet(&v6, 0x86dd);
	check_link(&v6, ETHERNET, 6);
}

static void test_vlan_stacks(void **state)
{
	static const unsigned tags[] = { 0x8100, 0x88a8, 0x9100 };
	struct tw_packet packet;
	struct frame deep = { 0 };

	(void)state;
	for (size_t outer = 0; outer < 3; outer++) {
		struct frame one = { 0 };
		struct frame two = { 0 };

		put_ethernet(&one, tags[outer]);
		put16(&one, 0x0064);
		put16(&one, 0x0800);
		check_link(&one, ETHERNET, 4);
		put_ethernet(&two, tags[outer]);
		put16(&two, 0xe3e8);
		put16(&two, 0x8100);
		put16(&two, 0x2065);
		put16(&two, 0x86dd);
		check_link(&two, ETHERNET, 6);
	}
	put_ethernet(&deep, 0x8100);
	for (int i = 0; i < 60; i++) {
		put16(&deep, 1);
		put16(&deep, i < 59 ? 0x8100 : 0x0800);
	}
	put_ip_and_tcp(&deep, 4);
	assert_int_equal(decode(&deep, ETHERNET, &packet), TW_DECODED_MALFORMED);
}

static void test_llc_and_snap(void **state)
{
	struct frame snap = { 0 };
	struct frame tagged = { 0 };
	struct frame bridged = { 0 };
	struct frame llc = { 0 };
	struct frame numbered = { 0 };

	(void)state;
	put_ethernet(&snap, 48);
	put_bytes(&snap, "\xaa\xaa\x03\0\0\0\x08\0", 8);
	check_link(&snap, ETHERNET, 4);
	put_ethernet(&tagged, 0x8100);
	put16(&tagged, 7);
	put16(&tagged, 68);
	put_bytes(&tagged, "\xaa\xaa\x03\0\0\0\x86\xdd", 8);
	check_link(&tagged, ETHERNET, 6);
	put_ethernet(&bridged, 48);
	put_bytes(&bridged, "\xaa\xaa\x03\0\0\xf8\x08\0", 8);
	check_link(&bridged, ETHERNET, 4);
	put_ethernet(&llc, 43);
	put_bytes(&llc, "\x06\x06\x03", 3);
	check_link(&llc, ETHERNET, 4);
	/* An acknowledged frame has a control field of two bytes: no IP starts behind the third. */
	put_ethernet(&numbered, 44);
	put_bytes(&numbered, "\x06\x06\x00\x00", 4);
	put_ip_and_tcp(&numbered, 4);
	assert_other(&numbered, ETHERNET, "LLC");
}

static void test_llc_others(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *name;
	} cases[] = {
		{ "\x42\x42\x03", 3, "STP" },
		{ "\xfe\xfe\x03", 3, "OSI" },
		{ "\xff\xff\x00", 3, "IPX" },
		{ "\xe0\xe0\x03", 3, "IPX" },
		{ "\xf0\xf0\x03", 3, "NetBEUI" },
		{ "\x98\x98\x03", 3, "LLC" },
		{ "\xaa\xaa\x03\0\0\x0c\x20\0", 8, "CDP" },
		{ "\xaa\xaa\x03\0\0\x0c\x01\x0b", 8, "STP" },
		{ "\xaa\xaa\x03\x08\0\x07\x80\x9b", 8, "AppleTalk" },
		{ "\xaa\xaa\x03\0\0\0\x08\x06", 8, "ARP" },
		/* A length where a type belongs must not lead back into LLC. */
		{ "\xaa\xaa\x03\0\0\0\0\x08\xaa\xaa\x03\0\0\0\x08\0", 16, "unknown SNAP" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame f = { 0 };

		put_ethernet(&f, (unsigned)cases[i].n);
		put_bytes(&f, cases[i].bytes, cases[i].n);
		assert_other(&f, ETHERNET, cases[i].name);
	}
}

static void test_ethertypes(void **state)
{
	static const struct {
		unsigned type;
		const char *name;
	} cases[] = {
		{ 0x0806, "ARP" }, { 0x88cc, "LLDP" }, { 0x8863, "PPPoE" }, { 0x888e, "EAPOL" },
		{ 0x88f7, "PTP" }, { 0x88e5, "MACsec" }, { 0x1234, "unknown EtherType" },
		{ 1501, "unknown EtherType" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct frame f = { 0 };

		put_ethernet(&f, cases[i].type);
		assert_other(&f, ETHERNET, cases[i].name);
	}
}

static void test_mpls(void **state)
{
	struct frame one = { 0 };
	struct frame two = { 0 };
	struct frame wire = { 0 };
	struct frame endless = { 0 };
	struct tw_packet packet;

	(void)state;
	put_ethernet(&one, 0x8847);
	put32(&one, 0x003e813f);
	check_link(&one, ETHERNET, 4);
	put_ethernet(&two, 0x8848);
	put32(&two, 0x003e803f);
	put32(&two, 0x0000213f);
	check_link(&two, ETHERNET, 6);
	put_ethernet(&wire, 0x8847);
	put32(&wire, 0x003e813f);
	put32(&wire, 0); /* a control word: no IP packet follows */
	assert_other(&wire, ETHERNET, "MPLS");
	put_ethernet(&endless, 0x8847);
	for (int i = 0; i < 60; i++)
		put32(&endless, i < 59 ? 0x003e803f : 0x003e813f);
	put_ip_and_tcp(&endless, 4);
	assert_int_equal(decode(&endless, ETHERNET, &packet), TW_DECODED_MALFORMED);
}

static void test_ppp(void **state)
{
	struct frame full = { 0 };
	struct frame bare = { 0 };
	struct frame compressed = { 0 };
	struct frame control = { 0 };
	struct frame unknown = { 0 };

	(void)state;
	put_bytes(&full, "\xff\x03\x00\x21", 4);
	check_link(&full, 9, 4);
	put16(&bare, 0x0057);
	check_link(&bare, 9, 6);
	put8(&compressed, 0x21);
	check_link(&compressed, 9, 4);
	put_bytes(&control, "\xff\x03\xc0\x21\x01", 5);
	assert_other(&control, 9, "PPP LCP");
	put_bytes(&unknown, "\xff\x03\x40\x01\x01", 5);
	assert_other(&unknown, 9, "unknown PPP protocol");
	unknown.n = 0;
	put_bytes(&unknown, "\xff\x21\x00\x21", 4); /* 0xff alone is a protocol, compressed */
	put_ip_and_tcp(&unknown, 4);
	assert_other(&unknown, 9, "unknown PPP protocol");
}

static void test_pppoe(void **state)
{
	struct frame session = { 0 };
	struct frame alone = { 0 };
	struct frame discovery = { 0 };

	(void)state;
	put_ethernet(&session, 0x8864);
	put_bytes(&session, "\x11\x00\x12\x34\x00\x2a\x00\x21", 8);
	check_link(&session, ETHERNET, 4);
	put_bytes(&alone, "\x11\x00\x12\x34\x00\x3e\x00\x57", 8);
	check_link(&alone, 51, 6);
	put_bytes(&discovery, "\x11\x09\x00\x00\x00\x00\x00\x00", 8);
	assert_other(&discovery, 51, "PPPoE");
}

static void test_linux_cooked(void **state)
{
	struct frame v4 = { 0 };
	struct frame tagged = { 0 };
	struct frame llc = { 0 };
	struct frame netlink = { 0 };
	struct frame novell = { 0 };
	struct frame can = { 0 };

	(void)state;
	put_bytes(&v4, "\0\0\0\1\0\6\2\0\0\0\0\1\0\0\x08\0", 16);
	check_link(&v4, 113, 4);
	put_bytes(&tagged, "\0\4\0\1\0\6\2\0\0\0\0\1\0\0\x81\0\0\5\x86\xdd", 20);
	check_link(&tagged, 113, 6);
	put_bytes(&llc, "\0\0\0\1\0\6\2\0\0\0\0\1\0\0\0\4\xaa\xaa\x03\0\0\0\x08\0", 24);
	check_link(&llc, 113, 4);
	/* Of a netlink device the protocol is a netlink family, even where it looks like IP's. */
	put_bytes(&netlink, "\0\4\x03\x38\0\0\0\0\0\0\0\0\0\0\x08\0", 16);
	put_ip_and_tcp(&netlink, 4);
	assert_other(&netlink, 113, "netlink");
	put_bytes(&novell, "\0\0\0\1\0\6\2\0\0\0\0\1\0\0\0\1", 16);
	assert_other(&novell, 113, "IPX");
	put_bytes(&can, "\0\0\1\x18\0\0\0\0\0\0\0\0\0\0\0\x0c", 16);
	assert_other(&can, 113, "unknown EtherType");
}

static void test_linux_cooked_2(void **state)
{
	struct frame v4 = { 0 };
	struct frame v6 = { 0 };
	struct frame arp = { 0 };

	(void)state;
	put_bytes(&v4, "\x08\0\0\0\0\0\0\2\0\1\4\6\2\0\0\0\0\1\0\0", 20);
	check_link(&v4, 276, 4);
	put_bytes(&v6, "\x86\xdd\0\0\0\0\0\2\0\1\4\6\2\0\0\0\0\1\0\0", 20);
	check_link(&v6, 276, 6);
	put_bytes(&arp, "\x08\x06\0\0\0\0\0\2\0\1\4\6\2\0\0\0\0\1\0\0", 20);
	assert_other(&arp, 276, "ARP");
}

static void test_bsd_loopback(void **state)
{
	static const uint8_t families[] = { 2, 10, 24, 28, 30 };
	struct frame other = { 0 };
	struct frame swapped = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(families); i++) {
		unsigned version = families[i] == 2 ? 4 : 6;
		struct frame big = { 0 };
		struct frame little = { 0 };

		put32(&big, families[i]);
		check_link(&big, 0, version);
		check_link(&big, 108, version);
		put8(&little, families[i]);
		put_zeros(&little, 3);
		check_link(&little, 0, version);
	}
	put32(&other, 16);
	assert_other(&other, 0, "unknown address family");
	put32(&swapped, 0x02000000); /* LOOP is always in network order */
	assert_other(&swapped, 108, "unknown address family");
}

static void test_raw(void **state)
{
	static const uint32_t either[] = { 12, 14, 101 };
	struct frame nothing = { 0 };
	struct frame wrong = { 0 };
	struct tw_packet packet;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		check_link(&nothing, either[i], 4);
		check_link(&nothing, either[i], 6);
	}
	check_link(&nothing, 228, 4);
	check_link(&nothing, 229, 6);
	put_ip_and_tcp(&wrong, 6);
	assert_int_equal(decode(&wrong, 228, &packet), TW_DECODED_MALFORMED);
	wrong.n = 0;
	put_ip_and_tcp(&wrong, 4);
	put_zeros(&wrong, 40);
	assert_int_equal(decode(&wrong, 229, &packet), TW_DECODED_MALFORMED);
	wrong.bytes[0] = 0x55;
	assert_int_equal(decode(&wrong, RAW, &packet), TW_DECODED_MALFORMED);
}

static void test_fddi(void **state)
{
	struct frame data = { 0 };
	struct frame management = { 0 };

	(void)state;
	put8(&data, 0x57);
	put_zeros(&data, 12);
	put_bytes(&data, "\xaa\xaa\x03\0\0\0\x08\0", 8);
	check_link(&data, 10, 4);
	put8(&management, 0x41);
	put_zeros(&management, 12);
	put_ip_and_tcp(&management, 4);
	assert_other(&management, 10, "FDDI management");
}

static void test_names(void **state)
{
	struct frame f = { 0 };
	struct tw_packet packet;

	(void)state;
	assert_string_equal(tw_linktype_name(1), "Ethernet");
	assert_string_equal(tw_linktype_name(101), "raw IP");
	assert_null(tw_linktype_name(147));
	put_ip_and_tcp(&f, 4);
	assert_int_equal(decode(&f, 147, &packet), TW_DECODED_UNKNOWN_LINK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ethernet),
		cmocka_unit_test(test_vlan_stacks),
		cmocka_unit_test(test_llc_and_snap),
		cmocka_unit_test(test_llc_others),
		cmocka_unit_test(test_ethertypes),
		cmocka_unit_test(test_mpls),
		cmocka_unit_test(test_ppp),
		cmocka_unit_test(test_pppoe),
		cmocka_unit_test(test_linux_cooked),
		cmocka_unit_test(test_linux_cooked_2),
		cmocka_unit_test(test_bsd_loopback),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_fddi),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
