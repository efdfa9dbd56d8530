/* SPDX-License-Identifier: BSD-2-Clause */
/* Absolute numbers out of relative ones, whatever the text began with. */
#include "text.h"

#include "source/textseq.h"

/* Offsets of both directions' numbers from those of a reference, kept the same throughout. */
static void assert_same_but_origin(const struct text *t, const struct tw_packet *reference, unsigned n)
{
	uint32_t offset[2];
	bool known[2] = { false, false };

	assert_int_equal(t->n, n);
	for (unsigned i = 0; i < n; i++) {
		const struct tw_packet *p = &t->packet[i], *r = &reference[i];
		int from = r->src.port > r->dst.port;
		uint32_t d[2] = { p->seq - r->seq, p->ack - r->ack };

		for (int k = 0; k < 2; k++) {
			int side = k ? !from : from;

			if (k && !(r->flags & TW_ACK))
				continue;
			if (!known[side])
				offset[side] = d[k];
			known[side] = true;
			if (d[k] != offset[side])
				fail_msg("packet %u, %s: off by %u, before by %u", i + 1,
					 k ? "ack" : "seq", d[k], offset[side]);
		}
		for (int k = 0; k < r->n_sack; k++) {
			assert_int_equal(p->sack[k].left - r->sack[k].left, offset[!from]);
			assert_int_equal(p->sack[k].right - r->sack[k].right, offset[!from]);
		}
	}
}

/* One connection, as tcpdump writes it without and with -S; a loss, a SACK, a DSACK, a close. */
#define A "07:06:51.%d IP 192.0.2.1.1000 > 192.0.2.2.2000: Flags "
#define B "07:06:51.%d IP 192.0.2.2.2000 > 192.0.2.1.1000: Flags "
static const struct line {
	const char *relative, *absolute;
} lines[] = {
	{ A "[S], seq 4000000000, win 9, length 0\n", A "[S], seq 4000000000, win 9, length 0\n" },
	{ B "[S.], seq 100000, ack 4000000001, win 9, length 0\n",
	  B "[S.], seq 100000, ack 4000000001, win 9, length 0\n" },
	{ A "[.], ack 1, win 9, length 0\n", A "[.], ack 100001, win 9, length 0\n" },
	{ A "[P.], seq 1:101, ack 1, win 9, length 100\n",
	  A "[P.], seq 4000000001:4000000101, ack 100001, win 9, length 100\n" },
	{ B "[.], ack 101, win 9, length 0\n", B "[.], ack 4000000101, win 9, length 0\n" },
	{ B "[.], seq 1:1449, ack 101, win 9, length 1448\n",
	  B "[.], seq 100001:101449, ack 4000000101, win 9, length 1448\n" },
	{ B "[.], seq 2897:4345, ack 101, win 9, length 1448\n",
	  B "[.], seq 102897:104345, ack 4000000101, win 9, length 1448\n" },
	{ A "[.], ack 1449, win 9, options [nop,nop,sack 1 {2897:4345}], length 0\n",
	  A "[.], ack 101449, win 9, options [nop,nop,sack 1 {102897:104345}], length 0\n" },
	{ B "[.], seq 1449:2897, ack 101, win 9, length 1448\n",
	  B "[.], seq 101449:102897, ack 4000000101, win 9, length 1448\n" },
	{ A "[.], ack 4345, win 9, options [nop,nop,sack 1 {1449:2897}], length 0\n",
	  A "[.], ack 104345, win 9, options [nop,nop,sack 1 {101449:102897}], length 0\n" },
	{ B "[F.], seq 4345, ack 101, win 9, length 0\n",
	  B "[F.], seq 104345, ack 4000000101, win 9, length 0\n" },
	{ A "[F.], seq 101, ack 4346, win 9, length 0\n",
	  A "[F.], seq 4000000101, ack 104346, win 9, length 0\n" },
	{ A "[.], ack 4346, win 8, length 0\n", A "[.], ack 104346, win 8, length 0\n" },
	{ B "[.], ack 102, win 9, length 0\n", B "[.], ack 4000000102, win 9, length 0\n" },
	{ A "[R], seq 4000000102, win 0, length 0\n", A "[R], seq 4000000102, win 0, length 0\n" },
};
enum { LINES = sizeof(lines) / sizeof(lines[0]) };

