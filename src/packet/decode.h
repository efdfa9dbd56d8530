/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captured bytes to struct tw_packet: link layer, network layer, TCP. Reads through tw_cursor only.
 * A cut packet (the snap length took bytes that were on the wire) is not a malformed one.
 */
#ifndef TW_PACKET_DECODE_H
#define TW_PACKET_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "packet/packet.h"

enum tw_decoded {
	TW_DECODED_TCP,       /* `packet` is filled */
	TW_DECODED_OTHER,     /* some other protocol; its name is in the result */
	TW_DECODED_FRAGMENT,  /* a later IP fragment: no TCP header in it */
	TW_DECODED_CUT,       /* too few captured bytes to reach the TCP header's fixed part */
	TW_DECODED_MALFORMED, /* the bytes contradict themselves */
	TW_DECODED_UNKNOWN_LINK, /* a link type this decoder does not know */
};

/* The link types (pcap's LINKTYPE_ numbers) the decoder knows are rows of a table in link.c. */

/*
 * Decodes one frame. `linktype` is the LINKTYPE_ value from the file, `captured` the bytes at
 * `bytes`, `original` the frame's length on the wire (>= captured, else captured counts).
 * On TW_DECODED_TCP fills `packet` except ts, number and interface, which are the caller's; on
 * anything else leaves it unspecified. On TW_DECODED_OTHER stores in `*other` a static name of
 * the protocol ("UDP", "ARP", "ICMP", ...). Never reads past bytes + captured.
 */
enum tw_decoded tw_decode(uint32_t linktype, const uint8_t *bytes, uint32_t captured,
			  uint32_t original, struct tw_packet *packet, const char **other);

/* The usual name of a link type ("Ethernet", "raw IP"), or NULL where it is not known. */
const char *tw_linktype_name(uint32_t linktype);

#endif
