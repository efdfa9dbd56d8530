/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The few rtnetlink requests that a lab needs. Each is answered by the kernel before the call
 * returns: 0 or its negative errno. See rtnetlink(7), linux/rtnetlink.h. Written out here, since a
 * library for six messages would be one more thing to be missing.
 */
#ifndef TW_LAB_NETLINK_H
#define TW_LAB_NETLINK_H

#include <stdint.h>

struct tw_netlink {
	int fd; /* -1: not open */
	uint32_t seq;
};

/* A socket into the caller's network namespace. */
int tw_netlink_open(struct tw_netlink *nl);
void tw_netlink_close(struct tw_netlink *nl);

struct tw_veth {
	const char *name, *peer;       /* at most 15 characters */
	const uint8_t *mac, *peer_mac; /* 6 bytes each */
	int peer_ns; /* network namespace that the peer is made in, by descriptor */
	uint32_t mtu;
};

/* A veth pair: `name` here, `peer` there. */
int tw_netlink_add_veth(struct tw_netlink *nl, const struct tw_veth *veth);

/*
 * The device goes up. Without an IPv6 address of its own making: so nothing on the path is
 * solicited, advertised or reported.
 */
int tw_netlink_set_up(struct tw_netlink *nl, unsigned ifindex);

/* `family` AF_INET or AF_INET6, `address` 4 or 16 bytes. IPv6 is usable at once (no DAD). */
int tw_netlink_add_address(struct tw_netlink *nl, unsigned ifindex, int family, const void *address,
			   unsigned prefix);

/* A permanent neighbour: its hardware address is never asked for. */
int tw_netlink_add_neighbour(struct tw_netlink *nl, unsigned ifindex, int family,
			     const void *address, const uint8_t mac[6]);

/* Frames that the device dropped, sending and receiving. */
int tw_netlink_dropped(struct tw_netlink *nl, unsigned ifindex, uint64_t *frames);

#endif
