/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets of the traffic: their options, and how the two hosts find each other. */
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/tcp.h>
#include <netinet/in.h>

#include "lab/traffic_parts.h"

struct place {
	char address[256]; /* "": none was said */
	char port[16];
};

static int split(const char *where, struct place *out, struct tw_error *err)
{
	const char *colon, *end;

	*out = (struct place){ 0 };
	snprintf(out->port, sizeof(out->port), "%d", TW_TRAFFIC_PORT);
	if (!where)
		return 0;
	if (*where == '[') {
		end = strchr(++where, ']');
		if (!end || (end[1] && end[1] != ':'))
			return tw_error_set(err, -EINVAL, "'%.100s' is no [ADDRESS]:PORT",
					    where - 1);
		colon = end[1] ? end + 1 : NULL;
	} else {
		colon = strrchr(where, ':');
		if (colon && strchr(where, ':') != colon)
			colon = NULL; /* IPv6 without a port */
		end = colon ? colon : where + strlen(where);
	}
	if ((size_t)(end - where) >= sizeof(out->address) ||
	    (colon && (!colon[1] || strlen(colon + 1) >= sizeof(out->port))))
		return tw_error_set(err, -EINVAL, "'%.100s' is no ADDRESS:PORT", where);
	memcpy(out->address, where, (size_t)(end - where));
	if (colon)
		snprintf(out->port, sizeof(out->port), "%s", colon + 1);
	return 0;
}

static int resolve(const struct place *place, const char *address, int flags, struct addrinfo **out,
		   struct tw_error *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
					.ai_flags = flags | AI_NUMERICSERV };
	int ret = getaddrinfo(address, place->port, &hints, out);

	if (ret)
		return tw_error_set(err, -EADDRNOTAVAIL, "%.100s, port %s: %s",
				    address ? address : "any address", place->port,
				    gai_strerror(ret));
	return 0;
}

static int set_number(int fd, int level, int name, int64_t value, const char *word,
		      struct tw_error *err)
{
	int number = (int)value;

	if (value && setsockopt(fd, level, name, &number, sizeof(number)))
		return tw_error_set(err, -errno, "%s=%" PRId64 ": %s", word, value,
				    strerror(errno));
	return 0;
}

/* The kernel cuts a buffer at net.core's limit without a word; a scenario must not be another. */
static int set_buffer(int fd, int name, int forced, int64_t bytes, const char *word,
		      struct tw_error *err)
{
	int value = (int)bytes, got = 0;
	socklen_t n = sizeof(got);

	if (!bytes || !setsockopt(fd, SOL_SOCKET, forced, &value, sizeof(value)))
		return 0;
	if (setsockopt(fd, SOL_SOCKET, name, &value, sizeof(value)) ||
	    getsockopt(fd, SOL_SOCKET, name, &got, &n))
		return tw_error_set(err, -errno, "%s=%" PRId64 ": %s", word, bytes,
				    strerror(errno));
	if (got / 2 < value)
		return tw_error_set(err, -EPERM,
				    "%s=%" PRId64 ": the kernel gives no more than %d bytes "
				    "(net.core.%s)",
				    word, bytes, got / 2,
				    name == SO_SNDBUF ? "wmem_max" : "rmem_max");
	return 0;
}

static int set_cc(int fd, const struct tw_name *cc, struct tw_error *err)
{
	if (!cc->text[0])
		return 0;
	if (!setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, cc->text, (socklen_t)strlen(cc->text)))
		return 0;
	if (errno == ENOENT)
		return tw_error_set(err, -ENOENT,
				    "cc=%s: this kernel has it not loaded (see "
				    "net.ipv4.tcp_available_congestion_control)",
				    cc->text);
	return tw_error_set(err, -errno, "cc=%s: %s", cc->text, strerror(errno));
}

int tw_traffic_set_socket(int fd, const struct tw_traffic_host *host, struct tw_error *err)
{
	uint64_t pacing = (uint64_t)host->pacing / 8;
	int ret = set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, host->sndbuf, "sndbuf", err);

	if (!ret)
		ret = set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, host->rcvbuf, "rcvbuf", err);
	if (!ret)
		ret = set_cc(fd, &host->cc, err);
	if (!ret)
		ret = set_number(fd, IPPROTO_TCP, TCP_NODELAY, host->nodelay, "nodelay", err);
	if (!ret)
		ret = set_number(fd, IPPROTO_TCP, TCP_MAXSEG, host->maxseg, "maxseg", err);
	if (!ret)
		ret = set_number(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, host->notsent_lowat,
				 "notsent-lowat", err);
	if (!ret && pacing &&
	    setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing, sizeof(pacing)))
		ret = tw_error_set(err, -errno, "pacing: %s", strerror(errno));
	return ret;
}

