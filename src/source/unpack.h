/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the stream: gzip and zstd, told apart by content, taken off piece by piece. */
#ifndef TW_SOURCE_UNPACK_H
#define TW_SOURCE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tw_packing { TW_PACKING_NONE, TW_PACKING_GZIP, TW_PACKING_ZSTD };

struct tw_unpack;

/*
 * What the input that begins with the `n` bytes at `head` is packed with. Stores in `*undecided`
 * whether more bytes could still change the answer.
 */
enum tw_packing tw_packing_detect(const uint8_t *head, size_t n, bool *undecided);

/* "gzip", "zstd"; NULL for none. */
const char *tw_packing_name(enum tw_packing packing);

/* The library that unpacks it, for the message where a build lacks it. */
const char *tw_packing_library(enum tw_packing packing);

/* Owned by the caller. -ENOTSUP where the build lacks the library, -ENOMEM. */
int tw_unpack_new(struct tw_unpack **out, enum tw_packing packing);
void tw_unpack_free(struct tw_unpack *unpack);

/*
 * Unpacks from the `*n_in` bytes at `in` into the `*n_out` bytes at `out` and stores in both how
 * many it took and gave. Taking and giving nothing means: more input is needed. Members (gzip) and
 * frames (zstd) may follow each other. -EBADMSG where the data is damaged, -ENOMEM; what was given
 * until then is good.
 */
int tw_unpack_step(struct tw_unpack *unpack, const uint8_t *in, size_t *n_in, uint8_t *out,
		   size_t *n_out);

/* Whether the packed input may end here: not within a member or frame. */
bool tw_unpack_may_end(const struct tw_unpack *unpack);

#endif
