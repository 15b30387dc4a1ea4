// SPDX-License-Identifier: GPL-2.0
/*
 * The identity of a client: read from /proc when it connects. The caller holds a pidfd of the process and
 * looks afterwards whether it still lives, so that the number was not another process's meanwhile.
 *
 * A user chooses the name of a process, and the path of a program of its own. Only uid, and a
 * cgroup that is not delegated, are credentials (docs/threat-model.md).
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tg/record.h>

#include "identity.h"

#define CGROUPS	"/sys/fs/cgroup"

static bool read_comm(u32 pid, char comm[TG_COMM_LEN])
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(comm, TG_COMM_LEN, f))
		*comm = '\0';
	comm[strcspn(comm, "\n")] = '\0';
	fclose(f);
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
	char line[TG_RECORD_STRINGS + 8], path[64], *found = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "0::/", 4))
			found = strdup(line + 3);
	}
	if (f)
		fclose(f);
	return found;
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
