/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core's files share among themselves. Policies do not see it.
 *
 * gpu.c	tables, pools, tg_gpu_feed(), the next wake-up
 * client.c	join, leave, matching, reserves' membership
 * job.c	every arrow of a job's life, and what a budget's change moves
 * engine.c	pick loop, deadlines, starvation
 * predict.c	what a group will cost (tg/predict.h)
 * turns.c	a token that goes to one client at a time
 * vgpu.c	virtual GPUs: which there are, who belongs to them
 * vqueue.c	two levels, for policies that go by virtual GPUs
 * poll.c	poll phases, and what they have seen
 * handover.c	policy switch, drain, ejection
 * memory.c	the books of memory, and who waits for it
 * dry.c	the model of a dry run
 *
 * All of it runs inside tg_gpu_feed(), under the GPU's lock.
 */
#ifndef TG_CORE_H
#define TG_CORE_H

#include <tg/policy.h>

/* gpu.c */
void tg_emit(struct tg_gpu *gpu, enum tg_action_kind kind, const struct tg_client *client,
	     const struct tg_job *job, u32 arg);
void tg_client_hash(struct tg_gpu *gpu, struct tg_client *client);
void tg_client_unhash(struct tg_gpu *gpu, struct tg_client *client);
void tg_channel_hash(struct tg_gpu *gpu, struct tg_channel *channel);
void tg_channel_unhash(struct tg_gpu *gpu, struct tg_channel *channel);

