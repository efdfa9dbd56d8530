/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lab_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "output/text.h"
#include "tcpwhy.h"

enum {
	LATE_P99 = 300000, /* ns: what the emulation is held to */
	LATE_MAX = 10000000,
	PACKETS_MIN = 1000,
};

struct reason {
	const char *name;
	uint64_t n;
};

void tw_lab_notify(const char *line)
{
	tw_complain("%s", line);
}

struct tw_page tw_lab_page(void)
{
	return (struct tw_page){
		.out = stdout, .color = tw_terminal_color(TW_COLOR_AUTO),
		.width = tw_page_width(tw_terminal_width()),
		.unicode = tw_terminal_unicode(),
	};
}

/* "1 packet", "2 packets" */
static struct tw_text packets(uint64_t n)
{
	struct tw_text t;

	snprintf(t.s, sizeof(t.s), "%.30s packet%s", tw_count(n).s, n == 1 ? "" : "s");
	return t;
}

/* "LABEL 12: queue 10, loss 2" of those that are not 0; nothing where all are. */
static void print_reasons(const char *label, const struct reason *reasons, unsigned n, FILE *out)
{
	uint64_t total = 0;
	const char *lead = ": ";

	for (unsigned i = 0; i < n; i++)
		total += reasons[i].n;
	if (!total)
		return;
	fprintf(out, "%18s%s %s", "", label, tw_count(total).s);
	for (unsigned i = 0; i < n; i++) {
		if (!reasons[i].n)
			continue;
		fprintf(out, "%s%s %s", lead, reasons[i].name, tw_count(reasons[i].n).s);
		lead = ", ";
	}
	fputc('\n', out);
}

static void print_way(enum tw_host sender, const struct tw_pump_figures *f, FILE *out)
{
	const struct reason drops[] = {
		{ "full queue", f->link.dropped_queue },
		{ "loss", f->link.dropped_loss },
		{ "policer", f->link.dropped_policer },
		{ "too large", f->link.dropped_mtu },
		{ "outage", f->link.dropped_outage },
		{ "thinned ACKs", f->link.dropped_thinned },
	};
	const struct reason changes[] = {
		{ "CE marks", f->link.marked_ce },   { "duplicates", f->link.duplicated },
		{ "reordered", f->link.reordered },  { "rewritten", f->link.rewritten },
		{ "ICMP replies", f->link.replies },
	};

	fprintf(out, "%s > %s  %s, %s", tw_host_name(sender), tw_host_name(!sender),
		packets(f->link.entered).s, tw_size(f->link.bytes_entered).s);
	if (f->rate > 0)
		fprintf(out, ", %s on average", tw_rate(f->rate).s);
	if (f->rate_peak > 0)
		fprintf(out, ", %s at best", tw_rate(f->rate_peak).s);
	if (f->link.queue_max)
		fprintf(out, ", queue up to %s", tw_size(f->link.queue_max).s);
	fputc('\n', out);
	if (f->super)
		fprintf(out, "%18ssegmented %s super-packets into %s packets\n", "",
			tw_count(f->super).s, tw_count(f->segments).s);
	print_reasons("dropped", drops, sizeof(drops) / sizeof(drops[0]), out);
	print_reasons("changed", changes, sizeof(changes) / sizeof(changes[0]), out);
}

void tw_lab_report_path(const struct tw_session_options *options,
			const struct tw_session_result *result, FILE *out)
{
	char path[TW_PATH_TEXT_MAX];
	const struct tw_pump_figures *ways = result->ways, *worse;
	int64_t most;

	if (tw_path_format(options->path, path, sizeof(path)))
		path[0] = '\0';
	fprintf(out, "\nPath: %s (seed %" PRIu64 "), %s\n", *path ? path : "a plain wire",
		options->seed, tw_duration((int64_t)(result->seconds * 1e9)).s);
	for (unsigned i = 0; i < TW_HOST_COUNT; i++)
		print_way(i, &ways[i], out);
	if (!ways[TW_HOST_CLIENT].link.left && !ways[TW_HOST_SERVER].link.left) {
		fputs("Nothing arrived: there is no transfer to explain.\n", out);
		return;
	}
	worse = &ways[ways[1].late_p99 > ways[0].late_p99];
	most = ways[0].late_max > ways[1].late_max ? ways[0].late_max : ways[1].late_max;
	fprintf(out, "Emulation: packets late by %s (median), %s (99 %%), %s (most); %s\n\n",
		tw_duration(worse->late_median).s, tw_duration(worse->late_p99).s,
		tw_duration(most).s,
		result->is_real_time ? "real-time priority" : "ordinary priority");
}

/*
 * Real time is what a busy machine takes from the emulation. A few packets say little: the p99 of
 * them is the worst one.
 */
static void doubt_time(const struct tw_session_result *result)
{
	int64_t p99 = 0, most = 0;

	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		const struct tw_pump_figures *f = &result->ways[i];

		if (f->link.left >= PACKETS_MIN && f->late_p99 > p99)
			p99 = f->late_p99;
		if (f->late_max > most)
			most = f->late_max;
	}
	if (p99 <= LATE_P99 && most <= LATE_MAX)
		return;
	tw_complain(
		"the lab was late with some packets, up to %s: other programs had the processors%s",
		tw_duration(most).s,
		result->is_real_time ?
			"" :
			"; as root, or with 'ulimit -r 1' allowed, it would go first");
}

