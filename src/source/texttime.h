/* SPDX-License-Identifier: BSD-2-Clause */
/* The times that begin a text's lines, and what clock they make together. */
#ifndef TW_SOURCE_TEXTTIME_H
#define TW_SOURCE_TEXTTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "source/scan.h"

enum tw_stamp_kind {
	TW_STAMP_CLOCK,   /* "11:31:39.237508": time of day; also tcpdump -ttt and -ttttt */
	TW_STAMP_SECONDS, /* "1796063068.939534" (-tt), or since the first packet (tshark) */
	TW_STAMP_DATE,    /* "2026-11-30 18:24:28.939534", taken as UTC; "11/30/2026 ..." of old */
	TW_STAMP_DELTA,   /* "000123", "1. 000123": -ttt until 2009 */
};

struct tw_stamp {
	enum tw_stamp_kind kind;
	int64_t ns; /* of the day, since 1970, or since whatever the text counts from */
};

/*
 * Takes the time that begins a line, with blanks and a packet's or line's number before it
 * ("  86 ", "  12: "), and the blanks behind. False, `s` untouched, where it begins with no time.
 */
bool tw_stamp_take(struct tw_scan *s, struct tw_stamp *out);

/* Turns stamps into instants, in the order of the lines. A zeroed one is ready. */
struct tw_text_clock {
	bool deltas;      /* every stamp counts from the one before it */
	bool is_relative; /* instants count from the text's first line */
	/* private */
	bool started;
	int64_t day, last, sum;
	uint32_t stamps, rises, falls, deep_falls; /* what tw_text_clock_study saw */
	bool first_is_zero, is_small;
	int64_t studied;
};

/*
 * Looks at the stamps of a text's beginning, in their order, before it is read: tells -ttt and
 * tshark -t d (each stamp since the one before) from times that run on. In the former steps up and
 * down balance, since the stamps stay small, and many fall to a fraction of the one before; in the
 * latter they fall by disorder only. A few lines that happen to rise cannot be told from times.
 */
void tw_text_clock_study(struct tw_text_clock *clock, const struct tw_stamp *stamp);

/* Decides, once all that was wanted was shown to tw_text_clock_study. */
void tw_text_clock_decide(struct tw_text_clock *clock);

/*
 * The instant of the next line's stamp, ns. A time of day that falls by more than twelve hours
 * began a new day; smaller falls are disorder and stay. Within +-2^62.
 */
int64_t tw_text_clock_instant(struct tw_text_clock *clock, const struct tw_stamp *stamp);

#endif
