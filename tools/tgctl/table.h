/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables. Names of processes hold any bytes: what is printed is always valid UTF-8 and never moves
 * the cursor. Called by the verbs that show something, and by metrics.c for what a label may hold.
 */
#ifndef TGCTL_TABLE_H
#define TGCTL_TABLE_H

#include <stddef.h>

/**
 * struct table - cells in columns, all in memory until printed
 * @align: 'l' or 'r' for each column
 * @cells: printable text
 * @widths: how many columns of a terminal each takes
 * @nr: cells
 * @gap: blanks between columns; 0: two
 * @limit: columns that do not fit whole into a line of this width are left out, but for the first;
 *	0: none is
 * @order: numbers of all columns: those at its end are left out first; NULL: the last columns are
 */
struct table {
	const char *align;
	char **cells;
	size_t *widths;
	size_t nr;
	size_t gap, limit;
	const unsigned char *order;
};

/** table_limit() - columns of the terminal; 0: standard output is none, so all is shown */
size_t table_limit(void);

/**
 * table_add() - append a cell
 * @t: the table; all but @align zero at first
 * @s: the bytes; what is not printable UTF-8 becomes \xHH, a backslash is doubled,
 *	nothing becomes '-'
 * @len: how many
 */
void table_add(struct table *t, const char *s, size_t len);

/**
 * table_lines() - the rows as text, and forget the cells
 * @t: the table, with whole rows
 * @nr: how many rows
 *
 * Return: the rows; each, and the array, are the caller's to free.
 */
char **table_lines(struct table *t, size_t *nr);

/** table_text() - the text of one cell, as in table_add(), without a table; the caller's to free */
char *table_text(const char *s, size_t len);

/**
 * table_print() - print and forget the cells
 * @t: the table, with whole rows
 */
void table_print(struct table *t);

/**
 * table_fit() - how much of a line fits
 * @text: printable text
 * @columns: of the terminal
 *
 * Return: bytes of it.
 */
size_t table_fit(const char *text, size_t columns);

#endif /* TGCTL_TABLE_H */
