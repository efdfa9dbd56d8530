/* SPDX-License-Identifier: BSD-2-Clause */
/* The report model: built once, rendered many ways. Plain data, owned by struct tw_report. */
#ifndef TW_REPORT_REPORT_H
#define TW_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "finding/finding.h"
#include "flow/summary.h"
#include "ledger/bill.h"

struct tw_input_report {
	char *name;             /* as given; "-" is standard input. Owned; hostile bytes possible */
	char format[16];        /* "pcap" */
	char title[96];         /* "pcap, raw IP" */
	char compression[8];    /* "gzip", "zstd" or "" */
	uint64_t packets;       /* records read */
	uint64_t bytes;         /* of input, decompressed */
	uint64_t tcp_packets;
	uint64_t skipped;       /* records without a TCP header we could read */
	int64_t first, last;    /* instants of the first and last packet */
	unsigned n_other;       /* protocols passed over, most packets first */
	struct { char name[24]; uint64_t packets; } other[12];
	unsigned n_warnings;
	char warnings[12][320];
	bool failed;            /* ended early: exit status 1 */
};

struct tw_connection_report {
	struct tw_connection_summary summary;
	struct tw_bill bill;            /* owned */
	unsigned n_findings;
	struct tw_finding *findings;    /* owned, ordered */
	int64_t lost_ns;                /* what curing the first fault saves: the order of the report */
};

/* One cause over all connections, also those no longer held. */
struct tw_total_row {
	enum tw_cause cause;
	enum tw_party party;
	int64_t ns;
	uint64_t connections; /* that were charged for it */
};

struct tw_report {
	unsigned n_inputs;
	struct tw_input_report *inputs;           /* owned */
	unsigned n_connections;                   /* held; ordered by time lost, most first */
	struct tw_connection_report **connections;/* owned */
	uint64_t total_connections;               /* held and folded */
	uint64_t folded_connections;              /* only in the totals */
	uint64_t evicted_connections;             /* pushed out by the table's ceiling */
	uint64_t unanalysed_packets;              /* TCP packets that a ceiling kept from the analysis */
	int64_t total_ns;                         /* billed, over all connections */
	uint64_t total_bytes;                     /* unique payload */
	unsigned n_total_rows;                    /* largest first */
	struct tw_total_row total_rows[TW_CAUSE_COUNT];
	uint64_t finding_counts[TW_FINDING_COUNT];
};

/* Frees the report and all in it; NULL is fine. */
__attribute__((visibility("default"))) void tw_report_free(struct tw_report *report);

#endif
