/* SPDX-License-Identifier: BSD-2-Clause */
/* Why segments were sent again: one packet sequence for each class and each proof of a needless one. */
#include "tests/unit/trace.h"

static struct trace t;

static int begin(void **state)
{
	(void)state;
	trace_init(&t);
	return 0;
}

static int end(void **state)
{
	(void)state;
	trace_release(&t);
	return 0;
}

/* Opened over 20 ms, and one segment acknowledged after 20 ms: SRTT 20 ms, RTO 220 ms. `n` follow at 60 ms. */
static void upload(unsigned n)
{
	send_data(&t, CLIENT, 30000, 0, MSS);
	send_ack(&t, SERVER, 50000, MSS);
	assert_int_equal(t.c.direction[CLIENT].rtt.srtt, 20 * MS);
	for (unsigned i = 0; i < n; i++)
		send_data(&t, CLIENT, 60000 + i * 10, (1 + i) * MSS, MSS);
}

static enum tw_resend_class last_class(void)
{
	const struct tw_event *e = trace_last_send(&t, CLIENT);

	assert_true(e->is_resend);
	assert_false(e->is_late);
	return (enum tw_resend_class)e->resend_class;
}

/* The summary counts `n` of the class; the sum of all classes is what was resent, SYNs and keep-alives. */
static void assert_class_count(enum tw_resend_class class, uint64_t n)
{
	const struct tw_direction_summary *d = &t.sum.direction[CLIENT];
	uint64_t sum = 0;

	trace_end(&t);
	assert_int_equal(d->resends[class].count, n);
	for (int i = 0; i < TW_RESEND_CLASS_COUNT; i++)
		if (i != TW_RESEND_SYN && i != TW_RESEND_KEEPALIVE)
			sum += d->resends[i].count;
	assert_int_equal(sum, d->resent_packets);
}

static void test_fast_dupack(void **state)
{
	(void)state;
	trace_open_without_sack(&t, 20000);
	upload(8);
	/* MSS..2 MSS and 4..5 MSS are lost: six duplicate ACKs. */
	for (int i = 0; i < 6; i++)
		send_ack(&t, SERVER, 80010 + i * 10, MSS);
	assert_int_equal(trace_last_ack(&t, CLIENT)->dup_acks, 6);
	send_data(&t, CLIENT, 80080, MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_FAST_DUPACK);
	assert_true(trace_last_send(&t, CLIENT)->hole);
	/* NewReno: a partial ACK lets the next hole be repaired, without duplicates of its own. */
	send_ack(&t, SERVER, 100080, 4 * MSS);
	send_data(&t, CLIENT, 100090, 4 * MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_FAST_DUPACK);
	send_ack(&t, SERVER, 120090, 9 * MSS);
	assert_false(trace_last_ack(&t, CLIENT)->hole);
	assert_class_count(TW_RESEND_FAST_DUPACK, 2);
	assert_int_equal(t.sum.direction[CLIENT].losses.count, 2);
	assert_int_equal(t.sum.direction[CLIENT].losses.first[0].at, TRACE_START + 80080 * US);
	assert_int_equal(t.sum.direction[CLIENT].dup_acks, 6);
}

static void test_fast_sack(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(6);
	SACK(&t, SERVER, 80010, MSS, { { 2 * MSS, 3 * MSS } });
	SACK(&t, SERVER, 80020, MSS, { { 2 * MSS, 4 * MSS } });
	SACK(&t, SERVER, 80030, MSS, { { 2 * MSS, 5 * MSS } });
	assert_int_equal(trace_last_ack(&t, CLIENT)->newly_sacked, MSS);
	assert_int_equal(trace_last_ack(&t, CLIENT)->sacked, 3 * MSS);
	send_data(&t, CLIENT, 80040, MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_FAST_SACK);
	assert_class_count(TW_RESEND_FAST_SACK, 1);
}

/* Under three duplicates and with no more than 2 MSS SACKed, time alone called it lost (RFC 8985). */
static void test_fast_rack(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(2);
	SACK(&t, SERVER, 80010, MSS, { { 2 * MSS, 3 * MSS } });
	send_data(&t, CLIENT, 85000, MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_FAST_RACK);
	assert_class_count(TW_RESEND_FAST_RACK, 1);
}

