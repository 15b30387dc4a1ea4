// SPDX-License-Identifier: GPL-2.0
/*
 * Files that tgctl writes. A new file gets its name when all of it is on the disk, so a full disk
 * or a power failure leaves the old one. The old one keeps another name, FILE.old.
 */
#include "write.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sysfs.h"
#include "tgctl.h"

/* Puts the bytes in a new file beside @file, of the same mode. Return: its name, or NULL. */
static char *write_beside(const char *file, const char *text, size_t len)
{
	size_t size = strlen(file) + sizeof(".XXXXXX");
	char *name = tgctl_alloc(NULL, size);
	struct stat st;
	int fd, err;

	snprintf(name, size, "%s.XXXXXX", file);
	fd = mkstemp(name);
	if (fd < 0)
		return NULL;
	err = sysfs_write_fd(fd, text, len);
	if (!err && (fchmod(fd, stat(file, &st) ? 0644 : st.st_mode & 0777) || fsync(fd)))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err)
		return name;
	unlink(name);
	errno = -err;
	return NULL;
}

bool write_whole(const char *file, const char *text, size_t len, bool over)
{
	char path[PATH_MAX], old[PATH_MAX + 8], *new;
	bool there, ok;

	if (!strcmp(file, "-"))
		return fwrite(text, 1, len, stdout) == len;	/* main() tells of a failure */
	/* A link stays a link. */
	there = realpath(file, path);
	if (!there && snprintf(path, sizeof(path), "%s", file) >= (int)sizeof(path)) {
		tgctl_error("cannot write %s: %s", file, strerror(ENAMETOOLONG));
		return false;
	}
	if (there && !over) {
		tgctl_error("%s is there already; --force writes over it, and keeps the old one as "
			    "%s.old; - prints", file, path);
		return false;
	}
	new = write_beside(path, text, len);
	ok = new;
	if (ok && there) {
		snprintf(old, sizeof(old), "%s.old", path);
		ok = (!unlink(old) || errno == ENOENT) && !link(path, old);
	}
	ok = ok && !rename(new, path);
	if (!ok)
		tgctl_error("cannot write %s: %s", file, strerror(errno));
	if (!ok && new)
		unlink(new);
	free(new);
	return ok;
}
