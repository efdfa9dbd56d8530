/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports built by hand, for the tests of the outputs. One allocation holds all: free() it. */
#ifndef TW_UNIT_SAMPLE_REPORT_H
#define TW_UNIT_SAMPLE_REPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { SAMPLE_CONNECTIONS = 40, SAMPLE_ROWS = 8, SAMPLE_FINDINGS = 4, SAMPLE_INTERVALS = 4 };

#define SAMPLE_MS INT64_C(1000000)
#define SAMPLE_START INT64_C(1700000000123456789)

struct sample_connection {
	struct tw_connection_report report;
	struct tw_bill_row rows[SAMPLE_ROWS];
	struct tw_finding findings[SAMPLE_FINDINGS];
	struct tw_interval intervals[SAMPLE_INTERVALS];
	struct tw_judged_round rounds[SAMPLE_INTERVALS];
};

struct sample {
	struct tw_report report;
	struct tw_input_report input;
	struct sample_connection connection[SAMPLE_CONNECTIONS];
	struct tw_connection_report *list[SAMPLE_CONNECTIONS];
};

static inline struct tw_endpoint sample_v4(uint8_t host, uint16_t port)
{
	return (struct tw_endpoint){
		.addr = { [10] = 0xff, [11] = 0xff, 192, 0, 2, host }, .port = port,
	};
}

static inline struct tw_endpoint sample_v6(uint8_t host, uint16_t port)
{
	struct tw_endpoint e = { .addr = { 0x20, 0x01, 0x0d, 0xb8 }, .port = port };

	for (int i = 4; i < 15; i++)
		e.addr[i] = (uint8_t)(0x11 * i);
	e.addr[15] = host;
	return e;
}

static inline struct tw_bill_row *sample_row(struct sample_connection *c, enum tw_cause cause,
					     int side, int64_t ns)
{
	struct tw_bill_row *row = &c->rows[c->report.bill.n_rows++];

	*row = (struct tw_bill_row){
		.cause = cause, .side = side, .party = tw_cause_party(cause), .ns = ns,
		.intervals = 1, .confidence = 0.9, .next = TW_CAUSE_UNKNOWN,
	};
	c->report.bill.duration_ns += ns;
	c->report.bill.direction[side].duration_ns += ns;
	return row;
}

static inline struct tw_finding *sample_finding(struct sample_connection *c, enum tw_finding_id id,
						int side, enum tw_party party)
{
	struct tw_finding *f = &c->findings[c->report.n_findings++];

	f->id = id;
	f->side = side;
	f->party = party;
	f->next = TW_CAUSE_UNKNOWN;
	f->duration_without_ns = c->report.bill.duration_ns;
	return f;
}

static inline void sample_evidence(struct tw_finding *f, uint64_t packet, int64_t at,
				   const char *note)
{
	struct tw_evidence *e = &f->evidence[f->n_evidence++];

	e->packet = packet;
	e->at = at;
	snprintf(e->note, sizeof(e->note), "%s", note);
}

/* Adds a connection without time or data: 192.0.2.<10 + n>:50000 to 192.0.2.2:80. */
static inline struct sample_connection *sample_connect(struct sample *s)
{
	unsigned n = s->report.n_connections;
	struct sample_connection *c = &s->connection[n];

	c->report.bill.rows = c->rows;
	c->report.findings = c->findings;
	c->report.summary.id = n + 1;
	c->report.summary.endpoint[0] = sample_v4((uint8_t)(10 + n), 50000);
	c->report.summary.endpoint[1] = sample_v4(2, 80);
	c->report.summary.first = c->report.summary.last = SAMPLE_START;
	c->report.summary.start_seen = c->report.summary.closed = true;
	s->list[n] = &c->report;
	s->report.n_connections++;
	s->report.total_connections++;
	return c;
}

static inline struct sample *sample_empty(void)
{
	struct sample *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	s->report.connections = s->list;
	s->report.n_inputs = 1;
	s->report.inputs = &s->input;
	s->input.name = (char *)(uintptr_t)"slow.pcap";
	strcpy(s->input.format, "pcap");
	strcpy(s->input.title, "pcap, raw IP");
	s->input.first = SAMPLE_START;
	s->input.last = SAMPLE_START;
	return s;
}

