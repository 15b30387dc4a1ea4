/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole files: read into memory, and written, all of it or nothing. No global state.
 */
#ifndef TOOLS_FILE_H
#define TOOLS_FILE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/**
 * file_read() - read a file to its end
 * @path: its name; "-": standard input
 * @len: bytes that were read; may be NULL
 *
 * Return: the bytes and a NUL, which the caller frees; NULL with errno: it cannot be read, or there
 * is no memory.
 */
char *file_read(const char *path, uint64_t *len);

/** file_read_rest() - the same, of what is left of an open @file */
char *file_read_rest(FILE *file, uint64_t *len);

/**
 * file_write_fd() - write all bytes, in as many calls as the kernel wants
 *
 * Return: 0, or the negative errno. Silent.
 */
int file_write_fd(int fd, const char *data, size_t len);

/* What is where a file is to be written. */
enum file_kind {
	FILE_NONE,	/* nothing yet */
	FILE_THERE,	/* a regular file */
	FILE_STREAM,	/* a pipe, or a device that takes characters */
	FILE_STDOUT,	/* standard output, by whichever name */
};

/**
 * struct file_place - where a file is to be written
 * @path: its name behind all links
 * @mode: what the new file gets: that of the old one, or what the umask leaves
 */
struct file_place {
	enum file_kind kind;
	mode_t mode;
	char path[PATH_MAX];
};

/**
 * file_find() - look what is where a file is to be written
 * @name: its name; "-": standard output
 * @place: what has been found
 *
 * Return: NULL, or in words why no file can be written there: a folder is, or there is none for it.
 */
const char *file_find(const char *name, struct file_place *place);

/**
 * file_put() - write a file: at each moment the old one or the new one is there
 * @place: from file_find(); what goes to a pipe or device is written there directly
 * @data: what it holds
 * @len: bytes
 * @old: the name that a file which is there keeps; NULL: it goes
 *
 * The new file gets its name when all of it is on the disk, so a full disk or a power failure
 * leaves the old one. Return: NULL, or in words what has failed; then all is as before.
 */
const char *file_put(const struct file_place *place, const char *data, size_t len,
		     const char *old);

/** file_write() - file_find() and file_put() in one; an old file goes */
const char *file_write(const char *name, const char *data, size_t len);

#endif /* TOOLS_FILE_H */
