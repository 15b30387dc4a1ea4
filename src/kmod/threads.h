/* SPDX-License-Identifier: GPL-2.0 */
/*
 * threads.c: how many threads of a channel or client are let in.
 */
#ifndef TGK_THREADS_H
#define TGK_THREADS_H

#include "tgk.h"

/**
 * struct tgk_waiter - a thread that waits for a place; on its stack
 * @node: in tgk_threads.waiters until @let_in; tgk_gpu.lock
 * @task: the thread
 * @let_in: it has the place now; written under tgk_gpu.lock, read without
 */
struct tgk_waiter {
	struct list_head node;
	struct task_struct *task;
	bool let_in;
};

/**
 * struct tgk_place - the places of a thread that has no job yet; on its stack
 * @ch: the channel that it has a place with; referenced, or NULL
 * @let_in: it has a place with that channel's client, too
 * @behind: it waits for a place with this channel; referenced; NULL: with the client of @ch
 * @waiter: that wait
 */
struct tgk_place {
	struct tgk_channel *ch, *behind;
	struct tgk_waiter waiter;
	bool let_in;
};

void tgk_threads_next(struct tgk_gpu *gpu, struct tgk_threads *threads);
bool tgk_place_queue(struct tgk_place *place, struct tgk_channel *ch);
int tgk_place_wait(struct tgk_gpu *gpu, struct tgk_place *place);
void tgk_place_to_job(struct tgk_place *place, struct tgk_channel *ch, struct tgk_job *job);
void tgk_place_drop(struct tgk_gpu *gpu, struct tgk_place *place);

#endif /* TGK_THREADS_H */
