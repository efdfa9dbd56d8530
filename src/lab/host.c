/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"
#include "lab/inside.h"
#include "lab/message.h"

enum { ENDED_MAX = 4096 };

struct ended {
	pid_t pid;
	int status;
};

struct tw_hosts {
	pid_t keeper_pid; /* as seen from here */
	int keeper;       /* sockets; see message.h */
	int host[TW_HOST_COUNT];
	struct tw_vec ended[TW_HOST_COUNT]; /* struct ended, not yet told */
	char pids[64]; /* for the environment of commands; "-" where /proc does not show them */
};

const char *tw_host_name(enum tw_host host)
{
	return host == TW_HOST_CLIENT ? "client" : "server";
}

const char *tw_host_address(enum tw_host host, bool is_ipv6)
{
	static const char *const addresses[TW_HOST_COUNT][2] = {
		{ "192.0.2.1", "2001:db8::1" },
		{ "192.0.2.2", "2001:db8::2" },
	};

	return addresses[host][is_ipv6];
}

/*
 * Forks with clone flags, on a copy of this stack: the C library has a call only for a new one,
 * which sanitizers take for an accident.
 */
static pid_t fork_into(unsigned long flags)
{
#ifdef __s390__
	return (pid_t)syscall(SYS_clone, NULL, flags | SIGCHLD, NULL, NULL, NULL);
#else
	return (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
#endif
}

/* The keeper in its namespaces; root needs none for users, and so keeps all powers. */
static pid_t clone_keeper(struct tw_inside *inside)
{
	const unsigned long flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS;
	pid_t pid = fork_into(flags);

	inside->with_user = pid < 0 && errno == EPERM;
	if (inside->with_user)
		pid = fork_into(flags | CLONE_NEWUSER);
	if (!pid)
		tw_keeper_main(inside);
	return pid < 0 ? -errno : pid;
}

/* Waits until what is at the other end of `socket` is set up, or says why it is not. */
static int await_ready(int socket, struct tw_message *message, void *bytes, size_t room,
		       struct tw_error *error)
{
	int result = tw_message_receive(socket, message, bytes, room, NULL, NULL);

	if (result)
		return tw_error_set(error, result, "the lab ended while it was set up");
	if (message->kind == TW_MESSAGE_READY)
		return 0;
	/* Capabilities that are there but powerless (AppArmor) show only now. */
	if (message->value == -EPERM || message->value == -ENOSPC)
		return tw_namespace_explain(message->value, error);
	return tw_error_set(error, message->value, "%s", (char *)bytes);
}

static int set_up(struct tw_hosts *hosts, struct tw_error *error)
{
	char bytes[512] = "";
	pid_t pids[TW_HOST_COUNT];
	struct tw_message message;
	int result = await_ready(hosts->keeper, &message, bytes, sizeof(bytes), error);

	if (result)
		return result;
	memcpy(pids, bytes, sizeof(pids));
	snprintf(hosts->pids, sizeof(hosts->pids), "-");
	if (message.value)
		snprintf(hosts->pids, sizeof(hosts->pids), "%d %d", pids[TW_HOST_CLIENT],
			 pids[TW_HOST_SERVER]);
	for (unsigned i = 0; i < TW_HOST_COUNT && !result; i++)
		result = await_ready(hosts->host[i], &message, bytes, sizeof(bytes), error);
	return result;
}

static int open_sockets(struct tw_hosts *hosts, struct tw_inside *inside)
{
	int *const ours[] = { &hosts->keeper, &hosts->host[0], &hosts->host[1] };
	int *const theirs[] = { &inside->keeper, &inside->host[0], &inside->host[1] };

	for (unsigned i = 0; i < 1 + TW_HOST_COUNT; i++) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
			return -errno;
		*ours[i] = inside->outside[i] = pair[0];
		*theirs[i] = pair[1];
	}
	return 0;
}

