/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of findings: runs the detectors and puts what they found in the order of its worth. */
#include "finding/finding.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *id;
	const char *title;
	enum tw_finding_class class;
	tw_detector *detect;
} findings[] = {
#define X(id, text, class, detector, title) { text, title, TW_CLASS_##class, tw_find_##detector },
	TW_FINDINGS(X)
#undef X
};

const char *tw_finding_id(enum tw_finding_id id)
{
	return findings[id].id;
}

const char *tw_finding_title(enum tw_finding_id id)
{
	return findings[id].title;
}

enum tw_finding_class tw_finding_class(enum tw_finding_id id)
{
	return findings[id].class;
}

const char *tw_confidence_word(double confidence)
{
	if (confidence >= 0.9)
		return "certain";
	return confidence >= 0.6 ? "likely" : "consistent with";
}

/*
 * The first finding is the headline. A fault can be cured, information cannot: so no information,
 * whatever time it explains, stands before a fault. Among equals the surer one leads.
 */
static bool outranks(const struct tw_finding *a, const struct tw_finding *b)
{
	enum tw_finding_class a_class = tw_finding_class(a->id), b_class = tw_finding_class(b->id);

	if (a_class != b_class)
		return a_class == TW_CLASS_FAULT;
	if (a->saves_ns != b->saves_ns)
		return a->saves_ns > b->saves_ns;
	return a->confidence > b->confidence;
}

/* Evidence reads in the order it happened. */
static void sort_evidence(struct tw_finding *f)
{
	for (unsigned i = 1; i < f->n_evidence; i++) {
		struct tw_evidence e = f->evidence[i];
		unsigned k = i;

		while (k && f->evidence[k - 1].packet > e.packet) {
			f->evidence[k] = f->evidence[k - 1];
			k--;
		}
		f->evidence[k] = e;
	}
}

/* Inserts into the ordered list; where that is full, the least worthy falls out. */
static unsigned insert(struct tw_finding *list, unsigned n, unsigned room,
		       const struct tw_finding *f)
{
	unsigned at = n, moved;

	while (at && outranks(f, &list[at - 1]))
		at--;
	if (at == room)
		return n;
	moved = (n < room ? n : room - 1) - at;
	memmove(&list[at + 1], &list[at], moved * sizeof(*list));
	list[at] = *f;
	return n < room ? n + 1 : n;
}

unsigned tw_findings(const struct tw_case *c, struct tw_finding *out, unsigned room)
{
	struct tw_finding found;
	unsigned n = 0;

	memset(&found, 0, sizeof(found));
	for (int id = 0; id < TW_FINDING_COUNT; id++) {
		for (int side = 0; side < 2; side++) {
			found.id = (enum tw_finding_id)id;
			found.side = side;
			found.party = TW_PARTY_NOBODY;
			found.next = TW_CAUSE_UNKNOWN;
			found.duration_without_ns = c->bill->duration_ns;
			if (!findings[id].detect(c, side, &found))
				continue; /* which leaves `found` as it was: see detect.h */
			sort_evidence(&found);
			n = insert(out, n, room, &found);
			memset(&found, 0, sizeof(found));
		}
	}
	return n;
}
