/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * capgen: writes captures of simulated TCP traffic whose truth is known, the same bytes for the
 * same options on every machine.
 *
 *     capgen --packets 1000000 --loss 0.02 -o loss.pcap --truth loss.tsv
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static const char usage[] =
	"usage: capgen -o FILE [--truth FILE] [options]\n"
	"  --packets N      captured packets, about (100,000)\n"
	"  --flows N        connections (1)\n"
	"  --concurrent N   at a time; the next starts when one ends (all)\n"
	"  --spread S       seconds over which the first ones start (1)\n"
	"  --pattern P      bulk, pull, both (every other flow pulls), exchange (bulk)\n"
	"  --turns N --request BYTES --reply BYTES --think MS   of an exchange (1, 200, 2000, 0)\n"
	"  --open           leave connections open: no FIN\n"
	"  --rtt MS --rate MBIT --queue KB --window KB   of path, receiver (20, 1000, 2500, 4096)\n"
	"  --loss P --ack-loss P --reorder P             probabilities per packet (0)\n"
	"  --vantage V      sender, middle, receiver: where the capture stands (sender)\n"
	"  --ipv6 --no-timestamps --reno --id-per-host   variants\n"
	"  --snap N         bytes kept of a packet (96)\n"
	"  --seed N         (1)\n";

enum option_id {
	OPT_TRUTH = 256, OPT_PACKETS, OPT_FLOWS, OPT_CONCURRENT, OPT_SPREAD, OPT_PATTERN, OPT_TURNS,
	OPT_REQUEST, OPT_REPLY, OPT_THINK, OPT_OPEN, OPT_RTT, OPT_RATE, OPT_QUEUE, OPT_WINDOW,
	OPT_LOSS, OPT_ACK_LOSS, OPT_REORDER, OPT_VANTAGE, OPT_IPV6, OPT_NO_TIMESTAMPS, OPT_RENO,
	OPT_ID_PER_HOST, OPT_SNAP, OPT_SEED, OPT_HELP,
};

static const struct option options[] = {
	{ "truth", required_argument, NULL, OPT_TRUTH },
	{ "packets", required_argument, NULL, OPT_PACKETS },
	{ "flows", required_argument, NULL, OPT_FLOWS },
	{ "concurrent", required_argument, NULL, OPT_CONCURRENT },
	{ "spread", required_argument, NULL, OPT_SPREAD },
	{ "pattern", required_argument, NULL, OPT_PATTERN },
	{ "turns", required_argument, NULL, OPT_TURNS },
	{ "request", required_argument, NULL, OPT_REQUEST },
	{ "reply", required_argument, NULL, OPT_REPLY },
	{ "think", required_argument, NULL, OPT_THINK },
	{ "open", no_argument, NULL, OPT_OPEN },
	{ "rtt", required_argument, NULL, OPT_RTT },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "queue", required_argument, NULL, OPT_QUEUE },
	{ "window", required_argument, NULL, OPT_WINDOW },
	{ "loss", required_argument, NULL, OPT_LOSS },
	{ "ack-loss", required_argument, NULL, OPT_ACK_LOSS },
	{ "reorder", required_argument, NULL, OPT_REORDER },
	{ "vantage", required_argument, NULL, OPT_VANTAGE },
	{ "ipv6", no_argument, NULL, OPT_IPV6 },
	{ "no-timestamps", no_argument, NULL, OPT_NO_TIMESTAMPS },
	{ "reno", no_argument, NULL, OPT_RENO },
	{ "id-per-host", no_argument, NULL, OPT_ID_PER_HOST },
	{ "snap", required_argument, NULL, OPT_SNAP },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static void fail(const char *what, const char *value)
{
	fprintf(stderr, "capgen: %s: %s\n", what, value);
	exit(2);
}

static double number(const char *text, double least, double most)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v >= least && v <= most))
		fail("not a number in range", text);
	return v;
}

static unsigned word(const char *text, const char *const words[], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(text, words[i]))
			return i;
	fail("not one of the words known", text);
	return 0;
}

