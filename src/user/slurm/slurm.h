/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The SPANK plugin for Slurm: what its files share. docs/slurm.md is its manual.
 *
 * A step of a job that asked for tgmem or tgtime has a line in the specification of the node's tgd:
 *
 *	cgroup=/timegraph-slurm-77-0 : prt : pe : * : 25000us : 100000us : reserve=slurm-77, mem=... # slurm 77-0
 *
 * The text in force is the only record of these lines. Each change takes away those whose cgroup has
 * no process any more.
 */
#ifndef TG_SLURM_H
#define TG_SLURM_H

#include <stdbool.h>
#include <stdint.h>

#define LINE_NAME	32	/* bytes of struct line's name */
#define LINE_PATH	1024	/* of a cgroup's path */
#define LINE_WHY	256	/* of a sentence that says why not */

/**
 * struct line - the line of one step
 * @name: JOB-STEP
 * @cgroup: glob of its tasks' cgroup
 * @job: number; the reserve is slurm-JOB, which all steps of a job share
 * @percent: of the device's time; 0: none asked for
 * @mem: bytes for each of its processes; 0: none asked for
 */
struct line {
	char name[LINE_NAME], cgroup[LINE_PATH];
	uint32_t job, percent;
	uint64_t mem;
};

/* --- cgroup.c: called in slurmstepd, or in a task before it executes its program, as root --- */

/**
 * step_enter() - the cgroup of this task's step, which this task enters if it is not Slurm's own
 * @l: its name is read, its cgroup is filled in
 * @why: receives a reason
 */
bool step_enter(struct line *l, char why[LINE_WHY]);

/** step_over() - has the cgroup that a line names no process any more? */
bool step_over(const char *glob);

/** step_remove() - remove the cgroup that a line names, if it is ours and empty */
void step_remove(const char *glob);

/** step_end_job() - end processes that a job has left in cgroups of ours, and remove these */
void step_end_job(uint32_t job);

/* --- spec.c: likewise --- */

/**
 * spec_lock() - one plugin on a node changes the specification at a time
 * @socket: of tgd
 *
 * Return: a descriptor, to be closed; -1: errno says why; ETIMEDOUT: others have it.
 */
int spec_lock(const char *socket);

/** spec_mark() - note that a job has, or had, a line on this node */
void spec_mark(const char *socket, uint32_t job);

/** spec_unmark() - was that noted? It is not any more */
bool spec_unmark(const char *socket, uint32_t job);

/**
 * spec_change() - take lines away, and add one
 * @socket: of tgd
 * @name: a line of this name goes, or if it has no '-', all lines of this job; NULL: none
 * @add: NULL: none
 * @why: receives a reason
 *
 * The caller holds spec_lock(). Programs that run keep what they have, but for those whose lines
 * go while their cgroup has processes.
 */
bool spec_change(const char *socket, const char *name, const struct line *add, char why[LINE_WHY]);

/* --- account.c: at the end of a step, and in the job's epilog --- */

/**
 * account_read() - how much of the GPU's time a job has used on this node
 * @socket: of tgd
 * @job: its number
 * @ns: receives it
 *
 * Return: false: no program of the job's has been a client of that tgd, or it does not answer.
 */
bool account_read(const char *socket, uint32_t job, int64_t *ns);

/**
 * account_note() - write that into the job's record, or say why not
 * @job: its number
 * @node: Slurm's name of this node; NULL: as the host
 * @ns: what it has used
 * @over: nobody comes after who could write, or say, it
 */
void account_note(uint32_t job, const char *node, int64_t ns, bool over);

#endif /* TG_SLURM_H */
