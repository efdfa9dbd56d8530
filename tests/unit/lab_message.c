/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/message.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static int ends[2];

static int open_pair(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

static int close_pair(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static void test_head(void **state)
{
	const struct tw_message sent = { .kind = TW_MESSAGE_ENDED, .pid = 7, .value = -3 };
	struct tw_message got;

	(void)state;
	assert_int_equal(tw_message_send(ends[0], sent, NULL, 0, NULL, 0), 0);
	assert_int_equal(tw_message_receive(ends[1], &got, NULL, 0, NULL, NULL), 0);
	assert_int_equal(got.kind, TW_MESSAGE_ENDED);
	assert_int_equal(got.pid, 7);
	assert_int_equal(got.value, -3);
	assert_int_equal(got.n, 0);
}

static void test_bytes(void **state)
{
	struct tw_message got;
	char room[6] = "??????";

	(void)state;
	tw_message_send(ends[0], (struct tw_message){ .kind = TW_MESSAGE_START }, "a\0bc", 4, NULL,
			0);
	assert_int_equal(tw_message_receive(ends[1], &got, room, sizeof(room), NULL, NULL), 0);
	assert_int_equal(got.n, 4);
	assert_memory_equal(room, "a\0bc\0", 5);
	/* Cut to the room there is. */
	tw_message_send(ends[0], (struct tw_message){ .kind = TW_MESSAGE_START }, "abcdefgh", 8,
			NULL, 0);
	assert_int_equal(tw_message_receive(ends[1], &got, room, sizeof(room), NULL, NULL), 0);
	assert_memory_equal(room, "abcdef", 6);
}

static void test_descriptors(void **state)
{
	struct tw_message got;
	int pair[2], fds[TW_MESSAGE_FDS], next;
	unsigned n = 0;
	char byte = 0;

	(void)state;
	assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
	tw_message_send(ends[0], (struct tw_message){ .kind = TW_MESSAGE_READY }, NULL, 0, pair, 2);
	assert_int_equal(tw_message_receive(ends[1], &got, NULL, 0, fds, &n), 0);
	assert_int_equal(n, 2);
	assert_true(fcntl(fds[0], F_GETFD) & FD_CLOEXEC);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(read(pair[0], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	close(fds[0]);
	close(fds[1]);
	/* Nobody wants them: none is left open. */
	next = dup(pair[0]);
	close(next);
	tw_message_send(ends[0], (struct tw_message){ .kind = TW_MESSAGE_READY }, NULL, 0, pair, 2);
	assert_int_equal(tw_message_receive(ends[1], &got, NULL, 0, NULL, NULL), 0);
	assert_int_equal(dup(pair[0]), next);
	close(next);
	close(pair[0]);
	close(pair[1]);
}

static void test_limits(void **state)
{
	struct tw_message got, sent = { .kind = TW_MESSAGE_START };
	char *large = calloc(1, TW_MESSAGE_MAX + 1), *room = calloc(1, TW_MESSAGE_MAX + 1);
	const int fds[TW_MESSAGE_FDS + 1] = { 0 };

	(void)state;
	assert_int_equal(tw_message_send(ends[0], sent, large, TW_MESSAGE_MAX + 1, NULL, 0),
			 -EMSGSIZE);
	assert_int_equal(tw_message_send(ends[0], sent, NULL, 0, fds, TW_MESSAGE_FDS + 1),
			 -EMSGSIZE);
	assert_int_equal(tw_message_send(ends[0], sent, large, TW_MESSAGE_MAX, NULL, 0), 0);
	assert_int_equal(tw_message_receive(ends[1], &got, room, TW_MESSAGE_MAX + 1, NULL, NULL),
			 0);
	assert_int_equal(got.n, TW_MESSAGE_MAX);
	free(large);
	free(room);
}

static void test_end(void **state)
{
	struct tw_message got;

	(void)state;
	shutdown(ends[0], SHUT_RDWR);
	assert_int_equal(tw_message_receive(ends[1], &got, NULL, 0, NULL, NULL), -EPIPE);
	assert_int_equal(tw_message_send(ends[1], (struct tw_message){ 0 }, NULL, 0, NULL, 0),
			 -EPIPE);
}

static void test_too_short(void **state)
{
	struct tw_message got = { .kind = 77 };

	(void)state;
	assert_int_equal(send(ends[0], "abc", 3, 0), 3);
	assert_int_equal(tw_message_receive(ends[1], &got, NULL, 0, NULL, NULL), -EBADMSG);
	assert_int_equal(got.kind, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_head, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_bytes, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_descriptors, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_limits, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_end, open_pair, close_pair),
		cmocka_unit_test_setup_teardown(test_too_short, open_pair, close_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
