/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/utf8.h"

size_t tw_utf8_decode(const char *text, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)text;
	uint32_t c;
	size_t n;

	if (!p[0])
		return 0;
	if (p[0] < 0x80) {
		*code = p[0];
		return 1;
	}
	n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc0 ? 2 : 0;
	if (!n || p[0] > 0xf4)
		return 0;
	c = p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80) /* also stops at the NUL */
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	*code = c;
	return n;
}

bool tw_utf8_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe0fff);
}

/* First and last code point, ascending. The blocks that fonts draw so; not every last mark. */
static const struct range {
	uint32_t first, last;
} combining[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
}, wide[] = {
	{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0x33ff }, { 0x3400, 0x4dbf },
	{ 0x4e00, 0xa4cf }, { 0xa960, 0xa97f }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
	{ 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f },
	{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
};

static bool is_in(uint32_t code, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n && code >= ranges[i].first; i++) {
		if (code <= ranges[i].last)
			return true;
	}
	return false;
}

unsigned tw_utf8_cells(uint32_t code)
{
	if (code < 0x300)
		return 1;
	if (is_in(code, combining, sizeof(combining) / sizeof(combining[0])))
		return 0;
	return is_in(code, wide, sizeof(wide) / sizeof(wide[0])) ? 2 : 1;
}

unsigned tw_utf8_width(const char *text)
{
	unsigned width = 0;
	uint32_t code;

	while (*text) {
		size_t n = tw_utf8_decode(text, &code);

		width += n ? tw_utf8_cells(code) : 1;
		text += n ? n : 1;
	}
	return width;
}
