/* SPDX-License-Identifier: BSD-2-Clause */
/* The report for people: what it says, and that it fits whatever page it gets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdint.h>

#include "base/utf8.h"
#include "output/text.h"
#include "sample_report.h"

static const struct tw_text_options plain = { .width = 100, .unicode = true, .top = 3 };

/* The caller frees it. */
static char *render(const struct sample *s, const struct tw_text_options *options)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(tw_output_text(&s->report, options, out), 0);
	assert_int_equal(fclose(out), 0);
	if (!text)
		abort();
	return text;
}

static void assert_found(const char *text, const char *what, bool is_wanted)
{
	const char *found = text && what ? strstr(text, what) : NULL;

	if (!text || !what || !!found != is_wanted) {
		print_message("%s: %s\nin:\n%s\n", is_wanted ? "missing" : "should not be there",
			      what ? what : "", text ? text : "");
		fail();
	}
}

static void assert_says(const char *text, const char *what)
{
	assert_found(text, what, true);
}

static void assert_silent(const char *text, const char *what)
{
	assert_found(text, what, false);
}

static void test_one_connection(void **state)
{
	struct sample *s = sample_empty();
	char *text;

	(void)state;
	sample_window(s);
	text = render(s, &plain);
	/* clang-format off */
	assert_string_equal(text,
"slow.pcap  pcap, raw IP; 3,051 packets in 7.070 s; 1 connection\n"
"\n"
"#1  192.0.2.1:53816 > 192.0.2.2:5001   client sent 3.0 MB in 7.070 s = 3.4 Mbit/s\n"
"    seen at the sender; RTT 20.2 ms; MSS 1,448; nothing lost; an ACK for every 3,092 bytes\n"
"\n"
"    where 7.070 s went                               whose\n"
"      receive-window    6.980 s  98.7 %  \xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"
"\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x89  receiving host, 192.0.2.2\n"
"      slow-start        0.070 s   1.0 %  \xe2\x96\x8f           sending host, 192.0.2.1\n"
"      handshake         0.020 s   0.3 %              network\n"
"\n"
"    receive-buffer-small: the receive window is too small for the path                       certain\n"
"      192.0.2.2 never let more than 8,688 bytes be outstanding; the flight filled the window in 346\n"
"      of 347 rounds (packets 12 to 17 first).\n"
"      fix   on 192.0.2.2: leave SO_RCVBUF unset, or raise it and net.core.rmem_max\n"
"      then  7.070 s -> about 390 ms (18 times faster); the next bound would be slow-start\n"
"      see   packet 12    0.040625 s  the first flight that fills the window begins\n"
"            packet 1012  2.331000 s  window full from here for 1.2 s\n");
	/* clang-format on */
	free(text);
	free(s);
}

/* Sides: whose sending was held up, and at which host the owner of a row is. */
static void test_two_sides(void **state)
{
	struct sample *s = sample_empty();
	char *text;

	(void)state;
	sample_exchange(s);
	text = render(s, &plain);
	assert_says(text, "held up  whose\n");
	assert_says(text, "client   sending host, 192.0.2.10\n");
	assert_says(text, "server   sending application, 192.0.2.2\n");
	/* three rows under half a percent are folded; with -v they are not */
	assert_says(text, "other              0.015 s   0.4 %");
	assert_says(text, "round-trip, handshake, 1 more\n");
	assert_says(text, "probably seen between the hosts");
	assert_says(text, "80 exchanges of 43.3 ms on average");
	free(text);
	text = render(s, &(struct tw_text_options){ .width = 100, .verbose = true, .top = 3 });
	assert_silent(text, "other  ");
	assert_says(text, "round-trip");
	assert_says(text, "unknown");
	free(text);
	free(s);
}

