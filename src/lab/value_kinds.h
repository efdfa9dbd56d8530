/* SPDX-License-Identifier: BSD-2-Clause */
/* Inside of lab/value.h: reading and printing, by kind. Whoever parses a path does not need it. */
#ifndef TW_LAB_VALUE_KINDS_H
#define TW_LAB_VALUE_KINDS_H

#include "lab/path.h"
#include "lab/value.h"

/* Bytes of a value as a text, with its NUL: all rules with the largest counts need 126. */
enum { TW_VALUE_MAX = 160 };

struct tw_value_unit {
	const char *name;
	int64_t size;
};

/* A number and one of `n` units; a plain 0 needs none. As tw_value_parse. */
int tw_value_read_number(const char *text, const struct tw_value_unit *units, int n,
			 struct tw_range range, int64_t *out);

/* tw_value_parse_time, tw_value_print_time and so on. */
#define X(enum_, name, type, form)                                                        \
	int tw_value_parse_##name(const char *text, struct tw_range range, type *out);    \
	void tw_value_print_##name(const type *value, char *out, size_t size);
TW_VALUE_KINDS(X)
#undef X

#endif
