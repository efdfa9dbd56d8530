/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flows, path and applications. A packet leaves through its host's 10 Gbit/s interface, crosses the
 * shared bottleneck (drop-tail) and the delay, and arrives. The capture stands at the client, at
 * the server, or half-way, on the client's side of the bottleneck.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

enum { CLIENT, SERVER, HOPS = 6, NONE = UINT32_MAX };

/* Side whose capture point it is; in mid-path neither. */
static int capture_side(const struct sim *sim, const struct flow *flow)
{
	int sender = flow->pull ? SERVER : CLIENT;

	return sim->options.vantage == VANTAGE_SENDER ? sender : !sender;
}

static uint32_t packet_new(struct sim *sim, const struct packet *packet)
{
	uint32_t i = sim->free_packet;

	if (i != NONE) {
		sim->free_packet = sim->packets[i].segment;
	} else {
		if (sim->n_packets == sim->cap_packets) {
			sim->cap_packets = sim->cap_packets ? 2 * sim->cap_packets : 1024;
			sim->packets = gen_realloc(sim->packets,
						   sim->cap_packets * sizeof(*sim->packets));
		}
		i = sim->n_packets++;
	}
	sim->packets[i] = *packet;
	return i;
}

static void packet_free(struct sim *sim, uint32_t i)
{
	sim->packets[i].segment = sim->free_packet;
	sim->free_packet = i;
}

void sim_arm(struct sim *sim, struct flow *flow, int side, int64_t at)
{
	struct endpoint *end = &flow->end[side];

	if (at >= end->event_at)
		return;
	end->event_at = at;
	event_push(&sim->heap, at, EVENT_TIMER, (uint32_t)(flow - sim->flows) * 2 + (uint32_t)side);
}

static int64_t jitter(struct sim *sim, uint32_t ns)
{
	return 1000 + gen_random_below(&sim->random, ns);
}

void sim_transmit(struct sim *sim, struct flow *flow, int side, const struct packet *packet)
{
	struct endpoint *end = &flow->end[side];
	struct packet copy = *packet;
	int64_t at = sim->now + jitter(sim, 4000);

	copy.flow = (uint32_t)(flow - sim->flows);
	copy.side = (uint8_t)side;
	if (sim->options.id_per_host)
		copy.ip_id = (uint16_t)sim->host_id[side][flow->path.host[side] % 256]++;
	else if ((copy.flags & (TCP_SYN | TCP_ACK)) != (TCP_SYN | TCP_ACK))
		copy.ip_id = end->ip_id++; /* Linux counts per socket, and sends a SYN-ACK with 0 */
	if (at < end->nic_free)
		at = end->nic_free;
	end->nic_free = at + (int64_t)wire_size(&flow->path, packet) * 8 / 10;
	event_push(&sim->heap, at, EVENT_SENT, packet_new(sim, &copy));
}

static void record(struct sim *sim, struct flow *flow, struct packet *packet, bool received,
		   unsigned hops)
{
	struct truth *truth = &flow->truth[packet->side];
	struct segment *segment = endpoint_segment(&flow->end[packet->side], packet->segment);
	bool repeat = !segment; /* acknowledged, so it passed here before */

	wire_write(sim->file, sim->now, &flow->path, packet, hops, received);
	if (!flow->captured++)
		flow->first = sim->now;
	flow->last = sim->now;
	truth->packets++;
	if (!packet->len && !(packet->flags & (TCP_SYN | TCP_FIN)))
		return;
	if (segment) {
		repeat = segment->flags & SEGMENT_SEEN;
		segment->flags |= SEGMENT_SEEN;
	}
	if (packet->flags & TCP_SYN)
		truth->syn_resends += repeat;
	if (!packet->len)
		return;
	truth->data_packets++;
	truth->bytes += packet->len;
	truth->resends += packet->resent;
	if (repeat) {
		truth->repeats++;
		truth->repeat_bytes += packet->len;
	} else {
		truth->unique_bytes += packet->len;
	}
}

static void lose(struct flow *flow, const struct packet *packet, bool seen)
{
	struct truth *truth = &flow->truth[packet->side];

	truth->lost++;
	if (packet->len) {
		truth->lost_data++;
		truth->lost_seen += seen;
	}
}

/* Through the bottleneck: the time at which it has left it, or NEVER where the queue is full. */
static int64_t link_pass(struct sim *sim, const struct flow *flow, const struct packet *packet)
{
	int64_t *free_at = &sim->link_free[packet->side];
	double bits = 8.0 * (wire_size(&flow->path, packet) + 24); /* preamble, CRC, gap */

	if (*free_at < sim->now)
		*free_at = sim->now;
	if ((double)(*free_at - sim->now) * 1e-9 * sim->options.rate > 8.0 * sim->options.queue)
		return NEVER;
	*free_at += (int64_t)(bits / sim->options.rate * 1e9);
	return *free_at;
}

