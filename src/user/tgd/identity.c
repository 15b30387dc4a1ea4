// SPDX-License-Identifier: GPL-2.0
/*
 * The identity of a client: read from /proc when it connects. The caller holds a pidfd of the process and
 * looks afterwards whether it still lives, so that the number was not another process's meanwhile.
 *
 * A user chooses the name of a process, and the path of a program of its own. Only uid, and a
 * cgroup that is not delegated, are credentials (docs/threat-model.md).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tg/record.h>

#include "identity.h"

#define CGROUPS	"/sys/fs/cgroup"

/* The beginning of /proc/PID/NAME, up to @size - 1 bytes. Return: false: it cannot be read. */
static bool read_proc(u32 pid, const char *name, char *text, size_t size)
{
	ssize_t len = 0, got;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while ((got = read(fd, text + len, size - 1 - len)) > 0)
		len += got;
	close(fd);
	text[len] = '\0';
	return !got;
}

static bool read_comm(u32 pid, char comm[TG_COMM_LEN])
{
	char text[64];

	if (!read_proc(pid, "comm", text, sizeof(text)))
		return false;
	snprintf(comm, TG_COMM_LEN, "%.*s", (int)strcspn(text, "\n"), text);
	return true;
}

/* The path; NULL: it cannot be read, as that of another user's process. */
static char *read_exe(u32 pid)
{
	char path[64], exe[TG_RECORD_STRINGS];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	len = readlink(path, exe, sizeof(exe) - 1);
	if (len < 0)
		return NULL;
	exe[len] = '\0';
	return strdup(exe);
}

/* The path in the unified hierarchy, or NULL. */
static char *read_cgroup(u32 pid)
{
	static char text[64 << 10];		/* the other hierarchies, a dozen, come first */
	char *line = text, *end;

	if (!read_proc(pid, "cgroup", text, sizeof(text)))
		return NULL;
	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		if (!strncmp(line, "0::/", 4))
			return strdup(line + 3);
		line = end + 1;
	}
	return NULL;
}

/* How much of @cgroup names cgroups that the user may neither rename nor enter; 0: all. */
static u32 undelegated(const char *cgroup, u32 uid)
{
	char path[sizeof(CGROUPS) + TG_RECORD_STRINGS];
	const char *end = cgroup;
	struct stat st;

	while (end && *end) {
		const char *next = strchr(end + 1, '/');
		int len = next ? (int)(next - cgroup) : (int)strlen(cgroup);

		snprintf(path, sizeof(path), CGROUPS "%.*s", len, cgroup);
		if (!uid || stat(path, &st) || st.st_uid != uid)
			end = next;
		else
			return max((int)(end - cgroup), 1);
	}
	return 0;
}

/**
 * identity_read() - fill in what is known of a process
 * @id: the result; identity_free() when done
 * @pid: its number
 * @uid: its user, from the socket
 *
 * Return: false: there is no such process.
 */
bool identity_read(struct tg_identity *id, u32 pid, u32 uid)
{
	memset(id, 0, sizeof(*id));
	id->pid = pid;
	id->uid = uid;
	id->payer = uid;
	if (!read_comm(pid, id->comm))
		return false;
	id->exe = read_exe(pid);
	id->cgroup = read_cgroup(pid);
	if (id->cgroup)
		id->undelegated = undelegated(id->cgroup, uid);
	return true;
}

void identity_free(struct tg_identity *id)
{
	free((char *)id->exe);
	free((char *)id->cgroup);
	id->exe = NULL;
	id->cgroup = NULL;
}
