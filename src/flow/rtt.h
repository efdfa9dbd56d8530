/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sender's retransmission timer as RFC 6298 section 2 computes it, with Linux's floor: RTO is
 * SRTT + max(200 ms, 4 RTTVAR), 1 s before the first sample (net/ipv4/tcp_input.c, tcp_set_rto).
 */
#ifndef TW_FLOW_RTT_H
#define TW_FLOW_RTT_H

#include <stdint.h>

struct tw_rtt {
	int64_t srtt;   /* ns; 0: no sample yet */
	int64_t rttvar; /* ns */
};

static inline void tw_rtt_sample(struct tw_rtt *rtt, int64_t sample)
{
	int64_t error;

	if (!rtt->srtt) {
		rtt->srtt = sample > 0 ? sample : 1;
		rtt->rttvar = sample / 2;
		return;
	}
	error = sample - rtt->srtt;
	rtt->rttvar += ((error < 0 ? -error : error) - rtt->rttvar) / 4;
	rtt->srtt += error / 8;
	if (rtt->srtt < 1)
		rtt->srtt = 1;
}

static inline int64_t tw_rtt_rto(const struct tw_rtt *rtt)
{
	int64_t floor = 200000000, spread = 4 * rtt->rttvar;

	if (!rtt->srtt)
		return 1000000000;
	return rtt->srtt + (spread > floor ? spread : floor);
}

#endif
