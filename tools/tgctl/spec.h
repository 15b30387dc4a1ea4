/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl load, tgctl check, tgctl admit: specifications. Called by main.c through its table of
 * verbs; the parser by config.c, too.
 */
#ifndef TGCTL_SPEC_H
#define TGCTL_SPEC_H

#include "tgctl.h"

enum tgctl_status tgctl_load(const struct tgctl_args *args);
enum tgctl_status tgctl_check(const struct tgctl_args *args);
enum tgctl_status tgctl_admit(const struct tgctl_args *args);

struct tg_spec;

/**
 * spec_parse_bytes() - parse a text
 * @spec: the result; its text is set already. What it allocates is not given back
 * @len: bytes of text
 * @name: what a message calls the text
 *
 * Return: false, after a message with the place.
 */
bool spec_parse_bytes(struct tg_spec *spec, size_t len, const char *name);

#endif /* TGCTL_SPEC_H */
