/* SPDX-License-Identifier: BSD-2-Clause */
/* From a simulated packet to Ethernet bytes in a pcap file. */
#ifndef TW_GEN_WIRE_H
#define TW_GEN_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PSH = 8, TCP_ACK = 16 };
enum { PACKET_SACKS = 4 };

struct packet {
	uint32_t flow;
	uint8_t side;      /* who sent it: 0 client, 1 server */
	uint8_t flags;     /* TCP_* */
	uint8_t n_sack;
	bool resent;       /* the sender's own knowledge */
	bool lost_later;   /* mid-path capture: dropped after it has passed */
	uint16_t len;      /* payload */
	uint16_t ip_id;
	uint32_t seq, ack; /* absolute */
	uint32_t segment;  /* index in the sender's ring; valid where it takes sequence space */
	uint32_t window;   /* bytes, before scaling */
	uint32_t tsval, tsecr;
	uint32_t sack[PACKET_SACKS][2];
};

struct wire_path { /* what a flow's packets have in common */
	bool ipv6;
	bool timestamps;
	uint8_t scale;         /* window scale of both sides */
	uint16_t mss;          /* option of both sides */
	uint32_t host[2];      /* host numbers of client and server: addresses derive from them */
	uint16_t port[2];
};

struct wire_file {
	FILE *f;
	uint32_t snap;
	uint64_t packets;
};

/* Writes the pcap header (microseconds, Ethernet, host byte order). -errno on failure. */
int wire_open(struct wire_file *file, const char *path, uint32_t snap);
/*
 * Appends one packet as seen at `at` ns. `hops` routers were passed: TTL. `received`: frames that
 * came in are padded to Ethernet's least length, frames on their way out are not yet.
 */
void wire_write(struct wire_file *file, int64_t at, const struct wire_path *path,
		const struct packet *packet, unsigned hops, bool received);
/* -errno where anything failed to be written. */
int wire_close(struct wire_file *file);

/* Bytes of a packet on the wire, Ethernet header included. */
unsigned wire_size(const struct wire_path *path, const struct packet *packet);

/* "192.0.2.1:443" or "[2001:db8::1]:443"; `size` 64 serves. */
void wire_endpoint(char *text, size_t size, const struct wire_path *path, int side);

/* realloc that ends the program when memory is short. */
void *gen_realloc(void *old, size_t size);

#endif
