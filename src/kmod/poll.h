/* SPDX-License-Identifier: GPL-2.0 */
/*
 * poll.c: which channel a GPU works for, read from its registers.
 */
#ifndef TGK_POLL_H
#define TGK_POLL_H

#include <linux/list.h>
#include <linux/types.h>

struct device;
struct tg_policy;
struct tgk_chip;
struct tgk_driver;
struct tgk_gpu;

#define TGK_POLL_PAGES	2	/* of BAR0, that are read at most */

/**
 * struct tgk_poll - what the poller keeps of one GPU
 * @node: in the poller's list
 * @chip: how to read it, NULL: it cannot be read; constant while in the list
 * @page: mapped pages; constant while in the list
 * @id: chip identification; constant
 * @until: end of the phase that TG_ACT_POLL has begun, 0: none; written under tgk_gpu.lock, read
 *	without
 * @gap: mean distance of its readings, ns; likewise
 * @stops: how often a phase was called off; likewise
 * @stopped: of these, how many the thread knows of; poll.c's mutex, as all below
 * @on: a phase is under way
 * @begun: since when
 * @last: latest reading
 * @next: when the next one is due
 * @chid: what the latest reading showed
 * @run: time that belongs to it, since it has shown this
 * @runner: client that the run is of, 0: none of ours
 * @submitted: by that one, when the run began, or when groups were last @missed
 * @missed: groups in this run whose end was not seen
 * @least: shortest distance of two dense readings so far, 0: there were none
 * @seed: of the readings' distances
 * @others: time of channels that are no client's, in this phase; tgk_gpu.lock, as all below
 * @others_runs: runs of theirs
 * @total: length of all phases
 * @phases: their number
 */
struct tgk_poll {
	struct list_head node;
	const struct tgk_chip *chip;
	void __iomem *page[TGK_POLL_PAGES];
	u32 id;
	s64 until, gap;
	u32 stops, stopped;
	bool on;
	s64 begun, last, next;
	u32 chid;
	s64 run;
	u32 runner, missed;
	u64 submitted;
	s64 least;
	u32 seed;
	s64 others;
	u32 others_runs;
	u64 total, phases;
};

int tgk_poll_init(void);
void tgk_poll_exit(void);
void tgk_poll_attach(struct tgk_gpu *gpu);
u32 tgk_chip_engines(const struct tgk_driver *driver, u32 id);
void tgk_poll_detach(struct tgk_gpu *gpu);
bool tgk_poll_able(const struct tgk_gpu *gpu, const struct tg_policy *policy);
void tgk_poll_until(struct tgk_gpu *gpu, s64 until, u32 gap);
void tgk_poll_slept(struct tgk_gpu *gpu, s64 ns);
u64 tgk_poll_cpu_time(void);
unsigned int tgk_poll_cpu_default(void);
u64 tgk_poll_readings(void);
unsigned int tgk_poll_cpu(void);
int tgk_poll_bind(unsigned int nr);

#endif /* TGK_POLL_H */
