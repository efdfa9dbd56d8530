/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpwhy lab NAME --vary: a fault once for each value of one of its words, a row for each. */
#ifndef TW_CLI_LAB_VARY_H
#define TW_CLI_LAB_VARY_H

#include "cli/lab_run.h"
#include "lab/sweep.h"

/* Whether every value goes with the other words of the plan: 0, or -EINVAL after a line. */
int tw_lab_vary_check(const struct tw_lab_plan *plan, const struct tw_sweep *sweep);

/*
 * Runs and prints, each row when it is there; then where neighbours are far apart. What is kept
 * goes into a folder for each value below that of the plan. An enum tw_status: TW_STATUS_PARTLY
 * where the traffic of a value failed, which its row says.
 */
int tw_lab_vary(const struct tw_scenario *scenario, const struct tw_lab_plan *plan,
		const struct tw_sweep *sweep);

#endif
