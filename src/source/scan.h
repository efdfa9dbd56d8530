/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounds-checked reader over text, for lines that people pasted. Every step either takes what it
 * names and moves on, or takes nothing and stays.
 */
#ifndef TW_SOURCE_SCAN_H
#define TW_SOURCE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct tw_scan {
	const char *at;
	const char *end; /* there need be no NUL */
};

static inline struct tw_scan tw_scan_over(const char *text, size_t n)
{
	return (struct tw_scan){ .at = text, .end = text + n };
}

static inline size_t tw_scan_left(const struct tw_scan *s)
{
	return (size_t)(s->end - s->at);
}

/* The next character, 0 at the end. */
static inline char tw_scan_peek(const struct tw_scan *s)
{
	return s->at < s->end ? *s->at : '\0';
}

static inline bool tw_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes `word` where the text goes on with it. */
static inline bool tw_scan_word(struct tw_scan *s, const char *word)
{
	size_t n = strlen(word);

	if (tw_scan_left(s) < n || memcmp(s->at, word, n) != 0)
		return false;
	s->at += n;
	return true;
}

/* Takes blanks; how many there were. */
static inline size_t tw_scan_blanks(struct tw_scan *s)
{
	const char *from = s->at;

	while (s->at < s->end && *s->at == ' ')
		s->at++;
	return (size_t)(s->at - from);
}

/* Takes a decimal number of at most `max`; a larger one is left where it is. */
static inline bool tw_scan_u64(struct tw_scan *s, uint64_t max, uint64_t *out)
{
	const char *p = s->at;
	uint64_t v = 0;

	for (; p < s->end && tw_is_digit(*p); p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (v > (max - digit) / 10 || digit > max)
			return false;
		v = v * 10 + digit;
	}
	if (p == s->at)
		return false;
	s->at = p;
	*out = v;
	return true;
}

static inline bool tw_scan_u32(struct tw_scan *s, uint32_t *out)
{
	uint64_t v;

	if (!tw_scan_u64(s, UINT32_MAX, &v))
		return false;
	*out = (uint32_t)v;
	return true;
}

/*
 * Takes a number that ends where it may: a letter, digit or dot right behind it tells of a line
 * that was put together wrongly.
 */
static inline bool tw_scan_whole(struct tw_scan *s, uint32_t *out)
{
	struct tw_scan p = *s;
	char c;

	if (!tw_scan_u32(&p, out))
		return false;
	c = tw_scan_peek(&p);
	if (tw_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '.' || c == '_')
		return false;
	*s = p;
	return true;
}

/* Takes "0x" and one to eight hexadecimal digits. */
static inline bool tw_scan_hex(struct tw_scan *s, uint32_t *out)
{
	struct tw_scan p = *s;
	uint32_t v = 0;
	int n = 0;

	if (!tw_scan_word(&p, "0x"))
		return false;
	for (; p.at < p.end && n < 8; p.at++, n++) {
		char c = (char)(*p.at | 0x20);

		if (tw_is_digit(*p.at))
			v = v << 4 | (uint32_t)(*p.at - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint32_t)(c - 'a' + 10);
		else
			break;
	}
	if (!n)
		return false;
	s->at = p.at;
	*out = v;
	return true;
}

/* Takes what comes before the next blank (or the end); false where there is nothing. */
static inline bool tw_scan_token(struct tw_scan *s, struct tw_scan *token)
{
	token->at = s->at;
	while (s->at < s->end && *s->at != ' ')
		s->at++;
	token->end = s->at;
	return token->at < token->end;
}

/* Where `word` stands next; NULL where it does not. */
static inline const char *tw_scan_find(const struct tw_scan *s, const char *word)
{
	return memmem(s->at, tw_scan_left(s), word, strlen(word));
}

static inline bool tw_scan_is(const struct tw_scan *s, const char *word)
{
	return tw_scan_left(s) == strlen(word) && !memcmp(s->at, word, tw_scan_left(s));
}

#endif