/* The rest of the path after the bottleneck, or all of it; FIFO unless the packet is reordered. */
static void deliver_at(struct sim *sim, struct flow *flow, uint32_t index, int64_t at)
{
	struct packet *packet = &sim->packets[index];
	struct endpoint *end = &flow->end[packet->side];

	if (packet->len && gen_random_unit(&sim->random) < sim->options.reorder) {
		at += (int64_t)(gen_random_unit(&sim->random) * 0.5 * (double)flow->rtt);
		flow->truth[packet->side].reordered++;
	} else {
		at += jitter(sim, 9000);
		if (at <= end->last_arrival)
			at = end->last_arrival + 1;
		end->last_arrival = at;
	}
	event_push(&sim->heap, at, EVENT_ARRIVE, index);
}

static bool random_loss(struct sim *sim, const struct packet *packet)
{
	bool pure = !packet->len && !(packet->flags & (TCP_SYN | TCP_FIN));

	return gen_random_unit(&sim->random) < (pure ? sim->options.ack_loss : sim->options.loss);
}

/* A packet has left its host. */
static void on_sent(struct sim *sim, uint32_t index)
{
	struct packet *packet = &sim->packets[index];
	struct flow *flow = &sim->flows[packet->flow];
	bool middle = sim->options.vantage == VANTAGE_MIDDLE;
	bool captured = !middle && capture_side(sim, flow) == packet->side;
	bool lost = random_loss(sim, packet);
	int64_t at = sim->now;

	if (captured)
		record(sim, flow, packet, false, 0);
	if (middle && lost && (gen_random_u32(&sim->random) & 1)) {
		packet->lost_later = true;
		lost = false;
	}
	if (!lost && !(middle && packet->side == CLIENT))
		at = link_pass(sim, flow, packet);
	if (lost || at == NEVER) {
		lose(flow, packet, captured);
		packet_free(sim, index);
	} else if (middle) {
		event_push(&sim->heap, at + flow->rtt / 4, EVENT_VANTAGE, index);
	} else {
		deliver_at(sim, flow, index, at + flow->rtt / 2);
	}
}

static void on_vantage(struct sim *sim, uint32_t index)
{
	struct packet *packet = &sim->packets[index];
	struct flow *flow = &sim->flows[packet->flow];
	int64_t at = sim->now;

	record(sim, flow, packet, true, HOPS / 2);
	if (!packet->lost_later && packet->side == CLIENT)
		at = link_pass(sim, flow, packet);
	if (packet->lost_later || at == NEVER) {
		lose(flow, packet, true);
		packet_free(sim, index);
		return;
	}
	deliver_at(sim, flow, index, at + flow->rtt / 4);
}

static void on_arrive(struct sim *sim, uint32_t index)
{
	struct packet packet = sim->packets[index];
	struct flow *flow = &sim->flows[packet.flow];

	if (sim->options.vantage != VANTAGE_MIDDLE && capture_side(sim, flow) != packet.side)
		record(sim, flow, &packet, true, HOPS);
	packet_free(sim, index);
	endpoint_arrive(sim, flow, !packet.side, &packet);
}

static void app_at(struct sim *sim, struct flow *flow, int side, double seconds)
{
	event_push(&sim->heap, sim->now + (int64_t)(seconds * 1e9), EVENT_APP,
		   (uint32_t)(flow - sim->flows) * 2 + (uint32_t)side);
}

static bool flow_over(const struct sim *sim, const struct flow *flow)
{
	if (!endpoint_finished(&flow->end[CLIENT]) || !endpoint_finished(&flow->end[SERVER]))
		return false;
	if (!sim->options.keep_open)
		return flow->end[CLIENT].closed && flow->end[SERVER].closed;
	return flow->spoken && !flow->awaited[CLIENT] && !flow->awaited[SERVER];
}

static void flow_next(struct sim *sim, double after)
{
	if (sim->started < sim->options.flows)
		event_push(&sim->heap, sim->now + (int64_t)(after * 1e9), EVENT_START,
			   sim->started++);
}

void sim_acked(struct sim *sim, struct flow *flow)
{
	if (flow->done || !flow_over(sim, flow))
		return;
	flow->done = true;
	endpoint_release(&flow->end[CLIENT]);
	endpoint_release(&flow->end[SERVER]);
	flow_next(sim, gen_random_exp(&sim->random, 0.25e-9 * (double)flow->rtt));
}

