/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scopes that tgrund tends: those with a line in the specification in force. Called by main.c.
 */
#ifndef TGRUND_SCOPES_H
#define TGRUND_SCOPES_H

#include <stdbool.h>
#include <sys/types.h>
#include <systemd/sd-bus.h>

#include "tgctl/lines.h"

/**
 * scopes_of() - the lines of a user's scopes that run
 * @uid: the user
 * @lines: what there is; the caller frees it
 *
 * Return: how many; -1: the module is not loaded, or its specification cannot be read.
 */
int scopes_of(uid_t uid, struct run_line **lines);

/** scopes_may_start() - has the user not started too many of late? @why says so */
bool scopes_may_start(uid_t uid, char why[256]);

/** scopes_take() - is there room for the line, before anything is moved for it? false with @why */
bool scopes_take(const struct run_line *line, char why[256]);

/** scopes_add() - add a line; false with @why */
bool scopes_add(const struct run_line *line, char why[256]);

/**
 * scopes_tend() - take away the lines of scopes that have been empty for long enough
 *
 * Return: ms until it is to be called again, or -1: there is no line.
 */
int scopes_tend(void);

/**
 * scopes_wait() - wait for a message, an end of a scope, or the time
 * @bus: the bus
 * @ms: how long
 *
 * Return: false: it was the time.
 */
bool scopes_wait(sd_bus *bus, int ms);

#endif /* TGRUND_SCOPES_H */
