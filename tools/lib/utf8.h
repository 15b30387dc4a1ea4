/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes of unknown origin as UTF-8, for output that is always valid and never moves a cursor. Pure
 * functions.
 */
#ifndef TOOLS_UTF8_H
#define TOOLS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * utf8_decode() - read one character
 * @s: bytes
 * @len: how many, at least 1
 * @code: its code point
 *
 * Return: bytes that it takes, 0: what stands there is not UTF-8.
 */
size_t utf8_decode(const char *s, size_t len, uint32_t *code);

/** utf8_is_control() - does a terminal act on that character instead of showing it? */
bool utf8_is_control(uint32_t code);

#endif
