/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that are words, and numbers as sysctl(8) has them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lab/value_kinds.h"

/* Which of the words of `form` ("a | b | c") `text` is, from 1; 0: none. */
static int64_t choice_of(const char *form, const char *text)
{
	size_t length = strlen(text);
	int64_t number = 1;

	for (;; number++) {
		size_t n = strcspn(form, " ");

		if (n == length && !strncasecmp(form, text, n))
			return number;
		if (!form[n])
			return 0;
		form += n + strlen(" | ");
	}
}

static int parse_choice(enum tw_value_kind kind, const char *text, int64_t *out)
{
	int64_t value = choice_of(tw_value_form(kind), text);

	if (!value)
		return -EINVAL;
	*out = value;
	return 0;
}

static void print_choice(enum tw_value_kind kind, int64_t value, char *out, size_t size)
{
	const char *form = tw_value_form(kind);

	while (--value > 0)
		form = strstr(form, " | ") + strlen(" | ");
	snprintf(out, size, "%.*s", (int)strcspn(form, " "), form);
}

int tw_value_parse_pattern(const char *text, struct tw_range range, int64_t *out)
{
	(void)range;
	return parse_choice(TW_VALUE_PATTERN, text, out);
}

void tw_value_print_pattern(const int64_t *value, char *out, size_t size)
{
	print_choice(TW_VALUE_PATTERN, *value, out, size);
}

int tw_value_parse_dir(const char *text, struct tw_range range, int64_t *out)
{
	(void)range;
	return parse_choice(TW_VALUE_DIR, text, out);
}

void tw_value_print_dir(const int64_t *value, char *out, size_t size)
{
	print_choice(TW_VALUE_DIR, *value, out, size);
}

int tw_value_parse_cork(const char *text, struct tw_range range, int64_t *out)
{
	(void)range;
	return parse_choice(TW_VALUE_CORK, text, out);
}

void tw_value_print_cork(const int64_t *value, char *out, size_t size)
{
	print_choice(TW_VALUE_CORK, *value, out, size);
}

int tw_value_parse_level(const char *text, struct tw_range range, int64_t *out)
{
	struct tw_range number = { 1, range.most - 1 };
	int64_t value = 0;
	int ret = 0;

	if (!strcasecmp(text, "yes") || !strcasecmp(text, "on"))
		value = 1;
	else if (strcasecmp(text, "no"))
		ret = tw_value_parse_count(text, number, &value);
	if (!ret)
		*out = value + 1;
	return ret;
}

void tw_value_print_level(const int64_t *value, char *out, size_t size)
{
	snprintf(out, size, "%" PRId64, *value - 1);
}

int tw_value_parse_triple(const char *text, struct tw_range range, struct tw_triple *out)
{
	char copy[TW_VALUE_MAX], *at = copy;
	int64_t value[3];

	snprintf(copy, sizeof(copy), "%s", text);
	for (int i = 0; i < 3; i++) {
		char *part = strsep(&at, ":");
		int ret = part ? tw_value_parse_size(part, range, &value[i]) : -EINVAL;

		if (ret)
			return ret;
		if (!value[i])
			return -ERANGE;
	}
	if (at)
		return -EINVAL;
	if (value[0] > value[1] || value[1] > value[2])
		return -ERANGE;
	*out = (struct tw_triple){ value[0], value[1], value[2] };
	return 0;
}

void tw_value_print_triple(const struct tw_triple *triple, char *out, size_t size)
{
	char part[3][32];

	tw_value_print_size(&triple->least, part[0], sizeof(part[0]));
	tw_value_print_size(&triple->usual, part[1], sizeof(part[1]));
	tw_value_print_size(&triple->most, part[2], sizeof(part[2]));
	snprintf(out, size, "%s:%s:%s", part[0], part[1], part[2]);
}

int tw_value_parse_name(const char *text, struct tw_range range, struct tw_name *out)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
	struct tw_name name = { "" };
	size_t n = strlen(text);

	(void)range;
	if (!n || n >= sizeof(name.text) || strspn(text, letters) != n)
		return -EINVAL;
	memcpy(name.text, text, n);
	*out = name;
	return 0;
}

void tw_value_print_name(const struct tw_name *name, char *out, size_t size)
{
	snprintf(out, size, "%s", name->text);
}
