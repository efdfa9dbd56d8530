/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tcpdump's lines of every age. What pasting does to them: see tcpdump_pasted.c; sequence numbers:
 * textseq.c; times: texttime.c.
 */
#include "text.h"

#include "source/textseg.h"

/* What the founding trace is: see the issue that tcpwhy began with. */
static void founding_stall(void **state)
{
	const struct text *t = text_read_file("tests/data/founding/tcpdump-gigabit-stall.txt");
	const struct tw_packet *p = t->packet;
	const uint32_t first = 241921170; /* byte 1 of the data, by the ACK in line 1 */
	uint32_t next = first;
	const int64_t start = SECONDS(11 * 3600 + 31 * 60 + 39.237508);

	(void)state;
	assert_int_equal(t->opened, 0);
	assert_int_equal(t->ended, 0);
	assert_string_equal(t->format, "tcpdump-text");
	assert_int_equal(t->n, 23);
	assert_int_equal(t->skipped, 0);
	assert_int_equal(t->n_warnings, 0);
	assert_true(p[0].ts == start);
	assert_true(p[22].ts - p[0].ts == SECONDS(1.530570));
	for (unsigned i = 0; i < 23; i++) {
		const bool is_data = p[i].src.port == 1051;

		text_assert_endpoint(is_data ? &p[i].src : &p[i].dst, "192.168.2.1:1051");
		text_assert_endpoint(is_data ? &p[i].dst : &p[i].src, "192.168.2.2:5001");
		assert_int_equal(p[i].payload, is_data ? 1448 : 0);
		assert_int_equal(p[i].flags & ~TW_PSH, TW_ACK);
		assert_int_equal(p[i].has, TW_HAS_TIMESTAMPS | TW_IP_DF);
		assert_int_equal(p[i].ip_version, 4);
		/* the other direction never says a byte: all its numbers are one and the same */
		assert_int_equal(is_data ? p[i].ack : p[i].seq, p[0].seq);
		if (is_data && i < 22) {
			assert_int_equal(p[i].seq, next);
			next += 1448;
		} else if (!is_data) {
			/* every ACK falls on an edge of a segment that was sent */
			assert_int_equal((p[i].ack - first) % 1448, 0);
			assert_true((int32_t)(next - p[i].ack) >= 0);
		}
	}
	assert_int_equal(p[1].flags, TW_PSH | TW_ACK);
	assert_int_equal(p[1].window, 32120);
	assert_int_equal(p[1].tsval, 64964);
	assert_int_equal(p[1].tsecr, 90977);
	assert_int_equal(p[0].window, 63712);
	assert_int_equal(p[5].ack, first + 4344);
	/* sent at .728683, but printed before the ACK of .728649: the order of the text stays */
	assert_int_equal(p[20].seq, first + 18824);
	assert_true(p[20].ts - p[21].ts == SECONDS(0.000034));
	/* the resend, and what was outstanding then */
	assert_int_equal(p[22].seq, first + 14480);
	assert_int_equal(p[21].ack, first + 14480);
	assert_int_equal(next - p[21].ack, 4 * 1448);
}

