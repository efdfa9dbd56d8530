/* SPDX-License-Identifier: BSD-2-Clause */
/* tcpdump's filter expressions (pcap-filter(7)) over records of any link type, by libpcap. */
#ifndef TW_SOURCE_FILTER_H
#define TW_SOURCE_FILTER_H

#include "base/error.h"
#include "source/source.h"

struct tw_filter;

/*
 * Compiles `expression`; it is compiled again for each link type as records of it come. On success
 * `*out` is owned by the caller. -EINVAL with libpcap's text in `err` where it is wrong, or can
 * match nothing, on every common link type; -ENOTSUP where the build lacks libpcap; -ENOMEM.
 * Host, port and network names are looked up as tcpdump does: that may ask the network.
 */
int tw_filter_new(struct tw_filter **out, const char *expression, struct tw_error *err);

/*
 * 1 where the record matches, 0 where not. -EOPNOTSUPP where the expression means nothing on the
 * record's link type ("ether host ..." on raw IP), -ENOMEM without memory or beyond 64 link types;
 * tw_filter_error says it in words. A packet read from a text is matched as its IP and TCP
 * headers, without options and payload bytes; a name that the text printed stands for 0.0.0.0.
 */
int tw_filter_match(struct tw_filter *filter, const struct tw_record *record);

/* One line on the last match that failed; "" where none did. Owned by the filter. */
const char *tw_filter_error(const struct tw_filter *filter);

void tw_filter_free(struct tw_filter *filter);

#endif