/* Data from the server, seen at the receiver: the sending host is the server then. */
static void test_server_sends(void **state)
{
	struct sample *s = sample_empty();
	struct sample_connection *c = sample_link(s);
	char *text;

	(void)state;
	c->rows[0].cause = TW_CAUSE_RECEIVE_WINDOW;
	c->rows[0].party = TW_PARTY_RECEIVING_HOST;
	text = render(s, &plain);
	assert_says(text, "server sent 20 MB in 16.10 s = 9.9 Mbit/s");
	assert_says(text, "receiving host, 192.0.2.10\n");
	assert_says(text, "seen at the receiver; RTT 20.0 ms, median 85.0 ms; MSS 1,448; "
			  "67 segments lost (0.5 %)");
	assert_says(text, "70\n    resent (66 by fast retransmission, 2 by timeout, 2 as tail-loss "
			  "probe); 3 of them needlessly;");
	assert_says(text, "mid-stream: the start is not in the capture");
	assert_says(text, "then 60.00 s without data, not billed");
	/* no fault: the top cause in one sentence; information without its evidence */
	assert_says(text, "No fault found. For 96.3 % of the time the receive window allowed no "
			  "more in flight.");
	assert_says(text, "bottleneck-queue: a standing queue at the bottleneck");
	assert_silent(text, "packet 900");
	free(text);
	text = render(s, &(struct tw_text_options){ .width = 120, .verbose = true, .top = 3 });
	assert_says(text, "packet 900");
	assert_says(text, "66 fast retransmission, SACK (packets 500, 507, 514, 521, ...)");
	free(text);
	free(s);
}

static void test_gain(void **state)
{
	struct sample *s = sample_empty();
	struct sample_connection *c = sample_window(s);
	char *text;

	(void)state;
	/* limits that are wide apart are told, one that is not known is not */
	c->findings[0].duration_low_ns = 300 * SAMPLE_MS;
	text = render(s, &plain);
	assert_says(text, "7.070 s -> 300 ms to 400 ms (18 times faster at least)");
	free(text);
	c->findings[0].duration_high_ns = 7070 * SAMPLE_MS;
	text = render(s, &plain);
	assert_says(text, "7.070 s -> 300 ms at best (up to 24 times faster)");
	free(text);
	c->findings[0].at_least = true;
	c->findings[0].next = TW_CAUSE_UNKNOWN;
	text = render(s, &plain);
	assert_says(text, "7.070 s -> 390 ms or less (at least 18 times faster); "
			  "what would bound it then was not\n            seen\n");
	free(text);
	c->findings[0].at_least = false;
	c->findings[0].saves_ns = 70 * SAMPLE_MS; /* too little to call it "times faster" */
	c->findings[0].duration_without_ns = 7000 * SAMPLE_MS;
	text = render(s, &plain);
	assert_says(text, "7.070 s -> 7.000 s (1.0 % less)\n");
	free(text);
	c->findings[0].saves_ns = 0;
	text = render(s, &plain);
	assert_silent(text, "then  ");
	free(text);
	free(s);
}

static void test_many(void **state)
{
	struct sample *s = sample_many();
	struct tw_text_options options = plain;
	const char *at;
	unsigned details = 0;
	char *text;

	(void)state;
	s->report.folded_connections = 7;
	s->report.total_connections += 7;
	s->report.evicted_connections = 5;
	s->report.unanalysed_packets = 1234;
	text = render(s, &options);
	assert_says(text, "The 20 costliest of 47 connections");
	assert_says(text, "   #1  192.0.2.1:50000   > 192.0.2.2:5001   3.0 MB  7.070 s   6.680 s  "
			  "99 % receive-window");
	assert_says(text, "  #20  ");
	assert_silent(text, "  #21  ");
	for (at = text; (at = strstr(at, "\n#")); at++)
		details++;
	assert_int_equal(details, 3);
	assert_says(text, "Sum of 47 connections: 5 min 53 s of transfers, 303 MB\n");
	assert_says(
		text,
		"findings  nagle-delayed-ack 13, receive-buffer-small 14, bottleneck-queue 13\n");
	assert_says(text, "7 connections that cost less");
	assert_says(text, "5 were pushed out");
	assert_says(text, "1,234 TCP packets were not analysed");
	free(text);

	options.top = 0;
	text = render(s, &options);
	assert_silent(text, "\n#");
	free(text);
	options.top = 25;
	text = render(s, &options);
	assert_says(text, "  #25  ");
	assert_silent(text, "  #26  ");
	free(text);
	free(s);
}

