/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "lab/sweep.h"

/* A text, whether it is of the traffic, and the values that it means. */
static const struct {
	const char *text;
	bool is_traffic;
	const char *word, *values;
} right[] = {
	{ "delay=5ms", false, "delay", "5ms" },
	{ "there.delay=1ms,4ms", false, "there.delay", "1ms 4ms" },
	{ "request=1k, 8k ,2k", true, "request", "1k 8k 2k" },
	{ "server.rcvbuf=16k,none", true, "server.rcvbuf", "16k none" },
	{ "cc=reno,cubic,bbr", true, "cc", "reno cubic bbr" },
	{ "client.ecn=0,1", true, "client.ecn", "0 1" },
	{ "there.ecn=60k", false, "there.ecn", "60k" },
	{ "request=16k..512k", true, "request", "16k 32k 64k 128k 256k 512k" },
	{ "request=16k..64k/2", true, "request", "16k 23200 32k 46300 64k" },
	{ "delay=1ms..5ms", false, "delay", "1ms 2ms 4ms" },
	{ "delay=10ms..20ms/2", false, "delay", "10ms 14100us 20ms" },
	{ "rate=10MB/s..40MB/s", false, "rate", "80mbit 160mbit 320mbit" },
	{ "rate=1mbit..2mbit/1", false, "rate", "1mbit 2mbit" },
	{ "queue=20p..80p", false, "queue", "20p 40p 80p" },
	{ "back.queue=8k..16k", false, "back.queue", "8k 16k" },
	{ "loss=0.5%..2%", false, "loss", "0.5% 1% 2%" },
	{ "count=1..4/4", true, "count", "1 2 3 4" },
	{ "bytes=4k,16k..32k,1m", true, "bytes", "4k 16k 32k 1m" },
	/* Dots and rules of their own. */
	{ "outage=1s..2s,2s..4s", false, "outage", "1s..2s 2s..4s" },
	{ "there.drop=nth:3..5,syn", false, "there.drop", "nth:3..5 syn" },
};

static void test_right(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		char values[TW_SWEEP_MAX * TW_SWEEP_VALUE_MAX] = "";
		struct tw_error err = { "" };
		struct tw_sweep sweep;

		if (tw_sweep_parse(&sweep, right[i].text, &err))
			fail_msg("%s: %s", right[i].text, err.text);
		for (int j = 0; j < sweep.n; j++) {
			strcat(values, j ? " " : "");
			strcat(values, sweep.value[j]);
		}
		assert_string_equal(values, right[i].values);
		assert_string_equal(sweep.word, right[i].word);
		assert_int_equal(sweep.is_traffic, right[i].is_traffic);
	}
}

/* A text, and what the error says among other things. */
static const char *const wrong[][2] = {
	{ "", "WORD=VALUE" },
	{ "request", "WORD=VALUE" },
	{ "=4", "WORD=VALUE" },
	{ "request=", "request= without a value: request=1500" },
	{ "request= , ", "without a value" },
	{ "requset=4", "no word 'requset': 'tcpwhy lab --help path'" },
	{ "requset=4", "'tcpwhy lab traffic --help'" },
	{ "there.request=4", "no word 'there.request'" },
	{ "client.delay=4ms", "no word 'client.delay'" },
	{ "bad\nword=4", "no word 'bad\\x0aword'" },
	{ "ecn=1", "there.ecn or back.ecn, client.ecn or server.ecn" },
	{ "client.request=4,5", "both hosts: write it without client." },
	{ "request=1k,0x", "request=0x is not understood" },
	{ "request=1k,65m", "out of range: 1 to 64m" },
	{ "request=1k,2k,1k", "request=1k stands there twice" },
	{ "request=1k..4k,2k", "twice" },
	{ "request=4k..1k", "goes up" },
	{ "request=4k..4k", "goes up" },
	{ "request=0..4k", "goes up, from more than 0" },
	{ "request=none..4k", "goes up, from more than 0" },
	{ "queue=4k..8p", "in one unit" },
	{ "request=1k..", "a range is FIRST..LAST" },
	{ "request=..1k", "a range is" },
	{ "request=1k..2k/0", "1 to 16" },
	{ "request=1k..2k/17", "1 to 16" },
	{ "request=1k..2k/100", "1 to 16" },
	{ "request=1k..2k/x", "a range is" },
	{ "request=1k..2k..4k", "a range is" },
	{ "request=1k..65m", "a range is" },
	{ "overhead=1..8", "not understood" },
	{ "cc=a..b", "not understood" },
	{ "request=1..64m/3", "more than 64 values" },
};

static void test_wrong(void **state)
{
	char longest[2000];
	struct tw_sweep sweep = { .n = 42 };
	struct tw_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		int ret = tw_sweep_parse(&sweep, wrong[i][0], &err);

		assert_int_equal(ret, strstr(wrong[i][1], "64 values") ? -E2BIG : -EINVAL);
		if (!strstr(err.text, wrong[i][1]))
			fail_msg("%s: '%s' does not say '%s'", wrong[i][0], err.text, wrong[i][1]);
		assert_int_equal(sweep.n, 42);
	}
	/* Of any length, wherever it is long. */
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(tw_sweep_parse(&sweep, longest, &err), -EINVAL);
	memcpy(longest, "request=", 8);
	assert_int_equal(tw_sweep_parse(&sweep, longest, &err), -EINVAL);
	memcpy(longest, "request=1..", 11);
	assert_int_equal(tw_sweep_parse(&sweep, longest, &err), -EINVAL);
}

/* What is printed can be read, however long it is. */
static void test_print(void **state)
{
	struct tw_error err = { "" };
	struct tw_sweep sweep;
	char text[64];

	(void)state;
	assert_int_equal(tw_sweep_parse(&sweep, "back.delay=3ms..6ms", &err), 0);
	tw_sweep_print(&sweep, 1, text, sizeof(text));
	assert_string_equal(text, "back.delay=6ms");
	tw_sweep_print(&sweep, 1, text, 5);
	assert_string_equal(text, "back");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
