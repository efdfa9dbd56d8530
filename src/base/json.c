/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void tw_json_init(struct tw_json *json, FILE *out, bool pretty)
{
	*json = (struct tw_json){ .out = out, .pretty = pretty };
}

static void fail(struct tw_json *json, int error)
{
	if (!json->error)
		json->error = error;
}

static void put(struct tw_json *json, const char *text, size_t n)
{
	if (json->error)
		return;
	errno = 0;
	if (fwrite(text, 1, n, json->out) != n)
		fail(json, errno ? -errno : -EIO);
}

static void puts_plain(struct tw_json *json, const char *text)
{
	put(json, text, strlen(text));
}

static void new_line(struct tw_json *json)
{
	if (!json->pretty)
		return;
	puts_plain(json, "\n");
	for (unsigned i = 0; i < json->depth; i++)
		puts_plain(json, "  ");
}

/* One code point, or one byte that is none, inside a string; returns the bytes it took. */
static size_t put_escaped(struct tw_json *json, const char *text)
{
	char escape[16];
	uint32_t code = 0;
	size_t n = tw_utf8_decode(text, &code);

	if (!n) {
		puts_plain(json, "\xef\xbf\xbd"); /* U+FFFD */
		return 1;
	}
	if (code == '"' || code == '\\') {
		snprintf(escape, sizeof(escape), "\\%c", (char)code);
		puts_plain(json, escape);
	} else if (tw_utf8_is_control(code)) {
		/* more than RFC 8259 asks for: people look at JSON on terminals, too */
		if (code <= 0xffff)
			snprintf(escape, sizeof(escape), "\\u%04x", (unsigned)code);
		else
			snprintf(escape, sizeof(escape), "\\u%04x\\u%04x",
				 0xd7c0 + (unsigned)(code >> 10),
				 0xdc00 + (unsigned)(code & 0x3ff));
		puts_plain(json, escape);
	} else {
		put(json, text, n);
	}
	return n;
}

static void put_string(struct tw_json *json, const char *text)
{
	puts_plain(json, "\"");
	while (*text) {
		size_t plain = 0;

		while (text[plain] >= 0x20 && text[plain] < 0x7f && text[plain] != '"' &&
		       text[plain] != '\\')
			plain++;
		if (plain) {
			put(json, text, plain);
			text += plain;
		} else {
			text += put_escaped(json, text);
		}
	}
	puts_plain(json, "\"");
}

/* What stands before a value: comma, line, key. */
static void begin(struct tw_json *json, const char *key)
{
	bool in_object = json->depth && json->closing[json->depth - 1] == '}';

	if ((key != NULL) != in_object)
		fail(json, -EINVAL);
	if (json->depth) {
		if (json->has_member[json->depth - 1])
			puts_plain(json, ",");
		json->has_member[json->depth - 1] = true;
		new_line(json);
	}
	if (key) {
		put_string(json, key);
		puts_plain(json, json->pretty ? ": " : ":");
	}
}

static void open_container(struct tw_json *json, const char *key, const char *opening, char closing)
{
	begin(json, key);
	if (json->depth == TW_JSON_DEPTH)
		fail(json, -EINVAL);
	if (json->error)
		return;
	puts_plain(json, opening);
	json->closing[json->depth] = closing;
	json->has_member[json->depth] = false;
	json->depth++;
}

void tw_json_object(struct tw_json *json, const char *key)
{
	open_container(json, key, "{", '}');
}

void tw_json_array(struct tw_json *json, const char *key)
{
	open_container(json, key, "[", ']');
}

void tw_json_end(struct tw_json *json)
{
	if (!json->depth)
		fail(json, -EINVAL);
	if (json->error)
		return;
	json->depth--;
	if (json->has_member[json->depth])
		new_line(json);
	put(json, &json->closing[json->depth], 1);
}

void tw_json_string(struct tw_json *json, const char *key, const char *text)
{
	begin(json, key);
	put_string(json, text);
}

void tw_json_uint(struct tw_json *json, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	begin(json, key);
	puts_plain(json, text);
}

void tw_json_bool(struct tw_json *json, const char *key, bool value)
{
	begin(json, key);
	puts_plain(json, value ? "true" : "false");
}

void tw_json_null(struct tw_json *json, const char *key)
{
	begin(json, key);
	puts_plain(json, "null");
}

void tw_json_double(struct tw_json *json, const char *key, double value)
{
	char text[40], plain[40];
	size_t n = 0;

	if (!isfinite(value)) {
		tw_json_null(json, key);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value) /* in the same locale as snprintf */
			break;
	}
	/* whatever the locale has for a decimal point, of any length, becomes one dot */
	for (const char *p = text; *p; p++) {
		if (strchr("0123456789+-e", *p))
			plain[n++] = *p;
		else if (!n || plain[n - 1] != '.')
			plain[n++] = '.';
	}
	plain[n] = '\0';
	begin(json, key);
	puts_plain(json, plain);
}

void tw_json_seconds(struct tw_json *json, const char *key, int64_t ns)
{
	uint64_t value = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	uint64_t second = UINT64_C(1000000000);
	char text[40];
	int n;

	n = snprintf(text, sizeof(text), "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "",
		     value / second, value % second);
	while (text[n - 1] == '0')
		n--;
	if (text[n - 1] == '.')
		n--;
	text[n] = '\0';
	begin(json, key);
	puts_plain(json, text);
}

int tw_json_finish(struct tw_json *json)
{
	if (json->depth)
		fail(json, -EINVAL);
	puts_plain(json, "\n");
	return json->error;
}
