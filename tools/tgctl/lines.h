/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lines of `tgctl run` in the specification in force: one for each cgroup that it has made,
 * above all others, with a mark at its end. The text in force is the only record of them: run.c
 * adds and removes them without systemd, tgrund with it, and `load` and `save` know them.
 *
 * A line whose cgroup has no process is over, and goes with the next change that one of these makes.
 */
#ifndef TGCTL_LINES_H
#define TGCTL_LINES_H

#include <tg/spec.h>

#include "tgctl.h"

#define LINES_NAME	"timegraph-run-"	/* of a cgroup: this, UID-SLOT, and what systemd adds */
#define LINES_RESERVE	"run-%u-%u"		/* of its reserve: UID-SLOT */
#define LINES_CGROUP	128			/* bytes of a path, and a NUL */

/**
 * struct run_line - one line of `tgctl run`
 * @cgroup: path as the module sees it
 * @uid: whose
 * @slot: number beside the others of that user, from 1
 * @prio: TG_PRIO_MIN to TG_PRIO_MAX, -1: not said
 * @capacity: of the reserve that its processes share, ns; 0: Background
 * @period: its T
 * @mem: VRAM that is set aside for each of its processes; 0: none
 * @vgpu: name of a virtual GPU, or empty
 */
struct run_line {
	char cgroup[LINES_CGROUP];
	u32 uid, slot;
	int prio;
	s64 capacity, period;
	u64 mem;
	char vgpu[TG_NAME_LEN];
};

/** lines_root() - where cgroup v2 is mounted, or NULL after a message */
const char *lines_root(void);

/** lines_over() - is the cgroup gone, or without a process? Silent */
bool lines_over(const char *cgroup);

/**
 * lines_read() - the lines in force
 * @lines: what there is; the caller frees it
 *
 * Return: how many, or -1 after a message.
 */
int lines_read(struct run_line **lines);

/**
 * lines_change() - add one line, and take away others, in one step
 * @add: what to add, or NULL. It replaces a line of the same cgroup
 * @over: which lines go; lines_over() as a rule
 *
 * Running clients keep what they have. If nothing changes, nothing is written.
 *
 * Return: false, after a message.
 */
bool lines_change(const struct run_line *add, bool (*over)(const char *cgroup));

/**
 * lines_take() - would what is in force take this change of lines_change()?
 *
 * Return: false, after a message.
 */
bool lines_take(const struct run_line *add, bool (*over)(const char *cgroup));

/**
 * lines_carry() - a text that is to replace the one in force, and the lines that run
 * @name: what messages call the new text
 * @text: the new text
 * @len: its bytes
 * @size: bytes of the result
 *
 * Return: what to put in force, which the caller frees; NULL after a message.
 */
char *lines_carry(const char *name, const char *text, size_t len, size_t *size);

/** lines_strip() - take all lines of `tgctl run` out of a text. Return: the bytes that are left */
size_t lines_strip(char *text, size_t len);

#endif /* TGCTL_LINES_H */
