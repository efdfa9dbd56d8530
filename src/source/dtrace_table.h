/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables that DTrace scripts over illumos' tcp provider print: one line per segment sent or
 * received, with variables of the connection beside it.
 *
 *   delta send   recd
 *    (us) bytes  bytes  swnd snd_ws   rwnd rcv_ws   cwnd    ssthresh
 *     122 1448 \      195200      7 131768      2 128872  1073725440
 *     143      /    0 195200      7 131768      2 128872  1073725440
 *
 * A column's name is what stands in the header's lines one above the other. "\" marks a segment
 * sent, "/" one received; the other one's number of bytes is left blank. The variables are as they
 * were before the row's own segment changed them: dtrace_text.c shows why.
 */
#ifndef TW_SOURCE_DTRACE_TABLE_H
#define TW_SOURCE_DTRACE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet/packet.h"

enum tw_dtrace_column {
	TW_COLUMN_UNKNOWN, /* passed over, but it takes its place in the row */
	TW_COLUMN_DELTA,
	TW_COLUMN_SENT,    /* bytes of the segment sent */
	TW_COLUMN_RECEIVED,
	TW_COLUMN_SND_WND, /* scaled */
	TW_COLUMN_SND_WS,  /* the shift: the windows beside it have it already */
	TW_COLUMN_RCV_WND,
	TW_COLUMN_RCV_WS,
	TW_COLUMN_CWND,
	TW_COLUMN_SSTHRESH,
	TW_COLUMN_UNACKED_SENT,
	TW_COLUMN_UNACKED_RECEIVED,
	TW_COLUMN_SRTT,
	TW_COLUMN_RTO,
	TW_COLUMN_MSS,
	TW_COLUMN_RETRANSMITS,
	TW_COLUMN_COUNT
};

enum { TW_DTRACE_COLUMNS = 32, TW_DTRACE_HEADER_LINES = 4 };

struct tw_dtrace_header {
	unsigned n;
	struct tw_dtrace_heading {
		enum tw_dtrace_column column;
		unsigned left, right; /* where its words stand, [left, right) */
	} heading[TW_DTRACE_COLUMNS];
	int64_t delta_unit; /* ns */
	int64_t srtt_unit, rto_unit; /* us; illumos keeps both in ms */
};

struct tw_dtrace_row {
	bool is_sent;
	uint32_t bytes;
	int64_t delta;           /* ns */
	struct tw_sample sample; /* what has a column */
};

/* Whether a line (clean, see tw_line_clean, but for tabs already blanks) may be of a header. */
bool tw_dtrace_is_heading(const char *text, size_t n);

/*
 * Reads the header out of its `n` lines (at most TW_DTRACE_HEADER_LINES), false, `out` untouched,
 * where there is no time or no column for bytes in it.
 */
bool tw_dtrace_header(const char *const text[], const size_t length[], unsigned n,
		      struct tw_dtrace_header *out);

/* Reads a row, by the order of the columns, or, where some are blank, by where they stand. */
bool tw_dtrace_row(const struct tw_dtrace_header *header, const char *text, size_t n,
		   struct tw_dtrace_row *out);

#endif
