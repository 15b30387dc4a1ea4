/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dry run: no job is delayed, and a model shows what the policy would have done.
 *
 * While the knob dry_run is 1, `fifo` is in force: every submission goes at once and is accounted.
 * The policy that was in force, or is chosen meanwhile, decides about the same submissions in a
 * second tg_gpu, the model. The model has its own clock, which follows the real one. A job arrives
 * in the model when it really arrived. From its FREE to the hardware, and on the hardware, it takes
 * as long as it really took. So the model's clock stands still as long as the job that the model
 * runs has not really completed. When the model frees a job, the core reports the job's wait
 * (TG_ACT_WOULD) and adds it to its client's sums.
 *
 * What the model cannot know: a program that waits for one group before it sends the next would
 * have sent later. For loads that come by the clock, predictions are close. For programs that send
 * as fast as they can, waits grow until TG_DRY_QUEUE groups wait in the model; groups beyond these
 * are not modelled. Policies whose mode is not ASK are not modelled either.
 *
 * All of it is inside tg_gpu_feed(), under the GPU's lock: docs/dry-run.md.
 */
#ifndef TG_DRY_H
#define TG_DRY_H

#include <tg/gpu.h>

#define TG_DRY_JOBS	1024	/* jobs in the model */
#define TG_DRY_QUEUE	64	/* of them, of one client */
#define TG_DRY_CLIENTS	128	/* clients that are modelled */
#define TG_DRY_CHANNELS	256	/* their channels */
#define TG_DRY_BITS	8	/* of the model's tables */

/**
 * enum tg_dry_state - where a job is in the model
 * @TG_DRY_ARRIVED: the model's clock has not come to its arrival
 * @TG_DRY_WAITS: in the model's queues
 * @TG_DRY_FREED: on the model's hardware
 */
enum tg_dry_state { TG_DRY_ARRIVED, TG_DRY_WAITS, TG_DRY_FREED };

/**
 * struct tg_dry_job - one job in the model
 * @core: the model's
 * @link: in tg_dry.spare, .arrived, .waits or .freed
 * @state: enum tg_dry_state
 * @real: the job that it stands for; NULL: that one has ended
 * @id: number
 * @client: number
 * @channel: number
 * @engine: index of the engine that runs it
 * @arrived: when
 * @submitted: when, by the model's clock
 * @predicted: x, as the real client's history has it
 * @freed: when, by the model's clock
 * @delay: from the real job's FREE to its start, ns
 * @used: time that the real job took, ns; negative: not known yet
 */
struct tg_dry_job {
	struct tg_job core;
	struct list_head link;
	u8 state, engine;
	struct tg_job *real;
	u64 id;
	u32 client, channel;
	s64 arrived, submitted, predicted, freed, delay, used;
};

/**
 * struct tg_dry - a GPU's model and the memory for it
 * @model: the state machine; its now is the model's clock
 * @out: receives the model's actions
 * @gpu: the real GPU
 * @armed: when the model wants TIMER; TG_NEVER: it does not
 * @last: when each engine of the model's hardware completed its latest job
 * @spare: unused jobs
 * @arrived: in order of arrival
 * @waits: likewise
 * @freed: in the order in which the model freed them
 * @job: memory
 * @client: memory
 * @channel: memory
 * @reserve: memory
 * @sharer: memory
 * @jobs: tables of @model
 * @clients: likewise
 * @channels: likewise
 */
struct tg_dry {
	struct tg_gpu model;
	struct tg_actions out;
	struct tg_gpu *gpu;
	s64 armed;
	s64 last[TG_ENGINES_MAX];
	struct list_head spare, arrived, waits, freed;
	struct tg_dry_job job[TG_DRY_JOBS];
	struct tg_client client[TG_DRY_CLIENTS];
	struct tg_channel channel[TG_DRY_CHANNELS];
	struct tg_reserve reserve[TG_DRY_CLIENTS];
	struct tg_sharer sharer[TG_DRY_CLIENTS];
	struct tg_job *jobs[1 << TG_DRY_BITS];
	struct tg_client *clients[1 << TG_DRY_BITS];
	struct tg_channel *channels[1 << TG_DRY_BITS];
};

#endif /* TG_DRY_H */
