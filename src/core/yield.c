// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that can end early: which are to do so, and when.
 *
 * A program whose kernel runs for ever (GLoop) can suspend it, and submit the rest as another job.
 * JOIN says so of its client. The host is told once for each such job (TG_ACT_YIELD):
 *
 *	by the policy, where a turn is over and another client waits, or one of higher priority
 *	does (tg_yield());
 *	by the core, when it has used the budget that its reserve had as it began, which it would
 *	overdraw for as long as it runs;
 *	by the core, when half of its deadline (job_deadline_us) has passed, so that a kernel which
 *	may run for ever is not lost, and under a policy without turns others come to theirs;
 *	by the core, when a policy leaves and the GPU is drained;
 *	by the core, when the engine is wedged, until a job is over: the first one in flight, and
 *	each that passes, of which no policy knows.
 *
 * A job that does not end nevertheless is lost at its deadline, as any other. Where a host was so
 * late that one is lost first, it is still to end: it would run beside others for ever.
 *
 * Called by policies, engine.c and job.c, under the GPU's lock.
 */
#include "job.h"
#include "yield.h"

static void end_early(struct tg_gpu *gpu, struct tg_job *job)
{
	struct tg_action action = {
		.kind = TG_ACT_YIELD, .client = job->client->id, .job = job->id, .host = job->host,
	};

	if (job->ending || tg_job_waits(job))
		return;
	job->ending = true;
	gpu->out->emit(gpu->out, &action);
}

void tg_yield(struct tg_gpu *gpu, struct tg_client *client)
{
	const struct tg_channel *ch;
	struct tg_job *job;

	for (ch = client->yields ? client->channels : NULL; ch; ch = ch->next)
		list_for_each_entry(job, &ch->jobs, sibling)
			end_early(gpu, job);
}

void tg_yield_starts(struct tg_job *job)
{
	const struct tg_reserve *r = job->reserve;

	/* Behind other gates reserves have no effect. */
	if (job->client->gate != TG_GATE_ASK || tg_reserve_unlimited(r))
		job->allowed = TG_NEVER;
	else
		job->allowed = r->budget > 0 ? r->budget : 0;
}

s64 tg_yield_due(const struct tg_gpu *gpu, const struct tg_engine *engine)
{
	const struct tg_job *job = list_first_entry(&engine->busy, struct tg_job, wait);

	if (list_empty(&engine->busy) || !job->client->yields || job->ending)
		return TG_NEVER;
	if (engine->wedged || gpu->handover == TG_HANDOVER_DRAIN)
		return gpu->now;
	return tg_after(max(job->since, engine->last_done),
			min(job->allowed, gpu->knob[TG_KNOB_DEADLINE] / 2));
}

void tg_yield_now(struct tg_gpu *gpu, struct tg_job *job)
{
	if (job->client->yields)
		end_early(gpu, job);
}

void tg_yield_expire(struct tg_gpu *gpu, const struct tg_engine *engine)
{
	if (tg_yield_due(gpu, engine) <= gpu->now)
		end_early(gpu, list_first_entry(&engine->busy, struct tg_job, wait));
}
