/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

union control {
	char space[CMSG_SPACE(TW_MESSAGE_FDS * sizeof(int))];
	struct cmsghdr align;
};

int tw_message_send(int socket, struct tw_message head, const void *bytes, size_t n, const int *fds,
		    unsigned n_fds)
{
	union control control = { 0 };
	struct iovec parts[2] = { { &head, sizeof(head) }, { (void *)bytes, n } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = n ? 2 : 1 };
	ssize_t sent;

	if (n > TW_MESSAGE_MAX || n_fds > TW_MESSAGE_FDS)
		return -EMSGSIZE;
	head.n = (uint32_t)n;
	if (n_fds) {
		struct cmsghdr *cmsg = &control.align;

		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, n_fds * sizeof(int));
	}
	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

static void take_fds(struct msghdr *message, int *fds, unsigned *n_fds)
{
	unsigned n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		int got[TW_MESSAGE_FDS];
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(got, CMSG_DATA(c), count * sizeof(int));
		for (size_t i = 0; i < count; i++) {
			if (fds && n < TW_MESSAGE_FDS)
				fds[n++] = got[i];
			else
				close(got[i]);
		}
	}
	if (n_fds)
		*n_fds = n;
}

int tw_message_receive(int socket, struct tw_message *head, void *bytes, size_t room, int *fds,
		       unsigned *n_fds)
{
	union control control;
	struct tw_message got = { 0 };
	struct iovec parts[2] = { { &got, sizeof(got) }, { bytes, room } };
	struct msghdr message = {
		.msg_iov = parts,
		.msg_iovlen = room ? 2 : 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	do
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	if (!n)
		return -EPIPE;
	take_fds(&message, fds, n_fds);
	if ((size_t)n < sizeof(got))
		return -EBADMSG;
	got.n = (uint32_t)((size_t)n - sizeof(got));
	if (got.n < room)
		((char *)bytes)[got.n] = '\0';
	*head = got;
	return 0;
}
