/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/terminal.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/units.h"
#include "output/page.h"

unsigned tw_terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int n;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	n = columns ? atoi(columns) : 0;
	return n > 0 ? (unsigned)n : 0;
}

bool tw_terminal_color(enum tw_color color)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (color == TW_COLOR_ALWAYS || color == TW_COLOR_NEVER)
		return color == TW_COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}

bool tw_terminal_unicode(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static double seconds_since(const struct timespec *then, const struct timespec *now)
{
	return (double)(now->tv_sec - then->tv_sec) + (double)(now->tv_nsec - then->tv_nsec) / 1e9;
}

void tw_progress_init(struct tw_progress *progress)
{
	*progress = (struct tw_progress){ .name = "", .is_possible = isatty(STDERR_FILENO) };
	clock_gettime(CLOCK_MONOTONIC, &progress->start);
	progress->last = progress->start;
}

void tw_progress_report(void *context, double share, uint64_t packets)
{
	enum { NAME = 24, BAR = 20 };
	static const double patience = 1, interval = 0.1; /* seconds */
	struct tw_progress *progress = context;
	struct tw_page page = { .unicode = tw_terminal_unicode() };
	char escaped[256], name[256], bar[BAR + 1];
	struct timespec now;

	if (!progress->is_possible)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (seconds_since(&progress->start, &now) < patience ||
	    seconds_since(&progress->last, &now) < interval)
		return;
	progress->last = now;
	progress->is_shown = true;
	tw_page_printable(&page, progress->name, escaped, sizeof(escaped));
	tw_page_elide(&page, escaped, NAME, name, sizeof(name));
	fprintf(stderr, "\r\033[K%s  ", name);
	if (share >= 0) {
		int full = (int)((share < 1 ? share : 1) * BAR);

		memset(bar, '#', (size_t)full);
		memset(bar + full, '.', (size_t)(BAR - full));
		bar[BAR] = '\0';
		fprintf(stderr, "%s %3.0f %%  ", bar, share * 100);
	}
	fprintf(stderr, "%s packets", tw_count(packets).s);
	fflush(stderr);
}

void tw_progress_wipe(struct tw_progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = false;
}
