/* SPDX-License-Identifier: BSD-2-Clause */
/* What one host measured, as a line of JSON: times in seconds, sizes in bytes, rates in bit/s. */
#include <stdlib.h>

#include "lab/traffic_parts.h"

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The smallest that `percent` of `n` sorted values do not exceed. */
static int64_t percentile(const int64_t *sorted, int64_t n, int64_t percent)
{
	int64_t rank = (n * percent + 99) / 100;

	return sorted[rank > 0 ? rank - 1 : 0];
}

static void print_trips(struct tw_traffic_result *result, bool with_all, struct tw_json *json)
{
	int64_t n = result->n_trips, *sorted = result->trips;
	double sum = 0;

	tw_json_object(json, "requests");
	tw_json_uint(json, "count", (uint64_t)n);
	if (sorted && n) {
		if (with_all) {
			tw_json_array(json, "trips_s"); /* in order, before they are sorted */
			for (int64_t i = 0; i < n && i < TW_SAMPLES_MAX; i++)
				tw_json_seconds(json, NULL, sorted[i]);
			tw_json_end(json);
		}
		qsort(sorted, (size_t)n, sizeof(*sorted), compare);
		for (int64_t i = 0; i < n; i++)
			sum += (double)sorted[i];
		tw_json_double(json, "mean_s", sum / (double)n * 1e-9);
		tw_json_seconds(json, "min_s", sorted[0]);
		tw_json_seconds(json, "p50_s", percentile(sorted, n, 50));
		tw_json_seconds(json, "p99_s", percentile(sorted, n, 99));
		tw_json_seconds(json, "max_s", sorted[n - 1]);
	}
	tw_json_end(json);
}

static void print_moved(const struct tw_traffic_result *result, struct tw_json *json)
{
	const struct tw_traffic_moved *moved = &result->moved;

	tw_json_uint(json, "sent_bytes", (uint64_t)moved->sent);
	tw_json_uint(json, "received_bytes", (uint64_t)moved->received);
	tw_json_uint(json, "writes", (uint64_t)moved->writes);
	tw_json_uint(json, "reads", (uint64_t)moved->reads);
	tw_json_seconds(json, "in_write_s", moved->in_write);
	tw_json_seconds(json, "in_read_s", moved->in_read);
}

int tw_traffic_json(struct tw_traffic_result *result, const struct tw_traffic *traffic,
		    const char *failure, FILE *out)
{
	char text[TW_WORDS_TEXT_MAX];
	struct tw_json json;

	if (tw_traffic_format(traffic, text, sizeof(text)))
		text[0] = '\0';
	tw_json_init(&json, out, false);
	tw_json_object(&json, NULL);
	tw_json_string(&json, "schema", "tcpwhy-traffic/1");
	tw_json_string(&json, "host", result->is_server ? "server" : "client");
	tw_json_string(&json, "traffic", text);
	tw_json_bool(&json, "complete", result->is_complete);
	if (failure)
		tw_json_string(&json, "failure", failure);
	else
		tw_json_null(&json, "failure");
	if (result->is_connected) {
		tw_json_string(&json, "local", result->local);
		tw_json_string(&json, "remote", result->remote);
		tw_json_uint(&json, "start_ns", (uint64_t)result->started);
		tw_json_uint(&json, "end_ns", (uint64_t)result->ended);
		tw_json_seconds(&json, "seconds", result->duration);
		if (result->is_server)
			tw_json_null(&json, "connect_s");
		else
			tw_json_seconds(&json, "connect_s", result->connect);
		if (result->first_byte)
			tw_json_seconds(&json, "first_byte_s", result->first_byte);
		else
			tw_json_null(&json, "first_byte_s");
		print_moved(result, &json);
		tw_tcpinfo_json(&result->info, &json, "tcp");
		if (traffic->client.pattern == TW_PATTERN_REQUEST)
			print_trips(result, tw_sampler_has_samples(result->sampler), &json);
		if (tw_sampler_has_samples(result->sampler))
			tw_sampler_json(result->sampler, &json, "samples");
	}
	tw_json_end(&json);
	return tw_json_finish(&json);
}
