/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The current process: which program it executes, its executable's file, namespaces and mappings.
 *
 * get_mm_exe_file() is not exported. 6.7 made get_file_rcu() a function that takes the pointer's
 * place, as files are freed without a grace period since. 6.18 renamed a namespace's count.
 */
#ifndef TGK_WRAP_TASK_H
#define TGK_WRAP_TASK_H

#include <linux/fs.h>
#include <linux/ipc_namespace.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define tgk_ipc_users(ipc)	refcount_read(&(ipc)->ns.__ns_ref)
#else
#define tgk_ipc_users(ipc)	refcount_read(&(ipc)->ns.count)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define vm_flags_set(vma, flags)	((vma)->vm_flags |= (flags))
#endif

/* Another number after each exec of the current process; the same in all its threads. */
static inline u64 tgk_exec_id(void)
{
	return current->self_exec_id;
}

/* The file that the current process executes, referenced, or NULL. Process context. */
static inline struct file *tgk_exe_file(void)
{
	struct file *file;

	if (!current->mm)
		return NULL;
	rcu_read_lock();
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
	file = get_file_rcu(&current->mm->exe_file);
#else
	file = rcu_dereference(current->mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
#endif
	rcu_read_unlock();
	return file;
}

#endif /* TGK_WRAP_TASK_H */
