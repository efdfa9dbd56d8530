/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpwhy explain: captures in, bill out. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "output/json.h"
#include "output/text.h"
#include "tcpwhy.h"

enum { KEEP = 1000 }; /* connections kept whole, unless --top asks for more */

struct config {
	uint64_t top;
	uint64_t flow;
	uint64_t width;
	unsigned vantage; /* enum tw_vantage_option */
	unsigned color;   /* enum tw_color */
	bool verbose;
	bool json;
	bool jsonl;
	bool help;
	bool version;
};

#define FIELD(name) offsetof(struct config, name)

static const struct tw_option options[] = {
	{ "top", 0, TW_OPTION_NUMBER, "N", "show N connections in detail (3)", FIELD(top) },
	{ "flow", 0, TW_OPTION_NUMBER, "ID", "explain the connection #ID alone", FIELD(flow) },
	{ "verbose", 'v', TW_OPTION_SWITCH, NULL,
	  "list every stall and all figures of both directions", FIELD(verbose) },
	{ "json", 0, TW_OPTION_SWITCH, NULL, "print the report as JSON", FIELD(json) },
	{ "jsonl", 0, TW_OPTION_SWITCH, NULL, "print one JSON object per connection and line",
	  FIELD(jsonl) },
	{ "vantage", 0, TW_OPTION_CHOICE, "sender|receiver|middle",
	  "where the capture was taken, if you know better", FIELD(vantage) },
	{ "color", 0, TW_OPTION_CHOICE, "auto|always|never",
	  "colours: on a terminal, always, never", FIELD(color) },
	{ "width", 0, TW_OPTION_NUMBER, "N", "wrap at N columns, 60 to 120", FIELD(width) },
	{ "help", 'h', TW_OPTION_SWITCH, NULL, "print this", FIELD(help) },
	{ "version", 'V', TW_OPTION_SWITCH, NULL, "print the version", FIELD(version) },
	{ 0 },
};

static volatile sig_atomic_t is_interrupted;

static void on_signal(int signal_number)
{
	(void)signal_number;
	is_interrupted = 1;
	tw_interrupt();
}

/* The first signal ends the reading, and the bill is printed; a second one finds the default. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL); /* without SA_RESTART: a read that waits must return */
	sigaction(SIGTERM, &action, NULL);
}

static void print_usage(FILE *out)
{
	fputs("usage: tcpwhy [explain] [OPTION]... FILE... [EXPRESSION]\n"
	      "       tcpwhy COMMAND\n",
	      out);
}

static void print_help(void)
{
	print_usage(stdout);
	puts("\n"
	     "Says why the TCP transfers in a capture were slow: where the time went, whose it\n"
	     "was, the packets that prove it, and what to change. FILE is a pcap or pcapng file\n"
	     "(gzip and zstd are fine), a tcpdump or DTrace text, or - for standard input.\n"
	     "EXPRESSION is a tcpdump filter.\n\n"
	     "Options:");
	tw_options_help(options, stdout);
	puts("\nCommands:");
	tw_commands_help(stdout);
	puts("\nExit status: 0 fine, 1 readable only in part, 2 nothing readable. See tcpwhy(1).");
}

/* Whether a word that is no file was meant to be one: then "no such file" is the answer. */
static bool looks_like_path(const char *word)
{
	static const char *const endings[] = {
		".pcap", ".pcapng", ".cap", ".dmp", ".snoop", ".txt", ".gz", ".zst",
	};
	size_t n = strlen(word);

	if (word[0] == '/' || !strncmp(word, "./", 2) || !strncmp(word, "../", 3))
		return true;
	if (strpbrk(word, " []()&|=<>"))
		return false;
	for (unsigned i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t length = strlen(endings[i]);

		if (n > length && !strcmp(word + n - length, endings[i]))
			return true;
	}
	return strchr(word, '/') != NULL;
}

/*
 * Files stand first: the first word, and those after it that are files or look like one; the rest
 * is the filter. After "--" stands the filter, or, where no word is before it, a file.
 */
static int count_files(const struct tw_operands *operands)
{
	int n = operands->n_before ? operands->n_before : operands->n;
	int files = 1;

	while (files < n &&
	       (!strcmp(operands->words[files], "-") || !access(operands->words[files], F_OK) ||
		looks_like_path(operands->words[files])))
		files++;
	return files < n ? files : n;
}

/* The words joined by blanks; NULL without memory. The caller frees it. */
static char *join(char **words, int n)
{
	size_t size = 1;
	char *text;

	for (int i = 0; i < n; i++)
		size += strlen(words[i]) + 1;
	text = calloc(1, size);
	for (int i = 0; text && i < n; i++) {
		strcat(text, i ? " " : "");
		strcat(text, words[i]);
	}
	return text;
}