static void flags_form(void **state)
{
	const struct text *t = text_read(
		"reading from file x.pcap, link-type EN10MB (Ethernet), snapshot length 262144\n"
		"00:05:26.167647 IP 192.0.2.1.43030 > 192.0.2.2.8000: Flags [SEW], seq 4294967290, win 65495, "
		"options [mss 1460,sackOK,TS val 2689063127 ecr 0,nop,wscale 7], length 0\n"
		"00:05:26.167658 IP 192.0.2.2.8000 > 192.0.2.1.43030: Flags [S.E], seq 100, ack 4294967291, "
		"win 65483, options [mss 536,sackOK,eol], length 0\n"
		"00:05:26.167712 IP 192.0.2.1.43030 > 192.0.2.2.8000: Flags [P.UW], seq 1:79, ack 1, win 512, "
		"urg 4, options [nop,nop,TS val 9 ecr 8], length 78: HTTP: GET / HTTP/1.1\n"
		"00:05:26.2 IP 192.0.2.2.8000 > 192.0.2.1.43030: Flags [.], ack 79, win 0, "
		"options [nop,nop,sack 2 {101:201}{301:401}], length 0\n"
		"00:05:26.3 IP 192.0.2.2.8000 > 192.0.2.1.43030: Flags [FR.e], seq 1, ack 79, win 9, length 0\n"
		"00:05:26.4 IP 192.0.2.2.8000 > 192.0.2.1.43030: Flags [none], win 9, length 0\n");
	const struct tw_packet *p = t->packet;

	(void)state;
	assert_int_equal(t->n, 6);
	assert_int_equal(t->skipped, 0);
	assert_int_equal(p[0].flags, TW_SYN | TW_ECE | TW_CWR);
	assert_int_equal(p[0].has, TW_HAS_MSS | TW_HAS_SACK_PERMITTED | TW_HAS_TIMESTAMPS |
				   TW_HAS_WSCALE);
	assert_int_equal(p[0].mss, 1460);
	assert_int_equal(p[0].wscale, 7);
	assert_int_equal(p[0].tsval, 2689063127u);
	assert_int_equal(p[0].tsecr, 0);
	assert_int_equal(p[0].seq, 4294967290u);
	assert_int_equal(p[0].window, 65495);
	assert_true(p[0].ts == SECONDS(326.167647));
	assert_int_equal(p[1].flags, TW_SYN | TW_ACK | TW_ECE);
	assert_int_equal(p[1].mss, 536);
	assert_int_equal(p[1].has, TW_HAS_MSS | TW_HAS_SACK_PERMITTED);
	assert_int_equal(p[2].flags, TW_PSH | TW_ACK | TW_URG | TW_CWR);
	assert_int_equal(p[2].seq, 4294967291u);
	assert_int_equal(p[2].payload, 78);
	assert_int_equal(p[2].window, 512);
	assert_int_equal(p[3].ack, 73); /* across the wrap */
	assert_int_equal(p[3].window, 0);
	assert_int_equal(p[3].n_sack, 2);
	assert_int_equal(p[3].sack[0].left, 4294967290u + 101);
	assert_int_equal(p[3].sack[1].right, 4294967290u + 401);
	assert_int_equal(p[4].flags, TW_FIN | TW_RST | TW_ACK | TW_AE);
	assert_int_equal(p[5].flags, 0);
}

