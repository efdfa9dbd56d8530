/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lab_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "lab/keepsake.h"

int tw_lab_make_folder(const char *folder)
{
	int error = 0;

	if (mkdir(folder, 0777) && errno != EEXIST)
		error = -errno;
	else if (access(folder, W_OK | X_OK))
		error = -errno;
	if (error)
		tw_complain("%s: %s", folder, strerror(-error));
	return error;
}

int tw_lab_keep(const struct tw_session_result *result, const char *folder)
{
	int first = 0;

	for (unsigned i = 0; i < TW_PLACE_COUNT; i++) {
		char name[16];
		int error;

		snprintf(name, sizeof(name), "%s.pcap", tw_place_name(i));
		error = tw_keepsake_name(result->files[i], folder, name);
		if (error)
			tw_complain("%s/%s: %s", folder, name, strerror(-error));
		if (error && !first)
			first = error;
	}
	return first;
}
