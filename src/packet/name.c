/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of names. An address made here is 12 bytes of the name's hash and 4 of its place in the
 * table, counted from 1, so that different names never share an address while the table has room.
 * Past its ceiling the place is 0, and the hash alone stands for the name.
 */
#include "packet/name.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { NAMES_MAX = 65536, BUCKETS = 16384, NAME_LENGTH_MAX = 255 };

struct name {
	struct name *next; /* in its bucket */
	uint32_t place;
	uint32_t n;
	char text[];       /* n bytes and a NUL */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct name *bucket[BUCKETS];
static struct name *by_place[NAMES_MAX]; /* place - 1; entries are never freed nor moved */
static uint32_t used;
static uint32_t ceiling = NAMES_MAX;
static uint64_t bucket_key; /* secret, so that a hostile text cannot fill one bucket */

/* The place of a name, which is added where it is new; 0 where there is no room. */
static uint32_t find_or_add(const char *text, uint32_t n)
{
	struct name **head;
	struct name *name;

	if (!bucket_key)
		bucket_key = tw_hash_key();
	head = &bucket[tw_hash(text, n, bucket_key) % BUCKETS];
	for (name = *head; name; name = name->next) {
		if (name->n == n && !memcmp(name->text, text, n))
			return name->place;
	}
	if (used == ceiling)
		return 0;
	name = malloc(sizeof(*name) + n + 1);
	if (!name) {
		/* For good: a name refused now must not get a place, hence an address, later. */
		ceiling = used;
		return 0;
	}
	memcpy(name->text, text, n);
	name->text[n] = '\0';
	name->n = n;
	name->next = *head;
	name->place = used + 1;
	by_place[used++] = name;
	*head = name;
	return name->place;
}

void tw_endpoint_set_name(struct tw_endpoint *endpoint, const char *name, size_t n, uint16_t port)
{
	uint64_t hash[2];
	uint32_t place;

	if (n > NAME_LENGTH_MAX)
		n = NAME_LENGTH_MAX;
	pthread_mutex_lock(&lock);
	place = find_or_add(name, (uint32_t)n);
	pthread_mutex_unlock(&lock);
	/* Fixed keys: the same input gives the same addresses in every run. */
	hash[0] = tw_hash(name, n, UINT64_C(0x9ae16a3b2f90404f));
	hash[1] = tw_hash(name, n, UINT64_C(0xc949d7c7509e6557));
	memcpy(endpoint->addr, hash, 12);
	memcpy(endpoint->addr + 12, &place, 4);
	endpoint->port = port;
	endpoint->is_name = 1;
}

const char *tw_endpoint_name(const struct tw_endpoint *endpoint)
{
	const char *text = NULL;
	uint32_t place;

	memcpy(&place, endpoint->addr + 12, 4);
	pthread_mutex_lock(&lock);
	if (endpoint->is_name && place && place <= used)
		text = by_place[place - 1]->text;
	pthread_mutex_unlock(&lock);
	return text;
}
