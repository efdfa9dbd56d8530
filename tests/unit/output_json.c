/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON report: valid whatever the bytes, true to the model, and documented field by field. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>

#include "base/utf8.h"
#include "output/json.h"
#include "sample_report.h"

typedef int render_function(const struct tw_report *report, const char *version, FILE *out);

/* The caller frees it. */
static char *render(const struct sample *s, render_function *function)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(function(&s->report, "0.1.0", out), 0);
	assert_int_equal(fclose(out), 0);
	if (!text)
		abort();
	return text;
}

static void assert_has(const char *text, const char *what)
{
	if (!text || !strstr(text, what)) {
		print_message("missing: %s\nin:\n%.4000s\n", what, text ? text : "");
		fail();
	}
}

/*
 * A strict reader of RFC 8259's grammar: returns what follows the value, NULL where it is not one.
 * Calls `key` for every member's name.
 */
typedef void key_function(const char *name, size_t n);

static const char *blanks(const char *p)
{
	return p + strspn(p, " \n");
}

static const char *read_string(const char *p)
{
	if (*p++ != '"')
		return NULL;
	while (*p != '"') {
		uint32_t code;
		size_t n = tw_utf8_decode(p, &code);

		if (!n || code < 0x20)
			return NULL;
		p += n;
		if (code != '\\')
			continue;
		if (*p == 'u' && isxdigit(p[1]) && isxdigit(p[2]) && isxdigit(p[3]) &&
		    isxdigit(p[4]))
			p += 5;
		else if (*p && strchr("\"\\/bfnrt", *p))
			p++;
		else
			return NULL;
	}
	return p + 1;
}

static const char *read_number(const char *p)
{
	p += *p == '-';
	if (!isdigit(*p) || (p[0] == '0' && isdigit(p[1])))
		return NULL;
	p += strspn(p, "0123456789");
	if (*p == '.') {
		p++;
		if (!isdigit(*p))
			return NULL;
		p += strspn(p, "0123456789");
	}
	if (*p == 'e') {
		p++;
		p += *p == '+' || *p == '-';
		if (!isdigit(*p))
			return NULL;
		p += strspn(p, "0123456789");
	}
	return p;
}

static const char *read_value(const char *p, key_function *key);

static const char *read_members(const char *p, char closing, key_function *key)
{
	p = blanks(p + 1);
	if (*p == closing)
		return p + 1;
	for (;;) {
		if (closing == '}') {
			const char *end = read_string(p);

			if (!end)
				return NULL;
			if (key)
				key(p + 1, (size_t)(end - p - 2));
			p = blanks(end);
			if (*p++ != ':')
				return NULL;
		}
		p = read_value(blanks(p), key);
		if (!p)
			return NULL;
		p = blanks(p);
		if (*p == closing)
			return p + 1;
		if (*p++ != ',')
			return NULL;
		p = blanks(p);
	}
}

static const char *read_value(const char *p, key_function *key)
{
	static const char *const words[] = { "true", "false", "null" };

	if (*p == '{')
		return read_members(p, '}', key);
	if (*p == '[')
		return read_members(p, ']', key);
	if (*p == '"')
		return read_string(p);
	for (size_t i = 0; i < 3; i++) {
		if (!strncmp(p, words[i], strlen(words[i])))
			return p + strlen(words[i]);
	}
	return read_number(p);
}

static void assert_valid(const char *text, key_function *key)
{
	const char *end = read_value(text, key);

	if (!end || strcmp(end, "\n")) {
		print_message("not JSON:\n%.4000s\n", text);
		fail();
	}
}

/* Everything that can be printed is in there. */
static struct sample *full_sample(void)
{
	struct sample *s = sample_many();

