/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated world: flows between two hosts each, a shared bottleneck with a drop-tail queue,
 * and one capture somewhere on the path. sim.c owns flows, path and applications; endpoint.c is
 * the TCP of one host.
 */
#ifndef TW_GEN_SIM_H
#define TW_GEN_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "random.h"
#include "wire.h"

enum vantage { VANTAGE_SENDER, VANTAGE_MIDDLE, VANTAGE_RECEIVER };
enum pattern {
	PATTERN_BULK,     /* the client sends until its share of packets is captured */
	PATTERN_PULL,     /* a 200-byte request, then the server does */
	PATTERN_BOTH,     /* every other flow is a pull */
	PATTERN_EXCHANGE, /* requests and replies in turn */
};

struct sim_options {
	uint32_t flows, concurrent; /* in all; at a time */
	uint64_t packets;           /* captured, about */
	double loss, ack_loss;      /* probability per packet with and without sequence space */
	double reorder;             /* probability of a path slower by up to half an RTT */
	int64_t rtt;                /* ns, without queue */
	double rate;                /* bits per second of the bottleneck */
	uint32_t queue, window;     /* bytes */
	uint32_t turns, request, reply; /* of an exchange; bytes */
	double think;               /* seconds, mean: the client before it speaks again */
	double spread;              /* seconds over which the first flows start */
	uint64_t seed;
	uint32_t snap;
	enum vantage vantage;
	enum pattern pattern;
	bool ipv6, keep_open, timestamps, reno, id_per_host;
};

enum {
	SEGMENT_SYN = 1,
	SEGMENT_FIN = 2,
	SEGMENT_PSH = 4,
	SEGMENT_SACKED = 8,
	SEGMENT_LOST = 16,   /* thought so, waiting to be sent again */
	SEGMENT_FLYING = 32, /* counted in `pipe` */
	SEGMENT_RESENT = 64,
	SEGMENT_SEEN = 128,  /* has passed the capture */
};

struct segment {
	int64_t sent_at; /* the last time */
	uint32_t seq;
	uint16_t len;
	uint8_t flags;   /* SEGMENT_* */
};

enum { FLOW_RANGES = 512, TIMER_NONE = 0, TIMER_RTO, TIMER_PROBE };
#define NEVER INT64_MAX

struct range {
	uint32_t from, to;
};

/* One host's TCP. Indices count segments; the ring holds those from `una` to `nxt`. */
struct endpoint {
	/* sending */
	struct segment *ring;
	uint32_t mask;               /* ring size less one; valid where ring is set */
	uint32_t una, nxt;
	uint32_t *holes;             /* unsacked segments below `high`, ascending */
	uint32_t n_holes, cap_holes;
	uint32_t high;               /* one past the highest segment SACKed */
	uint32_t snd_una, snd_nxt;   /* sequence numbers */
	uint32_t right_edge;         /* of the peer's window */
	uint64_t pending;            /* bytes the application has written, not yet segmented */
	bool endless;                /* bulk: more until the flow's share of packets is captured */
	bool fin_pending, established, recovering, probed;
	uint32_t pipe;               /* segments thought in the network */
	uint32_t recover;            /* recovery ends when una reaches it */
	double cwnd, ssthresh, w_max, w_est, epoch_cwnd; /* segments */
	int64_t epoch;               /* cubic's; 0: not begun */
	int64_t rack;                /* latest send time among those delivered */
	int64_t srtt, rttvar, rtt_min;
	unsigned backoff;
	/* receiving */
	uint32_t rcv_nxt, acked_to, fin_to;
	struct range *ooo;           /* ascending, disjoint */
	uint32_t n_ooo, cap_ooo;
	uint32_t recent[PACKET_SACKS]; /* a byte in each range last reported, newest first */
	struct range dsack;          /* to be reported once; from == to: none */
	uint32_t unacked;            /* full segments since the last ACK sent */
	uint32_t ts_recent, ts_offset;
	uint64_t received;           /* bytes in order */
	bool syn_received, fin_received, fin_told, closed;
	/* timers */
	int64_t timer_at, delack_at, event_at;
	uint8_t timer;
	uint16_t ip_id;
	int64_t nic_free;            /* when the interface has sent all */
	int64_t last_arrival;        /* when the peer got the last packet */
};

