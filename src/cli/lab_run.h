/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of the lab with its own traffic, captured at three places and explained by each. */
#ifndef TW_CLI_LAB_RUN_H
#define TW_CLI_LAB_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/scenario.h"
#include "lab/session.h"
#include "tcpwhy.h"

/* Whose words make a run, in the order in which they come: later ones win. */
/* What the user changes, changes the fault: the cure comes after it. */
enum { TW_LAB_OF_FAULT, TW_LAB_OF_USER, TW_LAB_OF_SWEEP, TW_LAB_OF_CURE, TW_LAB_PARTS };

struct tw_lab_plan {
	const char *path[TW_LAB_PARTS]; /* as lab/path.h; NULL: none */
	const char *traffic[TW_LAB_PARTS]; /* as lab/traffic.h; NULL: none */
	uint64_t seed;
	uint32_t snap;      /* bytes that captures keep of a frame */
	bool with_gso;      /* as in struct tw_session_options */
	const char *folder; /* where they are to be kept; it is there; NULL: nowhere */
};

struct tw_lab_run {
	struct tw_session_result session;
	int facts[TW_HOST_COUNT];                 /* what each host's program measured, JSON; -1: none */
	struct tw_report *report[TW_PLACE_COUNT]; /* NULL where there is none yet */
};

/* A run that has not been: may be released as well. */
#define TW_LAB_RUN_NONE { .session.files = { -1, -1, -1 }, .facts = { -1, -1 } }

/* Whether the words can be, without a run: 0, or -EINVAL after a line. */
int tw_lab_check(const struct tw_lab_plan *plan);

/*
 * Runs it, waits for its end, keeps what is to be kept and explains the captures. 0, or a negative
 * errno after a line: -EINTR where it was interrupted (no line), -EPROTO where the traffic failed.
 * `run` was none, and is to be released in any case.
 */
int tw_lab_run(const struct tw_lab_plan *plan, struct tw_lab_run *run);
void tw_lab_run_release(struct tw_lab_run *run);

/* What one capture says. */
struct tw_lab_verdict {
	const struct tw_bill_row *top; /* the row that costs most; NULL: there is no connection */
	double share;                  /* of the duration */
	int64_t ns;                    /* the duration */
};

/* The connection of the traffic, which is the one with the most data; NULL: there is none. */
const struct tw_connection_report *tw_lab_connection(const struct tw_report *report);
struct tw_lab_verdict tw_lab_verdict(const struct tw_report *report);

/* Where a fault is best seen: at the host whose data waits. */
enum tw_host tw_lab_place(const struct tw_scenario *scenario);

#endif
