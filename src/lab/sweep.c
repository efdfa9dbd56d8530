/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "lab/path.h"
#include "lab/traffic.h"
#include "lab/value.h"
#include "lab/words.h"

enum { DIGITS_MOST = 1000 }; /* three of them */

static const char gaps[] = " ,\t";

/* What one value can be kept in. */
union field {
	int64_t number;
	struct tw_amount amount;
};

/* The number in the field of a kind that has ranges; NULL for the other kinds. */
static int64_t *number_of(enum tw_value_kind kind, union field *field)
{
	switch (kind) {
	case TW_VALUE_RATE:
	case TW_VALUE_TIME:
	case TW_VALUE_SHARE:
	case TW_VALUE_SIZE:
	case TW_VALUE_COUNT: return &field->number;
	case TW_VALUE_AMOUNT: return field->amount.bytes ? &field->amount.bytes : &field->amount.packets;
	default: return NULL;
	}
}

/* Which table has the word, into `sweep`. */
static int look_up(struct tw_sweep *sweep, const struct tw_word **word, struct tw_error *err)
{
	const struct tw_word *path = tw_path_word(sweep->word);
	const struct tw_word *traffic = tw_traffic_word(sweep->word);
	char shown[4 * TW_SWEEP_WORD_MAX];

	if (path && traffic)
		return tw_error_set(err, -EINVAL,
				    "'%s' is a word of the path and one of the traffic: write there.%s "
				    "or back.%s, client.%s or server.%s",
				    path->word, path->word, path->word, path->word, path->word);
	if (!path && !traffic)
		return tw_error_set(err, -EINVAL,
				    "no word '%.60s': 'tcpwhy lab --help path' lists those of the path, "
				    "'tcpwhy lab traffic --help' those of the traffic",
				    tw_escape(sweep->word, shown, sizeof(shown)));
	sweep->is_traffic = traffic;
	*word = traffic ? traffic : path;
	return 0;
}

/* Whether the word can have the value that was put last. */
static int check_value(const struct tw_sweep *sweep, int i, struct tw_error *err)
{
	char text[TW_SWEEP_WORD_MAX + TW_SWEEP_VALUE_MAX];
	struct tw_traffic traffic;
	struct tw_path path;

	tw_sweep_print(sweep, i, text, sizeof(text));
	if (!sweep->is_traffic) {
		tw_path_init(&path);
		return tw_path_parse(&path, text, err);
	}
	tw_traffic_init(&traffic);
	return tw_traffic_parse(&traffic, text, err);
}

static int add(struct tw_sweep *sweep, const char *value, size_t n, struct tw_error *err)
{
	char *to = sweep->value[sweep->n];
	int ret;

	if (sweep->n == TW_SWEEP_MAX)
		return tw_error_set(err, -E2BIG, "more than %d values", TW_SWEEP_MAX);
	if (n >= TW_SWEEP_VALUE_MAX)
		return tw_error_set(err, -EINVAL, "a value of %s is too long", sweep->word);
	memcpy(to, value, n);
	to[n] = '\0';
	ret = check_value(sweep, sweep->n, err);
	if (ret)
		return ret;
	for (int i = 0; i < sweep->n; i++)
		if (!strcmp(sweep->value[i], to))
			return tw_error_set(err, -EINVAL, "%s=%s stands there twice", sweep->word, to);
	sweep->n++;
	return 0;
}

/* Step `i` of `steps` to a doubling; whole doublings are exact. INT64_MAX where it is too large. */
static int64_t step_of(int64_t from, int i, int steps)
{
	double value = (double)from * exp2((double)i / steps);
	int64_t whole, unit = 1;

	if (value >= (double)(INT64_MAX / 2))
		return INT64_MAX;
	if (i % steps == 0)
		return from << (i / steps);
	whole = llround(value);
	while (whole / unit >= DIGITS_MOST)
		unit *= 10;
	return (whole + unit / 2) / unit * unit;
}