int tw_traffic_set_connected(int fd, const struct tw_traffic_host *host, struct tw_error *err)
{
	int quick = (int)host->quickack - 1;

	if (host->quickack && setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &quick, sizeof(quick)))
		return tw_error_set(err, -errno, "quickack: %s", strerror(errno));
	return set_number(fd, IPPROTO_TCP, TCP_CORK, host->cork == TW_CORK_ALWAYS, "cork", err);
}

/* Blocks again afterwards; the wait for it does not block beyond the deadline. */
static int connect_one(int fd, const struct addrinfo *to, int64_t deadline)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	int64_t left;
	int error = 0;
	socklen_t n = sizeof(error);

	if (!connect(fd, to->ai_addr, to->ai_addrlen))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	do {
		struct timespec wait;

		left = deadline - tw_traffic_now();
		if (left <= 0)
			return -ETIMEDOUT;
		wait = tw_traffic_timespec(left);
		error = ppoll(&ready, 1, &wait, NULL);
	} while (error == 0 || (error < 0 && errno == EINTR));
	if (error < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n))
		return -errno;
	return -error;
}

static int set_blocking(int fd)
{
	int off = 0;

	return ioctl(fd, FIONBIO, &off) ? -errno : 0;
}

int tw_traffic_connect(const char *where, const struct tw_traffic_host *host, int64_t deadline,
		       int *fd, int64_t *start, struct tw_error *err)
{
	struct addrinfo *list;
	struct place place;
	const char *address;
	int ret = split(where, &place, err), new;

	address = place.address[0] ? place.address : "server";
	if (!ret)
		ret = resolve(&place, address, 0, &list, err);
	if (ret)
		return ret;
	/* The first address only: a second try would be another connection in the capture. */
	new = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (new < 0)
		ret = tw_error_set(err, -errno, "no socket: %s", strerror(errno));
	if (!ret)
		ret = tw_traffic_set_socket(new, host, err);
	if (!ret) {
		*start = tw_traffic_now();
		ret = connect_one(new, list, deadline);
		if (!ret)
			ret = set_blocking(new);
		if (ret)
			tw_error_set(err, ret, "cannot connect to %.100s, port %s: %s", address,
				     place.port, strerror(-ret));
	}
	freeaddrinfo(list);
	if (!ret)
		*fd = new;
	else if (new >= 0)
		close(new);
	return ret;
}

static int listen_at(const struct addrinfo *at, const struct tw_traffic_host *host, int *fd,
		     struct tw_error *err)
{
	int new = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret, on = 1, off = 0;

	if (new < 0)
		return tw_error_set(err, -errno, "no socket: %s", strerror(errno));
	setsockopt(new, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (at->ai_family == AF_INET6)
		setsockopt(new, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	ret = tw_traffic_set_socket(new, host, err);
	if (!ret && (bind(new, at->ai_addr, at->ai_addrlen) || listen(new, 1)))
		ret = tw_error_set(err, -errno, "cannot listen: %s", strerror(errno));
	if (ret)
		close(new);
	else
		*fd = new;
	return ret;
}

int tw_traffic_listen(const char *where, const struct tw_traffic_host *host, int *fd,
		      struct tw_error *err)
{
	struct addrinfo *list;
	struct place place;
	int ret = split(where, &place, err);

	if (!ret)
		ret = resolve(&place, place.address[0] ? place.address : NULL, AI_PASSIVE, &list,
			      err);
	if (ret)
		return ret;
	/* IPv6 first: where it is there, its socket serves both. */
	for (const int *family = (const int[]){ AF_INET6, AF_INET, 0 }; *family; family++) {
		const struct addrinfo *at = list;

		while (at && at->ai_family != *family)
			at = at->ai_next;
		if (!at)
			continue;
		ret = listen_at(at, host, fd, err);
		if (ret != -EAFNOSUPPORT && ret != -EADDRNOTAVAIL)
			break;
	}
	freeaddrinfo(list);
	return ret;
}

int tw_traffic_accept(int listening, int64_t deadline, int *fd, struct tw_error *err)
{
	struct pollfd ready = { .fd = listening, .events = POLLIN };

	for (;;) {
		int64_t left = deadline - tw_traffic_now();
		struct timespec wait = tw_traffic_timespec(left > 0 ? left : 0);
		int new;

		if (left <= 0)
			return tw_error_set(err, -ETIMEDOUT, "nobody connected in time");
		if (ppoll(&ready, 1, &wait, NULL) < 0 && errno != EINTR)
			return tw_error_set(err, -errno, "cannot wait: %s", strerror(errno));
		new = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (new >= 0) {
			*fd = new;
			return 0;
		}
		/* One that is gone already (accept(2)) is not the one that is waited for. */
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			return tw_error_set(err, -errno, "cannot accept: %s", strerror(errno));
	}
}
