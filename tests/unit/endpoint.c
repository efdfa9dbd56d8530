/* SPDX-License-Identifier: BSD-2-Clause */
/* Endpoints: how they print, and the table of names behind some of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "packet/name.h"
#include "packet/packet.h"

static void assert_format(const struct tw_endpoint *endpoint, const char *want)
{
	char text[TW_ENDPOINT_TEXT];

	assert_ptr_equal(tw_endpoint_format(endpoint, text, sizeof(text)), text);
	assert_string_equal(text, want);
}

static void test_addresses(void **state)
{
	static const struct {
		uint8_t addr[16];
		uint16_t port;
		const char *want;
	} cases[] = {
		{ { [10] = 0xff, 0xff, 192, 0, 2, 255 }, 80, "192.0.2.255:80" },
		{ { [10] = 0xff, 0xff }, 0, "0.0.0.0:0" },
		{ { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 }, 65535, "[2001:db8::1]:65535" },
		/* RFC 5952: lower case; the longest run of zeros, the first of two, no lone one */
		{ { 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xAB, 0xCD }, 1,
		  "[2001:db8:0:1::abcd]:1" },
		{ { 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1 }, 1,
		  "[2001:db8::1:0:0:1]:1" },
		{ { 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 }, 1,
		  "[2001:db8:0:1:1:1:1:1]:1" },
		{ { 0 }, 9, "[::]:9" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tw_endpoint endpoint = { .port = cases[i].port };

		memcpy(endpoint.addr, cases[i].addr, 16);
		assert_format(&endpoint, cases[i].want);
	}
}

static void test_cut(void **state)
{
	struct tw_endpoint endpoint = { .addr = { [10] = 0xff, 0xff, 192, 0, 2, 1 }, .port = 5001 };
	char text[32];

	(void)state;
	memset(text, 'x', sizeof(text));
	tw_endpoint_format(&endpoint, text, 8);
	assert_string_equal(text, "192.0.2");
	assert_int_equal(text[8], 'x');
	tw_endpoint_format(&endpoint, text, 1);
	assert_string_equal(text, "");
	text[0] = 'x';
	tw_endpoint_format(&endpoint, text, 0);
	assert_int_equal(text[0], 'x');
}

static void test_names(void **state)
{
	struct tw_endpoint a, b, c;

	(void)state;
	tw_endpoint_set_name(&a, "client.example.org and more", 18, 5001);
	tw_endpoint_set_name(&b, "client.example.org", 18, 5001);
	tw_endpoint_set_name(&c, "client.example.or", 17, 5001);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_memory_not_equal(a.addr, c.addr, 16);
	assert_int_equal(a.is_name, 1);
	assert_string_equal(tw_endpoint_name(&a), "client.example.org");
	assert_string_equal(tw_endpoint_name(&c), "client.example.or");
	assert_format(&a, "client.example.org:5001");
	tw_endpoint_set_name(&b, "client.example.org", 18, 1);
	assert_memory_equal(a.addr, b.addr, 16); /* the host is the same */
	tw_endpoint_set_name(&c, "", 0, 7);
	assert_format(&c, ":7");
}

static void test_long_name(void **state)
{
	struct tw_endpoint a, b;
	char name[400];
	char text[TW_ENDPOINT_TEXT];

	(void)state;
	memset(name, 'n', sizeof(name));
	tw_endpoint_set_name(&a, name, sizeof(name), 65535);
	tw_endpoint_set_name(&b, name, 255, 65535);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_int_equal(strlen(tw_endpoint_name(&a)), 255);
	tw_endpoint_format(&a, text, sizeof(text));
	assert_int_equal(strlen(text), 261); /* it fits with its port */
}

/* An address is not a name, and a made-up place is not in the table. */
static void test_no_name(void **state)
{
	struct tw_endpoint endpoint = { .addr = { [12] = 1 } };

	(void)state;
	assert_null(tw_endpoint_name(&endpoint));
	endpoint.is_name = 1;
	memset(endpoint.addr + 12, 0xff, 4);
	assert_null(tw_endpoint_name(&endpoint));
}

enum { THREADS = 4, NAMES = 1000 };
static struct tw_endpoint by_thread[THREADS][NAMES];

static void *register_names(void *mine)
{
	struct tw_endpoint *out = mine;
	char name[16];

	for (int i = 0; i < NAMES; i++) {
		int n = snprintf(name, sizeof(name), "thread%d", i);

		tw_endpoint_set_name(&out[i], name, (size_t)n, 1);
		if (!tw_endpoint_name(&out[i]) || strcmp(tw_endpoint_name(&out[i]), name))
			out[i].port = 0;
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t thread[THREADS];

	(void)state;
	for (int t = 0; t < THREADS; t++)
		assert_int_equal(pthread_create(&thread[t], NULL, register_names, by_thread[t]), 0);
	for (int t = 0; t < THREADS; t++)
		pthread_join(thread[t], NULL);
	for (int t = 0; t < THREADS; t++) {
		assert_memory_equal(by_thread[t], by_thread[0], sizeof(by_thread[0]));
		assert_int_equal(by_thread[t][NAMES - 1].port, 1);
	}
}

/* Fills the table, so it runs last: beyond the ceiling a name is its hash. */
static void test_ceiling(void **state)
{
	struct tw_endpoint early, again, late, late_again, other;
	char name[16];
	char text[TW_ENDPOINT_TEXT];

	(void)state;
	tw_endpoint_set_name(&early, "early", 5, 80);
	for (int i = 0; i < 65536; i++) {
		int n = snprintf(name, sizeof(name), "host%d", i);

		tw_endpoint_set_name(&other, name, (size_t)n, 80);
	}
	assert_null(tw_endpoint_name(&other));
	tw_endpoint_set_name(&again, "early", 5, 80);
	assert_memory_equal(&early, &again, sizeof(early));
	assert_format(&again, "early:80");
	tw_endpoint_set_name(&late, "late", 4, 80);
	tw_endpoint_set_name(&late_again, "late", 4, 80);
	assert_memory_equal(&late, &late_again, sizeof(late));
	assert_memory_not_equal(late.addr, other.addr, 16);
	assert_null(tw_endpoint_name(&late));
	tw_endpoint_format(&late, text, sizeof(text));
	assert_int_equal(strlen(text), strlen("name-0123456789abcdef:80"));
	assert_memory_equal(text, "name-", 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_no_name),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