static void old_form(void **state)
{
	const struct text *t = text_read(
		"16:34:49.832097 192.0.2.1.1024 > 192.0.2.2.80: SWE 1711254266:1711254266(0) win 8192 "
		"<mss 1460,sackOK,wscale 10,eol> (DF) [tos 0x2,ECT(0)] (ttl 64, id 4242)\n"
		"16:34:49.838957 192.0.2.2.80 > 192.0.2.1.1024: S [tcp sum ok] 500:500(0) ack 1711254267 win 5840 "
		"<mss 536,nop,nop,sackOK,nop,wscale 0> (DF, ttl 63, id 7, len 52)\n"
		"16:34:49.840002 192.0.2.1.1024 > 192.0.2.2.80: P 1:500(499) ack 1 win 8 urg 12\n"
		"16:34:49.875714 192.0.2.1.1024 > 192.0.2.2.80: P ack 1 win 3 <nop,nop,sack sack 1 {7301:8761} >\n"
		"16:34:49.875714 192.0.2.2.80 > 192.0.2.1.1024: . 1:1(0) ack 500 win 5840 "
		"<nop,nop,timestamp 2799999 363440587,nop,nop, sack 1 {36:42} > ( DF)\n"
		"16:34:50 192.0.2.1.1024 > 192.0.2.2.80: FP 500:500(0) ack 1 win 17\n"
		"16:34:50.1 192.0.2.2.80 > 192.0.2.1.1024: R 501:501(0) win 0 [tos 0x10]\n"
		"16:34:50.2 IP (tos 0x3, ttl  61, id 9, offset 0, flags [DF], proto: TCP (6), length: 60) "
		"192.0.2.2.80 > 192.0.2.1.1024: S, cksum 0x1c3e (correct), 501:501(0) ack 1711254267 win 5840\n");
	const struct tw_packet *p = t->packet;

	(void)state;
	assert_int_equal(t->n, 8);
	assert_int_equal(t->skipped, 0);
	assert_int_equal(p[0].flags, TW_SYN | TW_ECE | TW_CWR);
	assert_int_equal(p[0].has, TW_HAS_MSS | TW_HAS_SACK_PERMITTED | TW_HAS_WSCALE | TW_IP_DF |
				   TW_HAS_ECN | TW_HAS_TTL | TW_HAS_IP_ID);
	assert_int_equal(p[0].wscale, 10);
	assert_int_equal(p[0].ecn, 2);
	assert_int_equal(p[0].ttl, 64);
	assert_int_equal(p[0].ip_id, 4242);
	assert_int_equal(p[1].flags, TW_SYN | TW_ACK);
	assert_int_equal(p[1].ttl, 63);
	assert_int_equal(p[1].ip_id, 7);
	assert_true(p[1].has & TW_IP_DF);
	assert_int_equal(p[2].flags, TW_PSH | TW_ACK | TW_URG);
	assert_int_equal(p[2].payload, 499);
	assert_int_equal(p[2].has, 0);
	assert_int_equal(p[3].flags, TW_PSH | TW_ACK);
	assert_int_equal(p[3].payload, 0);
	assert_int_equal(p[3].n_sack, 1);
	assert_int_equal(p[3].sack[0].left, 500 + 7301);
	assert_int_equal(p[4].n_sack, 1);
	assert_int_equal(p[4].sack[0].right, 1711254266 + 42);
	assert_int_equal(p[4].tsval, 2799999);
	assert_int_equal(p[4].has, TW_HAS_TIMESTAMPS | TW_IP_DF);
	assert_int_equal(p[5].flags, TW_FIN | TW_PSH | TW_ACK);
	assert_int_equal(p[6].flags, TW_RST);
	assert_int_equal(p[6].has, TW_HAS_ECN);
	assert_int_equal(p[7].ecn, 3);
	assert_int_equal(p[7].ttl, 61);
	assert_int_equal(p[7].seq, 501);
}

