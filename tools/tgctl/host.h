/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host that tgctl speaks to: the kernel's, whose files are in sysfs, or the user's, tgd, which
 * serves the same names over its socket (uapi/tgd.h). sysfs.c asks this file first.
 */
#ifndef TGCTL_HOST_H
#define TGCTL_HOST_H

#include "tgctl.h"

/** host_choose() - `--host WORD`; false after a message: it is neither user nor kernel */
bool host_choose(const char *word);

/**
 * host_is_user() - is it tgd? Without --host: where no module is loaded, and a tgd runs
 */
bool host_is_user(void);

/** host_is_kernel() - has --host, or one of the functions here, chosen the module? */
bool host_is_kernel(void);

/** host_is_neither() - was none chosen by --host or TG_SYSFS, and is neither there? */
bool host_is_neither(void);

/** host_loaded() - can it be spoken to? */
bool host_loaded(void);

/**
 * host_why() - why it is not spoken to, if what is in its place is not this user's, or takes no
 * connection; else NULL
 */
const char *host_why(void);

/** host_tell_silence() - say that tgd has not answered, which one it is, and what to do */
void host_tell_silence(void);

/** host_path() - where its socket is */
const char *host_path(void);

/**
 * host_read() - read a file, or a directory's names, a line each
 * @name: relative name
 * @list: a directory
 * @len: bytes read
 *
 * Return: its bytes and a NUL behind them; NULL: errno says why.
 */
char *host_read(const char *name, bool list, size_t *len);

/** host_write() - write a file whole. Return: 0, or a negative errno */
int host_write(const char *name, const char *data, size_t len);

/**
 * host_layer() - have this process, and what it executes, go through tgd's OpenCL layer where the
 * host is the user's, or no module is loaded
 *
 * Return: false, after a message.
 */
bool host_layer(void);

#endif /* TGCTL_HOST_H */
