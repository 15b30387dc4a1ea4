/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sysfs: binary attributes, in their functions and in groups.
 *
 * 6.16 made the attribute that they get const.
 */
#ifndef TGK_WRAP_SYSFS_H
#define TGK_WRAP_SYSFS_H

#include <linux/sysfs.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define TGK_BIN_ATTR	const struct bin_attribute
#else
#define TGK_BIN_ATTR	struct bin_attribute
#endif

#endif /* TGK_WRAP_SYSFS_H */
