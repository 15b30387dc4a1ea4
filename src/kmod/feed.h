/* SPDX-License-Identifier: GPL-2.0 */
/*
 * feed.c: events in, actions out.
 */
#ifndef TGK_FEED_H
#define TGK_FEED_H

#include "tgk.h"

void tgk_feed_gpu(struct tgk_gpu *gpu);
int tgk_feed(struct tgk_gpu *gpu, struct tg_event *ev);
void tgk_feed_locking(struct tgk_gpu *gpu, struct tg_event *ev);
void tgk_report_bypassed(struct tgk_gpu *gpu);
u32 tgk_wake_all(struct tgk_gpu *gpu);

#endif /* TGK_FEED_H */