static void test_timeouts(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(5);
	send_data(&t, CLIENT, 280100, MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_RTO);
	/* All else is lost now: one segment is in flight. */
	assert_int_equal(trace_last_send(&t, CLIENT)->flight, MSS);
	assert_int_equal(trace_last_send(&t, CLIENT)->outstanding, 5 * MSS);
	send_data(&t, CLIENT, 720100, MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_RTO_BACKOFF);
	send_data(&t, CLIENT, 1600100, MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_RTO_BACKOFF);
	/* The repair that follows goes on as ACKs come. */
	send_ack(&t, SERVER, 1620100, 2 * MSS);
	send_data(&t, CLIENT, 1620110, 2 * MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_RTO_REPAIR);
	send_data(&t, CLIENT, 1620120, 3 * MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_RTO_REPAIR);
	send_ack(&t, SERVER, 1640110, 6 * MSS);
	assert_int_equal(t.c.direction[CLIENT].recovery, TW_RECOVERY_NONE);
	assert_class_count(TW_RESEND_RTO, 1);
	assert_int_equal(t.sum.direction[CLIENT].resends[TW_RESEND_RTO_BACKOFF].count, 2);
	assert_int_equal(t.sum.direction[CLIENT].resends[TW_RESEND_RTO_REPAIR].count, 2);
}

/* Without SACK there is no probe: the highest segment resent after an RTO is a timeout's. */
static void test_timeout_of_the_last_without_sack(void **state)
{
	(void)state;
	trace_open_without_sack(&t, 20000);
	upload(1);
	send_data(&t, CLIENT, 280100, MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_RTO);
	assert_true(trace_last_send(&t, CLIENT)->is_highest);
}

static void test_tail_loss_probe(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(3);
	/* 2 SRTT after the last of them, long before the RTO; the highest, not the first. */
	send_data(&t, CLIENT, 102000, 3 * MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_TLP);
	assert_true(trace_last_send(&t, CLIENT)->is_highest);
	/* A probe is no timeout: nothing else is taken for lost. */
	assert_int_equal(trace_last_send(&t, CLIENT)->flight, 3 * MSS);
	assert_class_count(TW_RESEND_TLP, 1);
}

static void test_unknown(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(3);
	send_data(&t, CLIENT, 61000, 2 * MSS, MSS);
	assert_int_equal(last_class(), TW_RESEND_UNKNOWN);
	assert_class_count(TW_RESEND_UNKNOWN, 1);
}

static void close_window(int64_t us, uint32_t ack)
{
	t.window[SERVER] = 0;
	send_ack(&t, SERVER, us, ack);
}

/* BSD's probe: the next byte. Linux's: none, at snd_una - 1. */
static void test_persist(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(1);
	close_window(80000, 2 * MSS);
	send_data(&t, CLIENT, 300000, 2 * MSS, 1);
	assert_false(trace_last_send(&t, CLIENT)->is_resend); /* the byte had not been sent before */
	assert_true(trace_last_send(&t, CLIENT)->is_probe);
	send_ack(&t, SERVER, 320000, 2 * MSS);
	send_data(&t, CLIENT, 760000, 2 * MSS, 1);
	assert_int_equal(last_class(), TW_RESEND_PERSIST);
	assert_true(tw_direction_is_shut(&t.c.direction[CLIENT]));
	assert_class_count(TW_RESEND_PERSIST, 1);
	assert_int_equal(t.sum.direction[CLIENT].losses.count, 0);
	assert_int_equal(t.sum.direction[CLIENT].zero_windows.count, 2);
}

