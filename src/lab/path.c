/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "lab/value.h"

enum { WORD_MAX = 32 + 160 }; /* a parameter and its value, see TW_VALUE_MAX */

struct parameter {
	const char *word;
	enum tw_value_kind kind;
	size_t at; /* of its field in struct tw_link_options */
	struct tw_range range;
	const char *help;
};

static const struct parameter parameters[] = {
#define X(word, kind, field, least, most, help) \
	{ word, TW_VALUE_##kind, offsetof(struct tw_link_options, field), { least, most }, help },
	TW_PATH_PARAMETERS(X)
#undef X
};

enum { N_PARAMETERS = sizeof(parameters) / sizeof(*parameters) };

void tw_path_init(struct tw_path *path)
{
	*path = (struct tw_path){ .back = { .is_back = 1 } };
}

static void *field_of(struct tw_link_options *options, const struct parameter *parameter)
{
	return (char *)options + parameter->at;
}

static const void *const_field_of(const struct tw_link_options *options,
				  const struct parameter *parameter)
{
	return (const char *)options + parameter->at;
}

static int say_unknown(const char *word, struct tw_error *err)
{
	char known[260] = "", shown[4 * WORD_MAX];

	for (int i = 0; i < N_PARAMETERS; i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), " %s",
			 parameters[i].word);
	return tw_error_set(err, -EINVAL, "no parameter '%.40s'; there are:%s",
			    tw_escape(word, shown, sizeof(shown)), known);
}

static int say_value(const struct parameter *parameter, const char *value, int code,
		     struct tw_error *err)
{
	char shown[4 * WORD_MAX], least[WORD_MAX], most[WORD_MAX];

	tw_escape(value, shown, sizeof(shown));
	if (code == -ERANGE && tw_value_size(parameter->kind) == sizeof(int64_t)) {
		tw_value_print(parameter->kind, &parameter->range.least, least, sizeof(least));
		tw_value_print(parameter->kind, &parameter->range.most, most, sizeof(most));
		return tw_error_set(err, -EINVAL, "%s=%.40s is out of range: %s to %s, or none",
				    parameter->word, shown, least, most);
	}
	return tw_error_set(err, -EINVAL, "%s=%.40s is %s: %s=%s", parameter->word, shown,
			    code == -ERANGE ? "out of range" : "not understood", parameter->word,
			    tw_value_form(parameter->kind));
}

/* One word, NUL-terminated, which is cut up. */
static int parse_word(struct tw_path *path, char *word, struct tw_error *err)
{
	bool there = strncmp(word, "back.", 5), back = strncmp(word, "there.", 6);
	char *name = !there ? word + 5 : !back ? word + 6 : word;
	char *equals = strchr(name, '=');
	const char *value = equals ? equals + 1 : NULL;
	const struct parameter *parameter = NULL;
	int ret = 0;

	if (equals)
		*equals = '\0';
	for (int i = 0; i < N_PARAMETERS && !parameter; i++)
		if (!strcmp(name, parameters[i].word))
			parameter = &parameters[i];
	if (!parameter)
		return say_unknown(name, err);
	if (!value && parameter->kind == TW_VALUE_FLAG)
		value = "yes";
	if (!value)
		return tw_error_set(err, -EINVAL, "%s needs a value: %s=%s", name, name,
				    tw_value_form(parameter->kind));
	/* One half of it would break every connection: an ACK must undo what was done to SEQ. */
	if (!strcmp(parameter->word, "seqrand") && !(there && back))
		return tw_error_set(err, -EINVAL,
				    "seqrand holds for both directions: write it without %.*s",
				    (int)(name - word), word);
	if (there)
		ret = tw_value_parse(parameter->kind, value, parameter->range,
				     field_of(&path->there, parameter));
	if (!ret && back)
		ret = tw_value_parse(parameter->kind, value, parameter->range,
				     field_of(&path->back, parameter));
	return ret ? say_value(parameter, value, ret, err) : 0;
}

int tw_path_parse(struct tw_path *path, const char *text, struct tw_error *err)
{
	static const char blanks[] = " ,\t\r\n";
	struct tw_path work = *path;
	char word[WORD_MAX];

	for (;;) {
		size_t n;
		int ret;

		text += strspn(text, blanks);
		n = strcspn(text, blanks);
		if (!n)
			break;
		if (n >= sizeof(word)) {
			snprintf(word, 24, "%s", text);
			return tw_error_set(err, -EINVAL, "'%.80s...' is too long for a parameter",
					    tw_escape(word, (char[100]){ 0 }, 100));
		}
		memcpy(word, text, n);
		word[n] = '\0';
		ret = parse_word(&work, word, err);
		if (ret)
			return ret;
		text += n;
	}
	*path = work;
	return 0;
}

/* Appends " PREFIXword=value" unless the field is as in `plain`. */
static size_t format_field(const struct parameter *parameter, const char *prefix,
			   const struct tw_link_options *options,
			   const struct tw_link_options *plain, char *out, size_t size)
{
	const void *field = const_field_of(options, parameter);
	char value[WORD_MAX];
	int n;

	if (!memcmp(field, const_field_of(plain, parameter), tw_value_size(parameter->kind)))
		return 0;
	tw_value_print(parameter->kind, field, value, sizeof(value));
	n = snprintf(out, size, " %s%s=%s", prefix, parameter->word, value);
	return n < 0 ? 0 : (size_t)n;
}

int tw_path_format(const struct tw_path *path, char *out, size_t size)
{
	char text[2 * TW_PATH_TEXT_MAX];
	struct tw_path plain;
	size_t n = 0;

	tw_path_init(&plain);
	text[1] = '\0';
	for (int i = 0; i < N_PARAMETERS; i++) {
		const struct parameter *p = &parameters[i];
		bool same = !memcmp(const_field_of(&path->there, p), const_field_of(&path->back, p),
				    tw_value_size(p->kind));

		n += format_field(p, same ? "" : "there.", &path->there, &plain.there, text + n,
				  sizeof(text) - n);
		if (!same)
			n += format_field(p, "back.", &path->back, &plain.back, text + n,
					  sizeof(text) - n);
		if (n >= TW_PATH_TEXT_MAX)
			return -ENOSPC;
	}
	/* The blank that leads each word takes the place of the NUL. */
	if ((n ? n : 1) > size)
		return -ENOSPC;
	memcpy(out, text + 1, n ? n : 1);
	return 0;
}

void tw_path_help(void (*line)(void *user, const char *word, const char *form, const char *help),
		  void *user)
{
	for (int i = 0; i < N_PARAMETERS; i++)
		line(user, parameters[i].word, tw_value_form(parameters[i].kind),
		     parameters[i].help);
}

bool tw_link_options_valid(const struct tw_link_options *options)
{
	for (int i = 0; i < N_PARAMETERS; i++) {
		const struct tw_range range = parameters[i].range;
		size_t n = tw_value_size(parameters[i].kind) / sizeof(int64_t);
		const int64_t *value = const_field_of(options, &parameters[i]);

		/* Every field is made of numbers of this type, each 0 or in range. */
		for (size_t j = 0; j < n; j++)
			if (value[j] && (value[j] < range.least || value[j] > range.most))
				return false;
	}
	return options->outage.from <= options->outage.to &&
	       options->drop.nth_from <= options->drop.nth_to;
}
