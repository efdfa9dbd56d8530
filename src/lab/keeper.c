/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first process of the lab's pid namespace: the kernel kills all others when it ends, and it
 * ends when the program does (the parent's death signal, and the end of file on its socket where
 * that signal came too early). It lives in the network namespace of the path.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/device.h"
#include "lab/inside.h"
#include "lab/message.h"
#include "lab/netlink.h"
#include "lab/ring.h"

void tw_inside_fail(int socket, int error, const char *what)
{
	struct tw_error text;

	tw_error_set(&text, error, "%s: %s", what, strerror(-error));
	tw_message_send(socket, (struct tw_message){ .kind = TW_MESSAGE_FAILED, .value = error },
			text.text, strlen(text.text), NULL, 0);
}

static int set_up(struct tw_inside *in, const char **what)
{
	int error;

	if (in->with_user) {
		*what = "cannot map the user";
		error = tw_namespace_map_user(in->uid, in->gid);
		if (error)
			return error;
	}
	*what = "cannot have mounts of its own";
	error = tw_namespace_mounts(&in->has_proc);
	/* Its root is no mount point, so that its mounts cannot be parted from those outside. */
	if (error == -EINVAL)
		*what = "a lab's namespaces cannot be made inside a chroot";
	if (error)
		return error;
	/* The path itself speaks no IPv6; where this is refused, a few solicitations are all. */
	(void)tw_device_sysctl("net/ipv6/conf/all/disable_ipv6", "1");
	(void)tw_device_sysctl("net/ipv6/conf/default/disable_ipv6", "1");
	*what = "cannot see its network namespace";
	in->path_ns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	return in->path_ns < 0 ? -errno : 0;
}

/* Binds this process's life to the program's; a later change of credentials would undo it. */
static void bind_life(const struct tw_inside *in)
{
	struct pollfd program = { .fd = in->keeper };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The program may have died before that. */
	if (poll(&program, 1, 0) > 0 && program.revents & POLLHUP)
		_exit(1);
	/* Others of this user may look at its namespaces (tw_host_enter). */
	prctl(PR_SET_DUMPABLE, 1);
}

static int start_hosts(struct tw_inside *in)
{
	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return -errno;
		if (!pid) {
			for (unsigned j = 0; j < TW_HOST_COUNT; j++) {
				if (j != i)
					close(in->host[j]);
			}
			close(in->keeper);
			tw_inhabit(in, i);
		}
		in->pids[i] = pid;
	}
	for (unsigned i = 0; i < TW_HOST_COUNT; i++)
		close(in->host[i]);
	return 0;
}

/* The devices that the hosts put here are set up and opened. */
static int open_path(const struct tw_inside *in)
{
	struct tw_netlink nl = { .fd = -1 };
	int fds[TW_HOST_COUNT] = { -1, -1 };
	int error = tw_netlink_open(&nl);

	for (unsigned i = 0; i < TW_HOST_COUNT && !error; i++) {
		const char *name = tw_host_name(i);
		unsigned ifindex = if_nametoindex(name);

		error = tw_device_clear_offloads(name);
		if (error)
			break;
		/* Before the device is up, so that not even the first frame is missed. */
		fds[i] = tw_ring_socket(ifindex, in->with_gso);
		error = fds[i] < 0 ? fds[i] : tw_netlink_set_up(&nl, ifindex);
	}
	tw_netlink_close(&nl);
	if (error)
		tw_inside_fail(in->keeper, error, "cannot open the path's devices");
	else
		tw_message_send(in->keeper, (struct tw_message){ .kind = TW_MESSAGE_READY }, NULL,
				0, fds, TW_HOST_COUNT);
	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return error;
}

static void count_dropped(const struct tw_inside *in)
{
	struct tw_netlink nl = { .fd = -1 };
	uint64_t total = 0;
	int error = tw_netlink_open(&nl);

	/* Either end of a veth pair counts what it could not hand to the other. */
	for (unsigned i = 0; i < TW_HOST_COUNT && !error; i++) {
		uint64_t frames = 0;

		error = tw_netlink_dropped(&nl, if_nametoindex(tw_host_name(i)), &frames);
		total += frames;
	}
	tw_netlink_close(&nl);
	tw_message_send(in->keeper, (struct tw_message){ .kind = TW_MESSAGE_READY, .value = error },
			&total, sizeof(total), NULL, 0);
}

/* Ends when the program or a host does. */
static void serve(const struct tw_inside *in)
{
	for (;;) {
		struct tw_message message;

		/* Short, since what was adopted and ended has to be reaped between messages. */
		struct pollfd program = { .fd = in->keeper, .events = POLLIN };
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
			if (pid == in->pids[TW_HOST_CLIENT] || pid == in->pids[TW_HOST_SERVER])
				return;
		}
		if (poll(&program, 1, 100) <= 0)
			continue;
		if (tw_message_receive(in->keeper, &message, NULL, 0, NULL, NULL))
			return;
		if (message.kind == TW_MESSAGE_OPEN && open_path(in))
			return;
		if (message.kind == TW_MESSAGE_COUNT)
			count_dropped(in);
	}
}

void tw_keeper_main(struct tw_inside *in)
{
	const char *what = "";
	int error;

	for (unsigned i = 0; i < 1 + TW_HOST_COUNT; i++)
		close(in->outside[i]);
	error = set_up(in, &what);
	bind_life(in);
	if (!error) {
		what = "cannot start the hosts";
		error = start_hosts(in);
	}
	if (error) {
		tw_inside_fail(in->keeper, error, what);
		_exit(1);
	}
	/* Pids mean nothing to commands that see another pid namespace's /proc. */
	tw_message_send(in->keeper,
			(struct tw_message){ .kind = TW_MESSAGE_READY, .value = in->has_proc },
			in->pids, sizeof(in->pids), NULL, 0);
	serve(in);
	_exit(0);
}
