/* SPDX-License-Identifier: BSD-2-Clause */
/* DTrace tables: columns, samples, and what the count of unacked bytes tells. */
#include "text.h"

#include "source/dtrace_table.h"

static void assert_sent(const struct tw_packet *p, uint32_t payload)
{
	text_assert_endpoint(&p->src, "this host:0");
	text_assert_endpoint(&p->dst, "peer:0");
	assert_int_equal(p->sample.of_source, 1);
	assert_int_equal(p->payload, payload);
}

static void assert_received(const struct tw_packet *p, uint32_t payload)
{
	text_assert_endpoint(&p->src, "peer:0");
	text_assert_endpoint(&p->dst, "this host:0");
	assert_int_equal(p->sample.of_source, 0);
	assert_int_equal(p->payload, payload);
}

static void founding_fast(void **state)
{
	static const int deltas[] = { 122, 37, 20, 18, 18, 18, 18, 19, 18, 18, 57, 171, 29, 30 };
	const struct text *t = text_read_file("tests/data/founding/dtrace-fast.txt");
	const uint32_t columns = TW_SAMPLE_CWND | TW_SAMPLE_SSTHRESH | TW_SAMPLE_SND_WND |
				 TW_SAMPLE_RCV_WND;
	const uint32_t has = TW_HAS_SAMPLE | TW_SEQ_UNKNOWN | TW_TIME_IS_RELATIVE |
			     TW_WINDOW_IS_SCALED;
	int64_t ts = 0;

	(void)state;
	assert_string_equal(t->format, "dtrace-text");
	assert_int_equal(t->n, 14);
	assert_int_equal(t->skipped, 0);
	for (unsigned i = 0; i < 14; i++) {
		const struct tw_packet *p = &t->packet[i];

		ts += deltas[i] * 1000;
		assert_true(p->ts == ts);
		assert_int_equal(p->flags, TW_ACK);
		assert_int_equal(p->sample.has, columns);
		assert_int_equal(p->sample.cwnd, 128872);
		assert_int_equal(p->sample.ssthresh, 1073725440);
		assert_int_equal(p->sample.snd_wnd, 195200);
		assert_int_equal(p->sample.rcv_wnd, 131768);
		if (i < 13) {
			assert_sent(p, i < 12 ? 1448 : 912);
			assert_int_equal(p->seq - t->packet[0].seq, i * 1448);
			assert_int_equal(p->window, 131768); /* what this host offers */
			assert_int_equal(p->has, has);
		} else {
			assert_received(p, 0);
			assert_int_equal(p->window, 195200); /* what the peer offers */
			assert_int_equal(p->has, has | TW_ACK_UNKNOWN);
		}
	}
}

static void founding_slow(void **state)
{
	static const uint32_t cwnd[] = { 127424, 128872, 128872, 128872, 128872, 130320, 130320, 130320,
					 130320, 131768, 131768 };
	const struct text *t = text_read_file("tests/data/founding/dtrace-slow.txt");

	(void)state;
	assert_int_equal(t->n, 11);
	for (unsigned i = 0; i < 11; i++) {
		assert_int_equal(t->packet[i].sample.cwnd, cwnd[i]);
		if (i % 4)
			assert_sent(&t->packet[i], 1448);
		else
			assert_received(&t->packet[i], 0);
	}
	assert_true(t->packet[4].ts - t->packet[3].ts == 143000); /* an ACK after three segments */
	assert_true(t->packet[10].ts == 709000);
}

/*
 * See dtrace_text.c for how the lines are read: 147,000 bytes outstanding, two duplicate ACKs, a third
 * that starts the fast retransmission, and segments sent again from the first unacked byte on.
 */
static void founding_unacked(void **state)
{
	static const struct {
		bool is_sent;
		uint32_t unacked, position; /* of a segment, from the first unacked byte */
	} rows[] = {
		{ true, 139760, 141208 }, { true, 139760, 142656 }, { true, 144104, 144104 },
		{ false, 145552, 0 }, { true, 145552, 145552 }, { false, 147000, 0 },
		{ true, 147000, 0 }, { false, 147000, 0 }, { true, 147000, 1448 },
		{ false, 147000, 0 }, { true, 147000, 2896 }, { false, 147000, 0 },
		{ true, 147000, 4344 }, { false, 147000, 0 }, { true, 147000, 5792 },
	};
	const struct text *t = text_read_file("tests/data/founding/dtrace-unacked.txt");
	const uint32_t una = t->packet[3].ack;

	(void)state;
	assert_int_equal(t->n, 15);
	assert_int_equal(t->skipped, 0);
	for (unsigned i = 0; i < 15; i++) {
		const struct tw_packet *p = &t->packet[i];

		assert_int_equal(p->sample.has, TW_SAMPLE_CWND | TW_SAMPLE_SSTHRESH |
						TW_SAMPLE_SND_WND | TW_SAMPLE_RCV_WND |
						TW_SAMPLE_UNACKED_SENT | TW_SAMPLE_UNACKED_RECEIVED);
		assert_int_equal(p->sample.unacked_sent, rows[i].unacked);
		assert_int_equal(p->sample.unacked_received, 0);
		assert_int_equal(p->sample.snd_wnd, 195200);
		assert_true(p->has & TW_SEQ_UNKNOWN);
		if (rows[i].is_sent) {
			assert_sent(p, 1448);
			assert_int_equal(p->seq - una, rows[i].position);
		} else {
			assert_received(p, 0);
			assert_int_equal(p->ack, una); /* all duplicates */
			assert_false(p->has & TW_ACK_UNKNOWN);
		}
	}
	assert_int_equal(t->packet[6].sample.cwnd, 76744);
	assert_int_equal(t->packet[6].sample.ssthresh, 72400);
	assert_int_equal(t->packet[4].sample.cwnd, 147696);
}

