/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Host names that a pasted text printed instead of addresses. They are interned process-wide
 * (append-only, bounded, locked), so that an endpoint stays a plain value.
 */
#ifndef TW_PACKET_NAME_H
#define TW_PACKET_NAME_H

#include <stddef.h>
#include <stdint.h>

#include "packet/packet.h"

/*
 * Makes `endpoint` stand for the name of `n` bytes (cut at 255) and the port. Beyond 65,536
 * different names an endpoint still compares equal to itself but prints as "name-" and its hash.
 */
void tw_endpoint_set_name(struct tw_endpoint *endpoint, const char *name, size_t n, uint16_t port);

/* The name behind an endpoint whose is_name is set: NUL-terminated, valid for ever; NULL where the table was full. */
const char *tw_endpoint_name(const struct tw_endpoint *endpoint);

#endif
