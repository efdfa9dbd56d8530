/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One line of tcpdump. Three forms, found by what follows the addresses:
 *
 *   a.1 > b.2: Flags [P.], seq 1:101, ack 1, win 63, options [nop,nop,TS val 1 ecr 2], length 100
 *   a.1 > b.2: P 1:101(100) ack 1 win 63 <nop,nop,timestamp 1 2> (DF)       (until 4.0, 2009)
 *   a.1 > b.2: tcp 100                                                      (-q)
 *
 * What stands before the addresses (interface, link layer, tunnels, IP header) is searched for what
 * we use and otherwise passed over.
 */
#include "source/textseg.h"

#include <string.h>

#include "source/scan.h"
#include "source/textname.h"

enum form { FORM_NONE, FORM_FLAGS, FORM_OLD, FORM_QUIET };

/* The letters of both forms; tcpdump 4.99 writes AE as "e" (RFC 9768). */
static bool flag_of(char c, uint16_t *flags)
{
	static const struct {
		char letter;
		uint16_t flag;
	} letters[] = {
		{ 'F', TW_FIN }, { 'S', TW_SYN }, { 'R', TW_RST }, { 'P', TW_PSH }, { '.', TW_ACK },
		{ 'U', TW_URG }, { 'E', TW_ECE }, { 'W', TW_CWR }, { 'e', TW_AE },
	};

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		if (letters[i].letter == c) {
			*flags |= letters[i].flag;
			return true;
		}
	}
	return false;
}

/* What may follow the flags of the old form: tells it from other text of one letter. */
static bool old_goes_on(struct tw_scan s)
{
	while (tw_scan_word(&s, ",") || tw_scan_blanks(&s))
		;
	return tw_is_digit(tw_scan_peek(&s)) || tw_scan_word(&s, "ack") ||
	       tw_scan_word(&s, "win") || tw_scan_word(&s, "[tcp sum") ||
	       tw_scan_word(&s, "[bad tcp") || tw_scan_word(&s, "cksum 0x") || s.at == s.end;
}

/* The form of what follows "a > b: "; takes its beginning, with the flags. */
static enum form find_form(struct tw_scan *s, struct tw_text_segment *out)
{
	struct tw_scan p = *s;
	uint16_t flags = 0;
	char after;

	if (tw_scan_word(&p, "Flags [")) {
		if (!tw_scan_word(&p, "none"))
			while (flag_of(tw_scan_peek(&p), &flags))
				p.at++;
		if (!tw_scan_word(&p, "]"))
			return FORM_NONE;
		out->packet.flags = flags;
		*s = p;
		return FORM_FLAGS;
	}
	if (tw_scan_word(&p, "tcp ") && tw_is_digit(tw_scan_peek(&p))) {
		*s = p;
		return FORM_QUIET;
	}
	while (flag_of(tw_scan_peek(&p), &flags))
		p.at++;
	after = tw_scan_peek(&p);
	if (p.at == s->at || p.at - s->at > 8 || (after && after != ' ' && after != ',') ||
	    !old_goes_on(p))
		return FORM_NONE;
	out->packet.flags = flags & (uint16_t)~TW_ACK; /* "." is "none of these"; "ack" tells */
	*s = p;
	return FORM_OLD;
}

/* The words around an arrow. */
struct pair {
	struct tw_scan from, to;
};

/* IPv6 with an extension header, ports apart from the addresses: "a > b: HBH 41851 > 43913: " */
static bool endpoints_apart(const struct pair *addresses, const struct pair *ports,
			    struct tw_packet *p)
{
	const struct tw_scan *from = &addresses->from, *to = &addresses->to;
	uint16_t port[2];

	return from->at && memchr(from->at, ':', tw_scan_left(from)) &&
	       tw_text_port(ports->from.at, tw_scan_left(&ports->from), &port[0]) &&
	       tw_text_port(ports->to.at, tw_scan_left(&ports->to), &port[1]) &&
	       tw_text_host(from->at, tw_scan_left(from), port[0], &p->src, &p->ip_version) &&
	       tw_text_host(to->at, tw_scan_left(to), port[1], &p->dst, &p->ip_version);
}

static bool endpoints(const struct pair *before, const struct pair *pair, struct tw_packet *p)
{
	const struct tw_scan *from = &pair->from, *to = &pair->to;

	if (endpoints_apart(before, pair, p))
		return true;
	return tw_text_endpoint(from->at, tw_scan_left(from), &p->src, &p->ip_version) &&
	       tw_text_endpoint(to->at, tw_scan_left(to), &p->dst, &p->ip_version);
}

/*
 * Finds the arrow whose right side ends in ": " and a TCP header, takes all of it. The first
 * one counts: what follows may be the payload's text.
 */
static enum form find_segment(struct tw_scan *s, struct tw_text_segment *out)
{
	struct pair before = { 0 };
	struct tw_scan text = *s;
	const char *arrow;
	enum form form;