static void take(struct sim_options *o, int opt, const char *arg)
{
	static const char *const patterns[] = { "bulk", "pull", "both", "exchange" };
	static const char *const vantages[] = { "sender", "middle", "receiver" };

	switch (opt) {
	case OPT_PACKETS: o->packets = (uint64_t)number(arg, 1, 1e10); break;
	case OPT_FLOWS: o->flows = (uint32_t)number(arg, 1, 1e7); break;
	case OPT_CONCURRENT: o->concurrent = (uint32_t)number(arg, 1, 1e7); break;
	case OPT_SPREAD: o->spread = number(arg, 0, 1e6); break;
	case OPT_PATTERN: o->pattern = (enum pattern)word(arg, patterns, 4); break;
	case OPT_TURNS: o->turns = (uint32_t)number(arg, 1, 1e9); break;
	case OPT_REQUEST: o->request = (uint32_t)number(arg, 1, 1e9); break;
	case OPT_REPLY: o->reply = (uint32_t)number(arg, 1, 1e9); break;
	case OPT_THINK: o->think = number(arg, 0, 1e9) / 1e3; break;
	case OPT_OPEN: o->keep_open = true; break;
	case OPT_RTT: o->rtt = (int64_t)(number(arg, 0.01, 1e5) * 1e6); break;
	case OPT_RATE: o->rate = number(arg, 0.001, 1e6) * 1e6; break;
	case OPT_QUEUE: o->queue = (uint32_t)(number(arg, 2, 1e6) * 1e3); break;
	case OPT_WINDOW: o->window = (uint32_t)(number(arg, 4, 8192) * 1024); break;
	case OPT_LOSS: o->loss = number(arg, 0, 0.9); break;
	case OPT_ACK_LOSS: o->ack_loss = number(arg, 0, 0.9); break;
	case OPT_REORDER: o->reorder = number(arg, 0, 1); break;
	case OPT_VANTAGE: o->vantage = (enum vantage)word(arg, vantages, 3); break;
	case OPT_IPV6: o->ipv6 = true; break;
	case OPT_NO_TIMESTAMPS: o->timestamps = false; break;
	case OPT_RENO: o->reno = true; break;
	case OPT_ID_PER_HOST: o->id_per_host = true; break;
	case OPT_SNAP: o->snap = (uint32_t)number(arg, 14, 262144); break;
	case OPT_SEED: o->seed = (uint64_t)number(arg, 0, 1e15); break;
	case OPT_HELP: fputs(usage, stdout); exit(0);
	default: fputs(usage, stderr); exit(2);
	}
}

/* One row per direction; the columns are those of struct truth. */
static void write_truth(const struct sim *sim, const char *name)
{
	FILE *f = fopen(name, "w");

	if (!f)
		fail(name, "cannot be written");
	fputs("flow\tclient\tserver\tdirection\tduration_s\tpackets\tdata_packets\tbytes\t"
	      "unique_bytes\trepeats\trepeat_bytes\tresends\tsent_resends\tsyn_resends\tlost\t"
	      "lost_data\tlost_seen\treordered\ttimeouts\trecoveries\n", f);
	for (uint32_t i = 0; i < sim->started; i++) {
		const struct flow *flow = &sim->flows[i];
		char client[64], server[64];

		wire_endpoint(client, sizeof(client), &flow->path, 0);
		wire_endpoint(server, sizeof(server), &flow->path, 1);
		for (int side = 0; side < 2; side++) {
			const struct truth *t = &flow->truth[side];
			const uint64_t v[] = {
				t->packets, t->data_packets, t->bytes, t->unique_bytes,
				t->repeats, t->repeat_bytes, t->resends, t->sent_resends,
				t->syn_resends, t->lost, t->lost_data, t->lost_seen, t->reordered,
				t->timeouts, t->recoveries,
			};

			fprintf(f, "%u\t%s\t%s\t%s\t%.6f", i + 1, client, server,
				side ? "server" : "client",
				(double)(flow->last - flow->first) * 1e-9);
			for (size_t c = 0; c < sizeof(v) / sizeof(v[0]); c++)
				fprintf(f, "\t%llu", (unsigned long long)v[c]);
			fputc('\n', f);
		}
	}
	if (fclose(f))
		fail(name, "cannot be written");
}

int main(int argc, char **argv)
{
	struct sim_options o = {
		.flows = 1, .packets = 100000, .rtt = 20000000, .rate = 1e9, .queue = 2500000,
		.window = 4096 * 1024, .turns = 1, .request = 200, .reply = 2000, .spread = 1,
		.seed = 1, .snap = 96, .timestamps = true,
	};
	const char *name = NULL, *truth = NULL;
	struct wire_file file;
	struct sim sim;
	int opt;

	while ((opt = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (opt == 'o')
			name = optarg;
		else if (opt == OPT_TRUTH)
			truth = optarg;
		else
			take(&o, opt, optarg);
	}
	if (!name || optind != argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (!o.concurrent || o.concurrent > o.flows)
		o.concurrent = o.flows;
	if (wire_open(&file, name, o.snap) < 0)
		fail(name, "cannot be written");
	sim_init(&sim, &o, &file);
	sim_run(&sim);
	if (wire_close(&file) < 0)
		fail(name, "cannot be written");
	if (truth)
		write_truth(&sim, truth);
	fprintf(stderr, "%s: %llu packets, %u connections, %.3f s\n", name,
		(unsigned long long)file.packets, sim.started, (double)sim.now * 1e-9);
	sim_release(&sim);
	return 0;
}
