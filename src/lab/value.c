/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lab/path.h"

struct unit {
	const char *name;
	int64_t size;
};

static const struct unit time_units[] = {
	{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
};
static const struct unit rate_units[] = {
	{ "gbit", 1000000000 }, { "mbit", 1000000 }, { "kbit", 1000 }, { "bit", 1 },
};
static const struct unit size_units[] = { { "g", 1 << 30 }, { "m", 1 << 20 }, { "k", 1 << 10 }, { "", 1 } };
static const struct unit share_units[] = { { "%", TW_SHARE_ONE / 100 } };
static const struct unit plain_units[] = { { "", 1 } };
static const struct unit packet_units[] = { { "p", 1 } };

enum { N_TIME = 4, N_RATE = 4, N_SIZE = 4, WORD_MAX = 160 };

/*
 * Reads digits, with a point among them perhaps, as `mantissa` / 10^`decimals`; the end of it, or
 * NULL where there are none or too many.
 */
static const char *read_decimal(const char *p, uint64_t *mantissa, uint64_t *divisor)
{
	bool point = false, any = false;

	*mantissa = 0;
	*divisor = 1;
	for (;; p++) {
		if (*p == '.' && !point && p[1] >= '0' && p[1] <= '9') {
			point = true;
			continue;
		}
		if (*p < '0' || *p > '9')
			return any ? p : NULL;
		if (*mantissa > UINT64_MAX / 100 || (point && *divisor > UINT64_MAX / 100))
			return NULL;
		*mantissa = *mantissa * 10 + (uint64_t)(*p - '0');
		if (point)
			*divisor *= 10;
		any = true;
	}
}

static int in_range(int64_t value, struct tw_range range)
{
	return !value || (value >= range.least && value <= range.most) ? 0 : -ERANGE;
}

/* The number scaled by `unit`, rounded to nearest. */
static int scale(uint64_t mantissa, uint64_t divisor, int64_t unit, struct tw_range range, int64_t *out)
{
	__int128 value = ((__int128)mantissa * unit + divisor / 2) / divisor;

	if (value > INT64_MAX || in_range((int64_t)value, range) || (!value && mantissa))
		return -ERANGE;
	*out = (int64_t)value;
	return 0;
}

/* A number and one of `n` units; a plain 0 needs none. */
static int read_number(const char *text, const struct unit *units, int n, struct tw_range range,
		       int64_t *out)
{
	uint64_t mantissa, divisor;
	const char *end = read_decimal(text, &mantissa, &divisor);

	if (!end)
		return -EINVAL;
	if (!*end && !mantissa) {
		*out = 0;
		return 0;
	}
	for (int i = 0; i < n; i++)
		if (!strcasecmp(end, units[i].name))
			return scale(mantissa, divisor, units[i].size, range, out);
	return -EINVAL;
}

/* In the largest unit that is exact. */
static void print_number(int64_t value, const struct unit *units, int n, char *out, size_t size)
{
	int i = 0;

	while (i + 1 < n && value % units[i].size)
		i++;
	snprintf(out, size, "%" PRId64 "%s", value / units[i].size, units[i].name);
}

static int parse_time(const char *text, struct tw_range range, int64_t *out)
{
	return read_number(text, time_units, N_TIME, range, out);
}

static void print_time(const int64_t *value, char *out, size_t size)
{
	print_number(*value, time_units, N_TIME, out, size);
}

/*
 * "bps" is refused: tc takes it for bytes, everybody else for bits. So is "mb", but not "MB/s", which
 * nobody takes for anything but bytes.
 */
static int parse_rate(const char *text, struct tw_range range, int64_t *out)
{
	static const char prefixes[] = "kmgt";
	uint64_t mantissa, divisor;
	const char *end = read_decimal(text, &mantissa, &divisor);
	const char *at;
	int64_t unit = 1;

	if (!end)
		return -EINVAL;
	at = *end ? strchr(prefixes, *end | 0x20) : NULL;
	if (at) {
		for (const char *p = prefixes; p <= at; p++)
			unit *= 1000;
		end++;
	}
	if (!strcmp(end, "B/s"))
		unit *= 8;
	else if (*end && strcasecmp(end, "bit") && strcasecmp(end, "bit/s"))
		return -EINVAL;
	return scale(mantissa, divisor, unit, range, out);
}

static void print_rate(const int64_t *value, char *out, size_t size)
{
	print_number(*value, rate_units, N_RATE, out, size);
}

static int parse_size(const char *text, struct tw_range range, int64_t *out)
{
	return read_number(text, size_units, N_SIZE, range, out);
}

static void print_size(const int64_t *value, char *out, size_t size)
{
	print_number(*value, size_units, N_SIZE, out, size);
}

static int parse_count(const char *text, struct tw_range range, int64_t *out)
{
	return read_number(text, plain_units, 1, range, out);
}

static void print_count(const int64_t *value, char *out, size_t size)
{
	print_number(*value, plain_units, 1, out, size);
}

static int parse_signed(const char *text, struct tw_range range, int64_t *out)
{
	int64_t value;
	bool negative = *text == '-';
	int ret = read_number(text + negative, plain_units, 1, (struct tw_range){ 0, 1 << 30 }, &value);

	if (ret)
		return ret;
	value = negative ? -value : value;
	ret = in_range(value, range);
	if (!ret)
		*out = value;
	return ret;
}

static void print_signed(const int64_t *value, char *out, size_t size)
{
	print_count(value, out, size);
}

static int parse_share(const char *text, struct tw_range range, int64_t *out)
{
	return read_number(text, share_units, 1, range, out);
}

static void print_share(const int64_t *value, char *out, size_t size)
{
	int64_t one = TW_SHARE_ONE / 100, rest = *value % one;
	int digits = 7;

	while (rest && rest % 10 == 0) {
		rest /= 10;
		digits--;
	}
	if (rest)
		snprintf(out, size, "%" PRId64 ".%0*" PRId64 "%%", *value / one, digits, rest);
	else
		snprintf(out, size, "%" PRId64 "%%", *value / one);
}

static int parse_flag(const char *text, struct tw_range range, int64_t *out)
{
	(void)range;
	if (!strcasecmp(text, "yes") || !strcasecmp(text, "on"))
		*out = 1;
	else if (!strcasecmp(text, "no"))
		*out = 0;
	else
		return -EINVAL;
	return 0;
}

static void print_flag(const int64_t *value, char *out, size_t size)
{
	snprintf(out, size, "%s", *value ? "yes" : "no");
}

/* Cuts the next part off `*rest` at `separator`; NULL where nothing is left. */
static char *next_part(char **rest, const char *separator)
{
	char *part = *rest, *end;

	if (!part)
		return NULL;
	end = strstr(part, separator);
	if (end) {
		*end = '\0';
		*rest = end + strlen(separator);
	} else {
		*rest = NULL;
	}
	return part;
}

static int parse_amount(const char *text, struct tw_range range, struct tw_amount *out)
{
	struct tw_amount amount = *out;
	char copy[WORD_MAX], *rest = copy, *part;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((part = next_part(&rest, "+"))) {
		int ret = read_number(part, packet_units, 1, range, &amount.packets);

		if (ret == -EINVAL || !strcmp(part, "0"))
			ret = read_number(part, size_units, N_SIZE, range, &amount.bytes);
		if (ret)
			return ret;
	}
	*out = amount;
	return 0;
}

static void print_amount(const struct tw_amount *amount, char *out, size_t size)
{
	char bytes[32];

	print_size(&amount->bytes, bytes, sizeof(bytes));
	if (amount->bytes && amount->packets)
		snprintf(out, size, "%s+%" PRId64 "p", bytes, amount->packets);
	else if (amount->packets)
		snprintf(out, size, "%" PRId64 "p", amount->packets);
	else
		snprintf(out, size, "%s", bytes);
}

static int parse_span(const char *text, struct tw_range range, struct tw_span *out)
{
	char copy[WORD_MAX], *rest = copy;
	struct tw_span span;
	int ret;

	snprintf(copy, sizeof(copy), "%s", text);
	ret = parse_time(next_part(&rest, ".."), range, &span.from);
	if (ret)
		return ret;
	if (!rest)
		return -EINVAL;
	ret = parse_time(rest, range, &span.to);
	if (ret)
		return ret;
	if (span.to <= span.from)
		return -ERANGE;
	*out = span;
	return 0;
}

static void print_span(const struct tw_span *span, char *out, size_t size)
{
	char from[32], to[32];

	print_time(&span->from, from, sizeof(from));
	print_time(&span->to, to, sizeof(to));
	snprintf(out, size, "%s..%s", from, to);
}

static int parse_gemodel(const char *text, struct tw_range range, struct tw_gemodel *out)
{
	char copy[WORD_MAX], *rest = copy, *part;
	int64_t value[4] = { 0, 0, TW_SHARE_ONE, 0 };
	int n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((part = next_part(&rest, ":"))) {
		int ret = n < 4 ? parse_share(part, range, &value[n]) : -EINVAL;

		if (ret)
			return ret;
		n++;
	}
	if (!value[0])
		return -ERANGE;
	if (n == 1)
		value[1] = TW_SHARE_ONE - value[0]; /* as netem: the Bernoulli model */
	*out = (struct tw_gemodel){ value[0], value[1], value[2], value[3] };
	return 0;
}

static void print_gemodel(const struct tw_gemodel *model, char *out, size_t size)
{
	char share[4][32];

	print_share(&model->p, share[0], sizeof(share[0]));
	print_share(&model->r, share[1], sizeof(share[1]));
	print_share(&model->bad, share[2], sizeof(share[2]));
	print_share(&model->good, share[3], sizeof(share[3]));
	if (model->good)
		snprintf(out, size, "%s:%s:%s:%s", share[0], share[1], share[2], share[3]);
	else if (model->bad != TW_SHARE_ONE)
		snprintf(out, size, "%s:%s:%s", share[0], share[1], share[2]);
	else
		snprintf(out, size, "%s:%s", share[0], share[1]);
}

/* Rules that are a count: X(word, field, count where none is given; 0: one must be) */
#define RULES(X)                       \
	X("syn", syn, 1)               \
	X("synack", synack, 1)         \
	X("fin", fin, 1)               \
	X("last", last, 1000000000)    \
	X("resend", resend, 1)         \
	X("every", every, 0)

static int parse_nth(const char *text, struct tw_range range, struct tw_rules *rules)
{
	char copy[WORD_MAX], *rest = copy;
	int64_t from, to;
	int ret;

	snprintf(copy, sizeof(copy), "%s", text);
	ret = parse_count(next_part(&rest, ".."), range, &from);
	to = from;
	if (!ret && rest)
		ret = parse_count(rest, range, &to);
	if (ret)
		return ret;
	if (!from || to < from)
		return -ERANGE;
	rules->nth_from = from;
	rules->nth_to = to;
	return 0;
}

static int parse_rule(char *rule, struct tw_range range, struct tw_rules *rules)
{
	char *number = rule;
	const char *word = next_part(&number, ":");

	if (!strcmp(word, "nth"))
		return number ? parse_nth(number, range, rules) : -EINVAL;
#define X(name, field, usual)                                              \
	if (!strcmp(word, name)) {                                         \
		if (number)                                                \
			return parse_count(number, range, &rules->field);  \
		rules->field = usual;                                      \
		return usual ? 0 : -EINVAL;                                \
	}
	RULES(X)
#undef X
	return -EINVAL;
}

static int parse_rules(const char *text, struct tw_range range, struct tw_rules *out)
{
	struct tw_rules rules = { 0 };
	char copy[WORD_MAX], *rest = copy, *part;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((part = next_part(&rest, "+"))) {
		int ret = parse_rule(part, range, &rules);

		if (ret)
			return ret;
	}
	*out = rules;
	return 0;
}

static void print_rules(const struct tw_rules *rules, char *out, size_t size)
{
	char text[WORD_MAX];
	size_t n = 0;

	text[0] = '\0';
#define X(name, field, usual)                                                                       \
	if (rules->field && n < sizeof(text))                                                       \
		n += (size_t)(rules->field == usual ?                                               \
				      snprintf(text + n, sizeof(text) - n, "+" name) :              \
				      snprintf(text + n, sizeof(text) - n, "+" name ":%" PRId64,    \
					       rules->field));
	RULES(X)
#undef X
	if (rules->nth_from && n < sizeof(text))
		n += (size_t)snprintf(text + n, sizeof(text) - n, "+nth:%" PRId64, rules->nth_from);
	if (rules->nth_to > rules->nth_from && n < sizeof(text))
		n += (size_t)snprintf(text + n, sizeof(text) - n, "..%" PRId64, rules->nth_to);
	snprintf(out, size, "%s", n ? text + 1 : "none");
}

static const struct {
	const char *name;
	int64_t bit;
} strips[] = {
	{ "wscale", TW_STRIP_WSCALE }, { "sack", TW_STRIP_SACK }, { "timestamps", TW_STRIP_TIMESTAMPS },
};

enum { N_STRIPS = 3 };

static int parse_strip(const char *text, struct tw_range range, int64_t *out)
{
	char copy[WORD_MAX], *rest = copy, *part;
	int64_t set = 0;

	(void)range;
	snprintf(copy, sizeof(copy), "%s", text);
	while ((part = next_part(&rest, "+"))) {
		int i = 0;

		while (i < N_STRIPS && strcmp(part, strips[i].name))
			i++;
		if (i == N_STRIPS)
			return -EINVAL;
		set |= strips[i].bit;
	}
	*out = set;
	return 0;
}

static void print_strip(const int64_t *set, char *out, size_t size)
{
	char text[WORD_MAX] = "";

	for (int i = 0; i < N_STRIPS; i++)
		if (*set & strips[i].bit) {
			strcat(text, "+");
			strcat(text, strips[i].name);
		}
	snprintf(out, size, "%s", *text ? text + 1 : "none");
}

size_t tw_value_size(enum tw_value_kind kind)
{
	static const size_t sizes[] = {
#define X(enum_, name, type, form) sizeof(type),
		TW_VALUE_KINDS(X)
#undef X
	};

	return sizes[kind];
}

const char *tw_value_form(enum tw_value_kind kind)
{
	static const char *const forms[] = {
#define X(enum_, name, type, form) form,
		TW_VALUE_KINDS(X)
#undef X
	};

	return forms[kind];
}

int tw_value_parse(enum tw_value_kind kind, const char *text, struct tw_range range, void *field)
{
	if (strlen(text) >= WORD_MAX)
		return -EINVAL;
	if (!strcasecmp(text, "none") || !strcasecmp(text, "off")) {
		memset(field, 0, tw_value_size(kind));
		return 0;
	}
	switch (kind) {
#define X(enum_, name, type, form) \
	case TW_VALUE_##enum_:     \
		return parse_##name(text, range, field);
		TW_VALUE_KINDS(X)
#undef X
	}
	return -EINVAL;
}

void tw_value_print(enum tw_value_kind kind, const void *field, char *out, size_t size)
{
	static const unsigned char zero[sizeof(struct tw_rules)];

	if (!memcmp(field, zero, tw_value_size(kind))) {
		snprintf(out, size, "none");
		return;
	}
	switch (kind) {
#define X(enum_, name, type, form)                \
	case TW_VALUE_##enum_:                    \
		print_##name(field, out, size);   \
		break;
		TW_VALUE_KINDS(X)
#undef X
	}
}
