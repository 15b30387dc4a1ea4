// SPDX-License-Identifier: GPL-2.0
/*
 * Whole files: see file.h.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST	(64 << 10)	/* bytes; the buffer doubles from here on */
#define LINKS	40		/* that lead to each other, as many as the kernel follows */

char *file_read_rest(FILE *file, uint64_t *len)
{
	char *data = NULL, *grown;
	size_t used = 0, room = 0;

	do {
		if (used == room) {
			room = room ? 2 * room : FIRST;
			grown = realloc(data, room + 1);
			if (!grown)
				break;
			data = grown;
		}
		used += fread(data + used, 1, room - used, file);
	} while (!feof(file) && !ferror(file));
	if (!feof(file)) {
		free(data);
		return NULL;
	}
	data[used] = '\0';
	if (len)
		*len = used;
	return data;
}

char *file_read(const char *path, uint64_t *len)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *data;
	int error;

	if (!file)
		return NULL;
	data = file_read_rest(file, len);
	error = errno;
	if (file != stdin)
		fclose(file);
	errno = error;
	return data;
}

/* Follows the links at the end of @path, the last of which leads to nothing. Return: could it? */
static bool follow(char path[PATH_MAX])
{
	char to[PATH_MAX];
	size_t folder, n;
	ssize_t len;

	for (n = 0; n < LINKS; n++) {
		len = readlink(path, to, sizeof(to) - 1);
		if (len < 0)
			return errno == EINVAL || errno == ENOENT;
		to[len] = '\0';
		folder = to[0] != '/' && strrchr(path, '/') ? strrchr(path, '/') + 1 - path : 0;
		if (folder + len >= PATH_MAX) {
			errno = ENAMETOOLONG;
			return false;
		}
		memcpy(path + folder, to, len + 1);
	}
	errno = ELOOP;
	return false;
}

static mode_t mode_of_new(void)
{
	const mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Can a new file get a name in the folder of @path? NULL, or why not. */
static const char *folder_takes(const char *path)
{
	char folder[PATH_MAX], *slash;

	strcpy(folder, path);
	slash = strrchr(folder, '/');
	if (slash)
		slash[1] = '\0';
	return access(slash ? folder : ".", W_OK | X_OK) ? strerror(errno) : NULL;
}

const char *file_find(const char *name, struct file_place *place)
{
	struct stat there, out;

	*place = (struct file_place){ .kind = FILE_NONE, .mode = mode_of_new() };
	if (strlen(name) >= sizeof(place->path))
		return strerror(ENAMETOOLONG);
	strcpy(place->path, name);
	if (!strcmp(name, "-")) {
		place->kind = FILE_STDOUT;
		return NULL;
	}
	if (stat(name, &there))
		return errno == ENOENT && follow(place->path) ? folder_takes(place->path) : strerror(errno);
	/* /dev/stdout, for one */
	if (!S_ISDIR(there.st_mode) && !fstat(STDOUT_FILENO, &out) &&
	    there.st_dev == out.st_dev && there.st_ino == out.st_ino) {
		place->kind = FILE_STDOUT;
		return NULL;
	}
	if (S_ISREG(there.st_mode)) {
		place->kind = FILE_THERE;
		place->mode = there.st_mode & 0777;
		return realpath(name, place->path) ? folder_takes(place->path) : strerror(errno);
	}
	place->kind = FILE_STREAM;
	if (S_ISDIR(there.st_mode))
		return strerror(EISDIR);
	return S_ISCHR(there.st_mode) || S_ISFIFO(there.st_mode) ? NULL :
		"neither a file nor a pipe nor a terminal";
}

int file_write_fd(int fd, const char *data, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENOSPC;	/* sysfs takes 0 bytes behind a file's end */
		data += n;
		len -= n;
	}
	return 0;
}

/* Gives the file @path another name more; what had that name keeps it until then. */
static int keep(const char *path, const char *name)
{
	char beside[PATH_MAX + 32];
	int err = 0;

	snprintf(beside, sizeof(beside), "%s.%ld", name, (long)getpid());
	if (link(path, beside))
		return errno;
	if (rename(beside, name))
		err = errno;
	unlink(beside);		/* it is there still if both were one file before */
	return err;
}

/* Puts the bytes in a new file beside the old one, and gives it that one's name. */
static int put_beside(const struct file_place *place, const char *data, size_t len, const char *old)
{
	char beside[PATH_MAX + 8];
	int fd, err;

	snprintf(beside, sizeof(beside), "%s.XXXXXX", place->path);
	fd = mkstemp(beside);
	if (fd < 0)
		return errno;
	err = -file_write_fd(fd, data, len);
	if (!err && (fchmod(fd, place->mode) || fsync(fd)))
		err = errno;
	if (close(fd) && !err)
		err = errno;
	if (!err && old && place->kind == FILE_THERE)
		err = keep(place->path, old);
	if (!err && rename(beside, place->path))
		err = errno;
	if (err)
		unlink(beside);
	return err;
}

/* The same, to the end: Ctrl-C comes when the new file has its name, and leaves none without. */
static int put_file(const struct file_place *place, const char *data, size_t len, const char *old)
{
	sigset_t ends, before;
	int err;

	sigemptyset(&ends);
	sigaddset(&ends, SIGHUP);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, &before);
	err = put_beside(place, data, len, old);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

const char *file_put(const struct file_place *place, const char *data, size_t len,
		     const char *old)
{
	int fd, err;

	if (place->kind == FILE_STDOUT) {
		err = fflush(stdout) ? errno : -file_write_fd(STDOUT_FILENO, data, len);
	} else if (place->kind == FILE_STREAM) {
		fd = open(place->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		if (fd < 0)
			return strerror(errno);
		err = -file_write_fd(fd, data, len);
		if (close(fd) && !err)
			err = errno;
	} else {
		err = put_file(place, data, len, old);
	}
	return err ? strerror(err) : NULL;
}

const char *file_write(const char *name, const char *data, size_t len)
{
	struct file_place place;
	const char *why = file_find(name, &place);

	return why ? why : file_put(&place, data, len, NULL);
}
