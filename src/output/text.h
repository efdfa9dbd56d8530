/* SPDX-License-Identifier: BSD-2-Clause */
/* The report for people: the inputs, the connections by time lost, the bill, the findings. */
#ifndef TW_OUTPUT_TEXT_H
#define TW_OUTPUT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

struct tw_text_options {
	unsigned width;  /* cells; held within 60 to 120; 0: 100 */
	bool color;
	bool unicode;    /* the reader's locale is UTF-8 */
	bool verbose;    /* every stall, every row, all figures of both directions */
	unsigned top;    /* connections shown in detail */
	bool is_filtered; /* a filter expression was given: says so where nothing is left */
};

/*
 * Writes the report to `out`, which the caller flushes. What came from a file is escaped. 0, or the
 * negative errno of the first write that failed; -ENOMEM.
 */
int tw_output_text(const struct tw_report *report, const struct tw_text_options *options,
		   FILE *out);

#endif
