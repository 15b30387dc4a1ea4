/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Engines: the policy's picks, and what has expired: engine.c.
 */
#ifndef TG_CORE_ENGINE_H
#define TG_CORE_ENGINE_H

#include <tg/policy.h>

void tg_engines_run(struct tg_gpu *gpu);
void tg_engines_expire(struct tg_gpu *gpu);
void tg_engines_watch(struct tg_gpu *gpu);
s64 tg_engines_wake(const struct tg_gpu *gpu);

/* When the job at the head of the engine passes its deadline. */
static inline s64 tg_engine_deadline(const struct tg_gpu *gpu, const struct tg_engine *engine)
{
	const struct tg_job *job;

	if (engine->wedged || list_empty(&engine->busy))
		return TG_NEVER;
	job = list_first_entry(&engine->busy, struct tg_job, wait);
	return tg_after(max(job->since, engine->last_done), gpu->knob[TG_KNOB_DEADLINE]);
}

#endif /* TG_CORE_ENGINE_H */
