/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that tgctl writes: whole, or not at all. Called by save and init.
 */
#ifndef TGCTL_WRITE_H
#define TGCTL_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * write_whole() - write a file, so that at each moment the old one or the new one is there
 * @file: its name, "-": standard output
 * @text: what it holds
 * @len: bytes
 * @over: an old one may be there; it stays as FILE.old
 *
 * Return: false, after a message.
 */
bool write_whole(const char *file, const char *text, size_t len, bool over);

#endif /* TGCTL_WRITE_H */
