// SPDX-License-Identifier: GPL-2.0
/*
 * The cgroup of the current process in the unified hierarchy, and which one above it is not
 * delegated: whose share it has under a policy that goes by cgroups.
 *
 * client.c calls it when a process becomes a client. Process context.
 */
#include <linux/cgroup.h>
#include <linux/kernfs.h>
#include <linux/uidgid.h>

#include "cgroup.h"

/*
 * What kernfs keeps of a node's owner, if that is not root: the beginning of its struct
 * kernfs_iattrs since 5.1, which no header of the kernel's shows. Were it another one, cgroups
 * would seem to be delegated that are not, and would have their shares with the one above them.
 */
struct owner {
	kuid_t uid;
	kgid_t gid;
};

/* May a user write to this file or folder of the cgroup file system? The caller has a reference. */
static bool granted(const struct kernfs_node *kn)
{
	const struct owner *owner = (const struct owner *)READ_ONCE(kn->iattr);

	if (kn->mode & 0002 || (owner && !uid_eq(owner->uid, GLOBAL_ROOT_UID)))
		return true;
	return kn->mode & 0020 && owner && !gid_eq(owner->gid, GLOBAL_ROOT_GID);
}

/* May a user put processes into the cgroup? Its file may go at any time, with the cgroup. */
static bool may_enter(const struct cgroup *cgrp)
{
	struct kernfs_node *procs = kernfs_find_and_get(cgrp->kn, "cgroup.procs");
	const bool may = procs && granted(procs);

	kernfs_put(procs);
	return may;
}

/* May a user put processes into the cgroup, or make cgroups in it? */
static bool delegated(const struct cgroup *cgrp)
{
	return granted(cgrp->kn) || may_enter(cgrp);
}

/*
 * The current process's cgroup, referenced. A reference keeps those above it, too, and the folder
 * of each. The process may be moved at any time, and its old cgroup then go.
 */
static struct cgroup *get_own(void)
{
	struct cgroup *own;

	rcu_read_lock();
	while (!cgroup_tryget(own = task_dfl_cgroup(current)))
		cpu_relax();
	rcu_read_unlock();
	return own;
}

/**
 * tgk_cgroup_path() - the path of the current process's cgroup
 * @buf: room for it
 * @len: its bytes
 * @undelegated: how many bytes of the path are that of the nearest cgroup that is not delegated;
 *	0: none
 *
 * A path that is too long is cut to that one: a user makes cgroups as deep as it likes.
 *
 * Context: process; sleeps.
 *
 * Return: the path's length; negative or not below @len: none.
 */
int tgk_cgroup_path(char *buf, int len, u16 *undelegated)
{
	struct cgroup *own = get_own(), *above;
	int ret, most;

	for (above = own; cgroup_parent(above) && delegated(above);)
		above = cgroup_parent(above);
	most = cgroup_path(above, buf, len);
	ret = above == own ? most : cgroup_path(own, buf, len);
	if (ret < 0 || ret >= len)
		ret = cgroup_path(above, buf, len);
	cgroup_put(own);
	*undelegated = ret < 0 || ret >= len ? 0 : most;
	return ret;
}
