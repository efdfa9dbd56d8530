/* SPDX-License-Identifier: BSD-2-Clause */
/* tshark's and Wireshark's one-line summaries. */
#include "text.h"

#define ARROW "\xe2\x86\x92"

static void handshake_and_data(void **state)
{
	const struct text *t = text_read(
		"Running as user \"root\" and group \"root\". This could be dangerous.\n"
		"    1   0.000000    192.0.2.1 " ARROW " 192.0.2.2    TCP 60 60348 " ARROW
		" 5001 [SYN] Seq=0 Win=64240 Len=0 MSS=1460 SACK_PERM TSval=2345639233 TSecr=0 WS=1024\n"
		"    2   0.010330    192.0.2.2 " ARROW " 192.0.2.1    TCP 60 5001 " ARROW
		" 60348 [SYN, ACK, ECE] Seq=0 Ack=1 Win=65160 Len=0 MSS=536 SACK_PERM=1 WS=128\n"
		"    3   0.010550    192.0.2.1 " ARROW " 192.0.2.2    TCP 1500 60348 " ARROW
		" 5001 [PSH, ACK] Seq=1 Ack=1 Win=64512 Len=1448 TSval=5 TSecr=6[Packet size limited during capture]\n"
		"    4   0.020959    192.0.2.2 " ARROW " 192.0.2.1    TCP 52 [TCP Window Update] , [TCP Dup ACK 2#1] 5001 "
		ARROW " 60348 [ACK] Seq=1 Ack=1449 Win=1513472 [TCP CHECKSUM INCORRECT] Len=0 SLE=2897 SRE=4345 SLE=7 SRE=9\n"
		"    5   0.03 192.0.2.2 -> 192.0.2.1 TCP 52 http > 60348 [FIN, PSH, URG, ACK] Seq=1 Ack=1449 Win=0 Urg=1 Len=0\n"
		"    6   0.04 192.0.2.2 -> 192.0.2.1 TCP 52 5001 > 60348 [RST] Seq=2 Win=0 Len=0\n"
		"    7   0.05 192.0.2.2 -> 192.0.2.1 TCP/JSON 52 5001 > 60348 [<None>] Seq=2 Win=0 Len=13, JavaScript\n");
	const struct tw_packet *p = t->packet;

	(void)state;
	assert_string_equal(t->title, "tshark text");
	assert_int_equal(t->n, 7);
	assert_int_equal(t->skipped, 0);
	assert_int_equal(p[0].flags, TW_SYN);
	assert_int_equal(p[0].has, TW_HAS_MSS | TW_HAS_SACK_PERMITTED | TW_HAS_TIMESTAMPS |
				   TW_HAS_WSCALE | TW_TIME_IS_RELATIVE);
	assert_int_equal(p[0].wscale, 10); /* printed as the factor */
	assert_int_equal(p[0].window, 64240);
	text_assert_endpoint(&p[0].src, "192.0.2.1:60348");
	text_assert_endpoint(&p[0].dst, "192.0.2.2:5001");
	assert_int_equal(p[1].flags, TW_SYN | TW_ACK | TW_ECE);
	assert_int_equal(p[1].wscale, 7);
	assert_int_equal(p[1].has, TW_HAS_MSS | TW_HAS_SACK_PERMITTED | TW_HAS_WSCALE |
				   TW_TIME_IS_RELATIVE);
	assert_int_equal(p[2].flags, TW_PSH | TW_ACK);
	assert_int_equal(p[2].payload, 1448);
	assert_int_equal(p[2].seq, p[0].seq + 1);
	assert_int_equal(p[2].ack, p[1].seq + 1);
	assert_int_equal(p[2].tsecr, 6);
	assert_int_equal(p[2].has, TW_HAS_TIMESTAMPS | TW_WINDOW_IS_SCALED | TW_TIME_IS_RELATIVE);
	assert_int_equal(p[3].window, 1513472);
	assert_int_equal(p[3].n_sack, 2);
	assert_int_equal(p[3].sack[0].left, p[0].seq + 2897);
	assert_int_equal(p[3].sack[1].right, p[0].seq + 9);
	assert_int_equal(p[4].flags, TW_FIN | TW_PSH | TW_URG | TW_ACK);
	assert_int_equal(p[4].src.port, 80);
	assert_int_equal(p[5].flags, TW_RST);
	assert_int_equal(p[6].flags, 0);
	assert_int_equal(p[6].payload, 13);
	assert_true(p[3].ts == 20959000);
}

