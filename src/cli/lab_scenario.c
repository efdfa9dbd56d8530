/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lab_scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/command.h"
#include "cli/lab_files.h"
#include "cli/lab_report.h"
#include "cli/terminal.h"
#include "lab/scenario.h"
#include "lab/session.h"
#include "output/page.h"
#include "report/report.h"
#include "tcpwhy.h"

enum { SERVER = 1 }; /* struct tw_scenario.side */

/* What a cure has to bring for the run to prove anything. */
static const double cured_share = 0.9;

/* One run of a scenario, with its cure or without. */
struct run {
	struct tw_session_result session;
	int facts[TW_HOST_COUNT];                  /* what each host's program measured, JSON; -1: none */
	struct tw_report *report[TW_PLACE_COUNT];  /* NULL where the capture could not be explained */
};

static void run_release(struct run *run)
{
	tw_session_release(&run->session);
	for (unsigned i = 0; i < TW_HOST_COUNT; i++)
		if (run->facts[i] >= 0)
			close(run->facts[i]);
	for (unsigned i = 0; i < TW_PLACE_COUNT; i++)
		tw_report_free(run->report[i]);
}

int tw_lab_list(void)
{
	size_t widest = 0;

	for (size_t i = 0; i < tw_n_scenarios; i++)
		if (strlen(tw_scenarios[i].name) > widest)
			widest = strlen(tw_scenarios[i].name);
	puts("Faults that 'tcpwhy lab NAME' makes, explains, cures and measures again:\n");
	for (size_t i = 0; i < tw_n_scenarios; i++)
		printf("  %-*s  %s\n", (int)widest, tw_scenarios[i].name, tw_scenarios[i].title);
	puts("\n'tcpwhy lab -- COMMAND' runs a command of your own on a path of your own: see --help.");
	return tw_finish_output(0, TW_STATUS_FINE);
}

static int build_path(struct tw_path *path, const struct tw_scenario *s, bool cured, const char *last,
		      struct tw_error *error)
{
	int ret;

	tw_path_init(path);
	ret = tw_path_parse(path, s->path, error);
	if (!ret && cured)
		ret = tw_path_parse(path, s->cure_path, error);
	if (!ret && last)
		ret = tw_path_parse(path, last, error);
	return ret;
}

static int explain(struct run *run)
{
	for (unsigned i = 0; i < TW_PLACE_COUNT; i++) {
		char name[16];
		int error;

		snprintf(name, sizeof(name), "%s.pcap", tw_place_name(i));
		error = tw_lab_explain(run->session.files[i], name, &run->report[i]);
		if (error)
			return error;
	}
	return 0;
}

/* 0, or a negative errno after a line. */
static int run_once(const struct tw_scenario *s, bool cured, const struct tw_lab_scenario_options *options,
		    struct run *run)
{
	struct tw_error error = { 0 };
	struct tw_path path;
	char traffic[1024], folder[4096];
	char *const client[] = { (char *)"/proc/self/exe", (char *)"lab", (char *)"traffic", (char *)"client",
				 traffic, (char *)"--sysctl", NULL };
	char *const server[] = { (char *)"/proc/self/exe", (char *)"lab", (char *)"traffic", (char *)"server",
				 traffic, (char *)"--sysctl", NULL };
	struct tw_session_options session = {
		.path = &path, .seed = options->seed, .snap = options->snap, .folder = options->folder,
		.captures_path = true, .with_gso = options->with_gso, .outputs = run->facts, .command = client, .server = server,
		.notify = tw_lab_notify,
	};
	int ret = build_path(&path, s, cured, options->path, &error);

