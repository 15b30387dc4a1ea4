/* SPDX-License-Identifier: GPL-2.0 */
/*
 * owner.c: the accounts of VRAM.
 */
#ifndef TGK_OWNER_H
#define TGK_OWNER_H

#include "tgk.h"

/**
 * struct tgk_owner - a process that has VRAM of a GPU, or a channel; tgk_gpu.lock
 * @node: in tgk_gpu.owners
 * @pid: the process, referenced; constant
 * @nr: the core's number of its account; constant
 * @users: its objects, clients, and calls under way
 */
struct tgk_owner {
	struct hlist_node node;
	struct pid *pid;
	u32 nr, users;
};

struct tgk_owner *tgk_owner_find(const struct tgk_gpu *gpu);
struct tgk_owner *tgk_owner_get(struct tgk_gpu *gpu);
void tgk_owner_put(struct tgk_gpu *gpu, struct tgk_owner *owner);

#endif /* TGK_OWNER_H */