/* Wireshark's plain text export has no arrow between the addresses; IPv6; names; a date. */
static void other_shapes(void **state)
{
	const struct text *t = text_read(
		"No.     Time           Source                Destination           Protocol Length Info\n"
		"      1 0.000000       192.0.2.1             192.0.2.2             TCP      60     60348 > 5001 [SYN] Seq=0 Win=1 Len=0\n"
		"\n"
		"1 2026-11-30 18:24:28.939534 2001:db8::1 " ARROW " 2001:db8::2 TCP 60 1 " ARROW " 2 [ACK] Seq=1 Ack=1 Win=1 Len=0\n"
		"2 18:24:28.9 client.example > server.example TCP 60 ssh(22) > 5000(5000) [ACK] Seq=1 Ack=1 Win=70000 Len=0\n"
		"3 18:24:28.9 a > b MPTCP 60 1 > 2 [SYN] Seq=0 Win=5 Len=0 MSS=1 WS=8 TSV=1 TSER=2\n");
	const struct tw_packet *p = t->packet;

	(void)state;
	assert_int_equal(t->n, 4);
	text_assert_endpoint(&p[0].dst, "192.0.2.2:5001");
	text_assert_endpoint(&p[1].src, "[2001:db8::1]:1");
	assert_int_equal(p[1].ip_version, 6);
	assert_true(p[1].ts == INT64_C(1796063068939534000));
	text_assert_endpoint(&p[2].src, "client.example:22");
	text_assert_endpoint(&p[2].dst, "server.example:5000");
	assert_int_equal(p[3].wscale, 8); /* with TSV: before 1.8, which printed the shift */
	assert_int_equal(p[3].tsecr, 2);
}

/* "Win" is scaled only where tshark saw the sender's SYN; without it, the wire's value is printed. */
static void windows_without_handshake(void **state)
{
	const struct text *t = text_read(
		"1 0.0 192.0.2.1 > 192.0.2.2 TCP 60 1 > 2 [ACK] Seq=1 Ack=1 Win=4069 Len=0\n"
		"2 0.1 192.0.2.1 > 192.0.2.2 TCP 60 1 > 2 [ACK] Seq=1 Ack=1 Win=131072 Len=0\n");

	(void)state;
	assert_false(t->packet[0].has & TW_WINDOW_IS_SCALED);
	assert_true(t->packet[1].has & TW_WINDOW_IS_SCALED); /* the wire has no such value */
}

/* tshark's numbers begin at 0 again with a new connection on old ports. */
static void reused_ports(void **state)
{
	const struct text *t = text_read(
		"1 0.0 192.0.2.1 > 192.0.2.2 TCP 60 1 > 2 [SYN] Seq=0 Win=1 Len=0\n"
		"2 0.1 192.0.2.1 > 192.0.2.2 TCP 60 [TCP Retransmission] 1 > 2 [SYN] Seq=0 Win=1 Len=0\n"
		"3 0.2 192.0.2.1 > 192.0.2.2 TCP 60 [TCP Port numbers reused] 1 > 2 [SYN] Seq=0 Win=1 Len=0\n"
		"4 0.3 192.0.2.2 > 192.0.2.1 TCP 60 2 > 1 [SYN, ACK] Seq=0 Ack=1 Win=1 Len=0\n"
		"5 0.4 192.0.2.1 > 192.0.2.2 TCP 60 1 > 2 [ACK] Seq=1 Ack=1 Win=1 Len=0\n");
	const struct tw_packet *p = t->packet;

	(void)state;
	assert_int_equal(p[1].seq, p[0].seq);
	assert_int_not_equal(p[2].seq, p[0].seq);
	assert_int_equal(p[3].ack, p[2].seq + 1);
	assert_int_equal(p[4].seq, p[2].seq + 1);
	assert_int_equal(p[4].ack, p[3].seq + 1);
}

static void hidden_and_other_lines(void **state)
{
	const struct text *t = text_read(
		"1 0.0 192.0.2.1 > 192.0.2.2 TCP 60 1 > 2 [ACK] Seq=1 Ack=1 Win=1 Len=0\n"
		"2 0.1 192.0.2.1 > 192.0.2.2 HTTP 541 GET / HTTP/1.1\n"
		"3 0.2 192.0.2.1 > 192.0.2.2 TLSv1.3 541 Client Hello\n"
		"4 0.3 192.0.2.1 > 192.0.2.2 TCP 1414 HTTP/1.1 200 OK  [TCP segment of a reassembled PDU]\n"
		"5 0.4 192.0.2.1 > 192.0.2.2 DNS 76 Standard query 0x7956 A example.com\n"
		"6 0.5 AcctonTe_a0:06:15 > Broadcast ARP 64 Who has 192.0.2.1? Tell 192.0.2.2\n"
		"7 0.6 192.0.2.1 > 192.0.2.2 RTP 214 PT=ITU-T G.711 PCMU, SSRC=0x1, Seq=5, Time=1\n"
		"8 0.7 192.0.2.1 > 192.0.2.2 TCP 60 1 > 2 [ACK] Seq=99999999999 Ack=1 Win=1 Len=0\n");

	(void)state;
	assert_int_equal(t->n, 1);
	assert_int_equal(t->skipped, 7);
	assert_int_equal(t->n_warnings, 2);
	assert_non_null(strstr(t->warning[1], "1 damaged"));
	assert_non_null(strstr(t->warning[0], "shows 3 segments"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handshake_and_data),
		cmocka_unit_test(other_shapes),
		cmocka_unit_test(windows_without_handshake),
		cmocka_unit_test(reused_ports),
		cmocka_unit_test(hidden_and_other_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
