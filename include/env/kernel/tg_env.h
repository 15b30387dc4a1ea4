/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core's environment inside the kernel.
 *
 * src/core includes this one header for everything that is not the core's own: integer
 * types, lists, the red-black tree, division, string helpers, errno values. Which of the
 * two tg_env.h is found is decided by the -I order, never by #if. A name that the core uses
 * must exist in both, with the same meaning.
 */
#ifndef TG_ENV_H
#define TG_ENV_H

#include <linux/types.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>
#include <linux/string.h>
#include <linux/build_bug.h>
#include <linux/container_of.h>
#include <linux/kernel.h>

#endif /* TG_ENV_H */
