/* SPDX-License-Identifier: BSD-2-Clause */
/* Filter expressions over captured frames and over packets read from a text. */
#include "bytes.h"

#include <errno.h>

#include "config.h"
#include "source/filter.h"

#if TW_WITH_PCAP

enum { ETHERNET = 1, RAW = 101, SLL = 113 };

static struct tw_filter *compiled(const char *expression)
{
	struct tw_filter *filter = NULL;
	struct tw_error err = { "" };

	if (tw_filter_new(&filter, expression, &err))
		fail_msg("%s", err.text);
	return filter;
}

static int once(const char *expression, const struct tw_record *record)
{
	struct tw_filter *filter = compiled(expression);
	int ret = tw_filter_match(filter, record);

	tw_filter_free(filter);
	return ret;
}

/* IPv4 and TCP headers 192.0.2.1:1234 > 198.51.100.2:80. */
static void put_tcp_frame(struct bytes *b)
{
	b->big = true;
	put32(b, 0x45000028);
	put32(b, 0x00004000);
	put32(b, 0x40060000);
	put32(b, 0xc0000201);
	put32(b, 0xc6336402);
	put16(b, 1234);
	put16(b, 80);
	put32(b, 1000);
	put32(b, 2000);
	put16(b, 0x5018);
	put16(b, 512);
	put32(b, 0);
}

static struct tw_record record_of(const struct bytes *b, uint32_t linktype)
{
	return (struct tw_record){ .bytes = b->data,
				   .captured = (uint32_t)b->n,
				   .original = (uint32_t)b->n,
				   .linktype = linktype };
}

static void test_link_types_side_by_side(void **state)
{
	struct tw_filter *filter = compiled("tcp port 80 and host 192.0.2.1");
	struct bytes raw = { 0 }, ethernet = { .big = true }, sll = { .big = true };
	struct tw_record records[3];

	(void)state;
	put_tcp_frame(&raw);
	bytes_fill(&ethernet, 2, 12);
	put16(&ethernet, 0x0800);
	put_tcp_frame(&ethernet);
	bytes_fill(&sll, 0, 14);
	put16(&sll, 0x0800);
	put_tcp_frame(&sll);
	records[0] = record_of(&raw, RAW);
	records[1] = record_of(&ethernet, ETHERNET);
	records[2] = record_of(&sll, SLL);
	/* In turn, and twice: a program must not be taken for that of another link type. */
	for (int i = 0; i < 6; i++)
		assert_int_equal(tw_filter_match(filter, &records[i % 3]), 1);
	/* The port is changed. */
	raw.data[23] = ethernet.data[37] = sll.data[39] = 81;
	for (int i = 0; i < 6; i++)
		assert_int_equal(tw_filter_match(filter, &records[i % 3]), 0);
	tw_filter_free(filter);
	bytes_free(&raw);
	bytes_free(&ethernet);
	bytes_free(&sll);
}

static void test_lengths(void **state)
{
	struct bytes b = { 0 };
	struct tw_record record;

	(void)state;
	put_tcp_frame(&b);
	record = record_of(&b, RAW);
	record.original = 1500;
	assert_int_equal(once("greater 1500", &record), 1);
	assert_int_equal(once("less 1499", &record), 0);
	/* Shorter on the wire than captured, as no packet is: what was captured counts. */
	record.original = 10;
	assert_int_equal(once("greater 40", &record), 1);
	record.original = 1500;
	/* Cut before the ports: nothing to match, and nothing read that is not there. */
	record.captured = 20;
	assert_int_equal(once("tcp", &record), 1);
	assert_int_equal(once("tcp port 80", &record), 0);
	record.captured = 0;
	assert_int_equal(once("tcp", &record), 0);
	assert_int_equal(once("", &record), 1);
	bytes_free(&b);
}

