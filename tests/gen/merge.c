/* SPDX-License-Identifier: BSD-2-Clause */
#include "merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 36, FREE_SLOT = 0, IP_MOST = 65535, TCP_PUSH = 8, TCP_ACKS = 16,
       TIMESTAMPS = 12 };

static void *must(void *v)
{
	if (!v) {
		fprintf(stderr, "mangle: out of memory\n");
		exit(2);
	}
	return v;
}

void flow_table_init(struct flow_table *table, size_t size)
{
	*table = (struct flow_table){ .entry = KEY + 4 + (size + 7) / 8 * 8, .n_slots = 1024 };
	table->slots = must(calloc(table->n_slots, sizeof(*table->slots)));
}

static size_t hash(const struct flow_table *table, const uint8_t *key)
{
	uint64_t h = 1469598103934665603u; /* FNV-1a */

	for (size_t i = 0; i < KEY; i++)
		h = (h ^ key[i]) * 1099511628211u;
	return (h ^ h >> 32) & (table->n_slots - 1);
}

static void grow(struct flow_table *table)
{
	if (table->n == table->cap) {
		table->cap = table->cap ? 2 * table->cap : 64;
		table->entries = must(realloc(table->entries, table->cap * table->entry));
	}
	if (2 * table->n < table->n_slots)
		return;
	free(table->slots);
	table->n_slots *= 2;
	table->slots = must(calloc(table->n_slots, sizeof(*table->slots)));
	for (size_t i = 0; i < table->n; i++) {
		size_t at = hash(table, table->entries + i * table->entry);

		while (table->slots[at] != FREE_SLOT)
			at = (at + 1) & (table->n_slots - 1);
		table->slots[at] = (uint32_t)i + 1;
	}
}

void *flow_table_get(struct flow_table *table, const struct tcp_view *view, int *side)
{
	uint8_t key[KEY], first = 0, *entry;
	size_t at;

	/* one key for both directions: the lesser endpoint first; `first` says which it was */
	first = memcmp(view->endpoint[0], view->endpoint[1], 18) > 0;
	memcpy(key, view->endpoint[first], 18);
	memcpy(key + 18, view->endpoint[!first], 18);
	grow(table);
	at = hash(table, key);
	for (; table->slots[at] != FREE_SLOT; at = (at + 1) & (table->n_slots - 1)) {
		entry = table->entries + (table->slots[at] - 1) * table->entry;
		if (!memcmp(entry, key, KEY)) {
			*side = entry[KEY] != first;
			return entry + KEY + 4;
		}
	}
	table->slots[at] = (uint32_t)++table->n;
	entry = table->entries + (table->n - 1) * table->entry;
	memset(entry, 0, table->entry);
	memcpy(entry, key, KEY);
	entry[KEY] = first;
	*side = 0;
	return entry + KEY + 4;
}

void flow_table_release(struct flow_table *table)
{
	free(table->entries);
	free(table->slots);
	*table = (struct flow_table){ 0 };
}

enum { NO_PACKET = 0 }; /* packet 0 can be no ACK of data in the same file */

struct burst { /* a super-packet in the making; count 0: none */
	size_t head, tail;      /* first and last packet */
	size_t ack;             /* pure ACK of all joined so far: dropped if more is joined */
	uint32_t count;
	uint32_t unit;          /* payload of the first segment */
	uint32_t payload;       /* joined so far */
	uint32_t start;         /* sequence number of the first */
};

static void set_checksum(uint8_t *ip)
{
	uint32_t sum = 0;

	ip[10] = ip[11] = 0;
	for (unsigned i = 0; i < (ip[0] & 15) * 4u; i += 2)
		sum += get16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16));
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

