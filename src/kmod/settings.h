/* SPDX-License-Identifier: GPL-2.0 */
/*
 * settings.c: what is in force for all GPUs.
 */
#ifndef TGK_SETTINGS_H
#define TGK_SETTINGS_H

#include <linux/rwsem.h>
#include <linux/wait.h>

#include "tgk.h"

extern u32 tgk_policy;			/* tgk_mutex */
extern s64 tgk_knobs[TG_KNOBS];		/* tgk_mutex to write */
extern s64 tgk_policy_knobs[TG_KNOBS_MAX];	/* tgk_mutex */
extern u32 tgk_foreground;		/* tgk_mutex to write */
extern struct tgk_spec *tgk_spec;	/* tgk_mutex or tgk_spec_sem to read, both to write */
extern struct rw_semaphore tgk_spec_sem;
extern wait_queue_head_t tgk_settled;

/**
 * struct tgk_spec - the spec in force
 * @spec: parsed
 * @len: bytes of text
 * @text: as it was written
 */
struct tgk_spec {
	struct tg_spec spec;
	u32 len;
	char *text;
};

int tgk_set_policy(u32 nr);
void tgk_gpu_settle(struct tgk_gpu *gpu);
int tgk_set_spec(struct tgk_spec *spec, bool rematch, struct tg_spec_error *err);
int tgk_set_knob(int policy, u32 nr, s64 value);
s64 tgk_knob_default(u32 nr);
void tgk_set_foreground(u32 pid);
bool tgk_policy_settled(void);
void tgk_settings_init(u32 policy, bool dry);
void tgk_spec_free(struct tgk_spec *spec);
int tgk_gpu_set_knob(struct tgk_gpu *gpu, int policy, u32 nr, s64 value);

#endif /* TGK_SETTINGS_H */