static const struct text *read_lines(unsigned from, bool absolute)
{
	static char text[4096];
	size_t used = 0;

	for (unsigned i = from; i < LINES; i++) {
		char format[200];

		/* the times are of no matter */
		snprintf(format, sizeof(format), "%s", absolute ? lines[i].absolute : lines[i].relative);
		memcpy(strstr(format, "%d"), "10", 2);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", format);
	}
	return text_read(text);
}

static void both_ways_alike(void **state)
{
	static struct tw_packet absolute[LINES];
	const struct text *t = read_lines(0, true);

	(void)state;
	assert_int_equal(t->n, LINES);
	memcpy(absolute, t->packet, sizeof(absolute));
	assert_int_equal(absolute[3].seq, 4000000001u);
	assert_int_equal(absolute[2].seq, 4000000001u); /* not printed: where it stands */
	assert_int_equal(absolute[4].seq, 100001);
	assert_int_equal(absolute[12].seq, 4000000102); /* behind the FIN */
	assert_int_equal(absolute[13].seq, 104346);
	assert_int_equal(absolute[9].sack[0].left, 101449);
	t = read_lines(0, false);
	assert_memory_equal(t->packet, absolute, sizeof(absolute));
}

/* From every line on: a paste seldom has the SYN. With -S nothing is lost ... */
static void absolute_in_mid_listing(void **state)
{
	static struct tw_packet whole[LINES];

	(void)state;
	memcpy(whole, read_lines(0, true)->packet, sizeof(whole));
	for (unsigned from = 1; from + 1 < LINES; from++) {
		const struct text *t = read_lines(from, true);

		assert_int_equal(t->n, LINES - from);
		for (unsigned i = 0; i < t->n; i++) {
			/* a pure ACK's number may never be told in what is left */
			if (from + i >= 2 && whole[from + i].payload)
				assert_int_equal(t->packet[i].seq, whole[from + i].seq);
			if (whole[from + i].flags & TW_ACK)
				assert_int_equal(t->packet[i].ack, whole[from + i].ack);
			if (whole[from + i].n_sack)
				assert_int_equal(t->packet[i].sack[0].left,
						 whole[from + i].sack[0].left);
		}
	}
}

/* ... with relative numbers the origin is, but all stay consistent. */
static void relative_in_mid_listing(void **state)
{
	static struct tw_packet whole[LINES];

	(void)state;
	memcpy(whole, read_lines(0, true)->packet, sizeof(whole));
	for (unsigned from = 2; from + 2 < LINES; from++)
		assert_same_but_origin(read_lines(from, false), whole + from, LINES - from);
}

/* The SYN-ACK alone is missing; or the SYN is all that there is of one direction. */
static void gaps_in_the_handshake(void **state)
{
	const struct text *t = text_read(
		"07:06:51.1 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [S], seq 1000000, win 9, length 0\n"
		"07:06:51.3 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [P.], seq 1:466, ack 1, win 9, length 465\n"
		"07:06:51.4 IP 192.0.2.2.2 > 192.0.2.1.1: Flags [P.], seq 1:11, ack 466, win 9, length 10\n"
		"07:06:51.5 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [.], ack 11, win 9, length 0\n");

	(void)state;
	assert_int_equal(t->packet[1].seq, 1000001);
	assert_int_equal(t->packet[2].ack, 1000466);
	assert_int_equal(t->packet[2].seq, t->packet[1].ack);
	assert_int_equal(t->packet[3].ack, t->packet[1].ack + 10);
	/* one-way, as tcpdump prints it: it counts from the first ACK, whose own number it hides */
	t = text_read(
		"18:52:23.841133 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [S], seq 3435842502, win 9, length 0\n"
		"18:52:23.853665 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [.], ack 751188074, win 9, length 0\n"
		"18:52:23.853844 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [P.], seq 0:397, ack 1, win 9, length 397\n"
		"18:52:23.868446 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [.], ack 2921, win 9, length 0\n");
	assert_int_equal(t->packet[1].seq, 3435842503u);
	assert_int_equal(t->packet[2].seq, 3435842503u);
	assert_int_equal(t->packet[2].ack, 751188074);
	assert_int_equal(t->packet[3].ack, 751188073 + 2921);
	assert_int_equal(t->packet[3].seq, 3435842503u + 397);
}

