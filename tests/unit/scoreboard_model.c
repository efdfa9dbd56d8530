/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scoreboard against a model that keeps every byte by itself: thousands of random transmissions,
 * acknowledgements, SACK blocks and timeouts, after each of which both must say the same.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdint.h>
#include <string.h>

#include "flow/event.h"
#include "flow/scoreboard.h"
#include "tests/gen/random.h"

enum { ROOM = 1 << 14, MODEL_MSS = 20 };

struct byte {
	bool unseen, sacked, lost, resent;
	bool filled; /* was in a gap of the capture */
	int64_t sent_at;
	uint32_t tsval;
};

struct model {
	struct byte byte[ROOM];
	int64_t una, nxt, fack;
};

static struct model model;
static struct tw_scoreboard board;
static uint64_t seed, step;
static struct gen_random random_state;

static uint32_t below(uint32_t n)
{
	return gen_random_below(&random_state, n);
}

#define SAME(a, b)                                                                                 \
	do {                                                                                       \
		int64_t a_ = (int64_t)(a), b_ = (int64_t)(b);                                      \
		if (a_ != b_)                                                                      \
			fail_msg("seed %llu step %llu: %s is %lld, %s is %lld",                    \
				 (unsigned long long)seed, (unsigned long long)step, #a,           \
				 (long long)a_, #b, (long long)b_);                                \
	} while (0)

static void model_send(int64_t from, uint32_t len, int64_t at, struct tw_sent *want)
{
	*want = (struct tw_sent){ .last_at = TW_NO_TIME };
	for (int64_t i = model.nxt; i < from; i++) {
		model.byte[i] = (struct byte){ .unseen = true, .sent_at = at,
					       .tsval = (uint32_t)at };
		want->skipped++;
	}
	for (int64_t i = from; i < from + len; i++) {
		struct byte *b = &model.byte[i];

		if (i < model.una) {
			want->acked++;
			continue;
		}
		if (i >= model.nxt) {
			*b = (struct byte){ 0 };
			want->fresh++;
		} else {
			if (b->sent_at >= want->last_at) {
				want->last_at = b->sent_at;
				want->last_tsval = b->tsval;
			}
			if (b->unseen) {
				want->filled++;
				b->filled = true;
			} else {
				want->seen++;
				want->was_resent |= b->resent;
				b->resent = true;
			}
			want->sacked += b->sacked;
			b->unseen = b->lost = false;
		}
		b->sent_at = at;
		b->tsval = (uint32_t)at;
	}
	if (from + len > model.nxt)
		model.nxt = from + len;
}

static void random_send(void)
{
	struct tw_sent want, got;
	uint32_t len = 1 + below(3 * MODEL_MSS), span;
	int64_t from = model.nxt;

	switch (below(8)) {
	case 0: /* anything between una and nxt, maybe a little below */
	case 1:
		span = (uint32_t)(model.nxt - model.una);
		from = model.una + below(span + 1) - (int64_t)below(10);
		break;
	case 2: /* a gap */
		from += below(2 * MODEL_MSS);
		break;
	}
	if (from < 0)
		from = 0;
	model_send(from, len, (int64_t)step, &want);
	SAME(tw_scoreboard_send(&board, from, len, (int64_t)step, (uint32_t)step, &got), 0);
	SAME(got.fresh, want.fresh);
	SAME(got.seen, want.seen);
	SAME(got.filled, want.filled);
	SAME(got.acked, want.acked);
	SAME(got.skipped, want.skipped);
	SAME(got.sacked, want.sacked);
	SAME(got.was_resent, want.was_resent);
	SAME(got.last_at, want.last_at);
	SAME(got.last_tsval, want.last_tsval);
	SAME(got.given_up, false);
	if (model.fack < model.una)
		model.fack = model.una;
}

static void random_ack(void)
{
	struct tw_acked want = { .sent_at = TW_NO_TIME }, got;
	int64_t to = model.una + below((uint32_t)(model.nxt - model.una) + 1);

	if (!below(20))
		to = model.nxt + below(5);
	else if (!below(10))
		to -= below(30);
	if (to < 0)
		to = 0;
	for (int64_t i = model.una; i < to; i++) {
		const struct byte *b = &model.byte[i];

		want.bytes++;
		if (i >= model.nxt || b->unseen) {
			want.unseen++;
			continue;
		}
		want.resent |= b->resent;
		want.sent_at = b->sent_at;
		want.was_sacked = b->sacked;
	}
	tw_scoreboard_ack(&board, to, &got);
	SAME(got.bytes, want.bytes);
	SAME(got.unseen, want.unseen);
	SAME(got.resent, want.resent);
	SAME(got.sent_at, want.sent_at);
	SAME(got.was_sacked, want.was_sacked);
	if (to > model.una)
		model.una = to;
	if (model.nxt < model.una)
		model.nxt = model.una;
	if (model.fack < model.una)
		model.fack = model.una;
}

static void random_sack(void)
{
	int64_t left = model.una + below((uint32_t)(model.nxt - model.una) + 1) - (int64_t)below(20);
	int64_t right = left + 1 + below(4 * MODEL_MSS);
	uint32_t newly = 0;

	if (below(4) && right > model.nxt)
		right = model.nxt;
	if (right <= model.nxt) {
		for (int64_t i = left < model.una ? model.una : left; i < right; i++) {
			newly += !model.byte[i].sacked;
			model.byte[i].sacked = true;
			model.byte[i].lost = false;
		}
		if (right > model.fack && right > left && right > model.una)
			model.fack = right;
	}
	SAME(tw_scoreboard_sack(&board, left, right), newly);
}

/*
 * RFC 6675 calls lost what lies more than 3 MSS below the highest SACKed byte. The model judges bytes,
 * the scoreboard whole ranges, once each: bytes of ranges that end above the limit may lag behind.
 */
static void mark_lost(void)
{
	uint32_t before = board.lost;

	tw_scoreboard_mark_lost(&board, MODEL_MSS);
	SAME(board.lost >= before, true);
	for (int64_t i = model.una; i < model.nxt; i++) {
		struct byte *b = &model.byte[i];
		const struct tw_segment *s = tw_scoreboard_find(&board, i);
		bool lost = s->flags & TW_SEG_LOST;

		if (lost && !b->lost) {
			SAME(i < model.fack - 3 * MODEL_MSS, true);
			SAME(b->sacked || b->resent, false);
		}
		/* A whole range below the limit is lost, but for what has been sent again since. */
		if (!lost && !b->sacked && !b->resent && !b->filled)
			SAME(s->from + s->len > model.fack - 3 * MODEL_MSS, true);
		b->lost = lost;
	}
}

static void lose_all(void)
{
	int64_t from = 0, to = 0;

	if (below(2) && board.n) {
		const struct tw_segment *s = tw_scoreboard_find(&board, model.una);

		from = s->from;
		to = s->from + s->len;
	}
	tw_scoreboard_lose_all(&board, from, to);
	for (int64_t i = model.una; i < model.nxt; i++)
		if (!model.byte[i].sacked && !(i >= from && i < to))
			model.byte[i].lost = true;
}

static void compare(void)
{
	uint32_t sacked = 0, lost = 0;

	SAME(board.una, model.una);
	SAME(board.nxt, model.nxt);
	SAME(board.fack, model.fack);
	SAME(tw_scoreboard_outstanding(&board), model.nxt - model.una);
	for (int64_t i = model.una; i < model.nxt;) {
		const struct tw_segment *s = tw_scoreboard_find(&board, i);

		SAME(!!s, true);
		SAME(s->from, i);
		for (; i < s->from + s->len; i++) {
			const struct byte *b = &model.byte[i];

			SAME(!!(s->flags & TW_SEG_UNSEEN), b->unseen);
			SAME(!!(s->flags & TW_SEG_SACKED), b->sacked);
			SAME(!!(s->flags & TW_SEG_LOST), b->lost);
			SAME(!!(s->flags & TW_SEG_RESENT), b->resent);
			SAME(s->sent_at, b->sent_at);
			SAME(s->tsval, b->tsval);
			sacked += b->sacked;
			lost += b->lost;
		}
	}
	SAME(board.sacked, sacked);
	SAME(board.lost, lost);
	SAME(tw_scoreboard_flight(&board), model.nxt - model.una - sacked - lost);
	SAME(tw_scoreboard_sent_at(&board, model.nxt), TW_NO_TIME);
	SAME(tw_scoreboard_sent_at(&board, model.una - 1), TW_NO_TIME);
}

static void test_model(void **state)
{
	(void)state;
	for (seed = 1; seed <= 60; seed++) {
		random_state.state = seed;
		memset(&model, 0, sizeof(model));
		board = (struct tw_scoreboard){ 0 };
		tw_scoreboard_start(&board, 0);
		for (step = 1; step <= 500 && model.nxt < ROOM - 8 * MODEL_MSS; step++) {
			uint32_t what = below(100);

			if (what < 45)
				random_send();
			else if (what < 65)
				random_ack();
			else if (what < 90)
				random_sack();
			else if (what < 97)
				mark_lost();
			else
				lose_all();
			compare();
		}
		tw_scoreboard_release(&board);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_model) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
