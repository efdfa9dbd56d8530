/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/path.h"

#include <string.h>

#include "lab/words.h"

static const struct tw_word parameters[] = {
#define X(word, kind, field, least, most, help)                                                     \
	{ word,                                                                                     \
	  TW_VALUE_##kind,                                                                          \
	  offsetof(struct tw_link_options, field),                                                  \
	  { least, most },                                                                          \
	  help, /* One half would break every connection: an ACK must undo what was done to SEQ. */ \
	  offsetof(struct tw_link_options, field) == offsetof(struct tw_link_options, seqrand),             \
	  offsetof(struct tw_link_options, field) >= offsetof(struct tw_link_options, freeze) },
	TW_PATH_PARAMETERS(X)
#undef X
};

enum { N_PARAMETERS = sizeof(parameters) / sizeof(*parameters) };

_Static_assert((int)TW_PATH_TEXT_MAX >= (int)TW_WORDS_TEXT_MAX, "any text fits");

static const struct tw_words words = {
	.words = parameters,
	.n = N_PARAMETERS,
	.side = { "there", "back" },
	.host = { "client", "server" },
	.sides = "directions",
};

const struct tw_word *tw_path_word(const char *name)
{
	return tw_words_find(&words, name);
}

void tw_path_init(struct tw_path *path)
{
	*path = (struct tw_path){ .back = { .is_back = 1 } };
}

int tw_path_parse(struct tw_path *path, const char *text, struct tw_error *err)
{
	struct tw_path work = *path;
	int ret = tw_words_parse(&words, (void *[]){ &work.there, &work.back }, text, err);

	if (!ret)
		*path = work;
	return ret;
}

int tw_path_format(const struct tw_path *path, char *out, size_t size)
{
	static const struct tw_link_options plain;

	return tw_words_format(&words, (const void *[]){ &path->there, &path->back }, &plain, out,
			       size);
}

void tw_path_help(void (*line)(void *user, const char *word, const char *form, const char *help),
		  void *user)
{
	tw_words_help(&words, line, user);
}

bool tw_link_options_valid(const struct tw_link_options *options)
{
	for (int i = 0; i < N_PARAMETERS; i++) {
		const struct tw_range range = parameters[i].range;
		size_t n = tw_value_size(parameters[i].kind) / sizeof(int64_t);
		const int64_t *value = (const void *)((const char *)options + parameters[i].at);

		/* Every field is made of numbers of this type, each 0 or in range. */
		for (size_t j = 0; j < n; j++)
			if (value[j] && (value[j] < range.least || value[j] > range.most))
				return false;
	}
	return options->outage.from <= options->outage.to &&
	       options->drop.nth_from <= options->drop.nth_to;
}
