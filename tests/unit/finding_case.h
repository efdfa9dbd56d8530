/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hand-built connection for the tests of the detectors: 192.0.2.1:40000 opened it to
 * 198.51.100.2:5001 and sends; ten seconds are billed; the round trip is 20 ms.
 */
#ifndef TW_TESTS_FINDING_CASE_H
#define TW_TESTS_FINDING_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "finding/finding.h"

#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define START  (INT64_C(1700000000) * SECOND) /* the connection's first packet */

enum { CLIENT, SERVER };

struct built {
	struct tw_connection_summary connection;
	struct tw_bill bill;
	struct tw_bill_row rows[TW_BILL_ROWS];
	struct tw_case c;
	struct tw_finding found;
};

static inline void set_endpoint(struct tw_endpoint *e, const uint8_t v4[4], uint16_t port)
{
	memset(e, 0, sizeof(*e));
	e->addr[10] = 0xff;
	e->addr[11] = 0xff;
	memcpy(e->addr + 12, v4, 4);
	e->port = port;
}

/* A long upload with nothing wrong: both SYNs seen, SACK and timestamps, 3 MB in 500 rounds. */
static inline void build(struct built *b)
{
	struct tw_connection_summary *conn = &b->connection;

	memset(b, 0, sizeof(*b));
	set_endpoint(&conn->endpoint[CLIENT], (const uint8_t[]){ 192, 0, 2, 1 }, 40000);
	set_endpoint(&conn->endpoint[SERVER], (const uint8_t[]){ 198, 51, 100, 2 }, 5001);
	conn->id = 1;
	conn->first = START;
	conn->last = conn->end = START + 10 * SECOND;
	conn->first_packet = 1;
	conn->packets = 3100;
	conn->start_seen = true;
	conn->handshake_ns = 20 * MS;
	conn->min_rtt = 20 * MS;
	conn->place = TW_PLACE_SENDER;
	for (int i = 0; i < 2; i++) {
		struct tw_direction_summary *d = &conn->direction[i];

		d->mss = 1448;
		d->syn_seen = d->sack_permitted = d->timestamps = true;
		d->syns = 1;
		d->packets = i == CLIENT ? 2100 : 1000;
		d->window_min = 60000;
		d->window_max = 1000000;
		d->window_scale_known = true;
		d->window_scale = 7;
		b->bill.direction[i].min_rtt = 20 * MS;
	}
	conn->direction[CLIENT].data_packets = 2072;
	conn->direction[CLIENT].bytes = conn->direction[CLIENT].unique_bytes = 3000000;
	conn->direction[CLIENT].flight_max = 60000;
	b->bill.direction[CLIENT].rounds = 500;
	b->bill.direction[CLIENT].flight_p90 = 57920;
	b->bill.duration_ns = 10 * SECOND;
	b->bill.rows = b->rows;
	b->c = (struct tw_case){ .connection = conn, .bill = &b->bill };
}

/* Charges `ns` to a cause, in `intervals` stalls; returns the row, for examples and figures. */
static inline struct tw_bill_row *charge(struct built *b, enum tw_cause cause, int side, int64_t ns,
					 uint64_t intervals)
{
	struct tw_bill_row *row = &b->rows[b->bill.n_rows++];

	*row = (struct tw_bill_row){
		.cause = cause,
		.side = side,
		.party = tw_cause_party(cause),
		.ns = ns,
		.intervals = intervals,
		.confidence = 0.95,
		.waits_ns = ns,
		.next = TW_CAUSE_UNKNOWN,
	};
	return row;
}

/* Of the row's time `ns` can be saved; the rest carried more than could be carried faster. */
static inline void set_saving(struct tw_bill_row *row, int64_t ns)
{
	row->waits_ns = ns;
	row->bytes = 1e300;
}

/* Adds an example of `ns` that starts `at` after the first packet, between two packets. */
static inline struct tw_interval *example(struct tw_bill_row *row, int64_t at, int64_t ns,
					  uint64_t packet_from, uint64_t packet_to)
{
	struct tw_interval *x = &row->example[row->n_examples++];

	*x = (struct tw_interval){
		.from = START + at,
		.to = START + at + ns,
		.packet_from = packet_from,
		.packet_to = packet_to,
		.cause = (uint8_t)row->cause,
		.side = (uint8_t)row->side,
		.confidence = 95,
		.is_stall = true,
	};
	return x;
}

static inline void mark(struct tw_marks *marks, uint64_t packet, int64_t at)
{
	if (marks->count < TW_MARKS) {
		marks->first[marks->count].packet = packet;
		marks->first[marks->count].at = START + at;
	}
	marks->count++;
}

/* Runs a detector as tw_findings() does. */
static inline bool detect(struct built *b, tw_detector *detector, int side)
{
	memset(&b->found, 0, sizeof(b->found));
	b->found.side = side;
	b->found.party = TW_PARTY_NOBODY;
	b->found.next = TW_CAUSE_UNKNOWN;
	b->found.duration_without_ns = b->bill.duration_ns;
	return detector(&b->c, side, &b->found);
}

/* Silent, and as a silent detector must, without having touched the finding. */
static inline void expect_silence_at(struct built *b, tw_detector *detector, int side, int line)
{
	struct tw_finding before;

	memset(&b->found, 0, sizeof(b->found));
	b->found.side = side;
	before = b->found;
	if (detector(&b->c, side, &b->found)) {
		print_error("line %d: spoke: %s\n", line, b->found.text);
		fail();
	}
	assert_memory_equal(&before, &b->found, sizeof(before));
}
#define expect_silence(b, detector, side) expect_silence_at(b, detector, side, __LINE__)

static inline void expect_words(const char *text, const char *words, int line)
{
	if (!strstr(text, words)) {
		print_error("line %d: no \"%s\" in: %s\n", line, words, text);
		fail();
	}
}
#define expect_text(b, words) expect_words((b)->found.text, words, __LINE__)
#define expect_fix(b, words)  expect_words((b)->found.fix, words, __LINE__)

static inline void expect_evidence_at(const struct built *b, uint64_t packet, int64_t at, int line)
{
	for (unsigned i = 0; i < b->found.n_evidence; i++) {
		if (b->found.evidence[i].packet != packet)
			continue;
		if (b->found.evidence[i].at != START + at) {
			print_error("line %d: packet %u at %lld\n", line, (unsigned)packet,
				    (long long)(b->found.evidence[i].at - START));
			fail();
		}
		return;
	}
	print_error("line %d: packet %u is not in the evidence\n", line, (unsigned)packet);
	fail();
}
#define expect_evidence(b, packet, at) expect_evidence_at(b, packet, at, __LINE__)

/* With TW_SHOW in the environment every finding of the tests is printed, to be read. */
static inline void show(const struct built *b)
{
	const struct tw_finding *f = &b->found;

	if (!getenv("TW_SHOW"))
		return;
	print_message("%s, %s: %s\n    fix: %s\n    saves %.3f s%s\n",
		      tw_confidence_word(f->confidence), tw_party_title(f->party), f->text, f->fix,
		      (double)f->saves_ns / 1e9, f->at_least ? " at least" : "");
	for (unsigned i = 0; i < f->n_evidence; i++)
		print_message("    packet %u at %.6f: %s\n", (unsigned)f->evidence[i].packet,
			      (double)(f->evidence[i].at - START) / 1e9, f->evidence[i].note);
}

#define expect_speech(b, detector, side)                \
	do {                                            \
		assert_true(detect(b, detector, side)); \
		show(b);                                \
	} while (0)

#endif
