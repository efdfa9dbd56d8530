/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8 (RFC 3629): what is valid, what is a control, and how many terminal cells it takes. */
#ifndef TW_BASE_UTF8_H
#define TW_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the sequence at `text` (NUL-terminated, so never reads past its NUL). Returns its length
 * in bytes, 1 to 4, and stores the code point in `*code`; 0 where no valid sequence starts there
 * (stray or missing continuation bytes, overlong forms, surrogates, above U+10FFFF, or the NUL).
 */
size_t tw_utf8_decode(const char *text, uint32_t *code);

/*
 * Whether a code point could drive a terminal or hide what is printed: C0 and C1 controls, DEL,
 * line and paragraph separators, zero-width and bidirectional controls.
 */
bool tw_utf8_is_control(uint32_t code);

/* Terminal cells of a code point: 0 for combining marks, 2 for East Asian wide ones, else 1. */
unsigned tw_utf8_cells(uint32_t code);

/* Terminal cells of a text; a byte that is not valid UTF-8 counts as one. */
unsigned tw_utf8_width(const char *text);

#endif