static void complain_of(const struct tw_analysis *analysis, const char *what, int error)
{
	const char *text = analysis ? tw_analysis_error(analysis) : "";

	if (*text)
		tw_complain("%s", text);
	else
		tw_complain("%s: %s", what, strerror(-error));
}

/* Reads the files; returns a status: fine, partly, or failed where none was readable. */
static int read_files(struct tw_analysis *analysis, struct tw_progress *progress, char **files,
		      int n)
{
	int readable = 0, complete = 0;

	for (int i = 0; i < n && !is_interrupted; i++) {
		int error;

		progress->name = strcmp(files[i], "-") ? files[i] : "standard input";
		error = tw_analysis_add_file(analysis, files[i]);
		tw_progress_wipe(progress);
		if (error)
			complain_of(analysis, files[i], error);
		readable += !error || error == -EBADMSG;
		complete += !error;
		if (is_interrupted && strcmp(files[i], "-"))
			tw_complain("interrupted: the report goes as far as was read");
	}
	if (!readable && !is_interrupted)
		return TW_STATUS_FAILED;
	return complete == n || is_interrupted ? TW_STATUS_FINE : TW_STATUS_PARTLY;
}

static int print_report(const struct tw_report *report, const struct config *config,
			bool is_filtered)
{
	const struct tw_text_options text = {
		.width = config->width ? (unsigned)(config->width < 1000 ? config->width : 1000) :
					 tw_terminal_width(),
		.color = tw_terminal_color(config->color),
		.unicode = tw_terminal_unicode(),
		.verbose = config->verbose,
		.top = config->top < UINT32_MAX ? (unsigned)config->top : UINT32_MAX,
		.is_filtered = is_filtered,
	};

	if (config->json)
		return tw_output_json(report, tw_version(), stdout);
	if (config->jsonl)
		return tw_output_jsonl(report, tw_version(), stdout);
	return tw_output_text(report, &text, stdout);
}

static int explain(const struct config *config, char **files, int n_files, const char *filter)
{
	struct tw_progress progress;
	const struct tw_options analysis_options = {
		.size = sizeof(analysis_options),
		.keep = config->top > KEEP ?
				(config->top < UINT32_MAX ? (uint32_t)config->top : UINT32_MAX) :
				KEEP,
		.keep_intervals = config->verbose,
		.only_flow = config->flow,
		.vantage = (enum tw_vantage_option)config->vantage,
		.filter = filter,
		.progress = tw_progress_report,
		.progress_context = &progress,
	};
	struct tw_analysis *analysis = NULL;
	struct tw_report *report = NULL;
	int status = TW_STATUS_FAILED;
	int error;

	tw_progress_init(&progress);
	error = tw_analysis_new(&analysis, &analysis_options);
	if (error) {
		complain_of(analysis, filter ? filter : "tcpwhy", error);
		goto cleanup;
	}
	catch_signals();
	status = read_files(analysis, &progress, files, n_files);
	if (status == TW_STATUS_FAILED)
		goto cleanup;
	error = tw_analysis_finish(analysis, &report);
	tw_progress_wipe(&progress);
	if (error) {
		tw_complain("%s", strerror(-error));
		status = TW_STATUS_FAILED;
	} else if (config->flow && !tw_report_connections(report)) {
		tw_complain("no connection #%" PRIu64 " in there", config->flow);
		status = TW_STATUS_FAILED;
	} else {
		status = tw_finish_output(print_report(report, config, filter != NULL), status);
	}
cleanup:
	tw_report_free(report);
	tw_analysis_free(analysis);
	return status;
}

int tw_cmd_explain(int argc, char **argv)
{
	struct config config = { .top = 3 };
	struct tw_operands operands = { 0 };
	int status = TW_STATUS_FAILED, files;
	char *filter = NULL;

	operands.words = calloc((size_t)argc + 1, sizeof(*operands.words));
	if (!operands.words || tw_options_parse(options, &config, argc, argv, &operands))
		goto cleanup;
	if (config.help || config.version) {
		if (config.help)
			print_help();
		else
			printf("tcpwhy %s\n", tw_version());
		status = tw_finish_output(0, TW_STATUS_FINE);
		goto cleanup;
	}
	if (!operands.n) {
		print_usage(stderr);
		fputs("'tcpwhy --help' tells more.\n", stderr);
		goto cleanup;
	}
	if (config.json && config.jsonl) {
		tw_complain("--json and --jsonl exclude each other");
		goto cleanup;
	}
	files = count_files(&operands);
	if (files < operands.n) {
		filter = join(operands.words + files, operands.n - files);
		if (!filter) {
			tw_complain("%s", strerror(ENOMEM));
			goto cleanup;
		}
	}
	status = explain(&config, operands.words, files, filter);
cleanup:
	free(filter);
	free(operands.words);
	return status;
}
