/* SPDX-License-Identifier: BSD-2-Clause */
/* The public API: joins the stages, source -> packet -> flow -> ledger -> finding -> report. */
#include "tcpwhy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "flow/flow.h"
#include "flow/sort.h"
#include "ledger/ledger.h"
#include "packet/decode.h"
#include "report/build.h"
#include "source/filter.h"
#include "source/source.h"

enum {
	DEFAULT_KEEP = 1000,
	DEFAULT_CONNECTIONS = 1000000,
	PROGRESS_EVERY = 1 << 14, /* records */
};

struct tw_analysis {
	struct tw_options options;
	struct tw_flow *flow;
	struct tw_sorter *sorter;
	struct tw_filter *filter;           /* NULL: everything */
	struct tw_endpoint last_pair[2];    /* of the last packet read, */
	uint32_t last_hash;                 /* and its hash */
	bool filter_unfit;                  /* it means nothing on some link type; said once an input */
	struct tw_report_builder *builder;
	struct tw_input_report *input;      /* the one being read */
	uint64_t records_before;            /* of earlier inputs: packet numbers go on */
	uint64_t unanalysed;                /* packets that found no memory */
	struct tw_error error;
};

static void on_event(void *context, struct tw_connection *c, const struct tw_event *event)
{
	struct tw_analysis *a = context;

	/* Acknowledgements before any data change nothing that the ledger asks for. */
	if (!c->ledger) {
		struct tw_ledger *ledger;

		if (event->kind == TW_EVENT_ACK && event->flight_known)
			return;
		if (tw_ledger_new(&ledger, a->options.keep_intervals)) {
			a->unanalysed++;
			return;
		}
		c->ledger = ledger;
	}
	tw_ledger_event(c->ledger, c, event);
}

/* Where the kernel did not say, what the bill found of the congestion window. */
static void fill_cwnd(struct tw_direction_summary *d, const struct tw_direction_bill *bill)
{
	if (d->cwnd_max)
		return;
	d->cwnd_max = bill->cwnd_max;
	d->cwnd_last = bill->cwnd_last;
	if (d->phase_last == TW_PHASE_UNKNOWN)
		d->phase_last = bill->phase_last;
}

static void on_done(void *context, struct tw_connection *c)
{
	struct tw_analysis *a = context;
	struct tw_connection_summary summary;
	struct tw_bill bill;
	int err;

	if (!c->packets)
		goto cleanup; /* not the connection asked for */
	tw_connection_summarize(c, &summary);
	err = tw_ledger_finish(c->ledger, c, &bill);
	for (int side = 0; side < 2 && !err; side++)
		fill_cwnd(&summary.direction[side], &bill.direction[side]);
	if (!err)
		err = tw_report_builder_add(a->builder, &summary, &bill);
	if (err)
		a->unanalysed += c->packets; /* it will be missing from the report */
cleanup:
	tw_ledger_free(c->ledger);
	c->ledger = NULL;
}

static void on_ending(void *context, const struct tw_connection *c)
{
	(void)context;
	tw_ledger_expect(c->ledger);
}

static enum tw_place place_of(enum tw_vantage_option vantage)
{
	switch (vantage) {
	case TW_VANTAGE_SENDER: return TW_PLACE_SENDER;
	case TW_VANTAGE_RECEIVER: return TW_PLACE_RECEIVER;
	case TW_VANTAGE_MIDDLE: return TW_PLACE_MIDDLE;
	case TW_VANTAGE_INFER: break;
	}
	return TW_PLACE_UNKNOWN;
}

static int build_stages(struct tw_analysis *a)
{
	struct tw_flow_options flow = {
		.max_connections = a->options.max_connections,
		.only_flow = a->options.only_flow, .place = place_of(a->options.vantage),
	};
	struct tw_flow_sink sink = { .events = { .event = on_event, .context = a },
				     .done = on_done, .ending = on_ending };
	int err = tw_sorter_new(&a->sorter);

	if (!err)
		err = tw_flow_new(&a->flow, &flow, &sink);
	if (!err)
		err = tw_report_builder_new(&a->builder, a->options.keep);
	if (!err && a->options.filter)
		err = tw_filter_new(&a->filter, a->options.filter, &a->error);
	a->options.filter = NULL; /* the caller's; compiled by now */
	return err;
}

int tw_analysis_new(struct tw_analysis **out, const struct tw_options *options)
{
	struct tw_analysis *a = calloc(1, sizeof(*a));

	*out = a;
	if (!a)
		return -ENOMEM;
	if (options) {
		size_t size = options->size && options->size < sizeof(*options) ?
			options->size : sizeof(*options);

		memcpy(&a->options, options, size);
	}
	if (!a->options.keep)
		a->options.keep = DEFAULT_KEEP;
	if (!a->options.max_connections)
		a->options.max_connections = DEFAULT_CONNECTIONS;
	return build_stages(a);
}

