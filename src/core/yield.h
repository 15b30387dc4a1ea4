/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs that can end early: yield.c.
 */
#ifndef TG_CORE_YIELD_H
#define TG_CORE_YIELD_H

#include <tg/policy.h>

/* @job, whose client can end it early, begins. */
void tg_yield_starts(struct tg_job *job);
/* When the first job of the engine is to end early, under any policy; TG_NEVER: it need not. */
s64 tg_yield_due(const struct tg_gpu *gpu, const struct tg_engine *engine);
/* @job passes a wedged engine, or is lost: it is to end at once, if it can. */
void tg_yield_now(struct tg_gpu *gpu, struct tg_job *job);
/* Say so, if that is due. */
void tg_yield_expire(struct tg_gpu *gpu, const struct tg_engine *engine);

#endif /* TG_CORE_YIELD_H */
