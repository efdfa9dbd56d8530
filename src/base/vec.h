/* SPDX-License-Identifier: BSD-2-Clause */
/* Growable arrays with a ceiling: nothing that an input feeds may grow without bound. */
#ifndef TW_BASE_VEC_H
#define TW_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>

struct tw_vec {
	void *data;    /* n elements of `size` bytes; owned */
	uint32_t n;    /* elements in use */
	uint32_t cap;  /* elements allocated */
	uint32_t max;  /* ceiling, in elements */
	uint32_t size; /* bytes of one element */
};

/* Embedded constructor; allocates nothing. */
static inline void tw_vec_init(struct tw_vec *vec, uint32_t size, uint32_t max)
{
	*vec = (struct tw_vec){ .size = size, .max = max };
}

/* Frees the elements; the vector may be used again. */
void tw_vec_release(struct tw_vec *vec);

/*
 * Appends one uninitialised element and returns it, or NULL at the ceiling or without memory, the
 * vector unchanged. Pointers into the vector die with the next push.
 */
void *tw_vec_push(struct tw_vec *vec);

/* Removes the first `count` elements (all, where there are fewer). */
void tw_vec_drop_front(struct tw_vec *vec, uint32_t count);

static inline void *tw_vec_at(const struct tw_vec *vec, uint32_t i)
{
	return (char *)vec->data + (size_t)i * vec->size;
}

#endif
