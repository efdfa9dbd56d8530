/* SPDX-License-Identifier: BSD-2-Clause */
/* What pasting does to tcpdump's lines, what stands between them, and what is no such text. */
#include "text.h"

/* Every place where a mailer or a terminal may break these lines, with and without the blank. */
static void wrapped_lines(void **state)
{
	static const char *const lines[] = {
		"16:28:51.841919 IP 192.0.2.80.80 > 192.0.2.93.49140: S 4198909797:4198909797(0) ack 3496794603 "
		"win 5792 <mss 1380,sackOK,timestamp 2593750330 4294784053,nop,wscale 2> (DF)",
		"16:28:51.841919 IP 192.0.2.80.80 > 192.0.2.93.49140: Flags [P.], seq 4198909798:4198911246, "
		"ack 3496794603, win 1716, options [nop,nop,TS val 2593750416 ecr 4294784065], length 1448",
	};
	unsigned whole = 0, tried = 0;

	(void)state;
	for (size_t l = 0; l < 2; l++) {
		size_t n = strlen(lines[l]);
		struct tw_packet reference = text_read(lines[l])->packet[0];

		for (size_t at = 30; at < n - 1; at++) {
			char text[600];
			const struct text *t;

			/* a terminal breaks anywhere; a mailer at a blank, which is lost */
			snprintf(text, sizeof(text), "%.*s\n%s\n%s\n", (int)at, lines[l],
				 lines[l] + at + (lines[l][at] == ' '), lines[l]);
			t = text_read(text);
			assert_int_equal(t->opened, 0);
			tried++;
			if (t->n != 2)
				fail_msg("%u packets from: %s", t->n, text);
			reference.number = 1;
			if (!memcmp(&t->packet[0], &reference, sizeof(reference)))
				whole++;
			else
				print_message("# not as before it was broken: %s\n", text);
			assert_int_equal(t->skipped, 0);
		}
	}
	assert_int_equal(whole, tried);
}

static void wrapped_thrice_and_quoted(void **state)
{
	const struct text *t = text_read(
		"On Monday someone wrote:\n"
		"> 16:28:51.829502 IP 192.0.2.93.49140\n"
		"> > 192.0.2.80.80: S 3496794602:3496794\n"
		"> 602(0) win 5840 <mss 1460,sackOK,timestamp\n"
		"> 4294784053 0,nop,wscale 7>\n"
		"> 16:28:51.841995 IP 192.0.2.93.49140 > 192.0.2.80.80: . ack 1 win 46\n");

	(void)state;
	assert_int_equal(t->n, 2);
	assert_int_equal(t->skipped, 1);
	assert_int_equal(t->packet[0].seq, 3496794602u);
	assert_int_equal(t->packet[0].tsval, 4294784053u);
	assert_int_equal(t->packet[0].wscale, 7);
	assert_int_equal(t->packet[0].window, 5840);
	assert_int_equal(t->packet[1].window, 46);
}

