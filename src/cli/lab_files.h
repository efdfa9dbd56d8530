/* SPDX-License-Identifier: BSD-2-Clause */
/* The captures of a lab that are to be kept. Failures are told on standard error. */
#ifndef TW_CLI_LAB_FILES_H
#define TW_CLI_LAB_FILES_H

#include "lab/session.h"

/* Early, so that a folder that cannot be is known before the run. 0 or a negative errno. */
int tw_lab_make_folder(const char *folder);

/*
 * Gives the captures their names there, and writes what the path did. `facts`: what the host's programs
 * printed, one file a host, to be named as well; NULL: nothing. 0 or a negative errno.
 */
int tw_lab_keep(const struct tw_path *path, const struct tw_session_result *result, const int *facts,
		const char *folder);

#endif
