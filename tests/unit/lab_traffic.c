/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "lab/traffic.h"

static struct tw_traffic traffic_of(const char *text)
{
	struct tw_error err = { "" };
	struct tw_traffic traffic;

	tw_traffic_init(&traffic);
	if (tw_traffic_parse(&traffic, text, &err))
		fail_msg("%s: %s", text, err.text);
	return traffic;
}

static void test_plain(void **state)
{
	struct tw_traffic traffic = traffic_of(" ,\n");
	char text[8] = "x";

	(void)state;
	assert_int_equal(tw_traffic_check(&traffic, NULL), 0);
	assert_int_equal(tw_traffic_format(&traffic, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_int_equal(traffic.client.pattern, TW_PATTERN_BULK);
	assert_int_equal(traffic.server.dir, TW_DIR_DOWN);
	assert_int_equal(traffic.client.bytes, 1 << 20);
	assert_int_equal(traffic.server.count, 100);
}

static void test_hosts(void **state)
{
	struct tw_traffic traffic =
		traffic_of("pattern=bulk dir=both bytes=8m write=64k server.sndbuf=16k "
			   "client.rcvbuf=32k server.nodelay cc=cubic client.cc=reno "
			   "client.read=4k client.read-pause=5ms server.pacing=80mbit work=10us");

	(void)state;
	assert_true(traffic.client.bytes == 8 << 20 && traffic.server.bytes == 8 << 20);
	assert_true(traffic.client.dir == TW_DIR_BOTH && traffic.server.dir == TW_DIR_BOTH);
	assert_true(traffic.client.write == 65536 && traffic.server.write == 65536);
	assert_true(traffic.client.sndbuf == 0 && traffic.server.sndbuf == 16384);
	assert_true(traffic.client.rcvbuf == 32768 && traffic.server.rcvbuf == 0);
	assert_true(!traffic.client.nodelay && traffic.server.nodelay == 1);
	assert_string_equal(traffic.client.cc.text, "reno");
	assert_string_equal(traffic.server.cc.text, "cubic");
	assert_true(traffic.client.read == 4096 && traffic.client.read_pause == 5000000);
	assert_int_equal(traffic.server.pacing, 80000000);
	assert_int_equal(traffic.server.work, 10000);
	/* The later word wins, and a name is whole: nothing of a longer one is left. */
	traffic = traffic_of("cc=westwood cc=bbr");
	assert_memory_equal(traffic.client.cc.text, "bbr\0\0\0\0\0\0", 9);
}

/* 0 is not "as the kernel has it". */
static void test_settings(void **state)
{
	struct tw_traffic traffic = traffic_of("sack=0 client.timestamps=no ecn=2 quickack=no "
					       "server.rmem=4k:128k:6m frto=yes frto=none");

	(void)state;
	assert_true(traffic.client.sack == 1 && traffic.server.sack == 1);
	assert_true(traffic.client.timestamps == 1 && traffic.server.timestamps == 0);
	assert_true(traffic.client.ecn == 3 && traffic.client.quickack == 1);
	assert_int_equal(traffic.client.frto, 0);
	assert_int_equal(traffic.client.rmem.most, 0);
	assert_int_equal(traffic.server.rmem.least, 4096);
	assert_int_equal(traffic.server.rmem.usual, 131072);
	assert_int_equal(traffic.server.rmem.most, 6 << 20);
}

/* A text, and what the error says among other things. */
static const char *const wrong[][2] = {
	{ "bytse=1m", "'bytse'; the nearest is 'bytes'" },
	{ "server.node-lay", "'node-lay'; the nearest is 'nodelay'" },
	{ "request-wites=2", "the nearest is 'request-writes'" },
	{ "xyzzy=1", "no parameter 'xyzzy'" },
	{ "a-word-that-is-too-long-to-be-compared-with-any=1", "no parameter 'a-word" },
	{ "there.read=1", "'there.read'" },
	{ "pattern=push", "pattern=push is not understood: pattern=bulk | pull | request" },
	{ "pattern=bul", "not understood" },
	{ "pattern=bulkx", "not understood" },
	{ "pattern=|", "not understood" },
	{ "pattern=", "not understood" },
	{ "dir=left", "up | down | both" },
	{ "cork=yes", "message | always" },
	{ "bytes", "bytes needs a value: bytes=1500" },
	{ "client.bytes=1m", "both hosts: write it without client." },
	{ "server.pattern=bulk", "both hosts: write it without server." },
	{ "server.count=1", "both hosts" },
	{ "count=1000001", "out of range: 1 to 1000000" },
	{ "write=65m", "out of range: 1 to 64m" },
	{ "pause=5", "pause=10ms" },
	{ "maxseg=87", "88 to 32767" },
	{ "sack=2", "out of range: 0 to 1, or none" },
	{ "sack=maybe", "0 | 1 | 2" },
	{ "ecn=6", "out of range: 0 to 5" },
	{ "rmem=1m", "rmem=least:usual:most" },
	{ "rmem=4k:128k", "not understood" },
	{ "rmem=4k:128k:6m:8m", "not understood" },
	{ "rmem=4k:128k:64k", "out of range" },
	{ "rmem=128k:4k:6m", "out of range" },
	{ "rmem=0:4k:6m", "out of range" },
	{ "cc=", "not understood" },
	{ "cc=Cubic", "a name, as cubic" },
	{ "cc=../cubic", "not understood" },
	{ "cc=sixteen-letters-", "not understood" },
	{ "cc=\x1b[31m", "cc=\\x1b[31m" },
};

static void test_errors(void **state)
{
	struct tw_traffic before = traffic_of("bytes=5m client.cc=reno");

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct tw_traffic traffic = before;
		struct tw_error err = { "" };
		char text[200];

		/* A right word before the wrong one has no effect either. */
		snprintf(text, sizeof(text), "write=1k %s", wrong[i][0]);
		assert_int_equal(tw_traffic_parse(&traffic, text, &err), -EINVAL);
		if (!strstr(err.text, wrong[i][1]))
			fail_msg("%s: '%s' lacks '%s'", wrong[i][0], err.text, wrong[i][1]);
		assert_null(strchr(err.text, '\n'));
		assert_memory_equal(&traffic, &before, sizeof(traffic));
		assert_int_equal(tw_traffic_parse(&traffic, text, NULL), -EINVAL);
	}
}

static void test_check(void **state)
{
	static const char *const bad[][2] = {
		{ "pattern=none", "nothing to do" },
		{ "dir=none", "dir=up, down or both" },
		{ "pattern=request count=none", "nothing to request" },
		{ "pattern=request request=none", "request=none" },
		{ "pattern=pull request=none", "request=none" },
		{ "pattern=request reply=none", "reply=none" },
		{ "pattern=request reply=32 reply-head=32", "reply-head must be less" },
		{ "pattern=request request=3 request-writes=4", "fewer bytes than request-writes" },
		{ "pattern=request request=4 request-head=3 request-writes=3", "fewer bytes" },
		{ "client.stall-for=1s", "client: stall-for needs" },
		{ "server.stall-for=1s stall-after=1m server.stall-after=none",
		  "server: stall-for" },
	};
	static const char *const good[] = {
		"bytes=none",
		"pattern=request request=4 request-writes=4",
		"pattern=request request=5 request-head=3 request-writes=3",
		"pattern=request reply=4128 reply-head=32",
		"pattern=pull reply=none",
		"stall-after=1 stall-for=1s",
		"stall-after=1m stall-for=1s stall-for=none",
		/* what the pattern does not use is not looked at */
		"pattern=bulk request=none count=none",
		"pattern=request dir=none",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct tw_traffic traffic = traffic_of(bad[i][0]);
		struct tw_error err = { "" };

		if (tw_traffic_check(&traffic, &err) != -EINVAL || !strstr(err.text, bad[i][1]))
			fail_msg("%s: '%s' lacks '%s'", bad[i][0], err.text, bad[i][1]);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct tw_traffic traffic = traffic_of(good[i]);
		struct tw_error err = { "" };

		if (tw_traffic_check(&traffic, &err))
			fail_msg("%s: %s", good[i], err.text);
	}
}

static void test_format(void **state)
{
	static const char *const same[] = {
		"pattern=pull bytes=200k",
		"pattern=request dir=up count=20 request=200 request-head=32 request-writes=3",
		"bytes=none",
		"reply=4128 reply-head=32 server.think=1ms client.gap=20us",
		"client.write=64k server.write=16k pause=5ms",
		"client.read=4k client.read-pause=5ms server.stall-after=1m server.stall-for=300ms",
		"server.nodelay=yes cork=message client.quickack=1",
		"cork=always quickack=0",
		"stall-after=1m stall-for=1ms stall-times=7",
		"sndbuf=16k rcvbuf=32k notsent-lowat=16k maxseg=536 cc=cubic pacing=80mbit",
		"client.cc=reno server.cc=bbr",
		"timestamps=0 server.sack=0 ecn=2 client.rmem=4k:128k:6m wmem=1:2:3",
		"mtu-probing=1 recovery=255 early-retrans=4 frto=2 moderate-rcvbuf=0",
	};
	char text[TW_WORDS_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		struct tw_traffic traffic = traffic_of(same[i]);

		assert_int_equal(tw_traffic_format(&traffic, text, sizeof(text)), 0);
		assert_string_equal(text, same[i]);
		assert_int_equal(tw_traffic_format(&traffic, text, strlen(same[i]) + 1), 0);
		text[0] = 'x';
		assert_int_equal(tw_traffic_format(&traffic, text, strlen(same[i])), -ENOSPC);
		assert_int_equal(text[0], 'x');
	}
}

struct help {
	int n;
	size_t shared; /* bytes of `text` in use */
	char text[2 * TW_WORDS_TEXT_MAX];
};

/* Gives every parameter a value as its form has it, in both hosts or in each another one. */
static void on_help(void *user, const char *word, const char *form, const char *help)
{
	static const struct {
		const char *form, *first, *second;
	} values[] = {
		{ "bulk", "pull", "pull" },
		{ "up", "up", "up" },
		{ "message", "always", "message" },
		{ "0 |", "0", "1" },
		{ "least", "1073741821:1073741822:1073741823", "1073741820:1073741821:1073741823" },
		{ "a name", "fifteen-letters", "fifteen_letters" },
		{ "100mbit", "999999999999bit", "999999999998bit" },
		{ "10ms", "3599999999999ns", "3599999999998ns" },
		{ "yes", "yes", "no" },
	};
	const char *first = "999", *second = "998";
	struct help *h = user;
	bool is_shared;
	struct tw_traffic traffic;

	h->n++;
	assert_true(*word && *form && strlen(help) > 10 && strlen(help) < 60);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (!strncmp(form, values[i].form, strlen(values[i].form))) {
			first = values[i].first;
			second = values[i].second;
		}
	if (!strcmp(word, "sndbuf") || !strcmp(word, "rcvbuf")) {
		first = "1073741823";
		second = "1073741821";
	}
	tw_traffic_init(&traffic);
	snprintf(h->text + h->shared, sizeof(h->text) - h->shared, "client.%s=%s", word, first);
	is_shared = tw_traffic_parse(&traffic, h->text + h->shared, NULL) != 0;
	h->shared += (size_t)snprintf(h->text + h->shared, sizeof(h->text) - h->shared,
				      is_shared ? "%s=%s " : "client.%s=%s ", word, first);
	if (!is_shared)
		h->shared += (size_t)snprintf(h->text + h->shared, sizeof(h->text) - h->shared,
					      "server.%s=%s ", word, second);
}

/* Every parameter at once, as long as it can be, fits, and is read back. */
static void test_all(void **state)
{
	struct help h = { 0 };
	struct tw_traffic traffic, again;
	char text[TW_WORDS_TEXT_MAX];

	(void)state;
	tw_traffic_help(on_help, &h);
	assert_int_equal(h.n, 43);
	traffic = traffic_of(h.text);
	assert_int_equal(tw_traffic_format(&traffic, text, sizeof(text)), 0);
	again = traffic_of(text);
	assert_memory_equal(&traffic, &again, sizeof(traffic));
	/* No two parameters have one field: each was left as it was said. */
	for (const char *word = strtok(h.text, " "); word; word = strtok(NULL, " ")) {
		if (strstr(word, "nodelay=no") || strstr(word, "999"))
			continue;
		if (!strstr(text, word))
			fail_msg("'%s' is not in '%s'", word, text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),    cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_settings), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_check),    cmocka_unit_test(test_format),
		cmocka_unit_test(test_all),
	};

	return cmocka_run_group_tests_name("lab_traffic", tests, NULL, NULL);
}
