/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where cgroup v2 is, and whether a cgroup has processes. Reads files, keeps nothing.
 */
#ifndef TOOLS_CGROUP_H
#define TOOLS_CGROUP_H

#include <stdbool.h>

#define CGROUP_ROOT	"/sys/fs/cgroup"	/* where it is as a rule */

/** cgroup_root() - where the hierarchy of version 2 is mounted; NULL: nowhere */
const char *cgroup_root(void);

/** cgroup_over() - is the cgroup of this folder gone, or without a process, itself and all below? */
bool cgroup_over(const char *dir);

#endif