static void test_errors_are_told_at_once(void **state)
{
	static const char *const wrong[] = { "tcp porta 80", "host", "(tcp", "tcp and udp" };
	struct tw_filter *filter = NULL;
	struct tw_error err;
	char begin[64];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(tw_filter_new(&filter, wrong[i], &err), -EINVAL);
		assert_null(filter);
		snprintf(begin, sizeof(begin), "filter '%s': ", wrong[i]);
		assert_int_equal(strncmp(err.text, begin, strlen(begin)), 0);
		assert_true(strlen(err.text) > strlen(begin));
		assert_null(strchr(err.text, '\n'));
	}
}

/* Good on some link types, wrong or never true on others. */
static void test_link_types_that_do_not_fit(void **state)
{
	struct bytes b = { 0 };
	struct tw_record record;
	struct tw_filter *filter;

	(void)state;
	put_tcp_frame(&b);
	record = record_of(&b, RAW);
	filter = compiled("ether host 00:00:5e:00:53:01");
	assert_string_equal(tw_filter_error(filter), "");
	assert_int_equal(tw_filter_match(filter, &record), -EOPNOTSUPP);
	assert_int_equal(tw_filter_match(filter, &record), -EOPNOTSUPP);
	assert_int_equal(strncmp(tw_filter_error(filter),
				 "filter 'ether host 00:00:5e:00:53:01' on link type 101: ", 56),
			 0);
	tw_filter_free(filter);
	assert_int_equal(once("arp", &record), 0);
	assert_int_equal(once("arp or tcp", &record), 1);
	/* What only Wi-Fi knows is no error of syntax. */
	assert_int_equal(once("wlan type mgt", &record), -EOPNOTSUPP);
	record.linktype = 54321;
	assert_int_equal(once("tcp", &record), -EOPNOTSUPP);
	bytes_free(&b);
}

static void test_many_link_types(void **state)
{
	struct tw_filter *filter = compiled("tcp");
	struct bytes b = { 0 };
	struct tw_record record;
	int full = 0;

	(void)state;
	put_tcp_frame(&b);
	record = record_of(&b, RAW);
	for (uint32_t i = 0; i < 300; i++) {
		record.linktype = i;
		full += tw_filter_match(filter, &record) == -ENOMEM;
	}
	assert_int_equal(full, 300 - 64);
	assert_string_equal(tw_filter_error(filter), "filter: more than 64 link types");
	bytes_free(&b);
	tw_filter_free(filter);
}

static struct tw_endpoint ipv4(uint8_t last, uint16_t port)
{
	return (struct tw_endpoint){ .addr = { [10] = 0xff, [11] = 0xff, [12] = 192, 0, 2, last },
				     .port = port };
}

static struct tw_endpoint ipv6(uint8_t last, uint16_t port)
{
	return (struct tw_endpoint){ .addr = { 0x20, 0x01, 0x0d, 0xb8, [15] = last },
				     .port = port };
}

static void expect_rows(const struct tw_packet *packet, const char *const yes[],
			const char *const no[])
{
	const struct tw_record record = { .packet = packet };

	for (; *yes; yes++)
		if (once(*yes, &record) != 1)
			fail_msg("'%s' does not match", *yes);
	for (; *no; no++)
		if (once(*no, &record) != 0)
			fail_msg("'%s' matches", *no);
}

static void test_ipv4_of_a_text(void **state)
{
	const struct tw_packet packet = {
		.src = ipv4(1, 33000),
		.dst = ipv4(2, 5001),
		.seq = 0x01020304,
		.ack = 0x05060708,
		.window = 70000,
		.payload = 1448,
		.flags = TW_ACK | TW_PSH | TW_AE,
		.ip_version = 4,
		.has = TW_HAS_TTL | TW_HAS_IP_ID | TW_HAS_ECN,
		.ttl = 57,
		.ip_id = 0x1234,
		.ecn = 3,
	};
	static const char *const yes[] = {
		"",
		"ip",
		"tcp",
		"src host 192.0.2.1",
		"dst net 192.0.2.0/24",
		"port 5001",
		"tcp src port 33000 and dst port 5001",
		"tcp[tcpflags] & tcp-push != 0",
		"tcp[tcpflags] == (tcp-push|tcp-ack)",
		"tcp[4:4] = 0x01020304",
		"tcp[8:4] = 0x05060708",
		"tcp[12] = 0x51",
		"tcp[14:2] = 65535",
		"len = 1488",
		"ip[2:2] = 1488",
		"ip[4:2] = 0x1234",
		"ip[8] = 57",
		"ip[1] = 3",
		"not host 192.0.2.3",
		NULL,
	};
	static const char *const no[] = { "ip6",
					  "udp",
					  "src host 192.0.2.2",
					  "port 5002",
					  "tcp[tcpflags] & tcp-syn != 0",
					  "less 1487",
					  NULL };

	(void)state;
	expect_rows(&packet, yes, no);
}

