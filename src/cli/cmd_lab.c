/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpwhy lab: a command on an emulated path, then the path's figures and the bill. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/lab_files.h"
#include "cli/lab_list.h"
#include "cli/lab_report.h"
#include "cli/lab_scenario.h"
#include "cli/options.h"
#include "lab/session.h"

enum { SNAP = 128, SNAP_WHOLE = 65536 + 64 };

struct config {
	const char *path;
	const char *traffic;
	const char *vary;
	uint64_t seed;
	const char *server;
	const char *keep;
	uint64_t snap;
	bool json;
	bool gso;
	bool help;
};

#define FIELD(name) offsetof(struct config, name)

static const struct tw_option options[] = {
	{ "path", 0, TW_OPTION_TEXT, "SPEC", "what the path does, as 'rate=10mbit delay=20ms'",
	  FIELD(path) },
	{ "traffic", 0, TW_OPTION_TEXT, "SPEC", "with NAME: what the programs do otherwise",
	  FIELD(traffic) },
	{ "vary", 0, TW_OPTION_ONCE, "WORD=VALUES", "with NAME: once for each value of one word; see below",
	  FIELD(vary) },
	{ "server", 0, TW_OPTION_TEXT, "COMMAND", "run this on the server first, by sh",
	  FIELD(server) },
	{ "keep", 0, TW_OPTION_TEXT, "DIR", "keep client.pcap, path.pcap, server.pcap there",
	  FIELD(keep) },
	{ "snap", 0, TW_OPTION_NUMBER, "N", "bytes captured of a packet (128); 0: all",
	  FIELD(snap) },
	{ "gso", 0, TW_OPTION_SWITCH, NULL, "hosts leave segmentation to their devices, as most do",
	  FIELD(gso) },
	{ "seed", 0, TW_OPTION_NUMBER, "N", "another N, another course of chance (1)",
	  FIELD(seed) },
	{ "json", 0, TW_OPTION_SWITCH, NULL, "list the faults as JSON", FIELD(json) },
	{ "help", 'h', TW_OPTION_SWITCH, NULL, "print this; 'help path': all a SPEC can say",
	  FIELD(help) },
	{ 0 },
};

static void print_usage(FILE *out)
{
	fputs("usage: tcpwhy lab [--json]\n"
	      "       tcpwhy lab NAME [OPTION]...\n"
	      "       tcpwhy lab [OPTION]... -- [COMMAND [ARGUMENT]...]\n"
	      "       tcpwhy lab on client|server COMMAND [ARGUMENT]...\n",
	      out);
}

static void print_help(void)
{
	print_usage(stdout);
	puts("\n"
	     "Makes a fault on this machine: two hosts that exist only for it, client and\n"
	     "server, and an emulated path between them. Without an argument lists the faults.\n"
	     "With NAME makes one, explains it by captures from both hosts and the path, cures\n"
	     "it, and measures again. With -- runs COMMAND, or a shell, on the client; when it\n"
	     "ends, prints what the path did and why the transfers over it were slow; there,\n"
	     "'tcpwhy lab on server COMMAND' runs a command on the other host.\n"
	     "Needs no privileges.\n\n"
	     "Options:");
	tw_options_help(options, stdout);
	puts("\n"
	     "--vary makes the fault, uncured, once for each value and prints a row for each:\n"
	     "WORD is one of the path or of the traffic, with a side before it or without, as\n"
	     "there.delay=1ms,20ms or request=16k,64k. 16k..512k doubles, 16k..512k/2 takes two\n"
	     "steps to a doubling.\n\n"
	     "The hosts are client (192.0.2.1) and server (192.0.2.2); by IPv6 client6\n"
	     "(2001:db8::1) and server6 (2001:db8::2).\n\n"
	     "Exit status: that of COMMAND; with NAME 1 where the run did not show its fault or\n"
	     "the cure did not help; 2 where there can be no lab. See tcpwhy(1).");
}

static void print_parameter(void *user, const char *word, const char *form, const char *help)
{
	(void)user;
	printf("  %-10s  %s\n", word, help);
	printf("  %-10s  as %s\n", "", form);
}

static void print_path_help(void)
{
	puts("The words of --path are parted by blanks or commas: WORD=VALUE for both\n"
	     "directions, there.WORD=VALUE for the one from client to server, back.WORD=VALUE\n"
	     "for the other. What is of a host takes client. or server. instead.\n");
	tw_path_help(print_parameter, NULL);
}

/* What a shell would say of it. */
static int status_of(const struct tw_session_result *result)
{
	if (result->is_interrupted)
		return 128 + SIGINT;
	if (WIFSIGNALED(result->status))
		return 128 + WTERMSIG(result->status);
	return WEXITSTATUS(result->status);
}