static void verbose_two_lines(void **state)
{
	const struct text *t = text_read(
		"18:24:28.939534 IP (tos 0x2,ECT(0), ttl 57, id 51800, offset 0, flags [DF], proto TCP (6), length 60)\n"
		"    192.0.2.1.60348 > 192.0.2.2.5001: Flags [S], cksum 0x99f2 (incorrect -> 0xde45), "
		"seq 1239755839, win 64240, options [mss 1460], length 0\n"
		"18:24:28.949 IP (tos 0x0, ttl 64, id 0, offset 0, flags [+], proto TCP (6), length 1500)\n"
		"    192.0.2.2.5001 > 192.0.2.1.60348: Flags [.], cksum 0x1 (correct), seq 10:20, ack 1239755840, win 9, length 10\n"
		"\tHTTP/1.1 200 OK\n"
		"\t0x0000:  4500 003c ca58 4000 4006 5bc5 0a4e 0001  E..<.X@.@.[..N..\n"
		"18:24:28.95 IP (tos 0x0, ttl 64, id 1, offset 0, flags [none], proto UDP (17), length 62)\n"
		"    192.0.2.1.53 > 192.0.2.2.53: 2598+ A? example.com. (38)\n"
		"18:24:29.0 IP6 (class 0x03, flowlabel 0xa31ee, hlim 63, next-header TCP (6) payload length: 40) "
		"2001:db8::1.443 > 2001:db8::2.5000: Flags [S], cksum 0x1 (correct), seq 7, win 1, length 0\n"
		"18:24:29.05 IP (tos 0x0, ttl 9, id 1, offset 0, flags [none], proto IPIP (4), length 80)\n"
		"    192.0.2.8 > 192.0.2.9: IP (tos 0x1, ttl 33, id 5, offset 0, flags [DF], proto TCP (6), length 60)\n"
		"    192.0.2.1.1 > 192.0.2.2.2: Flags [S], cksum 0x1 (correct), seq 7, win 1, length 0\n"
		"18:24:29.1 IP6 (flowlabel 0xa31ee, hlim 62, next-header Options (0) payload length: 0) "
		"2001:db8::1 > 2001:db8::2: HBH (jumbo: 80040)  443 > 5000: Flags [.], cksum 0x1 (correct), "
		"seq 8:80008, ack 1, win 1, length 80000\n");
	const struct tw_packet *p = t->packet;

	(void)state;
	assert_int_equal(t->n, 5);
	assert_int_equal(t->skipped, 1); /* UDP: one record, though two lines */
	assert_int_equal(p[0].ttl, 57);
	assert_int_equal(p[0].ip_id, 51800);
	assert_int_equal(p[0].ecn, 2);
	assert_int_equal(p[0].has, TW_HAS_TTL | TW_HAS_IP_ID | TW_HAS_ECN | TW_IP_DF | TW_HAS_MSS);
	assert_int_equal(p[0].seq, 1239755839);
	assert_true(p[0].ts == SECONDS(18 * 3600 + 24 * 60 + 28.939534));
	assert_int_equal(p[1].has, TW_HAS_TTL | TW_HAS_IP_ID | TW_HAS_ECN | TW_IS_FRAGMENT);
	assert_int_equal(p[1].payload, 10);
	assert_int_equal(p[2].ip_version, 6);
	assert_int_equal(p[2].ttl, 63);
	assert_int_equal(p[2].ecn, 3);
	assert_int_equal(p[2].has, TW_HAS_TTL | TW_HAS_ECN);
	text_assert_endpoint(&p[2].src, "[2001:db8::1]:443");
	assert_int_equal(p[3].ttl, 33); /* the inner header */
	assert_int_equal(p[3].ecn, 1);
	text_assert_endpoint(&p[4].src, "[2001:db8::1]:443");
	text_assert_endpoint(&p[4].dst, "[2001:db8::2]:5000");
	assert_int_equal(p[4].ecn, 0);
	assert_int_equal(p[4].payload, 80000);
}

/* The header that an ICMP error quotes did not pass here. */
static void icmp_quotes(void **state)
{
	const struct text *t = text_read(
		"06:06:07.529046 IP 192.0.2.4.1470 > 192.0.2.25.25: Flags [S], seq 1, win 65535, length 0\n"
		"06:06:10.695115 IP (tos 0xc0, ttl 63, id 17689, offset 0, flags [none], proto ICMP (1), length 576)\n"
		"    192.0.2.1 > 192.0.2.4: ICMP 192.0.2.25 unreachable - need to frag (mtu 1492), length 556\n"
		"\tIP (tos 0x0, ttl 126, id 9551, offset 0, flags [DF], proto TCP (6), length 1500)\n"
		"    192.0.2.4.1470 > 192.0.2.25.25: Flags [.], seq 151:1611, ack 463, win 65073, length 1460: SMTP\n"
		"06:06:11.0 192.0.2.1 > 192.0.2.4: icmp: 192.0.2.25 unreachable - need to frag (mtu 1443) [tos 0xc0]\n"
		"06:06:12.0 ARP, Request who-has 192.0.2.254 tell 192.0.2.1, length 28\n");

	(void)state;
	assert_int_equal(t->n, 1);
	assert_int_equal(t->skipped, 3);
}

