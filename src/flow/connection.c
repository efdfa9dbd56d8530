/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/connection.h"

#include <stdlib.h>
#include <string.h>

#include "flow/steps.h"

/* Ports above 1023 that programs usually listen on, ttcp's and iperf's among them. */
static bool is_usual_server(uint16_t port)
{
	static const uint16_t usual[] = { 1433, 1521, 2049, 3260, 3306, 3389, 5001, 5010, 5201, 5432,
					  5672, 6379, 8000, 8080, 8443, 9000, 9092, 11211, 27017 };

	if (port < 1024)
		return port != 0;
	for (unsigned i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (usual[i] == port)
			return true;
	return false;
}

static bool server_speaks(const struct tw_packet *p)
{
	/* A table of one host's kernel: that host is the client. */
	if (p->has & TW_HAS_SAMPLE)
		return !p->sample.of_source;
	/* No SYN tells: the usual listener's, else the lower port is the server's. */
	if (is_usual_server(p->src.port) != is_usual_server(p->dst.port))
		return is_usual_server(p->src.port);
	return p->src.port < p->dst.port;
}

void tw_connection_init(struct tw_connection *c, uint64_t id, const struct tw_packet *first)
{
	bool from_server;

	memset(c, 0, sizeof(*c));
	if (first->flags & TW_SYN) {
		from_server = first->flags & TW_ACK;
	} else {
		from_server = server_speaks(first);
		c->client_guessed = true;
	}
	c->id = id;
	c->endpoint[from_server] = first->src;
	c->endpoint[!from_server] = first->dst;
	c->first = c->last = first->ts;
	c->first_packet = first->number;
	c->opened_at = c->syn_at = c->last_syn_at = TW_NO_TIME;
	tw_direction_init(&c->direction[0]);
	tw_direction_init(&c->direction[1]);
}

void tw_connection_release(struct tw_connection *c)
{
	tw_direction_release(&c->direction[0]);
	tw_direction_release(&c->direction[1]);
}

bool tw_connection_is_reuse(const struct tw_connection *c, int side, const struct tw_packet *p)
{
	const struct tw_direction *d = &c->direction[side], *peer = &c->direction[!side];

	if ((p->flags & (TW_SYN | TW_ACK)) != TW_SYN)
		return false;
	if (d->syn_seen && d->syn_seq == p->seq)
		return false; /* the same SYN, sent again */
	if (!d->syn_seen && d->has_base && peer->syn_seen && d->base == p->seq + 1)
		return false; /* the capture began with the SYN-ACK, which acknowledged this SYN */
	/* Also where the old one was never answered: a new attempt. */
	return true;
}

static void note_syn_resend(struct tw_connection *c, int side, const struct tw_packet *p)
{
	struct tw_trouble *both = tw_direction_trouble(&c->direction[0]);
	struct tw_trouble *own = tw_direction_trouble(&c->direction[side]);

	/* Both sides' are kept with the client's: they delay the same opening. */
	tw_marks_add(both ? &both->syn_resends : NULL, p->number, p->ts);
	tw_marks_add(own ? &own->resends[TW_RESEND_SYN] : NULL, p->number, p->ts);
	c->last_syn_at = p->ts;
}

/* Options that only a SYN carries, and the start of the sequence space. */
static void take_syn(struct tw_connection *c, int side, const struct tw_packet *p)
{
	struct tw_direction *d = tw_direction_of(c, side), *peer = tw_direction_of(c, !side);

	if (d->syns < UINT8_MAX)
		d->syns++;
	if (d->syn_seen) {
		note_syn_resend(c, side, p);
		return;
	}
	d->syn_seen = true;
	d->syn_seq = p->seq;
	if (!(p->flags & TW_ACK)) {
		c->start_seen = true;
		if (c->syn_at == TW_NO_TIME)
			c->syn_at = p->ts;
	}
	if (!d->has_base || !d->data_packets) {
		d->base = p->seq + 1;
		d->has_base = true;
		tw_scoreboard_start(&d->board, 0);
	}
	if (p->has & TW_HAS_MSS)
		d->mss_option = p->mss;
	d->sack_permitted = p->has & TW_HAS_SACK_PERMITTED;
	d->timestamps = p->has & TW_HAS_TIMESTAMPS;
	d->tsval_high = d->timestamps ? p->tsval : 0;
	d->tsval_high_at = p->ts;
	tw_direction_judge_mss(d, peer);
	tw_direction_judge_mss(peer, d);
	d->has_wscale = p->has & TW_HAS_WSCALE;
	d->wscale = p->wscale > 14 ? 14 : p->wscale;
	/*
	 * Scaling holds where both offer it (RFC 7323 section 2.2). A SYN-ACK without it settles the
	 * matter alone; with it, it answers a SYN that had it.
	 */
	if (p->flags & TW_ACK || peer->syn_seen) {
		bool both = d->has_wscale && (!peer->syn_seen || peer->has_wscale);

		d->peer_scale_known = peer->peer_scale_known = true;
		peer->peer_scale = both ? d->wscale : 0;
		d->peer_scale = both && peer->syn_seen ? peer->wscale : 0;
		if (both && !peer->syn_seen)
			d->peer_scale_known = false; /* the SYN's own shift was not captured */
	}
}

static void open_and_close(struct tw_connection *c, int side, const struct tw_packet *p)
{
	struct tw_direction *d = tw_direction_of(c, side);

	if (p->flags & TW_SYN)
		take_syn(c, side, p);
	else if (c->opened_at == TW_NO_TIME && side == 0 && p->flags & TW_ACK &&
		 c->direction[1].syn_seen && !(p->flags & TW_RST))
		c->opened_at = p->ts;
	if (p->flags & TW_FIN)
		d->fin_seen = true;
	if (p->flags & TW_RST) {
		d->rst_seen = true;
		c->reset = c->closed = true;
	}
	if (c->direction[0].fin_seen && c->direction[1].fin_seen)
		c->closed = true;
}

/*
 * Whether the capture holds this packet twice (a mirror port, or two interfaces of one bridge): the
 * same identification and bytes within the last few packets. No stack sends a segment again under
 * the same identification, but for 0, which Linux gives to packets outside a connection.
 */
static bool is_duplicate(struct tw_direction *d, const struct tw_packet *p)
{
	uint64_t mixed;
	uint32_t hash;

	if (!(p->has & TW_HAS_IP_ID) || !p->ip_id)
		return false;
	mixed = ((uint64_t)p->seq << 32 | p->ack) * UINT64_C(0x9e3779b97f4a7c15) ^
		((uint64_t)p->payload << 32 | (uint32_t)p->ip_id << 16 | p->flags) *
		UINT64_C(0xe7037ed1a0b428db);
	hash = (uint32_t)(mixed >> 32);
	for (unsigned i = 0; i < TW_RECENT_IDS; i++)
		if (d->recent_ids[i] == hash)
			return true;
	d->recent_ids[d->packets % TW_RECENT_IDS] = hash;
	return false;
}

static void note_sample(struct tw_direction *d, const struct tw_packet *p)
{
	const struct tw_sample *s = &p->sample;
	struct tw_sample_summary *sum;
	bool has_ssthresh = s->has & TW_SAMPLE_SSTHRESH && s->ssthresh < TW_SSTHRESH_NOT_SET;

	if (!d->sample)
		d->sample = calloc(1, sizeof(*d->sample));
	if (!d->sample)
		return;
	sum = &d->sample->sum;
	sum->n++;
	if (has_ssthresh)
		sum->ssthresh_last = s->ssthresh;
	if (s->has & TW_SAMPLE_UNACKED_SENT && s->unacked_sent > sum->unacked_max) {
		sum->unacked_max = s->unacked_sent;
		sum->unacked_packet = p->number;
		sum->unacked_cwnd = s->has & TW_SAMPLE_CWND ? s->cwnd : 0;
	}
	if (!(s->has & TW_SAMPLE_CWND))
		return;
	if (has_ssthresh && sum->cwnd_last && !sum->cut_packet &&
	    s->cwnd < sum->cwnd_last - sum->cwnd_last / 10) {
		sum->cut_packet = p->number;
		sum->cut_at = p->ts;
		sum->cut_from = sum->cwnd_last;
		sum->cut_to = s->cwnd;
		sum->cut_ssthresh = s->ssthresh;
	}
	sum->cwnd_last = s->cwnd;
	if (!sum->cwnd_min || s->cwnd < sum->cwnd_min)
		sum->cwnd_min = s->cwnd;
	if (s->cwnd > sum->cwnd_max)
		sum->cwnd_max = s->cwnd;
}

static void count_ecn(struct tw_direction *d, const struct tw_packet *p)
{
	bool ce = p->has & TW_HAS_ECN && p->ecn == 3;
	bool cwr = (p->flags & (TW_CWR | TW_SYN)) == TW_CWR;
	struct tw_trouble *t;

	d->ect_packets += p->has & TW_HAS_ECN && p->ecn;
	if (!ce && !cwr)
		return;
	t = tw_direction_trouble(d);
	if (!t)
		return;
	t->ce_packets += ce;
	t->cwr_packets += cwr;
}

static void count_packet(struct tw_connection *c, struct tw_direction *d,
			 struct tw_direction *peer, const struct tw_packet *p)
{
	c->packets++;
	d->packets++;
	if (p->ts > c->last)
		c->last = p->ts;
	else if (p->ts < c->last)
		c->time_disorder++;
	if (!p->payload && (p->flags & (TW_SYN | TW_FIN | TW_RST | TW_ACK)) == TW_ACK)
		d->pure_acks++;
	if ((p->has & TW_HAS_ECN && p->ecn) || p->flags & TW_CWR)
		count_ecn(d, p);
	if (p->has & TW_HAS_SAMPLE)
		note_sample(p->sample.of_source ? d : peer, p);
}

/* What its sender knew when the packet `p` left. */
static void deliver(struct tw_connection *c, int side, struct tw_direction *d,
		    const struct tw_packet *p, const struct tw_event_sink *sink)
{
	/* A late original tells nothing of what its sender knows now. */
	bool has_ts = p->has & TW_HAS_TIMESTAMPS && p->tsecr &&
		      (!d->timestamps || (int32_t)(p->tsval - d->tsval_high) >= 0);

	if (d->queue.n)
		tw_step_release(c, side, d, p->ts, has_ts ? &p->tsecr : NULL, sink);
	if (has_ts) {
		d->echo_at = p->ts;
		d->echo_tsecr = p->tsecr;
		d->has_echo = true;
	}
}

void tw_connection_packet(struct tw_connection *c, int side, const struct tw_packet *p,
			  const struct tw_event_sink *sink)
{
	struct tw_direction *d = tw_direction_of(c, side), *peer = tw_direction_of(c, !side);

	if (is_duplicate(d, p)) {
		struct tw_trouble *t = tw_direction_trouble(d);

		if (t)
			t->duplicates++;
		return;
	}
	count_packet(c, d, peer, p);
	tw_step_reaction(d, peer, p);
	if (p->flags & (TW_SYN | TW_FIN | TW_RST) || c->opened_at == TW_NO_TIME)
		open_and_close(c, side, p);
	/* What reached the sender before this packet left it; then the packet's own parts. */
	if (p->payload)
		deliver(c, side, d, p, sink);
	tw_step_ack(c, !side, peer, p, sink);
	tw_step_send(c, side, d, peer, p, sink);
}

void tw_connection_pass(struct tw_connection *c, int side, const struct tw_packet *p)
{
	open_and_close(c, side, p);
}

void tw_connection_flush(struct tw_connection *c, const struct tw_event_sink *sink)
{
	for (int side = 0; side < 2; side++)
		tw_step_release(c, side, &c->direction[side], INT64_MAX, NULL, sink);
}

int tw_connection_main(const struct tw_connection *c)
{
	return c->direction[0].unique_bytes > c->direction[1].unique_bytes ? 0 : 1;
}

int64_t tw_connection_end(const struct tw_connection *c)
{
	int64_t end = TW_NO_TIME;
	bool any = false;

	for (int side = 0; side < 2; side++) {
		const struct tw_direction *d = &c->direction[side];

		if (d->last_sent_at == TW_NO_TIME)
			continue; /* nothing, or only what had been acknowledged before */
		any = true;
		if (d->done_at < d->last_sent_at)
			return c->last; /* the last acknowledgement never came */
		if (tw_direction_is_shut(d))
			return c->last; /* data waits behind a closed window */
		if (d->done_at > end)
			end = d->done_at;
	}
	if (any)
		return end;
	/* No data: what the opening took. */
	if (c->opened_at != TW_NO_TIME)
		return c->opened_at;
	return c->start_seen ? c->last : c->first;
}
