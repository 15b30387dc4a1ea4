/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model of a dry run: dry.c.
 */
#ifndef TG_CORE_DRY_H
#define TG_CORE_DRY_H

#include <tg/dry.h>

void tg_dry_begin(struct tg_gpu *gpu, const struct tg_policy *policy);
void tg_dry_restart(struct tg_gpu *gpu, const struct tg_policy *policy);
void tg_dry_end(struct tg_gpu *gpu);
void tg_dry_event(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_dry_knob(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_dry_started(struct tg_gpu *gpu, const struct tg_job *job);
void tg_dry_over(struct tg_gpu *gpu, struct tg_job *job, s64 used);

#endif /* TG_CORE_DRY_H */
