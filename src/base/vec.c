/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

void tw_vec_release(struct tw_vec *vec)
{
	free(vec->data);
	vec->data = NULL;
	vec->n = vec->cap = 0;
}

void *tw_vec_push(struct tw_vec *vec)
{
	if (vec->n == vec->cap) {
		uint64_t want = vec->cap ? (uint64_t)vec->cap * 2 : 1;
		void *grown;

		if (want > vec->max)
			want = vec->max;
		if (want <= vec->n)
			return NULL;
		grown = realloc(vec->data, (size_t)want * vec->size);
		if (!grown)
			return NULL;
		vec->data = grown;
		vec->cap = (uint32_t)want;
	}
	return tw_vec_at(vec, vec->n++);
}

void tw_vec_drop_front(struct tw_vec *vec, uint32_t count)
{
	if (count > vec->n)
		count = vec->n;
	if (!count)
		return;
	memmove(vec->data, tw_vec_at(vec, count), (size_t)(vec->n - count) * vec->size);
	vec->n -= count;
}
