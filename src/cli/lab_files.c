/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/lab_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/lab_json.h"
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

static int keep(int file, const char *folder, const char *place, const char *ending)
{
	char name[16];
	int error;

	snprintf(name, sizeof(name), "%s.%s", place, ending);
	error = tw_keepsake_name(file, folder, name);
	if (error)
		tw_complain("%s/%s: %s", folder, name, strerror(-error));
	return error;
}

static int keep_path(const struct tw_path *path, const struct tw_session_result *result,
		     const char *folder)
{
	int fd = tw_keepsake_open(folder), error = fd < 0 ? fd : 0;
	FILE *out = error ? NULL : fdopen(fd, "w");

	if (!error && !out) {
		error = -errno;
		close(fd);
	}
	if (!error)
		error = tw_lab_path_json(path, result, out);
	if (!error && fflush(out))
		error = -errno;
	if (error)
		tw_complain("cannot keep what the path did: %s", strerror(-error));
	else
		error = keep(fd, folder, "path", "json");
	if (out)
		fclose(out);
	return error;
}

int tw_lab_keep(const struct tw_path *path, const struct tw_session_result *result, const int *facts,
		const char *folder)
{
	int first = keep_path(path, result, folder);

	for (unsigned i = 0; i < TW_PLACE_COUNT; i++) {
		int error = keep(result->files[i], folder, tw_place_name(i), "pcap");

		first = first ? first : error;
	}
	for (unsigned i = 0; i < TW_HOST_COUNT && facts; i++) {
		int error = keep(facts[i], folder, tw_host_name(i), "json");

		first = first ? first : error;
	}
	return first;
}