static void test_ipv6_of_a_text(void **state)
{
	const struct tw_packet packet = {
		.src = ipv6(1, 33000),
		.dst = ipv6(2, 80),
		.ack = 77,
		.payload = 100,
		.window = 1,
		.flags = TW_ACK | TW_FIN,
		.ip_version = 6,
		.has = TW_ACK_UNKNOWN | TW_WINDOW_UNKNOWN,
	};
	static const char *const yes[] = {
		"ip6",
		"tcp",
		"src host 2001:db8::1",
		"dst net 2001:db8::/32",
		"port 80",
		"ip6[4:2] = 120",
		"ip6[7] = 64",
		"ip6[40 + 13] = 0x11",
		"ip6[40 + 8:4] = 0",
		"ip6[40 + 14:2] = 0",
		"len = 160",
		NULL,
	};
	static const char *const no[] = { "ip", "dst host 2001:db8::1", "port 81", NULL };

	(void)state;
	expect_rows(&packet, yes, no);
}

static void test_names_of_a_text(void **state)
{
	/* The hash of a name, as it stands in an address. */
	struct tw_packet packet = {
		.src = { .addr = { 0x20, 0x01, 9, 9 }, .port = 22, .is_name = 1 },
		.dst = ipv4(2, 5001),
		.flags = TW_SYN,
	};
	static const char *const yes[] = { "ip", "port 22", "dst host 192.0.2.2",
					   "src host 0.0.0.0", NULL };
	static const char *const no[] = { "ip6", "src net 32.1.0.0/16", NULL };
	static const char *const yes6[] = { "ip6", "port 22", "src host ::", NULL };
	static const char *const no6[] = { "ip", NULL };

	(void)state;
	expect_rows(&packet, yes, no);
	packet.dst = ipv6(2, 5001);
	expect_rows(&packet, yes6, no6);
}

/* No length field holds it: 0 stands there, as a sender's offload leaves it. */
static void test_super_packet_of_a_text(void **state)
{
	const struct tw_packet packet = {
		.src = ipv4(1, 1), .dst = ipv4(2, 2), .flags = TW_ACK, .payload = UINT32_MAX
	};
	static const char *const yes[] = { "ip[2:2] = 0", "tcp port 2", NULL };
	static const char *const no[] = { "tcp port 3", NULL };

	(void)state;
	expect_rows(&packet, yes, no);
}

#else

static void test_without_libpcap(void **state)
{
	struct tw_filter *filter = NULL;
	struct tw_error err;

	(void)state;
	assert_int_equal(tw_filter_new(&filter, "tcp", &err), -ENOTSUP);
	assert_null(filter);
	assert_string_equal(err.text, "filter 'tcp': this build has no filters, it lacks libpcap");
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if TW_WITH_PCAP
		cmocka_unit_test(test_link_types_side_by_side),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_errors_are_told_at_once),
		cmocka_unit_test(test_link_types_that_do_not_fit),
		cmocka_unit_test(test_many_link_types),
		cmocka_unit_test(test_ipv4_of_a_text),
		cmocka_unit_test(test_ipv6_of_a_text),
		cmocka_unit_test(test_names_of_a_text),
		cmocka_unit_test(test_super_packet_of_a_text),
#else
		cmocka_unit_test(test_without_libpcap),
#endif
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
