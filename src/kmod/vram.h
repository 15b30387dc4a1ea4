/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vram.c: the books of VRAM.
 */
#ifndef TGK_VRAM_H
#define TGK_VRAM_H

#include "tgk.h"

/**
 * struct tgk_request - a request for VRAM, or a submission that the driver has no memory for
 * @node: in tgk_gpu.requests, .due_requests or .parked_requests, or in none; tgk_gpu.lock
 * @task: the thread, referenced; constant
 * @object: what it is for, NULL: a submission; constant
 * @id: the core's number; constant once the core has taken it
 * @refused: when the driver refused it first, ns, 0: it has not; only the thread
 * @until: parked: jiffies until which its place is kept; tgk_gpu.lock
 * @answer: 0: none yet; written under tgk_gpu.lock, read without
 */
struct tgk_request {
	struct list_head node;
	struct task_struct *task;
	struct tgk_object *object;
	u64 id;
	s64 refused;
	unsigned long until;
	u8 answer;
};

enum { TGK_GRANTED = 1, TGK_REFUSED };

bool tgk_vram_answer(struct tgk_request *req, bool granted);
int tgk_vram_make(struct tgk_gpu *gpu, const struct tgk_call *call, u64 bytes, const u32 *handle,
		  const u64 *made, const u64 *offset);
int tgk_vram_submit(struct tgk_gpu *gpu, const struct tgk_call *call, u64 flags);
bool tgk_vram_unpark(struct tgk_gpu *gpu, bool all);
int tgk_vram_learn(struct tgk_gpu *gpu, struct drm_gem_object *obj);
void tgk_object_free(struct drm_gem_object *obj);
void tgk_object_put(struct drm_gem_object *obj);
const struct tgk_owner *tgk_vram_owner(const struct tgk_gpu *gpu,
				       const struct drm_gem_object *obj);
u64 tgk_vram_resident(const struct tgk_gpu *gpu);
void tgk_vram_forget_all(struct tgk_gpu *gpu);

#endif /* TGK_VRAM_H */
