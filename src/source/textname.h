/* SPDX-License-Identifier: BSD-2-Clause */
/* Endpoints as texts print them: addresses or names, with port numbers or service names. */
#ifndef TW_SOURCE_TEXTNAME_H
#define TW_SOURCE_TEXTNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet/packet.h"

/*
 * Reads "192.0.2.1.80", "192.0.2.1.http", "2001:db8::1.443", "server.example.http" or "client.1104"
 * (tcpdump's form: the port is the last dotted part). A name without a port that we know is a whole
 * name with port 0. False, `out` untouched, where it can be no endpoint. `*version` becomes 4 or 6
 * where the address tells, else stays.
 */
bool tw_text_endpoint(const char *text, size_t n, struct tw_endpoint *out, uint8_t *version);

/* The same for an address or name that stands apart from its port (tshark's form). */
bool tw_text_host(const char *text, size_t n, uint16_t port, struct tw_endpoint *out,
		  uint8_t *version);

/* "5001", "http" or "http(80)". */
bool tw_text_port(const char *text, size_t n, uint16_t *port);

#endif
