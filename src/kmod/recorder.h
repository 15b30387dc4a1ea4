/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder.c: the flight recorder of each GPU, and the copy that a stutter freezes.
 */
#ifndef TGK_RECORDER_H
#define TGK_RECORDER_H

#include <linux/types.h>

struct tg_wait;
struct tgk_gpu;

/* As tg_host_params has them; tgk_mutex to write */
extern u32 tgk_recorder_kib;
extern u32 tgk_stutter_us;

/* Under tgk_mutex. */
int tgk_recorder_attach(struct tgk_gpu *gpu);
void tgk_recorder_detach(struct tgk_gpu *gpu);
int tgk_set_recorder(u32 kib);

bool tgk_recorder_walk(struct tgk_gpu *gpu);
int tgk_waits_copy(void **data, size_t *len, u32 uid, bool all);
ssize_t tgk_waits_frozen(char *buf, loff_t off, size_t count);
void tgk_waits_thaw(void);
void tgk_recorder_exit(void);

#endif /* TGK_RECORDER_H */