	s->input.n_warnings = 1;
	strcpy(s->input.warnings[0], "cut off at byte 1,234");
	strcpy(s->input.compression, "zstd");
	s->input.n_other = 1;
	strcpy(s->input.other[0].name, "UDP");
	for (unsigned i = 0; i < s->report.n_connections; i++) {
		struct sample_connection *c = &s->connection[i];

		c->report.bill.intervals = c->intervals;
		c->report.bill.n_intervals = 2;
		c->report.bill.rounds = c->rounds;
		c->report.bill.n_rounds = 2;
		c->rounds[0] = (struct tw_judged_round){
			.from = SAMPLE_START + 5 * SAMPLE_MS, .to = SAMPLE_START + 45 * SAMPLE_MS,
			.ns = 40 * SAMPLE_MS, .flight = 14480, .window = UINT32_MAX, .bytes = 13032,
			.cause = TW_CAUSE_SLOW_START, .confidence = 90,
		};
		c->rounds[1] = c->rounds[0];
		c->rounds[1].window = 8688;
		c->intervals[0] = (struct tw_interval){
			.from = c->report.summary.first + 5 * SAMPLE_MS,
			.to = c->report.summary.first + 45 * SAMPLE_MS,
			.packet_from = 4,
			.packet_to = 5,
			.cause = TW_CAUSE_NAGLE,
			.is_stall = true,
			.seq_from = 1,
			.seq_to = 101,
			.waited_ns = 40 * SAMPLE_MS,
			.released_by = 5,
			.confidence = 90,
		};
		c->rows[0].n_examples = 1;
		c->rows[0].example[0] = c->intervals[0];
		for (int side = 0; side < 2; side++) {
			struct tw_direction_summary *d = &c->report.summary.direction[side];

			d->sample = (struct tw_sample_summary){ .n = 3,
								.cwnd_max = 14480,
								.cut_packet = 9 };
			d->rtt = (struct tw_spread){
				.n = 1, .min = 1, .median = 1, .p95 = 1, .max = 1
			};
			for (int k = 0; k < TW_RESEND_CLASS_COUNT; k++)
				d->resends[k].count = (uint64_t)k + 1;
			for (int k = 0; k < TW_SPURIOUS_PROOF_COUNT; k++)
				d->spurious[k].count = 2;
			d->needless = 6;
		}
	}
	return s;
}

static char *document; /* doc/json.md */

static void assert_documented(const char *name, size_t n)
{
	char quoted[80];

	snprintf(quoted, sizeof(quoted), "`%.*s`", (int)n, name);
	if (!strstr(document, quoted)) {
		print_message("doc/json.md does not name the field %s\n", quoted);
		fail();
	}
}

static void test_every_field_is_documented(void **state)
{
	struct sample *s = full_sample();
	FILE *file = fopen("doc/json.md", "r");
	char *text = render(s, tw_output_json);
	size_t size = 0;

	(void)state;
	if (!file || getdelim(&document, &size, '\0', file) <= 0)
		fail_msg("doc/json.md cannot be read: tests run in the source folder");
	assert_valid(text, assert_documented);
	fclose(file);
	free(document);
	free(text);
	free(s);
}

static void test_figures(void **state)
{
	struct sample *s = full_sample();
	char *text;

	(void)state;
	s->report.n_connections = 1;
	text = render(s, tw_output_jsonl);
	assert_valid(text, NULL);
	assert_has(text,
		   "{\"schema\":\"tcpwhy/1\",\"version\":\"0.1.0\",\"id\":1,\"protocol\":\"tcp\","
		   "\"client\":\"192.0.2.1:50000\",\"server\":\"192.0.2.2:5001\"");
	assert_has(text, "\"first\":1700000000.123456789,\"duration_s\":7.07,\"after_s\":0,");
	assert_has(text, "\"vantage\":{\"place\":\"sender\",\"confidence\":0.99}");
	assert_has(text, "\"bill\":[{\"cause\":\"receive-window\",\"side\":\"client\",\"party\":"
			 "\"receiving host\",\"seconds\":6.98,\"share\":0.9872701555869873,"
			 "\"waits_s\":0,\"intervals\":1,\"rounds\":346");
	assert_has(text, "\"rtt_s\":{\"min\":0.000000001,");
	assert_has(text, "\"window\":{\"min\":2896,\"max\":8688,\"scale\":7,");
	assert_has(text, "\"window\":{\"min\":null,\"max\":null,\"scale\":null,");
	/* fast and rto are sums of three classes each; class k was seen k + 1 times */
	assert_has(text, "\"retransmissions\":{\"fast\":6,\"rto\":15,\"tlp\":7,\"persist\":8,"
			 "\"keepalive\":9,\"syn\":10,\"unknown\":11,\"spurious\":6,");
	assert_has(text, "\"id\":\"receive-buffer-small\",\"class\":\"fault\"");
	assert_has(text, "\"saves_s\":6.68,\"duration_without_s\":0.39,"
			 "\"duration_without_low_s\":0.38,\"duration_without_high_s\":0.4,\"at_least\":false,"
			 "\"next\":\"slow-start\"");
	assert_has(text, "{\"packet\":12,\"at\":0.040625,\"note\":");
	assert_has(
		text,
		"\"stalls\":[{\"from\":0.005,\"to\":0.045,\"kind\":\"stall\",\"cause\":\"nagle\"");
	assert_has(text, "\"rounds\":[{\"from\":0.005,\"to\":0.045,\"seconds\":0.04,\"cause\":\"slow-start\","
			 "\"side\":\"client\",\"confidence\":0.9,\"flight\":14480,\"window\":null,"
			 "\"window_full\":false,\"bytes\":13032}");
	free(text);
	free(s);
}

