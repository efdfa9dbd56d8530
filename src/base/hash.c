/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/hash.h"

#include <string.h>
#include <sys/random.h>

static inline uint64_t fold(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t load64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

uint64_t tw_hash(const void *bytes, size_t n, uint64_t key)
{
	const unsigned char *p = bytes;
	uint64_t h = key ^ (n * UINT64_C(0x9e3779b97f4a7c15));
	uint64_t tail = 0;

	for (; n >= 8; n -= 8, p += 8)
		h = fold(h ^ load64(p), UINT64_C(0xa0761d6478bd642f) ^ key);
	memcpy(&tail, p, n);
	return fold(h ^ tail, UINT64_C(0xe7037ed1a0b428db));
}

uint64_t tw_hash_key(void)
{
	uint64_t key = UINT64_C(0x8bb84b93962eacc9);

	if (getrandom(&key, sizeof(key), GRND_NONBLOCK) != (ssize_t)sizeof(key))
		key = UINT64_C(0x8bb84b93962eacc9);
	return key | 1;
}