int tw_hosts_new(struct tw_hosts **out, bool with_gso, struct tw_error *error)
{
	struct tw_inside inside = {
		.keeper = -1,
		.host = { -1, -1 },
		.with_gso = with_gso,
		.uid = geteuid(),
		.gid = getegid(),
	};
	struct tw_hosts *hosts = calloc(1, sizeof(*hosts));
	int result;

	if (!hosts)
		return tw_error_set(error, -ENOMEM, "%s", strerror(ENOMEM));
	hosts->keeper = -1;
	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		hosts->host[i] = -1;
		tw_vec_init(&hosts->ended[i], sizeof(struct ended), ENDED_MAX);
	}
	result = open_sockets(hosts, &inside);
	if (!result) {
		fflush(NULL); /* what is buffered is not to be written by two */
		hosts->keeper_pid = clone_keeper(&inside);
		if (hosts->keeper_pid < 0)
			result = tw_namespace_explain(hosts->keeper_pid, error);
	} else {
		tw_error_set(error, result, "cannot open sockets: %s", strerror(-result));
	}
	if (inside.keeper >= 0)
		close(inside.keeper);
	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		if (inside.host[i] >= 0)
			close(inside.host[i]);
	}
	if (!result)
		result = set_up(hosts, error);
	if (result)
		tw_hosts_free(hosts);
	else
		*out = hosts;
	return result;
}