static void request(struct sim *sim, struct flow *flow)
{
	const struct sim_options *o = &sim->options;

	flow->turns_left--;
	flow->spoken = !flow->turns_left && !flow->pull;
	flow->awaited[SERVER] = flow->end[SERVER].received + o->request;
	flow->awaited[CLIENT] = flow->pull ? 0 : flow->end[CLIENT].received + o->reply;
	endpoint_write(sim, flow, CLIENT, o->request);
}

static void on_app(struct sim *sim, struct flow *flow, int side)
{
	if (side == CLIENT && flow->turns_left) {
		request(sim, flow);
	} else if (side == CLIENT || flow->end[SERVER].fin_told) {
		endpoint_close(sim, flow, side);
	} else if (flow->pull) {
		flow->spoken = true;
		flow->end[SERVER].endless = true;
		endpoint_push(sim, flow, SERVER);
	} else {
		endpoint_write(sim, flow, SERVER, sim->options.reply);
	}
}

void sim_established(struct sim *sim, struct flow *flow, int side)
{
	if (side != CLIENT)
		return;
	if (sim->options.pattern == PATTERN_EXCHANGE || flow->pull) {
		flow->turns_left = flow->pull ? 1 : sim->options.turns;
		app_at(sim, flow, CLIENT, gen_random_exp(&sim->random, sim->options.think));
	} else {
		flow->spoken = true;
		flow->end[CLIENT].endless = true;
		endpoint_push(sim, flow, CLIENT);
	}
}

void sim_received(struct sim *sim, struct flow *flow, int side)
{
	if (!flow->awaited[side] || flow->end[side].received < flow->awaited[side])
		return;
	flow->awaited[side] = 0;
	if (side == SERVER) /* computes its answer */
		app_at(sim, flow, SERVER, 50e-6 + gen_random_exp(&sim->random, 0.5e-3));
	else if (flow->turns_left || !sim->options.keep_open)
		app_at(sim, flow, CLIENT, gen_random_exp(&sim->random, sim->options.think));
}

void sim_peer_closed(struct sim *sim, struct flow *flow, int side)
{
	if (!flow->end[side].closed)
		app_at(sim, flow, side, 20e-6 + gen_random_exp(&sim->random, 0.2e-3));
}

static void on_start(struct sim *sim, uint32_t index)
{
	const struct sim_options *o = &sim->options;
	struct flow *flow = &sim->flows[index];
	double spread = o->flows > 1 ? 0.5 + gen_random_unit(&sim->random) : 1;

	flow->path = (struct wire_path){
		.ipv6 = o->ipv6, .timestamps = o->timestamps, .scale = 7,
		.mss = o->ipv6 ? 1440 : 1460,
		.host = { index % 250, gen_random_below(&sim->random, 20) },
		.port = { (uint16_t)(20000 + index / 250 % 45000), 5001 },
	};
	flow->rtt = (int64_t)((double)o->rtt * spread);
	flow->pull = o->pattern == PATTERN_PULL || (o->pattern == PATTERN_BOTH && (index & 1));
	flow->share = o->packets / o->flows;
	endpoint_init(sim, &flow->end[CLIENT]);
	endpoint_init(sim, &flow->end[SERVER]);
	endpoint_connect(sim, flow);
}

void sim_init(struct sim *sim, const struct sim_options *options, struct wire_file *file)
{
	*sim = (struct sim){
		.options = *options, .random.state = options->seed, .file = file,
		.free_packet = NONE,
	};
	sim->flows = gen_realloc(NULL, options->flows * sizeof(*sim->flows));
	memset(sim->flows, 0, options->flows * sizeof(*sim->flows));
	for (uint32_t i = 0; i < options->concurrent; i++)
		flow_next(sim, gen_random_unit(&sim->random) *
				       (options->flows > 1 ? options->spread : 0));
}

void sim_run(struct sim *sim)
{
	struct event event;

	while (event_pop(&sim->heap, &event)) {
		struct flow *flow = &sim->flows[event.what / 2];
		int side = event.what & 1;

		sim->now = event.at;
		switch (event_kind(&event)) {
		case EVENT_START:
			on_start(sim, event.what);
			break;
		case EVENT_SENT:
			on_sent(sim, event.what);
			break;
		case EVENT_VANTAGE:
			on_vantage(sim, event.what);
			break;
		case EVENT_ARRIVE:
			on_arrive(sim, event.what);
			break;
		case EVENT_TIMER:
			endpoint_timer(sim, flow, side, event.at);
			break;
		case EVENT_APP:
			on_app(sim, flow, side);
			break;
		}
	}
}

void sim_release(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->options.flows; i++) {
		endpoint_release(&sim->flows[i].end[CLIENT]);
		endpoint_release(&sim->flows[i].end[SERVER]);
	}
	free(sim->flows);
	free(sim->packets);
	event_release(&sim->heap);
}