static void test_nothing(void **state)
{
	struct tw_text_options options = plain;
	struct sample *s = sample_empty();
	struct sample_connection *c;
	char *text;

	(void)state;
	s->input.packets = s->input.skipped = 38;
	s->input.n_other = 2;
	strcpy(s->input.other[0].name, "UDP");
	s->input.other[0].packets = 31;
	strcpy(s->input.other[1].name, "ARP");
	s->input.other[1].packets = 4;
	text = render(s, &options);
	assert_says(text, "0 connections\n    also  31 UDP, 4 ARP, 3 others\n");
	assert_says(text, "No TCP in it: there is no transfer to explain.");
	free(text);
	options.is_filtered = true;
	text = render(s, &options);
	assert_says(text, "Nothing that the filter lets through is TCP");
	free(text);

	c = sample_connect(s); /* a SYN that nobody answered: no time, no data, no rows */
	c->report.summary.closed = false;
	c->report.summary.direction[0].packets = 1;
	options.is_filtered = false;
	options.verbose = true;
	text = render(s, &options);
	assert_says(text, "#1  192.0.2.10:50000 > 192.0.2.2:80   no data in 0 ns\n");
	assert_silent(text, "where");
	free(text);
	free(s);
}

static void spoil(struct sample *s)
{
	static const char evil[] = "\033[2J\x9b\r\xc2\x9b\xe2\x80\xae\xff end\n";

	s->input.name = (char *)(uintptr_t) "/tmp/\033]0;owned\007\xff\n.pcap";
	strcpy(s->input.title, evil);
	s->input.n_other = 1;
	strcpy(s->input.other[0].name, evil);
	s->input.other[0].packets = 1;
	s->input.n_warnings = 1;
	strcpy(s->input.warnings[0], evil);
	for (unsigned i = 0; i < s->report.n_connections; i++) {
		for (unsigned k = 0; k < s->connection[i].report.n_findings; k++) {
			struct tw_finding *f = &s->connection[i].findings[k];

			strcpy(f->text, evil);
			strcpy(f->fix, evil);
			for (unsigned e = 0; e < f->n_evidence; e++)
				strcpy(f->evidence[e].note, evil);
		}
	}
}

/* No line is wider than the page, no blank ends one, nothing drives the terminal. */
static void check_page(const char *text, unsigned width, bool unicode)
{
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		char copy[4096];
		uint32_t code = 0;

		assert_true(n < sizeof(copy));
		memcpy(copy, line, n);
		copy[n] = '\0';
		if (tw_utf8_width(copy) > width || (n && copy[n - 1] == ' ')) {
			print_message("at %u cells: \"%s\"\n", width, copy);
			fail();
		}
		for (const char *p = copy; *p; p += tw_utf8_decode(p, &code)) {
			assert_true(tw_utf8_decode(p, &code) > 0);
			assert_false(tw_utf8_is_control(code));
			assert_true(unicode || code < 0x7f);
		}
		line += n + (line[n] == '\n');
	}
}

static struct sample *sample_of(int kind)
{
	struct sample *s = sample_empty();

	switch (kind) {
	case 0: sample_window(s); break;
	case 1: sample_exchange(s); break;
	case 2: sample_link(s); break;
	case 3: { /* the longest addresses there are */
		struct sample_connection *c = sample_window(s);

		c->report.summary.endpoint[0] = sample_v6(0xfe, 65535);
		c->report.summary.endpoint[1] = sample_v6(0xff, 65534);
		break;
	}
	case 4:
		free(s);
		s = sample_many();
		break;
	default: /* long addresses in the list, and long causes */
		free(s);
		s = sample_many();
		for (unsigned i = 0; i < s->report.n_connections; i++) {
			s->connection[i].report.summary.endpoint[0] = sample_v6((uint8_t)i, 65535);
			s->connection[i].rows[0].cause = TW_CAUSE_RETRANSMISSION_TIMEOUT;
			s->connection[i].rows[0].party = TW_PARTY_RECEIVING_APPLICATION;
		}
	}
	return s;
}