/* Of one direction. */
static void doubt_way(enum tw_host sender, const struct tw_pump_figures *f)
{
	const struct reason losses[] = {
		{ "found no room in the emulator", f->overrun },
		{ "were not taken by the device", f->unsent },
		{ "waited in vain, as the path's memory was full", f->link.dropped_memory },
		{ "got no ICMP reply that they should have got", f->link.replies_dropped },
	};
	const char *name = tw_host_name(sender);

	for (unsigned i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		if (losses[i].n)
			tw_complain("the lab could not keep up, do not believe its figures: %s "
				    "from the %s %s",
				    packets(losses[i].n).s, name, losses[i].name);
	}
	if (f->cut || f->unsummed)
		tw_complain("%s from the %s were as no wire has them: offloads are on, see ethtool "
			    "-K eth0",
			    packets(f->cut + f->unsummed).s, name);
	if (f->unmade)
		tw_complain("the lab lost %s from the %s, larger than 64 kB or with other work left "
			    "to the device than TCP's: see ip -d link, ethtool -k eth0",
			    packets(f->unmade).s, name);
	if (f->link.forgotten)
		tw_complain(
			"the path lost sight of %s connections from the %s: too many for its rules",
			tw_count(f->link.forgotten).s, name);
}

void tw_lab_report_doubts(const struct tw_session_result *result)
{
	for (unsigned i = 0; i < TW_HOST_COUNT; i++)
		doubt_way(i, &result->ways[i]);
	if (result->dropped)
		tw_complain("the lab could not keep up, do not believe its figures: its devices "
			    "lost %s",
			    packets(result->dropped).s);
	doubt_time(result);
	if (result->is_cut)
		tw_complain("packets were still under way when the lab ended");
	for (unsigned i = 0; i < TW_PLACE_COUNT; i++) {
		const struct tw_capture_figures *f = &result->captures[i];

		if (f->error)
			tw_complain("the capture of the %s is not complete: %s", tw_place_name(i),
				    strerror(-f->error));
		if (f->missed)
			tw_complain("the capture of the %s lacks %s: the disk was too slow",
				    tw_place_name(i), packets(f->missed).s);
		if (f->disordered)
			tw_complain("the capture of the %s has %s out of order: the lab was late",
				    tw_place_name(i), packets(f->disordered).s);
	}
}

int tw_lab_print_bill(const struct tw_report *report, unsigned top)
{
	const struct tw_text_options text = {
		.width = tw_terminal_width(),
		.color = tw_terminal_color(TW_COLOR_AUTO),
		.unicode = tw_terminal_unicode(),
		.top = top,
	};

	return tw_output_text(report, &text, stdout);
}

/* The report calls the file as the user knows it: the nameless one cannot say it itself. */
static void rename_input(struct tw_report *report, const char *name)
{
	char *copy = strdup(name);

	if (!copy || !report->n_inputs) {
		free(copy);
		return;
	}
	free(report->inputs[0].name);
	report->inputs[0].name = copy;
}

int tw_lab_explain(int file, const char *name, struct tw_report **out)
{
	const struct tw_options options = { .size = sizeof(options) };
	struct tw_analysis *analysis = NULL;
	char path[64];
	int error;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	error = tw_analysis_new(&analysis, &options);
	if (!error)
		error = tw_analysis_add_file(analysis, path);
	if (!error || error == -EBADMSG)
		error = tw_analysis_finish(analysis, out);
	if (error)
		tw_complain("cannot explain %s: %s", name, strerror(-error));
	else
		rename_input(*out, name);
	tw_analysis_free(analysis);
	return error;
}

enum tw_host tw_lab_sender(const struct tw_session_result *result)
{
	const struct tw_pump_figures *ways = result->ways;

	return ways[TW_HOST_SERVER].link.bytes_entered > ways[TW_HOST_CLIENT].link.bytes_entered ?
	       TW_HOST_SERVER : TW_HOST_CLIENT;
}

int tw_lab_report_bill(const struct tw_session_result *result, const char *folder)
{
	const struct tw_pump_figures *ways = result->ways;
	enum tw_host sender = tw_lab_sender(result);
	struct tw_report *report = NULL;
	char name[4096];
	int status;

	if (!ways[TW_HOST_CLIENT].link.left && !ways[TW_HOST_SERVER].link.left)
		return tw_finish_output(0, TW_STATUS_FINE); /* the figures say so */
	snprintf(name, sizeof(name), "%s%s%s.pcap", folder ? folder : "", folder ? "/" : "",
		 tw_host_name(sender));
	if (tw_lab_explain(result->files[sender], name, &report))
		return TW_STATUS_FAILED;
	printf("The bill, by the capture at the %s, which sent more:\n\n", tw_host_name(sender));
	status = tw_finish_output(tw_lab_print_bill(report, 3), TW_STATUS_FINE);
	tw_report_free(report);
	return status;
}
