/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A second reading of docs/spec-format.md, to hold the parser in src/core/spec.c against.
 * Shares no code and no header with it.
 */
#ifndef SPEC_ORACLE_H
#define SPEC_ORACLE_H

#include <stddef.h>

/**
 * oracle_check() - is this text a specification?
 * @text: the text, with any bytes in it
 * @len: its bytes
 * @line: where its first error is, from 1; written only if there is one
 * @col: likewise, in bytes from 1
 *
 * Return: 0 if it is good, -1 if not. Exits the program when memory runs out.
 */
int oracle_check(const char *text, size_t len, unsigned int *line, unsigned int *col);

#endif /* SPEC_ORACLE_H */
