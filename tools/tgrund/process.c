// SPDX-License-Identifier: GPL-2.0
/*
 * Which process a pidfd means, and whose it is: see process.h. Reads /proc. A number that was read
 * of a pidfd means the same process for as long as process_alive() says that number.
 */
#include "process.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The rest of the line of a file of /proc that begins with @key. */
static bool read_key(const char *file, const char *key, char *value, size_t size)
{
	const size_t len = strlen(key);
	bool found = false;
	char line[4352];
	FILE *f = fopen(file, "re");

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		found = !strncmp(line, key, len) && strlen(line + len) < size;
		if (found)
			strcpy(value, line + len);
	}
	if (f)
		fclose(f);
	return found;
}

/* Of another descriptor, what stands behind "Pid:" might be the caller's choice. */
static bool is_pidfd(int fd)
{
	char file[64], what[64];
	ssize_t len;

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	len = readlink(file, what, sizeof(what) - 1);
	what[len < 0 ? 0 : len] = '\0';
	/* Since 6.9 they have a file system of their own. */
	return !strcmp(what, "anon_inode:[pidfd]") || !strncmp(what, "pidfd:[", 7);
}

pid_t process_alive(int pidfd)
{
	char file[64], value[64];
	int pid;

	if (!is_pidfd(pidfd))
		return 0;
	snprintf(file, sizeof(file), "/proc/self/fdinfo/%d", pidfd);
	if (!read_key(file, "Pid:", value, sizeof(value)) || sscanf(value, "%d", &pid) != 1 || pid <= 0)
		return 0;
	snprintf(file, sizeof(file), "/proc/%d/status", pid);
	return read_key(file, "State:\t", value, sizeof(value)) && !strchr("ZX", *value) ? pid : 0;
}

bool process_cgroup(pid_t pid, char *path, size_t size)
{
	char file[64];

	snprintf(file, sizeof(file), "/proc/%d/cgroup", pid);
	return read_key(file, "0::", path, size);
}

static bool owned(pid_t pid, uid_t uid)
{
	char file[64], value[128];
	unsigned int id[4];
	int i;

	snprintf(file, sizeof(file), "/proc/%d/status", pid);
	if (!read_key(file, "Uid:", value, sizeof(value)) ||
	    sscanf(value, "%u %u %u %u", &id[0], &id[1], &id[2], &id[3]) != 4)
		return false;
	for (i = 0; i < 4; i++)
		if (id[i] != uid)
			return false;
	return true;
}

bool process_check(int pidfd, uid_t uid, pid_t *pid, char why[256])
{
	char slice[64], path[4096];

	*pid = process_alive(pidfd);
	*why = '\0';
	if (*pid && uid) {
		snprintf(slice, sizeof(slice), "/user.slice/user-%u.slice/", uid);
		if (!owned(*pid, uid))
			strcpy(why, "process: not yours, or a set-uid program");
		else if (!process_cgroup(*pid, path, sizeof(path)) || strncmp(path, slice, strlen(slice)))
			snprintf(why, 256, "process: not in a session of yours (%s)", slice);
	}
	if (!*pid || process_alive(pidfd) != *pid)
		strcpy(why, "process: over, or not given by its pidfd");
	return !*why;
}
