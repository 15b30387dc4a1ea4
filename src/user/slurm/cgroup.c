// SPDX-License-Identifier: GPL-2.0
/*
 * Which cgroup the tasks of a step are in.
 *
 * Where Slurm itself makes cgroups of version 2 (proctrack/cgroup with cgroup/v2), it is the step's:
 * a path that ends with job_JOB/step_STEP, and all below. Elsewhere it is one of ours at the top of
 * the hierarchy, named after the step. It has no limits, so it changes nothing of what
 * Slurm does by cgroups of version 1, by process group or by the table of processes. Slurm may
 * lose processes then; when their job has ended on this node, its epilog ends them by the cgroup,
 * since Slurm gives what they hold to the next job.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/spank.h>

#include "lib/cgroup.h"
#include "slurm.h"

#define OURS		"/timegraph-slurm-"
#define END_TRIES	40	/* for processes that were killed to be gone */
#define END_US		50000

/* This process's path in the hierarchy of version 2; false: there is none, or it is too long. */
static bool own_path(char path[LINE_PATH])
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[LINE_PATH + 8];
	bool found = false;
	size_t len;

	while (f && !found && fgets(line, sizeof(line), f)) {
		len = strcspn(line, "\n");
		found = !strncmp(line, "0::/", 4) && line[len] && len - 3 < LINE_PATH;
		if (found)
			snprintf(path, LINE_PATH, "%.*s", (int)len - 3, line + 3);
	}
	if (f)
		fclose(f);
	return found;
}

/* Is it a cgroup of Slurm's for this step? Then @l has a glob of it. */
static bool is_slurms(const char *path, struct line *l)
{
	const char *step = strchr(l->name, '-') + 1;
	char part[LINE_NAME + 16];
	const char *at, *end;

	snprintf(part, sizeof(part), "/job_%u/step_%s", l->job, step);
	at = strstr(path, part);
	end = at ? at + strlen(part) : NULL;
	if (!at || (*end && *end != '/') || strpbrk(path, " \t\"*?:,#"))
		return false;
	return snprintf(l->cgroup, sizeof(l->cgroup), "%.*s/*", (int)(end - path), path) <
	       (int)sizeof(l->cgroup);
}

static bool enter(const char *dir)
{
	char name[LINE_PATH + 96];
	bool ok;
	int fd;

	snprintf(name, sizeof(name), "%s/cgroup.procs", dir);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && write(fd, "0", 1) == 1;
	if (fd >= 0)
		close(fd);
	return ok;
}

bool step_enter(struct line *l, char why[LINE_WHY])
{
	const char *root = cgroup_root();
	char path[LINE_PATH], dir[128];

	if (!root || !own_path(path)) {
		snprintf(why, LINE_WHY, "the node has no cgroup v2");
		return false;
	}
	if (is_slurms(path, l))
		return true;
	snprintf(l->cgroup, sizeof(l->cgroup), OURS "%s", l->name);
	snprintf(dir, sizeof(dir), "%s" OURS "%s", root, l->name);
	if ((mkdir(dir, 0755) && errno != EEXIST) || !enter(dir)) {
		snprintf(why, LINE_WHY, "cannot enter the cgroup %s: %s", dir, strerror(errno));
		rmdir(dir);
		return false;
	}
	return true;
}

/* The folder that a glob stands for. */
static bool folder(const char *glob, char dir[LINE_PATH + 64])
{
	const char *root = cgroup_root(), *star = strchr(glob, '*');
	int len = star ? (int)(star - glob) - 1 : (int)strlen(glob);

	return root && len > 0 && len < LINE_PATH &&
	       snprintf(dir, LINE_PATH + 64, "%s%.*s", root, len, glob) > 0;
}

bool step_over(const char *glob)
{
	char dir[LINE_PATH + 64];

	return !folder(glob, dir) || cgroup_over(dir);
}

void step_remove(const char *glob)
{
	char dir[LINE_PATH + 64];

	if (!strncmp(glob, OURS, strlen(OURS)) && folder(glob, dir))
		rmdir(dir);
}

/* Ends all processes of a cgroup of ours, and removes it. From Linux 5.14 on. */
static void end_cgroup(const char *root, const char *name)
{
	char dir[LINE_NAME + 80], path[LINE_NAME + 96];
	int fd, i;

	snprintf(dir, sizeof(dir), "%s/%.48s", root, name);
	snprintf(path, sizeof(path), "%s/cgroup.kill", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "1", 1) != 1)
		slurm_error("timegraph: cannot end what %s left: %s", name, strerror(errno));
	if (fd >= 0)
		close(fd);
	for (i = 0; i < END_TRIES && !cgroup_over(dir); i++)
		usleep(END_US);
	rmdir(dir);
}

void step_end_job(uint32_t job)
{
	const char *root = cgroup_root();
	DIR *dir = root ? opendir(root) : NULL;
	struct dirent *at;
	char part[48];

	snprintf(part, sizeof(part), "%s%u-", OURS + 1, job);
	while (dir && (at = readdir(dir)))
		if (!strncmp(at->d_name, part, strlen(part)))
			end_cgroup(root, at->d_name);
	if (dir)
		closedir(dir);
}
