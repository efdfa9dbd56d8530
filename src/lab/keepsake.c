/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/keepsake.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int tw_keepsake_open(const char *folder)
{
	const char *temporary = getenv("TMPDIR");
	const char *const places[] = { folder, temporary, "/var/tmp", "/tmp" };
	int fd;

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!places[i] || !*places[i])
			continue;
		fd = open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
	}
	fd = memfd_create("tcpwhy", MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Across file systems, or onto one without nameless files. */
static int copy(int fd, const char *path)
{
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	off_t at = 0;
	ssize_t n;
	int error = 0;

	if (to < 0)
		return -errno;
	while ((n = sendfile(to, fd, &at, 1 << 30)) > 0)
		continue;
	if (n < 0)
		error = -errno;
	if (close(to) && !error)
		error = -errno;
	return error;
}

int tw_keepsake_name(int fd, const char *folder, const char *name)
{
	char own[64], path[PATH_MAX];

	snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (unlink(path) && errno != ENOENT)
		return -errno;
	if (!linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return 0;
	return copy(fd, path);
}
