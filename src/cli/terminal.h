/* SPDX-License-Identifier: BSD-2-Clause */
/* What the terminal, the locale and the environment say about how to print. */
#ifndef TW_CLI_TERMINAL_H
#define TW_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* In the order of the words of --color. */
enum tw_color { TW_COLOR_UNSET, TW_COLOR_AUTO, TW_COLOR_ALWAYS, TW_COLOR_NEVER };

/* Columns of standard output's terminal, else $COLUMNS, else 0. */
unsigned tw_terminal_width(void);

/* With auto: standard output is a terminal that is not "dumb", and NO_COLOR is unset or empty. */
bool tw_terminal_color(enum tw_color color);

/* The locale's character set is UTF-8. */
bool tw_terminal_unicode(void);

/*
 * A progress bar on standard error: only where that is a terminal, and after a second of work.
 * `name` is what is being read; borrowed.
 */
struct tw_progress {
	const char *name;
	bool is_possible;
	bool is_shown;
	struct timespec start, last;
};

void tw_progress_init(struct tw_progress *progress);

/* For tw_options.progress; `context` is the struct tw_progress. */
void tw_progress_report(void *context, double share, uint64_t packets);

/* Takes the bar off the terminal, if it is there. */
void tw_progress_wipe(struct tw_progress *progress);

#endif
