/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /etc/timegraph.limits: what ordinary users may have by `tgctl run`, and whether a request keeps
 * within it. Pure functions: no I/O, no allocation, no global state. Called by tgrund's main.c.
 */
#ifndef TGRUND_LIMITS_H
#define TGRUND_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "tgctl/lines.h"

#define LIMITS_FILE	"/etc/timegraph.limits"
#define LIMITS_SCOPES	64	/* at most, of one user */

/**
 * struct limits - one line of the file
 * @line: its number, from 1; 0: no limit holds, for root
 * @prio: highest priority
 * @percent: what the reserves of one user may add up to, C/T of each
 * @mem: VRAM that one scope may have set aside for each of its processes
 * @scopes: how many at once
 * @vgpus: names of the virtual GPUs that it may use, a blank after each
 */
struct limits {
	unsigned int line;
	int prio;
	unsigned int percent;
	u64 mem;
	unsigned int scopes;
	char vgpus[512];
};

/** limits_is - is the user this one (@group: in this group)? @name is a name or a number */
typedef bool limits_is(bool group, const char *name, void *arg);

/**
 * limits_find() - the first line that is about the user
 * @text: the file
 * @len: its bytes
 * @is: asked for each line, until it says yes
 * @arg: for @is
 * @limits: the line
 * @why: what is wrong with the file, and where
 *
 * All of the file is checked, whichever line it is.
 *
 * Return: 1: @limits; 0: no line is about the user; -1: @why.
 */
int limits_find(const char *text, size_t len, limits_is *is, void *arg, struct limits *limits,
		char why[256]);

/**
 * limits_check() - does a request keep within the limits?
 * @limits: of the user
 * @line: the request: as it came, but for its strings, which end. A priority that it does not name is
 *	filled in, and its slot
 * @others: the lines of the user's other scopes that run
 * @nr: how many
 * @why: the limit that it exceeds, or what is wrong with it
 *
 * Return: may it be?
 */
bool limits_check(const struct limits *limits, struct run_line *line, const struct run_line *others,
		  int nr, char why[256]);

#endif /* TGRUND_LIMITS_H */
