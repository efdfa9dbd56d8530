/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A streaming JSON writer (RFC 8259): values go to a FILE as they are named, nothing is kept but
 * the nesting. Whatever the bytes, the output is valid JSON in valid UTF-8: control characters
 * become \u00NN, bytes that are not UTF-8 become U+FFFD, numbers that are not finite become null.
 *
 *     tw_json_init(&json, stdout, true);
 *     tw_json_object(&json, NULL);
 *     tw_json_string(&json, "name", name);
 *     tw_json_end(&json);
 *     error = tw_json_finish(&json);
 */
#ifndef TW_BASE_JSON_H
#define TW_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TW_JSON_DEPTH = 16 };

struct tw_json {
	FILE *out;        /* the caller's; neither flushed nor closed */
	bool pretty;      /* one member a line, indented; else no white space at all */
	int error;        /* sticky: 0 or the first negative errno; nothing is written after it */
	unsigned depth;   /* open objects and arrays */
	char closing[TW_JSON_DEPTH];  /* '}' or ']' of each */
	bool has_member[TW_JSON_DEPTH];
};

void tw_json_init(struct tw_json *json, FILE *out, bool pretty);

/*
 * Every value takes a key: a name inside an object, NULL inside an array and at the top. A key
 * where none belongs, a missing one, an end too many or nesting beyond TW_JSON_DEPTH sets -EINVAL.
 */
void tw_json_object(struct tw_json *json, const char *key);
void tw_json_array(struct tw_json *json, const char *key);
/* Ends the innermost object or array. */
void tw_json_end(struct tw_json *json);

void tw_json_string(struct tw_json *json, const char *key, const char *text);
void tw_json_uint(struct tw_json *json, const char *key, uint64_t value);
void tw_json_bool(struct tw_json *json, const char *key, bool value);
void tw_json_null(struct tw_json *json, const char *key);

/* The shortest of 15 to 17 digits that reads back as the same double, whatever the locale. */
void tw_json_double(struct tw_json *json, const char *key, double value);

/* Nanoseconds as a number of seconds, exact: 1500000000 is 1.5, 1 is 0.000000001. */
void tw_json_seconds(struct tw_json *json, const char *key, int64_t ns);

/*
 * Ends the text with a newline. Returns the sticky error: -EINVAL also where something is still
 * open, -EIO or what errno said where `out` took less than it was given.
 */
int tw_json_finish(struct tw_json *json);

#endif