void tw_hosts_free(struct tw_hosts *hosts)
{
	if (!hosts)
		return;
	if (hosts->keeper_pid > 0) {
		kill(hosts->keeper_pid, SIGKILL);
		/* The kernel reaps it only after all others of its pid namespace. */
		while (waitpid(hosts->keeper_pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	if (hosts->keeper >= 0)
		close(hosts->keeper);
	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		if (hosts->host[i] >= 0)
			close(hosts->host[i]);
		tw_vec_release(&hosts->ended[i]);
	}
	free(hosts);
}

int tw_hosts_path(struct tw_hosts *hosts, int fds[TW_HOST_COUNT], struct tw_error *error)
{
	int got[TW_MESSAGE_FDS];
	unsigned n = 0;
	struct tw_message message = { .kind = TW_MESSAGE_OPEN };
	char bytes[512] = "";
	int result = tw_message_send(hosts->keeper, message, NULL, 0, NULL, 0);

	if (!result)
		result = tw_message_receive(hosts->keeper, &message, bytes, sizeof(bytes), got, &n);
	if (!result && message.kind == TW_MESSAGE_FAILED)
		return tw_error_set(error, message.value, "%s", bytes);
	if (!result && n == TW_HOST_COUNT) {
		memcpy(fds, got, sizeof(int) * TW_HOST_COUNT);
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		close(got[i]);
	return tw_error_set(error, result ? result : -EBADMSG, "the lab ended while it was set up");
}

static void note_end(struct tw_hosts *hosts, enum tw_host host, const struct tw_message *message)
{
	struct ended *ended = tw_vec_push(&hosts->ended[host]);

	if (ended)
		*ended = (struct ended){ message->pid, message->value };
}

/* Sends a request and waits for the answer `kind`; ends of commands that come between are kept. */
static int ask(struct tw_hosts *hosts, enum tw_host host, struct tw_message request,
	       const void *bytes, size_t n, const int *fds, unsigned n_fds,
	       struct tw_message *answer)
{
	uint32_t kind = request.kind == TW_MESSAGE_START ? TW_MESSAGE_STARTED : request.kind;
	int error = tw_message_send(hosts->host[host], request, bytes, n, fds, n_fds);

	while (!error) {
		error = tw_message_receive(hosts->host[host], answer, NULL, 0, NULL, NULL);
		if (!error && answer->kind == kind)
			return 0;
		if (!error && answer->kind == TW_MESSAGE_ENDED)
			note_end(hosts, host, answer);
	}
	return error;
}

/* Appends a word with its NUL; -E2BIG where there is no room. */
static int append(char *bytes, size_t *n, const char *word)
{
	size_t length = strlen(word) + 1;

	if (*n + length > TW_MESSAGE_MAX)
		return -E2BIG;
	memcpy(bytes + *n, word, length);
	*n += length;
	return 0;
}

int tw_host_start(struct tw_hosts *hosts, enum tw_host host, char *const words[], const int *stdio,
		  bool is_apart, pid_t *pid)
{
	const struct tw_message request = { .kind = TW_MESSAGE_START, .value = is_apart };
	struct tw_message answer;
	char *bytes = malloc(TW_MESSAGE_MAX);
	size_t n = 0;
	int error;

	if (!bytes)
		return -ENOMEM;
	error = append(bytes, &n, hosts->pids);
	for (; *words && !error; words++)
		error = append(bytes, &n, *words);
	if (!error)
		error = ask(hosts, host, request, bytes, n, stdio, stdio ? 3 : 0, &answer);
	free(bytes);
	if (!error)
		error = answer.value;
	if (!error)
		*pid = answer.pid;
	return error;
}

int tw_host_signal(struct tw_hosts *hosts, enum tw_host host, pid_t pid, int signal_number)
{
	const struct tw_message request = {
		.kind = TW_MESSAGE_SIGNAL,
		.pid = pid,
		.value = signal_number,
	};

	return tw_message_send(hosts->host[host], request, NULL, 0, NULL, 0);
}

int tw_host_is_listening(struct tw_hosts *hosts, enum tw_host host, bool *is_listening)
{
	const struct tw_message request = { .kind = TW_MESSAGE_LISTENING };
	struct tw_message answer;
	int error = ask(hosts, host, request, NULL, 0, NULL, 0, &answer);

	if (!error)
		*is_listening = answer.value;
	return error;
}

int tw_host_fd(const struct tw_hosts *hosts, enum tw_host host)
{
	return hosts->host[host];
}

int tw_host_ended(struct tw_hosts *hosts, enum tw_host host, pid_t *pid, int *status)
{
	struct tw_vec *ended = &hosts->ended[host];
	struct pollfd ready = { .fd = hosts->host[host], .events = POLLIN };

	while (!ended->n && poll(&ready, 1, 0) > 0) {
		struct tw_message message;
		int error = tw_message_receive(ready.fd, &message, NULL, 0, NULL, NULL);

		if (error)
			return error;
		if (message.kind == TW_MESSAGE_ENDED)
			note_end(hosts, host, &message);
	}
	if (!ended->n)
		return 0;
	*pid = ((struct ended *)tw_vec_at(ended, 0))->pid;
	*status = ((struct ended *)tw_vec_at(ended, 0))->status;
	tw_vec_drop_front(ended, 1);
	return 1;
}

int tw_hosts_dropped(struct tw_hosts *hosts, uint64_t *frames)
{
	struct tw_message message = { .kind = TW_MESSAGE_COUNT };
	int error = tw_message_send(hosts->keeper, message, NULL, 0, NULL, 0);

	if (!error)
		error = tw_message_receive(hosts->keeper, &message, frames, sizeof(*frames), NULL,
					   NULL);
	return error ? error : message.value;
}

int tw_host_enter(enum tw_host host, struct tw_error *error)
{
	static const struct {
		const char *name;
		int kind;
	} spaces[] = { { "net", CLONE_NEWNET }, { "uts", CLONE_NEWUTS } };
	const char *text = getenv(TW_LAB_PIDS);
	int pids[TW_HOST_COUNT];

	if (!text)
		return tw_error_set(error, -ENOENT,
				    "this is no shell of a lab: 'tcpwhy lab' starts one");
	if (sscanf(text, "%d %d", &pids[TW_HOST_CLIENT], &pids[TW_HOST_SERVER]) != 2)
		return tw_error_set(
			error, -ENOENT,
			"a lab within this container cannot show its hosts in /proc; the "
			"server's command can be given as --server");
	for (unsigned i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		char path[64];
		int fd, result = 0;

		snprintf(path, sizeof(path), "/proc/%d/ns/%s", pids[host], spaces[i].name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || setns(fd, spaces[i].kind))
			result = -errno;
		if (fd >= 0)
			close(fd);
		if (result)
			return tw_error_set(error, result, "cannot enter %s: %s",
					    tw_host_name(host), strerror(-result));
	}
	return 0;
}
