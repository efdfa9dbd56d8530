/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One line of tshark's summary, behind number and time:
 *
 *   192.0.2.1 -> 192.0.2.2 TCP 66 5001 -> 80 [SYN, ACK] Seq=0 Ack=1 Win=65160 Len=0 MSS=1460 WS=128
 *
 * The arrow is "->", ">" or one character of UTF-8; Wireshark's plain text export has none between
 * the addresses. Where the dissector above TCP took the line for itself the numbers are not there.
 */
#include "source/textseg.h"

#include <string.h>
#include <strings.h>

#include "source/scan.h"
#include "source/textname.h"

static bool is_arrow(const struct tw_scan *token)
{
	return tw_scan_is(token, ">") || tw_scan_is(token, "->") ||
	       tw_scan_is(token, "\xe2\x86\x92");
}

static bool next_token(struct tw_scan *s, struct tw_scan *token)
{
	tw_scan_blanks(s);
	return tw_scan_token(s, token);
}

/* The token before `s->end`, which moves to the token's start. */
static bool last_token(struct tw_scan *s, struct tw_scan *token)
{
	while (s->end > s->at && s->end[-1] == ' ')
		s->end--;
	token->end = s->end;
	while (s->end > s->at && s->end[-1] != ' ')
		s->end--;
	token->at = s->end;
	return token->at < token->end;
}

/* "SYN, ACK" */
static bool flags(struct tw_scan s, uint16_t *out)
{
	static const struct {
		const char *name;
		uint16_t flag;
	} names[] = {
		{ "SYN", TW_SYN }, { "ACK", TW_ACK }, { "FIN", TW_FIN }, { "RST", TW_RST },
		{ "PSH", TW_PSH }, { "URG", TW_URG }, { "ECN", TW_ECE }, { "ECE", TW_ECE },
		{ "CWR", TW_CWR }, { "NS", TW_AE }, { "AE", TW_AE }, { "Reserved", 0 },
		{ "<None>", 0 },
	};

	while (s.at < s.end) {
		size_t i;

		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (tw_scan_word(&s, names[i].name))
				break;
		if (i == sizeof(names) / sizeof(names[0]))
			return false;
		*out |= names[i].flag;
		if (!tw_scan_word(&s, ", ") && s.at < s.end)
			return false;
	}
	return true;
}

/*
 * tshark prints the factor, 1 to 16384. Before 1.8 it printed the shift, together with "TSV=". 0
 * and what is no power of two can only be a shift.
 */
static uint8_t shift_of(uint32_t ws, bool is_old)
{
	if (is_old || !ws || ws & (ws - 1))
		return ws > UINT8_MAX ? UINT8_MAX : (uint8_t)ws;
	return (uint8_t)__builtin_ctz(ws);
}

struct values {
	bool seq, ack, win, len, tsval, tsecr, left, ws, is_old;
	uint32_t shift;
};

static void sack(struct tw_packet *p, struct values *said, uint32_t v, bool is_left)
{
	if (p->n_sack == TW_MAX_SACK_BLOCKS)
		return;
	if (is_left) {
		p->sack[p->n_sack].left = v;
	} else if (said->left) {
		p->sack[p->n_sack++].right = v;
	}
	said->left = is_left;
}

/* "Name=1" of those we use. */
static void value(const struct tw_scan *name, uint32_t v, struct tw_packet *p, struct values *said)
{
	if (tw_scan_is(name, "Seq")) {
		p->seq = v;
		said->seq = true;
	} else if (tw_scan_is(name, "Ack")) {
		p->ack = v;
		said->ack = true;
	} else if (tw_scan_is(name, "Win")) {
		p->window = v;
		said->win = true;
	} else if (tw_scan_is(name, "Len")) {
		p->payload = v;
		said->len = true;
	} else if (tw_scan_is(name, "MSS") && v <= UINT16_MAX) {
		p->mss = (uint16_t)v;
		p->has |= TW_HAS_MSS;
	} else if (tw_scan_is(name, "WS")) {
		said->shift = v;
		said->ws = true;
	} else if (tw_scan_is(name, "TSval") || tw_scan_is(name, "TSV")) {
		p->tsval = v;
		said->tsval = true;
		said->is_old |= tw_scan_is(name, "TSV");
	} else if (tw_scan_is(name, "TSecr") || tw_scan_is(name, "TSER")) {
		p->tsecr = v;
		said->tsecr = true;
	} else if (tw_scan_is(name, "SLE") || tw_scan_is(name, "SRE")) {
		sack(p, said, v, tw_scan_is(name, "SLE"));
	} else if (tw_scan_is(name, "SACK_PERM")) {
		p->has |= TW_HAS_SACK_PERMITTED;
	}
}

