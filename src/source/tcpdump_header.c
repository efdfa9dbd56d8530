/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of tcpdump's lines that old and new forms share: TCP options, and the IP header. */
#include "source/textseg.h"

#include <string.h>

#include "source/scan.h"

enum {
	OPTIONS_MAX = 40, /* in one header: that many bytes, RFC 9293 section 3.1 */
	ODD_MAX = 8,      /* things wrong in a list of options that is still one */
};

/* Passes over one option that says nothing to us, up to the comma that ends it. */
static void pass_option(struct tw_scan *s)
{
	int depth = 0;

	for (; s->at < s->end; s->at++) {
		if (*s->at == '{' || *s->at == '(' || *s->at == '[')
			depth++;
		else if (*s->at == '}' || *s->at == ')' || *s->at == ']')
			depth--;
		else if (*s->at == ',' && depth <= 0)
			break;
	}
}

/* "2 {1:2}{3:4}"; an older tcpdump said "sack" once more, and put blanks between. */
static bool sack_option(struct tw_scan *s, struct tw_packet *p)
{
	uint32_t n, found = 0;

	if (tw_scan_word(s, "sack"))
		tw_scan_blanks(s);
	if (!tw_scan_u32(s, &n))
		return false;
	tw_scan_blanks(s);
	while (tw_scan_word(s, "{")) {
		struct tw_sack_block block;

		if (!tw_scan_u32(s, &block.left) || !tw_scan_word(s, ":") ||
		    !tw_scan_u32(s, &block.right) || !tw_scan_word(s, "}"))
			return false;
		if (p->n_sack < TW_MAX_SACK_BLOCKS)
			p->sack[p->n_sack++] = block;
		found++;
		tw_scan_blanks(s);
	}
	return found == n;
}

static bool timestamps(struct tw_scan *s, const char *between, struct tw_packet *p)
{
	if (!tw_scan_whole(s, &p->tsval) || !tw_scan_word(s, between) ||
	    !tw_scan_whole(s, &p->tsecr))
		return false;
	p->has |= TW_HAS_TIMESTAMPS;
	return true;
}

/* Options that say nothing of why a transfer is slow, but are no damage either. */
static bool is_known(const struct tw_scan *s)
{
	static const char *const words[] = {
		"mptcp ", "tfo", "exp-", "unknown-", "opt-", "md5", "digest ", "tcp-ao", "uto",
		"ut ", "echo", "cc ", "ccnew ", "ccecho ", "enhanced auth", "scps", "eol", "nop",
	};
	struct tw_scan p = *s;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (tw_scan_word(&p, words[i]))
			return true;
	return false;
}

/* One option; false where it is none we know. */
static bool option(struct tw_scan *s, struct tw_packet *p)
{
	uint32_t v;

	if (tw_scan_word(s, "mss ")) {
		if (!tw_scan_whole(s, &v) || v > UINT16_MAX)
			return false;
		p->mss = (uint16_t)v;
		p->has |= TW_HAS_MSS;
		return true;
	}
	if (tw_scan_word(s, "wscale ")) {
		if (!tw_scan_whole(s, &v) || v > UINT8_MAX)
			return false;
		p->wscale = (uint8_t)v;
		p->has |= TW_HAS_WSCALE;
		return true;
	}
	if (tw_scan_word(s, "sackOK")) {
		p->has |= TW_HAS_SACK_PERMITTED;
		return true;
	}
	if (tw_scan_word(s, "sack "))
		return sack_option(s, p);
	if (tw_scan_word(s, "TS val "))
		return timestamps(s, " ecr ", p);
	if (tw_scan_word(s, "timestamp "))
		return timestamps(s, " ", p);
	if (tw_scan_word(s, "[bad opt]")) {
		p->has |= TW_OPTIONS_BAD;
		return true;
	}
	if (tw_scan_word(s, "[|tcp]")) {
		p->has |= TW_OPTIONS_CUT;
		return true;
	}
	if (!is_known(s))
		return false;
	pass_option(s);
	return true;
}

void tw_tcpdump_options(const char *text, size_t n, struct tw_text_segment *out)
{
	struct tw_scan s = tw_scan_over(text, n);
	bool cut = out->packet.has & TW_OPTIONS_CUT;

	for (unsigned i = 0; i <= OPTIONS_MAX; i++) {
		bool good;

		while (tw_scan_word(&s, ",") || tw_scan_blanks(&s))
			;
		if (s.at == s.end)
			return;
		good = option(&s, &out->packet);
		tw_scan_blanks(&s);
		if (good && (s.at == s.end || *s.at == ','))
			continue;
		/* the last one may have been cut by the snap length: "TS [|tcp]" */
		if (cut && !memchr(s.at, ',', tw_scan_left(&s)))
			return;
		if (++out->odd > ODD_MAX)
			break;
		pass_option(&s);
	}
	out->odd += TW_TEXT_BROKEN;
}

static void set_ecn(struct tw_packet *packet, uint32_t tos)
{
	packet->ecn = tos & 3;
	packet->has |= TW_HAS_ECN;
}

