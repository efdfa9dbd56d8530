/* SPDX-License-Identifier: BSD-2-Clause */
/* The table: order, room, names of hosts, and that no figure of a hostile capture breaks a text. */
#include "finding_case.h"

#include "packet/name.h"

static void nothing_to_say(void **state)
{
	struct tw_finding out[2 * TW_FINDING_COUNT];
	struct built b;

	(void)state;
	build(&b);
	assert_int_equal(tw_findings(&b.c, out, 2 * TW_FINDING_COUNT), 0);
	/* a connection of which nothing is known */
	memset(&b, 0, sizeof(b));
	b.c = (struct tw_case){ .connection = &b.connection, .bill = &b.bill };
	assert_int_equal(tw_findings(&b.c, out, 2 * TW_FINDING_COUNT), 0);
}

/* Four faults of different worth, and information that explains more time than any of them. */
static void build_several(struct built *b)
{
	struct tw_bill_row *row;

	build(b);
	row = charge(b, TW_CAUSE_SLOW_START, CLIENT, 5 * SECOND, 1);
	set_saving(row, 5 * SECOND);
	b->connection.direction[CLIENT].phase_last = TW_PHASE_SLOW_START;
	b->bill.direction[CLIENT].rounds_grown = 300;
	charge(b, TW_CAUSE_TAIL_LOSS, CLIENT, 600 * MS, 3);
	charge(b, TW_CAUSE_NAGLE_DELAYED_ACK, CLIENT, 2 * SECOND, 50);
	charge(b, TW_CAUSE_DELAYED_ACK, SERVER, 900 * MS, 10); /* less a round trip each */
	charge(b, TW_CAUSE_RECEIVER_APP, CLIENT, 1700 * MS, 4);
}

static void faults_first_by_what_they_save(void **state)
{
	static const enum tw_finding_id order[] = {
		TW_FINDING_NAGLE_DELAYED_ACK,     TW_FINDING_RECEIVER_NOT_READING,
		TW_FINDING_DELAYED_ACK_TIMER,     TW_FINDING_TAIL_LOSS_RTO,
		TW_FINDING_SLOW_START_SHORT_FLOW,
	};
	struct tw_finding out[2 * TW_FINDING_COUNT];
	struct built b;
	unsigned n;

	(void)state;
	build_several(&b);
	n = tw_findings(&b.c, out, 2 * TW_FINDING_COUNT);
	assert_int_equal(n, 5);
	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(out[i].id, order[i]);
		assert_int_equal(out[i].side, out[i].id == TW_FINDING_DELAYED_ACK_TIMER);
		assert_int_equal(out[i].duration_without_ns, 10 * SECOND - out[i].saves_ns);
	}
	/* with less room the most worthy stay, in order, and nothing is written behind them */
	for (unsigned room = 0; room < 5; room++) {
		memset(out, 0x5a, sizeof(out));
		assert_int_equal(tw_findings(&b.c, out, room), room);
		for (unsigned i = 0; i < room; i++)
			assert_int_equal(out[i].id, order[i]);
		assert_int_equal(((unsigned char *)&out[room])[0], 0x5a);
	}
}

/* Where two save as much, the surer one leads, whatever the order of the table. */
static void surer_first(void **state)
{
	struct tw_finding out[2 * TW_FINDING_COUNT];
	struct built b;

	(void)state;
	build(&b);
	charge(&b, TW_CAUSE_NAGLE_DELAYED_ACK, CLIENT, SECOND, 30)->confidence = 0.7;
	charge(&b, TW_CAUSE_TAIL_LOSS, CLIENT, SECOND, 3)->confidence = 0.8;
	assert_int_equal(tw_findings(&b.c, out, 2 * TW_FINDING_COUNT), 2);
	assert_int_equal(out[0].id, TW_FINDING_TAIL_LOSS_RTO);
	b.rows[0].confidence = 0.9;
	assert_int_equal(tw_findings(&b.c, out, 2 * TW_FINDING_COUNT), 2);
	assert_int_equal(out[0].id, TW_FINDING_NAGLE_DELAYED_ACK);
}

/* A round trip counts by what fewer turns would save: here 3.6 s, one of ten turns remaining. */
static void round_trip_against_loss(void **state)
{
	struct tw_finding out[2 * TW_FINDING_COUNT];
	struct tw_bill_row *loss;
	struct built b;

	(void)state;
	build(&b);
	b.bill.direction[SERVER].turns = b.bill.direction[CLIENT].turns = 10;
	charge(&b, TW_CAUSE_ROUND_TRIP, SERVER, 4 * SECOND, 10);
	loss = charge(&b, TW_CAUSE_TAIL_LOSS, CLIENT, 3700 * MS, 10);
	assert_int_equal(tw_findings(&b.c, out, 2 * TW_FINDING_COUNT), 2);
	assert_int_equal(out[0].id, TW_FINDING_TAIL_LOSS_RTO); /* 3.7 s against 3.6 s */
	loss->ns = 3500 * MS;
	assert_int_equal(tw_findings(&b.c, out, 2 * TW_FINDING_COUNT), 2);
	assert_int_equal(out[0].id, TW_FINDING_ROUND_TRIP_BOUND);
}

