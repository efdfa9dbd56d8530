/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "lab/inside.h"

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		error = -errno;
	close(fd);
	return error;
}

int tw_namespace_map_user(uid_t uid, gid_t gid)
{
	char map[64];
	int error;

	/* Without it a group map is refused to who is not root (user_namespaces(7)). */
	error = write_file("/proc/self/setgroups", "deny");
	if (error && error != -ENOENT)
		return error;
	snprintf(map, sizeof(map), "%u %u 1\n", uid, uid);
	error = write_file("/proc/self/uid_map", map);
	if (error)
		return error;
	snprintf(map, sizeof(map), "%u %u 1\n", gid, gid);
	return write_file("/proc/self/gid_map", map);
}

static void copy(FILE *out, const char *path)
{
	FILE *in = fopen(path, "re");
	char text[4096];
	size_t n;

	if (!in)
		return;
	while ((n = fread(text, 1, sizeof(text), in)) > 0)
		fwrite(text, 1, n, out);
	fclose(in);
}

/*
 * A file of a tmpfs that is mounted no longer than it takes to bind the file over /etc/hosts: so it
 * has no name anywhere and goes with the namespace.
 */
static int mount_names(void)
{
	static const char place[] = "/tmp", file[] = "/tmp/hosts";
	int error = 0;
	FILE *out;

	if (mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m"))
		return -errno;
	out = fopen(file, "we");
	if (out) {
		for (unsigned i = 0; i < TW_HOST_COUNT; i++)
			fprintf(out, "%s\t%s\n%s\t%s6\n", tw_host_address(i, false),
				tw_host_name(i), tw_host_address(i, true), tw_host_name(i));
		copy(out, "/etc/hosts");
	}
	if (!out || fclose(out) || mount(file, "/etc/hosts", NULL, MS_BIND, NULL))
		error = -errno;
	umount2(place, MNT_DETACH);
	return error;
}

int tw_namespace_mounts(bool *has_proc)
{
	/* Nothing mounted here shows outside. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	*has_proc = !mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	(void)mount_names();
	return 0;
}

int tw_namespace_keep_capabilities(void)
{
	static const unsigned kept[] = {
		CAP_NET_ADMIN, CAP_NET_RAW,    CAP_NET_BIND_SERVICE,
		CAP_SYS_ADMIN, CAP_SYS_PTRACE, /* to enter the other host */
	};
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		data[kept[i] / 32].permitted |= 1u << (kept[i] % 32);
		data[kept[i] / 32].effective |= 1u << (kept[i] % 32);
		data[kept[i] / 32].inheritable |= 1u << (kept[i] % 32);
	}
	if (syscall(SYS_capset, &head, data))
		return -errno;
	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, kept[i], 0, 0))
			return -errno;
	}
	return 0;
}

static long read_number(const char *path, long missing)
{
	FILE *in = fopen(path, "re");
	long value = missing;

	if (!in)
		return missing;
	if (fscanf(in, "%ld", &value) != 1)
		value = missing;
	fclose(in);
	return value;
}

int tw_namespace_explain(int error, struct tw_error *text)
{
	static const struct {
		const char *file, *name;
		long off; /* the value that refuses */
		const char *cure;
	} switches[] = {
		{ "/proc/sys/kernel/unprivileged_userns_clone", "kernel.unprivileged_userns_clone",
		  0, "1" },
		{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
		  "kernel.apparmor_restrict_unprivileged_userns", 1, "0" },
		{ "/proc/sys/user/max_user_namespaces", "user.max_user_namespaces", 0, "10000" },
		{ "/proc/sys/user/max_net_namespaces", "user.max_net_namespaces", 0, "10000" },
		{ "/proc/sys/user/max_pid_namespaces", "user.max_pid_namespaces", 0, "10000" },
		{ "/proc/sys/user/max_mnt_namespaces", "user.max_mnt_namespaces", 0, "10000" },
	};

	for (unsigned i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		if (read_number(switches[i].file, -1) == switches[i].off)
			return tw_error_set(
				text, error,
				"the lab needs namespaces, which this system refuses; to allow "
				"them, as root: sysctl -w %s=%s",
				switches[i].name, switches[i].cure);
	}
	if (error == -ENOSPC)
		return tw_error_set(
			text, error,
			"the lab needs namespaces, and all that are allowed are in use: "
			"raise user.max_net_namespaces and its like by sysctl");
	if (error == -EPERM)
		return tw_error_set(
			text, error,
			"the lab needs namespaces, which are refused here (by a container's "
			"or sandbox's rules, or in a chroot): run it as root outside, or give "
			"the container CAP_SYS_ADMIN and no seccomp filter on clone and unshare");
	return tw_error_set(text, error, "the lab needs namespaces, and the kernel says: %s",
			    strerror(-error));
}
