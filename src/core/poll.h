/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Poll phases: poll.c.
 */
#ifndef TG_CORE_POLL_H
#define TG_CORE_POLL_H

#include <tg/policy.h>

int tg_poll_sample(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_poll_stop(struct tg_gpu *gpu);
void tg_poll_expire(struct tg_gpu *gpu);
s64 tg_poll_wake(const struct tg_gpu *gpu);

#endif /* TG_CORE_POLL_H */
