/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

struct tw_text tw_duration(int64_t ns)
{
	struct tw_text t;
	double s = (double)ns / 1e9;

	if (ns < 0)
		snprintf(t.s, sizeof(t.s), "-%.3g s", -s);
	else if (ns < 1000)
		snprintf(t.s, sizeof(t.s), "%" PRId64 " ns", ns);
	else if (ns < 99950)
		snprintf(t.s, sizeof(t.s), "%.*f us", ns < 9995 ? 1 : 0, s * 1e6);
	else if (ns < 999500)
		snprintf(t.s, sizeof(t.s), "%.0f us", s * 1e6);
	else if (ns < 9995000)
		snprintf(t.s, sizeof(t.s), "%.2f ms", s * 1e3);
	else if (ns < 999950000)
		snprintf(t.s, sizeof(t.s), "%.1f ms", s * 1e3);
	else if (s < 9.9995)
		snprintf(t.s, sizeof(t.s), "%.3f s", s);
	else if (s < 120)
		snprintf(t.s, sizeof(t.s), "%.*f s", s < 99.95 ? 2 : 1, s);
	else if (s < 7200)
		snprintf(t.s, sizeof(t.s), "%.0f min %.0f s", (double)((int64_t)s / 60),
			 (double)((int64_t)s % 60));
	else
		snprintf(t.s, sizeof(t.s), "%" PRId64 " h %" PRId64 " min", (int64_t)s / 3600,
			 (int64_t)s % 3600 / 60);
	return t;
}

struct tw_text tw_count(uint64_t n)
{
	struct tw_text t;
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *out = t.s;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return t;
}

/* Three significant figures of a number scaled by a unit of `step` powers. */
static struct tw_text scaled(double value, double step, const char *const units[], int n_units)
{
	struct tw_text t;
	int i = 0;

	while (i + 1 < n_units && value >= step * 0.9995) {
		value /= step;
		i++;
	}
	snprintf(t.s, sizeof(t.s), "%.*f %s", value < 9.95 ? 1 : 0, value, units[i]);
	return t;
}

struct tw_text tw_size(uint64_t bytes)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB", "PB" };
	struct tw_text t;

	if (bytes >= 100000)
		return scaled((double)bytes / 1e3, 1e3, units, 5);
	t = tw_count(bytes);
	strcat(t.s, bytes == 1 ? " byte" : " bytes");
	return t;
}

struct tw_text tw_rate(double bits_per_second)
{
	static const char *const units[] = { "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s" };

	if (!(bits_per_second > 0))
		bits_per_second = 0;
	return scaled(bits_per_second, 1e3, units, 5);
}

struct tw_text tw_percent(double share)
{
	struct tw_text t;

	snprintf(t.s, sizeof(t.s), "%.1f %%", share * 100);
	return t;
}

struct tw_text tw_times(double ratio)
{
	struct tw_text t;

	snprintf(t.s, sizeof(t.s), "%.*f times", ratio < 9.95 ? 1 : 0, ratio);
	return t;
}

/* Length of the valid UTF-8 sequence at `text`, 0 where there is none or it is a control. */
static size_t printable(const char *text)
{
	uint32_t code;
	size_t n = tw_utf8_decode(text, &code);

	return n && !tw_utf8_is_control(code) ? n : 0;
}

const char *tw_escape(const char *text, char *out, size_t size)
{
	const char *p = text;
	size_t used = 0;

	if (!size)
		return out;
	while (*p) {
		size_t n = printable(p);

		if (n) {
			if (used + n >= size)
				break;
			memcpy(out + used, p, n);
			used += n;
			p += n;
		} else {
			if (used + 4 >= size)
				break;
			snprintf(out + used, 5, "\\x%02x", (unsigned char)*p++);
			used += 4;
		}
	}
	out[used] = '\0';
	return out;
}
