/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The books of memory (VRAM), and the requests that wait for it: memory.c.
 */
#ifndef TG_CORE_MEMORY_H
#define TG_CORE_MEMORY_H

#include <tg/policy.h>

/* Events */
int tg_memory_size(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_memory_request(struct tg_gpu *gpu, const struct tg_event *ev);
int tg_memory_cancel(struct tg_gpu *gpu, u64 id);
int tg_memory_free(struct tg_gpu *gpu, const struct tg_event *ev);

/* Requests that wait */
enum tg_mem_order tg_memory_order(const struct tg_gpu *gpu, const struct tg_mem_part *part);
void tg_memory_run(struct tg_gpu *gpu);
s64 tg_memory_wake(const struct tg_gpu *gpu);
/* For tg_gpu_check(): could a request of the part be answered, and is none looked for? */
bool tg_memory_missed(const struct tg_gpu *gpu, const struct tg_mem_part *part);

/* Clients, and what their lines of the spec set aside */
void tg_memory_join(struct tg_gpu *gpu, struct tg_client *client, u32 id);
void tg_memory_leave(struct tg_gpu *gpu, struct tg_client *client);
bool tg_memory_fits(const struct tg_gpu *gpu, const struct tg_client *client, u64 bytes);
void tg_memory_promise(struct tg_gpu *gpu, struct tg_client *client, u64 bytes);
void tg_memory_forgo(struct tg_gpu *gpu);
void tg_memory_spec(struct tg_gpu *gpu);

/* The parts of virtual GPUs */
void tg_memory_init(struct tg_gpu *gpu);
void tg_memory_share(struct tg_gpu *gpu);
void tg_memory_disband(struct tg_gpu *gpu, u32 vgpu);
void tg_memory_follow(struct tg_gpu *gpu, const struct tg_client *client);

/* The part that the account is in: of its virtual GPU, or of the rest, if that has been removed. */
static inline u32 tg_mem_part_of(const struct tg_memory *mem, const struct tg_account *a)
{
	return a->term == mem->part[a->vgpu].term ? a->vgpu : 0;
}

#endif /* TG_CORE_MEMORY_H */
