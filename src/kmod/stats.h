/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters of the module, files under stats/.
 */
#ifndef TGK_STATS_H
#define TGK_STATS_H

#include <linux/atomic.h>

/**
 * enum tgk_stat - counters of the module, files under stats/
 */
enum tgk_stat {
	TGK_STAT_SUBMITTED,	/* submissions to GPUs that we schedule, each counted once */
	TGK_STAT_OPEN,		/* of them: through an open gate */
	TGK_STAT_BYPASSED,	/* of them: past the gate, reported later */
	TGK_STAT_WAITED,	/* of them: had to sleep */
	TGK_STAT_PASSED,	/* of them: past the gate: unknown channel, unloading */
	TGK_STAT_FENCE_WAITED,	/* EXECs that had to sleep for another's fence, before anything */
	TGK_STAT_PARKED,	/* sleeps that a signal interrupted */
	TGK_STAT_RESUMED,	/* of them: came back in time */
	TGK_STAT_CANCELLED,	/* submissions given up before nouveau saw them */
	TGK_STAT_FAILED,	/* submissions that left no fence */
	TGK_STAT_COMPLETED,	/* fences that signalled */
	TGK_STAT_CLOCK_NOTICED,	/* of them, by enum tg_done: by the interrupt */
	TGK_STAT_CLOCK_EXACT,	/* by the GPU's own clock */
	TGK_STAT_CLOCK_BY,	/* by a later group's time */
	TGK_STAT_CLOCK_FORGED,	/* by the interrupt, since from now on the time is not believed */
	TGK_STAT_LOST,		/* notes, see enum tg_note */
	TGK_STAT_REPAIRED,
	TGK_STAT_RECOVERED,
	TGK_STAT_OVERLAPS,
	TGK_STAT_EJECTED,
	TGK_STAT_DRAIN_CUT,
	TGK_STAT_NOT_ADMITTED,
	TGK_STAT_OVERLONG,
	TGK_STAT_VRAM_REQUESTS,	/* requests for VRAM */
	TGK_STAT_VRAM_WAITED,	/* of them: had to sleep */
	TGK_STAT_VRAM_REFUSED,	/* of them: refused by us */
	TGK_STAT_VRAM_LATE,	/* of these: after their timeout */
	TGK_STAT_VRAM_DEADLOCK,	/* of these: since holders waited for each other */
	TGK_STAT_VRAM_AGAIN,	/* calls of the driver repeated that it had refused with -ENOMEM */
	TGK_STATS
};

extern atomic64_t tgk_stats[TGK_STATS];

static inline void tgk_count(enum tgk_stat stat)
{
	atomic64_inc(&tgk_stats[stat]);
}

#endif /* TGK_STATS_H */
