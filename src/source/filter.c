/* SPDX-License-Identifier: BSD-2-Clause */
/* libpcap compiles the expression for a link type and runs it; a program is kept for each type. */
#include "source/filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#if TW_WITH_PCAP
#include <pcap/pcap.h>

enum {
	SNAPLEN = 262144,
	MAX_LINKTYPES = 64, /* programs kept; a file with more link types than that is hostile */
	LINKTYPE_ETHERNET = 1,
	LINKTYPE_RAW = 101,
	LINKTYPE_SLL = 113,
	LINKTYPE_RADIOTAP = 127,
};

struct program {
	uint32_t linktype;
	bool usable; /* false: the expression means nothing on this link type */
	struct bpf_program code;
};

struct tw_filter {
	char *expression;
	struct program *programs; /* MAX_LINKTYPES of them */
	unsigned n_programs;
	unsigned last; /* the program that ran last: mostly the next one too */
	struct tw_error error;
};

/*
 * Files hold LINKTYPE_ values, which are the same everywhere; libpcap's calls want DLT_ values,
 * which differ where systems disagreed (www.tcpdump.org/linktypes.html).
 */
static int dlt_of(uint32_t linktype)
{
	switch (linktype) {
	case 100: return DLT_ATM_RFC1483;
	case LINKTYPE_RAW: return DLT_RAW;
	case 102: return DLT_SLIP_BSDOS;
	case 103: return DLT_PPP_BSDOS;
	case 106: return DLT_ATM_CLIP;
	default: return (int)linktype;
	}
}

/* 0 with `*code` to be freed; -EINVAL with libpcap's text in `err`; -ENOMEM. */
static int compile(const char *expression, uint32_t linktype, bool optimize,
		   struct bpf_program *code, struct tw_error *err)
{
	pcap_t *pcap = pcap_open_dead(dlt_of(linktype), SNAPLEN);
	int ret = 0;

	if (!pcap)
		return tw_error_set(err, -ENOMEM, "%s", strerror(ENOMEM));
	if (pcap_compile(pcap, code, expression, optimize, PCAP_NETMASK_UNKNOWN))
		ret = tw_error_set(err, -EINVAL, "%s", pcap_geterr(pcap));
	pcap_close(pcap);
	return ret;
}

/*
 * An expression that rejects everything on a link type (ARP on raw IP) is an error to the optimizer
 * alone; without it the program is good, and rejects everything.
 */
static int compile_leniently(const char *expression, uint32_t linktype, struct bpf_program *code,
			     struct tw_error *err)
{
	if (!compile(expression, linktype, true, code, NULL))
		return 0;
	return compile(expression, linktype, false, code, err);
}

/*
 * Whether the expression can match on any common link type; raises the complaint of the first,
 * which for errors of syntax is that of all. Radiotap comes last, for what only Wi-Fi knows: its
 * headers vary in length, so that the optimizer does not see there what can never match.
 */
static int check(const char *expression, struct tw_error *err)
{
	static const uint32_t common[] = { LINKTYPE_ETHERNET, LINKTYPE_RAW, LINKTYPE_SLL,
					   LINKTYPE_RADIOTAP };
	size_t n = sizeof(common) / sizeof(common[0]);
	struct tw_error why = { "" };
	struct bpf_program code;
	int ret = -EINVAL;

	if (!compile(expression, LINKTYPE_ETHERNET, false, &code, NULL)) {
		pcap_freecode(&code);
		n--;
	}
	for (size_t i = 0; ret == -EINVAL && i < n; i++)
		ret = compile(expression, common[i], true, &code, i ? NULL : &why);
	if (ret)
		return tw_error_set(err, ret, "filter '%s': %s", expression, why.text);
	pcap_freecode(&code);
	return 0;
}

int tw_filter_new(struct tw_filter **out, const char *expression, struct tw_error *err)
{
	struct tw_filter *filter;
	int ret = check(expression, err);

	if (ret)
		return ret;
	filter = calloc(1, sizeof(*filter));
	if (filter) {
		filter->expression = strdup(expression);
		filter->programs = calloc(MAX_LINKTYPES, sizeof(*filter->programs));
	}
	if (!filter || !filter->expression || !filter->programs) {
		tw_filter_free(filter);
		return tw_error_set(err, -ENOMEM, "filter: %s", strerror(ENOMEM));
	}
	*out = filter;
	return 0;
}

/* The program for a link type, compiled where it is new; NULL without memory or place. */
static struct program *program_for(struct tw_filter *filter, uint32_t linktype)
{
	struct program *program;
	struct tw_error why = { "" };
	int ret;

	if (filter->last < filter->n_programs &&
	    filter->programs[filter->last].linktype == linktype)
		return &filter->programs[filter->last];
	for (unsigned i = 0; i < filter->n_programs; i++) {
		if (filter->programs[i].linktype == linktype) {
			filter->last = i;
			return &filter->programs[i];
		}
	}
	if (filter->n_programs == MAX_LINKTYPES) {
		tw_error_set(&filter->error, -ENOMEM, "filter: more than %d link types",
			     MAX_LINKTYPES);
		return NULL;
	}
	program = &filter->programs[filter->n_programs];
	ret = compile_leniently(filter->expression, linktype, &program->code, &why);
	if (ret == -ENOMEM) {
		filter->error = why;
		return NULL;
	}
	program->linktype = linktype;
	program->usable = !ret;
	if (ret)
		tw_error_set(&filter->error, ret, "filter '%s' on link type %u: %s",
			     filter->expression, linktype, why.text);
	filter->last = filter->n_programs++;
	return program;
}

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