/* The first segment with an ACK, in mid-stream, is absolute, its SACK block relative already. */
static void first_segment_in_mid_stream(void **state)
{
	const struct text *t = text_read(
		"07:06:51.1 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [.], ack 3000000001, win 9, "
		"options [nop,nop,sack 1 {1001:2001}], length 0\n"
		"07:06:51.2 IP 192.0.2.2.2 > 192.0.2.1.1: Flags [.], seq 1:1001, ack 0, win 9, length 1000\n"
		"07:06:51.3 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [.], ack 2001, win 9, length 0\n");

	(void)state;
	assert_int_equal(t->packet[0].sack[0].left, 3000001001u);
	assert_int_equal(t->packet[1].seq, 3000000001u);
	assert_int_equal(t->packet[1].ack, t->packet[0].seq);
	assert_int_equal(t->packet[2].ack, 3000002001u);
	assert_int_equal(t->packet[2].seq, t->packet[0].seq);
}

/* A RST without ACK is absolute among relative numbers; where nothing relates it, it is put in place. */
static void reset_without_ack(void **state)
{
	const struct text *t = text_read(
		"16:26:14.1 192.0.2.1.1 > 192.0.2.2.2: P 30:36(6) ack 137 win 8976\n"
		"16:26:14.2 192.0.2.2.2 > 192.0.2.1.1: P 137:149(12) ack 36 win 5840\n"
		"16:26:14.3 192.0.2.2.2 > 192.0.2.1.1: R 26897657:26897657(0) win 0\n");

	(void)state;
	assert_int_equal(t->packet[0].seq, 30);
	assert_int_equal(t->packet[1].seq, 137);
	assert_int_equal(t->packet[2].seq, 149);
}

/* Tiny first numbers: both readings are near, the nearer is right. */
static void small_initial_numbers(void **state)
{
	const struct text *t = text_read(
		"07:06:51.1 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [S], seq 1000, win 9, length 0\n"
		"07:06:51.2 IP 192.0.2.2.2 > 192.0.2.1.1: Flags [S.], seq 5, ack 1001, win 9, length 0\n"
		"07:06:51.3 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [P.], seq 1:2001, ack 1, win 9, length 2000\n"
		"07:06:51.4 IP 192.0.2.2.2 > 192.0.2.1.1: Flags [.], ack 1, win 9, "
		"options [nop,nop,sack 1 {5001:7001}], length 0\n");

	(void)state;
	assert_int_equal(t->packet[2].seq, 1001);
	assert_int_equal(t->packet[2].ack, 6);
	assert_int_equal(t->packet[3].ack, 1001);
	assert_int_equal(t->packet[3].sack[0].left, 6001);
	t = text_read(
		"07:06:51.1 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [S], seq 1000, win 9, length 0\n"
		"07:06:51.2 IP 192.0.2.2.2 > 192.0.2.1.1: Flags [S.], seq 5, ack 1001, win 9, length 0\n"
		"07:06:51.3 IP 192.0.2.1.1 > 192.0.2.2.2: Flags [P.], seq 1001:3001, ack 6, win 9, length 2000\n"
		"07:06:51.4 IP 192.0.2.2.2 > 192.0.2.1.1: Flags [.], ack 1001, win 9, "
		"options [nop,nop,sack 1 {6001:8001}], length 0\n");
	assert_int_equal(t->packet[2].seq, 1001);
	assert_int_equal(t->packet[2].ack, 6);
	assert_int_equal(t->packet[3].sack[0].left, 6001);
}

