/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of tcpwhy. A new one is a row in main.c and a file cmd_<name>.c. */
#ifndef TW_CLI_COMMAND_H
#define TW_CLI_COMMAND_H

#include <stdio.h>

/* Exit statuses, as the man page has them. */
enum tw_status {
	TW_STATUS_FINE = 0,
	TW_STATUS_PARTLY = 1,  /* an input was readable in part */
	TW_STATUS_FAILED = 2,  /* nothing readable, wrong usage, or the output cannot be written */
};

struct tw_command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the command; returns an enum tw_status */
	const char *help;                  /* one line */
};

int tw_cmd_explain(int argc, char **argv);
int tw_cmd_lab(int argc, char **argv);
int tw_lab_traffic(int argc, char **argv); /* `tcpwhy lab traffic`; argv[0] is "traffic" */
int tw_cmd_causes(int argc, char **argv);
int tw_cmd_findings(int argc, char **argv);

/* One line a command. */
void tw_commands_help(FILE *out);

/* "tcpwhy: ..." as one line on standard error, what could drive a terminal escaped. */
void tw_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Flushes standard output and returns `status`, or TW_STATUS_FAILED where `error` (0 or a negative
 * errno of an earlier write) or the flush failed: with a line, except where the reader of a pipe is
 * gone.
 */
int tw_finish_output(int error, int status);

#endif