/* ACKs that acknowledge: the count falls in the line after. The last one's effect is not seen. */
static void acks_from_unacked(void **state)
{
	const struct text *t = text_read(
		"delta sent  recd  unacked swnd  rwnd\n"
		"(us)  bytes bytes sent\n"
		"   5  1000 \\        0     5000  9000\n"
		"   5  1000 \\     1000     5000  9000\n"
		"   5       / 0   2000     5000  9000\n" /* acknowledges 1000, closes the window a bit */
		"   5       / 300 1000     4000  9000\n" /* and 1000 more, with data */
		"   5   200 \\        0     5000  8700\n"
		"   5       / 0    200     5000  9000\n");
	const struct tw_packet *p = t->packet;

	(void)state;
	assert_int_equal(t->n, 6);
	assert_int_equal(p[1].seq - p[0].seq, 1000);
	assert_int_equal(p[2].ack - p[0].seq, 1000);
	assert_int_equal(p[2].window, 4000); /* what it announced is in the next line */
	assert_int_equal(p[3].ack - p[0].seq, 2000);
	assert_int_equal(p[3].window, 5000);
	assert_int_equal(p[3].payload, 300);
	assert_int_equal(p[4].seq - p[0].seq, 2000);
	assert_int_equal(p[4].ack - p[3].seq, 300); /* every segment acknowledges what came in */
	assert_int_equal(p[4].window, 8700);
	assert_int_equal(p[5].seq - p[3].seq, 300);
	assert_true(p[5].has & TW_ACK_UNKNOWN);
	assert_int_equal(p[5].window, 5000);
}

/* Lines missing from the table: the count moves by itself, and the positions go along. */
static void gaps_in_the_table(void **state)
{
	const struct text *t = text_read(
		"delta sent  recd  unacked\n"
		"(us)  bytes bytes sent\n"
		"   5  1000 \\     4000\n"
		"   5  1000 \\     3000\n" /* an ACK of 2000 is not shown */
		"   5       / 0   4000\n"
		"   5  1000 \\     9000\n" /* 6000 sent and 1000 acknowledged, not shown */
		"   5  1000 \\    10000\n");
	const struct tw_packet *p = t->packet;

	(void)state;
	assert_int_equal(t->n, 5);
	assert_int_equal(p[1].seq - p[0].seq, 1000);
	assert_int_equal(p[4].seq - p[3].seq, 1000);
	assert_true(p[3].seq - p[1].seq >= 1000);
	/* an ACK never falls back */
	assert_true((int32_t)(p[2].ack - (p[1].seq + 1000 - 4000)) >= 0);
}

/* A batch longer than what is looked at together. */
static void long_batch(void **state)
{
	static char text[20000];
	size_t used = (size_t)snprintf(text, sizeof(text), "delta sent recd unacked\n      bytes bytes sent\n");
	const struct text *t;

	(void)state;
	for (int i = 0; i < 100; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "5 10 \\ 500\n");
	snprintf(text + used, sizeof(text) - used, "5 / 0 1500\n");
	t = text_read(text);
	assert_int_equal(t->n, 101);
	for (unsigned i = 1; i < 100; i++)
		assert_int_equal(t->packet[i].seq - t->packet[0].seq, 10 * i);
}

/* Headers of other scripts, with more columns, units, marks and blank fields. */
static void columns_by_header(void **state)
{
	const struct text *t = text_read(
		"dtrace: script './tcp.d' matched 3 probes\n"
		"unacked  delta     send \\  / recd    rto  mss  sack   retrans  cwnd\n"
		"  sent   (ms)     bytes      bytes             fwd     mit\n"
		"   100      2      1448 \\             400 1448     0      1   14480\n"
		"  1548      3            /      20    400 1448  5555      0   14480\n"
		"unacked  delta     send \\  / recd    rto  mss  sack   retrans  cwnd\n"
		"  sent   (ms)     bytes      bytes             fwd     mit\n"
		"\n"
		"# a comment\n"
		"     0      1      1448 \\                 1448                14480\n"
		"not a row\n"
		"1 2 3\n"
		"     0      1      1448 99 \\           1448\n"); /* the mark is not at the bytes */
	const struct tw_packet *p = t->packet;

	(void)state;
	assert_int_equal(t->n, 3);
	assert_int_equal(t->skipped, 4); /* "dtrace: ...", and what follows the third row */
	assert_true(p[0].ts == 2000000);
	assert_true(p[2].ts == 6000000);
	assert_sent(&p[0], 1448);
	assert_received(&p[1], 20);
	assert_int_equal(p[0].sample.has, TW_SAMPLE_UNACKED_SENT | TW_SAMPLE_RTO | TW_SAMPLE_MSS |
					  TW_SAMPLE_RETRANSMITS | TW_SAMPLE_CWND);
	assert_int_equal(p[0].sample.rto_us, 400000); /* illumos keeps ms */
	assert_int_equal(p[0].sample.mss, 1448);
	assert_int_equal(p[0].sample.retransmits, 1);
	assert_int_equal(p[0].sample.cwnd, 14480);
	assert_int_equal(p[1].sample.retransmits, 0);
	assert_int_equal(p[0].has & TW_WINDOW_UNKNOWN, TW_WINDOW_UNKNOWN);
	/* some columns blank: the others by where they stand */
	assert_int_equal(p[2].sample.has, TW_SAMPLE_UNACKED_SENT | TW_SAMPLE_MSS | TW_SAMPLE_CWND);
	assert_int_equal(p[2].sample.mss, 1448);
	assert_int_equal(p[2].sample.cwnd, 14480);
}

