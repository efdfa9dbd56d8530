/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON writer: layout, escapes, numbers, misuse, and writes that fail. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

struct output {
	char *text;
	size_t size;
	FILE *file;
};

static void begin(struct output *out, struct tw_json *json, bool pretty)
{
	*out = (struct output){ 0 };
	out->file = open_memstream(&out->text, &out->size);
	assert_non_null(out->file);
	tw_json_init(json, out->file, pretty);
}

static void expect(struct output *out, struct tw_json *json, const char *want)
{
	assert_int_equal(tw_json_finish(json), 0);
	assert_int_equal(fclose(out->file), 0);
	assert_string_equal(out->text, want);
	free(out->text);
}

static void test_layout(void **state)
{
	struct output out;
	struct tw_json json;

	(void)state;
	for (int pretty = 0; pretty < 2; pretty++) {
		begin(&out, &json, pretty);
		tw_json_object(&json, NULL);
		tw_json_uint(&json, "n", 1);
		tw_json_array(&json, "list");
		tw_json_bool(&json, NULL, true);
		tw_json_null(&json, NULL);
		tw_json_object(&json, NULL);
		tw_json_end(&json);
		tw_json_end(&json);
		tw_json_array(&json, "empty");
		tw_json_end(&json);
		tw_json_end(&json);
		expect(&out, &json,
		       pretty ?
			       "{\n  \"n\": 1,\n  \"list\": [\n    true,\n    null,\n    {}\n  ],\n"
			       "  \"empty\": []\n}\n" :
			       "{\"n\":1,\"list\":[true,null,{}],\"empty\":[]}\n");
	}
}

static void expect_text(const char *text, const char *want)
{
	struct output out;
	struct tw_json json;

	begin(&out, &json, false);
	tw_json_string(&json, NULL, text);
	expect(&out, &json, want);
}

static void test_strings(void **state)
{
	(void)state;
	expect_text("", "\"\"\n");
	expect_text("a\"b\\c/d", "\"a\\\"b\\\\c/d\"\n");
	expect_text("\t\n\x01\x1f\x7f", "\"\\u0009\\u000a\\u0001\\u001f\\u007f\"\n");
	expect_text("\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80",
		    "\"\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\"\n");
	expect_text("\xc2\x9b"
		    "2J\xe2\x80\xae",
		    "\"\\u009b2J\\u202e\"\n");
	expect_text("\xf3\xa0\x81\x81",
		    "\"\\udb40\\udc41\"\n"); /* U+E0041, a tag: as a surrogate pair */
	expect_text("a\xff\xc3(\xed\xa0\x80",
		    "\"a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n");
}

/* Keys take the same way as strings: a name from a file may be a key. */
static void test_key_escaped(void **state)
{
	struct output out;
	struct tw_json json;

	(void)state;
	begin(&out, &json, false);
	tw_json_object(&json, NULL);
	tw_json_uint(&json, "a\"\n", UINT64_MAX);
	tw_json_end(&json);
	expect(&out, &json, "{\"a\\\"\\u000a\":18446744073709551615}\n");
}

static void expect_seconds(int64_t ns, const char *want)
{
	struct output out;
	struct tw_json json;

	begin(&out, &json, false);
	tw_json_seconds(&json, NULL, ns);
	expect(&out, &json, want);
}

static void test_seconds(void **state)
{
	(void)state;
	expect_seconds(0, "0\n");
	expect_seconds(1, "0.000000001\n");
	expect_seconds(1500000000, "1.5\n");
	expect_seconds(INT64_C(100000000000), "100\n");
	expect_seconds(INT64_C(1700000000123456789), "1700000000.123456789\n");
	expect_seconds(-1, "-0.000000001\n");
	expect_seconds(-1500000000, "-1.5\n");
	expect_seconds(INT64_MIN, "-9223372036.854775808\n");
}

static void expect_double(double value, const char *want)
{
	struct output out;
	struct tw_json json;

	begin(&out, &json, false);
	tw_json_double(&json, NULL, value);
	expect(&out, &json, want);
}

