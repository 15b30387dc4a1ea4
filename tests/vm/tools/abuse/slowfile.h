/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file whose pages take their time: a FUSE file system of one file, served by a thread of this process. What a client
 * without any privilege can do to a driver that reads its memory, so the cases use it beside userfaultfd.
 */
#ifndef SLOWFILE_H
#define SLOWFILE_H

#include <stdatomic.h>
#include <stddef.h>

#define SLOWFILE_PAGES	4096u		/* of 4096 bytes */

/**
 * struct slowfile - the file, mapped
 * @pages: where: SLOWFILE_PAGES pages, each of which faults once
 * @content: what a page begins with, read by the server when it answers
 * @bytes: of @content, a page at most
 * @ms: how long a page takes
 * @asked: CLOCK_MONOTONIC, ns: when the latest page was asked for
 * @fd: of /dev/fuse, for the server
 */
struct slowfile {
	char *pages;
	const void *content;
	size_t bytes;
	unsigned int ms;
	atomic_llong asked;
	int fd;
};

/*
 * slowfile_open() - mount it at @dir, which must be there, and map it; NULL, or what went wrong, with errno set
 *
 * @s: @content, @bytes and @ms are set. The server goes with the process, and so does what it serves.
 */
const char *slowfile_open(struct slowfile *s, const char *dir);

#endif
