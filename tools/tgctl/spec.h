/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl load, tgctl check, tgctl admit: specifications. Called by main.c through its table of
 * verbs; the parser by config.c, the lock and spec_put() by lines.c, too.
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

/**
 * spec_lock() - keep other tools from changing the module's specification
 *
 * The lock ends with the descriptor. What is read of the specification under it stays in force.
 *
 * Return: a descriptor of spec_commit, or -1 after a message.
 */
int spec_lock(void);

/**
 * spec_put() - put a text in force in the module
 * @fd: of spec_lock()
 * @name: what a message calls the text
 * @bytes: the text
 * @len: how many
 * @how: what to write to spec_commit
 *
 * Return: false, after a message.
 */
bool spec_put(int fd, const char *name, const char *bytes, size_t len, const char *how);

#endif /* TGCTL_SPEC_H */
