/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts like `rate=10mbit back.loss=1%`: words parted by blanks or commas, each a parameter and its
 * value, for two sides that have the same parameters. A word holds for both sides, or, led by the
 * name of one and a dot, for that one. Later words win. What the parameters are is a table.
 */
#ifndef TW_LAB_WORDS_H
#define TW_LAB_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "lab/value.h"

enum { TW_WORDS_TEXT_MAX = 4096 }; /* bytes that any text may need, with its NUL */

struct tw_word {
	const char *word;
	enum tw_value_kind kind;
	size_t at;             /* of its field in the options of a side */
	struct tw_range range; /* in the unit of its field; 0 ("none") is always right */
	const char *help;
	bool is_shared; /* the sides cannot differ in it: it takes no side's name */
	bool is_of_host; /* it takes the names of `host` */
};

struct tw_words {
	const struct tw_word *words;
	int n;
	const char *side[2]; /* "there", "back" */
	const char *host[2]; /* of words that are of a host, not of a side; NULL: there are none */
	const char *sides;   /* what they are: "directions" */
};

/* The word that `name` means, with the name of a side before it or without; NULL: none. */
const struct tw_word *tw_words_find(const struct tw_words *words, const char *name);

/*
 * Applies the words of `text` to the options of the two sides. -EINVAL with a text that names the
 * word and says what would be right; `sides` may then have been changed in part.
 */
int tw_words_parse(const struct tw_words *words, void *const sides[2], const char *text,
		   struct tw_error *err);

/*
 * Writes the fields of the two sides that differ from those of `plain`, as tw_words_parse reads
 * them. -ENOSPC, with `out` as before, where `size` bytes, or TW_WORDS_TEXT_MAX, do not hold it.
 */
int tw_words_format(const struct tw_words *words, const void *const sides[2], const void *plain,
		    char *out, size_t size);

/* Calls `line` for each parameter: its word, the form of its values, its help. All are static. */
void tw_words_help(const struct tw_words *words,
		   void (*line)(void *user, const char *word, const char *form, const char *help),
		   void *user);

#endif
