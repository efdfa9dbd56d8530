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
	const char *folder;  /* captures are kept there, those with the cure in `cured` below it; NULL: nowhere */
	const char *path;    /* words that come last; NULL: none */
	const char *traffic;
};

/* Lists them. An enum tw_status. */
int tw_lab_list(void);

/*
 * An enum tw_status: TW_STATUS_PARTLY where the run did not show what it should, that is the cause
 * at the top of the bill of the data's sender, and a cure that helps.
 */
int tw_lab_scenario(const char *name, const struct tw_lab_scenario_options *options);

#endif