/* The same ports again: a new SYN-ACK sets new origins, one that is only repeated does not. */
static void new_connection_on_old_ports(void **state)
{
	const struct text *t = text_read(
		"07:06:51.1 192.0.2.1.1 > 192.0.2.2.2: S 1000000:1000000(0) win 9\n"
		"07:06:51.2 192.0.2.2.2 > 192.0.2.1.1: S 2000000:2000000(0) ack 1000001 win 9\n"
		"07:06:51.3 192.0.2.1.1 > 192.0.2.2.2: P 1:101(100) ack 1 win 9\n"
		"07:06:51.4 192.0.2.2.2 > 192.0.2.1.1: S 2000000:2000000(0) ack 1000001 win 9\n"
		"07:06:51.5 192.0.2.1.1 > 192.0.2.2.2: P 101:201(100) ack 1 win 9\n"
		"07:06:51.6 192.0.2.2.2 > 192.0.2.1.1: P 1:51(50) ack 101 win 9\n"
		"07:06:51.7 192.0.2.1.1 > 192.0.2.2.2: S 1000000:1000000(0) win 9\n"
		"07:06:51.8 192.0.2.1.1 > 192.0.2.2.2: . ack 1 win 9\n"
		"07:06:51.9 192.0.2.2.2 > 192.0.2.1.1: S 2000000:2000000(0) ack 1000001 win 9\n"
		"07:06:51.9 192.0.2.2.2 > 192.0.2.1.1: . ack 101 win 9\n"
		"07:06:52.1 192.0.2.1.1 > 192.0.2.2.2: S 3000000000:3000000000(0) win 9\n"
		"07:06:52.2 192.0.2.2.2 > 192.0.2.1.1: S 4000000000:4000000000(0) ack 3000000001 win 9\n"
		"07:06:52.3 192.0.2.1.1 > 192.0.2.2.2: . ack 1 win 9\n"
		"07:06:52.4 192.0.2.1.1 > 192.0.2.2.2: P 1:101(100) ack 1 win 9\n");

	(void)state;
	assert_int_equal(t->packet[4].seq, 1000101);
	assert_int_equal(t->packet[7].seq, 1000201); /* where it stood before the SYN came again */
	assert_int_equal(t->packet[9].seq, 2000051);
	assert_int_equal(t->packet[12].seq, 3000000001u);
	assert_int_equal(t->packet[12].ack, 4000000001u);
	assert_int_equal(t->packet[13].seq, 3000000001u);
}

/* More connections than are followed: each alone is still read, and what was forgotten is counted. */
static void forgets_the_least_recent(void **state)
{
	struct tw_textseq *seqs = NULL;
	struct tw_text_segment s = { .has_seq = true };

	(void)state;
	assert_int_equal(tw_textseq_new(&seqs, 256), 0);
	tw_textseq_rewind(seqs);
	for (unsigned i = 0; i < 2000; i++) {
		/* one connection stays busy among many that come and go */
		for (unsigned busy = 0; busy < 2; busy++) {
			s.packet = (struct tw_packet){ .flags = TW_SYN | TW_ACK, .seq = 1000000,
						       .ack = 2000001 };
			s.packet.src.port = busy ? 1 : (uint16_t)(100 + i);
			s.packet.dst.port = 2;
			if (!busy || !i) {
				tw_textseq_resolve(seqs, &s);
				assert_int_equal(s.packet.seq, 1000000);
			}
			s.packet = (struct tw_packet){ .flags = TW_ACK, .seq = 1, .ack = 1,
						       .payload = 10, .src = s.packet.src,
						       .dst = s.packet.dst };
			tw_textseq_resolve(seqs, &s);
			assert_int_equal(s.packet.seq, 1000001);
			assert_int_equal(s.packet.ack, 2000001);
		}
	}
	assert_in_range(tw_textseq_forgotten(seqs), 2001 - 256, 2001);
	tw_textseq_free(seqs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_alike),
		cmocka_unit_test(absolute_in_mid_listing),
		cmocka_unit_test(relative_in_mid_listing),
		cmocka_unit_test(gaps_in_the_handshake),
		cmocka_unit_test(first_segment_in_mid_stream),
		cmocka_unit_test(reset_without_ack),
		cmocka_unit_test(small_initial_numbers),
		cmocka_unit_test(new_connection_on_old_ports),
		cmocka_unit_test(forgets_the_least_recent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