static void evidence_in_order(void **state)
{
	struct tw_finding out[2 * TW_FINDING_COUNT];
	struct tw_direction_summary *d;
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	d = &b.connection.direction[CLIENT];
	d->zero_window_ns = 4 * SECOND;
	mark(&d->zero_windows, 70, 2 * SECOND);
	mark(&d->zero_windows, 90, 5 * SECOND);
	row = charge(&b, TW_CAUSE_RECEIVER_APP, CLIENT, 4 * SECOND, 2);
	example(row, 2 * SECOND, 2 * SECOND, 69, 72);
	example(row, 1 * SECOND, 100 * MS, 20, 70);
	assert_int_equal(tw_findings(&b.c, out, 2 * TW_FINDING_COUNT), 1);
	assert_int_equal(out[0].n_evidence, 3); /* packet 70 once */
	assert_int_equal(out[0].evidence[0].packet, 70);
	assert_int_equal(out[0].evidence[1].packet, 72);
	assert_int_equal(out[0].evidence[2].packet, 90);
}

/* On the loopback the address does not tell the hosts apart; the port does. */
static void hosts_are_told_apart(void **state)
{
	struct tw_bill_row *row;
	struct built b;

	(void)state;
	build(&b);
	row = charge(&b, TW_CAUSE_NAGLE_DELAYED_ACK, CLIENT, SECOND, 30);
	set_endpoint(&b.connection.endpoint[SERVER], (const uint8_t[]){ 192, 0, 2, 1 }, 5001);
	expect_speech(&b, tw_find_nagle_delayed_ack, CLIENT);
	expect_text(&b, "of 192.0.2.1:40000 waited");
	expect_text(&b, "192.0.2.1:5001 delayed");
	expect_fix(&b, "ip route replace 192.0.2.1 [");

	/* IPv6 in prose without brackets, and with the command's -6 */
	memcpy(b.connection.endpoint[CLIENT].addr, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01",
	       16);
	expect_speech(&b, tw_find_nagle_delayed_ack, CLIENT);
	expect_text(&b, "of 2001:db8::1 waited");
	expect_fix(&b, "ip -6 route replace 2001:db8::1 [");
	assert_int_equal(row->n_examples, 0);
}

