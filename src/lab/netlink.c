/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/netlink.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

/* A request while it is built; ours are far below its size. */
struct request {
	union {
		struct nlmsghdr head;
		uint8_t bytes[1024];
	};
	uint32_t n;
};

static void *append(struct request *r, const void *data, size_t n)
{
	void *at = r->bytes + r->n;

	memset(at, 0, NLMSG_ALIGN(n));
	if (data)
		memcpy(at, data, n);
	r->n += (uint32_t)NLMSG_ALIGN(n);
	return at;
}

static void begin(struct request *r, uint16_t type, uint16_t flags, const void *body, size_t n)
{
	r->n = 0;
	append(r, NULL, sizeof(r->head));
	r->head.nlmsg_type = type;
	r->head.nlmsg_flags = flags | NLM_F_REQUEST;
	append(r, body, n);
}

static void put(struct request *r, uint16_t type, const void *data, size_t n)
{
	const struct rtattr attribute = { .rta_type = type, .rta_len = (uint16_t)RTA_LENGTH(n) };

	append(r, &attribute, sizeof(attribute));
	append(r, data, n);
}

/* An attribute that holds others: what is put until close_nest(). Returns where it stands. */
static uint32_t open_nest(struct request *r, uint16_t type)
{
	uint32_t at = r->n;

	put(r, type, NULL, 0);
	return at;
}

static void close_nest(struct request *r, uint32_t at)
{
	((struct rtattr *)(r->bytes + at))->rta_len = (uint16_t)(r->n - at);
}

int tw_netlink_open(struct tw_netlink *nl)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0)
		return -errno;
	nl->fd = fd;
	nl->seq = 0;
	return 0;
}

void tw_netlink_close(struct tw_netlink *nl)
{
	if (nl->fd >= 0)
		close(nl->fd);
	nl->fd = -1;
}

/* Sends the request and reads one answer into `answer`: its length, or a negative errno. */
static ssize_t ask(struct tw_netlink *nl, struct request *r, void *answer, size_t room)
{
	const struct nlmsghdr *head = answer;
	ssize_t n;

	r->head.nlmsg_len = r->n;
	r->head.nlmsg_seq = ++nl->seq;
	if (send(nl->fd, r->bytes, r->n, 0) < 0)
		return -errno;
	do
		n = recv(nl->fd, answer, room, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(*head) || head->nlmsg_seq != nl->seq)
		return -EBADMSG;
	if (head->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *error = NLMSG_DATA(head);

		return (size_t)n < NLMSG_LENGTH(sizeof(error->error)) ? -EBADMSG : error->error;
	}
	return n;
}

/* A request that is answered by an acknowledgement. */
static int order(struct tw_netlink *nl, struct request *r)
{
	_Alignas(struct nlmsghdr) uint8_t answer[4096];
	ssize_t n;

	r->head.nlmsg_flags |= NLM_F_ACK;
	n = ask(nl, r, answer, sizeof(answer));
	return n > 0 ? -EBADMSG : (int)n;
}

static void put_device(struct request *r, const char *name, const uint8_t *mac, uint32_t mtu)
{
	put(r, IFLA_IFNAME, name, strlen(name) + 1);
	put(r, IFLA_ADDRESS, mac, 6);
	put(r, IFLA_MTU, &mtu, sizeof(mtu));
}

int tw_netlink_add_veth(struct tw_netlink *nl, const struct tw_veth *veth)
{
	const struct ifinfomsg device = { .ifi_family = AF_UNSPEC };
	const uint32_t ns = (uint32_t)veth->peer_ns;
	struct request r;
	uint32_t info, data, peer;

	begin(&r, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &device, sizeof(device));
	put_device(&r, veth->name, veth->mac, veth->mtu);
	info = open_nest(&r, IFLA_LINKINFO);
	put(&r, IFLA_INFO_KIND, "veth", 5);
	data = open_nest(&r, IFLA_INFO_DATA);
	peer = open_nest(&r, VETH_INFO_PEER);
	append(&r, &device, sizeof(device));
	put_device(&r, veth->peer, veth->peer_mac, veth->mtu);
	put(&r, IFLA_NET_NS_FD, &ns, sizeof(ns));
	close_nest(&r, peer);
	close_nest(&r, data);
	close_nest(&r, info);
	return order(nl, &r);
}

