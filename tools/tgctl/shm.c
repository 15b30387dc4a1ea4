// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl shm: the segments of shared device memory in this IPC namespace that the user owns or has
 * made, root's view: all of them. Called by main.c through its table of verbs.
 */
#include "shm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <uapi/tgshm.h>

#include "host.h"
#include "table.h"

static void cell(struct table *table, const char *format, unsigned long long value)
{
	char text[32];

	table_add(table, text, snprintf(text, sizeof(text), format, value));
}

static const char *state(const struct tgshm_stat *stat)
{
	return stat->mode & TGSHM_DEST ? "removed" : stat->mode & TGSHM_VOLATILE ? "volatile" : "";
}

static void add(struct table *table, const struct tgshm_stat *stat)
{
	cell(table, "%llu", stat->id);
	cell(table, "0x%08llx", (unsigned int)stat->key);
	cell(table, "%llu", stat->uid);
	cell(table, "%llu", stat->gid);
	cell(table, "%03llo", stat->mode & 0777);
	cell(table, "%llu", stat->size);
	cell(table, "%llu", stat->nattch);
	cell(table, "%llu", stat->cpid);
	table_add(table, state(stat), strlen(state(stat)));
}

enum tgctl_status tgctl_shm(const struct tgctl_args *args)
{
	static const char *const heads[] = {
		"ID", "KEY", "UID", "GID", "MODE", "BYTES", "ATTACHED", "MADE_BY", "STATE",
	};
	struct table table = { .align = "rlrrrrrrl" };
	struct tgshm_stat stat = { 0 };
	int fd, error;
	size_t i;

	if (host_is_user()) {
		tgctl_error("tgd shares no memory, the kernel module does");
		return TGCTL_FAILED;
	}
	fd = open(TGSHM_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		if (errno == EACCES)
			tgctl_error("%s is for root and the group render", TGSHM_DEVICE);
		else
			tgctl_error("cannot open %s: %s; modprobe timegraph", TGSHM_DEVICE, strerror(errno));
		return TGCTL_FAILED;
	}
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		table_add(&table, heads[i], strlen(heads[i]));
	while (!ioctl(fd, TGSHM_IOC_NEXT, &stat)) {
		add(&table, &stat);
		stat = (struct tgshm_stat){ .id = stat.id % TGSHM_SLOTS + 1 };
	}
	error = errno;
	close(fd);
	if (error != ENOENT) {
		tgctl_error("%s does not list its segments: %s", TGSHM_DEVICE, strerror(error));
		return TGCTL_FAILED;
	}
	table_print(&table);
	return TGCTL_OK;
}
