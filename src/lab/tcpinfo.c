/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/tcpinfo.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/sockios.h>
#include <netinet/in.h>

enum unit {
	COUNT, /* as it is: a number, or bytes */
	US,
	MS,   /* printed as seconds */
	RATE, /* bytes/s, printed as bit/s */
};

struct field {
	const char *name;
	enum unit unit;
	size_t at, size;
};

#define KNOWN(name, unit, field)                              \
	{                                                     \
		name, unit, offsetof(struct tcp_info, field), \
			sizeof(((struct tcp_info *)0)->field) \
	}
/* Fields that linux/tcp.h got after Debian 12's, by their place: what exists never moves. */
#define LATER(name, unit, at, size)                                                  \
	{                                                                            \
		name, unit, offsetof(struct tcp_info, tcpi_snd_wnd) + 4 + (at), size \
	}

static const struct field fields[] = {
	KNOWN("state", COUNT, tcpi_state),       /* include/net/tcp_states.h: 1 is established */
	KNOWN("ca_state", COUNT, tcpi_ca_state), /* open, disorder, CWR, recovery, loss */
	KNOWN("rtt_s", US, tcpi_rtt),
	KNOWN("rttvar_s", US, tcpi_rttvar),
	KNOWN("min_rtt_s", US, tcpi_min_rtt),
	KNOWN("rto_s", US, tcpi_rto),
	KNOWN("ato_s", US, tcpi_ato),
	KNOWN("snd_cwnd", COUNT, tcpi_snd_cwnd),
	KNOWN("snd_ssthresh", COUNT, tcpi_snd_ssthresh),
	KNOWN("snd_mss", COUNT, tcpi_snd_mss),
	KNOWN("rcv_mss", COUNT, tcpi_rcv_mss),
	KNOWN("advmss", COUNT, tcpi_advmss),
	KNOWN("pmtu", COUNT, tcpi_pmtu),
	KNOWN("unacked", COUNT, tcpi_unacked),
	KNOWN("sacked", COUNT, tcpi_sacked),
	KNOWN("lost", COUNT, tcpi_lost),
	KNOWN("retrans", COUNT, tcpi_retrans),
	KNOWN("retransmits", COUNT, tcpi_retransmits),
	KNOWN("backoff", COUNT, tcpi_backoff),
	KNOWN("probes", COUNT, tcpi_probes),
	KNOWN("total_retrans", COUNT, tcpi_total_retrans),
	KNOWN("segs_out", COUNT, tcpi_segs_out),
	KNOWN("segs_in", COUNT, tcpi_segs_in),
	KNOWN("data_segs_out", COUNT, tcpi_data_segs_out),
	KNOWN("data_segs_in", COUNT, tcpi_data_segs_in),
	KNOWN("bytes_sent", COUNT, tcpi_bytes_sent),
	KNOWN("bytes_acked", COUNT, tcpi_bytes_acked),
	KNOWN("bytes_retrans", COUNT, tcpi_bytes_retrans),
	KNOWN("bytes_received", COUNT, tcpi_bytes_received),
	KNOWN("notsent_bytes", COUNT, tcpi_notsent_bytes),
	KNOWN("busy_s", US, tcpi_busy_time),
	KNOWN("rwnd_limited_s", US, tcpi_rwnd_limited),
	KNOWN("sndbuf_limited_s", US, tcpi_sndbuf_limited),
	KNOWN("delivery_rate_bps", RATE, tcpi_delivery_rate),
	KNOWN("pacing_rate_bps", RATE, tcpi_pacing_rate),
	KNOWN("max_pacing_rate_bps", RATE, tcpi_max_pacing_rate),
	KNOWN("delivered", COUNT, tcpi_delivered),
	KNOWN("delivered_ce", COUNT, tcpi_delivered_ce),
	KNOWN("reordering", COUNT, tcpi_reordering),
	KNOWN("reord_seen", COUNT, tcpi_reord_seen),
	KNOWN("dsack_dups", COUNT, tcpi_dsack_dups),
	KNOWN("rcv_ooopack", COUNT, tcpi_rcv_ooopack),
	KNOWN("rcv_rtt_s", US, tcpi_rcv_rtt),
	KNOWN("rcv_space", COUNT, tcpi_rcv_space),
	KNOWN("rcv_ssthresh", COUNT, tcpi_rcv_ssthresh),
	KNOWN("snd_wnd", COUNT, tcpi_snd_wnd),
	LATER("rcv_wnd", COUNT, 0, 4),
	LATER("total_rto", COUNT, 8, 2),
	LATER("total_rto_recoveries", COUNT, 10, 2),
	LATER("total_rto_time_s", MS, 12, 4),
	KNOWN("last_data_sent_s", MS, tcpi_last_data_sent), /* ago */
	KNOWN("last_data_recv_s", MS, tcpi_last_data_recv),
	KNOWN("last_ack_recv_s", MS, tcpi_last_ack_recv),
};