static bool is_ipv6(const struct tw_endpoint *endpoint)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !endpoint->is_name && memcmp(endpoint->addr, mapped, sizeof(mapped)) != 0;
}

/* Copies an address of 4 or 16 bytes; that of a name is zeros. */
static void put_address(uint8_t *p, const struct tw_endpoint *endpoint, size_t n)
{
	memset(p, 0, n);
	if (!endpoint->is_name)
		memcpy(p, endpoint->addr + 16 - n, n);
}

enum { IPV4_HEADER = 20, IPV6_HEADER = 40, TCP_HEADER = 20, PROTOCOL_TCP = 6 };

static void put_tcp(uint8_t *p, const struct tw_packet *packet)
{
	bool has_window = !(packet->has & TW_WINDOW_UNKNOWN);
	uint32_t window = has_window ? packet->window : 0;

	memset(p, 0, TCP_HEADER);
	put16(p, packet->src.port);
	put16(p + 2, packet->dst.port);
	put32(p + 4, packet->seq);
	if (packet->flags & TW_ACK && !(packet->has & TW_ACK_UNKNOWN))
		put32(p + 8, packet->ack);
	put16(p + 12, (uint32_t)(TCP_HEADER / 4) << 12 | (packet->flags & 0x1ffU));
	put16(p + 14, window > UINT16_MAX ? UINT16_MAX : window);
}

/* The headers that a packet from a text stands for; returns their bytes in `p`. */
static uint32_t put_headers(uint8_t p[IPV6_HEADER + TCP_HEADER], const struct tw_packet *packet)
{
	bool v6 = is_ipv6(&packet->src) || is_ipv6(&packet->dst);
	uint32_t header = v6 ? IPV6_HEADER : IPV4_HEADER;
	uint32_t ecn = packet->has & TW_HAS_ECN ? packet->ecn & 3U : 0;
	uint32_t length = TCP_HEADER + packet->payload;

	if (length < packet->payload || length > UINT16_MAX - IPV4_HEADER)
		length = 0; /* as TSO writes it where it does not fit */
	memset(p, 0, header);
	if (v6) {
		put32(p, 6U << 28 | ecn << 20);
		put16(p + 4, length);
		p[6] = PROTOCOL_TCP;
		p[7] = packet->has & TW_HAS_TTL ? packet->ttl : 64;
		put_address(p + 8, &packet->src, 16);
		put_address(p + 24, &packet->dst, 16);
	} else {
		put16(p, 0x4500 | ecn);
		put16(p + 2, length ? length + IPV4_HEADER : 0);
		put16(p + 4, packet->has & TW_HAS_IP_ID ? packet->ip_id : 0);
		p[8] = packet->has & TW_HAS_TTL ? packet->ttl : 64;
		p[9] = PROTOCOL_TCP;
		put_address(p + 12, &packet->src, 4);
		put_address(p + 16, &packet->dst, 4);
	}
	put_tcp(p + header, packet);
	return header + TCP_HEADER;
}

int tw_filter_match(struct tw_filter *filter, const struct tw_record *record)
{
	struct pcap_pkthdr header = { .caplen = record->captured, .len = record->original };
	uint8_t headers[IPV6_HEADER + TCP_HEADER];
	const uint8_t *bytes = record->bytes;
	uint32_t linktype = record->linktype;
	struct program *program;

	if (!bytes) {
		header.caplen = put_headers(headers, record->packet);
		header.len = header.caplen + record->packet->payload;
		bytes = headers;
		linktype = LINKTYPE_RAW;
	}
	if (header.len < header.caplen) /* so says a damaged record; see tw_decode */
		header.len = header.caplen;
	program = program_for(filter, linktype);
	if (!program)
		return -ENOMEM;
	if (!program->usable)
		return -EOPNOTSUPP;
	return pcap_offline_filter(&program->code, &header, bytes) != 0;
}

const char *tw_filter_error(const struct tw_filter *filter)
{
	return filter->error.text;
}

void tw_filter_free(struct tw_filter *filter)
{
	if (!filter)
		return;
	for (unsigned i = 0; i < filter->n_programs; i++)
		if (filter->programs[i].usable)
			pcap_freecode(&filter->programs[i].code);
	free(filter->programs);
	free(filter->expression);
	free(filter);
}

#else

int tw_filter_new(struct tw_filter **out, const char *expression, struct tw_error *err)
{
	(void)out;
	return tw_error_set(err, -ENOTSUP,
			    "filter '%s': this build has no filters, it lacks libpcap", expression);
}

int tw_filter_match(struct tw_filter *filter, const struct tw_record *record)
{
	(void)filter;
	(void)record;
	return -ENOTSUP;
}

const char *tw_filter_error(const struct tw_filter *filter)
{
	(void)filter;
	return "";
}

void tw_filter_free(struct tw_filter *filter)
{
	(void)filter;
}

#endif