static void test_persist_without_a_byte(void **state)
{
	unsigned before;

	(void)state;
	trace_open(&t, 20000);
	upload(1);
	close_window(80000, 2 * MSS);
	before = t.n_events;
	send_data(&t, CLIENT, 300000, 2 * MSS - 1, 0);
	send_ack(&t, SERVER, 320000, 2 * MSS);
	assert_true(tw_direction_is_shut(&t.c.direction[CLIENT]));
	for (unsigned i = before; i < t.n_events; i++)
		assert_int_not_equal(t.event[i].kind, TW_EVENT_SEND);
	/* It opens: 320 ms after it closed, as seen here. */
	t.window[SERVER] = 65000;
	send_ack(&t, SERVER, 400000, 2 * MSS);
	assert_true(trace_last_ack(&t, CLIENT)->window_opened);
	assert_false(tw_direction_is_shut(&t.c.direction[CLIENT]));
	trace_end(&t);
	assert_int_equal(t.sum.direction[CLIENT].resends[TW_RESEND_PERSIST].count, 1);
	assert_int_equal(t.sum.direction[CLIENT].resent_packets, 0);
	assert_int_equal(t.sum.direction[CLIENT].zero_window_ns, 320 * MS);
	assert_int_equal(t.sum.direction[CLIENT].window_updates, 1);
}

static void test_keepalive(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(1);
	send_ack(&t, SERVER, 80000, 2 * MSS);
	send_data(&t, CLIENT, 7200080000, 2 * MSS - 1, 0); /* Linux: none */
	send_ack(&t, SERVER, 7200100000, 2 * MSS);
	send_data(&t, CLIENT, 7275000000, 2 * MSS - 1, 1); /* others: a byte of garbage */
	send_ack(&t, SERVER, 7275020000, 2 * MSS);
	trace_end(&t);
	assert_int_equal(t.sum.direction[CLIENT].resends[TW_RESEND_KEEPALIVE].count, 2);
	assert_int_equal(t.sum.direction[CLIENT].resent_packets, 0);
	assert_int_equal(t.sum.direction[CLIENT].unique_bytes, 2 * MSS);
	assert_int_equal(t.sum.direction[CLIENT].data_packets, 2);
	assert_int_equal(t.sum.direction[CLIENT].losses.count, 0);
	/* Two hours of idling are not the transfer's. */
	assert_int_equal(t.sum.end, TRACE_START + 80000 * US);
}

/* While a byte is outstanding the same packet is a resend of it, not a keep-alive. */
static void test_one_byte_resent(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(0);
	send_data(&t, CLIENT, 60000, MSS, 1);
	send_data(&t, CLIENT, 300000, MSS, 1);
	assert_true(trace_last_send(&t, CLIENT)->is_resend);
	trace_end(&t);
	assert_int_equal(t.sum.direction[CLIENT].resends[TW_RESEND_KEEPALIVE].count, 0);
}

static void test_syn_resends(void **state)
{
	(void)state;
	trace_syn(&t, CLIENT, 0);
	trace_put(&t, CLIENT);
	trace_syn(&t, CLIENT, 1000000);
	trace_put(&t, CLIENT);
	trace_syn(&t, SERVER, 1020000);
	trace_put(&t, SERVER);
	trace_syn(&t, SERVER, 2020000);
	trace_put(&t, SERVER);
	send_ack(&t, CLIENT, 2020010, 0);
	trace_end(&t);
	assert_int_equal(t.sum.syn_resends.count, 2);
	assert_int_equal(t.sum.syn_resends.first[0].packet, 2);
	assert_int_equal(t.sum.syn_resends.first[1].packet, 4);
	assert_int_equal(t.sum.direction[CLIENT].resends[TW_RESEND_SYN].count, 1);
	assert_int_equal(t.sum.direction[SERVER].resends[TW_RESEND_SYN].count, 1);
	assert_int_equal(t.sum.direction[CLIENT].syns, 2);
	assert_int_equal(t.sum.handshake_ns, 2020010 * US);
	assert_int_equal(t.sum.direction[CLIENT].resent_packets, 0);
}

static void assert_spurious(enum tw_spurious_proof proof)
{
	trace_end(&t);
	for (int i = 0; i < TW_SPURIOUS_PROOF_COUNT; i++)
		assert_int_equal(t.sum.direction[CLIENT].spurious[i].count, i == (int)proof);
	/* What proved needless was no loss. */
	assert_int_equal(t.sum.direction[CLIENT].losses.count, 0);
}

