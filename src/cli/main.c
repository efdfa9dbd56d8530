/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpwhy: finds the command and runs it. `tcpwhy FILE` is `tcpwhy explain FILE`. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include "base/units.h"
#include "cli/command.h"

static const struct tw_command commands[] = {
	{ "explain", tw_cmd_explain, "say why the transfers in a capture were slow (the default)" },
	{ "lab", tw_cmd_lab, "make a fault, or run a command, on an emulated path, and explain it" },
	{ "causes", tw_cmd_causes, "list the causes that a bill can name" },
	{ "findings", tw_cmd_findings, "list the faults that are looked for" },
};

enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

void tw_commands_help(FILE *out)
{
	for (unsigned i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-10s  %s\n", commands[i].name, commands[i].help);
}

void tw_complain(const char *format, ...)
{
	char text[1024], escaped[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "tcpwhy: %s\n", tw_escape(text, escaped, sizeof(escaped)));
}

int tw_finish_output(int error, int status)
{
	if (!error && fflush(stdout))
		error = -errno;
	if (!error && ferror(stdout))
		error = -EIO;
	if (!error)
		return status;
	if (error != -EPIPE)
		tw_complain("cannot write the output: %s", strerror(-error));
	return TW_STATUS_FAILED;
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");  /* the terminal's character set; numbers stay as in C */
	signal(SIGPIPE, SIG_IGN); /* a write that fails says so, and the progress bar is wiped */
	for (unsigned i = 0; argc > 1 && i < N_COMMANDS; i++) {
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	return tw_cmd_explain(argc, argv);
}
