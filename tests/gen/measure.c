/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure OUT CMD ARGS...: runs a command with its output thrown away and writes one line to OUT:
 * exit status, wall seconds, user seconds, system seconds, peak resident kB.
 *
 * A script cannot do this itself: Linux hands the peak of the forking process on to the program it
 * executes (fs/exec.c, exec_mmap), so a Python parent would be the floor of every figure.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
	struct timespec start, end;
	struct rusage usage;
	int status;
	pid_t pid;
	FILE *out;

	if (argc < 3 || !(out = fopen(argv[1], "w"))) {
		fprintf(stderr, "usage: measure OUT CMD ARGS...\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
			_exit(126);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
		perror("measure");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(out, "%d %.6f %.6f %.6f %ld\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
		(double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9,
		seconds(usage.ru_utime), seconds(usage.ru_stime), usage.ru_maxrss);
	return fclose(out) ? 2 : 0;
}
