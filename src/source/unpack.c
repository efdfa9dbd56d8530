/* SPDX-License-Identifier: BSD-2-Clause */
/* gzip (RFC 1952) by zlib, zstd (RFC 8878) by libzstd; either may be missing from the build. */
#include "source/unpack.h"

#include <errno.h>
#include <stdlib.h>

#include "config.h"

#if TW_WITH_ZLIB
#define ZLIB_CONST /* next_in points to const */
#include <zlib.h>
#endif
#if TW_WITH_ZSTD
#include <zstd.h>
#endif

struct tw_unpack {
	enum tw_packing packing;
	bool inside; /* within a member or frame */
#if TW_WITH_ZLIB
	z_stream gzip;
#endif
#if TW_WITH_ZSTD
	ZSTD_DStream *zstd;
	size_t wants; /* bytes of input, as the decoder said last; within a frame not 0 */
#endif
};

enum { GZIP_1 = 0x1f, GZIP_2 = 0x8b }; /* RFC 1952 section 2.3.1 */

enum tw_packing tw_packing_detect(const uint8_t *head, size_t n, bool *undecided)
{
	/* RFC 8878 section 3.1.1 and, for skippable frames, 3.1.2. */
	static const uint8_t frame[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	static const uint8_t skippable[4] = { 0x50, 0x2a, 0x4d, 0x18 }; /* low nibble of [0]: any */
	bool is_frame = true, is_skippable = true;

	*undecided = false;
	if (!n) {
		*undecided = true;
		return TW_PACKING_NONE;
	}
	if (head[0] == GZIP_1) {
		*undecided = n < 2;
		return n >= 2 && head[1] == GZIP_2 ? TW_PACKING_GZIP : TW_PACKING_NONE;
	}
	for (size_t i = 0; i < 4 && i < n; i++) {
		is_frame = is_frame && head[i] == frame[i];
		is_skippable = is_skippable && (i ? head[i] : head[i] & 0xf0) == skippable[i];
	}
	if (!is_frame && !is_skippable)
		return TW_PACKING_NONE;
	*undecided = n < 4;
	return n >= 4 ? TW_PACKING_ZSTD : TW_PACKING_NONE;
}

const char *tw_packing_name(enum tw_packing packing)
{
	static const char *const names[] = { NULL, "gzip", "zstd" };

	return names[packing];
}

const char *tw_packing_library(enum tw_packing packing)
{
	static const char *const names[] = { NULL, "zlib", "libzstd" };

	return names[packing];
}

#if TW_WITH_ZLIB
enum { GZIP_ONLY = 16 }; /* added to the window bits: inflateInit2 takes gzip headers alone */

static int gzip_init(struct tw_unpack *unpack)
{
	return inflateInit2(&unpack->gzip, 15 + GZIP_ONLY) == Z_OK ? 0 : -ENOMEM;
}

static int gzip_step(struct tw_unpack *unpack, const uint8_t *in, size_t *n_in, uint8_t *out,
		     size_t *n_out)
{
	z_stream *z = &unpack->gzip;
	size_t given = *n_in, room = *n_out, zeros = 0;
	int ret;

	if (!unpack->inside) {
		/*
		 * Zeros may pad the file (tapes, and tools that write whole blocks). What is neither
		 * that nor a member is damage, as inflate finds.
		 */
		while (zeros < given && !in[zeros])
			zeros++;
		*n_in = zeros;
		*n_out = 0;
		if (zeros || !given)
			return 0;
		if (inflateReset(z) != Z_OK)
			return -EBADMSG;
		unpack->inside = true;
	}
	/* Both are far below what a uInt holds: the stream's buffers. */
	z->next_in = in;
	z->avail_in = (uInt)given;
	z->next_out = out;
	z->avail_out = (uInt)room;
	ret = inflate(z, Z_NO_FLUSH);
	*n_in = given - z->avail_in;
	*n_out = room - z->avail_out;
	if (ret == Z_STREAM_END) {
		unpack->inside = false;
		return 0;
	}
	if (ret == Z_MEM_ERROR)
		return -ENOMEM;
	/* Z_BUF_ERROR: no progress was possible, which is how more input is asked for. */
	return ret == Z_OK || ret == Z_BUF_ERROR ? 0 : -EBADMSG;
}
#endif

#if TW_WITH_ZSTD
enum { FRAME_BEGIN = 5 }; /* bytes that never hold a whole frame */

/*
 * The decoder gets no more than it says it wants, which is one block at a time: where a block is
 * damaged it forgets all it gave in the same call, and a frame that it sees whole it unpacks at
 * once or not at all.
 */
static int zstd_step(struct tw_unpack *unpack, const uint8_t *in, size_t *n_in, uint8_t *out,
		     size_t *n_out)
{
	size_t wants = unpack->inside ? unpack->wants : FRAME_BEGIN;
	ZSTD_inBuffer from = { .src = in, .size = *n_in < wants ? *n_in : wants, .pos = 0 };
	ZSTD_outBuffer to = { .dst = out, .size = *n_out, .pos = 0 };
	size_t ret = ZSTD_decompressStream(unpack->zstd, &to, &from);

	*n_in = from.pos;
	*n_out = to.pos;
	if (ZSTD_isError(ret))
		return -EBADMSG;
	/* 0: a frame ended, with its last byte given. What is wanted then is no sign of a next. */
	if (from.pos || to.pos)
		unpack->inside = ret != 0;
	unpack->wants = ret;
	return 0;
}
#endif

int tw_unpack_new(struct tw_unpack **out, enum tw_packing packing)
{
	struct tw_unpack *unpack = calloc(1, sizeof(*unpack));
	int ret = -ENOTSUP;

	if (!unpack)
		return -ENOMEM;
	unpack->packing = packing;
#if TW_WITH_ZLIB
	if (packing == TW_PACKING_GZIP)
		ret = gzip_init(unpack);
#endif
#if TW_WITH_ZSTD
	if (packing == TW_PACKING_ZSTD) {
		unpack->zstd = ZSTD_createDStream();
		ret = unpack->zstd ? 0 : -ENOMEM;
	}
#endif
	if (ret) {
		free(unpack);
		return ret;
	}
	*out = unpack;
	return 0;
}

void tw_unpack_free(struct tw_unpack *unpack)
{
	if (!unpack)
		return;
#if TW_WITH_ZLIB
	if (unpack->packing == TW_PACKING_GZIP)
		inflateEnd(&unpack->gzip);
#endif
#if TW_WITH_ZSTD
	if (unpack->packing == TW_PACKING_ZSTD)
		ZSTD_freeDStream(unpack->zstd);
#endif
	free(unpack);
}

int tw_unpack_step(struct tw_unpack *unpack, const uint8_t *in, size_t *n_in, uint8_t *out,
		   size_t *n_out)
{
#if TW_WITH_ZLIB
	if (unpack->packing == TW_PACKING_GZIP)
		return gzip_step(unpack, in, n_in, out, n_out);
#endif
#if TW_WITH_ZSTD
	if (unpack->packing == TW_PACKING_ZSTD)
		return zstd_step(unpack, in, n_in, out, n_out);
#endif
	(void)unpack;
	(void)in;
	(void)out;
	*n_in = *n_out = 0;
	return -ENOTSUP;
}

bool tw_unpack_may_end(const struct tw_unpack *unpack)
{
	return !unpack->inside;
}
