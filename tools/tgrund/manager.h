/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tgrund asks of others on the bus: systemd for a scope, polkit for leave; and D-Bus, who it
 * is that asks. Called by main.c.
 */
#ifndef TGRUND_MANAGER_H
#define TGRUND_MANAGER_H

#include <stdbool.h>
#include <sys/types.h>
#include <systemd/sd-bus.h>

#include "tgctl/lines.h"

/** manager_caller() - the user who has sent this message; false: that connection has gone */
bool manager_caller(sd_bus_message *m, uid_t *uid);

/**
 * manager_allows() - does polkit allow the sender of this message that action?
 *
 * Without polkit nobody but root may. Return: false with @why.
 */
bool manager_allows(sd_bus_message *m, uid_t uid, const char *action, char why[256]);

/** manager_name() - fill in the cgroup that the line's slot has */
void manager_name(struct run_line *line);

/**
 * manager_move() - have systemd move a process into a scope of its own
 * @pidfd: of the process
 * @pid: its number
 * @line: whose, and the first slot to try: the first one whose scope has no process is filled in, and
 *	its cgroup
 * @why: why not
 *
 * Return: the process is there, and lives.
 */
bool manager_move(int pidfd, pid_t pid, struct run_line *line, char why[256]);

#endif /* TGRUND_MANAGER_H */
