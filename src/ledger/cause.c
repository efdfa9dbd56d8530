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
