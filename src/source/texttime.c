/* SPDX-License-Identifier: BSD-2-Clause */
#include "source/texttime.h"

#define SECOND INT64_C(1000000000)
#define DAY (86400 * SECOND)

enum {
	EPOCH_LEAST = 100000000, /* s; below, a number counts from the text's start, not 1970 */
	STUDY_LEAST = 4,         /* falls that tell by themselves */
};

/* Within +-2^62 ns, so that no difference of two instants overflows (see struct tw_record). */
#define INSTANT_MOST ((INT64_C(1) << 62) - 1)
#define SECONDS_MOST UINT64_C(4600000000) /* of the year 2115 */

/* ".939534": up to nine digits count. */
static int64_t fraction(struct tw_scan *s)
{
	int64_t ns = 0, unit = SECOND / 10;

	if (!tw_scan_word(s, "."))
		return 0;
	for (; tw_is_digit(tw_scan_peek(s)); s->at++) {
		ns += (*s->at - '0') * unit;
		unit /= 10;
	}
	return ns;
}

/* "11:31:39.237508" */
static bool time_of_day(struct tw_scan *s, int64_t *ns)
{
	uint64_t hour, minute, second;

	if (!tw_scan_u64(s, 23, &hour) || !tw_scan_word(s, ":") || !tw_scan_u64(s, 59, &minute) ||
	    !tw_scan_word(s, ":") || !tw_scan_u64(s, 60, &second))
		return false;
	*ns = (int64_t)(hour * 3600 + minute * 60 + second) * SECOND + fraction(s);
	return true;
}

/* Days since 1970-01-01 in the Gregorian calendar; years are counted from March on. */
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month > 2 ? year : year - 1;
	int64_t from_march = (month + 9) % 12;

	return y * 365 + y / 4 - y / 100 + y / 400 + (from_march * 153 + 2) / 5 + day - 1 - 719468;
}

static bool date(struct tw_scan *s, int64_t *ns)
{
	uint64_t a, b, c, year, month, day;
	bool slashes;
	int64_t tod;

	if (!tw_scan_u64(s, 9999, &a))
		return false;
	slashes = tw_scan_word(s, "/");
	if ((!slashes && !tw_scan_word(s, "-")) || !tw_scan_u64(s, 99, &b) ||
	    !tw_scan_word(s, slashes ? "/" : "-") || !tw_scan_u64(s, 9999, &c))
		return false;
	year = slashes ? c : a;
	month = slashes ? a : b;
	day = slashes ? b : c;
	if (year < 1970 || year > 2100 || !month || month > 12 || !day || day > 31)
		return false;
	if (!tw_scan_blanks(s) && !tw_scan_word(s, "T"))
		return false;
	if (!time_of_day(s, &tod))
		return false;
	tw_scan_word(s, "Z");
	*ns = days_since_1970((int64_t)year, (int64_t)month, (int64_t)day) * DAY + tod;
	return true;
}

static bool at_blank(const struct tw_scan *s)
{
	return s->at == s->end || *s->at == ' ';
}

/* "12.345678"; the dot must be there, or every number would be a time. */
static bool seconds(struct tw_scan *s, int64_t *ns)
{
	uint64_t whole;

	if (!tw_scan_u64(s, SECONDS_MOST, &whole) || s->at + 1 >= s->end || *s->at != '.' ||
	    !tw_is_digit(s->at[1]))
		return false;
	*ns = (int64_t)whole * SECOND + fraction(s);
	return true;
}

static bool one_stamp(struct tw_scan *s, struct tw_stamp *out)
{
	static bool (*const read[])(struct tw_scan *, int64_t *) = {
		[TW_STAMP_CLOCK] = time_of_day,
		[TW_STAMP_SECONDS] = seconds,
		[TW_STAMP_DATE] = date,
	};
	struct tw_scan start = *s;
	bool is_negative = tw_scan_word(&start, "-");

	for (int kind = TW_STAMP_CLOCK; kind <= TW_STAMP_DATE; kind++) {
		struct tw_scan p = start;

		if (read[kind](&p, &out->ns) && at_blank(&p)) {
			out->kind = (enum tw_stamp_kind)kind;
			if (is_negative)
				out->ns = -out->ns;
			*s = p;
			return true;
		}
	}
	return false;
}

