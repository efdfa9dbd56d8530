/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One end of the emulated path: a packet socket on a device, with a receive ring that is shared
 * with the kernel (packet(7), TPACKET_V2). A ring is not bounded by net.core.rmem_max, so an
 * ordinary user has room for a stall of the emulator as root has; and looking into it costs no
 * system call.
 */
#ifndef TW_LAB_RING_H
#define TW_LAB_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/virtio_net.h>

struct tw_ring {
	int fd;          /* -1: none; owned */
	bool tells;      /* what was left to the device comes with each frame */
	uint8_t *map;    /* owned */
	size_t map_size; /* bytes */
	uint32_t place;  /* bytes for a frame and what the kernel says of it */
	uint32_t next;   /* frame to look at */
};

struct tw_ring_frame {
	uint8_t *bytes; /* Ethernet; in the ring, the caller's until tw_ring_done() */
	uint32_t n;
	uint32_t original;   /* over `n` where the frame did not fit */
	int64_t stamp;       /* CLOCK_REALTIME, ns, by the kernel when it arrived */
	bool lacks_checksum; /* left to hardware: offloads are on */
	struct virtio_net_hdr offload; /* what is left to do (lab/segment.h); zero: nothing told */
};

/*
 * A socket for tw_ring_map(), in the caller's network namespace; or a negative errno. With
 * `with_gso` it takes super-packets, and says what was left to the device.
 */
int tw_ring_socket(unsigned ifindex, bool with_gso);

/* Takes over `fd` (also on failure it stays the ring's: release it). */
int tw_ring_map(struct tw_ring *ring, int fd);
void tw_ring_release(struct tw_ring *ring);

/* The next frame that arrived; false where none waits. tw_ring_done() gives its place back. */
bool tw_ring_peek(struct tw_ring *ring, struct tw_ring_frame *frame);
void tw_ring_done(struct tw_ring *ring);

/* Sends a frame out of the device: 0 or a negative errno (-ENOBUFS: the device dropped it). */
int tw_ring_send(const struct tw_ring *ring, const uint8_t *bytes, uint32_t n);

/* Frames that arrived and found no room, since the last call. */
uint64_t tw_ring_dropped(const struct tw_ring *ring);

#endif
