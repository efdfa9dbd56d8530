/* SPDX-License-Identifier: BSD-2-Clause */
/* What `tcpwhy lab` prints after a run: the path's figures, and the bill of the capture. */
#ifndef TW_CLI_LAB_REPORT_H
#define TW_CLI_LAB_REPORT_H

#include <stdio.h>

#include "lab/session.h"

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

#endif