/* No link-local address when it comes up; a kernel without IPv6 would have made none. */
static int set_addressless(struct tw_netlink *nl, unsigned ifindex)
{
	const struct ifinfomsg device = { .ifi_family = AF_UNSPEC, .ifi_index = (int)ifindex };
	const uint8_t none = IN6_ADDR_GEN_MODE_NONE;
	struct request r;
	uint32_t families, inet6;
	int error;

	begin(&r, RTM_NEWLINK, 0, &device, sizeof(device));
	families = open_nest(&r, IFLA_AF_SPEC);
	inet6 = open_nest(&r, AF_INET6);
	put(&r, IFLA_INET6_ADDR_GEN_MODE, &none, sizeof(none));
	close_nest(&r, inet6);
	close_nest(&r, families);
	error = order(nl, &r);
	return error == -EAFNOSUPPORT ? 0 : error;
}

int tw_netlink_set_up(struct tw_netlink *nl, unsigned ifindex)
{
	const struct ifinfomsg device = {
		.ifi_family = AF_UNSPEC,
		.ifi_index = (int)ifindex,
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP,
	};
	struct request r;
	int error = set_addressless(nl, ifindex);

	if (error)
		return error;
	begin(&r, RTM_NEWLINK, 0, &device, sizeof(device));
	return order(nl, &r);
}

int tw_netlink_add_address(struct tw_netlink *nl, unsigned ifindex, int family, const void *address,
			   unsigned prefix)
{
	const struct ifaddrmsg body = {
		.ifa_family = (uint8_t)family,
		.ifa_prefixlen = (uint8_t)prefix,
		.ifa_flags = family == AF_INET6 ? IFA_F_NODAD : 0,
		.ifa_index = ifindex,
	};
	size_t n = family == AF_INET6 ? 16 : 4;
	struct request r;

	begin(&r, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &body, sizeof(body));
	put(&r, IFA_LOCAL, address, n);
	put(&r, IFA_ADDRESS, address, n);
	return order(nl, &r);
}

int tw_netlink_add_neighbour(struct tw_netlink *nl, unsigned ifindex, int family,
			     const void *address, const uint8_t mac[6])
{
	const struct ndmsg body = {
		.ndm_family = (uint8_t)family,
		.ndm_ifindex = (int)ifindex,
		.ndm_state = NUD_PERMANENT,
	};
	struct request r;

	begin(&r, RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &body, sizeof(body));
	put(&r, NDA_DST, address, family == AF_INET6 ? 16 : 4);
	put(&r, NDA_LLADDR, mac, 6);
	return order(nl, &r);
}

int tw_netlink_dropped(struct tw_netlink *nl, unsigned ifindex, uint64_t *frames)
{
	const struct ifinfomsg device = { .ifi_family = AF_UNSPEC, .ifi_index = (int)ifindex };
	_Alignas(struct nlmsghdr) uint8_t answer[16384];
	const struct rtattr *attribute;
	struct request r;
	ssize_t n;

	begin(&r, RTM_GETLINK, 0, &device, sizeof(device));
	n = ask(nl, &r, answer, sizeof(answer));
	if (n < 0)
		return (int)n;
	if ((size_t)n < NLMSG_SPACE(sizeof(device)))
		return -EBADMSG;
	n -= (ssize_t)NLMSG_SPACE(sizeof(device));
	attribute = (const void *)(answer + NLMSG_SPACE(sizeof(device)));
	for (; RTA_OK(attribute, n); attribute = RTA_NEXT(attribute, n)) {
		struct rtnl_link_stats64 stats = { 0 };

		if (attribute->rta_type != IFLA_STATS64)
			continue;
		memcpy(&stats, RTA_DATA(attribute),
		       RTA_PAYLOAD(attribute) < sizeof(stats) ? RTA_PAYLOAD(attribute) :
								sizeof(stats));
		*frames = stats.rx_dropped + stats.tx_dropped;
		return 0;
	}
	return -ENODATA;
}
