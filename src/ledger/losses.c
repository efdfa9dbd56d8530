/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/losses.h"

#include "flow/direction.h"

enum {
	MARKS_A_FLIGHT = 12, /* so that the ring reaches back two flights and more */
	FRESH_RTTS = 3,
};

void tw_losses_release(struct tw_losses *l)
{
	tw_sketch_release(&l->flights);
	tw_sketch_release(&l->rtts);
	tw_sketch_release(&l->rates);
	tw_sketch_release(&l->bytes);
}

static void mark_flight(struct tw_losses *l, const struct tw_event *e)
{
	uint32_t at = l->n_marks++ % TW_LOSS_MARKS;

	l->mark[at].nxt = e->to;
	l->mark[at].outstanding = e->outstanding;
	l->next_mark = e->to + e->outstanding / MARKS_A_FLIGHT;
}

/* What was outstanding when the data that ends at `to` was sent; 0: forgotten. */
static uint32_t outstanding_at(const struct tw_losses *l, int64_t to)
{
	for (uint32_t i = l->n_marks; i > 0 && l->n_marks - i < TW_LOSS_MARKS; i--)
		if (l->mark[(i - 1) % TW_LOSS_MARKS].nxt <= to)
			return l->mark[(i - 1) % TW_LOSS_MARKS].outstanding;
	return 0;
}

static void begin_recovery(struct tw_losses *l, const struct tw_event *e, uint64_t delivered)
{
	uint32_t flight = outstanding_at(l, e->to);

	if (!flight)
		return;
	l->recover = e->nxt;
	/* What is lost while the flight is still that of the recovery before tells nothing new. */
	if (l->begun_at && e->at - l->begun_at < FRESH_RTTS * l->rtt)
		return;
	if (l->begun_at && e->at > l->begun_at && delivered > l->begun_delivered) {
		uint64_t bytes = delivered - l->begun_delivered;

		tw_sketch_add(&l->bytes, (int64_t)bytes);
		tw_sketch_add(&l->rates,
			      (int64_t)((double)bytes * 1e9 / (double)(e->at - l->begun_at)));
	}
	tw_marks_add(&l->begun, e->packet, e->at);
	l->begun_at = e->at;
	l->begun_delivered = delivered;
	tw_sketch_add(&l->flights, flight);
	/* The very last may be of a lone segment, whose ACK waited for the one that was lost. */
	if (l->rtt)
		tw_sketch_add(&l->rtts, l->rtt_before && l->rtt_before < l->rtt ? l->rtt_before : l->rtt);
}

void tw_losses_send(struct tw_losses *l, const struct tw_event *e, uint64_t delivered)
{
	if (!e->is_resend && e->to >= l->next_mark)
		mark_flight(l, e);
	else if (e->is_resend && !e->is_probe && e->from >= l->recover)
		begin_recovery(l, e, delivered);
}

void tw_losses_ack(struct tw_losses *l, const struct tw_event *e)
{
	/* Without SACK, what an ACK covers above a repaired hole had waited for the repair. */
	if (e->rtt != TW_NO_TIME && !l->hole) {
		l->rtt_before = l->rtt;
		l->rtt = e->path_rtt;
	}
	l->hole = e->hole;
}

static struct tw_quartiles quartiles(const struct tw_sketch *sketch, double unit)
{
	return (struct tw_quartiles){
		.low = unit * (double)tw_sketch_quantile(sketch, 0.25),
		.mid = unit * (double)tw_sketch_quantile(sketch, 0.5),
		.high = unit * (double)tw_sketch_quantile(sketch, 0.75),
	};
}

void tw_losses_figures(const struct tw_losses *l, struct tw_loss_figures *out)
{
	*out = (struct tw_loss_figures){
		.n = l->flights.n, .flight = quartiles(&l->flights, 1), .rtt = quartiles(&l->rtts, 1),
		.n_gaps = l->rates.n, .rate = quartiles(&l->rates, 8),
		.bytes = quartiles(&l->bytes, 1), .begun = l->begun,
	};
}
