// SPDX-License-Identifier: GPL-2.0
/*
 * The module's files in sysfs: reading, writing, and one line that explains why one of them cannot
 * be read or written. Called by every verb that needs the module. Where the host is the user's, the
 * same names come from tgd (host.c).
 */
#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uapi/timegraph.h>

#include "host.h"
#include "lib/file.h"
#include "tgctl.h"
#include "version.h"

static const char *root(void)
{
	const char *dir = getenv("TG_SYSFS");

	return dir && *dir ? dir : TIMEGRAPH_SYSFS;
}

bool sysfs_loaded(void)
{
	struct stat st;

	return host_is_user() ? host_loaded() : !stat(root(), &st);
}

const char *sysfs_path(const char *name)
{
	static char *path;
	const char *at = host_is_user() ? host_path() : root();
	size_t size = strlen(at) + strlen(name) + 2;

	path = tgctl_alloc(path, size);
	snprintf(path, size, "%s%c%s", at, host_is_user() ? ':' : '/', name);
	return path;
}

void sysfs_explain(const char *verb, const char *name, int err)
{
	if (!sysfs_loaded() && host_is_user() && host_why())
		tgctl_error("%s", host_why());
	else if (!sysfs_loaded() && host_is_user() && *(getenv("TGD_SOCKET") ?: ""))
		tgctl_error("no tgd listens at TGD_SOCKET=%s: unset it, or start a program with the same one",
			    getenv("TGD_SOCKET"));
	else if (!sysfs_loaded() && host_is_user())
		tgctl_error("no tgd runs: it comes with the first program (tgctl run --host user)");
	else if (!sysfs_loaded() && host_is_neither())
		tgctl_error("timegraph is not loaded, and no tgd runs: modprobe timegraph, or tgctl run --host user");
	else if (!sysfs_loaded())
		tgctl_error("timegraph is not loaded: modprobe timegraph");
	else if (err == ETIMEDOUT && host_is_user())
		host_tell_silence();
	else if (err == ENOENT && host_is_user())
		tgctl_error("tgd has no file '%s': only the kernel module has", name);
	else if (err == ENOENT)
		tgctl_error("%s is missing: the module and this tgctl (%s) differ in version",
			    sysfs_path(name), TIMEGRAPH_VERSION);
	else if (err == EACCES || err == EPERM)
		tgctl_error("cannot %s %s: %s; try as root", verb, sysfs_path(name),
			    strerror(err));
	else
		tgctl_error("cannot %s %s: %s", verb, sysfs_path(name), strerror(err));
}

int sysfs_open(const char *name, int flags)
{
	int fd = open(sysfs_path(name), flags | O_CLOEXEC);

	if (fd < 0)
		sysfs_explain((flags & O_ACCMODE) == O_RDONLY ? "read" : "write", name, errno);
	return fd;
}

bool sysfs_readable(const char *name)
{
	return host_is_user() ? host_loaded() : !access(sysfs_path(name), R_OK);
}

/* All of a file; NULL: errno says why. Silent. */
static char *read_whole(const char *name, size_t *len)
{
	if (host_is_user())
		return host_read(name, false, len);

	size_t used = 0, room = 8192;
	int fd = open(sysfs_path(name), O_RDONLY | O_CLOEXEC), retries = 100, err;
	char *data;
	ssize_t n;

	if (fd < 0)
		return NULL;
	data = tgctl_alloc(NULL, room);
	while ((n = read(fd, data + used, room - used - 1))) {
		if (n < 0 && errno == EINTR)
			continue;
		/*
		 * The module has dropped this snapshot for those of other readers: read a new one.
		 */
		if (n < 0 && errno == ESTALE && retries--) {
			lseek(fd, 0, SEEK_SET);
			used = 0;
			continue;
		}
		if (n < 0) {
			err = errno;
			close(fd);
			free(data);
			errno = err;
			return NULL;
		}
		used += n;
		if (used == room - 1) {
			room *= 2;
			data = tgctl_alloc(data, room);
		}
	}
	close(fd);
	data[used] = '\0';
	*len = used;
	return data;
}

char *sysfs_read(const char *name, size_t *len)
{
	size_t size;
	char *data = read_whole(name, len ?: &size);

	if (!data)
		sysfs_explain("read", name, errno);
	return data;
}

char *sysfs_read_listed(const char *name, bool *gone)
{
	size_t len;
	char *value = read_whole(name, &len);

	*gone = !value && (errno == ENOENT || errno == ENODEV);
	if (!value && !*gone)
		sysfs_explain("read", name, errno);
	if (value && len && value[len - 1] == '\n')
		value[len - 1] = '\0';
	return value;
}

char *sysfs_read_value(const char *name)
{
	bool gone;
	char *value = sysfs_read_listed(name, &gone);

	if (gone)
		sysfs_explain("read", name, errno);
	return value;
}

int sysfs_write_value(const char *name, const char *value)
{
	if (host_is_user())
		return host_write(name, value, strlen(value));

	int fd = open(sysfs_path(name), O_WRONLY | O_TRUNC | O_CLOEXEC);
	size_t size = strlen(value) + 2;
	char *line;
	int err;

	if (fd < 0)
		return -errno;
	line = tgctl_alloc(NULL, size);
	snprintf(line, size, "%s\n", value);
	err = file_write_fd(fd, line, size - 1);
	free(line);
	close(fd);
	return err;
}

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of tgd. */
static int list_host(const char *name, char ***names)
{
	char *text, *line;
	size_t len;
	int nr = 0;

	text = host_read(name, true, &len);
	if (!text) {
		sysfs_explain("read", name, errno);
		return -1;
	}
	*names = tgctl_alloc(NULL, (len / 2 + 2) * sizeof(**names));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		(*names)[nr] = tgctl_alloc(NULL, strlen(line) + 1);
		strcpy((*names)[nr++], line);
	}
	(*names)[nr] = NULL;
	free(text);
	qsort(*names, nr, sizeof(**names), by_bytes);
	return nr;
}

int sysfs_list(const char *name, char ***names)
{
	if (host_is_user())
		return list_host(name, names);

	struct dirent **entries;
	int nr = scandir(sysfs_path(name), &entries, no_dots, alphasort);
	int i;

	if (nr < 0) {
		sysfs_explain("read", name, errno);
		return -1;
	}
	*names = tgctl_alloc(NULL, (nr + 1) * sizeof(**names));
	for (i = 0; i < nr; i++) {
		(*names)[i] = tgctl_alloc(NULL, strlen(entries[i]->d_name) + 1);
		strcpy((*names)[i], entries[i]->d_name);
		free(entries[i]);
	}
	(*names)[nr] = NULL;
	free(entries);
	return nr;
}

bool sysfs_is_dir(const char *name)
{
	struct stat st;

	return !host_is_user() && !stat(sysfs_path(name), &st) && S_ISDIR(st.st_mode);
}