	while ((arrow = tw_scan_find(s, " > "))) {
		struct pair pair = { .from = { .at = arrow, .end = arrow } };

		while (pair.from.at > text.at && pair.from.at[-1] != ' ')
			pair.from.at--;
		s->at = arrow + 3;
		if (!tw_scan_token(s, &pair.to) || pair.to.end[-1] != ':') {
			s->at = arrow + 2; /* "a > b > c": the next arrow may begin here */
			continue;
		}
		pair.to.end--;
		tw_scan_blanks(s);
		form = find_form(s, out);
		if (form == FORM_NONE) {
			before = pair;
			s->at = arrow + 2;
			continue;
		}
		text.end = pair.from.at;
		/* an ICMP error quotes the header it is about: that packet did not pass here */
		if (tw_scan_find(&text, "ICMP") || tw_scan_find(&text, ": icmp"))
			return FORM_NONE;
		if (text.at < text.end)
			tw_tcpdump_ip_before(text.at, tw_scan_left(&text), &out->packet);
		return endpoints(&before, &pair, &out->packet) ? form : FORM_NONE;
	}
	return FORM_NONE;
}

/* "[nop,nop,TS val 1 ecr 2]": up to the bracket's partner, or to where the snap length cut. */
static void options_in_brackets(struct tw_scan *s, struct tw_text_segment *out)
{
	const char *from = s->at, *end;
	struct tw_scan cut = *s;
	int depth = 1;

	for (; s->at < s->end; s->at++) {
		cut.at = s->at;
		if (tw_scan_word(&cut, "[|tcp]")) {
			out->packet.has |= TW_OPTIONS_CUT;
			end = s->at;
			s->at = cut.at;
			if (!tw_scan_word(s, "]"))
				tw_scan_word(s, ">"); /* tcpdump closes this one so */
			tw_tcpdump_options(from, (size_t)(end - from), out);
			return;
		}
		depth += *s->at == '[';
		depth -= *s->at == ']';
		if (!depth)
			break;
	}
	tw_tcpdump_options(from, (size_t)(s->at - from), out);
	if (!tw_scan_word(s, "]"))
		out->odd++;
}

/* "0x99f2 (correct)", "0xfe30 (incorrect -> 0xde45)" */
static void pass_checksum(struct tw_scan *s, struct tw_text_segment *out)
{
	const char *close;
	uint32_t sum;

	if (!tw_scan_hex(s, &sum))
		out->odd++;
	tw_scan_blanks(s);
	if (!tw_scan_word(s, "("))
		return;
	close = memchr(s->at, ')', tw_scan_left(s));
	if (!close)
		out->odd++;
	s->at = close ? close + 1 : s->end;
}

/* What a line must say once; the rest of the packet is filled as it is read. */
struct said {
	bool range, ack, win, length;
	uint32_t end, n;
};

/* Takes a number into `*out`, where there is a whole one. */
static bool say(struct tw_scan *s, uint32_t *out, struct tw_text_segment *segment)
{
	if (tw_scan_whole(s, out))
		return true;
	segment->odd++;
	s->at = s->end;
	return false;
}

static void sequence(struct tw_scan *s, struct tw_text_segment *out, struct said *said)
{
	out->has_seq = say(s, &out->packet.seq, out);
	if (out->has_seq && tw_scan_word(s, ":"))
		said->range = say(s, &said->end, out);
}

/* Whether the parts fit together, and what follows from them. */
static void check(struct tw_text_segment *out, const struct said *said)
{
	struct tw_packet *p = &out->packet;
	uint32_t n = said->range ? said->end - p->seq : 0;

	if (!said->win)
		p->has |= TW_WINDOW_UNKNOWN;
	out->odd += !said->win;
	if (said->length && said->n != n)
		out->odd += TW_TEXT_BROKEN;
	p->payload = said->length ? said->n : n;
	/* no IP packet, not even a jumbogram of a kernel, holds that much */
	if (p->payload >= 1u << 30)
		out->odd += TW_TEXT_BROKEN;
}

/* Words of the form with "Flags [..]"; false at one that is not known. */
static bool flags_word(struct tw_scan *s, struct tw_text_segment *out, struct said *said)
{
	struct tw_packet *p = &out->packet;
	uint32_t urgent;

	if (tw_scan_word(s, "cksum "))
		pass_checksum(s, out);
	else if (tw_scan_word(s, "seq "))
		sequence(s, out, said);
	else if (tw_scan_word(s, "ack "))
		said->ack = say(s, &p->ack, out);
	else if (tw_scan_word(s, "win "))
		said->win = say(s, &p->window, out);
	else if (tw_scan_word(s, "urg "))
		say(s, &urgent, out);
	else if (tw_scan_word(s, "options ["))
		options_in_brackets(s, out);
	else if (tw_scan_word(s, "[|tcp]"))
		p->has |= TW_OPTIONS_CUT;
	else if (tw_scan_word(s, "[bad hdr length"))
		s->at = s->end;
	else
		return false;
	return true;
}

