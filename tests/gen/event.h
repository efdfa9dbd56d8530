/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulator's clock: a heap of events, equal times in the order they were pushed. */
#ifndef TW_GEN_EVENT_H
#define TW_GEN_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind {
	EVENT_START,   /* a flow begins; what: flow */
	EVENT_SENT,    /* a packet leaves its host's interface; what: packet */
	EVENT_VANTAGE, /* a packet passes the capture in mid-path; what: packet */
	EVENT_ARRIVE,  /* a packet reaches the other host; what: packet */
	EVENT_TIMER,   /* what: flow * 2 + side */
	EVENT_APP,     /* what: flow * 2 + side */
};

struct event {
	int64_t at;     /* ns */
	uint64_t order; /* push order << 3 | kind */
	uint32_t what;
};

struct event_heap {
	struct event *v;
	size_t n, cap;
	uint64_t pushed;
};

/* Memory exhaustion ends the program: this is a test tool. */
void event_push(struct event_heap *heap, int64_t at, enum event_kind kind, uint32_t what);
/* False when empty. */
bool event_pop(struct event_heap *heap, struct event *out);
void event_release(struct event_heap *heap);

static inline enum event_kind event_kind(const struct event *event)
{
	return (enum event_kind)(event->order & 7);
}

#endif
