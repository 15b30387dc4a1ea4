/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A whole file in memory. No global state.
 */
#ifndef TOOLS_FILE_H
#define TOOLS_FILE_H

#include <stdint.h>

/**
 * file_read() - read a file to its end
 * @path: its name; "-": standard input
 * @len: bytes that were read; may be NULL
 *
 * Return: the bytes and a NUL, which the caller frees; NULL with errno: it cannot be read, or there is no memory.
 */
char *file_read(const char *path, uint64_t *len);

#endif /* TOOLS_FILE_H */
