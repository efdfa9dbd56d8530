/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the flow stage tells the ledger: transmissions, and acknowledgements at the moment they take
 * effect on the sender, in the order of the sender's clock as seen here. Positions count the bytes
 * of one direction from its first (0); they never wrap.
 */
#ifndef TW_FLOW_EVENT_H
#define TW_FLOW_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/summary.h"

enum tw_event_kind {
	TW_EVENT_SEND, /* payload left the sender */
	TW_EVENT_ACK,  /* an acknowledgement, window update or duplicate ACK took effect */
};

enum { TW_NO_TIME = -1 };

struct tw_event {
	int64_t at;            /* instant, ns */
	uint64_t packet;       /* number in the input */
	uint8_t kind;
	uint8_t side;          /* whose data: 0 client, 1 server */

	/* The direction after the event. */
	bool hole;             /* SACKed or duplicate-ACKed data lies above an unacknowledged byte */
	bool flight_known;     /* false: the source has no ACK numbers */
	uint32_t mss;
	int64_t una, nxt;      /* positions */
	int64_t fack;          /* end of the highest byte acknowledged or SACKed */
	int64_t right_edge;    /* una plus the peer's window; INT64_MAX where the window is not known */
	uint32_t flight;       /* bytes in flight: outstanding less SACKed less lost */
	uint32_t outstanding;  /* nxt - una */
	uint32_t sacked;       /* bytes SACKed above una */
	uint32_t dup_acks;     /* in a row */

	/*
	 * Ticks of its sender's clock (TSval) since its packet before this one; TW_NO_TIME: not known.
	 * Far less than what passed here: it was held on its way.
	 */
	int32_t sent_ticks;

	/* TW_EVENT_SEND; 0 in others, as from here on all that an event does not tell. */
	int64_t from, to;      /* positions sent */
	bool is_resend;        /* carries bytes that were sent before */
	bool is_late;          /* a late original: reordered, not sent now */
	bool is_unneeded;      /* all of it was acknowledged already */
	bool is_highest;       /* a resend that ends at nxt */
	bool is_probe;         /* zero-window probe */
	uint16_t id_gap;       /* packets of this sender that vanished before the vantage just before */
	bool acks_all;         /* it acknowledges all that the other side sent, as seen here */
	int64_t unheard;       /* how long ago, ns, it should have heard of the oldest ACK that TSecr shows it had not; 0: none */
	uint8_t resend_class;  /* enum tw_resend_class, where is_resend */

	/* TW_EVENT_ACK */
	uint32_t newly_acked;  /* bytes */
	uint32_t newly_sacked;
	uint32_t missed;       /* of newly_acked: bytes that the capture never saw */
	uint32_t largest;      /* bytes of the longest segment among newly_acked, as it was sent last */
	bool is_pure;          /* no payload with it */
	bool window_opened;    /* the right edge moved without new data acknowledged */
	bool ece;
	int64_t rtt;           /* Karn-clean sample, or TW_NO_TIME */
	int64_t path_rtt;      /* the same, less what the receiver's host took beyond its fastest, where that is seen */
	int64_t hold_age;      /* age of the second MSS that had not been acknowledged; TW_NO_TIME: not sent */
	int64_t acked_sent_at; /* when the last byte acknowledged was sent (once only), or TW_NO_TIME */

	/* Kernel sample taken with this packet, of the data's sender; NULL where there is none. */
	const struct tw_sample *sample;
};

#endif