void tw_analysis_free(struct tw_analysis *a)
{
	if (!a)
		return;
	if (a->flow)
		tw_flow_finish(a->flow);
	tw_flow_free(a->flow);
	tw_sorter_free(a->sorter);
	tw_filter_free(a->filter);
	tw_report_builder_free(a->builder);
	free(a);
}

const char *tw_analysis_error(const struct tw_analysis *a)
{
	return a->error.text;
}

static void count_other(struct tw_input_report *in, const char *name)
{
	unsigned i, room = sizeof(in->other) / sizeof(in->other[0]);

	in->skipped++;
	for (i = 0; i < in->n_other; i++) {
		if (strcmp(in->other[i].name, name))
			continue;
		in->other[i].packets++;
		/* Most packets first; what comes often moves forward. */
		if (i && in->other[i].packets > in->other[i - 1].packets) {
			__typeof__(in->other[0]) t = in->other[i];

			in->other[i] = in->other[i - 1];
			in->other[i - 1] = t;
		}
		return;
	}
	if (i == room)
		i--; /* the rarest makes room; its packets stay in `skipped` */
	else
		in->n_other++;
	snprintf(in->other[i].name, sizeof(in->other[i].name), "%s", name);
	in->other[i].packets = 1;
}

static const char *passed_over(enum tw_decoded decoded, const char *other)
{
	switch (decoded) {
	case TW_DECODED_OTHER: return other;
	case TW_DECODED_FRAGMENT: return "later IP fragments";
	case TW_DECODED_CUT: return "cut too short";
	case TW_DECODED_MALFORMED: return "malformed";
	case TW_DECODED_UNKNOWN_LINK: return "unknown link type";
	case TW_DECODED_TCP: break;
	}
	return "?";
}

enum { FEW = 64 }; /* connections: so many stay in the cache by themselves */

/*
 * Fetches into the cache what the packets after this one will touch, step by step: their
 * place in the table, their connection, what that points to.
 */
static void fetch_ahead(const struct tw_analysis *a)
{
	/* Packets ahead, for each part: time enough for memory to answer. The ledger is found by its key. */
	static const uint8_t ahead[] = {
		[TW_FLOW_BUCKET] = 18, [TW_FLOW_KEY] = 13, [TW_FLOW_STATE] = 9, [TW_FLOW_RINGS] = 5,
	};
	enum { LEDGER_AHEAD = 5 };
	const struct tw_packet *packet, *next;
	const struct tw_connection *c;

	if (tw_flow_open(a->flow) < FEW)
		return;
	for (int part = 0; part <= TW_FLOW_RINGS; part++) {
		packet = tw_sorter_peek(a->sorter, ahead[part]);
		if (packet)
			tw_flow_expect(a->flow, packet, (enum tw_flow_part)part);
	}
	next = tw_sorter_peek(a->sorter, LEDGER_AHEAD);
	c = next ? tw_flow_expected(a->flow, next) : NULL;
	if (c)
		tw_ledger_expect(c->ledger);
}

/* The earliest packet of the sorter goes on, where there is one. */
static bool pass_on(struct tw_analysis *a, bool all)
{
	struct tw_packet *ready = tw_sorter_pop(a->sorter, all);

	if (!ready)
		return false;
	fetch_ahead(a);
	if (tw_flow_packet(a->flow, ready))
		a->unanalysed++;
	return true;
}

static void warn(struct tw_input_report *in, const char *text)
{
	if (in->n_warnings < sizeof(in->warnings) / sizeof(in->warnings[0]))
		snprintf(in->warnings[in->n_warnings++], sizeof(in->warnings[0]), "%s", text);
}

/*
 * For what fetches ahead. Mostly it is the connection of the packet before, one way or the other;
 * where there are few, the table hashes what it has to look for.
 */
static void fill_hash(struct tw_analysis *a, struct tw_packet *packet)
{
	const struct tw_endpoint *last = a->last_pair;

	packet->hash = 0;
	if (tw_flow_open(a->flow) < FEW)
		return;
	if (!(tw_endpoint_same(&packet->src, &last[0]) && tw_endpoint_same(&packet->dst, &last[1])) &&
	    !(tw_endpoint_same(&packet->src, &last[1]) && tw_endpoint_same(&packet->dst, &last[0]))) {
		a->last_pair[0] = packet->src;
		a->last_pair[1] = packet->dst;
		tw_flow_hash(a->flow, packet);
		a->last_hash = packet->hash;
	}
	packet->hash = a->last_hash;
}

