/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lab_run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/lab_files.h"
#include "cli/lab_report.h"
#include "lab/keepsake.h"
#include "lab/traffic.h"
#include "report/report.h"

/* What the words of a plan come to. */
struct ready {
	struct tw_path path;
	char traffic[TW_WORDS_TEXT_MAX]; /* for the programs of both hosts */
};

/* 0, or -EINVAL after a line. */
static int prepare(const struct tw_lab_plan *plan, struct ready *ready)
{
	struct tw_error error = { 0 };
	struct tw_traffic traffic;
	int ret = 0;

	tw_path_init(&ready->path);
	tw_traffic_init(&traffic);
	for (unsigned i = 0; i < TW_LAB_PARTS && !ret; i++)
		if (plan->path[i])
			ret = tw_path_parse(&ready->path, plan->path[i], &error);
	if (ret) {
		tw_complain("path: %s; 'tcpwhy lab --help path' lists its words", error.text);
		return ret;
	}
	for (unsigned i = 0; i < TW_LAB_PARTS && !ret; i++)
		if (plan->traffic[i])
			ret = tw_traffic_parse(&traffic, plan->traffic[i], &error);
	if (!ret)
		ret = tw_traffic_check(&traffic, &error);
	if (ret) {
		tw_complain("traffic: %s; 'tcpwhy lab traffic --help' lists its words", error.text);
		return ret;
	}
	ret = tw_traffic_format(&traffic, ready->traffic, sizeof(ready->traffic));
	if (ret)
		tw_complain("traffic: %s", strerror(-ret));
	return ret;
}

int tw_lab_check(const struct tw_lab_plan *plan)
{
	struct ready ready;

	return prepare(plan, &ready);
}

void tw_lab_run_release(struct tw_lab_run *run)
{
	tw_session_release(&run->session);
	for (unsigned i = 0; i < TW_HOST_COUNT; i++)
		if (run->facts[i] >= 0)
			close(run->facts[i]);
	for (unsigned i = 0; i < TW_PLACE_COUNT; i++)
		tw_report_free(run->report[i]);
	*run = (struct tw_lab_run)TW_LAB_RUN_NONE;
}

static int explain(struct tw_lab_run *run)
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

/* The session alone. 0, or a negative errno after a line. */
static int hold_session(const struct tw_lab_plan *plan, const struct ready *ready,
			struct tw_lab_run *run)
{
	char *const traffic = (char *)ready->traffic;
	/* Samples of every millisecond only where they are kept: they are a thread's work. */
	char *const samples = plan->folder ? (char *)"--samples" : NULL;
	char *const client[] = { (char *)"/proc/self/exe", (char *)"lab", (char *)"traffic",
				 (char *)"client", traffic, (char *)"--sysctl", samples, NULL };
	char *const server[] = { (char *)"/proc/self/exe", (char *)"lab", (char *)"traffic",
				 (char *)"server", traffic, (char *)"--sysctl", samples, NULL };
	const struct tw_session_options session = {
		.path = &ready->path, .seed = plan->seed, .snap = plan->snap, .folder = plan->folder,
		.captures_path = true, .with_gso = plan->with_gso, .outputs = run->facts, .command = client, .server = server,
		.notify = tw_lab_notify,
	};
	struct tw_error error = { 0 };
	int ret = 0;

	for (unsigned i = 0; i < TW_HOST_COUNT && !ret; i++) {
		run->facts[i] = tw_keepsake_open(plan->folder);
		if (run->facts[i] < 0)
			ret = tw_error_set(&error, run->facts[i], "no file for what the hosts measure: %s",
					   strerror(-run->facts[i]));
	}
	if (!ret)
		ret = tw_session_run(&session, &run->session, &error);
	if (ret)
		tw_complain("%s", error.text);
	return ret;
}

int tw_lab_run(const struct tw_lab_plan *plan, struct tw_lab_run *run)
{
	struct ready ready;
	int ret = prepare(plan, &ready);

	if (!ret)
		ret = hold_session(plan, &ready, run);
	if (ret)
		return ret;
	tw_lab_report_doubts(&run->session);
	if (run->session.is_interrupted)
		return -EINTR;
	if (run->session.status) {
		tw_complain("the traffic failed");
		return -EPROTO;
	}
	if (plan->folder && tw_lab_keep(&ready.path, &run->session, run->facts, plan->folder))
		return -EIO;
	return explain(run);
}

const struct tw_connection_report *tw_lab_connection(const struct tw_report *report)
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

struct tw_lab_verdict tw_lab_verdict(const struct tw_report *report)
{
	const struct tw_connection_report *c = tw_lab_connection(report);
	struct tw_lab_verdict v = { .ns = c ? c->bill.duration_ns : 0 };

	if (!c || !c->bill.n_rows || v.ns <= 0)
		return v;
	v.top = &c->bill.rows[0];
	v.share = (double)v.top->ns / (double)v.ns;
	return v;
}

enum tw_host tw_lab_place(const struct tw_scenario *scenario)
{
	return scenario->side == TW_SIDE_SERVER ? TW_HOST_SERVER : TW_HOST_CLIENT;
}