/* Writes the joined length into the first packet, which then stands for all. */
static void burst_end(struct capture *capture, struct burst *burst, enum merge_side side)
{
	struct capture_packet *packet = &capture->packets[burst->head];
	uint8_t *ip = capture->bytes + packet->offset;
	uint32_t more = burst->payload - burst->unit, length;
	struct tcp_view view;

	if (burst->count > 1 && tcp_view(capture, packet, &view)) {
		ip += view.ip;
		length = view.ip_length + more - (view.version == 6 ? 40 : 0);
		ip[view.version == 6 ? 4 : 2] = (uint8_t)(length >> 8);
		ip[view.version == 6 ? 5 : 3] = (uint8_t)length;
		if (view.version == 4)
			set_checksum(ip);
		packet->length += more;
		if (side == MERGE_RECEIVER) {
			/* handed up with the last segment: it takes that one's place in the file */
			packet->at = capture->packets[burst->tail].at;
			capture->packets[burst->tail] = *packet;
			packet->dropped = true;
		}
	}
	burst->count = 0;
}

static bool joins(const struct capture *capture, const struct burst *burst, size_t i,
		  const struct tcp_view *view, int64_t span)
{
	const struct capture_packet *head = &capture->packets[burst->head];
	const struct capture_packet *packet = &capture->packets[i];
	const uint8_t *a = capture->bytes + head->offset, *b = capture->bytes + packet->offset;
	struct tcp_view first;

	if (!burst->count || !tcp_view(capture, head, &first))
		return false;
	a += first.tcp;
	b += view->tcp;
	return view->payload && view->payload <= burst->unit &&
	       view->seq == burst->start + burst->payload && view->ack == first.ack &&
	       packet->at - head->at <= span &&
	       first.ip_length + burst->payload - burst->unit + view->payload <= IP_MOST &&
	       !((view->flags | first.flags) & ~(TCP_ACKS | TCP_PUSH)) &&
	       view->header == first.header && view->options == first.options &&
	       !memcmp(a + 14, b + 14, 2) && !memcmp(a + 20, b + 20, view->options);
}

/* Packet `i` comes from the receiver of a burst: does it end it? */
static bool ends(struct burst *burst, size_t i, const struct tcp_view *view, enum merge_side mode)
{
	if (mode == MERGE_SENDER || view->payload || view->flags != TCP_ACKS ||
	    view->header > 20 + TIMESTAMPS || burst->ack != NO_PACKET)
		return true;
	if (view->ack == burst->start + burst->payload)
		burst->ack = i;
	return false;
}

static void take(struct capture *capture, size_t i, const struct tcp_view *view,
		 struct burst bursts[2], int side, enum merge_side mode, int64_t span)
{
	struct burst *burst = &bursts[side], *other = &bursts[!side];

	if (other->count && ends(other, i, view, mode))
		burst_end(capture, other, mode);
	if (joins(capture, burst, i, view, span)) {
		struct capture_packet *head = &capture->packets[burst->head];

		capture->bytes[head->offset + view->tcp + 13] |= view->flags;
		capture->packets[i].dropped = true;
		if (burst->ack != NO_PACKET)
			capture->packets[burst->ack].dropped = true;
		burst->ack = NO_PACKET;
		burst->count++;
		burst->payload += view->payload;
		burst->tail = i;
	} else {
		burst_end(capture, burst, mode);
		if (!view->payload || (view->flags & ~(TCP_ACKS | TCP_PUSH)))
			return;
		*burst = (struct burst){ .head = i, .tail = i, .count = 1, .unit = view->payload,
					 .payload = view->payload, .start = view->seq };
	}
	if (view->payload < burst->unit || (mode == MERGE_RECEIVER && (view->flags & TCP_PUSH)))
		burst_end(capture, burst, mode);
}

void merge(struct capture *capture, enum merge_side side, int64_t span)
{
	struct flow_table table;
	struct tcp_view view;
	int way;

	flow_table_init(&table, 2 * sizeof(struct burst));
	for (size_t i = 0; i < capture->n; i++) {
		struct burst *bursts;

		if (capture->packets[i].dropped || !tcp_view(capture, &capture->packets[i], &view))
			continue;
		bursts = flow_table_get(&table, &view, &way);
		take(capture, i, &view, bursts, way, side, span);
	}
	for (size_t f = 0; f < table.n; f++) {
		struct burst *bursts = (void *)(table.entries + f * table.entry + KEY + 4);

		burst_end(capture, &bursts[0], side);
		burst_end(capture, &bursts[1], side);
	}
	flow_table_release(&table);
}
