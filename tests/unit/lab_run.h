/* SPDX-License-Identifier: BSD-2-Clause */
/* A link of the text of its options, driven by the lab's tests. */
#ifndef TW_TESTS_UNIT_LAB_RUN_H
#define TW_TESTS_UNIT_LAB_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "lab/link.h"
#include "lab/path.h"
#include "lab_frame.h"

#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)

static inline struct tw_link *lab_link_of(const char *text, bool back, uint64_t seed)
{
	struct tw_error err = { "" };
	struct tw_link *link = NULL;
	struct tw_path path;

	tw_path_init(&path);
	if (tw_path_parse(&path, text, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(tw_link_new(&link, back ? &path.back : &path.there, seed), 0);
	return link;
}

static inline struct tw_link *lab_link(const char *text)
{
	return lab_link_of(text, false, 1);
}

static inline struct tw_link_figures lab_figures(const struct tw_link *link)
{
	struct tw_link_figures f;

	tw_link_figures(link, &f);
	return f;
}

/* A segment of the client with `payload` bytes at `seq`. */
static inline struct lab_frame *lab_data(uint32_t seq, uint32_t payload, uint8_t flags)
{
	static struct lab_frame frame;
	const struct lab_segment s = {
		.flags = flags | F_ACK, .seq = seq, .ack = 1, .payload = payload
	};

	lab_make(&frame, &s);
	return &frame;
}

static inline void lab_enter(struct tw_link *link, int64_t now, const struct lab_frame *frame)
{
	assert_int_equal(tw_link_enter(link, now, frame->bytes, frame->n), 0);
}

/* entered + duplicated = left + drops + waiting */
static inline void lab_conserved(const struct tw_link *link)
{
	struct tw_link_figures f = lab_figures(link);

	assert_int_equal(f.entered + f.duplicated,
			 f.left + f.dropped_queue + f.dropped_loss + f.dropped_policer +
				 f.dropped_mtu + f.dropped_outage + f.dropped_thinned + f.waiting);
	assert_true(f.dropped_memory <= f.dropped_queue);
}

/* Lets everything out; how many frames that were. */
static inline uint64_t lab_drain(struct tw_link *link)
{
	uint64_t n = 0;

	while (tw_link_due(link) < INT64_MAX)
		n += !!tw_link_leave(link, tw_link_due(link));
	assert_int_equal(lab_figures(link).waiting, 0);
	lab_conserved(link);
	return n;
}

#endif
