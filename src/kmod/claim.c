// SPDX-License-Identifier: GPL-2.0
/*
 * Claims: of the threads that let a channel join or free it, one at a time does so.
 *
 * Both ask the driver, and sleep there for as long as the client likes. A channel that had joined
 * just before it was freed, or just after, would stand for another one of its number later. No
 * thread submits to a channel meanwhile, unless it is in the table.
 *
 * channel.c claims, in process context. The claims are under tgk_gpu.lock, on threads' stacks.
 */
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/sched/signal.h>

#include "claim.h"

/* A key for tgk_gpu.claims that no client can foresee. */
static u32 claim_key(const struct tgk_gpu *gpu, const struct drm_file *file, u32 chid)
{
	return jhash_2words(hash_ptr(file, 32), chid, gpu->seed);
}

/**
 * tgk_is_claimed() - is a thread about to let a channel of this number join, or to free it?
 * @gpu: the GPU
 * @file: the driver's handle
 * @chid: the driver's number
 *
 * Context: under tgk_gpu.lock.
 */
bool tgk_is_claimed(struct tgk_gpu *gpu, const struct drm_file *file, u32 chid)
{
	const struct tgk_claim *c;

	hash_for_each_possible(gpu->claims, c, node, claim_key(gpu, file, chid))
		if (c->file == file && c->chid == chid)
			return true;
	return false;
}

/**
 * tgk_sleep_longer() - sleep, longer each time
 * @state: of the thread
 * @ticks: how long: first 1, up to a tenth of a second
 *
 * There may be any number of sleepers, and each looks under the lock, so they look now and then.
 * Context: process.
 */
void tgk_sleep_longer(unsigned int state, long *ticks)
{
	set_current_state(state);
	schedule_timeout(*ticks);
	*ticks = min(2 * *ticks, (long)HZ / 10);
}

static bool try_claim(struct tgk_gpu *gpu, struct tgk_claim *c)
{
	bool other;

	raw_spin_lock_irq(&gpu->lock);
	other = tgk_is_claimed(gpu, c->file, c->chid);
	if (!other)
		hash_add(gpu->claims, &c->node, claim_key(gpu, c->file, c->chid));
	tgk_unlock_irq(gpu);
	return !other;
}

/**
 * tgk_claim() - be the only thread that lets a channel join, or frees it
 * @gpu: the GPU
 * @c: on the caller's stack, with @file and @chid; until tgk_unclaim(), which follows a 0
 *
 * Context: process; sleeps while another thread has it, unless killed.
 *
 * Return: 0 or -EINTR.
 */
int tgk_claim(struct tgk_gpu *gpu, struct tgk_claim *c)
{
	long ticks = 1;

	while (!try_claim(gpu, c)) {
		tgk_sleep_longer(TGK_KILLABLE, &ticks);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/**
 * tgk_unclaim() - let other threads claim the channel
 * @gpu: the GPU
 * @c: as given to tgk_claim()
 */
void tgk_unclaim(struct tgk_gpu *gpu, struct tgk_claim *c)
{
	raw_spin_lock_irq(&gpu->lock);
	hash_del(&c->node);
	tgk_unlock_irq(gpu);
}
