/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Virtual GPUs: vgpu.c.
 */
#ifndef TG_CORE_VGPU_H
#define TG_CORE_VGPU_H

#include <tg/policy.h>

void tg_vgpus_init(struct tg_gpu *gpu);
bool tg_vgpus_fit(const struct tg_gpu *gpu, const struct tg_spec *spec);
void tg_vgpus_spec(struct tg_gpu *gpu);
void tg_vgpus_like(struct tg_gpu *gpu, const struct tg_gpu *other);
int tg_vgpu_event(struct tg_gpu *gpu, const struct tg_event *ev);
void tg_vgpu_move(struct tg_gpu *gpu, struct tg_client *client, u8 vgpu);
void tg_vgpu_leave(struct tg_gpu *gpu, const struct tg_client *client);
u8 tg_vgpu_of(const struct tg_gpu *gpu, const struct tg_spec_entry *entry);

/* Has the client's virtual GPU been removed, and the client has yet to move out of its place? */
static inline bool tg_vgpu_gone(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return client->vgpu_term != gpu->vgpu[client->vgpu].term;
}

/* The virtual GPU that the client belongs to. */
static inline u8 tg_vgpu_now(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return tg_vgpu_gone(gpu, client) ? 0 : client->vgpu;
}

#endif /* TG_CORE_VGPU_H */
