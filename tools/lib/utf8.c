// SPDX-License-Identifier: GPL-2.0
/*
 * UTF-8: see utf8.h. Called by json.c and by tgctl's tables.
 */
#include "utf8.h"

size_t utf8_decode(const char *s, size_t len, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = s[0];
	size_t n, i;

	if (first < 0x80) {
		*code = first;
		return 1;
	}
	if (first >= 0xf0 && first < 0xf8)
		n = 4;
	else if (first >= 0xe0)
		n = 3;
	else
		n = 2;
	if (first < 0xc0 || first >= 0xf8 || n > len)
		return 0;
	*code = first & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return n;
}

bool utf8_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}
