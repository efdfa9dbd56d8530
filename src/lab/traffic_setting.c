/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of the kernel: files under /proc/sys/net/ipv4, which are those of the own namespace. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/traffic_parts.h"

struct setting {
	const char *word;
	enum tw_value_kind kind;
	size_t at;
	const char *file;
};

static const struct setting settings[] = {
#define X(word, kind, field, least, most, file, help) \
	{ word, TW_VALUE_##kind, offsetof(struct tw_traffic_host, field), file },
	TW_TRAFFIC_SETTINGS(X)
#undef X
};

enum { N_SETTINGS = sizeof(settings) / sizeof(*settings) };

/* What to write; false where the kernel's own value is to stay. */
static bool text_of(const struct setting *setting, const struct tw_traffic_host *host, char *out,
		    size_t size)
{
	const void *field = (const char *)host + setting->at;
	const struct tw_triple *triple = field;

	if (setting->kind == TW_VALUE_TRIPLE) {
		snprintf(out, size, "%" PRId64 " %" PRId64 " %" PRId64, triple->least,
			 triple->usual, triple->most);
		return triple->most;
	}
	snprintf(out, size, "%" PRId64, *(const int64_t *)field - 1);
	return *(const int64_t *)field;
}

static int write_setting(const struct setting *setting, const char *text, struct tw_error *err)
{
	char path[80];
	ssize_t n;
	int fd, error;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/%s", setting->file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return tw_error_set(err, -errno, "%s: cannot be set here: %s: %s", setting->word,
				    path, strerror(errno));
	n = write(fd, text, strlen(text));
	error = n < 0 ? errno : 0;
	close(fd);
	if (error)
		return tw_error_set(err, -error, "%s: %s does not take '%s': %s", setting->word,
				    path, text, strerror(error));
	return 0;
}

int tw_traffic_set_kernel(const struct tw_traffic_host *host, bool is_allowed, struct tw_error *err)
{
	char text[80];

	for (int i = 0; i < N_SETTINGS; i++) {
		int ret;

		if (!text_of(&settings[i], host, text, sizeof(text)))
			continue;
		if (!is_allowed)
			return tw_error_set(err, -EPERM,
					    "%s would change this host's net.ipv4.%s: not without "
					    "--sysctl",
					    settings[i].word, settings[i].file);
		ret = write_setting(&settings[i], text, err);
		if (ret)
			return ret;
	}
	return 0;
}
