/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Specifications that tgctl writes: whole, or not at all. Called by save and init.
 */
#ifndef TGCTL_WRITE_H
#define TGCTL_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/** write_makes_file() - is what write_whole() writes a file? Not standard output, a pipe, a device */
bool write_makes_file(const char *file);

/**
 * write_whole() - write a file, so that at each moment the old one or the new one is there
 * @file: its name, "-": standard output; to a pipe or a terminal it is written directly
 * @text: what it holds
 * @len: bytes
 * @over: an old one may be there; it stays as FILE.old
 *
 * Return: false, after a message.
 */
bool write_whole(const char *file, const char *text, size_t len, bool over);

#endif /* TGCTL_WRITE_H */
