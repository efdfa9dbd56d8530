/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpwhy lab traffic: the client or the server of a scenario, one connection, one line of JSON. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options.h"
#include "lab/traffic_run.h"

struct config {
	const char *where;
	uint64_t limit; /* seconds */
	bool sysctl;
	bool samples;
	bool help;
};

enum { LIMIT_MOST = 86400 };

static const struct tw_option options[] = {
	{ "to", 0, TW_OPTION_TEXT, "ADDRESS", "client: ADDRESS:PORT of the server (server:5001)",
	  offsetof(struct config, where) },
	{ "at", 0, TW_OPTION_TEXT, "ADDRESS", "server: ADDRESS:PORT to listen at (all, :5001)",
	  offsetof(struct config, where) },
	{ "limit", 0, TW_OPTION_NUMBER, "N", "give up after so many seconds (60)",
	  offsetof(struct config, limit) },
	{ "sysctl", 0, TW_OPTION_SWITCH, NULL, "let SPEC change settings of this host's kernel",
	  offsetof(struct config, sysctl) },
	{ "samples", 0, TW_OPTION_SWITCH, NULL, "print the kernel's state of every millisecond",
	  offsetof(struct config, samples) },
	{ "help", 'h', TW_OPTION_SWITCH, NULL, "print this", offsetof(struct config, help) },
	{ 0 },
};

static const char usage[] = "usage: tcpwhy lab traffic client|server [OPTION]... SPEC\n";

static void print_parameter(void *user, const char *word, const char *form, const char *help)
{
	(void)user;
	printf("  %-21s  %s\n  %-21s  as %s\n", word, help, "", form);
}

static void print_help(void)
{
	fputs(usage, stdout);
	puts("\n"
	     "One of two hosts that talk over one TCP connection as SPEC says, and then print, as\n"
	     "a line of JSON, what they measured.\n\n"
	     "Options:");
	tw_options_help(options, stdout);
	puts("\n"
	     "The words of SPEC are parted by blanks or commas: WORD=VALUE for both hosts,\n"
	     "client.WORD=VALUE or server.WORD=VALUE for one. Patterns: bulk sends bytes=, up,\n"
	     "down or both ways; pull sends a request, answered with bytes=; request sends\n"
	     "count= requests, each answered with a reply.\n");
	tw_traffic_help(print_parameter, NULL);
	puts("\nExit status: 0; 1 where the traffic failed; 2 for a SPEC that cannot be.");
}

/*
 * The traffic keeps to its limit by itself; this is for what it cannot break off, such as a name
 * server that does not answer.
 */
static void on_alarm(int signal_number)
{
	static const char line[] = "tcpwhy: lab traffic: the limit of time is reached\n";

	(void)signal_number;
	if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
		_exit(TW_STATUS_PARTLY);
	_exit(TW_STATUS_PARTLY);
}

static int run(const char *role, const struct tw_traffic *traffic, const struct config *config)
{
	const struct tw_traffic_options how = {
		.where = config->where,
		.limit = (int64_t)config->limit * 1000000000,
		.with_samples = config->samples,
		.with_settings = config->sysctl,
	};
	struct sigaction alarmed = { .sa_handler = on_alarm };
	struct tw_traffic_result result = { 0 };
	struct tw_error err = { "" };
	int ret, status;

	sigaction(SIGALRM, &alarmed, NULL);
	alarm((unsigned)config->limit + 2);
	ret = !strcmp(role, "server") ? tw_traffic_server(traffic, &how, &result, &err) :
					tw_traffic_client(traffic, &how, &result, &err);
	alarm(0);
	if (ret)
		tw_complain("lab traffic %s: %s", role, err.text);
	status = ret ? TW_STATUS_PARTLY : TW_STATUS_FINE;
	if (result.is_connected)
		status = tw_finish_output(
			tw_traffic_json(&result, traffic, ret ? err.text : NULL, stdout), status);
	tw_traffic_release(&result);
	return status;
}

int tw_lab_traffic(int argc, char **argv)
{
	struct config config = { .limit = 60 };
	struct tw_operands operands = { .words = argv };
	struct tw_traffic traffic;
	struct tw_error err = { "" };
	const char *role;

	if (tw_options_parse(options, &config, argc, argv, &operands))
		return TW_STATUS_FAILED;
	if (config.help) {
		print_help();
		return tw_finish_output(0, TW_STATUS_FINE);
	}
	role = operands.n ? operands.words[0] : "";
	if (operands.n < 1 || (strcmp(role, "client") && strcmp(role, "server"))) {
		fputs(usage, stderr);
		return TW_STATUS_FAILED;
	}
	if (!config.limit || config.limit > LIMIT_MOST) {
		tw_complain("--limit must be 1 to %d seconds", LIMIT_MOST);
		return TW_STATUS_FAILED;
	}
	tw_traffic_init(&traffic);
	for (int i = 1; i < operands.n; i++)
		if (tw_traffic_parse(&traffic, operands.words[i], &err)) {
			tw_complain("%s; 'tcpwhy lab traffic --help' lists all", err.text);
			return TW_STATUS_FAILED;
		}
	if (tw_traffic_check(&traffic, &err)) {
		tw_complain("%s", err.text);
		return TW_STATUS_FAILED;
	}
	return run(role, &traffic, &config);
}
