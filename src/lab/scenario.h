/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults that the lab can make: a path, the traffic over it, what must be found, and the cure. Each
 * is a row of texts (see lab/path.h and lab/traffic.h), so that adding one takes no code. What is
 * said to be the truth is put to the proof by every run: the cure must bring what it should.
 */
#ifndef TW_LAB_SCENARIO_H
#define TW_LAB_SCENARIO_H

#include <stddef.h>

/* Whose data waits, numbered as the sides of a bill. */
enum {
	TW_SIDE_ANY = -1, /* both in turn: how they share it is the vantage's view */
	TW_SIDE_CLIENT,
	TW_SIDE_SERVER,
};

struct tw_scenario {
	const char *name;
	const char *title;   /* a line: for the list */
	const char *story;   /* what will happen and why, two sentences */
	const char *path;    /* as lab/path.h */
	const char *traffic; /* as lab/traffic.h */
	/* The truth. */
	const char *cause;   /* id of the cause that must cost the most */
	/*
	 * Not 0: the cause is a small one, and need only be on the bill with at least this share of the
	 * duration; the cure then has to bring half of what the bill expects of it.
	 */
	double share;
	int side;            /* TW_SIDE_CLIENT, TW_SIDE_SERVER or TW_SIDE_ANY */
	/* The cure: words that come after those above, and win. "" where that half needs none. */
	const char *cure;    /* in words: an imperative */
	const char *cure_path;
	const char *cure_traffic;
};

/* In the order in which they are listed. */
extern const struct tw_scenario tw_scenarios[];
extern const size_t tw_n_scenarios;

/* NULL where there is none of this name. */
const struct tw_scenario *tw_scenario_find(const char *name);

#endif
