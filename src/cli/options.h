/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Command-line options as rows of a table, each bound to a field of a command's configuration.
 * The help is printed from the same rows, and a test compares them with the man page.
 */
#ifndef TW_CLI_OPTIONS_H
#define TW_CLI_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum tw_option_kind {
	TW_OPTION_SWITCH, /* bool: set to true */
	TW_OPTION_NUMBER, /* uint64_t: a decimal number */
	TW_OPTION_TEXT,   /* const char *: borrowed from argv */
	TW_OPTION_ONCE,   /* the same, NULL before: given again it is an error, not the last one's */
	TW_OPTION_CHOICE, /* unsigned: 1 for the first word of `argument`, 2 for the second, ... */
};

struct tw_option {
	const char *name;     /* "top", given as --top; NULL ends the table */
	char letter;          /* 'v', given as -v; 0 for none */
	enum tw_option_kind kind;
	const char *argument; /* "N", or "auto|always|never"; NULL for a switch */
	const char *help;
	size_t field;         /* its offset in the configuration */
};

struct tw_operands {
	char **words;   /* borrowed from argv; what is no option, in order */
	int n;
	int n_before;   /* those before a "--"; n where there was none */
};

/*
 * Reads argv[1] on: options into `config`, which holds the defaults, all else into `operands`,
 * whose `words` has room for argc of them. Options may stand between operands; "--" ends them; "-" is an
 * operand. 0, or -EINVAL after one line on standard error.
 */
int tw_options_parse(const struct tw_option *table, void *config, int argc, char **argv,
		     struct tw_operands *operands);

/* One line an option, sorted as the table is. */
void tw_options_help(const struct tw_option *table, FILE *out);

#endif
