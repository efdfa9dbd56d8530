/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One-line error texts. Functions return 0 or a negative errno; where a user needs more than the
 * number (a file name, a byte offset) the text travels in a tw_error that the caller owns.
 */
#ifndef TW_BASE_ERROR_H
#define TW_BASE_ERROR_H

struct tw_error {
	char text[320]; /* NUL-terminated, no newline; "" when nothing was said */
};

/*
 * Formats the text into `err` (which may be NULL) and returns `code`, so that a function can end
 * with `return tw_error_set(err, -EINVAL, "...")`. An overlong text is cut.
 */
int tw_error_set(struct tw_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
