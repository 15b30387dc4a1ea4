// SPDX-License-Identifier: GPL-2.0
/*
 * Tables: bytes of unknown origin in aligned cells. Called by the verbs that show something.
 */
#include "table.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/utf8.h"
#include "tgctl.h"

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
		n = utf8_decode(s, len, &code);
		if (n && code == '\\') {
			cell[used++] = '\\';
			cell[used++] = '\\';
			width += 2;
		} else if (n && !utf8_is_control(code)) {
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
