/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lab_scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/command.h"
#include "cli/lab_files.h"
#include "cli/lab_report.h"
#include "cli/lab_run.h"
#include "cli/lab_vary.h"
#include "lab/scenario.h"
#include "lab/session.h"
#include "ledger/whatif.h"
#include "output/page.h"
#include "report/report.h"
#include "tcpwhy.h"

/* What a cure has to bring for the run to prove anything. */
static const double cured_share = 0.9;

/* The row that the truth names, as that capture has it; NULL: it has none. */
static const struct tw_bill_row *true_row(const struct tw_report *report, const struct tw_scenario *s)
{
	const struct tw_connection_report *c = tw_lab_connection(report);

	for (unsigned i = 0; c && i < c->bill.n_rows; i++) {
		const struct tw_bill_row *row = &c->bill.rows[i]; /* the most costly first */

		if ((s->side == TW_SIDE_ANY || row->side == s->side) &&
		    !strcmp(tw_cause_id(row->cause), s->cause))
			return row;
	}
	return NULL;
}

/* Whether the truth is as prominent there as it has to be. */
static bool is_found(const struct tw_report *report, const struct tw_scenario *s)
{
	const struct tw_lab_verdict v = tw_lab_verdict(report);
	const struct tw_bill_row *row = true_row(report, s);

	if (!row || s->share <= 0)
		return row && row == v.top;
	return (double)row->ns >= s->share * (double)v.ns;
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
static void print_kernel(const struct tw_lab_run *run, enum tw_host host)
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

static void print_places(const struct tw_lab_run *run, const struct tw_scenario *s)
{
	static const unsigned along[] = { TW_HOST_CLIENT, TW_PLACE_PATH, TW_HOST_SERVER };

	puts("Seen from the three places:\n");
	for (unsigned k = 0; k < TW_PLACE_COUNT; k++) {
		unsigned i = along[k];
		const struct tw_lab_verdict v = tw_lab_verdict(run->report[i]);
		bool found = is_found(run->report[i], s);
		const struct tw_bill_row *row = found ? true_row(run->report[i], s) : v.top;

		if (row)
			printf("  %-7s %-22s %5.1f %%  %s%s\n", tw_place_name(i),
			       tw_cause_id(row->cause), 100 * (double)row->ns / (double)v.ns,
			       tw_party_title(row->party), found ? "" : "  (not what was made)");
		else
			printf("  %-7s nothing to explain\n", tw_place_name(i));
	}
}

static void print_expected(const struct tw_whatif *w, int64_t now)
{
	printf("  expected  %s -> %s", tw_duration(now).s, tw_duration(w->ns).s);
	if (w->low_ns < w->ns || w->high_ns > w->ns)
		printf(" (%s to %s)", tw_duration(w->low_ns).s, tw_duration(w->high_ns).s);
	puts("");
}

/* Expected and measured side by side. Whether the cure helped. */
static bool print_cure(const struct tw_lab_run *run, const struct tw_lab_run *cured,
		       const struct tw_scenario *s)
{
	struct tw_lab_verdict before = tw_lab_verdict(run->report[tw_lab_place(s)]);
	struct tw_lab_verdict after = tw_lab_verdict(cured->report[tw_lab_place(s)]);
	const struct tw_bill_row *row = true_row(run->report[tw_lab_place(s)], s);
	bool helped = s->share > 0 ? row && 2 * (before.ns - after.ns) >= row->saves_ns :
				     (double)after.ns <= cured_share * (double)before.ns;
	struct tw_whatif expected;

	if (row) {
		expected = tw_whatif_cause(&tw_lab_connection(run->report[tw_lab_place(s)])->bill,
					   row->cause, row->side);
		print_expected(&expected, before.ns);
	} else {
		puts("  expected  nothing: the bill has no such cause");
	}
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
	struct tw_page page = tw_lab_page();

	tw_page_paragraph(&page, 0, s->name, TW_STYLE_PLAIN, "");
	tw_page_paragraph(&page, 4, "", TW_STYLE_PLAIN, s->story);
	tw_page_paragraph(&page, 4, "path     ", TW_STYLE_PLAIN, s->path);
	tw_page_paragraph(&page, 4, "traffic  ", TW_STYLE_PLAIN, s->traffic);
	tw_page_newline(&page);
	fflush(stdout);
}

/* With the cure: kept in a folder of its own, whose name goes into `folder`. */
static struct tw_lab_plan cured_plan(const struct tw_scenario *s, const struct tw_lab_plan *plan,
				     char *folder, size_t size)
{
	struct tw_lab_plan cured = *plan;

	cured.path[TW_LAB_OF_CURE] = s->cure_path;
	cured.traffic[TW_LAB_OF_CURE] = s->cure_traffic;
	if (plan->folder) {
		snprintf(folder, size, "%s/cured", plan->folder);
		cured.folder = folder;
	}
	return cured;
}

static int show(const struct tw_scenario *s, const struct tw_lab_plan *plan, struct tw_lab_run *run,
		struct tw_lab_run *cured)
{
	char folder[4096];
	const struct tw_lab_plan cure = cured_plan(s, plan, folder, sizeof(folder));
	bool right;

	if (tw_lab_check(plan) || tw_lab_check(&cure))
		return TW_STATUS_FAILED;
	print_story(s);
	if (tw_lab_run(plan, run))
		return TW_STATUS_FAILED;
	if (tw_lab_print_bill(run->report[tw_lab_place(s)], 1))
		return TW_STATUS_FAILED;
	puts("");
	print_places(run, s);
	print_kernel(run, tw_lab_place(s));
	printf("\nThe cure: %s (%s%s).\n\n", s->cure, s->cure_path, s->cure_traffic);
	fflush(stdout);
	if (cure.folder && tw_lab_make_folder(cure.folder))
		return TW_STATUS_FAILED;
	if (tw_lab_run(&cure, cured))
		return TW_STATUS_FAILED;
	right = is_found(run->report[tw_lab_place(s)], s);
	right &= print_cure(run, cured, s);
	return right ? TW_STATUS_FINE : TW_STATUS_PARTLY;
}

static int vary(const struct tw_scenario *s, const struct tw_lab_plan *plan, const char *text)
{
	struct tw_error error = { 0 };
	struct tw_sweep sweep;

	if (tw_sweep_parse(&sweep, text, &error)) {
		tw_complain("--vary: %s", error.text);
		return TW_STATUS_FAILED;
	}
	if (tw_lab_vary_check(plan, &sweep))
		return TW_STATUS_FAILED;
	print_story(s);
	return tw_lab_vary(s, plan, &sweep);
}

int tw_lab_scenario(const char *name, const struct tw_lab_scenario_options *options)
{
	const struct tw_scenario *s = tw_scenario_find(name);
	struct tw_lab_run run = TW_LAB_RUN_NONE, cured = TW_LAB_RUN_NONE;
	struct tw_lab_plan plan;
	int status;

	if (!s) {
		tw_complain("no fault '%s': 'tcpwhy lab' lists them; a command stands after --", name);
		return TW_STATUS_FAILED;
	}
	plan = (struct tw_lab_plan){
		.path = { [TW_LAB_OF_FAULT] = s->path, [TW_LAB_OF_USER] = options->path },
		.traffic = { [TW_LAB_OF_FAULT] = s->traffic, [TW_LAB_OF_USER] = options->traffic },
		.seed = options->seed, .snap = options->snap, .folder = options->folder,
		.with_gso = options->with_gso,
	};
	if (options->folder && tw_lab_make_folder(options->folder))
		return TW_STATUS_FAILED;
	status = options->vary ? vary(s, &plan, options->vary) : show(s, &plan, &run, &cured);
	status = tw_finish_output(0, status);
	tw_lab_run_release(&run);
	tw_lab_run_release(&cured);
	return status;
}
