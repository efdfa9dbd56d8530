/* SPDX-License-Identifier: BSD-2-Clause */
/* What `tcpwhy lab` prints after a run: the path's figures, and the bill of the capture. */
#ifndef TW_CLI_LAB_REPORT_H
#define TW_CLI_LAB_REPORT_H

#include <stdio.h>

#include "lab/session.h"
#include "output/page.h"
#include "tcpwhy.h"

/* A remark of the session while it runs: one line on standard error. */
void tw_lab_notify(const char *line);

/* Standard output, as wide as the terminal, to wrap text on. */
struct tw_page tw_lab_page(void);

/* The figures of both directions, and how well the emulator kept its instants. */
void tw_lab_report_path(const struct tw_session_options *options,
			const struct tw_session_result *result, FILE *out);

/* One line on standard error for each reason not to believe the run. */
void tw_lab_report_doubts(const struct tw_session_result *result);

/*
 * Explains the capture taken at the host that sent more. `folder` as in the options of the session.
 * An enum tw_status.
 */
int tw_lab_report_bill(const struct tw_session_result *result, const char *folder);

/* The host that sent more bytes. */
enum tw_host tw_lab_sender(const struct tw_session_result *result);

/*
 * Explains a capture, called `name` in what is said of it. 0 with a report owned by the caller, or
 * a negative errno after a line.
 */
int tw_lab_explain(int file, const char *name, struct tw_report **out);

/* The report as text, at most `top` connections. 0 or a negative errno. */
int tw_lab_print_bill(const struct tw_report *report, unsigned top);

#endif
