/* SPDX-License-Identifier: BSD-2-Clause */
/* What the path did in a session of the lab, as JSON: for whoever reckons with it. */
#ifndef TW_CLI_LAB_JSON_H
#define TW_CLI_LAB_JSON_H

#include <stdio.h>

#include "lab/session.h"

/* One line, schema "tcpwhy-path/1" (doc/lab.md). 0 or a negative errno. */
int tw_lab_path_json(const struct tw_path *path, const struct tw_session_result *result, FILE *out);

#endif