/* One record into the sorter, and what has waited long enough out of it. */
static int take_record(struct tw_analysis *a, const struct tw_record *record)
{
	struct tw_input_report *in = a->input;
	struct tw_packet *slot;
	const char *other = NULL;
	enum tw_decoded decoded = TW_DECODED_TCP;

	if (!in->packets++)
		in->first = in->last = record->ts;
	if (record->ts < in->first)
		in->first = record->ts;
	if (record->ts > in->last)
		in->last = record->ts;
	if (a->filter) {
		int match = tw_filter_match(a->filter, record);

		/* It may mean something on the file's other link types. */
		if (match == -EOPNOTSUPP && !a->filter_unfit)
			warn(in, tw_filter_error(a->filter));
		a->filter_unfit |= match == -EOPNOTSUPP;
		if (match < 0 && match != -EOPNOTSUPP)
			return tw_error_set(&a->error, match, "%s", tw_filter_error(a->filter));
		if (match <= 0)
			return 0;
	}
	slot = tw_sorter_slot(a->sorter);
	if (record->packet)
		*slot = *record->packet;
	else
		decoded = tw_decode(record->linktype, record->bytes, record->captured,
				    record->original, slot, &other);
	if (decoded != TW_DECODED_TCP) {
		count_other(in, passed_over(decoded, other));
		return 0;
	}
	in->tcp_packets++;
	slot->ts = record->ts;
	slot->number = a->records_before + record->number;
	slot->interface = record->interface;
	fill_hash(a, slot);
	tw_sorter_commit(a->sorter);
	pass_on(a, false);
	return 0;
}

static void describe_input(struct tw_input_report *in, const struct tw_source *source)
{
	const char *compression = tw_stream_compression(source->stream);

	snprintf(in->format, sizeof(in->format), "%s", source->format->id);
	snprintf(in->title, sizeof(in->title), "%s", source->title);
	snprintf(in->compression, sizeof(in->compression), "%s", compression ? compression : "");
	in->bytes = tw_stream_offset(source->stream);
	in->skipped += source->skipped;
	for (unsigned i = 0; i < source->n_warnings; i++)
		warn(in, source->warning[i]);
}

static int read_source(struct tw_analysis *a, struct tw_source *source)
{
	struct tw_record record;
	int more, err = 0;

	while ((more = tw_source_next(source, &record)) > 0) {
		err = take_record(a, &record);
		if (err)
			return err;
		if (a->options.progress && source->records % PROGRESS_EVERY == 0)
			a->options.progress(a->options.progress_context,
					    tw_stream_progress(source->stream), source->records);
	}
	if (more < 0) {
		a->input->failed = true;
		warn(a->input, source->error.text);
		tw_error_set(&a->error, 0, "%s", source->error.text);
		return a->input->packets ? -EBADMSG : more == -EBADMSG ? -EPROTO : more;
	}
	return 0;
}

int tw_analysis_add_file(struct tw_analysis *a, const char *path)
{
	struct tw_source *source;
	int err;

	a->error.text[0] = '\0';
	err = tw_source_open(&source, path, &a->error);
	if (err)
		return err == -EBADMSG ? -EPROTO : err; /* nothing was readable */
	a->input = tw_report_builder_input(a->builder, path);
	if (!a->input) {
		tw_source_close(source);
		return tw_error_set(&a->error, -ENOMEM, "%s: no memory", path);
	}
	a->filter_unfit = false;
	err = read_source(a, source);
	while (pass_on(a, true))
		;
	describe_input(a->input, source);
	a->records_before += source->records;
	tw_source_close(source);
	return err;
}

int tw_analysis_finish(struct tw_analysis *a, struct tw_report **out)
{
	struct tw_report *report;

	tw_flow_finish(a->flow);
	report = tw_report_builder_finish(a->builder);
	report->unanalysed_packets = a->unanalysed;
	tw_report_builder_free(a->builder);
	a->builder = NULL;
	*out = report;
	return 0;
}

void tw_interrupt(void)
{
	tw_stream_interrupt();
}

unsigned tw_report_connections(const struct tw_report *report)
{
	return report->n_connections;
}

double tw_report_duration(const struct tw_report *report, unsigned connection)
{
	if (connection >= report->n_connections)
		return 0;
	return (double)report->connections[connection]->bill.duration_ns / 1e9;
}

bool tw_report_bill(const struct tw_report *report, unsigned connection, unsigned row,
		    const char **cause, const char **party, int *side, double *seconds)
{
	const struct tw_bill *bill;

	if (connection >= report->n_connections)
		return false;
	bill = &report->connections[connection]->bill;
	if (row >= bill->n_rows)
		return false;
	*cause = tw_cause_id(bill->rows[row].cause);
	*party = tw_party_title(bill->rows[row].party);
	*side = bill->rows[row].side;
	*seconds = (double)bill->rows[row].ns / 1e9;
	return true;
}

const char *tw_version(void)
{
	return TW_VERSION;
}
