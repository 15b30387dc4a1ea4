// SPDX-License-Identifier: GPL-2.0
/*
 * Sleep: a card that is away is not asked, and the core's clock stands still while the system
 * sleeps.
 *
 * nouveau puts the card to sleep together with the system, and some laptops' whenever nobody has
 * used it for a while. Away, it answers with ones: so do its registers, and the fences, which are
 * words of its memory and would pass for signalled. Whoever wants to ask it, the poller and two
 * work items, does so between tgk_card_get() and tgk_card_put(). The threads of clients need not:
 * user space is frozen before the card goes, and nouveau wakes it for each of their calls.
 *
 * When the system goes to sleep, kernel threads freeze after user space and before any device: the
 * poller's thread, which freezes, calls tgk_sleep_begin() and tgk_sleep_end(). In between no
 * deadline comes closer, no timer fires, and nothing is charged: what is in flight waits for the
 * card, and who has been freed waits in the freezer. This holds for suspend, hibernation and their
 * tests.
 */
#include <linux/ktime.h>
#include <linux/pm_runtime.h>
#include <linux/rculist.h>

#include "feed.h"
#include "gpu.h"
#include "poll.h"
#include "sleep.h"

static atomic_t asking;	/* how many ask a card at this moment */
static bool asleep;	/* written by the poller's thread alone */

/* Is it awake? Then it stays so until awake_put(). Runtime suspend decides under the same lock. */
static bool awake_get(struct device *dev)
{
	unsigned long flags;
	bool awake;

	spin_lock_irqsave(&dev->power.lock, flags);
	awake = pm_runtime_active(dev);
	if (awake)
		pm_runtime_get_noresume(dev);
	spin_unlock_irqrestore(&dev->power.lock, flags);
	return awake;
}

/*
 * Somebody else may have been the last user meanwhile, and could not let it sleep. This is no use
 * of the device: pm_request_autosuspend() of younger kernels counts as one.
 */
static void awake_put(struct device *dev)
{
	pm_runtime_put_noidle(dev);
	__pm_runtime_suspend(dev, RPM_ASYNC | RPM_AUTO);
}

/**
 * tgk_card_get() - may the card be asked now?
 * @gpu: the GPU
 *
 * Context: process.
 *
 * Return: true: it is awake, and stays so until tgk_card_put(); false: it is away.
 */
bool tgk_card_get(const struct tgk_gpu *gpu)
{
	atomic_inc(&asking);
	/* Pairs with the one in tgk_sleep_begin(): it sees us, or we see that it is night. */
	smp_mb__after_atomic();
	if (!READ_ONCE(asleep) && awake_get(gpu->dev))
		return true;
	atomic_dec(&asking);
	return false;
}

/**
 * tgk_card_put() - it has been asked
 * @gpu: the GPU
 */
void tgk_card_put(const struct tgk_gpu *gpu)
{
	awake_put(gpu->dev);
	atomic_dec_return_release(&asking);
}

/**
 * tgk_core_time() - what the core's clock shows at an instant of the system's
 * @gpu: the GPU
 * @at: the instant, by ktime_get_ns(); not before the last sleep but one
 *
 * Context: under tgk_gpu.lock.
 */
s64 tgk_core_time(const struct tgk_gpu *gpu, s64 at)
{
	const struct tgk_sleep *s = &gpu->sleep;

	if (s->since)
		at = min(at, s->since);
	return at >= s->woke ? at - s->sum : min(at + s->last, s->woke) - s->sum;
}

/**
 * tgk_sleep_begin() - user space is frozen, and the devices will be suspended next
 *
 * When it returns, nobody asks a card.
 * Context: the poller's thread.
 */
void tgk_sleep_begin(void)
{
	struct tgk_gpu *gpu;

	WRITE_ONCE(asleep, true);
	smp_mb();	/* as above */
	/* The longest question is a wait of one jiffy. */
	while (atomic_read_acquire(&asking))
		schedule_timeout_idle(1);
	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		raw_spin_lock_irq(&gpu->lock);
		gpu->sleep.since = ktime_get_ns();
		raw_spin_unlock_irq(&gpu->lock);
	}
	rcu_read_unlock();
}

/* Under tgk_gpu.lock. The core sets its timer anew. */
static void wake(struct tgk_gpu *gpu)
{
	struct tg_event ev = { .kind = TG_EV_TIMER };
	struct tgk_sleep *s = &gpu->sleep;

	s->woke = ktime_get_ns();
	s->last = s->woke - s->since;
	s->sum += s->last;
	s->since = 0;
	tgk_poll_slept(gpu, s->last);
	if (!gpu->closing)
		tgk_feed(gpu, &ev);
}

/**
 * tgk_sleep_end() - the devices are back
 *
 * Context: the poller's thread.
 */
void tgk_sleep_end(void)
{
	struct tgk_gpu *gpu;

	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		raw_spin_lock_irq(&gpu->lock);
		/* One that came meanwhile did not sleep. */
		if (gpu->sleep.since)
			wake(gpu);
		raw_spin_unlock_irq(&gpu->lock);
	}
	rcu_read_unlock();
	WRITE_ONCE(asleep, false);
}
