/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/traffic.h"

#include <errno.h>
#include <string.h>

static const struct tw_word parameters[] = {
#define X(word, kind, field, least, most, shared, help)                                    \
	{ word, TW_VALUE_##kind, offsetof(struct tw_traffic_host, field), { least, most }, \
	  help, shared, false },
	TW_TRAFFIC_PARAMETERS(X)
#undef X
#define X(word, kind, field, least, most, file, help)                                            \
	{ word, TW_VALUE_##kind, offsetof(struct tw_traffic_host, field), { least, most }, help, \
	  false, false },
		TW_TRAFFIC_SETTINGS(X)
#undef X
};

static const struct tw_words words = {
	.words = parameters,
	.n = sizeof(parameters) / sizeof(*parameters),
	.side = { "client", "server" },
	.sides = "hosts",
};

const struct tw_word *tw_traffic_word(const char *name)
{
	return tw_words_find(&words, name);
}

static const struct tw_traffic_host plain = {
	.pattern = TW_PATTERN_BULK,
	.dir = TW_DIR_DOWN,
	.bytes = 1 << 20,
	.count = 100,
	.request = 100,
	.reply = 100,
};

void tw_traffic_init(struct tw_traffic *traffic)
{
	*traffic = (struct tw_traffic){ .client = plain, .server = plain };
}

int tw_traffic_parse(struct tw_traffic *traffic, const char *text, struct tw_error *err)
{
	struct tw_traffic work = *traffic;
	int ret = tw_words_parse(&words, (void *[]){ &work.client, &work.server }, text, err);

	if (!ret)
		*traffic = work;
	return ret;
}

/* A message of `bytes` must have a byte for each of its writes. */
static int check_message(const char *name, int64_t bytes, int64_t head, int64_t writes,
			 struct tw_error *err)
{
	if (!bytes)
		return tw_error_set(err, -EINVAL, "%s=none: a message has a byte at least", name);
	if (head && head >= bytes)
		return tw_error_set(err, -EINVAL, "%s-head must be less than %s", name, name);
	if (writes > 1 && (head ? bytes - head < writes - 1 : bytes < writes))
		return tw_error_set(err, -EINVAL, "%s has fewer bytes than %s-writes", name, name);
	return 0;
}

static int check_host(const char *name, const struct tw_traffic_host *host, struct tw_error *err)
{
	/* The other way round is how a text takes a stall back: stall-for=none. */
	if (host->stall_for && !host->stall_after)
		return tw_error_set(err, -EINVAL, "%s: stall-for needs stall-after", name);
	return 0;
}

int tw_traffic_check(const struct tw_traffic *traffic, struct tw_error *err)
{
	const struct tw_traffic_host *host = &traffic->client;
	int ret = check_host("client", &traffic->client, err);

	if (!ret)
		ret = check_host("server", &traffic->server, err);
	if (ret)
		return ret;
	switch (host->pattern) {
	case TW_PATTERN_BULK:
		if (!host->dir)
			return tw_error_set(err, -EINVAL, "a bulk needs dir=up, down or both");
		return 0;
	case TW_PATTERN_PULL:
		return check_message("request", host->request, host->request_head,
				     host->request_writes, err);
	case TW_PATTERN_REQUEST:
		if (!host->count)
			return tw_error_set(err, -EINVAL, "count=none: nothing to request");
		ret = check_message("request", host->request, host->request_head,
				    host->request_writes, err);
		return ret ? ret :
			     check_message("reply", host->reply, host->reply_head,
					   host->reply_writes, err);
	default: return tw_error_set(err, -EINVAL, "pattern=none: there is nothing to do");
	}
}

int tw_traffic_format(const struct tw_traffic *traffic, char *out, size_t size)
{
	return tw_words_format(&words, (const void *[]){ &traffic->client, &traffic->server },
			       &plain, out, size);
}

void tw_traffic_help(void (*line)(void *user, const char *word, const char *form, const char *help),
		     void *user)
{
	tw_words_help(&words, line, user);
}
