/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds the report as connections end: the most costly are kept whole, the rest is folded into the
 * totals, so that memory does not grow with the number of connections in the input.
 */
#ifndef TW_REPORT_BUILD_H
#define TW_REPORT_BUILD_H

#include "report/report.h"

struct tw_report_builder;

/* `keep`: connections kept whole, > 0. */
int tw_report_builder_new(struct tw_report_builder **out, uint32_t keep);
void tw_report_builder_free(struct tw_report_builder *builder);

/*
 * Takes a finished connection: finds its faults, counts it in the totals, and keeps it while it is
 * among the most costly. Takes over what `bill` owns, in any case. -ENOMEM: it is in the totals only.
 */
int tw_report_builder_add(struct tw_report_builder *builder,
			  const struct tw_connection_summary *summary, struct tw_bill *bill);

/* A new input, zeroed but for its name (copied), to be filled by the caller; NULL without memory. */
struct tw_input_report *tw_report_builder_input(struct tw_report_builder *builder, const char *name);

/* The report, owned by the caller; the builder is then empty. */
struct tw_report *tw_report_builder_finish(struct tw_report_builder *builder);

#endif
