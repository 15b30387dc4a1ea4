// SPDX-License-Identifier: GPL-2.0
/*
 * Which users may read and write below /sys/kernel/timegraph.
 *
 * Called by the show and store functions of the other files here, in the thread that reads or
 * writes, under no lock.
 *
 * Writing takes CAP_SYS_ADMIN: the root of a container does not have it. A file that changes with
 * the clients of other users takes tgk_may_see_all(). The folders of clients lie in the folder
 * `private`, whose mode hides even how many there are; the files that count for all clients refuse
 * to be read.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/uidgid.h>

#include "sysfs.h"

/* Writes end in a newline or do not. */
size_t tgk_trimmed(const char *buf, size_t len)
{
	while (len && isspace(buf[len - 1]))
		len--;
	return len;
}

bool tgk_may_write(void)
{
	return capable(CAP_SYS_ADMIN);
}

u32 tgk_own_uid(void)
{
	return from_kuid(&init_user_ns, current_euid());
}

/**
 * tgk_may_see_all() - may the current process know of the clients of all users?
 *
 * Context: process.
 *
 * Return: it has CAP_PERFMON, or root has made all clients public; otherwise it may know of those
 * of its own user.
 */
bool tgk_may_see_all(void)
{
	return READ_ONCE(tgk_public) || perfmon_capable();
}