/* The number behind `word`, searched within `s`. */
static bool number_after(const struct tw_scan *s, const char *word, uint32_t max, uint32_t *out)
{
	struct tw_scan p = *s;

	p.at = tw_scan_find(s, word);
	if (!p.at)
		return false;
	p.at += strlen(word);
	tw_scan_blanks(&p);
	return tw_scan_u32(&p, out) && *out <= max;
}

/* "ttl 64, id 4242, ..." */
static void ttl_and_id(const struct tw_scan *s, struct tw_packet *packet)
{
	uint32_t v;

	if (number_after(s, "ttl ", UINT8_MAX, &v)) {
		packet->ttl = (uint8_t)v;
		packet->has |= TW_HAS_TTL;
	}
	if (number_after(s, "id ", UINT16_MAX, &v)) {
		packet->ip_id = (uint16_t)v;
		packet->has |= TW_HAS_IP_ID;
	}
}

/* Where `word` stands last: in a tunnel the headers around come first. */
static const char *find_last(const struct tw_scan *s, const char *word)
{
	struct tw_scan p = *s;
	const char *at, *last = NULL;

	while ((at = tw_scan_find(&p, word))) {
		last = at;
		p.at = at + 1;
	}
	return last;
}

/* "(class 0x02, flowlabel 0xa31ee, hlim 64, next-header TCP (6) payload length: 40) " */
static void ip6_before(const struct tw_scan *text, struct tw_packet *packet)
{
	struct tw_scan s = *text;
	uint32_t v;

	if (!number_after(&s, "hlim ", UINT8_MAX, &v))
		return;
	packet->ttl = (uint8_t)v;
	packet->has |= TW_HAS_TTL;
	s.at = find_last(text, "(class ");
	if (!s.at) /* printed unless it is 0 */
		set_ecn(packet, 0);
	else if (tw_scan_word(&s, "(class ") && tw_scan_hex(&s, &v))
		set_ecn(packet, v);
}

void tw_tcpdump_ip_before(const char *text, size_t n, struct tw_packet *packet)
{
	struct tw_scan all = tw_scan_over(text, n), s = all;
	uint32_t v;

	if (tw_scan_find(&all, "IP6 "))
		packet->ip_version = 6;
	s.at = find_last(&all, "(tos 0x");
	if (!s.at) {
		ip6_before(&all, packet);
		return;
	}
	/* "(tos 0x2,ECT(0), ttl 64, id 51800, offset 0, flags [DF], proto TCP (6), length 60) " */
	if (tw_scan_word(&s, "(tos ") && tw_scan_hex(&s, &v))
		set_ecn(packet, v);
	ttl_and_id(&s, packet);
	if (tw_scan_find(&s, "flags [DF"))
		packet->has |= TW_IP_DF;
	if (tw_scan_find(&s, "flags [+"))
		packet->has |= TW_IS_FRAGMENT;
}

/* "(DF)", "( DF)", "(DF, ttl 64, id 4242, len 60)", "(ttl 64, id 4242)", "(frag 4242:1480@0+)" */
static bool in_brackets(const struct tw_scan *s, struct tw_packet *packet)
{
	bool is_fragment = tw_scan_find(s, "frag ") != NULL;
	uint32_t v;

	if (tw_scan_find(s, "DF"))
		packet->has |= TW_IP_DF;
	else if (!tw_scan_find(s, "ttl ") && !is_fragment)
		return false;
	ttl_and_id(s, packet);
	if (is_fragment)
		packet->has |= TW_IS_FRAGMENT;
	if (number_after(s, "frag ", UINT16_MAX, &v)) {
		packet->ip_id = (uint16_t)v;
		packet->has |= TW_HAS_IP_ID;
	}
	return true;
}

/* "[tos 0x10]", "[tos 0x2,ECT(0)]", "[|tcp]", "[tcp sum ok]", "[flowlabel 0x1]" */
static bool in_square_brackets(struct tw_scan *s, struct tw_packet *packet)
{
	static const char *const words[] = { "sum", "flowlabel", "class", "hlim", "ECT", "CE" };
	uint32_t v;

	if (tw_scan_word(s, "tos ") && tw_scan_hex(s, &v)) {
		set_ecn(packet, v);
		return true;
	}
	if (tw_scan_word(s, "|tcp")) {
		packet->has |= TW_OPTIONS_CUT;
		return true;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (tw_scan_find(s, words[i]))
			return true;
	return false;
}

bool tw_tcpdump_ip_behind(struct tw_scan *s, struct tw_text_segment *out)
{
	struct tw_scan inside = *s;
	bool is_square = tw_scan_word(&inside, "[");
	const char *close;

	if (!is_square && !tw_scan_word(&inside, "("))
		return false;
	close = memchr(inside.at, is_square ? ']' : ')', tw_scan_left(&inside));
	if (!close) {
		out->odd++; /* the line was broken here */
		s->at = s->end;
		return true;
	}
	inside.end = close;
	if (!(is_square ? in_square_brackets(&inside, &out->packet) :
			  in_brackets(&inside, &out->packet)))
		return false;
	s->at = close + 1;
	return true;
}
