/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lab/path.h"
#include "lab/value_kinds.h"

static const struct tw_value_unit time_units[] = {
	{ "s", 1000000000 },
	{ "ms", 1000000 },
	{ "us", 1000 },
	{ "ns", 1 },
};
static const struct tw_value_unit rate_units[] = {
	{ "gbit", 1000000000 },
	{ "mbit", 1000000 },
	{ "kbit", 1000 },
	{ "bit", 1 },
};
static const struct tw_value_unit size_units[] = {
	{ "g", 1 << 30 }, { "m", 1 << 20 }, { "k", 1 << 10 }, { "", 1 }
};
static const struct tw_value_unit share_units[] = { { "%", TW_SHARE_ONE / 100 } };
static const struct tw_value_unit plain_units[] = { { "", 1 } };

enum { N_TIME = 4, N_RATE = 4, N_SIZE = 4 };

/*
 * Reads digits, with a point among them perhaps, as `mantissa` / `divisor`; the end of it, or NULL
 * where there are none or too many.
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
static int scale(uint64_t mantissa, uint64_t divisor, int64_t unit, struct tw_range range,
		 int64_t *out)
{
	__int128 value = ((__int128)mantissa * unit + divisor / 2) / divisor;

	if (value > INT64_MAX || in_range((int64_t)value, range) || (!value && mantissa))
		return -ERANGE;
	*out = (int64_t)value;
	return 0;
}

/* A number and one of `n` units; a plain 0 needs none. */
int tw_value_read_number(const char *text, const struct tw_value_unit *units, int n,
			 struct tw_range range, int64_t *out)
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
static void print_number(int64_t value, const struct tw_value_unit *units, int n, char *out,
			 size_t size)
{
	int i = 0;

	while (i + 1 < n && value % units[i].size)
		i++;
	snprintf(out, size, "%" PRId64 "%s", value / units[i].size, units[i].name);
}

int tw_value_parse_time(const char *text, struct tw_range range, int64_t *out)
{
	return tw_value_read_number(text, time_units, N_TIME, range, out);
}

void tw_value_print_time(const int64_t *value, char *out, size_t size)
{
	print_number(*value, time_units, N_TIME, out, size);
}

/*
 * "bps" is refused: tc takes it for bytes, everybody else for bits. So is "mb", but not "MB/s",
 * which nobody takes for anything but bytes.
 */
int tw_value_parse_rate(const char *text, struct tw_range range, int64_t *out)
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

void tw_value_print_rate(const int64_t *value, char *out, size_t size)
{
	print_number(*value, rate_units, N_RATE, out, size);
}

int tw_value_parse_size(const char *text, struct tw_range range, int64_t *out)
{
	return tw_value_read_number(text, size_units, N_SIZE, range, out);
}

void tw_value_print_size(const int64_t *value, char *out, size_t size)
{
	print_number(*value, size_units, N_SIZE, out, size);
}

int tw_value_parse_count(const char *text, struct tw_range range, int64_t *out)
{
	return tw_value_read_number(text, plain_units, 1, range, out);
}

void tw_value_print_count(const int64_t *value, char *out, size_t size)
{
	print_number(*value, plain_units, 1, out, size);
}

int tw_value_parse_signed(const char *text, struct tw_range range, int64_t *out)
{
	int64_t value;
	bool negative = *text == '-';
	int ret = tw_value_read_number(text + negative, plain_units, 1,
				       (struct tw_range){ 0, 1 << 30 }, &value);

	if (ret)
		return ret;
	value = negative ? -value : value;
	ret = in_range(value, range);
	if (!ret)
		*out = value;
	return ret;
}

void tw_value_print_signed(const int64_t *value, char *out, size_t size)
{
	tw_value_print_count(value, out, size);
}

int tw_value_parse_share(const char *text, struct tw_range range, int64_t *out)
{
	return tw_value_read_number(text, share_units, 1, range, out);
}

void tw_value_print_share(const int64_t *value, char *out, size_t size)
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

int tw_value_parse_flag(const char *text, struct tw_range range, int64_t *out)
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

void tw_value_print_flag(const int64_t *value, char *out, size_t size)
{
	snprintf(out, size, "%s", *value ? "yes" : "no");
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
	if (strlen(text) >= TW_VALUE_MAX)
		return -EINVAL;
	if (!strcasecmp(text, "none") || !strcasecmp(text, "off")) {
		memset(field, 0, tw_value_size(kind));
		return 0;
	}
	switch (kind) {
#define X(enum_, name, type, form) \
	case TW_VALUE_##enum_: return tw_value_parse_##name(text, range, field);
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
#define X(enum_, name, type, form) \
	case TW_VALUE_##enum_: tw_value_print_##name(field, out, size); break;
		TW_VALUE_KINDS(X)
#undef X
	}
}