static void before_the_addresses(void **state)
{
	static const char *const lines[] = {
		/* -e: Ethernet, VLANs, cooked, raw */
		"21:42:06.1 c8:bc:c8:96:d2:a0 > 00:10:db:88:d2:ef, ethertype IPv4 (0x0800), length 74: ",
		("21:42:06.1 c8:bc:c8:96:d2:a0 > 00:10:db:88:d2:ef, ethertype 802.1Q (0x8100), length 86: "
		 "vlan 0, p 5, DEI, ethertype IPv4 (0x0800), "),
		"21:42:06.1 Out ethertype IPv4 (0x0800), length 74: ",
		"21:42:06.1 eth0  Out ifindex 2 00:00:00:00:00:00 ethertype IPv4 (0x0800), length 104: ",
		"21:42:06.1 ip: ",
		"21:42:06.1 0:c0:4f:bc:f8:0 0:60:97:1:2:3 0800 74: ",
		/* -i any */
		"21:42:06.1 eth0  Out IP ",
		/* -# */
		"    1  21:42:06.1 IP ",
		"  12: 21:42:06.1 IP ",
		"12) 21:42:06.1 ",
		/* old Linux tcpdump: direction */
		"21:42:06.1 > ",
		"21:42:06.1 < ",
		/* tunnels */
		"21:42:06.1 MPLS (label 1000, tc 0, [S], ttl 63) IP ",
		"21:42:06.1 IP 192.0.2.8 > 192.0.2.9: IP ",
		"21:42:06.1 IP 192.0.2.8.43443 > 192.0.2.9.6081: Geneve, Flags [none], vni 0xb: IP ",
		"21:42:06.1 IP 192.0.2.8.5 > 192.0.2.9.4789: VXLAN, flags [I] (0x08), vni 1\nIP ",
		"21:42:06.1 IP truncated-ip - 1386 bytes missing! ",
		/* quoted mail, tabs, a no-break space */
		"> 21:42:06.1 IP ",
		">> > 21:42:06.1 IP ",
		"\t21:42:06.1\tIP\t",
		"21:42:06.1\xc2\xa0IP ",
	};
	char text[600];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct text *t;

		snprintf(text, sizeof(text),
			 "%s192.0.2.1.443 > 192.0.2.2.50000: Flags [P.], seq 5:15, ack 9, win 7, length 10\r\n",
			 lines[i]);
		t = text_read(text);
		if (t->opened || t->n != 1)
			fail_msg("not read: %s", text);
		text_assert_endpoint(&t->packet[0].src, "192.0.2.1:443");
		text_assert_endpoint(&t->packet[0].dst, "192.0.2.2:50000");
		assert_true(t->packet[0].ts == SECONDS(21 * 3600 + 42 * 60 + 6.1));
		assert_int_equal(t->packet[0].payload, 10);
		assert_int_equal(t->skipped, 0);
	}
}

static void names_and_services(void **state)
{
	static const struct {
		const char *text, *src, *dst;
	} cases[] = {
		{ "client.1104 > mail.pop3", "client:1104", "mail:110" },
		{ "par > http", "par:0", "http:0" },
		{ "192.0.2.1 > 192.0.2.2", "192.0.2.1:0", "192.0.2.2:0" },
		{ "localhost.46762 > localhost.38255", "localhost:46762", "localhost:38255" },
		{ "192.0.2.1.http > 192.0.2.2.ftp-data", "192.0.2.1:80", "192.0.2.2:20" },
		{ "www.example.com.https > a.example.net.51000", "www.example.com:443", "a.example.net:51000" },
		{ "2001:db8::1.ssh > host6.commplex-link", "[2001:db8::1]:22", "host6:5001" },
		{ "::ffff:192.0.2.7.80 > 192.0.2.8.81", "192.0.2.7:80", "192.0.2.8:81" },
		{ "fe80::1%eth0.22 > fe80::2.1", "[fe80::1]:22", "[fe80::2]:1" },
		/* no port that we know: all of it is the name, and stays apart from others */
		{ "server.example > server.nosuchport", "server.example:0", "server.nosuchport:0" },
		{ "host.99999 > host.1", "host.99999:0", "host:1" },
	};
	char text[300];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct text *t;

		snprintf(text, sizeof(text), "16:26:14.7 %s: . 1:101(100) ack 1 win 5840\n", cases[i].text);
		t = text_read(text);
		if (t->opened || t->n != 1)
			fail_msg("not read: %s", text);
		text_assert_endpoint(&t->packet[0].src, cases[i].src);
		text_assert_endpoint(&t->packet[0].dst, cases[i].dst);
	}
}