/* "FIRST..LAST" or "FIRST..LAST/STEPS" in parts. -EINVAL. */
struct range {
	char first[TW_SWEEP_VALUE_MAX], last[TW_SWEEP_VALUE_MAX];
	int steps; /* to a doubling */
};

static int cut_range(const char *text, size_t n, struct range *range)
{
	char copy[2 * TW_SWEEP_VALUE_MAX], *dots, *slash;

	if (n >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, n);
	copy[n] = '\0';
	dots = strstr(copy, "..");
	*dots = '\0';
	range->steps = 1;
	slash = strrchr(dots + 2, '/'); /* there is one in MB/s, too */
	if (slash && slash[1] && strspn(slash + 1, "0123456789") == strlen(slash + 1)) {
		*slash = '\0';
		if (strlen(slash + 1) > 2 || sscanf(slash + 1, "%2d", &range->steps) != 1)
			return -EINVAL;
	}
	if (strlen(copy) >= sizeof(range->first) || strlen(dots + 2) >= sizeof(range->last))
		return -EINVAL;
	memcpy(range->first, copy, strlen(copy) + 1);
	memcpy(range->last, dots + 2, strlen(dots + 2) + 1);
	return range->steps < 1 || range->steps > TW_SWEEP_STEPS_MAX ? -EINVAL : 0;
}

static int add_range(struct tw_sweep *sweep, const struct tw_word *word, const char *text, size_t n,
		     struct tw_error *err)
{
	union field first = { 0 }, last = { 0 };
	int64_t *from, *to, most, value, before = 0;
	char printed[TW_SWEEP_VALUE_MAX];
	struct range range;
	int ret = 0;

	if (cut_range(text, n, &range) ||
	    tw_value_parse(word->kind, range.first, word->range, &first) ||
	    tw_value_parse(word->kind, range.last, word->range, &last))
		return tw_error_set(err, -EINVAL,
				    "%s: a range is FIRST..LAST, or FIRST..LAST/N for N steps to a "
				    "doubling (1 to %d), each value as %s",
				    sweep->word, TW_SWEEP_STEPS_MAX, tw_value_form(word->kind));
	from = number_of(word->kind, &first);
	to = number_of(word->kind, &last);
	if ((char *)from - (char *)&first != (char *)to - (char *)&last || *from < 1 || *from >= *to)
		return tw_error_set(err, -EINVAL, "%s: a range goes up, from more than 0, in one unit",
				    sweep->word);
	most = *to;
	for (int i = 0; !ret; i++) {
		value = step_of(*from, i, range.steps);
		if (value > most)
			break;
		if (value == before) /* small counts have no value between */
			continue;
		before = value;
		*to = value;
		tw_value_print(word->kind, &last, printed, sizeof(printed));
		ret = add(sweep, printed, strlen(printed), err);
	}
	return ret;
}

int tw_sweep_parse(struct tw_sweep *sweep, const char *text, struct tw_error *err)
{
	struct tw_sweep work = { 0 };
	const struct tw_word *word = NULL;
	size_t n = strcspn(text, "=");
	union field none = { 0 };
	int ret;

	if (!text[n] || !n || n >= sizeof(work.word))
		return tw_error_set(err, -EINVAL, "what varies is written WORD=VALUE,VALUE,... or "
						  "WORD=FIRST..LAST");
	memcpy(work.word, text, n);
	ret = look_up(&work, &word, err);
	for (text += n + 1; !ret;) {
		text += strspn(text, gaps);
		n = strcspn(text, gaps);
		if (!n)
			break;
		if (number_of(word->kind, &none) && memmem(text, n, "..", 2))
			ret = add_range(&work, word, text, n, err);
		else
			ret = add(&work, text, n, err);
		text += n;
	}
	if (!ret && !work.n)
		ret = tw_error_set(err, -EINVAL, "%s= without a value: %s=%s", work.word, work.word,
				   tw_value_form(word->kind));
	if (!ret)
		*sweep = work;
	return ret;
}

void tw_sweep_print(const struct tw_sweep *sweep, int i, char *out, size_t size)
{
	snprintf(out, size, "%s=%s", sweep->word, sweep->value[i]);
}
