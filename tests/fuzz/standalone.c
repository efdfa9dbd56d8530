/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reruns a fuzz target over its corpus without libFuzzer, so that every finding stays found in an
 * ordinary build, under any compiler: standalone FOLDER-OR-FILE...
 * Exit status 77 (skipped) where there is no input at all; a finding is a crash, or a leak under
 * ASan. Each input's name is printed before it is run: the last one named is the culprit.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST_INPUT = 16 << 20 };

static unsigned runs;

/* A copy of exactly the input's size, so that ASan sees the first byte read past it. */
static int run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL, *exact = NULL;
	size_t n;
	int status = -1;

	if (!file)
		goto cleanup;
	bytes = malloc(LARGEST_INPUT);
	if (!bytes)
		goto cleanup;
	n = fread(bytes, 1, LARGEST_INPUT, file);
	if (ferror(file))
		goto cleanup;
	exact = malloc(n ? n : 1);
	if (!exact)
		goto cleanup;
	memcpy(exact, bytes, n);
	free(bytes);
	bytes = NULL;
	fprintf(stderr, "%s (%zu bytes)\n", path, n);
	LLVMFuzzerTestOneInput(exact, n);
	runs++;
	status = 0;
cleanup:
	if (status)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	free(exact);
	free(bytes);
	if (file)
		fclose(file);
	return status;
}

static int run_path(const char *path);

static int run_folder(const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);
	int status = 0;

	if (n < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	for (int i = 0; i < n; i++) {
		char inner[4096];

		if (entries[i]->d_name[0] != '.') {
			snprintf(inner, sizeof(inner), "%s/%s", path, entries[i]->d_name);
			if (run_path(inner))
				status = -1;
		}
		free(entries[i]);
	}
	free(entries);
	return status;
}

static int run_path(const char *path)
{
	struct stat st;

	if (stat(path, &st)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	return S_ISDIR(st.st_mode) ? run_folder(path) : run_file(path);
}

int main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++) {
		if (run_path(argv[i]))
			status = 1;
	}
	if (!status && !runs) {
		fprintf(stderr, "no input to run\n");
		return 77;
	}
	/* libFuzzer always tries the empty input; so do we. */
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	fprintf(stderr, "%u inputs\n", runs);
	return status;
}
