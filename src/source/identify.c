/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of beginnings, and four tests where a format has none: text, zeros, ERF, and how much
 * there is. Only for the message when nothing fits, so a wrong guess costs no more than a word.
 */
#include "source/identify.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum verdict {
	OTHER,  /* not a capture */
	UNREAD, /* a capture in a format this version lacks */
	PACKED, /* something packed, which tcpwhy does not unpack */
};

struct signature {
	uint16_t offset;
	uint16_t length;
	const char *bytes;
	enum verdict verdict;
	const char *name;
};

#define AT(offset, bytes, verdict, name) { offset, sizeof(bytes) - 1, bytes, verdict, name }

/* Longer beginnings stand before their own shorter ones. */
static const struct signature signatures[] = {
	AT(0, "snoop\0\0\0", UNREAD, "a snoop capture"),
	AT(0, "RTSS", UNREAD, "a Microsoft Network Monitor 1 capture"),
	AT(0, "GMBU", UNREAD, "a Microsoft Network Monitor 2 capture"),
	AT(0, "TRSNIFF data    \x1a", UNREAD, "a Sniffer capture"),
	AT(0, "XCP\0", UNREAD, "a NetXRay capture"),
	AT(0, "iptrace 1.0", UNREAD, "an AIX iptrace capture"),
	AT(0, "iptrace 2.0", UNREAD, "an AIX iptrace capture"),
	AT(0, "btsnoop\0", UNREAD, "a Bluetooth (btsnoop) capture"),
	AT(0, "\x05VNF", UNREAD, "a Visual Networks capture"),
	AT(0, "\x7fver", UNREAD, "an EtherPeek capture"),
	AT(0, "\x1c\x00\x01\xac", UNREAD, "an Ixia capture"),
	AT(0, "\xac\x01\x00\x1c", UNREAD, "an Ixia capture"),
	AT(0, "\x1c\x00\x01\xab", UNREAD, "an Ixia capture"),
	AT(0, "\xab\x01\x00\x1c", UNREAD, "an Ixia capture"),
	AT(0, "\x1f\x8b", PACKED, "gzip"),
	AT(0, "\x28\xb5\x2f\xfd", PACKED, "zstd"),
	AT(0, "\xfd" "7zXZ\0", PACKED, "xz"),
	AT(0, "BZh", PACKED, "bzip2"),
	AT(0, "\x04\x22\x4d\x18", PACKED, "lz4"),
	AT(0, "\x1f\x9d", PACKED, "compress"),
	AT(0, "PK\x03\x04", OTHER, "a zip archive"),
	AT(0, "7z\xbc\xaf\x27\x1c", OTHER, "a 7-Zip archive"),
	AT(0, "Rar!\x1a\x07", OTHER, "a RAR archive"),
	AT(257, "ustar", OTHER, "a tar archive"),
	AT(0, "\xff\xd8\xff", OTHER, "a JPEG image"),
	AT(0, "\x89PNG\r\n\x1a\n", OTHER, "a PNG image"),
	AT(0, "GIF8", OTHER, "a GIF image"),
	AT(0, "RIFF", OTHER, "a RIFF file (sound, video or image)"),
	AT(4, "ftyp", OTHER, "an MP4 video or HEIF image"),
	AT(0, "%PDF-", OTHER, "a PDF document"),
	AT(0, "%!PS", OTHER, "a PostScript document"),
	AT(0, "\x7f" "ELF", OTHER, "an ELF program or library"),
	AT(0, "SQLite format 3\0", OTHER, "an SQLite database"),
	AT(0, "\xff\xfe", OTHER, "text in UTF-16 (convert it to UTF-8)"),
	AT(0, "\xfe\xff", OTHER, "text in UTF-16 (convert it to UTF-8)"),
};

static const struct signature *find_signature(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++) {
		const struct signature *s = &signatures[i];

		if (n >= (size_t)s->offset + s->length &&
		    !memcmp(head + s->offset, s->bytes, s->length))
			return s;
	}
	return NULL;
}

static bool all_zeros(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (head[i])
			return false;
	return true;
}

/*
 * No control characters but those of a typescript or a coloured log. Bytes from 0x80 on pass: the
 * text may be in any of the old 8-bit sets.
 */
static bool is_text(const uint8_t *head, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (head[i] == 0x7f || (head[i] < 0x20 && !memchr("\t\n\v\f\r\b\033", head[i], 7)))
			return false;
	return true;
}

static bool begins(const uint8_t *head, size_t n, const char *with)
{
	size_t length = strlen(with);

	return n >= length && !strncasecmp((const char *)head, with, length);
}

/* The kind of text, by its first word. */
static const char *text_kind(const uint8_t *head, size_t n)
{
	size_t i = 0;

	if (n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3))
		i = 3; /* a byte-order mark in UTF-8 */
	while (i < n && memchr(" \t\r\n", head[i], 4))
		i++;
	head += i;
	n -= i;
	if (begins(head, n, "<!doctype html") || begins(head, n, "<html"))
		return "an HTML page, not a capture";
	if (begins(head, n, "<"))
		return "an XML document, not a capture";
	if (begins(head, n, "{") || begins(head, n, "["))
		return "a JSON document, not a capture";
	return "text without a line that tcpwhy understands";
}

static uint32_t be16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

/*
 * An ERF record has no magic: little-endian time (fraction, then seconds), type, flags, record
 * length, loss counter, wire length, of which the lengths are big-endian. Two in a row that make
 * sense are taken as proof; one, where the file holds no more.
 */
static bool is_erf(const uint8_t *head, size_t n)
{
	enum { HEADER = 16, TYPES = 48, YEAR_1990 = 631152000 };
	size_t at = 0;
	int found = 0;

	while (found < 2 && n - at >= HEADER) {
		const uint8_t *p = head + at;
		uint32_t seconds = le32(p + 4);
		uint32_t type = p[8] & 0x7f, length = be16(p + 10), wire = be16(p + 14);

		if (seconds < YEAR_1990 || seconds > INT32_MAX || !type || type > TYPES ||
		    length < HEADER || !wire)
			return false;
		found++;
		if (length >= n - at)
			break;
		at += length;
	}
	return found > 0;
}

static const char *describe(const struct signature *s, const char *packing, char *out, size_t size)
{
	switch (s->verdict) {
	case PACKED:
		snprintf(out, size, "%s data%s%s, which tcpwhy does not unpack", s->name,
			 packing ? " inside " : "", packing ? packing : "");
		break;
	case UNREAD:
		snprintf(out, size, "%s, not read by this version", s->name);
		break;
	case OTHER:
		snprintf(out, size, "%s, not a capture", s->name);
		break;
	}
	return out;
}

const char *tw_source_identify(const uint8_t *head, size_t n, const char *packing, char *out,
			       size_t size)
{
	const struct signature *s = find_signature(head, n);

	if (s)
		return describe(s, packing, out, size);
	if (!n)
		snprintf(out, size, "empty%s", packing ? " once unpacked" : "");
	else if (all_zeros(head, n))
		snprintf(out, size, "nothing but zeros at its beginning, not a capture");
	else if (is_text(head, n))
		snprintf(out, size, "%s", text_kind(head, n));
	else if (n < 4)
		snprintf(out, size, "too short for a capture (%zu byte%s)", n, n == 1 ? "" : "s");
	else if (is_erf(head, n))
		snprintf(out, size, "an ERF capture, it seems, not read by this version");
	else
		snprintf(out, size,
			 "data of an unknown kind (it begins %02x %02x %02x %02x), not a capture",
			 head[0], head[1], head[2], head[3]);
	return out;
}
