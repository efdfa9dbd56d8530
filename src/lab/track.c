/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/track.h"

#include <errno.h>
#include <stdlib.h>

enum { WAYS = 4, SETS = TW_TRACKS / WAYS };

int tw_tracks_init(struct tw_tracks *tracks, uint64_t seed)
{
	struct tw_track *track = calloc(TW_TRACKS, sizeof(*track));

	if (!track)
		return -ENOMEM;
	*tracks = (struct tw_tracks){ .track = track, .seed = seed };
	return 0;
}

void tw_tracks_release(struct tw_tracks *tracks)
{
	free(tracks->track);
	tracks->track = NULL;
}

struct tw_track *tw_tracks_find(struct tw_tracks *tracks, const struct tw_headers *headers,
				const uint8_t *frame, uint64_t number)
{
	uint64_t key = tw_headers_hash(headers, frame, false, tracks->seed) | 1;
	struct tw_track *set = &tracks->track[(key >> 32) % SETS * WAYS], *found = set;
	bool syn = headers->flags & TW_TCP_SYN;

	for (int i = 0; i < WAYS && found->key != key; i++)
		if (set[i].key == key || set[i].used < found->used)
			found = &set[i];
	if (found->key && found->key != key)
		tracks->forgotten++;
	if (found->key != key || (syn && (!found->has_isn || found->isn != headers->seq)))
		*found = (struct tw_track){ .key = key };
	if (syn) {
		found->isn = headers->seq;
		found->has_isn = true;
	}
	found->used = number;
	return found;
}
