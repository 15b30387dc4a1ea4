// SPDX-License-Identifier: GPL-2.0
/*
 * cgroup v2: see cgroup.h.
 */
#include "cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *cgroup_root(void)
{
	static const char *const places[] = { CGROUP_ROOT, CGROUP_ROOT "/unified" };
	char name[64];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s/cgroup.controllers", places[i]);
		if (!access(name, F_OK))
			return places[i];
	}
	return NULL;
}

bool cgroup_over(const char *dir)
{
	char name[4096], line[64];
	bool over = true;
	FILE *events;

	if ((size_t)snprintf(name, sizeof(name), "%s/cgroup.events", dir) >= sizeof(name))
		return false;
	events = fopen(name, "re");
	if (!events)
		return errno == ENOENT;
	while (fgets(line, sizeof(line), events))
		over &= strcmp(line, "populated 1\n") != 0;
	fclose(events);
	return over;
}