	snprintf(traffic, sizeof(traffic), "%s %s %s", s->traffic, cured ? s->cure_traffic : "",
		 options->traffic ? options->traffic : "");
	if (options->folder && cured) {
		snprintf(folder, sizeof(folder), "%s/cured", options->folder);
		if (tw_lab_make_folder(folder))
			return -EIO;
		session.folder = folder;
	}
	for (unsigned i = 0; i < TW_HOST_COUNT && !ret; i++) {
		run->facts[i] = memfd_create("facts", MFD_CLOEXEC);
		if (run->facts[i] < 0)
			ret = tw_error_set(&error, -errno, "no memory file: %s", strerror(errno));
	}
	if (!ret)
		ret = tw_session_run(&session, &run->session, &error);
	if (ret) {
		tw_complain("%s", error.text);
		return ret;
	}
	tw_lab_report_doubts(&run->session);
	if (run->session.is_interrupted)
		return -EINTR;
	if (run->session.status) {
		tw_complain("the traffic failed");
		return -EPROTO;
	}
	if (session.folder && tw_lab_keep(&run->session, session.folder))
		return -EIO;
	return explain(run);
}

/* What one capture says. */
struct verdict {
	const struct tw_bill_row *top; /* the row that costs most; NULL: there is no connection */
	double share;                  /* of the duration */
	int64_t ns;                    /* the duration */
};

/* The connection of the traffic is the one with the most data. */
static const struct tw_connection_report *main_connection(const struct tw_report *report)
{
	const struct tw_connection_report *most = NULL;
	uint64_t bytes, most_bytes = 0;

	for (unsigned i = 0; i < report->n_connections; i++) {
		const struct tw_connection_report *c = report->connections[i];

		bytes = c->summary.direction[0].unique_bytes + c->summary.direction[1].unique_bytes;
		if (!most || bytes > most_bytes) {
			most = c;
			most_bytes = bytes;
		}
	}
	return most;
}

static struct verdict verdict_of(const struct tw_report *report)
{
	const struct tw_connection_report *c = main_connection(report);
	struct verdict v = { .ns = c ? c->bill.duration_ns : 0 };

	if (!c || !c->bill.n_rows || v.ns <= 0)
		return v;
	v.top = &c->bill.rows[0];
	v.share = (double)v.top->ns / (double)v.ns;
	return v;
}

static bool is_true(const struct verdict *v, const struct tw_scenario *s)
{
	return v->top && (s->side == TW_SIDE_ANY || v->top->side == s->side) &&
	       !strcmp(tw_cause_id(v->top->cause), s->cause);
}

/* Where the fault is best seen: at the host whose data waits. */
static enum tw_host place_of(const struct tw_scenario *s)
{
	return s->side == SERVER ? TW_HOST_SERVER : TW_HOST_CLIENT;
}

/* A number of the line that the traffic printed; each of these names stands in it once. -1: none. */
static double fact(const char *line, const char *name)
{
	char quoted[48];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", name);
	at = strstr(line, quoted);
	return at ? strtod(at + strlen(quoted), NULL) : -1;
}

/* Linux's own account of the sender (the chronographs of struct tcp_info), to lay beside the bill. */
static void print_kernel(const struct run *run, enum tw_host host)
{
	char line[16384];
	ssize_t n = pread(run->facts[host], line, sizeof(line) - 1, 0);
	double busy;

	line[n > 0 ? n : 0] = '\0';
	busy = fact(line, "busy_s");
	if (busy <= 0)
		return;
	printf("\nThe kernel of the %s: data to send for %s; for %.0f %% of it the receive window held it\n"
	       "back, for %.0f %% the send buffer was the limit. Segments resent: %.0f.\n",
	       tw_host_name(host), tw_duration((int64_t)(busy * 1e9)).s,
	       100 * fact(line, "rwnd_limited_s") / busy, 100 * fact(line, "sndbuf_limited_s") / busy,
	       fact(line, "total_retrans"));
}

static void print_places(const struct run *run, const struct tw_scenario *s)
{
	static const unsigned along[] = { TW_HOST_CLIENT, TW_PLACE_PATH, TW_HOST_SERVER };

	puts("Seen from the three places:\n");
	for (unsigned k = 0; k < TW_PLACE_COUNT; k++) {
		unsigned i = along[k];
		struct verdict v = verdict_of(run->report[i]);

		if (v.top)
			printf("  %-7s %-22s %5.1f %%  %s%s\n", tw_place_name(i),
			       tw_cause_id(v.top->cause), 100 * v.share, tw_party_title(v.top->party),
			       is_true(&v, s) ? "" : "  (not what was made)");
		else
			printf("  %-7s nothing to explain\n", tw_place_name(i));
	}
}

