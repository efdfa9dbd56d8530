/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kinds of values that the lab's texts have: read from a word and printed back, exactly. Numbers
 * are decimal, are not rounded through floating point, and stay within a range that the parameter
 * gives; "none" (or "off") is 0 for every kind.
 */
#ifndef TW_LAB_VALUE_H
#define TW_LAB_VALUE_H

#include <stddef.h>
#include <stdint.h>

/*
 * X(enum, name, type, form): the form is shown to users. k, m and g are powers of 1000 in rates and
 * of 1024 in sizes, as tc has them.
 */
#define TW_VALUE_KINDS(X)                                                             \
	X(RATE, rate, int64_t, "100mbit | 2.5gbit | 500k | 10MB/s")                   \
	X(TIME, time, int64_t, "10ms | 150us | 1.5s")                                 \
	X(SHARE, share, int64_t, "0.5%")                                              \
	X(SIZE, size, int64_t, "1500 | 64k | 4m")                                     \
	X(AMOUNT, amount, struct tw_amount, "64k (bytes) | 100p (packets)")           \
	X(COUNT, count, int64_t, "4")                                                 \
	X(SIGNED, signed, int64_t, "24 | -14")                                        \
	X(FLAG, flag, int64_t, "yes | no")                                            \
	X(SPAN, span, struct tw_span, "2s..3.5s")                                     \
	X(GEMODEL, gemodel, struct tw_gemodel, "p[:r[:loss while bad[:while good]]], as 1%:25%") \
	X(RULES, rules, struct tw_rules, \
	  "syn[:n] | synack[:n] | fin[:n] | last[:n] | resend[:n] | every:n | nth:n[..m]") \
	X(STRIP, strip, int64_t, "wscale | sack | timestamps")                        \
	X(PATTERN, pattern, int64_t, "bulk | pull | request")                         \
	X(DIR, dir, int64_t, "up | down | both")                                      \
	X(CORK, cork, int64_t, "message | always")                                    \
	X(LEVEL, level, int64_t, "0 | 1 | 2 (yes is 1, no is 0)")                     \
	X(TRIPLE, triple, struct tw_triple, "least:usual:most, as 4k:128k:6m")        \
	X(NAME, name, struct tw_name, "a name, as cubic")

/* Of PATTERN, DIR and CORK, in the order of their forms; 0 is none of them. */
enum tw_pattern { TW_PATTERN_BULK = 1, TW_PATTERN_PULL, TW_PATTERN_REQUEST };
enum tw_dir { TW_DIR_UP = 1, TW_DIR_DOWN, TW_DIR_BOTH };
enum tw_cork { TW_CORK_MESSAGE = 1, TW_CORK_ALWAYS };

/*
 * A LEVEL, for what the kernel has as a number whose 0 is not its default: the number plus 1, so
 * that 0 is "as the kernel has it" here too.
 */

struct tw_triple {
	int64_t least, usual, most;
};

struct tw_name {
	char text[16]; /* with its NUL; all of the rest is 0 */
};

enum tw_value_kind {
#define X(enum_, name, type, form) TW_VALUE_##enum_,
	TW_VALUE_KINDS(X)
#undef X
};

/* Bytes of a field of this kind, and the form of its text (static). */
size_t tw_value_size(enum tw_value_kind kind);
const char *tw_value_form(enum tw_value_kind kind);

/* What a number may be, in its own unit, beside 0. */
struct tw_range {
	int64_t least, most;
};

/*
 * Reads `text` (NUL-terminated) into `field`, which has the type of the kind and keeps what the
 * text does not say (the packets of an amount given in bytes). -EINVAL where the text is no such
 * value, -ERANGE where a number is out of range; the field is then as before.
 */
int tw_value_parse(enum tw_value_kind kind, const char *text, struct tw_range range, void *field);

/* Prints a field as tw_value_parse reads it, "none" for 0; cut at `size` like snprintf. */
void tw_value_print(enum tw_value_kind kind, const void *field, char *out, size_t size);

#endif
