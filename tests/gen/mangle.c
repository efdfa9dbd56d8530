/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mangle: rewrites a pcap file as a worse capture of the same traffic would have recorded it.
 * Changes are made in the order of the usage text, whatever the order of the options.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "pcapfile.h"
#include "random.h"

static const char usage[] =
	"usage: mangle [options] IN OUT        (- is standard input and output; gzip is read)\n"
	"  --skip-first F       leave out the first share F (0 to 1) of the packets: a late start\n"
	"  --one-way A|B        keep one direction of each connection: A sent its first packet\n"
	"  --strip-timestamps   turn TCP timestamps into padding, MSS less by 12\n"
	"  --merge SIDE         sender: join what one burst sent, as TSO shows it\n"
	"                       receiver: join what arrived together, as GRO does\n"
	"  --merge-span US      the longest burst (1,000)\n"
	"  --drop P             leave out packets at random: a capture that could not keep up\n"
	"  --shift-clock S[@F]  add S seconds, from share F of the packets on\n"
	"  --shuffle N          move packets up to N places, times unchanged\n"
	"  --snap N             cut packets to N bytes\n"
	"  --seed N             for --drop and --shuffle (1)\n";

struct change {
	double skip, drop, shift, shift_from;
	int one_way; /* 0: both; 'A', 'B' */
	enum merge_side merge;
	int64_t merge_span;
	unsigned shuffle, snap;
	bool strip;
	uint64_t seed;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "mangle: %s: %s\n", what, why);
	exit(2);
}

static void skip_first(struct capture *capture, double share)
{
	size_t n = (size_t)(share * (double)capture->n);

	for (size_t i = 0; i < n; i++)
		capture->packets[i].dropped = true;
}

static void one_way(struct capture *capture, int which)
{
	struct flow_table table;

	flow_table_init(&table, sizeof(uint8_t));
	for (size_t i = 0; i < capture->n; i++) {
		struct tcp_view view;
		int side;

		if (capture->packets[i].dropped || !tcp_view(capture, &capture->packets[i], &view))
			continue;
		flow_table_get(&table, &view, &side);
		if (side != which - 'A')
			capture->packets[i].dropped = true;
	}
	flow_table_release(&table);
}

/* Padding in their place; a SYN's MSS less what they took, or full segments would look small. */
static void strip_options(uint8_t *options, unsigned n)
{
	uint8_t *mss = NULL;

	for (unsigned at = 0; at < n && options[at];) {
		unsigned length = options[at] == 1 ? 1 : at + 1 < n ? options[at + 1] : 0;

		if (length == 0 || length > n - at)
			return;
		if (options[at] == 2 && length == 4)
			mss = options + at + 2;
		if (options[at] == 8) {
			memset(options + at, 1, length);
			if (mss && get16(mss) > 12) {
				uint32_t less = get16(mss) - 12;

				mss[0] = (uint8_t)(less >> 8);
				mss[1] = (uint8_t)less;
			}
		}
		at += length;
	}
}

static void strip_timestamps(struct capture *capture)
{
	for (size_t i = 0; i < capture->n; i++) {
		struct capture_packet *packet = &capture->packets[i];
		struct tcp_view view;

		if (!packet->dropped && tcp_view(capture, packet, &view))
			strip_options(capture->bytes + packet->offset + view.tcp + 20,
				      view.options);
	}
}

static void drop(struct capture *capture, double share, struct gen_random *random)
{
	for (size_t i = 0; i < capture->n; i++)
		if (gen_random_unit(random) < share)
			capture->packets[i].dropped = true;
}

static void shift_clock(struct capture *capture, double seconds, double from)
{
	for (size_t i = (size_t)(from * (double)capture->n); i < capture->n; i++)
		capture->packets[i].at += (int64_t)(seconds * 1e9);
}

/* Swaps of neighbours within windows: nothing moves farther than `reach`. */
static void shuffle(struct capture *capture, unsigned reach, struct gen_random *random)
{
	for (size_t at = 0; at < capture->n; at += reach + 1) {
		size_t n = capture->n - at < reach + 1 ? capture->n - at : reach + 1;

		for (size_t i = n; i > 1; i--) {
			size_t j = gen_random_below(random, (uint32_t)i);
			struct capture_packet held = capture->packets[at + i - 1];

			capture->packets[at + i - 1] = capture->packets[at + j];
			capture->packets[at + j] = held;
		}
	}
}