/* A text's host name is bytes of a stranger's: no control character gets into a finding. */
static void hostile_name(void **state)
{
	char name[200];
	struct built b;

	(void)state;
	build(&b);
	charge(&b, TW_CAUSE_NAGLE_DELAYED_ACK, CLIENT, SECOND, 30);
	memset(name, 'x', sizeof(name));
	memcpy(name, "a\x1b[2Jb", 6);
	tw_endpoint_set_name(&b.connection.endpoint[CLIENT], name, sizeof(name), 40000);
	expect_speech(&b, tw_find_nagle_delayed_ack, CLIENT);
	expect_text(&b, "a\\x1b[2Jbxxx");
	expect_text(&b, "... waited");
	for (const char *p = b.found.text; *p; p++)
		assert_true(*p >= 0x20 && *p < 0x7f);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void scramble(void *bytes, size_t n, uint64_t *seed)
{
	uint64_t kind = next_random(seed);
	unsigned char *p = bytes;

	/* all random, or small numbers, or now and then all ones */
	for (size_t i = 0; i < n; i++) {
		uint64_t r = next_random(seed);

		p[i] = kind % 3 == 0 ? (unsigned char)r :
		       kind % 3 == 1 ? (unsigned char)(i % 8 < 2 ? r : 0) :
				       (unsigned char)(r % 7 ? 0 : 0xff);
	}
}

static void check(const struct tw_finding *f, int64_t duration)
{
	assert_true(f->saves_ns >= 0);
	assert_true(f->saves_ns <= (duration > 0 ? duration : 0));
	assert_true(f->confidence >= 0 && f->confidence <= 1);
	assert_true(f->party < TW_PARTY_COUNT);
	assert_true(f->next < TW_CAUSE_COUNT);
	assert_true(f->n_evidence <= TW_FINDING_EVIDENCE);
	assert_true(strnlen(f->text, TW_FINDING_TEXT) < TW_FINDING_TEXT);
	assert_true(strnlen(f->fix, TW_FINDING_TEXT) < TW_FINDING_TEXT);
	assert_true(f->text[0] != '\0');
	assert_null(strchr(f->text, '\n'));
	assert_null(strchr(f->fix, '\n'));
	assert_null(strstr(f->text, "nan"));
	assert_null(strstr(f->text, "  "));
}

/* Whatever the figures, however contradictory: sane fields, and no overflow (sanitizers watch). */
static void any_figures(void **state)
{
	static struct tw_finding out[2 * TW_FINDING_COUNT];
	static struct built b;
	uint64_t seed = 0x9e3779b97f4a7c15u, spoke = 0;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		struct tw_connection_summary *conn = &b.connection;
		unsigned n;

		build(&b);
		for (int i = 0; i < 2; i++) {
			bool flags[3] = { next_random(&seed) & 1, next_random(&seed) & 1,
					  next_random(&seed) & 1 };
			struct tw_direction_summary *d = &conn->direction[i];

			scramble(d, sizeof(*d), &seed);
			/* bool, enum and double have values that no capture can give them */
			d->sack_permitted = d->fin_seen = d->rst_seen = flags[0];
			d->timestamps = d->syn_seen = flags[1];
			d->window_scale_known = flags[2];
			d->phase_last = (enum tw_phase)(next_random(&seed) % 5);
			scramble(&b.bill.direction[i], sizeof(b.bill.direction[i]), &seed);
			b.bill.direction[i].capacity_bps = (double)(next_random(&seed) >> 20);
			b.bill.direction[i].best_rate_bps = 0;
		}
		scramble(&conn->syn_resends, sizeof(conn->syn_resends), &seed);
		scramble(&conn->min_rtt, sizeof(conn->min_rtt), &seed);
		scramble(&conn->first, sizeof(conn->first), &seed);
		conn->packets = next_random(&seed) >> (next_random(&seed) % 64);
		scramble(&b.bill.duration_ns, sizeof(b.bill.duration_ns), &seed);
		for (int cause = 0; cause < TW_CAUSE_COUNT; cause++) {
			struct tw_bill_row *row;

			if (next_random(&seed) & 1)
				continue;
			row = charge(&b, (enum tw_cause)cause, next_random(&seed) & 1, 1, 1);
			scramble(&row->ns, sizeof(row->ns), &seed);
			scramble(&row->waits_ns, sizeof(row->waits_ns), &seed);
			scramble(&row->bytes, sizeof(row->bytes), &seed);
			scramble(&row->intervals, sizeof(row->intervals), &seed);
			scramble(&row->rounds, sizeof(row->rounds), &seed);
			row->n_examples = next_random(&seed) % (TW_ROW_EXAMPLES + 1);
			for (unsigned i = 0; i < row->n_examples; i++) {
				scramble(&row->example[i], sizeof(row->example[i]), &seed);
				row->example[i].is_stall = true;
				row->example[i].is_turn = next_random(&seed) & 1;
			}
		}
		n = tw_findings(&b.c, out, 2 * TW_FINDING_COUNT);
		for (unsigned i = 0; i < n; i++)
			check(&out[i], b.bill.duration_ns);
		spoke += n;
	}
	assert_true(spoke > 4000); /* the figures do reach the texts */
}

static void ids_and_words(void **state)
{
	(void)state;
	for (int i = 0; i < TW_FINDING_COUNT; i++) {
		const char *id = tw_finding_id((enum tw_finding_id)i);

		assert_true(strspn(id, "abcdefghijklmnopqrstuvwxyz-") == strlen(id));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(id, tw_finding_id((enum tw_finding_id)k));
		assert_true(strlen(tw_finding_title((enum tw_finding_id)i)) > 10);
	}
	assert_string_equal(tw_finding_id(TW_FINDING_TOO_FEW_DUPACKS), "too-few-dupacks");
	assert_int_equal(tw_finding_class(TW_FINDING_SLOW_START_SHORT_FLOW), TW_CLASS_INFORMATION);
	assert_int_equal(tw_finding_class(TW_FINDING_RANDOM_LOSS), TW_CLASS_FAULT);
	assert_string_equal(tw_confidence_word(0.9), "certain");
	assert_string_equal(tw_confidence_word(0.89), "likely");
	assert_string_equal(tw_confidence_word(0.6), "likely");
	assert_string_equal(tw_confidence_word(0.59), "consistent with");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_to_say),
		cmocka_unit_test(faults_first_by_what_they_save),
		cmocka_unit_test(surer_first),
		cmocka_unit_test(round_trip_against_loss),
		cmocka_unit_test(evidence_in_order),
		cmocka_unit_test(hosts_are_told_apart),
		cmocka_unit_test(hostile_name),
		cmocka_unit_test(any_figures),
		cmocka_unit_test(ids_and_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
