/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgd's files over its socket (uapi/tgd.h): what tgctl and the plugin for Slurm share. Each call
 * waits for its answer, no longer than files_connect() was told. One thread per connection.
 */
#ifndef TOOLS_TGD_FILES_H
#define TOOLS_TGD_FILES_H

#include <stddef.h>
#include <sys/types.h>

/**
 * files_connect() - a connection to a tgd
 * @path: its socket
 * @seconds: how long an answer is waited for
 * @peer: receives the daemon's user: anyone may listen at a path that others can make
 *
 * Return: the connection, or a negative errno.
 */
int files_connect(const char *path, int seconds, uid_t *peer);

/**
 * files_ask() - one request and its answer
 * @fd: the connection
 * @kind: TGD_READ, TGD_LIST or TGD_WRITE
 * @name: of the file
 * @offset: of the part that is read or written
 * @data: what is written; NULL: nothing
 * @len: bytes of it
 * @to: receives what is read
 * @room: bytes there
 *
 * Return: bytes read, or a negative errno; -ETIMEDOUT: tgd is stopped.
 */
int files_ask(int fd, unsigned int kind, const char *name, size_t offset, const char *data, size_t len,
	    void *to, size_t room);

/** files_write() - write a whole file. Return: 0 or a negative errno, as files_ask() */
int files_write(int fd, const char *name, const char *data, size_t len);

#endif /* TOOLS_TGD_FILES_H */
