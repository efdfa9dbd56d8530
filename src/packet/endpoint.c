/* SPDX-License-Identifier: BSD-2-Clause */
/* Endpoints as people read them. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "packet/name.h"
#include "packet/packet.h"

static void format_name(const struct tw_endpoint *endpoint, char *out, unsigned size)
{
	const char *name = tw_endpoint_name(endpoint);
	uint64_t hash;

	if (name) {
		snprintf(out, size, "%s:%u", name, endpoint->port);
		return;
	}
	memcpy(&hash, endpoint->addr, sizeof(hash));
	snprintf(out, size, "name-%016" PRIx64 ":%u", hash, endpoint->port);
}

const char *tw_endpoint_format(const struct tw_endpoint *endpoint, char *out, unsigned size)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const uint8_t *addr = endpoint->addr;
	char text[INET6_ADDRSTRLEN] = "";

	if (endpoint->is_name) {
		format_name(endpoint, out, size);
	} else if (!memcmp(addr, mapped, sizeof(mapped))) {
		snprintf(out, size, "%u.%u.%u.%u:%u", addr[12], addr[13], addr[14], addr[15],
			 endpoint->port);
	} else {
		inet_ntop(AF_INET6, addr, text, sizeof(text)); /* as RFC 5952 wants it */
		snprintf(out, size, "[%s]:%u", text, endpoint->port);
	}
	return out;
}