static void quiet_form(void **state)
{
	const struct text *t = text_read(
		"08:23:23.254711 192.0.2.1.3913 > 192.0.2.2.22: tcp 112 (DF)\n"
		"08:23:23.295669 192.0.2.2.22 > 192.0.2.1.3913: tcp 0 (DF) [tos 0x10]\n"
		"08:23:24.166039 IP 192.0.2.2.22 > 192.0.2.1.3913: tcp 48\n"
		"08:23:24.166040 IP 192.0.2.1.3913 > 192.0.2.2.22: tcp 1460\n"
		"08:23:24.2 IP 192.0.2.2 > 192.0.2.1: tcp\n"); /* a later fragment: no header */
	const struct tw_packet *p = t->packet;
	const uint32_t unknown = TW_SEQ_UNKNOWN | TW_ACK_UNKNOWN | TW_WINDOW_UNKNOWN;

	(void)state;
	assert_int_equal(t->n, 4);
	assert_int_equal(t->skipped, 1);
	assert_int_equal(p[0].has, unknown | TW_IP_DF);
	assert_int_equal(p[1].has, unknown | TW_IP_DF | TW_HAS_ECN);
	assert_int_equal(p[2].has, unknown);
	assert_int_equal(p[0].payload, 112);
	assert_int_equal(p[2].payload, 48);
	assert_int_equal(p[3].seq - p[0].seq, 112); /* counts the sender's bytes */
	assert_int_equal(p[2].seq - p[1].seq, 0);
	assert_int_equal(t->n_warnings, 1);
	assert_non_null(strstr(t->warning[0], "-q"));
}

/* What a snap length cut, and options that contradict themselves. */
static void cut_and_bad_options(void **state)
{
	const struct text *t = text_read(
		"18:23:39.1 IP 192.0.2.2.5001 > 192.0.2.1.57650: Flags [S.], seq 699854135, ack 1910321910, "
		"win 65160, options [mss 1460,sackOK,TS [|tcp]>\n"
		"18:23:39.2 IP 192.0.2.1.57650 > 192.0.2.2.5001: Flags [P.], seq 7241:8689, ack 1, win 63, "
		"options [nop,nop,TS [|tcp]>\n"
		"18:23:39.3 IP 192.0.2.1.57650 > 192.0.2.2.5001: Flags [.], ack 1, win 63, "
		"options [mss 1460,nop,nop,[bad opt]]\n"
		"18:23:39.4 IP 192.0.2.1.57650 > 192.0.2.2.5001: Flags [.], ack 1, win 63, "
		"options [mptcp 20 capable v0 csum {0x9c9e,0x967d},nop,unknown-253 0xab,TS val 5 ecr 6], length 0\n"
		"18:23:39.5 IP 192.0.2.1.57650 > 192.0.2.2.5001:  [|tcp]\n");
	const struct tw_packet *p = t->packet;

	(void)state;
	assert_int_equal(t->n, 4);
	assert_int_equal(t->skipped, 1);
	assert_int_equal(p[0].has, TW_HAS_MSS | TW_HAS_SACK_PERMITTED | TW_OPTIONS_CUT);
	assert_int_equal(p[1].has, TW_OPTIONS_CUT);
	assert_int_equal(p[1].payload, 1448); /* from the range: the length was cut off */
	assert_int_equal(p[2].has, TW_HAS_MSS | TW_OPTIONS_BAD);
	assert_int_equal(p[2].payload, 0);
	assert_int_equal(p[3].has, TW_HAS_TIMESTAMPS);
	assert_int_equal(p[3].tsecr, 6);
}

