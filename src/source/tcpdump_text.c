/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets out of what tcpdump or tshark printed, of any age and with most options, and out of
 * what mailers and web pages made of it: quoted, numbered, indented, wrapped.
 *
 * A line that begins with a time begins a packet; lines without belong to it: the second line of
 * tcpdump -v, the rest of a wrapped line, dumps of its bytes. They are joined to it as long as that
 * makes a more whole line of it, with a blank between (-v; a mailer that broke at a blank) or
 * without (a terminal that broke anywhere).
 *
 * What no line tells is left out of `has`: nothing here guesses but the numbers, see textseq.h.
 */
#include "source/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/line.h"
#include "source/scan.h"
#include "source/textseg.h"
#include "source/textseq.h"
#include "source/texttime.h"

enum {
	JOIN_LINES = 4,           /* lines joined to one, at most */
	JOIN_MAX = 1 << 10,       /* bytes that they make: few, since every way to join is tried */
	STUDY_LINE = 4 << 10,     /* longer lines are no packet's */
	STUDY_BYTES = 32 << 10,   /* looked at before it is read; no more than by the probe */
	QUOTES_MAX = 16,
};

struct state {
	struct tw_lines lines;
	struct tw_text_clock clock;
	struct tw_textseq *seqs;
	struct tw_packet packet;     /* the record's */
	bool timed;                  /* a line with a time was seen */
	uint64_t untimed, hidden, damaged;
	char line[TW_LINE_MAX];      /* the one at hand, clean */
	char joined[JOIN_MAX];
};

/* A segment in one line of either program. */
static bool parse(const char *text, size_t n, struct tw_text_segment *out, bool *hidden)
{
	*hidden = false;
	return tw_tcpdump_line(text, n, out) || tw_tshark_line(text, n, out, hidden);
}

/* "0x0010:  4500 ...", or, of an older tcpdump, nothing but groups of hexadecimal digits. */
static bool is_dump(struct tw_scan s)
{
	uint32_t offset;
	bool digits = false;

	tw_scan_blanks(&s);
	if (tw_scan_hex(&s, &offset))
		return tw_scan_word(&s, ":");
	for (int n = 0; s.at < s.end; s.at++) {
		char c = (char)(*s.at | 0x20);

		n = *s.at == ' ' ? 0 : n + 1;
		digits |= n == 4;
		if (n > 4 || (n && !tw_is_digit(*s.at) && (c < 'a' || c > 'f')))
			return false;
	}
	return digits;
}

