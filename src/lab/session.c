/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/keepsake.h"

enum {
	CHUNKS = 256,      /* of 1 MB: what may wait for the disk */
	TICK = 10000000,   /* ns between looks whether the server listens */
	LISTEN_MOST = 300, /* looks: 3 s */
	QUIET = 250000000, /* ns beyond two round trips: over the least RTO of Linux, 200 ms */
};
static const int64_t linger_most = 10000000000, stop_most = 1000000000; /* ns */

enum { WATCH_SIGNALS = TW_HOST_COUNT, WATCH_COUNT };

struct session {
	const struct tw_session_options *options;
	struct tw_session_result *result;
	struct tw_error *error;
	struct tw_hosts *hosts;
	struct tw_pump *pump;
	struct tw_writer *writer;
	struct tw_capture *captures[TW_PLACE_COUNT];
	struct pollfd watch[WATCH_COUNT]; /* the hosts, the signals */
	pid_t pids[TW_HOST_COUNT];        /* of the commands that run; 0: none */
	int status[TW_HOST_COUNT];
	unsigned signals;
	sigset_t mask;    /* before */
	pid_t foreground; /* the terminal's process group before; -1: no terminal */
};

const char *tw_place_name(unsigned place)
{
	return place == TW_PLACE_PATH ? "path" : tw_host_name(place);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int fail(struct session *s, int error, const char *what)
{
	return tw_error_set(s->error, error, "%s: %s", what, strerror(-error));
}

static int catch_signals(struct session *s)
{
	sigset_t caught;

	s->foreground = tcgetpgrp(STDIN_FILENO);
	sigemptyset(&caught);
	sigaddset(&caught, SIGINT);
	sigaddset(&caught, SIGTERM);
	sigaddset(&caught, SIGHUP);
	sigaddset(&caught, SIGTTOU); /* for the terminal to be taken back from a shell's job */
	sigprocmask(SIG_BLOCK, &caught, &s->mask);
	sigdelset(&caught, SIGTTOU);
	s->watch[WATCH_SIGNALS].fd = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
	s->watch[WATCH_SIGNALS].events = POLLIN;
	return s->watch[WATCH_SIGNALS].fd < 0 ? -errno : 0;
}

static int open_captures(struct session *s)
{
	struct tw_pump_captures shown = { 0 };
	int error = tw_writer_new(&s->writer, CHUNKS);

	for (unsigned i = 0; i < TW_PLACE_COUNT && !error; i++) {
		int fd;

		if (i == TW_PLACE_PATH && !s->options->captures_path)
			continue;
		fd = tw_keepsake_open(s->options->folder);
		if (fd < 0)
			return fd;
		s->result->files[i] = fd;
		error = tw_capture_new(&s->captures[i], s->writer, fd, s->options->snap,
				       tw_pump_offset(s->pump));
	}
	if (error)
		return error;
	memcpy(shown.host, s->captures, sizeof(shown.host));
	shown.path = s->captures[TW_PLACE_PATH];
	tw_pump_show(s->pump, &shown);
	return 0;
}

static int set_up(struct session *s)
{
	struct tw_pump_options pump = { .path = s->options->path, .seed = s->options->seed };
	int error = catch_signals(s);

	if (error)
		return fail(s, error, "cannot wait for signals");
	error = tw_hosts_new(&s->hosts, s->options->with_gso, s->error);
	if (!error)
		error = tw_hosts_path(s->hosts, pump.ends, s->error);
	if (!error)
		error = tw_pump_new(&s->pump, &pump, s->error);
	if (error)
		return error;
	for (unsigned i = 0; i < TW_HOST_COUNT; i++)
		s->watch[i] = (struct pollfd){ .fd = tw_host_fd(s->hosts, i), .events = POLLIN };
	error = open_captures(s);
	return error ? fail(s, error, "cannot capture") : 0;
}

/* What the hosts have to tell. -EPIPE where one is gone. */
static int take_ends(struct session *s)
{
	for (unsigned i = 0; i < TW_HOST_COUNT; i++) {
		pid_t pid;
		int status, more;

		while ((more = tw_host_ended(s->hosts, i, &pid, &status)) > 0) {
			if (pid != s->pids[i])
				continue;
			s->pids[i] = 0;
			s->status[i] = status;
		}
		if (more < 0)
			return tw_error_set(s->error, more, "the lab was ended from outside");
	}
	return 0;
}

/*
 * A signal of the terminal has reached the command as well; any other is handed on to it. The
 * second one ends the lab.
 */
static void take_signals(struct session *s)
{
	struct signalfd_siginfo info;

	while (read(s->watch[WATCH_SIGNALS].fd, &info, sizeof(info)) == sizeof(info)) {
		bool is_from_terminal = info.ssi_code == SI_KERNEL && info.ssi_signo == SIGINT;

		s->signals++;
		if (s->pids[TW_HOST_CLIENT] && !is_from_terminal)
			tw_host_signal(s->hosts, TW_HOST_CLIENT, s->pids[TW_HOST_CLIENT],
				       (int)info.ssi_signo);
	}
}

/* Runs the path until something is to be looked at: an enum tw_pump_stop or a negative errno. */
static int run(struct session *s, int64_t most, int64_t quiet)
{
	const struct tw_pump_until until = {
		.instant = most == INT64_MAX ? INT64_MAX : now_ns() + most,
		.quiet = quiet,
	};
	int stop = tw_pump_run(s->pump, s->watch, WATCH_COUNT, &until);
	int error;

	if (stop < 0)
		return fail(s, stop, "the path broke");
	take_signals(s);
	error = take_ends(s);
	return error ? error : stop;
}

/* "ended with status 1", "was ended by signal 15 (Terminated)" */
static void describe_end(int status, char *text, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(text, size, "was ended by signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else
		snprintf(text, size, "ended with status %d", WEXITSTATUS(status));
}

/* A command that is not the terminal's: without its input, and with the output it was given. */
static int start(struct session *s, enum tw_host host, char *const *command, bool is_apart)
{
	const int *outputs = s->options->outputs;
	int stdio[3] = { open("/dev/null", O_RDONLY | O_CLOEXEC),
			 outputs ? outputs[host] : STDOUT_FILENO, STDERR_FILENO };
	int error = stdio[0] < 0 ? -errno :
		    tw_host_start(s->hosts, host, command, stdio, is_apart, &s->pids[host]);

	if (stdio[0] >= 0)
		close(stdio[0]);
	return error;
}

static int start_server(struct session *s)
{
	bool is_listening = false;
	char how[96];
	int error = start(s, TW_HOST_SERVER, s->options->server, true);

	if (error)
		return fail(s, error, "cannot start the server");
	for (unsigned i = 0; i < LISTEN_MOST && !s->signals; i++) {
		int stop = run(s, TICK, INT64_MAX);

		if (stop < 0)
			return stop;
		error = tw_host_is_listening(s->hosts, TW_HOST_SERVER, &is_listening);
		if (error)
			return fail(s, error, "the server's host is gone");
		if (is_listening)
			return 0;
		if (!s->pids[TW_HOST_SERVER]) {
			describe_end(s->status[TW_HOST_SERVER], how, sizeof(how));
			return tw_error_set(s->error, -ECHILD, "the server %s before it listened",
					    how);
		}
	}
	s->options->notify("the server does not listen yet; going on without waiting longer");
	return 0;
}

static int run_command(struct session *s)
{
	bool had_server = s->pids[TW_HOST_SERVER] != 0;
	int64_t began = now_ns();
	int error = s->options->outputs ?
		start(s, TW_HOST_CLIENT, s->options->command, false) :
		tw_host_start(s->hosts, TW_HOST_CLIENT, s->options->command, NULL, false,
			      &s->pids[TW_HOST_CLIENT]);

	if (error)
		return fail(s, error, "cannot start the command");
	while (s->pids[TW_HOST_CLIENT] && s->signals < 2) {
		int stop = run(s, INT64_MAX, INT64_MAX);

		if (stop < 0)
			return stop;
		if (had_server && !s->pids[TW_HOST_SERVER] && s->status[TW_HOST_SERVER]) {
			char how[96], line[160];

			describe_end(s->status[TW_HOST_SERVER], how, sizeof(how));
			snprintf(line, sizeof(line), "the server %s", how);
			s->options->notify(line);
		}
		had_server = s->pids[TW_HOST_SERVER] != 0;
	}
	s->result->seconds = (double)(now_ns() - began) / 1e9;
	s->result->is_interrupted = s->pids[TW_HOST_CLIENT] != 0;
	s->result->status = s->status[TW_HOST_CLIENT];
	/* A shell with job control leaves the terminal to a process group that is no more. */
	if (s->foreground > 0 && s->foreground == getpgrp())
		tcsetpgrp(STDIN_FILENO, s->foreground);
	return 0;
}

/* Until nothing is under way any more: programs end before all that they wrote is sent. */
static int linger(struct session *s)
{
	unsigned signals = s->signals;
	int64_t end = now_ns() + linger_most;

	while (now_ns() < end && s->signals == signals) {
		int stop = run(s, end - now_ns(), QUIET + 2 * tw_pump_round_trip(s->pump));

		if (stop < 0 || stop == TW_PUMP_QUIET)
			return stop < 0 ? stop : 0;
	}
	s->result->is_cut = true;
	return 0;
}

/* The server hears of the end, so that it can close what it has open. */
static int stop_server(struct session *s)
{
	int64_t end = now_ns() + stop_most;

	if (!s->pids[TW_HOST_SERVER])
		return 0;
	tw_host_signal(s->hosts, TW_HOST_SERVER, -s->pids[TW_HOST_SERVER], SIGTERM);
	while (s->pids[TW_HOST_SERVER] && now_ns() < end) {
		int stop = run(s, end - now_ns(), INT64_MAX);

		if (stop < 0)
			return stop;
	}
	return run(s, stop_most, QUIET / 10 + tw_pump_round_trip(s->pump)) < 0 ? -EPIPE : 0;
}

/* What the run comes to; the captures are complete after it. */
static void conclude(struct session *s)
{
	struct tw_session_result *result = s->result;

	if (s->pump) {
		for (unsigned i = 0; i < TW_HOST_COUNT; i++)
			tw_pump_figures(s->pump, i, &result->ways[i]);
		result->is_real_time = tw_pump_is_real_time(s->pump);
		tw_hosts_dropped(s->hosts, &result->dropped);
	}
	tw_pump_free(s->pump);
	for (unsigned i = 0; i < TW_PLACE_COUNT; i++) {
		if (s->captures[i])
			tw_capture_finish(s->captures[i]);
	}
	tw_writer_free(s->writer);
	for (unsigned i = 0; i < TW_PLACE_COUNT; i++) {
		if (s->captures[i])
			tw_capture_figures(s->captures[i], &result->captures[i]);
		tw_capture_free(s->captures[i]);
	}
	tw_hosts_free(s->hosts);
	if (s->watch[WATCH_SIGNALS].fd >= 0)
		close(s->watch[WATCH_SIGNALS].fd);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

int tw_session_run(const struct tw_session_options *options, struct tw_session_result *result,
		   struct tw_error *error)
{
	struct session s = { .options = options, .result = result, .error = error };
	int failed;

	*result = (struct tw_session_result){ .files = { -1, -1, -1 } };
	s.watch[WATCH_SIGNALS].fd = -1;
	failed = set_up(&s);
	if (!failed && options->server)
		failed = start_server(&s);
	if (!failed)
		failed = run_command(&s);
	if (!failed && !result->is_interrupted) {
		failed = linger(&s);
		if (!failed)
			failed = stop_server(&s);
	}
	conclude(&s);
	return failed;
}

void tw_session_release(struct tw_session_result *result)
{
	for (unsigned i = 0; i < TW_PLACE_COUNT; i++) {
		if (result->files[i] >= 0)
			close(result->files[i]);
		result->files[i] = -1;
	}
}