/* Whether a packet follows: six digits alone may as well be the rest of a wrapped line. */
static bool packet_follows(struct tw_scan s)
{
	struct tw_scan token;

	tw_scan_blanks(&s);
	if (!tw_scan_token(&s, &token))
		return false;
	return tw_scan_word(&s, " > ") || tw_scan_is(&token, "IP") || tw_scan_is(&token, "IP6") ||
	       tw_scan_is(&token, "arp");
}

/* "000123 " or "1. 000123 " */
static bool old_delta(struct tw_scan *s, struct tw_stamp *out)
{
	struct tw_scan p = *s;
	uint64_t whole = 0, us;
	const char *from;

	if (tw_scan_u64(&p, SECONDS_MOST, &whole) && tw_scan_word(&p, ". ")) {
		from = p.at;
	} else {
		p = *s;
		from = p.at;
		whole = 0;
	}
	if (!tw_scan_u64(&p, 999999, &us) || p.at - from != 6 || !packet_follows(p))
		return false;
	*out = (struct tw_stamp){ TW_STAMP_DELTA, (int64_t)whole * SECOND + (int64_t)us * 1000 };
	*s = p;
	return true;
}

bool tw_stamp_take(struct tw_scan *s, struct tw_stamp *out)
{
	struct tw_scan p = *s, numbered;
	uint64_t number;

	tw_scan_blanks(&p);
	if (one_stamp(&p, out))
		goto found;
	numbered = p;
	if (tw_scan_u64(&numbered, UINT64_MAX, &number)) {
		if (!tw_scan_word(&numbered, ":") && !tw_scan_word(&numbered, ")"))
			tw_scan_word(&numbered, ".");
		if (tw_scan_blanks(&numbered) && one_stamp(&numbered, out)) {
			p = numbered;
			goto found;
		}
	}
	if (!old_delta(&p, out))
		return false;
found:
	tw_scan_blanks(&p);
	*s = p;
	return true;
}

void tw_text_clock_study(struct tw_text_clock *clock, const struct tw_stamp *stamp)
{
	int64_t small = stamp->kind == TW_STAMP_CLOCK ? 3600 : EPOCH_LEAST;

	if (stamp->kind == TW_STAMP_DELTA)
		clock->deltas = true;
	if (stamp->kind != TW_STAMP_CLOCK && stamp->kind != TW_STAMP_SECONDS)
		return;
	if (!clock->stamps) {
		clock->first_is_zero = !stamp->ns;
		clock->is_small = true;
	} else {
		clock->rises += stamp->ns > clock->studied;
		clock->falls += stamp->ns < clock->studied;
		/* to 0 falls what begins a second listing */
		clock->deep_falls += stamp->ns > 0 && stamp->ns < clock->studied / 2;
	}
	if (stamp->ns >= small * SECOND)
		clock->is_small = false;
	clock->studied = stamp->ns;
	clock->stamps++;
}

void tw_text_clock_decide(struct tw_text_clock *clock)
{
	if (clock->is_small && clock->first_is_zero)
		clock->deltas |= clock->deep_falls || clock->falls * 3 > clock->rises;
	else if (clock->is_small)
		clock->deltas |= clock->falls >= STUDY_LEAST && clock->falls * 3 > clock->rises;
	clock->is_relative = clock->deltas || clock->first_is_zero;
}

static int64_t clamp(int64_t ns)
{
	return ns > INSTANT_MOST ? INSTANT_MOST : ns < -INSTANT_MOST ? -INSTANT_MOST : ns;
}

int64_t tw_text_clock_instant(struct tw_text_clock *clock, const struct tw_stamp *stamp)
{
	int64_t ns = stamp->ns, day = clock->day;

	if (stamp->kind == TW_STAMP_DELTA || (clock->deltas && stamp->kind != TW_STAMP_DATE)) {
		clock->is_relative = true;
		clock->sum = clamp(clock->sum + ns);
		return clock->sum;
	}
	if (stamp->kind == TW_STAMP_SECONDS && ns < EPOCH_LEAST * SECOND)
		clock->is_relative = true;
	if (stamp->kind != TW_STAMP_CLOCK)
		return ns;
	if (!clock->started) {
		clock->started = true;
	} else if (ns < clock->last - DAY / 2) {
		clock->day = clamp(clock->day + DAY);
		day = clock->day;
	} else if (day && ns - clock->last > DAY - 60 * SECOND) {
		return clamp(day - DAY + ns); /* a straggler from before midnight */
	}
	clock->last = ns;
	return clamp(day + ns);
}
