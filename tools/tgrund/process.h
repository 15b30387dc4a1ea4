/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that a caller wants in a scope: is it the caller's, and which is it? Called by
 * tgrund's main.c.
 */
#ifndef TGRUND_PROCESS_H
#define TGRUND_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * process_alive() - number of the process of a pidfd
 *
 * A process whose first thread is a zombie keeps its number, but the kernel moves that thread to no
 * cgroup any more: it counts as over.
 *
 * Return: the number; 0: it is over, or this is no pidfd.
 */
pid_t process_alive(int pidfd);

/**
 * process_cgroup() - the cgroup v2 of a process
 * @pid: the process
 * @path: where its path goes
 * @size: room
 *
 * Return: false: it has gone, or has none, or one too long.
 */
bool process_cgroup(pid_t pid, char *path, size_t size);

/**
 * process_check() - may this user have that process moved?
 * @pidfd: of the process, from the caller
 * @uid: the caller
 * @pid: the process
 * @why: why not
 *
 * All four of its user numbers are the caller's, so it is no set-uid program. It is in the user's
 * own slice, where the scope comes to be, too: so it leaves no limit behind that root has set for
 * a service. Root may have any process moved.
 */
bool process_check(int pidfd, uid_t uid, pid_t *pid, char why[256]);

#endif /* TGRUND_PROCESS_H */
