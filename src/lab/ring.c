/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

/*
 * All places of a ring have one size, and the memory is taken whether they are used or not.
 *
 * A frame of an MTU of 1,500 with the ring's header needs 2 kB. 16 MB a ring: 1,500-byte frames at
 * 500 Mbit/s for a fifth of a second.
 *
 * A super-packet has no more data than a device's gso_max_size, 64 kB, leaves beside MAX_TCP_HEADER
 * (sk_dst_gso_max_size in net/core/sock.c), so that with its own headers and the ring's it just
 * fits into 64 kB. A smaller gso_max_size would save memory, but a NIC has that one. 64 MB a ring:
 * super-packets for longer than any stall, and ACKs of a transfer at 500 Mbit/s, one for every two
 * segments, for 50 ms.
 */
enum {
	PLACE = 2048,
	PLACES = 8192,
	GSO_PLACE = 64 << 10,
	GSO_PLACES = 1024,
	BLOCK = 64 << 10, /* frames do not cross blocks, and the blocks are mapped in one piece */
};

static struct tpacket_req request(bool with_gso)
{
	uint32_t place = with_gso ? GSO_PLACE : PLACE, places = with_gso ? GSO_PLACES : PLACES;

	return (struct tpacket_req){
		.tp_block_size = BLOCK,
		.tp_block_nr = places / (BLOCK / place),
		.tp_frame_size = place,
		.tp_frame_nr = places,
	};
}

/*
 * Broadcasts and multicasts do not cross: neighbours are known, nobody routes, and what kernels
 * report of themselves would only be in the way. (The lowest bit of the first byte, IEEE 802
 * clause 8.)
 */
static struct sock_filter unicast_only[] = {
	BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 1, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, 0),
	BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
};

int tw_ring_socket(unsigned ifindex, bool with_gso)
{
	const struct sock_fprog filter = {
		.len = sizeof(unicast_only) / sizeof(unicast_only[0]),
		.filter = unicast_only,
	};
	const struct tpacket_req ring = request(with_gso);
	const struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)ifindex,
	};
	const int version = TPACKET_V2, on = 1;
	/* Protocol 0: nothing is received before the ring stands and the device is bound. */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) ||
	    (with_gso && setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on))) ||
	    setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)) ||
	    bind(fd, (const void *)&address, sizeof(address))) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

int tw_ring_map(struct tw_ring *ring, int fd)
{
	struct tpacket_req size;
	void *map;
	int error, tells = 0;
	socklen_t n = sizeof(error);

	*ring = (struct tw_ring){ .fd = fd };
	/* Takes the ENETDOWN away that binding to a device leaves which is not up yet. */
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n);
	/* What the socket was made for. */
	n = sizeof(tells);
	getsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &tells, &n);
	size = request(tells);
	ring->tells = tells;
	ring->place = size.tp_frame_size;
	ring->map_size = (size_t)size.tp_block_size * size.tp_block_nr;
	map = mmap(NULL, ring->map_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	ring->map = map;
	return 0;
}

void tw_ring_release(struct tw_ring *ring)
{
	if (ring->map)
		munmap(ring->map, ring->map_size);
	if (ring->fd >= 0)
		close(ring->fd);
	*ring = (struct tw_ring){ .fd = -1 };
}

static struct tpacket2_hdr *head_of(const struct tw_ring *ring)
{
	return (struct tpacket2_hdr *)(ring->map + (size_t)ring->next * ring->place);
}

bool tw_ring_peek(struct tw_ring *ring, struct tw_ring_frame *frame)
{
	struct tpacket2_hdr *head = head_of(ring);
	uint32_t status = __atomic_load_n(&head->tp_status, __ATOMIC_ACQUIRE);

	if (!(status & TP_STATUS_USER))
		return false;
	*frame = (struct tw_ring_frame){
		.bytes = (uint8_t *)head + head->tp_mac,
		.n = head->tp_snaplen,
		.original = head->tp_len,
		.stamp = (int64_t)head->tp_sec * 1000000000 + head->tp_nsec,
		.lacks_checksum = status & TP_STATUS_CSUMNOTREADY,
	};
	/* It stands before the frame: tpacket_rcv in net/packet/af_packet.c. */
	if (ring->tells)
		memcpy(&frame->offload, frame->bytes - sizeof(frame->offload),
		       sizeof(frame->offload));
	return true;
}

void tw_ring_done(struct tw_ring *ring)
{
	__atomic_store_n(&head_of(ring)->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	ring->next = (ring->next + 1) % (uint32_t)(ring->map_size / ring->place);
}

int tw_ring_send(const struct tw_ring *ring, const uint8_t *bytes, uint32_t n)
{
	/* What tells of the frames that come is to lead those that go, too: nothing is left to do. */
	static struct virtio_net_hdr nothing;
	struct iovec parts[] = {
		{ .iov_base = &nothing, .iov_len = ring->tells ? sizeof(nothing) : 0 },
		{ .iov_base = (void *)(uintptr_t)bytes, .iov_len = n },
	};
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t sent;

	do
		sent = sendmsg(ring->fd, &message, MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

uint64_t tw_ring_dropped(const struct tw_ring *ring)
{
	struct tpacket_stats stats = { 0 };
	socklen_t n = sizeof(stats);

	getsockopt(ring->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &n);
	return stats.tp_drops;
}
