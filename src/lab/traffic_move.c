/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include "lab/random.h"
#include "lab/traffic_parts.h"

enum {
	USUAL = 64 << 10, /* bytes per write and read where nothing is said */
	STATE_CLOSE = 7,  /* TCP_CLOSE of include/net/tcp_states.h */
};

int64_t tw_traffic_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

struct timespec tw_traffic_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

int tw_traffic_sleep_until(int64_t instant, int64_t deadline)
{
	bool is_late = instant > deadline;
	struct timespec t = tw_traffic_timespec(is_late ? deadline : instant);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
	return is_late ? -ETIMEDOUT : 0;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int tw_mover_init(struct tw_mover *mover, int fd, const struct tw_traffic_host *host,
		  int64_t deadline)
{
	size_t n = (size_t)larger(USUAL, larger(host->write, host->read));
	uint64_t *words;

	if (host->pattern != TW_PATTERN_BULK)
		n = (size_t)larger((int64_t)n, larger(host->request, host->reply));
	n = (n + 7) / 8;
	words = malloc(n * sizeof(*words));
	if (!words)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) /* what no link can compress */
		words[i] = tw_random_mix(i + 1);
	*mover = (struct tw_mover){
		.fd = fd, .host = host, .deadline = deadline, .buffer = (unsigned char *)words
	};
	return 0;
}

void tw_mover_release(struct tw_mover *mover)
{
	free(mover->buffer);
	mover->buffer = NULL;
}

/* The CPU time that the host spends on each write and read. */
static int work(const struct tw_mover *mover)
{
	struct timespec t;
	int64_t end;

	if (!mover->host->work)
		return 0;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	end = t.tv_sec * INT64_C(1000000000) + t.tv_nsec + mover->host->work;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		if (tw_traffic_now() >= mover->deadline)
			return -ETIMEDOUT;
	} while (t.tv_sec * INT64_C(1000000000) + t.tv_nsec < end);
	return 0;
}

static int stall(struct tw_mover *mover)
{
	const struct tw_traffic_host *host = mover->host;

	if (!host->stall_after || mover->stalls >= larger(host->stall_times, 1) ||
	    (mover->moved.sent + mover->moved.received) / host->stall_after <= mover->stalls)
		return 0;
	mover->stalls++;
	return tw_traffic_sleep_until(tw_traffic_now() + host->stall_for, mover->deadline);
}

/* At the deadline the connection is shut down, and what fails then fails for that reason. */
static int error_of(const struct tw_mover *mover, int error)
{
	return tw_traffic_now() >= mover->deadline ? -ETIMEDOUT : error;
}

/* One write of the application: send() blocks until all is taken. */
static int write_once(struct tw_mover *mover, int64_t n)
{
	struct tw_traffic_moved *moved = &mover->moved;
	int64_t begin = tw_traffic_now();
	int ret = 0;

	moved->writes++;
	tw_sampler_is_writing(mover->sampler, true);
	for (int64_t done = 0; done < n && !ret;) {
		ssize_t got =
			send(mover->fd, mover->buffer + done, (size_t)(n - done), MSG_NOSIGNAL);

		if (got >= 0) {
			done += got;
			moved->sent += got;
		} else if (errno != EINTR) {
			ret = error_of(mover, -errno);
		}
	}
	tw_sampler_is_writing(mover->sampler, false);
	moved->last_write = tw_traffic_now();
	moved->in_write += moved->last_write - begin;
	return ret;
}

static void set_cork(const struct tw_mover *mover, int on)
{
	if (mover->host->cork == TW_CORK_MESSAGE)
		setsockopt(mover->fd, IPPROTO_TCP, TCP_CORK, &on, sizeof(on));
}

int tw_mover_write(struct tw_mover *mover, int64_t total, int64_t head, int64_t piece)
{
	int64_t begin = tw_traffic_now(), left = total;
	int ret = 0;

	set_cork(mover, 1);
	for (int64_t k = 0; left && !ret; k++) {
		int64_t n = lesser(left, !k && head ? head : piece ? piece : USUAL);

		if (k && mover->host->pause)
			ret = tw_traffic_sleep_until(begin + k * mover->host->pause,
						     mover->deadline);
		if (!ret)
			ret = work(mover);
		if (!ret)
			ret = write_once(mover, n);
		if (!ret)
			ret = stall(mover);
		left -= n;
	}
	set_cork(mover, 0);
	return ret;
}

/* One read of the application. -ENODATA at the end of the stream. */
static int read_once(struct tw_mover *mover, int64_t n, int64_t *got)
{
	struct tw_traffic_moved *moved = &mover->moved;
	int64_t begin = tw_traffic_now(), end;
	ssize_t count;

	do
		count = recv(mover->fd, mover->buffer, (size_t)n, 0);
	while (count < 0 && errno == EINTR);
	if (count < 0)
		return error_of(mover, -errno);
	if (!count)
		return error_of(mover, -ENODATA);
	end = tw_traffic_now();
	if (!moved->first_read)
		moved->first_read = end;
	moved->last_read = end;
	moved->in_read += end - begin;
	moved->received += count;
	moved->reads++;
	*got = count;
	return 0;
}

int tw_mover_read(struct tw_mover *mover, int64_t wanted)
{
	const struct tw_traffic_host *host = mover->host;
	int64_t most = host->read ? host->read : USUAL, got = 0;
	int ret = 0;

	for (; wanted && !ret; wanted -= got) {
		if (host->read_pause) {
			/* Time lost while there was nothing to read is not made up for. */
			ret = tw_traffic_sleep_until(mover->next_read, mover->deadline);
			if (ret)
				return ret;
			mover->next_read =
				larger(mover->next_read, tw_traffic_now() - host->read_pause) +
				host->read_pause;
		}
		ret = read_once(mover, lesser(wanted, most), &got);
		if (ret)
			return ret;
		if (host->quickack)
			setsockopt(mover->fd, IPPROTO_TCP, TCP_QUICKACK,
				   &(int){ (int)host->quickack - 1 }, sizeof(int));
		ret = work(mover);
		if (!ret)
			ret = stall(mover);
	}
	return ret;
}

int tw_mover_drain(const struct tw_mover *mover, bool has_ended, int64_t *instant)
{
	int64_t begin = tw_traffic_now(), now = begin;

	for (;;) {
		struct tcp_info info = { 0 };
		socklen_t n = sizeof(info);
		int64_t wait = lesser(larger((now - begin) / 100, 100000), 1000000);
		int queued;

		if (ioctl(mover->fd, SIOCOUTQ, &queued))
			return -errno;
		now = tw_traffic_now();
		/* The FIN takes one of the sequence numbers that SIOCOUTQ counts. */
		if (queued <= (has_ended ? 1 : 0)) {
			*instant = now;
			return 0;
		}
		if (now >= mover->deadline)
			return -ETIMEDOUT;
		if (!getsockopt(mover->fd, IPPROTO_TCP, TCP_INFO, &info, &n) &&
		    info.tcpi_state == STATE_CLOSE)
			return -ECONNRESET;
		tw_traffic_sleep_until(now + wait, mover->deadline);
	}
}
