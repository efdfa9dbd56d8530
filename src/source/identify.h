/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the sources: what an input is that no format fits. */
#ifndef TW_SOURCE_IDENTIFY_H
#define TW_SOURCE_IDENTIFY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes to `out` (NUL-terminated, cut at `size`) what the input whose first `n` bytes, unpacked,
 * are at `head` seems to be, to stand behind "FILE: ": "a JPEG image, not a capture". `packing` is
 * what was taken off it, or NULL. Returns `out`. More of the head makes the answer better; a few
 * kB are plenty.
 */
const char *tw_source_identify(const uint8_t *head, size_t n, const char *packing, char *out,
			       size_t size);

#endif