/* How whole a line is decides whether others are joined to it. */
static void oddities(void **state)
{
#define FLAGS "192.0.2.1.5 > 192.0.2.2.6: Flags [.], ack 1, win 63, options "
	static const struct {
		const char *line;
		unsigned odd;
	} cases[] = {
		{ FLAGS "[nop,nop,TS val 1 ecr 2], length 0", 0 },
		{ FLAGS "[nop,nop,TS [|tcp]>", 0 },
		{ FLAGS "[nop,nop,TS val 1 ecr, length 0", 4 }, /* a half, an unknown one, no end, no length */
		{ FLAGS "[nop,nop,sack 2 {1:2}], length 0", 1 },
		{ FLAGS "[nop,nop,sack 1 {1:2}{3:4}], length 0", 1 },
		{ FLAGS "[nop,sackOKay], length 0", 1 },
		{ FLAGS "[mss 65536], length 0", 1 },
		{ FLAGS "[nop], length 0 (correct", 0 },
		{ FLAGS "[nop], length 0x", 2 },
		{ FLAGS "[nop], length 0, more", 1 },
		{ "192.0.2.1.5 > 192.0.2.2.6: . ack 1 win 63", 0 },
		{ "192.0.2.1.5 > 192.0.2.2.6: . ack 1 win 63 (DF", 1 },
		{ "192.0.2.1.5 > 192.0.2.2.6: . ack 1 win 63 12345* 1/2/3 (38)", 1 },
		{ "192.0.2.1.5 > 192.0.2.2.6: S ack 1 win 63", 1 },
		{ "192.0.2.1.5 > 192.0.2.2.6: . ack 1", 1 },
		{ "192.0.2.1.5 > 192.0.2.2.6: P 1:2 ack 1 win 5", TW_TEXT_BROKEN },
		{ "192.0.2.1.5 > 192.0.2.2.6: tcp 5 (DF) [tos 0x10]", 0 },
		{ "192.0.2.1.5 > 192.0.2.2.6: tcp 5 apples", 1 },
	};
	struct tw_text_segment segment;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!tw_tcpdump_line(cases[i].line, strlen(cases[i].line), &segment))
			fail_msg("not read: %s", cases[i].line);
		if (segment.odd != cases[i].odd)
			fail_msg("%u oddities: %s", segment.odd, cases[i].line);
	}
}

/* The samples of public reports, where they are: every packet line of each is read. */
static void public_samples(void **state)
{
	static const struct {
		const char *name;
		unsigned packets, skipped;
	} samples[] = {
		{ "accept-queue-overflow.txt", 24, 0 }, { "lost-window-update.txt", 33, 0 },
		{ "mtu-black-hole.txt", 25, 6 }, { "nagle-delayed-ack-loopback.txt", 6, 0 },
		{ "one-loss-fast-retransmit.txt", 14, 0 }, { "rto-never-reestimated.txt", 59, 0 },
		{ "server-stops-reading.txt", 17, 0 }, { "window-scale-mangled.txt", 13, 0 },
		{ "window-scale-mangled.wrapped.txt", 13, 0 },
	};
	static struct text plain;
	const char *cases = getenv("TW_CASES");

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		char path[4096];
		const struct text *t;

		snprintf(path, sizeof(path), "%s/text/%s", cases ? cases : "../shared/cases",
			 samples[i].name);
		t = text_read_file(path);
		if (!t)
			skip();
		if (t->n != samples[i].packets || t->skipped != samples[i].skipped)
			fail_msg("%s: %u packets, %u skipped", path, t->n, (unsigned)t->skipped);
		if (!strcmp(samples[i].name, "window-scale-mangled.txt"))
			plain = *t;
		if (!strcmp(samples[i].name, "window-scale-mangled.wrapped.txt"))
			assert_memory_equal(t->packet, plain.packet, sizeof(plain.packet));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(founding_stall),
		cmocka_unit_test(flags_form),
		cmocka_unit_test(old_form),
		cmocka_unit_test(verbose_two_lines),
		cmocka_unit_test(icmp_quotes),
		cmocka_unit_test(before_the_addresses),
		cmocka_unit_test(names_and_services),
		cmocka_unit_test(quiet_form),
		cmocka_unit_test(cut_and_bad_options),
		cmocka_unit_test(oddities),
		cmocka_unit_test(public_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
