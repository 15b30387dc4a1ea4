/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sleep.c: a card that is away, and the core's clock while the system sleeps.
 */
#ifndef TGK_SLEEP_H
#define TGK_SLEEP_H

#include <linux/types.h>

struct tgk_gpu;

/**
 * struct tgk_sleep - the system's sleep, as the core's clock goes
 * @since: when it fell asleep, by ktime_get_ns(), 0: it is awake
 * @woke: when it woke last
 * @last: how long the last sleep was
 * @sum: how long all were, but for the present one
 */
struct tgk_sleep {
	s64 since, woke, last, sum;
};

bool tgk_card_get(const struct tgk_gpu *gpu);
void tgk_card_put(const struct tgk_gpu *gpu);
s64 tgk_core_time(const struct tgk_gpu *gpu, s64 at);
void tgk_sleep_begin(void);
void tgk_sleep_end(void);

#endif /* TGK_SLEEP_H */
