/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The simulated hardware: engines that serve channels in turn. Called by the host (run.c), which is
 * called back when work is done. One thread.
 */
#ifndef TGS_GPU_H
#define TGS_GPU_H

#include "evq.h"

/**
 * struct tgs_work - a group on the hardware
 * @channel: where it was put
 * @cost: time that it needs
 * @left: of it
 * @link: in its channel
 */
struct tgs_work {
	struct tgs_hw_channel *channel;
	s64 cost, left;
	struct list_head link;
};

/**
 * struct tgs_hw_channel - a queue of groups, served in order
 * @engine: that serves it
 * @works: groups, the first may be running
 * @ring: in tgs_hw_engine.ring while there are any
 */
struct tgs_hw_channel {
	struct tgs_hw_engine *engine;
	struct list_head works, ring;
};

/**
 * struct tgs_hw_engine - serves its channels in turn
 * @q: timers
 * @finish: the current turn ends
 * @ring: channels with work; the one that is being served comes first
 * @last: the channel that was served last
 * @running: the channel that is being served, NULL: idle
 * @since: when it started to work for @running, after the switch
 * @switch_cost: time from one channel to another
 * @slice: a turn; 0: one group
 * @busy: time worked
 * @switching: time between channels
 * @switches: how many
 * @ran: called after each stretch of work
 * @done: called when a group is finished
 * @host: for these
 */
struct tgs_hw_engine {
	struct tgs_evq *q;
	struct tgs_timer finish;
	struct list_head ring;
	struct tgs_hw_channel *last, *running;
	s64 since, switch_cost, slice, busy, switching;
	u64 switches;
	void (*ran)(void *host, struct tgs_work *work, s64 from, s64 to);
	void (*done)(void *host, struct tgs_work *work, s64 now);
	void *host;
};

/** tgs_hw_engine_init() - an idle engine; the caller fills in what is its own before */
void tgs_hw_engine_init(struct tgs_hw_engine *e);
void tgs_hw_channel_init(struct tgs_hw_channel *c, struct tgs_hw_engine *engine);
/** tgs_hw_submit() - ring the doorbell: @work is @channel's last now */
void tgs_hw_submit(struct tgs_hw_channel *channel, struct tgs_work *work, s64 now);
/** tgs_hw_stop() - end of the simulation: account for the turn that is under way */
void tgs_hw_stop(struct tgs_hw_engine *e, s64 now);

#endif /* TGS_GPU_H */
