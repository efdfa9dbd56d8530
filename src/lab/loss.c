/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/loss.h"

#include "lab/random.h"

bool tw_loss_tracks(const struct tw_link_options *options)
{
	const struct tw_rules *r = &options->drop;

	return r->syn || r->synack || r->fin || r->last || r->resend || r->every || r->nth_from;
}

/* Every rule counts every segment, whether another one drops it or not. */
static bool by_rule(const struct tw_rules *rules, const struct tw_headers *h,
		    struct tw_track *track)
{
	bool syn = h->flags & TW_TCP_SYN, fin = h->flags & TW_TCP_FIN, hit = false;
	uint32_t end = h->seq + h->payload + syn + fin;
	bool beyond = !track->has_high || (int32_t)(end - track->high) > 0;

	if (syn) {
		track->syns++;
		hit |= track->syns <= (h->flags & TW_TCP_ACK ? rules->synack : rules->syn);
	}
	if (fin) {
		track->fins++;
		hit |= track->fins <= rules->fin;
	}
	if (h->payload) {
		track->segments++;
		hit |= rules->every && track->segments % (uint64_t)rules->every == 0;
		hit |= track->segments >= (uint64_t)rules->nth_from &&
		       track->segments <= (uint64_t)rules->nth_to;
		if (!beyond) {
			track->resends++;
			hit |= track->resends <= rules->resend;
		} else if (h->flags & TW_TCP_PSH) {
			track->messages++;
			hit |= track->messages <= rules->last;
		}
	}
	if (beyond) {
		track->high = end;
		track->has_high = true;
	}
	return hit;
}

/* One packet of the Gilbert-Elliott model: lost as the state is, which changes thereafter. */
static bool by_state(struct tw_loss *loss, const struct tw_gemodel *model, uint64_t seed,
		     uint64_t number)
{
	bool hit = tw_random_hit(seed, TW_CHANCE_STATE_LOSS, number,
				 loss->bad ? model->bad : model->good);

	loss->bad ^= tw_random_hit(seed, TW_CHANCE_STATE, number, loss->bad ? model->r : model->p);
	return hit;
}

bool tw_loss_hits(struct tw_loss *loss, const struct tw_link_options *options,
		  const struct tw_headers *h, struct tw_track *track, uint64_t seed,
		  uint64_t number)
{
	bool hit;

	if (!h->version || h->discovery)
		return false;
	hit = track && by_rule(&options->drop, h, track);
	if (options->gemodel.p)
		hit |= by_state(loss, &options->gemodel, seed, number);
	hit |= tw_random_hit(seed, TW_CHANCE_LOSS, number, options->loss);
	if (options->ackloss && tw_headers_only_ack(h))
		hit |= tw_random_hit(seed, TW_CHANCE_ACK, number, options->ackloss);
	return hit;
}
