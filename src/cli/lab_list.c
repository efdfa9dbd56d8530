/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lab_list.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/command.h"
#include "lab/host.h"
#include "lab/scenario.h"

static void describe(struct tw_json *json, const struct tw_scenario *s)
{
	tw_json_object(json, NULL);
	tw_json_string(json, "name", s->name);
	tw_json_string(json, "title", s->title);
	tw_json_string(json, "story", s->story);
	tw_json_string(json, "path", s->path);
	tw_json_string(json, "traffic", s->traffic);
	tw_json_string(json, "cause", s->cause);
	if (s->side == TW_SIDE_ANY)
		tw_json_null(json, "side");
	else
		tw_json_string(json, "side", tw_host_name((enum tw_host)s->side));
	tw_json_double(json, "share", s->share);
	tw_json_string(json, "cure", s->cure);
	tw_json_string(json, "cure_path", s->cure_path);
	tw_json_string(json, "cure_traffic", s->cure_traffic);
	tw_json_end(json);
}

static int list_json(void)
{
	struct tw_json json;

	tw_json_init(&json, stdout, true);
	tw_json_object(&json, NULL);
	tw_json_string(&json, "schema", "tcpwhy-lab/1");
	tw_json_array(&json, "faults");
	for (size_t i = 0; i < tw_n_scenarios; i++)
		describe(&json, &tw_scenarios[i]);
	tw_json_end(&json);
	tw_json_end(&json);
	return tw_finish_output(tw_json_finish(&json), TW_STATUS_FINE);
}

int tw_lab_list(bool as_json)
{
	size_t widest = 0;

	if (as_json)
		return list_json();
	for (size_t i = 0; i < tw_n_scenarios; i++)
		if (strlen(tw_scenarios[i].name) > widest)
			widest = strlen(tw_scenarios[i].name);
	puts("Faults that 'tcpwhy lab NAME' makes, explains, cures and measures again:\n");
	for (size_t i = 0; i < tw_n_scenarios; i++)
		printf("  %-*s  %s\n", (int)widest, tw_scenarios[i].name, tw_scenarios[i].title);
	puts("\n'tcpwhy lab -- COMMAND' runs a command of your own on a path of your own: see --help.");
	return tw_finish_output(0, TW_STATUS_FINE);
}
