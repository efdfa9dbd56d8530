/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow/scoreboard.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/event.h"

enum {
	FIRST_CAP = 2,
	KEEP_CAP = 16,
	SPLIT_MAX = 1 << 14, /* ranges, beyond which none is cut in two */
};

static inline struct tw_segment *at_index(const struct tw_scoreboard *b, uint32_t i)
{
	return &b->ring[(b->head + i) & (b->cap - 1)];
}

static inline int64_t end_of(const struct tw_segment *s)
{
	return s->from + s->len;
}

void tw_scoreboard_release(struct tw_scoreboard *b)
{
	free(b->ring);
	free(b->memo);
	*b = (struct tw_scoreboard){ 0 };
}

static void forget_marks(struct tw_scoreboard *b)
{
	b->sacked = b->lost = 0;
	b->fack = b->una;
	if (b->memo) {
		memset(b->memo, 0, sizeof(*b->memo));
		b->memo->lost_to = b->una;
	}
}

void tw_scoreboard_start(struct tw_scoreboard *b, int64_t at)
{
	b->head = b->n = 0;
	b->una = b->nxt = at;
	forget_marks(b);
}

static int grow(struct tw_scoreboard *b)
{
	uint32_t cap = b->cap ? b->cap * 2 : FIRST_CAP;
	struct tw_segment *ring = malloc(cap * sizeof(*ring));

	if (!ring)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->n; i++)
		ring[i] = *at_index(b, i);
	free(b->ring);
	b->ring = ring;
	b->cap = cap;
	b->head = 0;
	return 0;
}

/* Takes the bytes of a range out of the counts, before it goes or changes. */
static void uncount(struct tw_scoreboard *b, const struct tw_segment *s)
{
	if (s->flags & TW_SEG_SACKED)
		b->sacked -= s->len;
	else if (s->flags & TW_SEG_LOST)
		b->lost -= s->len;
}

static void pop(struct tw_scoreboard *b)
{
	struct tw_segment *s = at_index(b, 0);

	uncount(b, s);
	b->una = end_of(s);
	b->head = (b->head + 1) & (b->cap - 1);
	b->n--;
}

/*
 * Opens a place at index i (1 to n) for the second half of a range. -ENOBUFS where there are so many
 * ranges that a hostile input, which cuts one with every packet, would make us move them for ever.
 */
static int make_room(struct tw_scoreboard *b, uint32_t i)
{
	if (b->n >= SPLIT_MAX)
		return -ENOBUFS;
	if (b->n == b->cap) {
		int err = grow(b);

		if (err)
			return err;
	}
	b->n++;
	if (i < b->n / 2) {
		b->head = (b->head - 1) & (b->cap - 1);
		for (uint32_t j = 0; j < i; j++)
			*at_index(b, j) = *at_index(b, j + 1);
	} else {
		for (uint32_t j = b->n - 1; j > i; j--)
			*at_index(b, j) = *at_index(b, j - 1);
	}
	return 0;
}