/* 3 MB from the client, bound by a receive window of 8,688 bytes for 98.7 % of 7.07 s. */
static inline struct sample_connection *sample_window(struct sample *s)
{
	struct sample_connection *c = sample_connect(s);
	struct tw_direction_summary *d = &c->report.summary.direction[0];
	struct tw_finding *f;

	c->report.summary.endpoint[0] = sample_v4(1, 53816);
	c->report.summary.endpoint[1] = sample_v4(2, 5001);
	sample_row(c, TW_CAUSE_RECEIVE_WINDOW, 0, 6980 * SAMPLE_MS)->rounds = 346;
	sample_row(c, TW_CAUSE_SLOW_START, 0, 70 * SAMPLE_MS);
	sample_row(c, TW_CAUSE_HANDSHAKE, 0, 20 * SAMPLE_MS);
	c->report.summary.last = c->report.summary.end = SAMPLE_START + 7070 * SAMPLE_MS;
	c->report.summary.packets = 3051;
	c->report.summary.place = TW_PLACE_SENDER;
	c->report.summary.place_confidence = 0.99;
	c->report.summary.min_rtt = 20200000;
	d->packets = 2075;
	d->data_packets = 2072;
	d->bytes = d->unique_bytes = 3000000;
	d->mss = 1448;
	d->mss_option = 1460;
	d->largest_payload = 1448;
	d->sack_permitted = d->timestamps = d->syn_seen = d->fin_seen = true;
	d->acks = 976;
	d->advancing_acks = 970;
	d->acked_bytes = 3000000;
	d->window_min = 2896;
	d->window_max = 8688;
	d->window_scale = 7;
	d->window_scale_known = true;
	d->flight_max = 8688;
	d->rtt = (struct tw_spread){ .n = 970, .min = 20200000, .median = 20400000, .p95 = 21000000,
				     .max = 61000000 };
	c->report.summary.direction[1].packets = 976;
	f = sample_finding(c, TW_FINDING_RECEIVE_BUFFER_SMALL, 0, TW_PARTY_RECEIVING_HOST);
	f->confidence = 0.97;
	strcpy(f->text, "192.0.2.2 never let more than 8,688 bytes be outstanding; the flight "
	       "filled the window in 346 of 347 rounds (packets 12 to 17 first).");
	strcpy(f->fix, "on 192.0.2.2: leave SO_RCVBUF unset, or raise it and net.core.rmem_max");
	f->saves_ns = 6680 * SAMPLE_MS;
	f->duration_without_ns = 390 * SAMPLE_MS;
	f->duration_low_ns = 380 * SAMPLE_MS;
	f->duration_high_ns = 400 * SAMPLE_MS;
	f->duration_low_ns = 380 * SAMPLE_MS;
	f->duration_high_ns = 400 * SAMPLE_MS;
	f->next = TW_CAUSE_SLOW_START;
	sample_evidence(f, 12, SAMPLE_START + 40625 * SAMPLE_MS / 1000,
			"the first flight that fills the window begins");
	sample_evidence(f, 1012, SAMPLE_START + 2331 * SAMPLE_MS,
			"window full from here for 1.2 s");
	c->report.lost_ns = f->saves_ns;
	s->input.packets = s->input.tcp_packets = 3051;
	s->input.last = c->report.summary.last;
	return c;
}

/* 80 exchanges; Nagle and delayed ACKs hold the client up, the server thinks a little. */
static inline struct sample_connection *sample_exchange(struct sample *s)
{
	struct sample_connection *c = sample_connect(s);
	struct tw_direction_summary *d = c->report.summary.direction;
	struct tw_finding *f;

	sample_row(c, TW_CAUSE_NAGLE_DELAYED_ACK, 0, 3328 * SAMPLE_MS)->intervals = 80;
	sample_row(c, TW_CAUSE_SENDER_APP, 1, 120 * SAMPLE_MS)->intervals = 80;
	sample_row(c, TW_CAUSE_ROUND_TRIP, 0, 9 * SAMPLE_MS);
	sample_row(c, TW_CAUSE_HANDSHAKE, 0, 5 * SAMPLE_MS);
	sample_row(c, TW_CAUSE_UNKNOWN, 1, 1 * SAMPLE_MS);
	c->report.summary.last = c->report.summary.end = SAMPLE_START + 3463 * SAMPLE_MS;
	c->report.summary.place = TW_PLACE_MIDDLE;
	c->report.summary.place_confidence = 0.5;
	c->report.summary.min_rtt = 1200000;
	c->report.summary.packets = 490;
	for (int side = 0; side < 2; side++) {
		d[side].packets = 245;
		d[side].data_packets = side ? 80 : 160;
		d[side].bytes = d[side].unique_bytes = side ? 8000 : 40000;
		d[side].mss = 1448;
		c->report.bill.direction[side].turns = 80;
	}
	f = sample_finding(c, TW_FINDING_NAGLE_DELAYED_ACK, 0, TW_PARTY_SENDING_HOST);
	f->confidence = 0.7;
	strcpy(f->text, "In 80 exchanges the second of two small writes waited for an ACK that "
	       "192.0.2.2 delayed by 40.0 to 41.9 ms.");
	strcpy(f->fix, "on 192.0.2.10: write header and body at once (writev), or set TCP_NODELAY");
	f->saves_ns = 3328 * SAMPLE_MS;
	f->duration_without_ns = f->duration_low_ns = f->duration_high_ns = 135 * SAMPLE_MS;
	sample_evidence(f, 7, SAMPLE_START + 42 * SAMPLE_MS, "401 bytes held for 40.1 ms");
	c->report.lost_ns = f->saves_ns;
	s->input.packets = s->input.tcp_packets = 490;
	s->input.last = c->report.summary.last;
	return c;
}

