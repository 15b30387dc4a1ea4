/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of the module, named relative to its directory. A function that fails has written the
 * reason to stderr, unless its comment says that it is silent. Called by the verbs that need the
 * module, and by snapshot.c.
 */
#ifndef TGCTL_SYSFS_H
#define TGCTL_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * sysfs_loaded() - is the module there?
 *
 * Return: whether its directory exists. Silent.
 */
bool sysfs_loaded(void);

/**
 * sysfs_path() - full name of a file, for messages
 * @name: relative name
 *
 * Return: a string that the next call overwrites.
 */
const char *sysfs_path(const char *name);

/**
 * sysfs_explain() - say why a file could not be used
 * @verb: "read" or "write"
 * @name: relative name
 * @err: an errno
 */
void sysfs_explain(const char *verb, const char *name, int err);

/**
 * sysfs_open() - open a file of the module
 * @name: relative name
 * @flags: as open()'s
 *
 * Return: a descriptor, or -1.
 */
int sysfs_open(const char *name, int flags);

/**
 * sysfs_readable() - may we read a file that every host has?
 * @name: relative name
 *
 * Return: whether it is there, for us. Silent.
 */
bool sysfs_readable(const char *name);

/**
 * sysfs_read() - read a whole file
 * @name: relative name
 * @len: bytes read; may be NULL
 *
 * Return: its bytes and a NUL behind them, or NULL.
 */
char *sysfs_read(const char *name, size_t *len);

/**
 * sysfs_read_value() - read a file that holds one value
 * @name: relative name
 *
 * Return: the value without its line end, or NULL.
 */
char *sysfs_read_value(const char *name);

/**
 * sysfs_read_listed() - read a file that holds one value, and that sysfs_list() has named
 * @name: relative name
 * @gone: receives whether it is there no longer, since its GPU has gone meanwhile. Silent then.
 *
 * Return: the value without its line end, or NULL.
 */
char *sysfs_read_listed(const char *name, bool *gone);

/**
 * sysfs_write_value() - write one value and a line end in one call
 * @name: relative name
 * @value: the value
 *
 * Return: 0, or the negative errno. Silent.
 */
int sysfs_write_value(const char *name, const char *value);

/**
 * sysfs_list() - the entries of a directory, sorted by their bytes
 * @name: relative name
 * @names: filled in, NULL-terminated
 *
 * Return: how many, or -1.
 */
int sysfs_list(const char *name, char ***names);

/**
 * sysfs_is_dir() - what kind of entry is it?
 * @name: relative name
 *
 * Return: whether it is a directory. Silent.
 */
bool sysfs_is_dir(const char *name);

#endif /* TGCTL_SYSFS_H */
