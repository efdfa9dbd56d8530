/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two hosts say to each other, by pattern. */
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "lab/traffic_parts.h"

struct talk {
	const struct tw_traffic_host *host; /* this one */
	struct tw_traffic_result *result;
	struct tw_mover mover;
	int64_t start;
	int64_t ended; /* when the last byte was acknowledged or read */
	struct tw_error *err;
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int say(struct talk *talk, int error, const char *doing)
{
	const struct tw_traffic_moved *moved = &talk->mover.moved;
	const char *why = error == -ETIMEDOUT ? "the limit of time is reached" :
			  error == -ENODATA   ? "the other host ended the connection" :
						strerror(-error);

	return tw_error_set(talk->err, error,
			    "%s: %s after %" PRId64 " bytes sent and %" PRId64 " received", doing,
			    why, moved->sent, moved->received);
}

/* The traffic is over: what the kernel tells now is of it alone. */
static void mark_end(struct talk *talk, int64_t instant)
{
	talk->ended = later(instant, talk->mover.moved.last_read);
	if (!talk->ended) /* nothing was to be received */
		talk->ended = tw_traffic_now();
	tw_tcpinfo_take(&talk->result->info, talk->mover.fd);
}

/* Writes a whole stream, ends it, and waits until it is acknowledged. */
static int write_stream(struct tw_mover *mover, int64_t *acknowledged)
{
	int ret = tw_mover_write(mover, mover->host->bytes, 0, mover->host->write);

	if (!ret && shutdown(mover->fd, SHUT_WR))
		ret = -errno;
	return ret ? ret : tw_mover_drain(mover, true, acknowledged);
}

static int read_end(struct talk *talk)
{
	int ret = tw_mover_read(&talk->mover, 1);

	if (!ret)
		return tw_error_set(talk->err, -EBADMSG,
				    "the other host sent more than it should: do both have the "
				    "same words?");
	return ret == -ENODATA ? 0 : say(talk, ret, "waiting for the end");
}

static int send_all(struct talk *talk)
{
	int64_t acknowledged;
	int ret = write_stream(&talk->mover, &acknowledged);

	if (ret)
		return say(talk, ret, "sending");
	mark_end(talk, acknowledged);
	return read_end(talk);
}

static int receive_all(struct talk *talk)
{
	int ret = tw_mover_read(&talk->mover, talk->host->bytes);

	if (ret)
		return say(talk, ret, "receiving");
	mark_end(talk, talk->mover.moved.last_read);
	return read_end(talk);
}

struct writer {
	struct tw_mover mover;
	int64_t acknowledged;
	int error;
};

static void *write_apart(void *argument)
{
	struct writer *writer = argument;

	writer->error = write_stream(&writer->mover, &writer->acknowledged);
	if (writer->error) /* so that the reader does not wait for an answer to nothing */
		shutdown(writer->mover.fd, SHUT_RDWR);
	return NULL;
}

/* Both ways at once: a thread writes, this one reads. */
static int exchange(struct talk *talk)
{
	struct writer writer = { 0 };
	struct tw_traffic_moved *moved = &talk->mover.moved;
	pthread_t thread;
	int ret = tw_mover_init(&writer.mover, talk->mover.fd, talk->host, talk->mover.deadline);

	writer.mover.sampler = talk->mover.sampler;
	if (!ret) {
		ret = -pthread_create(&thread, NULL, write_apart, &writer);
		if (ret)
			tw_mover_release(&writer.mover);
	}
	if (ret)
		return say(talk, ret, "starting to write");
	ret = tw_mover_read(&talk->mover, talk->host->bytes);
	if (ret && ret != -ENODATA) /* nor the writer for a reader that is gone */
		shutdown(talk->mover.fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	tw_mover_release(&writer.mover);
	moved->sent = writer.mover.moved.sent;
	moved->writes = writer.mover.moved.writes;
	moved->in_write = writer.mover.moved.in_write;
	moved->last_write = writer.mover.moved.last_write;
	if (writer.error && (!ret || ret == -ENODATA))
		return say(talk, writer.error, "sending");
	if (ret)
		return say(talk, ret, "receiving");
	mark_end(talk, writer.acknowledged);
	return read_end(talk);
}

static int run_bulk(struct talk *talk)
{
	int64_t dir = talk->host->dir;

	if (dir == TW_DIR_BOTH)
		return exchange(talk);
	return (dir == TW_DIR_DOWN) == talk->result->is_server ? send_all(talk) : receive_all(talk);
}

/* A request, or a reply. */
static int write_message(struct talk *talk, int64_t bytes, int64_t head, int64_t writes)
{
	int64_t equal = writes ? writes : head ? 2 : 1, rest = bytes;

	if (head) {
		equal = equal > 1 ? equal - 1 : 1;
		rest -= head;
	}
	return tw_mover_write(&talk->mover, bytes, head, (rest + equal - 1) / equal);
}

static int write_request(struct talk *talk)
{
	return write_message(talk, talk->host->request, talk->host->request_head,
			     talk->host->request_writes);
}

static int think(struct talk *talk, int64_t ns)
{
	return ns ? tw_traffic_sleep_until(tw_traffic_now() + ns, talk->mover.deadline) : 0;
}

static int run_pull(struct talk *talk)
{
	int ret;

	if (!talk->result->is_server) {
		ret = write_request(talk);
		return ret ? say(talk, ret, "requesting") : receive_all(talk);
	}
	ret = tw_mover_read(&talk->mover, talk->host->request);
	if (!ret)
		ret = think(talk, talk->host->think);
	return ret ? say(talk, ret, "waiting for the request") : send_all(talk);
}

static int request(struct talk *talk)
{
	struct tw_traffic_result *result = talk->result;
	int ret = 0;

	result->trips = malloc((size_t)talk->host->count * sizeof(*result->trips));
	if (!result->trips)
		return say(talk, -ENOMEM, "starting");
	while (!ret && result->n_trips < talk->host->count) {
		int64_t begin;

		if (result->n_trips)
			ret = think(talk, talk->host->gap);
		begin = tw_traffic_now();
		if (!ret)
			ret = write_request(talk);
		if (!ret)
			ret = tw_mover_read(&talk->mover, talk->host->reply);
		if (!ret)
			result->trips[result->n_trips++] = talk->mover.moved.last_read - begin;
	}
	if (ret)
		return say(talk, ret, "requesting");
	mark_end(talk, 0);
	if (shutdown(talk->mover.fd, SHUT_WR))
		return say(talk, -errno, "ending");
	return read_end(talk);
}

static int answer(struct talk *talk)
{
	const struct tw_traffic_host *host = talk->host;
	int64_t acknowledged;
	int ret = 0;

	while (!ret && talk->result->n_trips < host->count) {
		ret = tw_mover_read(&talk->mover, host->request);
		if (!ret)
			ret = think(talk, host->think);
		if (!ret)
			ret = write_message(talk, host->reply, host->reply_head,
					    host->reply_writes);
		if (!ret)
			talk->result->n_trips++;
	}
	if (!ret)
		ret = tw_mover_drain(&talk->mover, false, &acknowledged);
	if (ret)
		return say(talk, ret, "answering");
	mark_end(talk, acknowledged);
	return read_end(talk);
}

static int run(struct talk *talk)
{
	switch (talk->host->pattern) {
	case TW_PATTERN_PULL: return run_pull(talk);
	case TW_PATTERN_REQUEST: return talk->result->is_server ? answer(talk) : request(talk);
	default: return run_bulk(talk);
	}
}

static void name_end(int fd, int (*get)(int, struct sockaddr *, socklen_t *), char *out,
		     size_t size)
{
	static const char mapped[] = "::ffff:"; /* IPv4 on a socket for both, RFC 4291 2.5.5.2 */
	struct sockaddr_storage address;
	socklen_t n = sizeof(address);
	char host[INET6_ADDRSTRLEN + 16], port[8]; /* with a scope */

	if (get(fd, (struct sockaddr *)&address, &n) ||
	    getnameinfo((struct sockaddr *)&address, n, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	if (!strncmp(host, mapped, strlen(mapped)) && strchr(host, '.'))
		snprintf(out, size, "%s:%s", host + strlen(mapped), port);
	else
		snprintf(out, size, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

static int local_name(int fd, struct sockaddr *address, socklen_t *n)
{
	return getsockname(fd, address, n);
}

static int remote_name(int fd, struct sockaddr *address, socklen_t *n)
{
	return getpeername(fd, address, n);
}

/* The instants of this process, as a capture has them. */
static void set_times(struct talk *talk, bool has_failed)
{
	struct tw_traffic_result *result = talk->result;
	int64_t now = tw_traffic_now();
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	result->started = real.tv_sec * INT64_C(1000000000) + real.tv_nsec - (now - talk->start);
	result->duration = (has_failed ? now : talk->ended) - talk->start;
	result->ended = result->started + result->duration;
	if (talk->mover.moved.first_read)
		result->first_byte = talk->mover.moved.first_read - talk->start;
}

int tw_traffic_talk(int fd, const struct tw_traffic *traffic,
		    const struct tw_traffic_options *options, int64_t start, int64_t deadline,
		    struct tw_traffic_result *result, struct tw_error *err)
{
	struct talk talk = {
		.host = result->is_server ? &traffic->server : &traffic->client,
		.result = result,
		.start = start,
		.err = err,
	};
	int ret = tw_traffic_set_connected(fd, talk.host, err);

	if (ret)
		return ret;
	prctl(PR_SET_TIMERSLACK, 1UL); /* pauses of microseconds are what they say */
	name_end(fd, local_name, result->local, sizeof(result->local));
	name_end(fd, remote_name, result->remote, sizeof(result->remote));
	ret = tw_mover_init(&talk.mover, fd, talk.host, deadline);
	if (!ret) {
		ret = tw_sampler_new(&result->sampler, fd, start, deadline, options->with_samples);
		if (ret)
			tw_mover_release(&talk.mover);
	}
	if (ret)
		return say(&talk, ret, "starting");
	talk.mover.sampler = result->sampler;
	result->is_connected = true;
	ret = run(&talk);
	if (ret)
		mark_end(&talk, tw_traffic_now());
	set_times(&talk, ret);
	tw_sampler_stop(result->sampler);
	result->moved = talk.mover.moved;
	result->is_complete = !ret;
	tw_mover_release(&talk.mover);
	return ret;
}
