// SPDX-License-Identifier: GPL-2.0
/*
 * Actions of tgctl top on a client. Called by top_screen.c.
 *
 * A signal goes to the process that the client is of, and to no other: the number of a process may
 * be another one's by now. So the process is opened first, then the module is read again: if it
 * still has that client with that number, what was opened is the client's process.
 */
#include "top_act.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"
#include "snapshot.h"
#include "sysfs.h"

#define INIT_PID_NS	"pid:[4026531836]"	/* PROC_PID_INIT_INO */

void top_act_prio(const struct tg_snap_client *c, unsigned int prio, char *said, size_t size)
{
	char file[32], value[16];
	int err;

	snprintf(file, sizeof(file), "clients/%u/prio", c->id);
	snprintf(value, sizeof(value), "%u", prio);
	err = sysfs_write_value(file, value);
	if (!err)
		snprintf(said, size, "client %u has priority %u", c->id, prio);
	else if (err == -EACCES || err == -EPERM)
		snprintf(said, size, "the priority is root's to set");
	else if (err == -ENOENT || err == -ENODEV)
		snprintf(said, size, "client %u has gone", c->id);
	else
		snprintf(said, size, "cannot set the priority: %s", strerror(-err));
}

/* Are the numbers of processes here those that the kernel knows them by? */
static bool in_first_namespace(void)
{
	char ns[32];
	ssize_t n = readlink("/proc/self/ns/pid", ns, sizeof(ns) - 1);

	if (n < 0)
		return false;
	ns[n] = '\0';
	return !strcmp(ns, INIT_PID_NS);
}

static bool is_still_there(const struct tg_snap_client *c)
{
	const struct tg_snap_client *now;
	struct snapshot snap;
	bool found = false;
	u32 i;

	if (!snapshot_read(&snap))
		return false;
	for (i = 0; i < snap.head.nr_clients && !found; i++) {
		now = snapshot_client(&snap, i);
		found = now->id == c->id && now->pid == c->pid && now->state != TG_STATE_LEFT;
	}
	free(snap.data);
	return found;
}

void top_act_signal(const struct tg_snap_client *c, int signal, char *said, size_t size)
{
	const struct tg_snap_client client = *c;
	int fd;

	if (!in_first_namespace() && !getenv("TG_SYSFS")) {
		snprintf(said, size, "not from within a pid namespace: numbers differ there");
		return;
	}
	fd = syscall(SYS_pidfd_open, client.pid, 0);
	if (fd < 0 || !is_still_there(&client)) {
		snprintf(said, size, "process %u has gone", client.pid);
	} else if (syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0)) {
		snprintf(said, size, "cannot signal process %u: %s", client.pid, strerror(errno));
	} else {
		snprintf(said, size, "process %u was sent SIG%s", client.pid, sigabbrev_np(signal));
	}
	if (fd >= 0)
		close(fd);
}

void top_act_why(const struct tg_snap_client *c)
{
	const char *host = host_is_user() ? "user" : "kernel";
	char id[16];
	pid_t pid;

	snprintf(id, sizeof(id), "%u", c->id);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", "tgctl", "--host", host, "why", id, (char *)NULL);
		_exit(TGCTL_FAILED);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
