/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

static int set_number(uint64_t *field, const struct tw_option *option, const char *text)
{
	char *end;

	errno = 0;
	if (text[0] < '0' || text[0] > '9')
		goto bad;
	*field = strtoull(text, &end, 10);
	if (!*end && !errno)
		return 0;
bad:
	tw_complain("--%s wants a number, not '%s'", option->name, text);
	return -EINVAL;
}

static int set_choice(unsigned *field, const struct tw_option *option, const char *text)
{
	const char *word = option->argument;
	size_t n = strlen(text);

	for (unsigned i = 1; *word; i++) {
		size_t length = strcspn(word, "|");

		if (length == n && !strncmp(word, text, n)) {
			*field = i;
			return 0;
		}
		word += length + (word[length] == '|');
	}
	tw_complain("--%s wants one of %s, not '%s'", option->name, option->argument, text);
	return -EINVAL;
}

static int set(const struct tw_option *option, void *config, const char *text)
{
	void *field = (char *)config + option->field;

	switch (option->kind) {
	case TW_OPTION_SWITCH: *(bool *)field = true; return 0;
	case TW_OPTION_NUMBER: return set_number(field, option, text);
	case TW_OPTION_ONCE:
		if (*(const char **)field) {
			tw_complain("--%s can be given once", option->name);
			return -EINVAL;
		}
		*(const char **)field = text;
		return 0;
	case TW_OPTION_TEXT: *(const char **)field = text; return 0;
	case TW_OPTION_CHOICE: return set_choice(field, option, text);
	}
	return -EINVAL;
}

static const struct tw_option *by_name(const struct tw_option *table, const char *name, size_t n)
{
	for (; table->name; table++) {
		if (strlen(table->name) == n && !strncmp(table->name, name, n))
			return table;
	}
	return NULL;
}

static const struct tw_option *by_letter(const struct tw_option *table, char letter)
{
	for (; table->name; table++) {
		if (letter && table->letter == letter)
			return table;
	}
	return NULL;
}

/* --name, --name=value or --name value; moves `*at` over a value that is a word of its own. */
static int parse_long(const struct tw_option *table, void *config, int argc, char **argv, int *at)
{
	const char *word = argv[*at] + 2;
	size_t n = strcspn(word, "=");
	const struct tw_option *option = by_name(table, word, n);

	if (!option) {
		tw_complain("no option '--%.*s'; 'tcpwhy --help' lists them", (int)n, word);
		return -EINVAL;
	}
	if (!option->argument && word[n]) {
		tw_complain("--%s takes no value", option->name);
		return -EINVAL;
	}
	if (!option->argument || word[n])
		return set(option, config, option->argument ? word + n + 1 : NULL);
	if (*at + 1 >= argc) {
		tw_complain("--%s wants %s", option->name, option->argument);
		return -EINVAL;
	}
	return set(option, config, argv[++*at]);
}

/* -v, -vv, -n3 or -n 3 */
static int parse_letters(const struct tw_option *table, void *config, int argc, char **argv,
			 int *at)
{
	const char *letters = argv[*at] + 1;

	for (; *letters; letters++) {
		const struct tw_option *option = by_letter(table, *letters);
		int error;

		if (!option) {
			tw_complain("no option '-%c'; 'tcpwhy --help' lists them", *letters);
			return -EINVAL;
		}
		if (option->argument && letters[1])
			return set(option, config, letters + 1);
		if (option->argument && *at + 1 >= argc) {
			tw_complain("-%c wants %s", option->letter, option->argument);
			return -EINVAL;
		}
		error = set(option, config, option->argument ? argv[++*at] : NULL);
		if (error || option->argument)
			return error;
	}
	return 0;
}

int tw_options_parse(const struct tw_option *table, void *config, int argc, char **argv,
		     struct tw_operands *operands)
{
	bool is_over = false;

	operands->n = 0;
	for (int i = 1; i < argc; i++) {
		int error = 0;

		if (is_over || argv[i][0] != '-' || !argv[i][1]) {
			operands->words[operands->n++] = argv[i];
		} else if (!strcmp(argv[i], "--")) {
			is_over = true;
			operands->n_before = operands->n;
		} else if (argv[i][1] == '-') {
			error = parse_long(table, config, argc, argv, &i);
		} else {
			error = parse_letters(table, config, argc, argv, &i);
		}
		if (error)
			return error;
	}
	if (!is_over)
		operands->n_before = operands->n;
	return 0;
}

void tw_options_help(const struct tw_option *table, FILE *out)
{
	for (; table->name; table++) {
		char left[80], letter[8] = "    ";

		if (table->letter)
			snprintf(letter, sizeof(letter), "-%c, ", table->letter);
		snprintf(left, sizeof(left), "%s--%s%s%s", letter, table->name,
			 table->argument ? "=" : "", table->argument ? table->argument : "");
		fprintf(out, "  %-38s  %s\n", left, table->help);
	}
}