/* What tcpdump and tshark say beside packets. */
static bool is_chatter(const struct tw_scan *s)
{
	static const char *const words[] = {
		"tcpdump: ", "reading from file ", "listening on ", "Warning: ", "dropped privs",
		"Running as user ", "Capturing on ", " packets captured", " packet captured",
		" packets received by filter", " packet received by filter",
		" packets dropped by ", " packet dropped by ", "No. ",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (tw_scan_find(s, words[i]))
			return true;
	return false;
}

static bool is_blank_or_comment(const struct tw_scan *s)
{
	struct tw_scan p = *s;

	tw_scan_blanks(&p);
	return p.at == p.end || *p.at == '#';
}

/* Lines that may be joined to the one at hand, as they were written together. */
struct joint {
	char text[JOIN_MAX];
	size_t n;
	bool indented;
};

/* The line `ahead`, where it may be a part of the packet at hand: 1, 0 where not, -ENOMEM. */
static int continuation(struct state *st, unsigned ahead, unsigned quotes, struct joint *joint)
{
	struct tw_line line;
	struct tw_scan s;
	struct tw_stamp stamp;
	int ret = tw_lines_peek(&st->lines, ahead, &line);

	if (ret <= 0)
		return ret;
	if (line.n > sizeof(joint->text))
		return 0;
	joint->n = tw_line_clean(&line, joint->text, &quotes);
	s = tw_scan_over(joint->text, joint->n);
	if (is_blank_or_comment(&s) || is_dump(s) || tw_stamp_take(&s, &stamp))
		return 0;
	joint->indented = joint->text[0] == ' ';
	return 1;
}

/* A packet's line as put together so far. */
struct group {
	struct tw_text_segment segment; /* the best of it */
	bool found;
	unsigned lines;                 /* that it is made of */
	unsigned n_joints;
	struct joint joint[JOIN_LINES];
};

/* Whether this try is better than the best so far, which it then becomes. */
static void try_joined(struct state *st, size_t n, struct group *group)
{
	struct tw_text_segment segment;
	bool hidden;

	if (!parse(st->joined, n, &segment, &hidden))
		return;
	if (group->found && segment.odd >= group->segment.odd) {
		/* Both whole: the longer one is if nothing but header was added ("win 58" "40"). */
		if (segment.odd || group->segment.odd || segment.has_tail ||
		    group->lines == 1 + group->n_joints)
			return;
	}
	group->segment = segment;
	group->found = true;
	group->lines = 1 + group->n_joints;
}

/* Every way to join what there is: bit i of `ways` is a blank before joint i. */
static void try_all(struct state *st, const char *text, size_t n, struct group *group)
{
	for (unsigned ways = 0; ways < 1u << group->n_joints; ways++) {
		size_t used = n;
		unsigned i;

		memcpy(st->joined, text, n);
		for (i = 0; i < group->n_joints; i++) {
			const struct joint *joint = &group->joint[i];
			bool blank = ways >> i & 1;

			/* an indented line was no broken word */
			if ((joint->indented && !blank) || used + 1 + joint->n > sizeof(st->joined))
				break;
			if (blank)
				st->joined[used++] = ' ';
			memcpy(st->joined + used, joint->text, joint->n);
			used += joint->n;
		}
		if (i == group->n_joints)
			try_joined(st, used, group);
	}
}

/* Joins following lines to the one at hand (`text`) as long as that helps. 0 or -ENOMEM. */
static int complete(struct state *st, const char *text, size_t n, unsigned quotes,
		    struct group *group)
{
	if (n > sizeof(st->joined))
		return 0;
	while (group->n_joints < JOIN_LINES) {
		struct joint *joint = &group->joint[group->n_joints];
		bool is_whole = group->found && !group->segment.odd;
		int ret = continuation(st, 1 + group->n_joints, quotes, joint);

		if (ret <= 0)
			return ret;
		/* what follows a whole line indented is a dump of its payload */
		if (is_whole && (joint->indented || group->segment.has_tail))
			return 0;
		group->n_joints++;
		try_all(st, text, n, group);
		if (is_whole && group->lines < 1 + group->n_joints)
			return 0;
	}
	return 0;
}

/* A line without a time: counted, unless it is of no meaning. */
static void pass_untimed(struct tw_source *source, const struct tw_scan *s)
{
	struct state *st = source->state;
	struct tw_text_segment segment;
	bool hidden;

	if (is_blank_or_comment(s) || is_dump(*s) || is_chatter(s))
		return;
	if (st->timed && *s->at == ' ')
		return; /* more of a packet that was read or passed over */
	source->skipped++;
	if (!st->timed && parse(s->at, tw_scan_left(s), &segment, &hidden) && !segment.odd)
		st->untimed++;
}

static void fill_record(struct tw_source *source, struct tw_text_segment *segment, int64_t ts,
			struct tw_record *record)
{
	struct state *st = source->state;

	tw_textseq_resolve(st->seqs, segment);
	st->packet = segment->packet;
	st->packet.ts = ts;
	st->packet.number = source->records + 1;
	if (st->clock.is_relative)
		st->packet.has |= TW_TIME_IS_RELATIVE;
	if (segment->style == TW_TEXT_QUIET)
		tw_source_warn(source, "printed with tcpdump -q: without sequence numbers nothing "
				       "tells what was sent again or acknowledged");
	record->ts = ts;
	record->packet = &st->packet;
}

/* What was wrong with the text, once it is read. */
static void conclude(struct tw_source *source)
{
	struct state *st = source->state;

	if (st->lines.overlong)
		tw_source_warn(source, "%llu lines longer than %d bytes were passed over",
			       (unsigned long long)st->lines.overlong, TW_LINE_MAX);
	if (st->untimed)
		tw_source_warn(source, "%llu packets without a time were passed over",
			       (unsigned long long)st->untimed);
	if (st->hidden)
		tw_source_warn(source, "tshark shows %llu segments by the protocol above TCP, "
			       "without sequence numbers: passed over; give the capture itself",
			       (unsigned long long)st->hidden);
	if (st->damaged)
		tw_source_warn(source, "%llu damaged lines were passed over: their numbers do not "
			       "fit together",
			       (unsigned long long)st->damaged);
	if (tw_textseq_forgotten(st->seqs))
		tw_source_warn(source, "more than %d connections: their sequence numbers may jump",
			       TW_TEXTSEQ_MAX);
}

/* The packet that begins with the line at hand, where it shows one: 1, 0 or -ENOMEM. */
static int read_packet(struct tw_source *source, struct tw_scan s, unsigned quotes, int64_t ts,
		       struct tw_record *record)
{
	struct state *st = source->state;
	struct group group = { .lines = 1 };
	bool hidden;
	int ret;

	group.found = parse(s.at, tw_scan_left(&s), &group.segment, &hidden);
	ret = complete(st, s.at, tw_scan_left(&s), quotes, &group);
	if (ret)
		return ret;
	if (!group.found || group.segment.odd >= TW_TEXT_BROKEN) {
		source->skipped++;
		st->hidden += hidden && !group.found;
		st->damaged += group.found;
		tw_lines_take(&st->lines, 1);
		return 0;
	}
	tw_lines_take(&st->lines, group.lines);
	fill_record(source, &group.segment, ts, record);
	return 1;
}

static int next(struct tw_source *source, struct tw_record *record)
{
	struct state *st = source->state;
	struct tw_line line;
	int ret;

	while ((ret = tw_lines_peek(&st->lines, 0, &line)) > 0) {
		unsigned quotes = QUOTES_MAX;
		size_t n = tw_line_clean(&line, st->line, &quotes);
		struct tw_scan s = tw_scan_over(st->line, n);
		struct tw_stamp stamp;

		if (is_blank_or_comment(&s) || !tw_stamp_take(&s, &stamp)) {
			pass_untimed(source, &s);
			tw_lines_take(&st->lines, 1);
			continue;
		}
		st->timed = true;
		ret = read_packet(source, s, quotes, tw_text_clock_instant(&st->clock, &stamp),
				  record);
		if (ret)
			return ret;
	}
	if (!ret)
		conclude(source);
	else
		tw_error_set(&source->error, ret, "%s: %s", tw_stream_name(source->stream),
			     strerror(-ret));
	return ret;
}

/* What the beginning of a text looks like. */
struct study {
	unsigned packets;  /* segments with a time, if only the beginning of a wrapped line */
	unsigned untimed;  /* whole ones without */
	unsigned timed;    /* lines of packets of any kind, with a time */
	unsigned others;   /* lines that are none of it */
	unsigned tshark;
};

/*
 * Behind a time, some packet, if not TCP: "eth0 Out IP6 ...", "ARP, ...", "a > b: udp 40",
 * "0:1:2:3:4:5 > 6:7:8:9:a:b, ethertype", "a -> b DNS 79 Standard query".
 */
static bool is_packet_line(struct tw_scan s)
{
	struct tw_scan token[5];
	unsigned n = 0;
	uint32_t length;

	for (; n < 5; n++) {
		tw_scan_blanks(&s);
		if (!tw_scan_token(&s, &token[n]))
			break;
		if (n < 3 && (tw_scan_is(&token[n], "IP") || tw_scan_is(&token[n], "IP6") ||
			      tw_scan_is(&token[n], "ARP,") || tw_scan_is(&token[n], "arp")))
			return true;
	}
	if (n < 3 || (!tw_scan_is(&token[1], ">") && !tw_scan_is(&token[1], "->") &&
		      !tw_scan_is(&token[1], "\xe2\x86\x92")))
		return false;
	if (token[2].end[-1] == ':' || token[2].end[-1] == ',')
		return true;
	return n == 5 && tw_scan_u32(&token[4], &length) && token[4].at == token[4].end;
}

static void study_line(const struct tw_scan *text, struct state *st, struct study *study)
{
	struct tw_text_segment segment;
	struct tw_scan s = *text;
	struct tw_stamp stamp;
	bool hidden, timed = tw_stamp_take(&s, &stamp);
	bool found = parse(s.at, tw_scan_left(&s), &segment, &hidden);

	/* one that broke off early must have said something: "a > b: S" alone is no segment */
	if (found && segment.odd && !segment.has_seq && !(segment.packet.flags & TW_ACK))
		found = false;
	if (timed && st)
		tw_text_clock_study(&st->clock, &stamp);
	if (found && st && segment.odd < TW_TEXT_BROKEN)
		tw_textseq_resolve(st->seqs, &segment);
	/* the second line of -v is indented */
	study->untimed += found && !timed && *text->at != ' ' && !segment.odd;
	study->packets += found && (timed || (*text->at == ' ' && !segment.odd));
	study->timed += timed && (found || is_packet_line(s));
	study->others += !found && *text->at != ' ' && (!timed || !is_packet_line(s));
	study->tshark += found && segment.style == TW_TEXT_TSHARK;
}

/* Looks at the lines of `head`; `st`, which may be NULL, learns times and numbers from them. */
static struct study study_head(const uint8_t *head, size_t n, struct state *st)
{
	const char *p = (const char *)head, *end = p + n;
	struct study study = { 0 };
	char clean[STUDY_LINE];

	if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		p += 3;
	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		struct tw_line line = { .text = p, .n = (size_t)((stop ? stop : end) - p) };
		unsigned quotes = QUOTES_MAX;
		struct tw_scan s;

		if (!stop && n >= STUDY_BYTES)
			break; /* cut by us, in the middle of a number perhaps */
		p = stop ? stop + 1 : end;
		if (line.n > sizeof(clean)) {
			study.others++;
			continue;
		}
		s = tw_scan_over(clean, tw_line_clean(&line, clean, &quotes));
		if (!is_blank_or_comment(&s) && !is_dump(s) && !is_chatter(&s))
			study_line(&s, st, &study);
	}
	return study;
}

