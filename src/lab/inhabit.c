/* SPDX-License-Identifier: BSD-2-Clause */
/* A host of the lab, from inside: sets up its network, starts commands, tells of their end. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/device.h"
#include "lab/inside.h"
#include "lab/message.h"
#include "lab/netlink.h"

enum { MTU = 1500, PREFIX_4 = 24, PREFIX_6 = 64, WORDS_MAX = 4096 };

static const char device[] = "eth0";

/* Locally administered; the same in every lab, so that captures of two runs compare. */
static const uint8_t host_mac[TW_HOST_COUNT][6] = { { 2, 0, 0, 0, 0, 1 }, { 2, 0, 0, 0, 0, 2 } };
static const uint8_t path_mac[TW_HOST_COUNT][6] = { { 2, 0, 0, 0, 1, 1 }, { 2, 0, 0, 0, 1, 2 } };

/* Both addresses of `host`, as ours or as a neighbour's. */
static int add_addresses(struct tw_netlink *nl, unsigned ifindex, enum tw_host host, bool is_ours)
{
	static const int families[] = { AF_INET, AF_INET6 };

	for (unsigned i = 0; i < 2; i++) {
		bool is_ipv6 = families[i] == AF_INET6;
		uint8_t address[16];
		int error;

		inet_pton(families[i], tw_host_address(host, is_ipv6), address);
		if (is_ours)
			error = tw_netlink_add_address(nl, ifindex, families[i], address,
						       is_ipv6 ? PREFIX_6 : PREFIX_4);
		else
			error = tw_netlink_add_neighbour(nl, ifindex, families[i], address,
							 host_mac[host]);
		/* A kernel without IPv6 still has a lab. */
		if (error && !(is_ipv6 && (error == -EOPNOTSUPP || error == -EAFNOSUPPORT ||
					   error == -EACCES)))
			return error;
	}
	return 0;
}

static int set_up_network(const struct tw_inside *in, enum tw_host host, struct tw_netlink *nl,
			  const char **what)
{
	const struct tw_veth veth = {
		.name = device,
		.mac = host_mac[host],
		.peer = tw_host_name(host),
		.peer_mac = path_mac[host],
		.peer_ns = in->path_ns,
		.mtu = MTU,
	};
	unsigned ifindex;
	int error;

	error = tw_netlink_set_up(nl, if_nametoindex("lo"));
	if (error)
		return error;
	error = tw_netlink_add_veth(nl, &veth);
	if (error) {
		*what = "cannot make a pair of devices (kernel module veth)";
		return error;
	}
	ifindex = if_nametoindex(device);
	if (in->with_gso) {
		error = tw_device_keep_tso(device);
		if (error) {
			*what = "cannot leave segmentation to the host's device";
			return error;
		}
	} else {
		error = tw_device_clear_offloads(device);
	}
	if (!error)
		error = tw_netlink_set_up(nl, ifindex);
	if (!error)
		error = add_addresses(nl, ifindex, host, true);
	if (!error)
		error = add_addresses(nl, ifindex, !host, false);
	return error;
}

static int set_up(const struct tw_inside *in, enum tw_host host, const char **what)
{
	struct tw_netlink nl = { .fd = -1 };
	char range[32];
	int error;

	*what = "cannot have a network namespace";
	if (unshare(CLONE_NEWNET | CLONE_NEWUTS))
		return -errno;
	*what = "cannot set the host's name";
	if (sethostname(tw_host_name(host), strlen(tw_host_name(host))))
		return -errno;
	/* Nobody routes here, so nobody need be asked. May be refused: see tw_netlink_set_up. */
	(void)tw_device_sysctl("net/ipv6/conf/default/accept_ra", "0");
	(void)tw_device_sysctl("net/ipv6/conf/default/router_solicitations", "0");
	/* Ping without privileges: for all groups that there are in here. */
	snprintf(range, sizeof(range), "%u %u", in->with_user ? in->gid : 0,
		 in->with_user ? in->gid : INT32_MAX);
	(void)tw_device_sysctl("net/ipv4/ping_group_range", range);
	*what = "cannot set up the host's network";
	error = tw_netlink_open(&nl);
	if (!error)
		error = set_up_network(in, host, &nl, what);
	tw_netlink_close(&nl);
	return error;
}

/* The words of a message, which are NUL-terminated one after the other. */
static char **split(char *bytes, size_t n)
{
	static char *words[WORDS_MAX + 1];
	unsigned count = 0;

	for (size_t i = 0; i < n && count < WORDS_MAX; i += strlen(bytes + i) + 1)
		words[count++] = bytes + i;
	words[count] = NULL;
	return words;
}