/* Tabs, quotation marks, CRLF: the words of a header still stand above each other. */
static void pasted(void **state)
{
	const struct text *t = text_read(
		"> delta\tsend\trecd\tcwnd\tunack\r\n"
		"> (us)\tbytes\tbytes\t\tsent\r\n"
		"> 12\t1448 \\\t\t9000\t0\r\n"
		"> 13\t\t/ 0\t9001\t1448\r\n");

	(void)state;
	assert_int_equal(t->n, 2);
	assert_int_equal(t->packet[0].sample.cwnd, 9000);
	assert_int_equal(t->packet[1].sample.cwnd, 9001);
	assert_int_equal(t->packet[1].sample.unacked_sent, 1448);
}

static void headers_alone(void **state)
{
	static const char *const one[] = { "delta send swnd" };
	static const char *const none[] = { "send recd swnd" };
	static const char *const between[] = { "delta               cwnd", " (us)  send  recd" };
	const size_t length[] = { 15 }, shorter[] = { 14 }, two[] = { 24, 17 };
	struct tw_dtrace_header header;

	(void)state;
	assert_true(tw_dtrace_header(one, length, 1, &header));
	assert_int_equal(header.n, 3);
	assert_int_equal(header.heading[2].column, TW_COLUMN_SND_WND);
	assert_int_equal(header.delta_unit, 1000);
	assert_false(tw_dtrace_header(none, shorter, 1, &header)); /* no time */
	assert_true(tw_dtrace_header(between, two, 2, &header));
	assert_int_equal(header.n, 4);
	assert_int_equal(header.heading[0].column, TW_COLUMN_DELTA);
	assert_int_equal(header.heading[1].column, TW_COLUMN_SENT);
	assert_int_equal(header.heading[2].column, TW_COLUMN_RECEIVED);
	assert_int_equal(header.heading[3].column, TW_COLUMN_CWND);
	assert_true(tw_dtrace_is_heading(" (us) bytes  bytes  swnd", 24));
	assert_false(tw_dtrace_is_heading("the bytes of this and that", 26));
	assert_false(tw_dtrace_is_heading("delta 5", 7));
	assert_false(tw_dtrace_is_heading("", 0));
}

/* As many numbers as columns, but the mark is not where the bytes are: no row of this table. */
static void mark_out_of_place(void **state)
{
	static const char *const lines[] = { "delta sent  recd  cwnd  mss" };
	const size_t length[] = { 27 };
	struct tw_dtrace_header header;
	struct tw_dtrace_row row;

	(void)state;
	assert_true(tw_dtrace_header(lines, length, 1, &header));
	assert_true(tw_dtrace_row(&header, "    5     / 7    900  536", 25, &row));
	assert_int_equal(row.bytes, 7);
	assert_int_equal(row.sample.cwnd, 900);
	assert_false(tw_dtrace_row(&header, "5 7 900 / 536", 13, &row));
	assert_false(tw_dtrace_row(&header, "5 7 900 \\ 536", 13, &row));
}

static void refuses(void **state)
{
	static const char *const texts[] = {
		"delta send recd\n(us) bytes bytes\n",             /* no row */
		"  122 1448 \\  195200 7 131768 2 128872 1073725440\n", /* no header */
		"the delta of the send window\n1 / 2\n",
		"delta bytes sent\n1 99999999999 \\\n",
		"delta bytes sent\n1 \\ 5\n",
		"delta bytes sent\n1 5 \\ /\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!text_read(texts[i])->opened)
			fail_msg("taken: %s", texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(founding_fast),
		cmocka_unit_test(founding_slow),
		cmocka_unit_test(founding_unacked),
		cmocka_unit_test(acks_from_unacked),
		cmocka_unit_test(gaps_in_the_table),
		cmocka_unit_test(long_batch),
		cmocka_unit_test(columns_by_header),
		cmocka_unit_test(pasted),
		cmocka_unit_test(headers_alone),
		cmocka_unit_test(mark_out_of_place),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