static void test_doubles(void **state)
{
	(void)state;
	expect_double(0, "0\n");
	expect_double(0.987, "0.987\n");
	expect_double(0.1 + 0.2, "0.30000000000000004\n");
	expect_double(1.0 / 3, "0.3333333333333333\n");
	expect_double(-2.5e-9, "-2.5e-09\n");
	expect_double(1e300, "1e+300\n");
	expect_double(NAN, "null\n");
	expect_double(INFINITY, "null\n");
}

/* Whatever is printed reads back as the same double. */
static void test_doubles_round_trip(void **state)
{
	uint64_t bits = UINT64_C(0x9e3779b97f4a7c15);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct output out;
		struct tw_json json;
		double value;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		begin(&out, &json, false);
		tw_json_double(&json, NULL, value);
		assert_int_equal(tw_json_finish(&json), 0);
		assert_int_equal(fclose(out.file), 0);
		assert_true(strtod(out.text, NULL) == value);
		free(out.text);
	}
}

/* A program that embeds the library may have set a locale with a decimal comma. */
static void test_locale(void **state)
{
	static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8",
					     "fr_FR.utf8" };
	const char *set = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !set; i++)
		set = setlocale(LC_NUMERIC, names[i]);
	if (!set)
		skip(); /* no such locale on this host */
	expect_double(1234.5, "1234.5\n");
	expect_seconds(1500000000, "1.5\n");
	setlocale(LC_NUMERIC, "C");
}

static void test_misuse(void **state)
{
	struct tw_json json;
	struct output out;

	(void)state;
	begin(&out, &json, false); /* a key in an array */
	tw_json_array(&json, NULL);
	tw_json_uint(&json, "key", 1);
	tw_json_end(&json);
	assert_int_equal(tw_json_finish(&json), -EINVAL);
	fclose(out.file);
	free(out.text);

	begin(&out, &json, false); /* no key in an object */
	tw_json_object(&json, NULL);
	tw_json_uint(&json, NULL, 1);
	tw_json_end(&json);
	assert_int_equal(tw_json_finish(&json), -EINVAL);
	fclose(out.file);
	free(out.text);

	begin(&out, &json, false); /* an end too many */
	tw_json_array(&json, NULL);
	tw_json_end(&json);
	tw_json_end(&json);
	assert_int_equal(tw_json_finish(&json), -EINVAL);
	fclose(out.file);
	free(out.text);

	begin(&out, &json, false); /* an end too few */
	tw_json_array(&json, NULL);
	assert_int_equal(tw_json_finish(&json), -EINVAL);
	fclose(out.file);
	free(out.text);
}

static void test_depth(void **state)
{
	struct output out;
	struct tw_json json;

	(void)state;
	begin(&out, &json, false);
	for (int i = 0; i < TW_JSON_DEPTH; i++)
		tw_json_array(&json, NULL);
	for (int i = 0; i < TW_JSON_DEPTH; i++)
		tw_json_end(&json);
	expect(&out, &json, "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]\n");

	begin(&out, &json, false);
	for (int i = 0; i <= TW_JSON_DEPTH; i++)
		tw_json_array(&json, NULL);
	for (int i = 0; i <= TW_JSON_DEPTH; i++)
		tw_json_end(&json);
	assert_int_equal(tw_json_finish(&json), -EINVAL);
	fclose(out.file);
	free(out.text);
}

static void test_write_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct tw_json json;

	(void)state;
	if (!full)
		skip();
	setvbuf(full, NULL, _IONBF, 0);
	tw_json_init(&json, full, false);
	tw_json_array(&json, NULL);
	for (int i = 0; i < 10; i++)
		tw_json_uint(&json, NULL, 1);
	tw_json_end(&json);
	assert_int_equal(tw_json_finish(&json), -ENOSPC);
	fclose(full);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),      cmocka_unit_test(test_strings),
		cmocka_unit_test(test_key_escaped), cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_doubles),     cmocka_unit_test(test_doubles_round_trip),
		cmocka_unit_test(test_locale),      cmocka_unit_test(test_misuse),
		cmocka_unit_test(test_depth),       cmocka_unit_test(test_write_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