static void add_stalls(struct sample *s)
{
	for (unsigned i = 0; i < s->report.n_connections; i++) {
		struct sample_connection *c = &s->connection[i];

		c->report.bill.intervals = c->intervals;
		c->report.bill.n_intervals = 2;
		c->intervals[0] = (struct tw_interval){
			.from = SAMPLE_START,
			.to = SAMPLE_START + SAMPLE_MS,
			.packet_to = 1000000,
			.cause = TW_CAUSE_RETRANSMISSION_TIMEOUT,
			.is_stall = true,
			.confidence = 99,
		};
		c->intervals[1] = (struct tw_interval){
			.from = SAMPLE_START + 4000000 * SAMPLE_MS,
			.to = SAMPLE_START + 4000001 * SAMPLE_MS,
			.packet_from = 1000001,
			.packet_to = 1000002,
			.cause = TW_CAUSE_TAIL_LOSS,
			.outstanding = 123456,
			.dup_acks = 2,
			.waited_ns = SAMPLE_MS,
			.released_by = 1000002,
			.seq_from = 1000000000,
			.seq_to = 1000000001,
		};
	}
}

static void test_every_page_fits(void **state)
{
	(void)state;
	for (int kind = 0; kind < 6; kind++) {
		for (unsigned width = 60; width <= 120; width += 5) {
			for (int variant = 0; variant < 8; variant++) {
				struct tw_text_options options = {
					.width = width,
					.unicode = variant & 1,
					.verbose = variant & 2,
					.top = 3,
				};
				struct sample *s = sample_of(kind);
				char *text;

				if (variant & 4)
					spoil(s);
				add_stalls(s);
				text = render(s, &options);
				check_page(text, width, options.unicode);
				free(text);
				free(s);
			}
		}
	}
}

/* Colour adds escape sequences and nothing else. */
static void test_color(void **state)
{
	struct sample *s = sample_many();
	struct tw_text_options options = plain;
	char *without = render(s, &options), *with, *to;

	(void)state;
	options.color = true;
	with = render(s, &options);
	assert_says(with, "\033[1;31mreceive-window\033[0m");
	to = with;
	for (const char *from = with; *from;) {
		if (from[0] == '\033') {
			assert_int_equal(from[1], '[');
			from += strcspn(from, "m") + 1;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	assert_string_equal(with, without);
	free(with);
	free(without);
	free(s);
}

static void test_stalls(void **state)
{
	struct sample *s = sample_empty();
	struct sample_connection *c = sample_window(s);
	char *text;

	(void)state;
	c->report.bill.intervals = c->intervals;
	c->report.bill.n_intervals = 2;
	c->report.bill.intervals_dropped = 9;
	c->intervals[1] = (struct tw_interval){
		.from = SAMPLE_START + 600 * SAMPLE_MS,
		.to = SAMPLE_START + 600 * SAMPLE_MS + 1000,
		.packet_to = 25,
		.cause = TW_CAUSE_ROUND_TRIP,
		.side = 1,
		.confidence = 80,
		.is_stall = true,
	};
	c->intervals[0] = (struct tw_interval){
		.from = SAMPLE_START + 489732000,
		.to = SAMPLE_START + 489732000 + 1039 * SAMPLE_MS,
		.packet_from = 17,
		.packet_to = 24,
		.cause = TW_CAUSE_RETRANSMISSION_TIMEOUT,
		.confidence = 95,
		.is_stall = true,
		.outstanding = 5792,
		.dup_acks = 1,
		.seq_from = 14481,
		.seq_to = 15929,
	};
	text = render(s, &(struct tw_text_options){ .width = 100, .verbose = true });
	assert_says(text,
		    "      0.489732 s    1.039 s  retransmission-timeout  client  17 to 24\n"
		    "                             5,792 bytes outstanding, 1 duplicate ACK, bytes "
		    "14481:15929\n");
	assert_says(text, "      0.600000 s     1.0 us  round-trip              server  up to 25  "
			  "80 % sure\n");
	assert_says(text, "and 9 more");
	free(text);
	free(s);
}

static void test_write_error(void **state)
{
	struct sample *s = sample_many();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full) {
		free(s);
		skip();
	}
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(tw_output_text(&s->report, &plain, full), -ENOSPC);
	fclose(full);
	free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_connection),
		cmocka_unit_test(test_two_sides),
		cmocka_unit_test(test_server_sends),
		cmocka_unit_test(test_gain),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_every_page_fits),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_stalls),
		cmocka_unit_test(test_write_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