/* 20 MB from the server over a full link, with losses, seen at the receiver, in mid-stream. */
static inline struct sample_connection *sample_link(struct sample *s)
{
	struct sample_connection *c = sample_connect(s);
	struct tw_direction_summary *d = &c->report.summary.direction[1];
	struct tw_finding *f;

	sample_row(c, TW_CAUSE_LINK_RATE, 1, 15500 * SAMPLE_MS)->rounds = 400;
	sample_row(c, TW_CAUSE_FAST_RECOVERY, 1, 600 * SAMPLE_MS);
	c->report.summary.last = SAMPLE_START + 76100 * SAMPLE_MS;
	c->report.summary.end = SAMPLE_START + 16100 * SAMPLE_MS;
	c->report.bill.after_ns = 60000 * SAMPLE_MS;
	c->report.summary.main_direction = 1;
	c->report.summary.start_seen = c->report.summary.closed = false;
	c->report.summary.client_guessed = true;
	c->report.summary.place = TW_PLACE_RECEIVER;
	c->report.summary.place_confidence = 0.9;
	c->report.summary.min_rtt = 20 * SAMPLE_MS;
	c->report.summary.packets = 21000;
	d->packets = 14000;
	d->data_packets = 13900;
	d->bytes = 20101360;
	d->unique_bytes = 20000000;
	d->resent_packets = 70;
	d->resent_bytes = 101360;
	d->resends[TW_RESEND_FAST_SACK].count = 66;
	d->resends[TW_RESEND_RTO].count = 2;
	d->resends[TW_RESEND_TLP].count = 2;
	d->spurious[TW_SPURIOUS_DSACK].count = 3;
	d->needless = 3;
	for (unsigned i = 0; i < TW_MARKS; i++)
		d->resends[TW_RESEND_FAST_SACK].first[i].packet = 500 + 7 * i;
	d->losses.count = 67;
	d->mss = 1448;
	d->rtt = (struct tw_spread){ .n = 7000, .min = 20 * SAMPLE_MS, .median = 85 * SAMPLE_MS,
				     .p95 = 110 * SAMPLE_MS, .max = 300 * SAMPLE_MS };
	c->report.summary.direction[0].packets = 7000;
	c->report.bill.direction[1].capacity_bps = 10e6;
	f = sample_finding(c, TW_FINDING_BOTTLENECK_QUEUE, 1, TW_PARTY_NETWORK);
	f->confidence = 0.95;
	strcpy(f->text, "A queue of 65.0 ms stood at the bottleneck in 380 of 400 rounds.");
	sample_evidence(f, 900, SAMPLE_START + 500 * SAMPLE_MS, "85.0 ms of queue");
	s->input.packets = s->input.tcp_packets = 21000;
	s->input.last = c->report.summary.last;
	return c;
}

/* Totals over what is held, as the report stage makes them. */
static inline void sample_totals(struct sample *s)
{
	struct tw_report *r = &s->report;

	for (unsigned i = 0; i < r->n_connections; i++) {
		const struct tw_connection_report *c = r->connections[i];

		r->total_ns += c->bill.duration_ns;
		for (int side = 0; side < 2; side++)
			r->total_bytes += c->summary.direction[side].unique_bytes;
		for (unsigned k = 0; k < c->bill.n_rows; k++) {
			const struct tw_bill_row *row = &c->bill.rows[k];
			unsigned at = 0;

			while (at < r->n_total_rows && r->total_rows[at].cause != row->cause)
				at++;
			if (at == r->n_total_rows)
				r->n_total_rows++;
			r->total_rows[at].cause = row->cause;
			r->total_rows[at].party = row->party;
			r->total_rows[at].ns += row->ns;
			r->total_rows[at].connections++;
		}
		for (unsigned k = 0; k < c->n_findings; k++)
			r->finding_counts[c->findings[k].id]++;
	}
}

/* Forty connections of the three kinds, with ever less to gain. */
static inline struct sample *sample_many(void)
{
	struct sample *s = sample_empty();

	for (unsigned i = 0; i < SAMPLE_CONNECTIONS; i++) {
		struct sample_connection *c = i % 3 == 0 ? sample_window(s) :
					      i % 3 == 1 ? sample_exchange(s) : sample_link(s);

		c->report.summary.endpoint[0].port = (uint16_t)(50000 + i);
		c->report.lost_ns = i % 3 == 2 ? 0 : c->report.lost_ns / (i + 1);
	}
	sample_totals(s);
	s->input.packets = s->input.tcp_packets = 345678;
	return s;
}

#endif