static void read_flags_form(struct tw_scan *s, struct tw_text_segment *out)
{
	struct tw_packet *p = &out->packet;
	struct said said = { 0 };

	for (;;) {
		while (tw_scan_word(s, ",") || tw_scan_blanks(s))
			;
		if (s->at == s->end)
			break;
		if (tw_scan_word(s, "length ")) {
			said.length = say(s, &said.n, out);
			/* "length 259: HTTP: HTTP/1.1 200 OK" */
			out->has_tail = s->at < s->end;
			if (out->has_tail && *s->at != ':' && *s->at != ' ')
				out->odd++;
			break;
		}
		if (!flags_word(s, out, &said)) {
			out->odd++;
			break;
		}
	}
	if (said.ack != !!(p->flags & TW_ACK)) /* an ACK without its number would be a wrong one */
		out->odd += TW_TEXT_BROKEN;
	out->odd += !said.length && !(p->has & (TW_OPTIONS_BAD | TW_OPTIONS_CUT));
	check(out, &said);
}

/* "1:1449(1448)" */
static bool old_range(struct tw_scan *s, struct tw_text_segment *out, struct said *said)
{
	if (!tw_is_digit(tw_scan_peek(s)))
		return false;
	sequence(s, out, said);
	if (tw_scan_word(s, "(") && tw_scan_whole(s, &said->n) && tw_scan_word(s, ")"))
		said->length = true;
	else
		out->odd += TW_TEXT_BROKEN; /* it was broken here */
	return true;
}

static bool old_options(struct tw_scan *s, struct tw_text_segment *out)
{
	const char *end;

	if (!tw_scan_word(s, "<"))
		return false;
	end = memchr(s->at, '>', tw_scan_left(s));
	if (!end) {
		out->odd++;
		end = s->end;
	}
	tw_tcpdump_options(s->at, (size_t)(end - s->at), out);
	s->at = end + (end < s->end);
	return true;
}

static void read_old_form(struct tw_scan *s, struct tw_text_segment *out)
{
	struct tw_packet *p = &out->packet;
	struct said said = { 0 };
	uint32_t urgent;

	for (;;) {
		while (tw_scan_word(s, ",") || tw_scan_blanks(s))
			;
		if (s->at == s->end)
			break;
		if (tw_scan_word(s, "cksum ")) {
			pass_checksum(s, out);
		} else if (tw_scan_word(s, "ack ")) {
			said.ack = say(s, &p->ack, out);
		} else if (tw_scan_word(s, "win ")) {
			said.win = say(s, &p->window, out);
		} else if (tw_scan_word(s, "urg ")) {
			if (say(s, &urgent, out))
				p->flags |= TW_URG; /* not among the letters of this form */
		} else if ((said.win || out->has_seq || !old_range(s, out, &said)) &&
			   !old_options(s, out) && !tw_tcpdump_ip_behind(s, out)) {
			out->has_tail = true;
			out->odd++;
			break;
		}
	}
	if (said.ack)
		p->flags |= TW_ACK;
	if (!out->has_seq && p->flags & (TW_SYN | TW_FIN | TW_RST))
		out->odd++; /* these come with their number */
	check(out, &said);
}

/*
 * -q says neither flags nor numbers. Nearly every segment has an ACK; what it acknowledges is not
 * known. That some may be a SYN or FIN cannot be helped.
 */
static void read_quiet_form(struct tw_scan *s, struct tw_text_segment *out)
{
	struct tw_packet *p = &out->packet;

	say(s, &p->payload, out);
	if (p->payload >= 1u << 30)
		out->odd += TW_TEXT_BROKEN;
	tw_scan_blanks(s);
	while (s->at < s->end && tw_tcpdump_ip_behind(s, out))
		tw_scan_blanks(s);
	out->has_tail = s->at < s->end;
	out->odd += out->has_tail;
	p->flags = TW_ACK;
	p->has |= TW_SEQ_UNKNOWN | TW_ACK_UNKNOWN | TW_WINDOW_UNKNOWN;
	out->style = TW_TEXT_QUIET;
}

bool tw_tcpdump_line(const char *text, size_t n, struct tw_text_segment *out)
{
	struct tw_scan s = tw_scan_over(text, n);

	*out = (struct tw_text_segment){ .packet.ip_version = 4 };
	switch (find_segment(&s, out)) {
	case FORM_FLAGS:
		read_flags_form(&s, out);
		return true;
	case FORM_OLD:
		read_old_form(&s, out);
		return true;
	case FORM_QUIET:
		read_quiet_form(&s, out);
		return true;
	case FORM_NONE:
		break;
	}
	return false;
}