static uint32_t snap_of(const struct config *config)
{
	return config->snap && config->snap < SNAP_WHOLE ? (uint32_t)config->snap : SNAP_WHOLE;
}

static int run(const struct config *config, char **command)
{
	char *const server[] = { (char *)"sh", (char *)"-c", (char *)config->server, NULL };
	struct tw_path path;
	const struct tw_session_options session = {
		.path = &path,
		.seed = config->seed,
		.snap = snap_of(config),
		.folder = config->keep,
		.captures_path = config->keep,
		.with_gso = config->gso,
		.command = command,
		.server = config->server ? server : NULL,
		.notify = tw_lab_notify,
	};
	struct tw_session_result result;
	struct tw_error error = { 0 };
	int status = TW_STATUS_FAILED;

	tw_path_init(&path);
	if (config->path && tw_path_parse(&path, config->path, &error)) {
		tw_complain("--path: %s; 'tcpwhy lab --help path' lists its words", error.text);
		return status;
	}
	if (config->keep && tw_lab_make_folder(config->keep))
		return status;
	if (tw_session_run(&session, &result, &error)) {
		tw_complain("%s", error.text);
		goto cleanup;
	}
	if (config->keep)
		tw_lab_keep(&path, &result, NULL, config->keep);
	tw_lab_report_path(&session, &result, stdout);
	fflush(stdout);
	tw_lab_report_doubts(&result);
	tw_lab_report_bill(&result, config->keep);
	status = status_of(&result);
cleanup:
	tw_session_release(&result);
	return status;
}

static int run_shell(const struct config *config)
{
	const char *shell = getenv("SHELL");
	char *command[] = { (char *)(shell && *shell ? shell : "/bin/sh"), NULL };

	fputs("This is the host client; the other one is server. 'tcpwhy lab on server COMMAND'\n"
	      "runs a command there, 'exit' ends the lab.\n",
	      stderr);
	return run(config, command);
}

/* tcpwhy lab on HOST COMMAND...: in a lab already. */
static int run_on(int argc, char **argv)
{
	struct tw_error error;
	enum tw_host host = TW_HOST_CLIENT;

	while (argc > 2 && host < TW_HOST_COUNT && strcmp(argv[1], tw_host_name(host)))
		host++;
	if (argc < 3 || host == TW_HOST_COUNT) {
		print_usage(stderr);
		return TW_STATUS_FAILED;
	}
	if (tw_host_enter(host, &error)) {
		tw_complain("%s", error.text);
		return TW_STATUS_FAILED;
	}
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[2], argv + 2);
	tw_complain("%s: %s", argv[2], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

static int run_scenario(const struct config *config, const struct tw_operands *operands)
{
	const struct tw_lab_scenario_options scenario = {
		.seed = config->seed, .snap = snap_of(config), .folder = config->keep,
		.path = config->path, .traffic = config->traffic, .vary = config->vary,
		.with_gso = config->gso,
	};

	if (operands->n > 1 || config->server) {
		tw_complain("'%s' with a command? The name of a fault stands alone",
			    operands->words[0]);
		return TW_STATUS_FAILED;
	}
	return tw_lab_scenario(operands->words[0], &scenario);
}

int tw_cmd_lab(int argc, char **argv)
{
	struct config config = { .seed = 1, .snap = SNAP };
	struct tw_operands operands = { 0 };
	int status = TW_STATUS_FAILED;

	if (argc > 1 && !strcmp(argv[1], "on"))
		return run_on(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "traffic"))
		return tw_lab_traffic(argc - 1, argv + 1);
	operands.words = calloc((size_t)argc + 1, sizeof(*operands.words));
	if (!operands.words || tw_options_parse(options, &config, argc, argv, &operands))
		goto cleanup;
	if (config.help) {
		if (operands.n && !strcmp(operands.words[0], "path"))
			print_path_help();
		else
			print_help();
		status = tw_finish_output(0, TW_STATUS_FINE);
	} else if (argc == 1 || (argc == 2 && config.json)) {
		status = tw_lab_list(config.json);
	} else if (config.json) {
		tw_complain("--json lists the faults, and goes with nothing else");
	} else if (operands.n_before) {
		status = run_scenario(&config, &operands);
	} else if (config.traffic || config.vary) {
		tw_complain("--%s goes with the name of a fault: 'tcpwhy lab' lists them",
			    config.traffic ? "traffic" : "vary");
	} else {
		status = operands.n ? run(&config, operands.words) : run_shell(&config);
	}
cleanup:
	free(operands.words);
	return status;
}
