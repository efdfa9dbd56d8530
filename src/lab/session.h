/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lab from start to end: two hosts, the path between them, captures at three places, a command on
 * each host. Everything is over when tw_session_run() returns, but for the captures in the result.
 */
#ifndef TW_LAB_SESSION_H
#define TW_LAB_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "lab/capture.h"
#include "lab/host.h"
#include "lab/path.h"
#include "lab/pump.h"

/* Places of capture: the two hosts, as enum tw_host, and between them. */
enum { TW_PLACE_PATH = TW_HOST_COUNT, TW_PLACE_COUNT };

/* "client", "server", "path". */
const char *tw_place_name(unsigned place);

struct tw_session_options {
	const struct tw_path *path;
	uint64_t seed;
	uint32_t snap; /* bytes that captures keep of a frame */
	const char *folder;  /* where the captures are to be kept; NULL: nowhere */
	bool captures_path;  /* capture between the hosts as well */
	bool with_gso;       /* the hosts' devices segment, as NICs do; see tw_hosts_new() */
	const int *outputs;  /* standard output of each host's command; NULL: the caller's */
	char *const *command; /* run on the client; its end ends the session */
	char *const *server;  /* run on the server before it; NULL: nothing */
	/* Called with a line on what the user should know while it runs; never NULL. */
	void (*notify)(const char *line);
};

struct tw_session_result {
	int status;          /* of the command, as wait(2) has it */
	bool is_interrupted; /* ended by signals before the command did; `status` means nothing */
	bool is_cut;         /* frames were still under way at the end */
	double seconds;      /* from the start of the command to its end */
	struct tw_pump_figures ways[TW_HOST_COUNT]; /* by sender */
	uint64_t dropped;                           /* frames lost by the lab's own devices */
	struct tw_capture_figures captures[TW_PLACE_COUNT];
	int files[TW_PLACE_COUNT]; /* pcap files; -1: none */
	bool is_real_time;         /* how the emulator was scheduled */
};

/*
 * 0, or a negative errno with a line: then nothing ran, or the lab broke. The command having failed
 * is no error. `result` is to be released also after failure.
 */
int tw_session_run(const struct tw_session_options *options, struct tw_session_result *result,
		   struct tw_error *error);

void tw_session_release(struct tw_session_result *result);

#endif
