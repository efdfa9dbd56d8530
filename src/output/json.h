/* SPDX-License-Identifier: BSD-2-Clause */
/* The report as JSON, schema tcpwhy/1. doc/json.md documents every field; a test compares. */
#ifndef TW_OUTPUT_JSON_H
#define TW_OUTPUT_JSON_H

#include <stdio.h>

#include "report/report.h"

/*
 * Both write to `out`, which the caller flushes, and return 0 or the negative errno of the first
 * write that failed. `version` is the program's.
 */

/* One object: inputs, connections, totals. */
int tw_output_json(const struct tw_report *report, const char *version, FILE *out);

/* One connection a line, each an object of its own with schema and version. */
int tw_output_jsonl(const struct tw_report *report, const char *version, FILE *out);

#endif
