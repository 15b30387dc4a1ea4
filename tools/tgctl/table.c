// SPDX-License-Identifier: GPL-2.0
/*
 * Tables: bytes of unknown origin in aligned cells. Called by the verbs that show something.
 */
#include "table.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "lib/utf8.h"
#include "tgctl.h"

/*
 * Columns of a terminal that a character takes; negative: it shows nothing of its own, or would
 * change the order in which others are shown. wcwidth() goes by the locale: where that has no
 * UTF-8, as in C, by C.UTF-8.
 */
static int width_of(uint32_t code)
{
	static bool ready;

	if (!ready) {
		ready = true;
		setlocale(LC_CTYPE, "");
		if (MB_CUR_MAX == 1)
			setlocale(LC_CTYPE, "C.UTF-8");
	}
	if (code < 0x7f)
		return code < 0x20 ? -1 : 1;
	if (utf8_is_control(code) || (code >= 0x200b && code <= 0x200f) || code == 0xfeff ||
	    (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f))
		return -1;
	return wcwidth(code);
}

size_t table_limit(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

void table_add(struct table *t, const char *s, size_t len)
{
	size_t used = 0, width = 0;
	uint32_t code;
	size_t n, i;
	int columns;
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
		} else if (n && (columns = width_of(code)) >= 0) {
			memcpy(cell + used, s, n);
			used += n;
			width += columns;
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

/* Marks the columns that are shown. Return: the last of them. */
static size_t fitting(const struct table *t, const size_t *widest, size_t columns, size_t gap,
		      bool *shows)
{
	size_t width = 0, last = 0, i, column;

	for (i = 0; i < columns; i++) {
		column = t->order ? t->order[i] : i;
		width += widest[column] + (i ? gap : 0);
		if (i && t->limit && width > t->limit)
			break;
		shows[column] = true;
		last = max(last, column);
	}
	return last;
}

/* Writes cell @nr, and the blanks around it. */
static void write_cell(const struct table *t, FILE *f, size_t nr, int pad, bool is_last, int gap)
{
	bool right = t->align[nr % strlen(t->align)] == 'r';

	fprintf(f, "%*s%s", right ? pad : 0, "", t->cells[nr]);
	if (!is_last)
		fprintf(f, "%*s", gap + (right ? 0 : pad), "");
}

char **table_lines(struct table *t, size_t *nr)
{
	size_t columns = strlen(t->align), gap = t->gap ?: 2, last;
	size_t *widest = tgctl_alloc(NULL, columns * sizeof(*widest));
	bool *shows = tgctl_alloc(NULL, columns * sizeof(*shows));
	char **lines = tgctl_alloc(NULL, (t->nr / columns + 1) * sizeof(*lines));
	size_t i, column, size;
	FILE *f = NULL;

	*nr = 0;
	memset(widest, 0, columns * sizeof(*widest));
	memset(shows, 0, columns * sizeof(*shows));
	for (i = 0; i < t->nr; i++) {
		if (t->widths[i] > widest[i % columns])
			widest[i % columns] = t->widths[i];
	}
	last = fitting(t, widest, columns, gap, shows);
	for (i = 0; i < t->nr; i++) {
		column = i % columns;
		if (!column)
			f = open_memstream(&lines[(*nr)++], &size);
		if (!f) {
			tgctl_error("out of memory");
			exit(TGCTL_FAILED);
		}
		if (shows[column])
			write_cell(t, f, i, widest[column] - t->widths[i], column == last, gap);
		if (column == columns - 1)
			fclose(f);
		free(t->cells[i]);
	}
	free(t->cells);
	free(t->widths);
	free(widest);
	free(shows);
	*t = (struct table){ .align = t->align, .gap = t->gap, .limit = t->limit, .order = t->order };
	return lines;
}

char *table_text(const char *s, size_t len)
{
	struct table t = { .align = "l" };
	char **lines, *text;
	size_t nr;

	table_add(&t, s, len);
	lines = table_lines(&t, &nr);
	text = lines[0];
	free(lines);
	return text;
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

size_t table_fit(const char *text, size_t columns)
{
	const size_t len = strlen(text);
	size_t at = 0, n;
	uint32_t code;
	int width;

	while (at < len) {
		n = utf8_decode(text + at, len - at, &code);
		width = n ? max(width_of(code), 0) : 1;
		if ((size_t)width > columns)
			break;
		columns -= width;
		at += n ?: 1;
	}
	return at;
}
