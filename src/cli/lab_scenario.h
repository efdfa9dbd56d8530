/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpwhy lab NAME: a fault made, explained, cured, and measured again. */
#ifndef TW_CLI_LAB_SCENARIO_H
#define TW_CLI_LAB_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

struct tw_lab_scenario_options {
	uint64_t seed;
	uint32_t snap;
	bool with_gso;       /* as in struct tw_session_options */
	const char *folder;  /* captures are kept there, those with the cure in `cured` below it, those
	                        of a value in a folder named after it; NULL: nowhere */
	const char *path;    /* words that come after the fault's, before its cure's; NULL: none */
	const char *traffic;
	const char *vary;    /* as lab/sweep.h: once for each value, without a cure; NULL: once, then cured */
};

/*
 * An enum tw_status: TW_STATUS_PARTLY where the run did not show what it should, that is the cause
 * at the top of the bill of the data's sender, and a cure that helps; with `vary` where the traffic
 * of a value failed.
 */
int tw_lab_scenario(const char *name, const struct tw_lab_scenario_options *options);

#endif