enum { N_FIELDS = sizeof(fields) / sizeof(*fields) };

int tw_tcpinfo_take_sample(struct tw_tcpinfo *out, int fd)
{
	socklen_t n = sizeof(out->bytes);
	int value = 0;

	memset(out, 0, sizeof(*out));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, out->bytes, &n))
		return -errno;
	out->length = n;
	if (!ioctl(fd, SIOCOUTQ, &value))
		out->sendq = value;
	if (!ioctl(fd, SIOCINQ, &value))
		out->receiveq = value;
	return 0;
}

static int64_t number_option(int fd, int level, int name)
{
	int value = 0;
	socklen_t n = sizeof(value);

	return getsockopt(fd, level, name, &value, &n) ? 0 : value;
}

int tw_tcpinfo_take(struct tw_tcpinfo *out, int fd)
{
	socklen_t n = sizeof(out->cc) - 1;
	int ret = tw_tcpinfo_take_sample(out, fd);

	if (ret)
		return ret;
	out->sndbuf = number_option(fd, SOL_SOCKET, SO_SNDBUF);
	out->rcvbuf = number_option(fd, SOL_SOCKET, SO_RCVBUF);
	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, out->cc, &n))
		out->cc[0] = '\0';
	return 0;
}

/* Little end first, as on every host that we build for; the compiler refuses the others. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "value_of() reads the low bytes first");

static bool value_of(const struct tw_tcpinfo *info, const struct field *field, uint64_t *out)
{
	*out = 0;
	if (field->at + field->size > info->length)
		return false;
	memcpy(out, info->bytes + field->at, field->size);
	return true;
}

uint32_t tw_tcpinfo_rcv_wnd(const struct tw_tcpinfo *info)
{
	static const struct field field = LATER("rcv_wnd", COUNT, 0, 4);
	uint64_t value;

	value_of(info, &field, &value);
	return (uint32_t)value;
}

static void print_field(const struct field *field, uint64_t value, struct tw_json *json)
{
	switch (field->unit) {
	case COUNT: tw_json_uint(json, field->name, value); break;
	case US: tw_json_seconds(json, field->name, (int64_t)value * 1000); break;
	case MS: tw_json_seconds(json, field->name, (int64_t)value * 1000000); break;
	case RATE: /* ~0: no limit */
		if (value > UINT64_MAX / 8)
			tw_json_null(json, field->name);
		else
			tw_json_uint(json, field->name, value * 8);
		break;
	}
}

void tw_tcpinfo_json(const struct tw_tcpinfo *info, struct tw_json *json, const char *key)
{
	tw_json_object(json, key);
	for (int i = 0; i < N_FIELDS; i++) {
		uint64_t value;

		if (value_of(info, &fields[i], &value))
			print_field(&fields[i], value, json);
		else
			tw_json_null(json, fields[i].name);
	}
	tw_json_bool(json, "delivery_rate_app_limited", info->info.tcpi_delivery_rate_app_limited);
	tw_json_string(json, "cc", info->cc);
	tw_json_bool(json, "timestamps", info->info.tcpi_options & TCPI_OPT_TIMESTAMPS);
	tw_json_bool(json, "sack", info->info.tcpi_options & TCPI_OPT_SACK);
	tw_json_bool(json, "window_scaling", info->info.tcpi_options & TCPI_OPT_WSCALE);
	tw_json_bool(json, "ecn", info->info.tcpi_options & TCPI_OPT_ECN);
	tw_json_bool(json, "ecn_seen", info->info.tcpi_options & TCPI_OPT_ECN_SEEN);
	tw_json_uint(json, "snd_wscale", info->info.tcpi_snd_wscale);
	tw_json_uint(json, "rcv_wscale", info->info.tcpi_rcv_wscale);
	tw_json_uint(json, "sndbuf_bytes", (uint64_t)info->sndbuf);
	tw_json_uint(json, "rcvbuf_bytes", (uint64_t)info->rcvbuf);
	tw_json_uint(json, "unacked_bytes", (uint64_t)info->sendq);
	tw_json_uint(json, "unread_bytes", (uint64_t)info->receiveq);
	tw_json_end(json);
}