static void test_spurious_by_dsack_below(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(3);
	send_data(&t, CLIENT, 102000, 3 * MSS, MSS);
	send_ack(&t, SERVER, 110000, 4 * MSS);
	SACK(&t, SERVER, 122000, 4 * MSS, { { 3 * MSS, 4 * MSS } });
	assert_int_equal(trace_last_ack(&t, CLIENT)->newly_sacked, 0);
	assert_int_equal(t.sum.direction[CLIENT].dsacks, 0);
	assert_spurious(TW_SPURIOUS_DSACK);
	assert_int_equal(t.sum.direction[CLIENT].dsacks, 1);
	assert_int_equal(t.sum.direction[CLIENT].spurious[TW_SPURIOUS_DSACK].first[0].at,
			 TRACE_START + 102000 * US);
}

/* Above the ACK, the first block within the second (RFC 2883 section 4.2). */
static void test_spurious_by_dsack_within(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(6);
	SACK(&t, SERVER, 80010, MSS, { { 3 * MSS, 7 * MSS } });
	send_data(&t, CLIENT, 80020, 5 * MSS, MSS); /* SACKed already, and yet */
	SACK(&t, SERVER, 100020, MSS, { { 5 * MSS, 6 * MSS }, { 3 * MSS, 7 * MSS } });
	assert_int_equal(trace_last_ack(&t, CLIENT)->sacked, 4 * MSS);
	assert_spurious(TW_SPURIOUS_DSACK);
}

/* A first block that only overlaps the second is no duplicate report. */
static void test_no_dsack(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(6);
	send_data(&t, CLIENT, 61000, 5 * MSS, MSS);
	SACK(&t, SERVER, 80010, MSS, { { 5 * MSS, 6 * MSS }, { 2 * MSS, 3 * MSS } });
	assert_int_equal(trace_last_ack(&t, CLIENT)->newly_sacked, 2 * MSS);
	trace_end(&t);
	assert_int_equal(t.sum.direction[CLIENT].dsacks, 0);
	assert_int_equal(t.sum.direction[CLIENT].spurious[TW_SPURIOUS_DSACK].count, 0);
}

/* The ACK that covers the resend echoes the original's timestamp (RFC 3522). */
static void test_spurious_by_eifel(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(3);
	send_data(&t, CLIENT, 300000, MSS, MSS); /* TSval 1300, the original's was 1060 */
	t.tsecr = 1060;
	send_ack(&t, SERVER, 301000, 4 * MSS);
	assert_spurious(TW_SPURIOUS_EIFEL);
}

static void test_needed_by_eifel(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(3);
	send_data(&t, CLIENT, 300000, MSS, MSS);
	t.tsecr = 1300;
	send_ack(&t, SERVER, 320000, 4 * MSS);
	trace_end(&t);
	assert_int_equal(t.sum.direction[CLIENT].spurious[TW_SPURIOUS_EIFEL].count, 0);
	assert_int_equal(t.sum.direction[CLIENT].losses.count, 1);
}

static void test_spurious_as_acked(void **state)
{
	(void)state;
	trace_open(&t, 20000);
	upload(3);
	send_ack(&t, SERVER, 80000, 4 * MSS);
	send_data(&t, CLIENT, 80500, 3 * MSS, MSS);
	assert_true(trace_last_send(&t, CLIENT)->is_unneeded);
	assert_spurious(TW_SPURIOUS_ACKED);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		CASE(test_fast_dupack), CASE(test_fast_sack), CASE(test_fast_rack),
		CASE(test_timeouts), CASE(test_timeout_of_the_last_without_sack),
		CASE(test_tail_loss_probe), CASE(test_unknown), CASE(test_persist),
		CASE(test_persist_without_a_byte), CASE(test_keepalive), CASE(test_one_byte_resent),
		CASE(test_syn_resends), CASE(test_spurious_by_dsack_below),
		CASE(test_spurious_by_dsack_within), CASE(test_no_dsack),
		CASE(test_spurious_by_eifel), CASE(test_needed_by_eifel),
		CASE(test_spurious_as_acked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
