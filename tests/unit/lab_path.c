/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lab/path.h"
#include "lab/value.h"
#include "lab_frame.h"

static struct tw_path path_of(const char *text)
{
	struct tw_error err = { "" };
	struct tw_path path;

	tw_path_init(&path);
	if (tw_path_parse(&path, text, &err))
		fail_msg("%s: %s", text, err.text);
	return path;
}

static void test_plain(void **state)
{
	struct tw_path path = path_of(" ,\t\n"), zero = { .back = { .is_back = 1 } };
	char text[8] = "x";

	(void)state;
	assert_memory_equal(&path, &zero, sizeof(path));
	assert_int_equal(tw_path_format(&path, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	assert_true(tw_link_options_valid(&path.there) && tw_link_options_valid(&path.back));
}

static void test_units(void **state)
{
	static const struct {
		const char *text;
		int64_t rate;
	} rates[] = {
		{ "rate=100mbit", 100000000 },
		{ "rate=1g", 1000000000 },
		{ "rate=2.5gbit", 2500000000 },
		{ "rate=500k", 500000 },
		{ "rate=10MB/s", 80000000 },
		{ "rate=9600", 9600 },
		{ "rate=9600bit/s", 9600 },
		{ "rate=1.544Mbit", 1544000 },
		{ "rate=0", 0 },
		{ "rate=10mbit rate=none", 0 },
		{ "rate=1mbit,rate=2mbit", 2000000 },
		{ "rate=1tbit", 1000000000000 },
	};
	struct tw_path path;

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		path = path_of(rates[i].text);
		if (path.there.rate != rates[i].rate || path.back.rate != rates[i].rate)
			fail_msg("%s: %lld", rates[i].text, (long long)path.there.rate);
	}
	path = path_of("delay=10ms jitter=150us reorder-by=1.5s outage=2s..3.5s");
	assert_int_equal(path.there.delay, 10000000);
	assert_int_equal(path.there.jitter, 150000);
	assert_int_equal(path.there.reorder_by, 1500000000);
	assert_int_equal(path.there.outage.from, 2000000000);
	assert_int_equal(path.there.outage.to, 3500000000);
	path = path_of("queue=64k ecn=20p burst=1514 loss=0.5% ackloss=0.0000001% overhead=-14 "
		       "thin=4 outage=0..1s");
	assert_int_equal(path.there.queue.bytes, 65536);
	assert_int_equal(path.there.queue.packets, 0);
	assert_int_equal(path.there.ecn.packets, 20);
	assert_int_equal(path.there.loss, TW_SHARE_ONE / 200);
	assert_int_equal(path.there.ackloss, 1);
	assert_int_equal(path.there.overhead, -14);
	assert_int_equal(path.there.thin, 4);
	assert_int_equal(path.there.outage.to, 1000000000);
	path = path_of("queue=64k queue=100p icmp");
	assert_true(path.there.queue.bytes == 65536 && path.there.queue.packets == 100);
	assert_int_equal(path.there.icmp, 1);
	path = path_of("delay=1.5ns jitter=1.4ns"); /* to the nearest */
	assert_true(path.there.delay == 2 && path.there.jitter == 1);
	path = path_of("icmp icmp=no seqrand=yes");
	assert_true(!path.there.icmp && path.back.seqrand);
}

static void test_directions(void **state)
{
	struct tw_path path =
		path_of("rate=1mbit there.rate=2mbit back.delay=5ms delay=1ms there.drop=syn");

	(void)state;
	assert_int_equal(path.there.rate, 2000000);
	assert_int_equal(path.back.rate, 1000000);
	assert_int_equal(path.back.delay, 1000000); /* the later word */
	assert_true(path.there.drop.syn == 1 && !path.back.drop.syn);
}

static void test_rules(void **state)
{
	struct tw_path path = path_of("drop=syn+synack:2+last+every:100+nth:7..9+resend+fin:3 "
				      "gemodel=1%:25%:90%:0.1% strip=wscale+timestamps");
	const struct tw_rules *r = &path.there.drop;

	(void)state;
	assert_true(r->syn == 1 && r->synack == 2 && r->fin == 3 && r->resend == 1 &&
		    r->every == 100);
	assert_true(r->nth_from == 7 && r->nth_to == 9 && r->last >= 1000000000);
	assert_int_equal(path.there.gemodel.p, 10000000);
	assert_int_equal(path.there.gemodel.r, 250000000);
	assert_int_equal(path.there.gemodel.bad, 900000000);
	assert_int_equal(path.there.gemodel.good, 1000000);
	assert_int_equal(path.there.strip, TW_STRIP_WSCALE | TW_STRIP_TIMESTAMPS);
	path = path_of("drop=nth:7 gemodel=2%");
	assert_true(path.there.drop.nth_from == 7 && path.there.drop.nth_to == 7);
	assert_int_equal(path.there.gemodel.r, TW_SHARE_ONE / 100 * 98); /* Bernoulli, as netem */
	assert_int_equal(path.there.gemodel.bad, TW_SHARE_ONE);
	/* A later drop replaces an earlier one. */
	path = path_of("drop=syn drop=last:2");
	assert_true(!path.there.drop.syn && path.there.drop.last == 2);
}

/* A text, and what the error says among other things. */
static const char *const wrong[][2] = {
	{ "speed=1mbit", "'speed'; there are: rate overhead" },
	{ "delay=1ms rate=fast", "rate=fast is not understood: rate=100mbit" },
	{ "rate=10mbps", "not understood" },
	{ "rate=10mb", "not understood" },
	{ "rate", "rate needs a value" },
	{ "rate=", "not understood" },
	{ "rate=1", "out of range: 1kbit to 1000gbit" },
	{ "rate=99999999999999999999", "not understood" },
	{ "rate=9999999999gbit", "out of range" },
	{ "delay=10", "delay=10 is not understood: delay=10ms" },
	{ "delay=-1ms", "not understood" },
	{ "delay=2000000s", "out of range" },
	{ "delay=0.0000000001s", "out of range" },
	{ "loss=1", "0.5%" },
	{ "loss=101%", "out of range: 0.0000001% to 100%" },
	{ "queue=3x", "100p (packets)" },
	{ "queue=64k+", "not understood" },
	{ "thin=1", "out of range: 2 to 1000" },
	{ "drop=sometimes", "synack" },
	{ "drop=every", "every:n" },
	{ "drop=nth:0", "out of range" },
	{ "drop=nth:5..4", "out of range" },
	{ "drop=syn+", "not understood" },
	{ "gemodel=1%:2%:3%:4%:5%", "not understood" },
	{ "strip=mss", "timestamps" },
	{ "outage=3s..2s", "out of range" },
	{ "there.freeze=1s", "client.freeze or server.freeze" },
	{ "client.loss=1%", "there.loss or back.loss" },
	{ "client=1", "no parameter 'client'" },
	{ "outage=3s", "2s..3.5s" },
	{ "mtu=67", "68 to 65535" },
	{ "there.seqrand", "both directions: write it without there." },
	{ "back.seqrand=yes", "without back." },
	{ "icmp=maybe", "yes | no" },
	{ "there.back.rate=1mbit", "'back.rate'" },
	{ "r\x1b[31m=1", "'r\\x1b[31m'" },
	{ "drop=syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn"
	  "+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+"
	  "syn+syn+syn+syn"
	  "+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+syn+"
	  "syn+syn+syn",
	  "too long" },
};

static void test_errors(void **state)
{
	struct tw_path before = path_of("rate=5mbit back.loss=1%");

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct tw_path path = before;
		struct tw_error err = { "" };

		assert_int_equal(tw_path_parse(&path, wrong[i][0], &err), -EINVAL);
		if (!strstr(err.text, wrong[i][1]))
			fail_msg("%s: '%s' lacks '%s'", wrong[i][0], err.text, wrong[i][1]);
		assert_null(strchr(err.text, '\n'));
		assert_memory_equal(&path, &before, sizeof(path));
	}
	/* The list of parameters is whole. */
	{
		struct tw_error err = { "" };
		struct tw_path path = before;

		assert_int_equal(
			tw_path_parse(&path, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", &err),
			-EINVAL);
		assert_non_null(strstr(err.text, " outage memory freeze"));
		assert_int_equal(tw_path_parse(&path, "nothing", NULL), -EINVAL);
	}
}

static void test_format(void **state)
{
	static const char *const same[] = {
		"rate=100mbit delay=10ms",
		"there.rate=2500mbit back.rate=9600bit",
		"queue=64k+100p",
		"there.queue=100p ecn=1500",
		"delay=1500us jitter=1ns",
		"loss=0.5%",
		"there.loss=0.0000001%",
		"back.thin=4",
		"drop=syn+last+every:100+nth:7..9",
		"drop=last:2",
		"gemodel=1%:25%",
		"gemodel=1%:25%:50%",
		"gemodel=1%:25%:100%:3%",
		"strip=wscale+sack+timestamps",
		"mtu=1400 icmp=yes",
		"seqrand=yes outage=2s..3500ms",
		"outage=0s..1s",
		"overhead=-14",
		"police=50mbit burst=64k memory=4m",
		"reorder=1% reorder-by=2ms duplicate=100%",
		"client.freeze=100ms server.freeze-every=2s",
		"outage=1s..2s freeze=100ms freeze-every=400ms",
	};
	char text[TW_PATH_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
		struct tw_path path = path_of(same[i]);

		assert_int_equal(tw_path_format(&path, text, sizeof(text)), 0);
		assert_string_equal(text, same[i]);
		assert_int_equal(tw_path_format(&path, text, strlen(same[i]) + 1), 0);
		text[0] = 'x';
		assert_int_equal(tw_path_format(&path, text, strlen(same[i])), -ENOSPC);
		assert_int_equal(text[0], 'x');
	}
}

/* The longest text there is fits, and is read back. */
static void test_format_longest(void **state)
{
	static const char word[] =
		"%s.rate=999999999999bit %s.overhead=-14 %s.queue=1073741823+1000000001p "
		"%s.ecn=1073741823+1000000001p %s.delay=3599999999999ns %s.jitter=3599999999999ns "
		"%s.reorder=12.3456789%% %s.reorder-by=3599999999999ns %s.duplicate=12.3456789%% "
		"%s.loss=12.3456789%% "
		"%s.gemodel=12.3456789%%:12.3456789%%:12.3456789%%:12.3456789%% "
		"%s.drop=syn:999999999+synack:999999999+fin:999999999+last:999999999+resend:"
		"999999999+"
		"every:999999999+nth:999999998..999999999 %s.ackloss=12.3456789%% %s.thin=1000 "
		"%s.police=999999999999bit %s.burst=1073741823 %s.mtu=65535 %s.icmp=yes "
		"%s.strip=wscale+sack+timestamps %s.outage=86399999999998ns..86399999999999ns "
		"%s.memory=4294967295 ";
	char both[2 * sizeof(word) + 500], text[TW_PATH_TEXT_MAX];
	struct tw_path path, again;
	size_t n = 0;

	(void)state;
	for (int back = 0; back < 2; back++)
		for (const char *p = word; *p; p++) {
			if (!strncmp(p, "%s", 2)) {
				n += (size_t)sprintf(both + n, "%s", back ? "back" : "there");
				p++;
			} else if (!strncmp(p, "%%", 2)) {
				both[n++] = *++p;
			} else {
				both[n++] = *p == '8' && back ? '7' : *p;
			}
		}
	n += (size_t)sprintf(both + n, "client.freeze=3599999999999ns server.freeze=3599999999998ns "
				       "client.freeze-every=3599999999999ns "
				       "server.freeze-every=3599999999998ns");
	both[n] = '\0';
	path = path_of(both);
	assert_int_equal(tw_path_format(&path, text, sizeof(text)), 0);
	again = path_of(text);
	assert_memory_equal(&path, &again, sizeof(path));
}

struct help {
	unsigned n;
	char words[400];
};

static void on_help(void *user, const char *word, const char *form, const char *help)
{
	struct help *h = user;

	h->n++;
	assert_true(*word && *form && strlen(help) > 10 && strlen(help) < 70);
	strcat(strcat(h->words, word), " ");
}

static void test_help(void **state)
{
	struct help h = { 0 };

	(void)state;
	tw_path_help(on_help, &h);
	assert_int_equal(h.n, 24);
	assert_non_null(strstr(h.words, "rate overhead queue "));
}

/* Whatever a valid path holds, its text says. */
static void test_random_round_trip(void **state)
{
	static const enum tw_value_kind kinds[] = { TW_VALUE_RATE, TW_VALUE_TIME, TW_VALUE_SHARE,
						    TW_VALUE_SIZE, TW_VALUE_COUNT };
	uint64_t seed = 7;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		enum tw_value_kind kind = kinds[lab_random(&seed) % 5];
		int64_t value = (int64_t)(lab_random(&seed) >> (lab_random(&seed) % 40 + 24)),
			got = -1;
		char text[64];

		tw_value_print(kind, &value, text, sizeof(text));
		if (tw_value_parse(kind, text, (struct tw_range){ 1, INT64_MAX }, &got) ||
		    got != value)
			fail_msg("%lld printed as %s, read as %lld", (long long)value, text,
				 (long long)got);
	}
}

static void test_options_valid(void **state)
{
	struct tw_path path = path_of("rate=1mbit");

	(void)state;
	path.there.rate = -1;
	assert_false(tw_link_options_valid(&path.there));
	path = path_of("drop=syn");
	path.there.drop.every = -5;
	assert_false(tw_link_options_valid(&path.there));
	path = path_of("outage=1s..2s");
	path.there.outage.to = 1;
	assert_false(tw_link_options_valid(&path.there));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_directions),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_format_longest),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_random_round_trip),
		cmocka_unit_test(test_options_valid),
	};

	return cmocka_run_group_tests_name("lab_path", tests, NULL, NULL);
}
