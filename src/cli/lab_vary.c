/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lab_vary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/command.h"
#include "cli/lab_files.h"
#include "cli/lab_report.h"
#include "output/page.h"
#include "report/report.h"

/* Rates this far apart are worth a word. */
static const double far_apart = 2;

/* What is left of a run. */
struct row {
	const char *value; /* the sweep's */
	bool is_there;     /* else the traffic failed, or nothing was seen of it */
	int64_t ns;        /* the duration */
	double rate;       /* bit/s: unique bytes of the main direction over the duration */
	uint64_t resent;   /* data packets of that direction */
	enum tw_cause cause;
	int side;
	double share;
	uint64_t drops;    /* by full queues of the path, both directions */
};

/* The plan of one value; its words go into `words`. */
static struct tw_lab_plan plan_of(const struct tw_lab_plan *plan, const struct tw_sweep *sweep, int i,
				  char *words, size_t size)
{
	struct tw_lab_plan one = *plan;

	tw_sweep_print(sweep, i, words, size);
	if (sweep->is_traffic)
		one.traffic[TW_LAB_OF_SWEEP] = words;
	else
		one.path[TW_LAB_OF_SWEEP] = words;
	return one;
}

int tw_lab_vary_check(const struct tw_lab_plan *plan, const struct tw_sweep *sweep)
{
	char words[TW_SWEEP_WORD_MAX + TW_SWEEP_VALUE_MAX];

	for (int i = 0; i < sweep->n; i++) {
		const struct tw_lab_plan one = plan_of(plan, sweep, i, words, sizeof(words));
		int ret = tw_lab_check(&one);

		if (ret)
			return ret;
	}
	return 0;
}

/* The folder of a value, made; MB/s has a slash that no folder can have. 0 or a negative errno. */
static int make_folder(const char *folder, const char *value, char *out, size_t size)
{
	int n = snprintf(out, size, "%s/%s", folder, value);

	if (n < 0 || (size_t)n >= size) {
		tw_complain("%s/%s: %s", folder, value, strerror(ENAMETOOLONG));
		return -ENAMETOOLONG;
	}
	for (char *at = out + strlen(folder) + 1; *at; at++)
		if (*at == '/')
			*at = '-';
	return tw_lab_make_folder(out);
}

static void fill_row(const struct tw_lab_run *run, enum tw_host place, struct row *row)
{
	const struct tw_connection_report *c = tw_lab_connection(run->report[place]);
	const struct tw_lab_verdict v = tw_lab_verdict(run->report[place]);
	const struct tw_direction_summary *way;

	for (unsigned i = 0; i < TW_HOST_COUNT; i++)
		row->drops += run->session.ways[i].link.dropped_queue;
	if (!v.top)
		return;
	/* The server's at a tie, as in the bill. */
	way = &c->summary.direction[c->summary.direction[1].unique_bytes >=
				    c->summary.direction[0].unique_bytes];
	row->is_there = true;
	row->ns = v.ns;
	row->rate = (double)way->unique_bytes * 8e9 / (double)v.ns;
	row->resent = way->resent_packets;
	row->cause = v.top->cause;
	row->side = v.top->side;
	row->share = v.share;
}

static void print_head(const struct tw_sweep *sweep, int width)
{
	printf("%-*s  %9s  %11s  %-22s  %6s  %-6s  %6s  %6s\n", width, sweep->word, "duration", "rate",
	       "costs most", "share", "of", "resent", "queue");
	printf("%-*s  %9s  %11s  %-22s  %6s  %-6s  %6s  %6s\n", width, "", "", "", "", "", "", "",
	       "drops");
}

static void print_row(const struct row *row, int width)
{
	if (row->is_there)
		printf("%-*s  %9s  %11s  %-22s  %6s  %-6s  %6s  %6s\n", width, row->value,
		       tw_duration(row->ns).s, tw_rate(row->rate).s, tw_cause_id(row->cause),
		       tw_percent(row->share).s, tw_host_name((enum tw_host)row->side),
		       tw_count(row->resent).s, tw_count(row->drops).s);
	else
		printf("%-*s  no transfer that could be explained\n", width, row->value);
	fflush(stdout);
}

/* Between neighbours that both are there. */
static void print_steps(const struct row *rows, int n)
{
	struct tw_page page = tw_lab_page();
	bool any = false;

	tw_page_newline(&page);
	for (int i = 1; i < n; i++) {
		const struct row *a = &rows[i - 1], *b = &rows[i];
		bool falls = a->rate >= far_apart * b->rate;
		char text[600], causes[120];

		if (!a->is_there || !b->is_there || (!falls && b->rate < far_apart * a->rate))
			continue;
		any = true;
		if (a->cause == b->cause && a->side == b->side)
			snprintf(causes, sizeof(causes), "in both %s costs most",
				 tw_cause_id(a->cause));
		else
			snprintf(causes, sizeof(causes), "first %s of the %s costs most, then %s of the %s",
				 tw_cause_id(a->cause), tw_host_name((enum tw_host)a->side),
				 tw_cause_id(b->cause), tw_host_name((enum tw_host)b->side));
		snprintf(text, sizeof(text), "The rate %s between %s and %s, from %s to %s: %s.",
			 falls ? "falls by half or more" : "doubles or more", a->value, b->value,
			 tw_rate(a->rate).s, tw_rate(b->rate).s, causes);
		tw_page_paragraph(&page, 0, "", TW_STYLE_PLAIN, text);
	}
	if (!any && n > 1)
		tw_page_paragraph(&page, 0, "", TW_STYLE_PLAIN,
				  "Between no two neighbours does the rate halve or double.");
}

/* One value: 0 with its row filled, or a negative errno after a line that ends the sweep. */
static int run_value(const struct tw_lab_plan *plan, enum tw_host place, struct row *row)
{
	struct tw_lab_run run = TW_LAB_RUN_NONE;
	struct tw_lab_plan one = *plan;
	char folder[4096];
	int ret = 0;

	if (plan->folder) {
		ret = make_folder(plan->folder, row->value, folder, sizeof(folder));
		one.folder = folder;
	}
	if (!ret)
		ret = tw_lab_run(&one, &run);
	if (!ret)
		fill_row(&run, place, row);
	tw_lab_run_release(&run);
	return ret == -EPROTO ? 0 : ret;
}

int tw_lab_vary(const struct tw_scenario *scenario, const struct tw_lab_plan *plan,
		const struct tw_sweep *sweep)
{
	char words[TW_SWEEP_WORD_MAX + TW_SWEEP_VALUE_MAX];
	struct row rows[TW_SWEEP_MAX] = { 0 };
	int width = (int)strlen(sweep->word), status = TW_STATUS_FINE;

	for (int i = 0; i < sweep->n; i++)
		if ((int)strlen(sweep->value[i]) > width)
			width = (int)strlen(sweep->value[i]);
	print_head(sweep, width);
	for (int i = 0; i < sweep->n; i++) {
		const struct tw_lab_plan one = plan_of(plan, sweep, i, words, sizeof(words));

		rows[i].value = sweep->value[i];
		if (run_value(&one, tw_lab_place(scenario), &rows[i]))
			return TW_STATUS_FAILED;
		print_row(&rows[i], width);
		if (!rows[i].is_there)
			status = TW_STATUS_PARTLY;
	}
	print_steps(rows, sweep->n);
	return status;
}
