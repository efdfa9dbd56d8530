/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one line of text said of one TCP segment, before its numbers are made absolute. The line
 * comes clean (tw_line_clean), joined where it was broken, and without its time.
 */
#ifndef TW_SOURCE_TEXTSEG_H
#define TW_SOURCE_TEXTSEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet/packet.h"

enum tw_text_style {
	TW_TEXT_TCPDUMP,
	TW_TEXT_QUIET,  /* tcpdump -q: "tcp 1448", no numbers */
	TW_TEXT_TSHARK,
};

struct tw_text_segment {
	struct tw_packet packet; /* but ts and number; seq, ack and sack are as printed */
	enum tw_text_style style;
	bool has_seq;     /* packet.seq was printed: tcpdump leaves it out where there is no data */
	bool ports_reused;/* tshark noticed a new connection on old ports */
	bool has_tail;    /* free text of a protocol above TCP ends the line */
	unsigned odd;     /* things that a whole line does not do; 0: nothing is missing */
};

/* `odd` from here on: the numbers contradict each other, the line says nothing reliable. */
enum { TW_TEXT_BROKEN = 100 };

/*
 * TCP options as tcpdump prints them between [ ] or, formerly, < >: fills the packet's fields,
 * counts in `odd` what it does not know.
 */
void tw_tcpdump_options(const char *text, size_t n, struct tw_text_segment *out);

/* What tcpdump says of the IP header: before the addresses (-v), or, formerly, at the end. */
void tw_tcpdump_ip_before(const char *text, size_t n, struct tw_packet *packet);
struct tw_scan;
bool tw_tcpdump_ip_behind(struct tw_scan *s, struct tw_text_segment *out);

/* tcpdump's line, of any age. False where it shows no TCP header. */
bool tw_tcpdump_line(const char *text, size_t n, struct tw_text_segment *out);

/*
 * tshark's one-line summary, from the source address on. False where it shows no TCP header; then
 * `*hidden` tells whether it is a TCP segment of which only the protocol above is shown.
 */
bool tw_tshark_line(const char *text, size_t n, struct tw_text_segment *out, bool *hidden);

#endif