/* The ledger of a direction: the rows of its side, shares of its own time. */
static void test_ledger(void **state)
{
	struct sample *s = sample_empty();
	char *text;

	(void)state;
	sample_exchange(s);
	text = render(s, tw_output_jsonl);
	assert_valid(text, NULL);
	assert_has(text,
		   "\"ledger\":[{\"cause\":\"nagle-delayed-ack\",\"side\":\"client\",\"party\":"
		   "\"sending host\",\"seconds\":3.328,\"share\":0.9958");
	assert_has(text, "\"ledger\":[{\"cause\":\"sender-app\",\"side\":\"server\",\"party\":"
			 "\"sending application\",\"seconds\":0.12,\"share\":0.9917");
	free(text);
	free(s);
}

static void test_lines(void **state)
{
	struct sample *s = full_sample();
	char *text = render(s, tw_output_jsonl);
	unsigned lines = 0;

	(void)state;
	for (char *line = text; *line; lines++) {
		size_t n = strcspn(line, "\n");
		char *copy = strndup(line, n + 1);

		if (!copy)
			abort();
		assert_valid(copy, NULL);
		free(copy);
		line += n + 1;
	}
	assert_int_equal(lines, SAMPLE_CONNECTIONS);
	free(text);
	free(s);
}

static void test_hostile_bytes(void **state)
{
	static const char evil[] = "\033[2J\"\\\x9b\xff\xc3\xed\xa0\x80\xe2\x80\xae\x01";
	struct sample *s = full_sample();
	char *text;

	(void)state;
	s->input.name = (char *)(uintptr_t)evil;
	strcpy(s->input.warnings[0], evil);
	strcpy(s->input.other[0].name, evil);
	strcpy(s->connection[0].findings[0].text, evil);
	strcpy(s->connection[0].findings[0].evidence[0].note, evil);
	/* instants from a hostile file may be farther apart than a time can hold */
	s->connection[0].report.summary.first = INT64_MIN;
	s->connection[0].intervals[0].to = INT64_MAX;
	s->connection[0].report.summary.place_confidence = 0.0 / 0.0;
	text = render(s, tw_output_json);
	assert_valid(text, NULL);
	assert_has(text, "\"file\": \"\\u001b[2J\\\"\\\\\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	free(text);
	free(s);
}

static void test_nothing(void **state)
{
	struct sample *s = sample_empty();
	char *text = render(s, tw_output_json);

	(void)state;
	assert_valid(text, NULL);
	assert_has(text, "\"connections\": [],");
	free(text);
	text = render(s, tw_output_jsonl);
	assert_string_equal(text, "");
	free(text);
	free(s);
}

static void test_write_error(void **state)
{
	struct sample *s = sample_many();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full) {
		free(s);
		skip();
	}
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(tw_output_json(&s->report, "0.1.0", full), -ENOSPC);
	assert_int_equal(tw_output_jsonl(&s->report, "0.1.0", full), -ENOSPC);
	fclose(full);
	free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_field_is_documented),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_ledger),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_hostile_bytes),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_write_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