/*
 * A whole TCP line is seldom an accident, but a text about tcpdump quotes some too: they must not
 * be lost in other text. Without one, packets of other kinds must make most of it.
 */
static bool probe(const uint8_t *head, size_t n)
{
	struct study study;
	unsigned packets;

	if (memchr(head, '\0', n))
		return false;
	study = study_head(head, n, NULL);
	packets = study.packets + study.untimed;
	if (packets)
		return study.others <= 8 || (packets >= 3 && study.others <= 64 * packets);
	return study.timed >= 3 && study.others <= study.timed;
}

static void release(struct tw_source *source)
{
	struct state *st = source->state;

	tw_textseq_free(st->seqs);
	tw_lines_release(&st->lines);
	free(st);
	source->state = NULL;
}

static int open_text(struct tw_source *source)
{
	struct state *st = calloc(1, sizeof(*st));
	struct study study;
	const uint8_t *head;
	size_t n;
	int ret = -ENOMEM;

	if (!st)
		return ret;
	source->state = st;
	tw_lines_init(&st->lines, source->stream);
	ret = tw_textseq_new(&st->seqs, TW_TEXTSEQ_MAX);
	if (ret)
		goto cleanup;
	n = tw_stream_peek(source->stream, STUDY_BYTES, &head);
	study = study_head(head, n, st);
	if (study.untimed && !study.timed) {
		ret = tw_error_set(&source->error, -EINVAL,
				   "%s: no times in this text: it was printed with tcpdump -t",
				   tw_stream_name(source->stream));
		goto cleanup;
	}
	tw_text_clock_decide(&st->clock);
	tw_textseq_rewind(st->seqs);
	if (study.tshark)
		memcpy(source->title, "tshark text", sizeof("tshark text"));
cleanup:
	if (ret)
		release(source);
	return ret;
}

const struct tw_source_format tw_format_tcpdump_text = {
	.id = "tcpdump-text",
	.title = "tcpdump text",
	.probe = probe,
	.open = open_text,
	.next = next,
	.close = release,
};
