/* SPDX-License-Identifier: BSD-2-Clause */
#include "ledger/cause.h"

static const struct {
	const char *id;
	const char *meaning;
	enum tw_party party;
} causes[] = {
#define X(id, text, party, meaning) { text, meaning, TW_PARTY_##party },
	TW_CAUSES(X)
#undef X
};

static const char *const parties[] = {
#define X(id, title) title,
	TW_PARTIES(X)
#undef X
};

const char *tw_cause_id(enum tw_cause cause)
{
	return causes[cause].id;
}

const char *tw_cause_meaning(enum tw_cause cause)
{
	return causes[cause].meaning;
}

enum tw_party tw_cause_party(enum tw_cause cause)
{
	return causes[cause].party;
}

const char *tw_party_title(enum tw_party party)
{
	return parties[party];
}

bool tw_cause_is_loss(enum tw_cause cause)
{
	switch (cause) {
	case TW_CAUSE_CONGESTION_WINDOW:
	case TW_CAUSE_FAST_RECOVERY:
	case TW_CAUSE_RETRANSMISSION_TIMEOUT:
	case TW_CAUSE_TAIL_LOSS:
	case TW_CAUSE_REORDERING:
	case TW_CAUSE_MTU_BLACK_HOLE:
		return true;
	default:
		return false;
	}
}

static bool is_nagle(enum tw_cause cause)
{
	return cause == TW_CAUSE_NAGLE || cause == TW_CAUSE_NAGLE_DELAYED_ACK;
}

bool tw_causes_go_together(enum tw_cause a, enum tw_cause b)
{
	return a == b || (tw_cause_is_loss(a) && tw_cause_is_loss(b)) || (is_nagle(a) && is_nagle(b));
}
