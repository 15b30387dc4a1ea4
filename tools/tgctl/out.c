// SPDX-License-Identifier: GPL-2.0
/*
 * Output: bytes of unknown origin as JSON strings and as cells of a table. Called by the
 * verbs that show something.
 */
#include "tgctl.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence that @s starts with, and its code point; 0 when it is none. */
static size_t decode(const char *s, size_t len, uint32_t *code)
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

static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

void json_string(const char *s, size_t len)
{
	uint32_t code;
	size_t n;

	putchar('"');
	for (; len; s += n, len -= n) {
		n = decode(s, len, &code);
		if (!n) {
			fputs("\\ufffd", stdout);
			n = 1;
		} else if (is_control(code)) {
			printf("\\u%04x", (unsigned int)code);
		} else {
			if (code == '"' || code == '\\')
				putchar('\\');
			fwrite(s, 1, n, stdout);
		}
	}
	putchar('"');
}

void table_add(struct table *t, const char *s, size_t len)
{
	size_t used = 0, width = 0;
	uint32_t code;
	size_t n, i;
	char *cell;

	if (!len) {
		s = "-";
		len = 1;
	}
	cell = tgctl_alloc(NULL, 4 * len + 1);
	for (; len; s += n, len -= n) {
		n = decode(s, len, &code);
		if (n && code == '\\') {
			cell[used++] = '\\';
			cell[used++] = '\\';
			width += 2;
		} else if (n && !is_control(code)) {
			memcpy(cell + used, s, n);
			used += n;
			width++;
		} else {
			n = n ? n : 1;
			for (i = 0; i < n; i++)
				used += sprintf(cell + used, "\\x%02x", (unsigned char)s[i]);
			width += 4 * n;
		}
	}
	cell[used] = '\0';
	t->cells = tgctl_alloc(t->cells, (t->nr + 1) * sizeof(*t->cells));
	t->widths = tgctl_alloc(t->widths, (t->nr + 1) * sizeof(*t->widths));
	t->cells[t->nr] = cell;
	t->widths[t->nr++] = width;
}

char **table_lines(struct table *t, size_t *nr)
{
	size_t columns = strlen(t->align);
	size_t *widest = tgctl_alloc(NULL, columns * sizeof(*widest));
	char **lines = tgctl_alloc(NULL, (t->nr / columns + 1) * sizeof(*lines));
	size_t i, column, size;
	FILE *f = NULL;
	int pad;

	*nr = 0;
	memset(widest, 0, columns * sizeof(*widest));
	for (i = 0; i < t->nr; i++) {
		if (t->widths[i] > widest[i % columns])
			widest[i % columns] = t->widths[i];
	}
	for (i = 0; i < t->nr; i++) {
		column = i % columns;
		pad = widest[column] - t->widths[i];
		if (!column)
			f = open_memstream(&lines[(*nr)++], &size);
		if (!f) {
			tgctl_error("out of memory");
			exit(TGCTL_FAILED);
		}
		if (t->align[column] == 'r')
			fprintf(f, "%*s%s", pad, "", t->cells[i]);
		else if (column + 1 < columns)
			fprintf(f, "%s%*s", t->cells[i], pad, "");
		else
			fputs(t->cells[i], f);
		if (column + 1 < columns)
			fputs("  ", f);
		else
			fclose(f);
		free(t->cells[i]);
	}
	free(t->cells);
	free(t->widths);
	free(widest);
	*t = (struct table){ .align = t->align };
	return lines;
}

void table_print(struct table *t)
{
	size_t nr, i;
	char **lines = table_lines(t, &nr);

	for (i = 0; i < nr; i++) {
		puts(lines[i]);
		free(lines[i]);
	}
	free(lines);
}
