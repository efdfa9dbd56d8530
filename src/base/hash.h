/* SPDX-License-Identifier: BSD-2-Clause */
/* A keyed hash of short byte strings, for tables whose keys an outsider chooses. */
#ifndef TW_BASE_HASH_H
#define TW_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * 64-bit multiply-and-fold hash of `n` bytes under `key`. Not cryptographic: the secret key only
 * keeps a hostile capture from aiming all its connections at one bucket.
 */
uint64_t tw_hash(const void *bytes, size_t n, uint64_t key);

/* A key from the kernel's random source; a fixed one where that is unavailable. */
uint64_t tw_hash_key(void);

#endif