/* What is no part of a packet must not be joined to one. */
static void junk_between(void **state)
{
	const struct text *t = text_read(
		"$ sudo tcpdump -n port 80\n"
		"tcpdump: verbose output suppressed, use -v[v]... for full protocol decode\n"
		"listening on eth0, link-type EN10MB (Ethernet), snapshot length 262144 bytes\n"
		"# the interesting part\n"
		"\n"
		"07:06:51.1 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [.], ack 10, win 584, length 0\n"
		"7\n"
		"07:06:51.2 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [.], ack 20, win 63, length 0\n"
		"E..4..@.@..........+...P.!2;\n"
		"07:06:51.3 192.0.2.1.5 > 192.0.2.2.6: . ack 30 win 58\n"
		"40 and so on\n"
		"07:06:51.4 192.0.2.1.5 > 192.0.2.2.6: . ack 40 win 58\n"
		"\t\t\t 4500 0034 0000 4000 4006 0000 7f00 0001\n"
		"^C\n"
		"5 packets captured\n"
		"10 packets received by filter\n"
		"0 packets dropped by kernel\n");

	(void)state;
	assert_int_equal(t->n, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(t->packet[i].ack, 10 * (i + 1));
	assert_int_equal(t->packet[0].window, 584);
	assert_int_equal(t->packet[2].window, 58);
	/* "$ sudo", "7", "E..4", "40 and so on", "^C" */
	assert_int_equal(t->skipped, 5);
	assert_int_equal(t->n_warnings, 0);
}

static void damaged_lines(void **state)
{
	const struct text *t = text_read(
		"07:06:51.1 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [P.], seq 1:101, ack 1, win 63, length 100\n"
		/* length and range contradict each other */
		"07:06:51.2 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [P.], seq 101:201, ack 1, win 63, length 90\n"
		"07:06:51.3 192.0.2.1.5 > 192.0.2.2.6: P 201:301(1) ack 1 win 63\n"
		/* an ACK without its number */
		"07:06:51.3 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [P.], seq 101:201, win 63, length 100\n"
		/* no window: rather that than no packet */
		"07:06:51.4 192.0.2.1.5 > 192.0.2.2.6: P 301:401(100) ack 1\n"
		"07:06:51.5 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [P.], seq 401:501, ack 1, win 4294967296, length 100\n");

	(void)state;
	assert_int_equal(t->n, 3);
	assert_int_equal(t->packet[0].seq, 1);
	assert_int_equal(t->packet[1].seq, 301);
	assert_int_equal(t->packet[1].payload, 100);
	assert_int_equal(t->packet[1].has, TW_WINDOW_UNKNOWN);
	assert_int_equal(t->packet[2].seq, 401);
	assert_int_equal(t->packet[2].has, TW_WINDOW_UNKNOWN); /* no window is that large */
	assert_int_equal(t->skipped, 3);
	assert_int_equal(t->n_warnings, 1);
	assert_non_null(strstr(t->warning[0], "3 damaged lines"));
}

static void refuses_text_without_times(void **state)
{
	const struct text *t = text_read(
		"IP 192.0.2.1.5 > 192.0.2.2.6: Flags [P.], seq 1:101, ack 1, win 63, length 100\n"
		"IP 192.0.2.2.6 > 192.0.2.1.5: Flags [.], ack 101, win 63, length 0\n");

	(void)state;
	assert_int_equal(t->opened, -22);
	assert_non_null(strstr(t->error.text, "-t"));
	assert_non_null(strstr(t->error.text, "test: "));
}

static void refuses_other_text(void **state)
{
	static const char *const texts[] = {
		"#include <stdio.h>\nint main(void)\n{\n\treturn a > b ? 1 : 0;\n}\n",
		"2026-11-30 18:24:28 kernel: eth0: link up\n2026-11-30 18:24:29 kernel: a > b: S\n",
		"12:00:00 foo -> bar started\n12:00:01 foo -> bar stopped\n12:00:02 x > y done\n",
		"1.5 2.5\n1.0 3.0\n",
		"ttcp-r: 134217728 bytes in 3.19 real seconds = 41027.75 KB/sec +++\n",
		"\n\n\n",
	};
	const struct text *t;
	static const char pcap[] = "\xd4\xc3\xb2\xa1 12:00:00 192.0.2.1.1 > 192.0.2.2.2: . ack 1 win 1\n\0";

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		t = text_read(texts[i]);
		if (strcmp(t->format, "") != 0)
			fail_msg("%s takes: %s", t->format, texts[i]);
		assert_int_equal(t->opened, -93 /* EPROTONOSUPPORT */);
	}
	t = text_read_bytes(pcap, sizeof(pcap));
	assert_string_not_equal(t->format, "tcpdump-text");
}

/* A text quoted in other text is found; lost in it, it is not. */
static void probe_amid_prose(void **state)
{
	char text[4000];
	size_t used = 0;
	static const char line[] = "07:06:51.1 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [.], ack 1, win 63, length 0\n";

	(void)state;
	for (int i = 0; i < 30; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "Dear all, this is line %d of my complaint.\n", i);
	assert_int_equal(text_read(text)->opened, -93);
	snprintf(text + used, sizeof(text) - used, "%s", line);
	assert_int_equal(text_read(text)->opened, -93);
	snprintf(text + used, sizeof(text) - used, "%s%s%s", line, line, line);
	assert_int_equal(text_read(text)->n, 3);
	assert_int_equal(text_read(text)->skipped, 30);
}

static void overlong_lines(void **state)
{
	static char text[400000];
	size_t used = 0;
	const struct text *t;

	(void)state;
	used += (size_t)sprintf(text, "07:06:51.1 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [.], ack 1, win 63, length 0\n");
	for (int i = 0; i < 3; i++) {
		used += (size_t)sprintf(text + used, "07:06:51.2 IP 192.0.2.1.5 > 192.0.2.2.6: Flags [.], ack 2");
		memset(text + used, ' ', i == 2 ? 65000 : 70000);
		used += i == 2 ? 65000 : 70000;
		used += (size_t)sprintf(text + used, ", win %d, length 0\n", i);
	}
	t = text_read(text);
	assert_int_equal(t->n, 2); /* the last one is just short enough */
	assert_int_equal(t->packet[1].window, 2);
	assert_int_equal(t->n_warnings, 1);
	assert_non_null(strstr(t->warning[0], "2 lines longer"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrapped_lines),
		cmocka_unit_test(wrapped_thrice_and_quoted),
		cmocka_unit_test(junk_between),
		cmocka_unit_test(damaged_lines),
		cmocka_unit_test(refuses_text_without_times),
		cmocka_unit_test(refuses_other_text),
		cmocka_unit_test(probe_amid_prose),
		cmocka_unit_test(overlong_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