/* words[0] is for the environment (TW_LAB_PIDS), the others are the command. */
static void become(char **words, const int *stdio, unsigned n_stdio, bool is_apart)
	__attribute__((noreturn));

static void become(char **words, const int *stdio, unsigned n_stdio, bool is_apart)
{
	sigset_t none;

	if (is_apart)
		setsid();
	for (unsigned i = 0; i < n_stdio; i++)
		dup2(stdio[i], (int)i);
	if (*words[0])
		setenv(TW_LAB_PIDS, words[0], 1);
	words++;
	if (getuid())
		(void)tw_namespace_keep_capabilities();
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(words[0], words);
	dprintf(STDERR_FILENO, "tcpwhy: %s: %s\n", words[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void start(int socket, const struct tw_message *message, char *bytes, const int *fds,
		  unsigned n_fds)
{
	struct tw_message reply = { .kind = TW_MESSAGE_STARTED };
	char **words = split(bytes, message->n);
	pid_t pid;

	errno = EINVAL;
	pid = words[0] && words[1] ? fork() : -1;
	if (!pid)
		become(words, fds, n_fds, message->value);
	reply.pid = pid;
	reply.value = pid < 0 ? -errno : 0;
	tw_message_send(socket, reply, NULL, 0, NULL, 0);
}

/*
 * Whether /proc/net/`file` has a socket in `state`: TCP_LISTEN, or TCP_CLOSE, which a bound UDP
 * socket without a peer is in (net/tcp_states.h). The lines are those of proc_pid_net(5).
 */
static bool has_socket(const char *file, unsigned state)
{
	char path[64], line[512];
	bool is_there = false;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/self/net/%s", file);
	in = fopen(path, "re");
	if (!in)
		return false;
	while (!is_there && fgets(line, sizeof(line), in)) {
		unsigned its;

		is_there = sscanf(line, " %*d: %*s %*s %x", &its) == 1 && its == state;
	}
	fclose(in);
	return is_there;
}

static bool is_listening(void)
{
	enum { CLOSE = 7, LISTEN = 10 };

	return has_socket("tcp", LISTEN) || has_socket("tcp6", LISTEN) ||
	       has_socket("udp", CLOSE) || has_socket("udp6", CLOSE);
}

static void reap(int socket)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		tw_message_send(socket,
				(struct tw_message){
					.kind = TW_MESSAGE_ENDED, .pid = pid, .value = status },
				NULL, 0, NULL, 0);
}

/* One message of the program; ends with the program. */
static void serve(int socket)
{
	static char bytes[TW_MESSAGE_MAX + 1];
	int fds[TW_MESSAGE_FDS];
	unsigned n_fds = 0;
	struct tw_message message, reply = { 0 };

	if (tw_message_receive(socket, &message, bytes, sizeof(bytes), fds, &n_fds))
		_exit(0);
	switch (message.kind) {
	case TW_MESSAGE_START: start(socket, &message, bytes, fds, n_fds); break;
	case TW_MESSAGE_SIGNAL: kill(message.pid, message.value); break;
	case TW_MESSAGE_LISTENING:
		reply.kind = TW_MESSAGE_LISTENING;
		reply.value = is_listening();
		tw_message_send(socket, reply, NULL, 0, NULL, 0);
		break;
	default: break;
	}
	for (unsigned i = 0; i < n_fds; i++)
		close(fds[i]);
}

void tw_inhabit(struct tw_inside *in, enum tw_host host)
{
	int socket = in->host[host], children;
	const char *what = "";
	sigset_t all;
	int error;

	/* The terminal's signals are for the commands; each gets its own mask back. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	error = set_up(in, host, &what);
	prctl(PR_SET_DUMPABLE, 1); /* as the keeper is */
	children = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	if (!error && children < 0)
		error = -errno;
	close(in->path_ns);
	if (error) {
		tw_inside_fail(socket, error, what);
		_exit(1);
	}
	tw_message_send(socket, (struct tw_message){ .kind = TW_MESSAGE_READY }, NULL, 0, NULL, 0);
	for (;;) {
		struct pollfd ready[2] = { { .fd = socket, .events = POLLIN },
					   { .fd = children, .events = POLLIN } };
		struct signalfd_siginfo info;

		if (poll(ready, 2, -1) < 0)
			continue;
		while (read(children, &info, sizeof(info)) > 0)
			continue;
		reap(socket);
		if (ready[0].revents)
			serve(socket);
	}
}