struct truth { /* of one direction, by its sender */
	uint64_t packets, data_packets, bytes, unique_bytes; /* captured */
	uint64_t repeats, repeat_bytes; /* captured data packets with bytes captured before */
	uint64_t resends;        /* captured data packets that their sender had sent before */
	uint64_t sent_resends;   /* data packets sent again, captured or not */
	uint64_t syn_resends;    /* captured repeats of a SYN or SYN-ACK */
	uint64_t lost;           /* packets dropped by the path, any kind */
	uint64_t lost_data;      /* those with payload */
	uint64_t lost_seen;      /* with payload, dropped after the capture saw them */
	uint64_t reordered;      /* data packets sent over the slower path */
	uint64_t timeouts, recoveries;
};

struct flow {
	struct endpoint end[2];
	struct wire_path path;
	struct truth truth[2];
	uint64_t captured;
	uint64_t share;          /* packets after which a bulk ends */
	int64_t rtt;
	int64_t first, last;     /* captured */
	uint32_t turns_left;
	uint64_t awaited[2];     /* bytes received by side that complete a message; 0: none due */
	bool pull, spoken, done; /* spoken: nothing more will be begun, but for closing */
};

struct sim {
	struct sim_options options;
	struct gen_random random;
	struct event_heap heap;
	struct wire_file *file;
	struct flow *flows;
	struct packet *packets;  /* pool */
	uint32_t n_packets, cap_packets, free_packet;
	uint32_t started, host_id[2][256];
	int64_t now;
	int64_t link_free[2];    /* when the bottleneck is idle, per direction (by sender) */
};

void sim_init(struct sim *sim, const struct sim_options *options, struct wire_file *file);
void sim_run(struct sim *sim);
void sim_release(struct sim *sim);

/* For endpoint.c: hands a packet to the interface of `side`. Copies it. */
void sim_transmit(struct sim *sim, struct flow *flow, int side, const struct packet *packet);
/* Asks for endpoint_timer at `at`. */
void sim_arm(struct sim *sim, struct flow *flow, int side, int64_t at);
/* Called by endpoint.c: side is established; has received more in order; the peer has closed. */
void sim_established(struct sim *sim, struct flow *flow, int side);
void sim_received(struct sim *sim, struct flow *flow, int side);
void sim_peer_closed(struct sim *sim, struct flow *flow, int side);
/* An ACK was taken: the flow may be over. */
void sim_acked(struct sim *sim, struct flow *flow);

void endpoint_init(struct sim *sim, struct endpoint *end);
void endpoint_release(struct endpoint *end);
void endpoint_connect(struct sim *sim, struct flow *flow);
void endpoint_write(struct sim *sim, struct flow *flow, int side, uint64_t bytes);
void endpoint_close(struct sim *sim, struct flow *flow, int side);
void endpoint_arrive(struct sim *sim, struct flow *flow, int side, const struct packet *packet);
void endpoint_timer(struct sim *sim, struct flow *flow, int side, int64_t at);
/* Sends what the windows allow. */
void endpoint_push(struct sim *sim, struct flow *flow, int side);
/* Everything sent, FIN included, is acknowledged. */
bool endpoint_finished(const struct endpoint *end);

/* The segment at an index, or NULL where it is acknowledged already. */
static inline struct segment *endpoint_segment(struct endpoint *end, uint32_t index)
{
	return (int32_t)(index - end->una) >= 0 && (int32_t)(index - end->nxt) < 0
		       ? &end->ring[index & end->mask] : NULL;
}

static inline uint32_t segment_end(const struct segment *segment)
{
	return segment->seq + segment->len + !!(segment->flags & (SEGMENT_SYN | SEGMENT_FIN));
}

static inline bool seq_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

#endif
