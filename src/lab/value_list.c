/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that are made of several. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lab/path.h"
#include "lab/value_kinds.h"

static const struct tw_value_unit packet_units[] = { { "p", 1 } };

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

int tw_value_parse_amount(const char *text, struct tw_range range, struct tw_amount *out)
{
	struct tw_amount amount = *out;
	char copy[TW_VALUE_MAX], *rest = copy, *part;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((part = next_part(&rest, "+"))) {
		int ret = tw_value_read_number(part, packet_units, 1, range, &amount.packets);

		if (ret == -EINVAL || !strcmp(part, "0"))
			ret = tw_value_parse_size(part, range, &amount.bytes);
		if (ret)
			return ret;
	}
	*out = amount;
	return 0;
}

void tw_value_print_amount(const struct tw_amount *amount, char *out, size_t size)
{
	char bytes[32];

	tw_value_print_size(&amount->bytes, bytes, sizeof(bytes));
	if (amount->bytes && amount->packets)
		snprintf(out, size, "%s+%" PRId64 "p", bytes, amount->packets);
	else if (amount->packets)
		snprintf(out, size, "%" PRId64 "p", amount->packets);
	else
		snprintf(out, size, "%s", bytes);
}

int tw_value_parse_span(const char *text, struct tw_range range, struct tw_span *out)
{
	char copy[TW_VALUE_MAX], *rest = copy;
	struct tw_span span;
	int ret;

	snprintf(copy, sizeof(copy), "%s", text);
	ret = tw_value_parse_time(next_part(&rest, ".."), range, &span.from);
	if (ret)
		return ret;
	if (!rest)
		return -EINVAL;
	ret = tw_value_parse_time(rest, range, &span.to);
	if (ret)
		return ret;
	if (span.to <= span.from)
		return -ERANGE;
	*out = span;
	return 0;
}

void tw_value_print_span(const struct tw_span *span, char *out, size_t size)
{
	char from[32], to[32];

	tw_value_print_time(&span->from, from, sizeof(from));
	tw_value_print_time(&span->to, to, sizeof(to));
	snprintf(out, size, "%s..%s", from, to);
}

int tw_value_parse_gemodel(const char *text, struct tw_range range, struct tw_gemodel *out)
{
	char copy[TW_VALUE_MAX], *rest = copy, *part;
	int64_t value[4] = { 0, 0, TW_SHARE_ONE, 0 };
	int n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((part = next_part(&rest, ":"))) {
		int ret = n < 4 ? tw_value_parse_share(part, range, &value[n]) : -EINVAL;

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

void tw_value_print_gemodel(const struct tw_gemodel *model, char *out, size_t size)
{
	char share[4][32];

	tw_value_print_share(&model->p, share[0], sizeof(share[0]));
	tw_value_print_share(&model->r, share[1], sizeof(share[1]));
	tw_value_print_share(&model->bad, share[2], sizeof(share[2]));
	tw_value_print_share(&model->good, share[3], sizeof(share[3]));
	if (model->good)
		snprintf(out, size, "%s:%s:%s:%s", share[0], share[1], share[2], share[3]);
	else if (model->bad != TW_SHARE_ONE)
		snprintf(out, size, "%s:%s:%s", share[0], share[1], share[2]);
	else
		snprintf(out, size, "%s:%s", share[0], share[1]);
}

/* Rules that are a count: X(word, field, count where none is given; 0: one must be) */
#define RULES(X)                    \
	X("syn", syn, 1)            \
	X("synack", synack, 1)      \
	X("fin", fin, 1)            \
	X("last", last, 1000000000) \
	X("resend", resend, 1)      \
	X("every", every, 0)

static int parse_nth(const char *text, struct tw_range range, struct tw_rules *rules)
{
	char copy[TW_VALUE_MAX], *rest = copy;
	int64_t from, to;
	int ret;

	snprintf(copy, sizeof(copy), "%s", text);
	ret = tw_value_parse_count(next_part(&rest, ".."), range, &from);
	to = from;
	if (!ret && rest)
		ret = tw_value_parse_count(rest, range, &to);
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
#define X(name, field, usual)                                                      \
	if (!strcmp(word, name)) {                                                 \
		if (number)                                                        \
			return tw_value_parse_count(number, range, &rules->field); \
		rules->field = usual;                                              \
		return usual ? 0 : -EINVAL;                                        \
	}
	RULES(X)
#undef X
	return -EINVAL;
}

int tw_value_parse_rules(const char *text, struct tw_range range, struct tw_rules *out)
{
	struct tw_rules rules = { 0 };
	char copy[TW_VALUE_MAX], *rest = copy, *part;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((part = next_part(&rest, "+"))) {
		int ret = parse_rule(part, range, &rules);

		if (ret)
			return ret;
	}
	*out = rules;
	return 0;
}

void tw_value_print_rules(const struct tw_rules *rules, char *out, size_t size)
{
	char text[TW_VALUE_MAX];
	size_t n = 0;

	text[0] = '\0';
#define X(name, field, usual)                                                                    \
	if (rules->field && n < sizeof(text))                                                    \
		n += (size_t)(rules->field == usual ?                                            \
				      snprintf(text + n, sizeof(text) - n, "+" name) :           \
				      snprintf(text + n, sizeof(text) - n, "+" name ":%" PRId64, \
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
	{ "wscale", TW_STRIP_WSCALE },
	{ "sack", TW_STRIP_SACK },
	{ "timestamps", TW_STRIP_TIMESTAMPS },
};

enum { N_STRIPS = 3 };

int tw_value_parse_strip(const char *text, struct tw_range range, int64_t *out)
{
	char copy[TW_VALUE_MAX], *rest = copy, *part;
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

void tw_value_print_strip(const int64_t *set, char *out, size_t size)
{
	char text[TW_VALUE_MAX] = "";

	for (int i = 0; i < N_STRIPS; i++)
		if (*set & strips[i].bit) {
			strcat(text, "+");
			strcat(text, strips[i].name);
		}
	snprintf(out, size, "%s", *text ? text + 1 : "none");
}
