/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core knows of a client, as the snapshot tells it (uapi/timegraph.h). The hosts, which
 * are the kernel module and tgd, fill in the rest.
 */
#ifndef TG_SNAP_H
#define TG_SNAP_H

#include <tg/gpu.h>
#include <uapi/timegraph.h>

/* Of a row that the core counts: copy it from struct tg_client c to struct tg_snap_client s. */
#define TG_SNAP_COPY_HOST(name)
#define TG_SNAP_COPY_STATS(name)	s->name = c->stats.name;
#define TG_SNAP_COPY_STATS32(name)	s->name = c->stats.name;
#define TG_SNAP_COPY(name, form, from, ...)	TG_SNAP_COPY_##from(name)

/**
 * tg_snap_grown() - what readers see of a time of a client or an engine, of which the core may take
 *	a part back. Prometheus takes a counter that falls for one that began at 0 again, and all
 *	that it ever counted for new.
 * @seen: what they have seen
 * @now: what it is
 *
 * Return: the larger one, which they have seen now.
 */
static inline s64 tg_snap_grown(s64 *seen, s64 now)
{
	*seen = max(*seen, now);
	return *seen;
}

/**
 * tg_snap_client() - a client's record, as far as the core knows it
 * @s: receives it; the rest of it is 0
 * @gpu: the GPU
 * @c: the client
 * @through: jobs in flight that went through an open gate, so that the core does not know them
 *
 * Not known here: pid, uid, gpu, comm, waits, latencies, predict_unreadable, and the part of
 * submitted that has gone through an open gate.
 *
 * Time: the client's channels, and its jobs that wait or have been freed and not yet begun.
 * Context: under the GPU's lock.
 */
static inline void tg_snap_client(struct tg_snap_client *s, const struct tg_gpu *gpu,
				  const struct tg_client *c, s64 through)
{
	const struct tg_account *account = tg_mem_account(&gpu->mem, c->account);
	u32 throttled = 0, lost = 0;
	const struct tg_channel *ch;
	const struct tg_job *job;

	memset(s, 0, sizeof(*s));
	TG_CLIENT_ROWS(TG_SNAP_COPY)
	for (ch = c->channels; ch; ch = ch->next) {
		/* In a channel, jobs that wait came last; a lost job precedes all that run. */
		list_for_each_entry_reverse(job, &ch->jobs, sibling) {
			if (job->state != TG_JOB_THROTTLED && job->state != TG_JOB_QUEUED)
				break;
			s->waiting++;
			throttled += job->state == TG_JOB_THROTTLED;
		}
		list_for_each_entry(job, &ch->jobs, sibling) {
			lost += job->state == TG_JOB_LOST;
			if (job->state != TG_JOB_FREED)
				break;
		}
	}
	s->inflight = c->inflight + through;
	s->state = !c->channels ? TG_STATE_LEFT :
		   lost ? TG_STATE_LOST : s->inflight ? TG_STATE_RUNNING :
		   throttled ? TG_STATE_THROTTLED : s->waiting ? TG_STATE_WAITING : TG_STATE_IDLE;
	s->id = c->id;
	memcpy(s->reserve_name, c->reserve->name, sizeof(s->reserve_name));
	s->sched = c->sched;
	s->resv = c->resv;
	s->prio = c->prio;
	s->line = c->matched;
	s->capacity = c->reserve->capacity;
	s->period = c->reserve->period;
	s->budget = tg_gpu_modelled(gpu, c)->reserve->budget;
	s->wait_time = c->stats.wait_reserve + c->stats.wait_policy;
	s->submitted = c->stats.submitted;
	memcpy(s->vgpu_name, gpu->vgpu[c->vgpu].name, sizeof(s->vgpu_name));
	if (c->history) {
		s->predict_hits = c->history->hits;
		s->predict_misses = c->history->misses;
		s->predict_error = tg_history_error(c->history);
	}
	if (account) {
		s->vram_waiting = account->waiting;
		s->vram = account->used;
		s->vram_peak = account->peak;
		s->vram_set_aside = tg_mem_promised(&gpu->mem, account);
		s->vram_waited = account->waited;
		s->vram_refused = account->refused;
		s->vram_wait_time = account->wait_time;
	}
}

#endif /* TG_SNAP_H */