/* client.c */
int tg_client_join(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_client_leave(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_client_engines(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_client_spec(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_client_prio(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_client_foreground(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_channel_over(struct tg_gpu *gpu, struct tg_channel *channel);
void tg_client_tell_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate);
void tg_client_settle(struct tg_gpu *gpu, struct tg_client *client);
void tg_client_idle(struct tg_gpu *gpu, struct tg_client *client);
int tg_client_idle_event(struct tg_gpu *gpu, const struct tg_event *ev);
const struct tg_spec_entry *tg_client_entry(const struct tg_gpu *gpu,
					    const struct tg_client *client);
void tg_client_cut(struct tg_gpu *gpu, struct tg_client *client);
void tg_reserve_unused(struct tg_gpu *gpu, struct tg_reserve *reserve);

/* job.c */
int tg_job_submit(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_job_went(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_job_cancel(struct tg_gpu *gpu, u64 id);
int tg_job_started(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_job_refused(struct tg_gpu *gpu, u64 id);
int tg_job_done(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_job_free(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_pass(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_abandon(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_lost(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_overlap(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_over(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_throttle(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_line_up(struct tg_gpu *gpu, struct tg_job *job);
void tg_job_disown(struct tg_gpu *gpu, struct tg_job *job);
void tg_jobs_turn(struct tg_gpu *gpu, struct tg_channel *ch);
void tg_jobs_place(struct tg_gpu *gpu, struct tg_client *client, u8 prio, u8 vgpu);
void tg_job_move(struct tg_gpu *gpu, struct tg_job *job, struct tg_reserve *reserve);
void tg_reserve_review(struct tg_gpu *gpu, struct tg_reserve *reserve);

/* vgpu.c */
void tg_vgpus_init(struct tg_gpu *gpu);
void tg_vgpus_spec(struct tg_gpu *gpu);
void tg_vgpus_like(struct tg_gpu *gpu, const struct tg_gpu *other);
int tg_vgpu_event(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_vgpu_move(struct tg_gpu *gpu, struct tg_client *client, u8 vgpu);
u8 tg_vgpu_of(const struct tg_gpu *gpu, const struct tg_spec_entry *entry);

/* poll.c */
int tg_poll_sample(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_poll_stop(struct tg_gpu *gpu);
void tg_poll_expire(struct tg_gpu *gpu);
s64 tg_poll_wake(const struct tg_gpu *gpu);

/* engine.c */
void tg_engines_run(struct tg_gpu *gpu);
void tg_engines_expire(struct tg_gpu *gpu);
void tg_engines_watch(struct tg_gpu *gpu);
void tg_gpu_pass_all(struct tg_gpu *gpu, u8 engines);
s64 tg_engines_wake(const struct tg_gpu *gpu);

/* memory.c */
int tg_memory_size(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_memory_ask(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_memory_cancel(struct tg_gpu *gpu, u64 id);
int tg_memory_free(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_memory_run(struct tg_gpu *gpu);
s64 tg_memory_wake(const struct tg_gpu *gpu);
void tg_memory_join(struct tg_gpu *gpu, struct tg_client *client, u32 id);
void tg_memory_leave(struct tg_gpu *gpu, struct tg_client *client);
bool tg_memory_fits(const struct tg_gpu *gpu, const struct tg_client *client, u64 bytes);
void tg_memory_promise(struct tg_gpu *gpu, struct tg_client *client, u64 bytes);
void tg_memory_spec(struct tg_gpu *gpu);
void tg_memory_init(struct tg_gpu *gpu);
void tg_memory_share(struct tg_gpu *gpu);
void tg_memory_disband(struct tg_gpu *gpu, u8 vgpu);
void tg_memory_follow(struct tg_gpu *gpu, const struct tg_client *client);
const char *tg_memory_check(const struct tg_gpu *gpu);

/* handover.c */
int tg_policy_switch(struct tg_gpu *gpu, u64 nr);
int tg_policy_knob(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_policy_begin(struct tg_gpu *gpu, const struct tg_policy *policy);
void tg_policy_eject(struct tg_gpu *gpu, enum tg_note why);
void tg_drain_review(struct tg_gpu *gpu);

/* A knob of the core as tg_gpu.knob has it: times in ns, shares as in struct tg_reserve. */
static inline s64 tg_knob_value(u32 nr, s64 value)
{
	switch (nr) {
	case TG_KNOB_RECORDS:
	case TG_KNOB_DRY:
	case TG_KNOB_VRAM_ORDER:
		return value;
	case TG_KNOB_ADMISSION:
		return value * (TG_SHARE_ALL / 100);
	default:
		return value * TG_USEC;
	}
}

/* dry.c */
void tg_dry_begin(struct tg_gpu *gpu, const struct tg_policy *policy);
void tg_dry_restart(struct tg_gpu *gpu, const struct tg_policy *policy);
void tg_dry_end(struct tg_gpu *gpu);
void tg_dry_event(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_dry_knob(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_dry_started(struct tg_gpu *gpu, const struct tg_job *job);
void tg_dry_over(struct tg_gpu *gpu, struct tg_job *job, s64 used);

/*
 * The tables: chained buckets in the host's memory. Numbers count up, so their low bits spread
 * them evenly.
 */
static inline u32 tg_bucket(const struct tg_gpu *gpu, u64 nr)
{
	return nr & gpu->bucket_mask;
}

/* What points at the job of that number, or at the NULL where its chain ends. */
static inline struct tg_job **tg_job_link(const struct tg_gpu *gpu, u64 id)
{
	struct tg_job **link = &gpu->buckets.jobs[tg_bucket(gpu, id)];

	while (*link && (*link)->id != id)
		link = &(*link)->hash;
	return link;
}

static inline struct tg_job *tg_job_find(const struct tg_gpu *gpu, u64 id)
{
	return *tg_job_link(gpu, id);
}

static inline u32 tg_channel_bucket(const struct tg_gpu *gpu, u32 client, u32 channel)
{
	return tg_bucket(gpu, client + ((u64)channel << 3) - channel);
}

static inline struct tg_channel *tg_channel_find(const struct tg_gpu *gpu, u32 client, u32 channel)
{
	struct tg_channel *ch = gpu->buckets.channels[tg_channel_bucket(gpu, client, channel)];

	while (ch && (ch->id != channel || ch->client->id != client))
		ch = ch->hash;
	return ch;
}

/* One user less: a client, or a job that is over. */
static inline void tg_reserve_put(struct tg_gpu *gpu, struct tg_reserve *r)
{
	if (--r->users == 0)
		tg_reserve_unused(gpu, r);
}

/* Are reserves enforced? Not where nobody asks, nor while a drain holds everything back. */
static inline bool tg_reserves_hold(const struct tg_gpu *gpu)
{
	return gpu->policy->mode == TG_GATE_ASK && !gpu->next_policy;
}

/* Does the client's reserve decide which of its jobs the policy sees? */
static inline bool tg_reserve_decides(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return client->gate == TG_GATE_ASK && tg_reserves_hold(gpu);
}

/* Is the job waiting (and so in its reserve's list)? */
static inline bool tg_job_waits(const struct tg_job *job)
{
	return job->state == TG_JOB_THROTTLED || job->state == TG_JOB_QUEUED;
}

/* The first engine of a mask. */
static inline struct tg_engine *tg_engine_first(struct tg_gpu *gpu, u32 mask)
{
	return &gpu->engine[__builtin_ctz(mask)];
}

/* The engines that a job needs, one after the other. */
#define tg_job_for_each_engine(gpu, job, engine)	\
	for (u32 mask = (job)->engines;			\
	     mask && ((engine) = tg_engine_first(gpu, mask), true); mask &= mask - 1)

/* The engine that keeps a job's accounts: the first that it names. */
static inline struct tg_engine *tg_job_engine(struct tg_gpu *gpu, const struct tg_job *job)
{
	return tg_engine_first(gpu, job->engines);
}

/* When the job at the head of the engine passes its deadline. */
static inline s64 tg_engine_deadline(const struct tg_gpu *gpu, const struct tg_engine *engine)
{
	const struct tg_job *job;

	if (engine->wedged || list_empty(&engine->busy))
		return TG_NEVER;
	job = list_first_entry(&engine->busy, struct tg_job, wait);
	return tg_after(max(job->since, engine->last_done), gpu->knob[TG_KNOB_DEADLINE]);
}

#endif /* TG_CORE_H */
