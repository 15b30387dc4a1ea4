/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroup.c: the cgroup of the current process.
 */
#ifndef TGK_CGROUP_H
#define TGK_CGROUP_H

#include <linux/types.h>

int tgk_cgroup_path(char *buf, int len, u16 *undelegated);

#endif /* TGK_CGROUP_H */
