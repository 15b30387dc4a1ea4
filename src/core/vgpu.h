/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Virtual GPUs: vgpu.c.
 */
#ifndef TG_CORE_VGPU_H
#define TG_CORE_VGPU_H

#include <tg/policy.h>

void tg_vgpus_init(struct tg_gpu *gpu);
void tg_vgpus_spec(struct tg_gpu *gpu);
void tg_vgpus_like(struct tg_gpu *gpu, const struct tg_gpu *other);
int tg_vgpu_event(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_vgpu_move(struct tg_gpu *gpu, struct tg_client *client, u8 vgpu);
u8 tg_vgpu_of(const struct tg_gpu *gpu, const struct tg_spec_entry *entry);

#endif /* TG_CORE_VGPU_H */