/* "Seq=1 Ack=1 Win=64512 Len=1448 TSval=2345639244 TSecr=3900409526", and notes in brackets. */
static void values(struct tw_scan s, struct tw_text_segment *out)
{
	struct tw_packet *p = &out->packet;
	struct values said = { 0 };
	struct tw_scan token;

	while (next_token(&s, &token)) {
		struct tw_scan name = token;
		uint32_t v;

		if (*token.at == '[') {
			const char *close = memchr(token.at, ']', (size_t)(s.end - token.at));

			s.at = close ? close + 1 : s.end;
			continue;
		}
		if (tw_scan_is(&token, "SACK_PERM"))
			p->has |= TW_HAS_SACK_PERMITTED;
		token.at = memchr(name.at, '=', tw_scan_left(&name));
		if (!token.at)
			continue;
		name.end = token.at++;
		/* a note may follow at once: "TSecr=1[Packet size limited ...]", "Len=9, JSON" */
		if (tw_scan_u32(&token, &v) &&
		    (token.at == token.end || *token.at == '[' || *token.at == ','))
			value(&name, v, p, &said);
		else
			out->odd++;
	}
	if (said.ws) {
		p->wscale = shift_of(said.shift, said.is_old);
		p->has |= TW_HAS_WSCALE;
	}
	if (said.tsval && said.tsecr)
		p->has |= TW_HAS_TIMESTAMPS;
	if (!said.win)
		p->has |= TW_WINDOW_UNKNOWN;
	out->has_seq = said.seq;
	out->odd += !said.win;
	if (!said.seq || !said.len || said.ack != !!(p->flags & TW_ACK) || p->payload >= 1u << 30)
		out->odd += TW_TEXT_BROKEN;
}

/*
 * Protocols that tshark names in TCP's stead when it knows what the payload is; or it leaves "TCP"
 * and shows their text all the same.
 */
static bool is_above_tcp(const struct tw_scan *protocol)
{
	static const char *const names[] = {
		"TCP", "HTTP", "TLS", "SSL", "SSH", "SMB", "FTP", "SMTP", "IMAP", "POP", "LDAP",
		"MySQL", "PGSQL", "TDS", "TNS", "TELNET", "Chargen", "Rlogin", "X11", "IRC", "BGP",
		"RDP", "NFS", "RPC", "iSCSI", "AJP13", "Modbus", "MQTT", "AMQP", "Redis", "NBSS",
		"WebSocket", "XMPP", "RTSP", "RTMP", "SOCKS", "Memcache", "MONGO", "KRB5", "DCERPC",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);

		/* "TLSv1.3", "SMB2", "FTP-DATA" */
		if (tw_scan_left(protocol) >= n && !strncasecmp(protocol->at, names[i], n))
			return true;
	}
	return false;
}

/*
 * "60348 -> 5001 [SYN] " before "Seq=": the ports and flags are the last tokens of `s`; notes like
 * "[TCP Retransmission]" come before them.
 */
static bool ports_and_flags(struct tw_scan s, struct tw_text_segment *out, uint16_t port[2])
{
	struct tw_scan list = s, arrow, from, to;

	while (list.end > list.at && list.end[-1] == ' ')
		list.end--;
	if (list.at == list.end || *--list.end != ']')
		return false;
	list.at = memrchr(list.at, '[', tw_scan_left(&list));
	if (!list.at)
		return false;
	s.end = list.at++;
	if (!flags(list, &out->packet.flags) || !last_token(&s, &to) || !last_token(&s, &arrow) ||
	    !is_arrow(&arrow) || !last_token(&s, &from))
		return false;
	if (tw_scan_find(&s, "[TCP Port numbers reused]"))
		out->ports_reused = true;
	return tw_text_port(from.at, tw_scan_left(&from), &port[0]) &&
	       tw_text_port(to.at, tw_scan_left(&to), &port[1]);
}

bool tw_tshark_line(const char *text, size_t n, struct tw_text_segment *out, bool *hidden)
{
	struct tw_scan s = tw_scan_over(text, n), head, from, to, protocol, length;
	struct tw_packet *p = &out->packet;
	uint16_t port[2];
	uint32_t v;

	*hidden = false;
	*out = (struct tw_text_segment){ .packet.ip_version = 4, .style = TW_TEXT_TSHARK };
	if (!next_token(&s, &from) || !next_token(&s, &to))
		return false;
	if (is_arrow(&to) && !next_token(&s, &to))
		return false;
	if (!next_token(&s, &protocol) || !next_token(&s, &length) || !tw_scan_u32(&length, &v) ||
	    length.at < length.end)
		return false;
	head = s;
	s.at = tw_scan_find(&s, " Seq=");
	head.end = s.at;
	if (!s.at || !ports_and_flags(head, out, port)) {
		*hidden = is_above_tcp(&protocol);
		return false;
	}
	values(s, out);
	return tw_text_host(from.at, tw_scan_left(&from), port[0], &p->src, &p->ip_version) &&
	       tw_text_host(to.at, tw_scan_left(&to), port[1], &p->dst, &p->ip_version);
}
