// SPDX-License-Identifier: GPL-2.0
/*
 * Sleep: this module does not read a card that is away, and the core's clock stands still while the
 * system sleeps.
 *
 * nouveau puts the card to sleep together with the system, and on some laptops whenever it has been
 * idle for a while. Away, the card answers each read with ones: registers, and also fences, which
 * are words of its memory and would pass for signalled. The poller and two work items read the
 * card, each between tgk_card_get() and tgk_card_put(). The threads of clients need not do so: user
 * space is frozen before the card goes, and nouveau wakes the card for each of their calls.
 *
 * When the system goes to sleep, kernel threads freeze after user space and before any device. The
 * poller's thread freezes too: it calls tgk_sleep_begin() before and tgk_sleep_end() after. Between
 * the two no deadline comes closer, no timer fires and nothing is charged: jobs in flight wait for
 * the card, and threads that the core has freed wait in the freezer. This holds for suspend,
 * hibernation and their tests.
 */
#include <linux/ktime.h>
#include <linux/pm_runtime.h>
#include <linux/rculist.h>

#include "feed.h"
#include "gpu.h"
#include "poll.h"
#include "sleep.h"

static atomic_t readers;	/* threads between tgk_card_get() and tgk_card_put() */
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
 * Another user may have put the card down meanwhile, and could not let it sleep: so suspend is
 * tried here. pm_request_autosuspend() of younger kernels would count as use of the card; this does
 * not.
 */
static void awake_put(struct device *dev)
{
	pm_runtime_put_noidle(dev);
	__pm_runtime_suspend(dev, RPM_ASYNC | RPM_AUTO);
}

/**
 * tgk_card_get() - may the card be read now?
 * @gpu: the GPU
 *
 * Context: process.
 *
 * Return: true: it is awake, and stays so until tgk_card_put(); false: it is away.
 */
bool tgk_card_get(const struct tgk_gpu *gpu)
{
	atomic_inc(&readers);
	/* Pairs with the one in tgk_sleep_begin(): that one sees the count, or we see @asleep. */
	smp_mb__after_atomic();
	if (!READ_ONCE(asleep) && awake_get(gpu->dev))
		return true;
	atomic_dec(&readers);
	return false;
}

/**
 * tgk_card_put() - it has been read
 * @gpu: the GPU
 */
void tgk_card_put(const struct tgk_gpu *gpu)
{
	awake_put(gpu->dev);
	atomic_dec_return_release(&readers);
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
 * When it returns, no thread reads a card.
 * Context: the poller's thread.
 */
void tgk_sleep_begin(void)
{
	struct tgk_gpu *gpu;

	WRITE_ONCE(asleep, true);
	smp_mb();	/* pairs with the one in tgk_card_get() */
	/* The longest read is a wait of one jiffy for a fence. */
	while (atomic_read_acquire(&readers))
		schedule_timeout_idle(1);
	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		raw_spin_lock_irq(&gpu->lock);
		gpu->sleep.since = ktime_get_ns();
		tgk_unlock_irq(gpu);
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
	tgk_clock_slept(&gpu->clock);
	tgk_trace_clock(&gpu->trace, tgk_core_time(gpu, s->woke), s->woke);
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
		/* A GPU that was attached meanwhile did not sleep. */
		if (gpu->sleep.since)
			wake(gpu);
		tgk_unlock_irq(gpu);
	}
	rcu_read_unlock();
	WRITE_ONCE(asleep, false);
}