/* Index of the range that holds `position`, which lies in [una, nxt). */
static uint32_t index_of(const struct tw_scoreboard *b, int64_t position)
{
	uint32_t low = 0, high = b->n - 1;

	/* ACKs ask for what lies just above una. */
	for (; low < 4 && low < high; low++)
		if (at_index(b, low + 1)->from > position)
			return low;
	while (low < high) {
		uint32_t mid = (low + high + 1) / 2;

		if (at_index(b, mid)->from <= position)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* Makes `position` a border between ranges; returns the index of the range that begins there. */
static int split_at(struct tw_scoreboard *b, int64_t position, uint32_t *index)
{
	uint32_t i, left;
	struct tw_segment *s;
	int err;

	if (position >= b->nxt) {
		*index = b->n;
		return 0;
	}
	i = index_of(b, position);
	s = at_index(b, i);
	if (s->from == position) {
		*index = i;
		return 0;
	}
	err = make_room(b, i + 1);
	if (err)
		return err;
	s = at_index(b, i);
	left = (uint32_t)(position - s->from);
	*at_index(b, i + 1) = *s;
	at_index(b, i + 1)->from = position;
	at_index(b, i + 1)->len = s->len - left;
	s->len = left;
	*index = i + 1;
	return 0;
}

static int append(struct tw_scoreboard *b, int64_t from, uint32_t len, int64_t at,
		  uint32_t tsval, uint8_t flags)
{
	int err;

	if (b->n == b->cap) {
		err = grow(b);
		if (err)
			return err;
	}
	*at_index(b, b->n) = (struct tw_segment){
		.from = from, .len = len, .tsval = tsval, .sent_at = at, .flags = flags,
	};
	b->n++;
	b->nxt = from + len;
	return 0;
}

/* One range is sent again, or at last. */
static void resend_range(struct tw_scoreboard *b, struct tw_segment *s, int64_t at,
			 uint32_t tsval, struct tw_sent *sent)
{
	if (s->sent_at >= sent->last_at) {
		sent->last_at = s->sent_at;
		sent->last_tsval = s->tsval;
	}
	if (s->flags & TW_SEG_UNSEEN) {
		sent->filled += s->len;
	} else {
		sent->seen += s->len;
		if (s->flags & TW_SEG_RESENT)
			sent->was_resent = true;
		s->flags |= TW_SEG_RESENT;
	}
	if (s->flags & TW_SEG_SACKED) {
		sent->sacked += s->len;
	} else if (s->flags & TW_SEG_LOST) {
		b->lost -= s->len;
	}
	s->flags &= (uint8_t)~(TW_SEG_UNSEEN | TW_SEG_LOST);
	s->sent_at = at;
	s->tsval = tsval;
}

static int resend(struct tw_scoreboard *b, int64_t from, int64_t to, int64_t at,
		  uint32_t tsval, struct tw_sent *sent)
{
	uint32_t first, last;
	int err = split_at(b, from, &first);

	if (!err)
		err = split_at(b, to, &last);
	if (err)
		return err;
	for (uint32_t i = first; i < last; i++)
		resend_range(b, at_index(b, i), at, tsval, sent);
	return 0;
}

/* Makes room for what one transmission may add: two borders, a gap, its new data. */
static bool give_up_oldest(struct tw_scoreboard *b)
{
	if (b->n + 4 <= TW_SCOREBOARD_MAX)
		return false;
	while (b->n + 4 > TW_SCOREBOARD_MAX)
		pop(b);
	if (b->fack < b->una)
		b->fack = b->una;
	return true;
}

int tw_scoreboard_send(struct tw_scoreboard *b, int64_t from, uint32_t len, int64_t at,
		       uint32_t tsval, struct tw_sent *sent)
{
	int64_t to = from + len;
	int err;

	*sent = (struct tw_sent){ .last_at = TW_NO_TIME };
	sent->given_up = give_up_oldest(b);
	if (from < b->una) {
		int64_t below = (to < b->una ? to : b->una) - from;

		sent->acked = (uint32_t)below;
		from += below;
	}
	if (from < to && from < b->nxt) {
		int64_t middle = to < b->nxt ? to : b->nxt;

		err = resend(b, from, middle, at, tsval, sent);
		if (err)
			return err;
		from = middle;
	}
	if (from >= to)
		return 0;
	if (from > b->nxt) {
		/* Unwrapping keeps jumps under 2^31. */
		uint32_t gap = (uint32_t)(from - b->nxt);

		err = append(b, b->nxt, gap, at, tsval, TW_SEG_UNSEEN);
		if (err)
			return err;
		sent->skipped = gap;
	}
	sent->fresh = (uint32_t)(to - from);
	return append(b, from, sent->fresh, at, tsval, 0);
}

static void ack_range(const struct tw_segment *s, uint32_t bytes, struct tw_acked *acked)
{
	if (s->flags & TW_SEG_UNSEEN) {
		acked->unseen += bytes;
		return;
	}
	if (s->flags & TW_SEG_RESENT)
		acked->resent = true;
	if (bytes == s->len && bytes > acked->largest)
		acked->largest = bytes;
	acked->sent_at = s->sent_at;
	acked->was_sacked = s->flags & TW_SEG_SACKED;
}

void tw_scoreboard_ack(struct tw_scoreboard *b, int64_t to, struct tw_acked *acked)
{
	int64_t bytes = to - b->una;

	*acked = (struct tw_acked){ .sent_at = TW_NO_TIME };
	if (bytes <= 0)
		return;
	acked->bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
	while (b->n && end_of(at_index(b, 0)) <= to) {
		ack_range(at_index(b, 0), at_index(b, 0)->len, acked);
		pop(b);
	}
	if (b->n) {
		struct tw_segment *s = at_index(b, 0);
		uint32_t part = (uint32_t)(to - s->from);

		if (part) {
			ack_range(s, part, acked);
			uncount(b, s);
			s->from += part;
			s->len -= part;
			if (s->flags & TW_SEG_SACKED)
				b->sacked += s->len;
			else if (s->flags & TW_SEG_LOST)
				b->lost += s->len;
		}
	} else {
		int64_t beyond = to - b->nxt;

		if (beyond > 0) {
			acked->unseen += beyond > UINT32_MAX - acked->unseen ?
				UINT32_MAX - acked->unseen : (uint32_t)beyond;
			b->nxt = to;
		}
		/* An idle connection keeps no ring; a busy one does not allocate for each burst. */
		if (b->cap && b->cap <= KEEP_CAP) {
			free(b->ring);
			b->ring = NULL;
			b->cap = b->head = 0;
		}
	}
	b->una = to;
	if (!b->n)
		forget_marks(b);
	if (b->fack < to)
		b->fack = to;
}

/* Where the part of [left, right) begins that no earlier block has told us; remembers the block. */
static int64_t untold(struct tw_scoreboard *b, int64_t left, int64_t right)
{
	struct tw_sack_memo *m = b->memo;

	if (!m) {
		b->memo = m = calloc(1, sizeof(*m));
		if (!m)
			return left;
		m->lost_to = b->una;
	}
	for (unsigned i = 0; i < 3; i++) {
		if (left >= m->left[i] && left <= m->right[i]) {
			int64_t from = m->right[i];

			if (right > m->right[i])
				m->right[i] = right;
			return from;
		}
	}
	memmove(&m->left[1], &m->left[0], 2 * sizeof(m->left[0]));
	memmove(&m->right[1], &m->right[0], 2 * sizeof(m->right[0]));
	m->left[0] = left;
	m->right[0] = right;
	return left;
}

uint32_t tw_scoreboard_sack(struct tw_scoreboard *b, int64_t left, int64_t right)
{
	uint32_t newly = 0, first, last;

	if (left < b->una)
		left = b->una;
	if (left >= right || right > b->nxt || !b->n)
		return 0;
	left = untold(b, left, right);
	if (left >= right || split_at(b, left, &first) || split_at(b, right, &last))
		return 0;
	for (uint32_t i = first; i < last; i++) {
		struct tw_segment *s = at_index(b, i);

		if (s->flags & TW_SEG_SACKED)
			continue;
		uncount(b, s);
		s->flags = (uint8_t)((s->flags & ~TW_SEG_LOST) | TW_SEG_SACKED);
		b->sacked += s->len;
		newly += s->len;
	}
	if (right > b->fack)
		b->fack = right;
	return newly;
}

void tw_scoreboard_mark_lost(struct tw_scoreboard *b, uint32_t mss)
{
	int64_t limit = b->fack - 3 * (int64_t)mss;

	if (!b->n || !b->memo)
		return;
	if (b->memo->lost_to < b->una)
		b->memo->lost_to = b->una;
	if (limit <= b->memo->lost_to)
		return;
	for (uint32_t i = index_of(b, b->memo->lost_to); i < b->n; i++) {
		struct tw_segment *s = at_index(b, i);

		if (end_of(s) > limit)
			break;
		if (!(s->flags & (TW_SEG_SACKED | TW_SEG_LOST | TW_SEG_RESENT))) {
			s->flags |= TW_SEG_LOST;
			b->lost += s->len;
		}
		b->memo->lost_to = end_of(s);
	}
}

void tw_scoreboard_lose_all(struct tw_scoreboard *b, int64_t from, int64_t to)
{
	for (uint32_t i = 0; i < b->n; i++) {
		struct tw_segment *s = at_index(b, i);

		if (s->flags & (TW_SEG_SACKED | TW_SEG_LOST) || (s->from >= from && end_of(s) <= to))
			continue;
		s->flags |= TW_SEG_LOST;
		b->lost += s->len;
	}
}

const struct tw_segment *tw_scoreboard_find(const struct tw_scoreboard *b, int64_t position)
{
	if (!b->n || position < b->una || position >= b->nxt)
		return NULL;
	return at_index(b, index_of(b, position));
}

int64_t tw_scoreboard_sent_at(const struct tw_scoreboard *b, int64_t position)
{
	const struct tw_segment *s = tw_scoreboard_find(b, position);

	return s && !(s->flags & TW_SEG_UNSEEN) ? s->sent_at : TW_NO_TIME;
}