static void snap(struct capture *capture, unsigned most)
{
	capture->snap = most;
	for (size_t i = 0; i < capture->n; i++)
		if (capture->packets[i].captured > most)
			capture->packets[i].captured = most;
}

static double number(const char *text, double least, double most, char stop, const char **rest)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || (*end && *end != stop) || !(v >= least && v <= most))
		fail(text, "not a number in range");
	if (rest)
		*rest = *end ? end + 1 : NULL;
	return v;
}

static void take(struct change *change, int opt, const char *arg)
{
	const char *rest = NULL;

	switch (opt) {
	case 'f': change->skip = number(arg, 0, 1, 0, NULL); break;
	case 'o':
		if (strcmp(arg, "A") && strcmp(arg, "B"))
			fail(arg, "neither A nor B");
		change->one_way = *arg;
		break;
	case 't': change->strip = true; break;
	case 'm':
		if (strcmp(arg, "sender") && strcmp(arg, "receiver"))
			fail(arg, "neither sender nor receiver");
		change->merge = *arg == 's' ? MERGE_SENDER : MERGE_RECEIVER;
		break;
	case 'w': change->merge_span = (int64_t)(number(arg, 0, 1e9, 0, NULL) * 1e3); break;
	case 'd': change->drop = number(arg, 0, 1, 0, NULL); break;
	case 'c':
		change->shift = number(arg, -1e9, 1e9, '@', &rest);
		change->shift_from = rest ? number(rest, 0, 1, 0, NULL) : 0;
		break;
	case 's': change->shuffle = (unsigned)number(arg, 0, 1e6, 0, NULL); break;
	case 'n': change->snap = (unsigned)number(arg, 1, 1 << 20, 0, NULL); break;
	case 'r': change->seed = (uint64_t)number(arg, 0, 1e15, 0, NULL); break;
	default: fputs(usage, stderr); exit(2);
	}
}

static void apply(struct capture *capture, const struct change *change)
{
	struct gen_random random = { .state = change->seed };

	skip_first(capture, change->skip);
	if (change->one_way)
		one_way(capture, change->one_way);
	if (change->strip)
		strip_timestamps(capture);
	if (change->merge != MERGE_NOT)
		merge(capture, change->merge, change->merge_span);
	if (change->drop > 0)
		drop(capture, change->drop, &random);
	if (change->shift < 0 || change->shift > 0)
		shift_clock(capture, change->shift, change->shift_from);
	if (change->shuffle)
		shuffle(capture, change->shuffle, &random);
	if (change->snap)
		snap(capture, change->snap);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "skip-first", required_argument, NULL, 'f' },
		{ "one-way", required_argument, NULL, 'o' },
		{ "strip-timestamps", no_argument, NULL, 't' },
		{ "merge", required_argument, NULL, 'm' },
		{ "merge-span", required_argument, NULL, 'w' },
		{ "drop", required_argument, NULL, 'd' },
		{ "shift-clock", required_argument, NULL, 'c' },
		{ "shuffle", required_argument, NULL, 's' },
		{ "snap", required_argument, NULL, 'n' },
		{ "seed", required_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	struct change change = { .merge_span = 1000000, .seed = 1 };
	struct capture capture;
	char error[128];
	size_t kept = 0;
	int opt;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1)
		take(&change, opt, optarg);
	if (argc - optind != 2) {
		fputs(usage, stderr);
		return 2;
	}
	if (capture_read(&capture, argv[optind], error, sizeof(error)))
		fail(argv[optind], error);
	apply(&capture, &change);
	for (size_t i = 0; i < capture.n; i++)
		kept += !capture.packets[i].dropped;
	if (capture_write(&capture, argv[optind + 1]))
		fail(argv[optind + 1], strerror(errno));
	fprintf(stderr, "%s: %zu packets of %zu\n", argv[optind + 1], kept, capture.n);
	capture_release(&capture);
	return 0;
}