/* The row that the truth names, as seen there. */
static const struct tw_bill_row *true_row(const struct run *run, const struct tw_scenario *s)
{
	const struct tw_connection_report *c = main_connection(run->report[place_of(s)]);

	for (unsigned i = 0; c && i < c->bill.n_rows; i++) {
		const struct tw_bill_row *row = &c->bill.rows[i]; /* the most costly first */

		if ((s->side == TW_SIDE_ANY || row->side == s->side) &&
		    !strcmp(tw_cause_id(row->cause), s->cause))
			return row;
	}
	return NULL;
}

/* Expected and measured side by side. Whether the cure helped. */
static bool print_cure(const struct run *run, const struct run *cured, const struct tw_scenario *s)
{
	struct verdict before = verdict_of(run->report[place_of(s)]);
	struct verdict after = verdict_of(cured->report[place_of(s)]);
	const struct tw_bill_row *row = true_row(run, s);
	bool helped = (double)after.ns <= cured_share * (double)before.ns;

	if (row)
		printf("  expected  %s -> %s%s\n", tw_duration(before.ns).s,
		       tw_duration(before.ns - row->saves_ns).s, row->at_least ? " or less" : "");
	else
		puts("  expected  nothing: the bill has no such cause");
	printf("  measured  %s -> %s", tw_duration(before.ns).s, tw_duration(after.ns).s);
	if (after.top)
		printf("; what is left is mostly %s, %.0f %%", tw_cause_id(after.top->cause),
		       100 * after.share);
	puts("");
	if (!helped)
		puts("\nThe cure changed little: this run does not prove its cause.");
	return helped;
}

static void print_story(const struct tw_scenario *s)
{
	struct tw_page page = {
		.out = stdout, .color = tw_terminal_color(TW_COLOR_AUTO),
		.width = tw_page_width(tw_terminal_width()),
		.unicode = tw_terminal_unicode(),
	};

	tw_page_paragraph(&page, 0, s->name, TW_STYLE_PLAIN, "");
	tw_page_paragraph(&page, 4, "", TW_STYLE_PLAIN, s->story);
	tw_page_paragraph(&page, 4, "path     ", TW_STYLE_PLAIN, s->path);
	tw_page_paragraph(&page, 4, "traffic  ", TW_STYLE_PLAIN, s->traffic);
	tw_page_newline(&page);
	fflush(stdout);
}

static int show(const struct tw_scenario *s, const struct tw_lab_scenario_options *options,
		struct run *run, struct run *cured)
{
	struct verdict v;
	bool right;

	print_story(s);
	if (run_once(s, false, options, run))
		return TW_STATUS_FAILED;
	if (tw_lab_print_bill(run->report[place_of(s)], 1))
		return TW_STATUS_FAILED;
	puts("");
	print_places(run, s);
	print_kernel(run, place_of(s));
	printf("\nThe cure: %s (%s%s).\n\n", s->cure, s->cure_path, s->cure_traffic);
	fflush(stdout);
	if (run_once(s, true, options, cured))
		return TW_STATUS_FAILED;
	v = verdict_of(run->report[place_of(s)]);
	right = is_true(&v, s);
	right &= print_cure(run, cured, s);
	return right ? TW_STATUS_FINE : TW_STATUS_PARTLY;
}

int tw_lab_scenario(const char *name, const struct tw_lab_scenario_options *options)
{
	const struct tw_scenario *s = tw_scenario_find(name);
	struct run run = { .session.files = { -1, -1, -1 }, .facts = { -1, -1 } };
	struct run cured = run;
	int status;

	if (!s) {
		tw_complain("no fault '%s': 'tcpwhy lab' lists them; a command stands after --", name);
		return TW_STATUS_FAILED;
	}
	if (options->folder && tw_lab_make_folder(options->folder))
		return TW_STATUS_FAILED;
	status = tw_finish_output(0, show(s, options, &run, &cured));
	run_release(&run);
	run_release(&cured);
	return status;
}
