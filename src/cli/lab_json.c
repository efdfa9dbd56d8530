/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lab_json.h"

#include "base/json.h"

static void way(struct tw_json *json, enum tw_host sender, const struct tw_pump_figures *f)
{
	const struct tw_link_figures *link = &f->link;

	tw_json_object(json, tw_host_name(sender));
	tw_json_uint(json, "packets", link->entered);
	tw_json_uint(json, "bytes", link->bytes_entered);
	tw_json_uint(json, "left_packets", link->left);
	tw_json_uint(json, "dropped_queue", link->dropped_queue);
	tw_json_uint(json, "dropped_loss", link->dropped_loss);
	tw_json_uint(json, "dropped_policer", link->dropped_policer);
	tw_json_uint(json, "dropped_mtu", link->dropped_mtu);
	tw_json_uint(json, "dropped_outage", link->dropped_outage);
	tw_json_uint(json, "dropped_thinned", link->dropped_thinned);
	tw_json_uint(json, "marked_ce", link->marked_ce);
	tw_json_uint(json, "duplicated", link->duplicated);
	tw_json_uint(json, "reordered", link->reordered);
	tw_json_uint(json, "queue_max_bytes", link->queue_max);
	tw_json_seconds(json, "late_median_s", f->late_median);
	tw_json_seconds(json, "late_p99_s", f->late_p99);
	tw_json_seconds(json, "late_max_s", f->late_max);
	tw_json_end(json);
}

int tw_lab_path_json(const struct tw_path *path, const struct tw_session_result *result, FILE *out)
{
	char words[TW_PATH_TEXT_MAX];
	struct tw_json json;

	if (tw_path_format(path, words, sizeof(words)))
		words[0] = '\0';
	tw_json_init(&json, out, false);
	tw_json_object(&json, NULL);
	tw_json_string(&json, "schema", "tcpwhy-path/1");
	tw_json_string(&json, "path", words);
	tw_json_double(&json, "seconds", result->seconds);
	tw_json_bool(&json, "real_time", result->is_real_time);
	for (unsigned i = 0; i < TW_HOST_COUNT; i++)
		way(&json, i, &result->ways[i]);
	tw_json_end(&json);
	return tw_json_finish(&json);
}
