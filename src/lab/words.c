/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/words.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

enum {
	WORD_MAX = 32 + 160, /* a parameter and its value, see TW_VALUE_MAX */
	KNOWN_MAX = 260,     /* of a list of parameters in an error text */
	TYPO_MAX = 24,       /* longer words are not compared with those that there are */
};

/* How many letters must be changed, put in or taken out to make `b` of `a`. */
static int letters_apart(const char *a, const char *b)
{
	int row[TYPO_MAX + 1];
	int n = (int)strlen(b);

	for (int j = 0; j <= n; j++)
		row[j] = j;
	for (int i = 1; a[i - 1]; i++) {
		int diagonal = row[0];

		row[0] = i;
		for (int j = 1; j <= n; j++) {
			int changed = diagonal + (a[i - 1] != b[j - 1]);
			int other = (row[j - 1] < row[j] ? row[j - 1] : row[j]) + 1;

			diagonal = row[j];
			row[j] = changed < other ? changed : other;
		}
	}
	return row[n];
}

/* Names all parameters, or, where they are too many for a line, the one most like it. */
static int say_unknown(const struct tw_words *words, const char *word, struct tw_error *err)
{
	char known[KNOWN_MAX] = "", shown[4 * WORD_MAX];
	const char *nearest = NULL;
	int apart = 4;
	size_t n = 0;

	tw_escape(word, shown, sizeof(shown));
	for (int i = 0; i < words->n && n < sizeof(known); i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, " %s", words->words[i].word);
	if (n < sizeof(known))
		return tw_error_set(err, -EINVAL, "no parameter '%.40s'; there are:%s", shown,
				    known);
	for (int i = 0; i < words->n && strlen(word) <= TYPO_MAX; i++) {
		int d = letters_apart(word, words->words[i].word);

		if (d < apart) {
			apart = d;
			nearest = words->words[i].word;
		}
	}
	if (!nearest)
		return tw_error_set(err, -EINVAL, "no parameter '%.40s'", shown);
	return tw_error_set(err, -EINVAL, "no parameter '%.40s'; the nearest is '%s'", shown,
			    nearest);
}

static int say_value(const struct tw_word *word, const char *value, int code, struct tw_error *err)
{
	char shown[4 * WORD_MAX], least[WORD_MAX], most[WORD_MAX];

	tw_escape(value, shown, sizeof(shown));
	if (code == -ERANGE && tw_value_size(word->kind) == sizeof(int64_t)) {
		tw_value_print(word->kind, &word->range.least, least, sizeof(least));
		tw_value_print(word->kind, &word->range.most, most, sizeof(most));
		return tw_error_set(err, -EINVAL, "%s=%.40s is out of range: %s to %s, or none",
				    word->word, shown, least, most);
	}
	return tw_error_set(err, -EINVAL, "%s=%.40s is %s: %s=%s", word->word, shown,
			    code == -ERANGE ? "out of range" : "not understood", word->word,
			    tw_value_form(word->kind));
}

/* The one of `names` that `text` has before a dot: 0 or 1, with the rest in `*name`; -1: none. */
static int side_of(const char *const names[2], const char *text, const char **name)
{
	for (int side = 0; side < 2; side++) {
		size_t n = names[side] ? strlen(names[side]) : 0;

		if (n && !strncmp(text, names[side], n) && text[n] == '.') {
			*name = text + n + 1;
			return side;
		}
	}
	return -1;
}

static const char *const *names_of(const struct tw_words *words, const struct tw_word *word)
{
	return word->is_of_host ? words->host : words->side;
}

/* Without a side. */
static const struct tw_word *find(const struct tw_words *words, const char *name)
{
	for (int i = 0; i < words->n; i++)
		if (!strcmp(name, words->words[i].word))
			return &words->words[i];
	return NULL;
}

const struct tw_word *tw_words_find(const struct tw_words *words, const char *name)
{
	int side = side_of(words->side, name, &name);
	int host = side < 0 ? side_of(words->host, name, &name) : -1;
	const struct tw_word *word = find(words, name);

	return word && (side >= 0 || host >= 0) && (host >= 0) != word->is_of_host ? NULL : word;
}

