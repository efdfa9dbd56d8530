/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/json.h"

#include "output/json_parts.h"

static const char SCHEMA[] = "tcpwhy/1";

static void input(struct tw_json *json, const struct tw_input_report *in)
{
	tw_json_object(json, NULL);
	tw_json_string(json, "file", in->name);
	tw_json_string(json, "format", in->format);
	tw_json_string(json, "title", in->title);
	if (in->compression[0])
		tw_json_string(json, "compression", in->compression);
	else
		tw_json_null(json, "compression");
	tw_json_uint(json, "packets", in->packets);
	tw_json_uint(json, "bytes", in->bytes);
	tw_json_uint(json, "tcp_packets", in->tcp_packets);
	tw_json_uint(json, "skipped", in->skipped);
	tw_json_array(json, "other");
	for (unsigned i = 0; i < in->n_other; i++) {
		tw_json_object(json, NULL);
		tw_json_string(json, "protocol", in->other[i].name);
		tw_json_uint(json, "packets", in->other[i].packets);
		tw_json_end(json);
	}
	tw_json_end(json);
	tw_json_seconds(json, "first", in->first);
	tw_json_seconds(json, "last", in->last);
	tw_json_bool(json, "failed", in->failed);
	tw_json_array(json, "warnings");
	for (unsigned i = 0; i < in->n_warnings; i++)
		tw_json_string(json, NULL, in->warnings[i]);
	tw_json_end(json);
	tw_json_end(json);
}

static void totals(struct tw_json *json, const struct tw_report *report)
{
	tw_json_object(json, "totals");
	tw_json_uint(json, "connections", report->total_connections);
	tw_json_uint(json, "folded_connections", report->folded_connections);
	tw_json_uint(json, "evicted_connections", report->evicted_connections);
	tw_json_uint(json, "unanalysed_packets", report->unanalysed_packets);
	tw_json_seconds(json, "seconds", report->total_ns);
	tw_json_uint(json, "unique_bytes", report->total_bytes);
	tw_json_array(json, "causes");
	for (unsigned i = 0; i < report->n_total_rows; i++) {
		const struct tw_total_row *row = &report->total_rows[i];

		tw_json_object(json, NULL);
		tw_json_string(json, "cause", tw_cause_id(row->cause));
		tw_json_string(json, "party", tw_party_title(row->party));
		tw_json_seconds(json, "seconds", row->ns);
		tw_json_double(json, "share",
			       report->total_ns ? (double)row->ns / (double)report->total_ns : 0);
		tw_json_uint(json, "connections", row->connections);
		tw_json_end(json);
	}
	tw_json_end(json);
	tw_json_object(json, "findings");
	for (unsigned i = 0; i < TW_FINDING_COUNT; i++) {
		if (report->finding_counts[i])
			tw_json_uint(json, tw_finding_id(i), report->finding_counts[i]);
	}
	tw_json_end(json);
	tw_json_end(json);
}

int tw_output_json(const struct tw_report *report, const char *version, FILE *out)
{
	struct tw_json json;

	tw_json_init(&json, out, true);
	tw_json_object(&json, NULL);
	tw_json_string(&json, "schema", SCHEMA);
	tw_json_string(&json, "version", version);
	tw_json_array(&json, "inputs");
	for (unsigned i = 0; i < report->n_inputs; i++)
		input(&json, &report->inputs[i]);
	tw_json_end(&json);
	tw_json_array(&json, "connections");
	for (unsigned i = 0; i < report->n_connections; i++) {
		tw_json_object(&json, NULL);
		tw_json_connection(&json, report->connections[i]);
		tw_json_end(&json);
	}
	tw_json_end(&json);
	totals(&json, report);
	tw_json_end(&json);
	return tw_json_finish(&json);
}

int tw_output_jsonl(const struct tw_report *report, const char *version, FILE *out)
{
	for (unsigned i = 0; i < report->n_connections; i++) {
		struct tw_json json;
		int error;

		tw_json_init(&json, out, false);
		tw_json_object(&json, NULL);
		tw_json_string(&json, "schema", SCHEMA);
		tw_json_string(&json, "version", version);
		tw_json_connection(&json, report->connections[i]);
		tw_json_end(&json);
		error = tw_json_finish(&json);
		if (error)
			return error;
	}
	return 0;
}