/* One word, NUL-terminated, which is cut up. */
static int parse_word(const struct tw_words *words, void *const sides[2], char *text,
		      struct tw_error *err)
{
	char *equals = strchr(text, '=');
	const char *name = text, *value = equals ? equals + 1 : NULL;
	int side = side_of(words->side, text, &name), ret = 0;
	int host = side < 0 ? side_of(words->host, text, &name) : -1, only = side < 0 ? host : side;
	const struct tw_word *word;

	if (equals)
		*equals = '\0';
	word = find(words, name);
	if (!word)
		return say_unknown(words, name, err);
	if (!value && word->kind == TW_VALUE_FLAG)
		value = "yes";
	if (!value)
		return tw_error_set(err, -EINVAL, "%s needs a value: %s=%s", name, name,
				    tw_value_form(word->kind));
	if (word->is_shared && only >= 0)
		return tw_error_set(err, -EINVAL, "%s holds for both %s: write it without %.*s",
				    name, words->sides, (int)(name - text), text);
	if (only >= 0 && (host >= 0) != word->is_of_host)
		return tw_error_set(err, -EINVAL, "%s is not of '%.*s': write %s.%s or %s.%s", name,
				    (int)(name - text) - 1, text, names_of(words, word)[0], name,
				    names_of(words, word)[1], name);
	for (side = 0; side < 2 && !ret; side++)
		if (only < 0 || side == only)
			ret = tw_value_parse(word->kind, value, word->range,
					     (char *)sides[side] + word->at);
	return ret ? say_value(word, value, ret, err) : 0;
}

int tw_words_parse(const struct tw_words *words, void *const sides[2], const char *text,
		   struct tw_error *err)
{
	static const char blanks[] = " ,\t\r\n";
	char word[WORD_MAX];

	for (;;) {
		size_t n;
		int ret;

		text += strspn(text, blanks);
		n = strcspn(text, blanks);
		if (!n)
			return 0;
		if (n >= sizeof(word)) {
			snprintf(word, 24, "%s", text);
			return tw_error_set(err, -EINVAL, "'%.80s...' is too long for a parameter",
					    tw_escape(word, (char[100]){ 0 }, 100));
		}
		memcpy(word, text, n);
		word[n] = '\0';
		ret = parse_word(words, sides, word, err);
		if (ret)
			return ret;
		text += n;
	}
}

/* Appends " SIDE.word=value" unless the field is as in `plain`; `side` NULL: both. */
static size_t format_field(const struct tw_word *word, const char *side, const void *options,
			   const void *plain, char *out, size_t size)
{
	const char *field = (const char *)options + word->at;
	char value[WORD_MAX];
	int n;

	if (!memcmp(field, (const char *)plain + word->at, tw_value_size(word->kind)))
		return 0;
	tw_value_print(word->kind, field, value, sizeof(value));
	n = snprintf(out, size, " %s%s%s=%s", side ? side : "", side ? "." : "", word->word, value);
	return n < 0 ? 0 : (size_t)n;
}

int tw_words_format(const struct tw_words *words, const void *const sides[2], const void *plain,
		    char *out, size_t size)
{
	char text[2 * TW_WORDS_TEXT_MAX];
	size_t n = 0;

	text[1] = '\0';
	for (int i = 0; i < words->n; i++) {
		const struct tw_word *word = &words->words[i];
		bool same = !memcmp((const char *)sides[0] + word->at,
				    (const char *)sides[1] + word->at, tw_value_size(word->kind));

		for (int side = 0; side < (same ? 1 : 2); side++)
			n += format_field(word, same ? NULL : names_of(words, word)[side], sides[side], plain,
					  text + n, sizeof(text) - n);
		if (n >= TW_WORDS_TEXT_MAX)
			return -ENOSPC;
	}
	/* The blank that leads each word takes the place of the NUL. */
	if ((n ? n : 1) > size)
		return -ENOSPC;
	memcpy(out, text + 1, n ? n : 1);
	return 0;
}

void tw_words_help(const struct tw_words *words,
		   void (*line)(void *user, const char *word, const char *form, const char *help),
		   void *user)
{
	for (int i = 0; i < words->n; i++)
		line(user, words->words[i].word, tw_value_form(words->words[i].kind),
		     words->words[i].help);
}
