// SPDX-License-Identifier: GPL-2.0
/*
 * What is in force for all GPUs: the policy, the spec, the knobs, the process in the foreground.
 *
 * sysfs/ calls this when root writes, gpu.c when a GPU comes. Process context, under tgk_mutex,
 * except where a function says otherwise.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "client.h"
#include "doorbell.h"
#include "feed.h"
#include "gpu.h"
#include "poll.h"
#include "pool.h"
#include "settings.h"
#include "sysfs/sysfs.h"

#define WAKES		64	/* round trips that are tried */
#define STALL_WAKES	1000	/* stall_us, in times that it takes to wake a thread */
#define STALL_LEAST	2000	/* us */
#define STALL_MOST	20000

u32 tgk_policy;			/* tgk_mutex: wanted for every GPU */
s64 tgk_knobs[TG_KNOBS];	/* tgk_mutex to write */
u32 tgk_foreground;		/* process in the foreground, 0: none; tgk_mutex */
struct tgk_spec *tgk_spec;	/* tgk_mutex and tgk_spec_sem, one of them to read it */
DECLARE_RWSEM(tgk_spec_sem);

DECLARE_WAIT_QUEUE_HEAD(tgk_settled);

static s64 stall_default;	/* us; set at load */

static void do_nothing(struct work_struct *work)
{
}

/*
 * How long is a submission's thread on its way from its FREE to the GPU? It is woken, and has some
 * work to do in nouveau: 15 to 300 times what it takes to wake a thread. That is measured, by the
 * shortest of many round trips to a worker, which a busy machine does not make longer. In us.
 */
static s64 measure_stall(void)
{
	struct work_struct work;
	s64 took = TG_SEC, began, us;
	u32 i;

	INIT_WORK_ONSTACK(&work, do_nothing);
	for (i = 0; i < WAKES; i++) {
		began = ktime_get_ns();
		schedule_work(&work);
		flush_work(&work);
		took = min_t(s64, took, ktime_get_ns() - began);
	}
	destroy_work_on_stack(&work);
	us = clamp_t(s64, div_s64(took * STALL_WAKES, 2 * TG_USEC), STALL_LEAST, STALL_MOST);
	pr_info("stall_us is %lld: a thread is woken in %lld ns\n", us, div_s64(took, 2));
	return us;
}

/**
 * tgk_gpu_set_knob() - set a knob on one GPU
 * @gpu: the GPU
 * @policy: number of the policy whose it is, -1: the core's
 * @nr: which
 * @value: within its range
 *
 * Return: 0; -EBUSY: that policy is not in force there; -ENOMEM, for the first dry run.
 */
int tgk_gpu_set_knob(struct tgk_gpu *gpu, int policy, u32 nr, s64 value)
{
	struct tg_event ev;
	int ret;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		ev = (struct tg_event) {
			.kind = TG_EV_KNOB,
			.knob = { .number = nr, .of_policy = policy >= 0, .value = value },
		};
		ret = -EBUSY;
		if (policy < 0 || tg_gpu_policy(&gpu->core) == tg_policy_get(policy))
			ret = tgk_feed(gpu, &ev);
		raw_spin_unlock_irq(&gpu->lock);
		if (ret != -ENOMEM)
			return ret;
		ret = tgk_pool_fill(gpu, TG_POOL_DRY, 1);
		if (ret)
			return ret;
	}
}

/**
 * tgk_knob_default() - what a knob of the core is unless set
 * @nr: which
 *
 * Return: its value, in its own unit.
 */
s64 tgk_knob_default(u32 nr)
{
	return nr == TG_KNOB_STALL ? stall_default : tg_core_params[nr].def;
}

/**
 * tgk_settings_init() - before anything else
 * @policy: number of the first policy
 * @dry: it is only modelled
 */
void tgk_settings_init(u32 policy, bool dry)
{
	u32 i;

	stall_default = measure_stall();
	tgk_policy = policy;
	for (i = 0; i < TG_KNOBS; i++)
		tgk_knobs[i] = tgk_knob_default(i);
	tgk_knobs[TG_KNOB_DRY] = dry;
}

/**
 * tgk_policy_settled() - is no GPU about to change its policy?
 *
 * Context: process, also without tgk_mutex. tgk_settled is woken when the answer may have changed.
 */
bool tgk_policy_settled(void)
{
	struct tgk_gpu *gpu;
	bool settled = true;

	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		raw_spin_lock_irq(&gpu->lock);
		settled = settled && !gpu->core.handover;
		raw_spin_unlock_irq(&gpu->lock);
	}
	rcu_read_unlock();
	return settled;
}

/**
 * tgk_set_policy() - change the policy
 * @nr: its number
 *
 * Takes effect on each GPU when its drain ends.
 *
 * Return: 0; -EINVAL: no such policy; -EOPNOTSUPP: not on these GPUs, after a message.
 */
int tgk_set_policy(u32 nr)
{
	struct tgk_gpu *gpu;

	lockdep_assert_held(&tgk_mutex);
	if (!tg_policy_get(nr))
		return -EINVAL;
	list_for_each_entry(gpu, &tgk_gpus, node)
		if (!tgk_poll_able(gpu, tg_policy_get(nr)))
			return -EOPNOTSUPP;
	tgk_policy = nr;
	tgk_doorbell_for(tg_policy_get(nr));
	list_for_each_entry(gpu, &tgk_gpus, node) {
		struct tg_event ev = { .kind = TG_EV_POLICY, .policy.number = nr };

		tgk_feed_locking(gpu, &ev);
	}
	return 0;
}

void tgk_spec_free(struct tgk_spec *spec)
{
	if (!spec)
		return;
	kvfree(spec->spec.entries);
	kvfree(spec->text);
	kfree(spec);
}

/* With each event the core comes to a few clients. Return: there are more. */
static bool go_on(struct tgk_gpu *gpu)
{
	struct tg_event ev = { .kind = TG_EV_TIMER };
	bool more;

	raw_spin_lock_irq(&gpu->lock);
	if (gpu->core.rematching)
		tgk_feed(gpu, &ev);
	more = gpu->core.rematching;
	raw_spin_unlock_irq(&gpu->lock);
	return more;
}

/**
 * tgk_gpu_settle() - have a new spec, or other virtual GPUs, come to all clients
 * @gpu: the GPU
 *
 * Context: process; without the lock.
 */
void tgk_gpu_settle(struct tgk_gpu *gpu)
{
	while (go_on(gpu))
		cond_resched();
}

/*
 * Matching all clients anew takes up to one reserve each. No client joins meanwhile, so they are
 * admitted in their order: the caller has tgk_spec_sem for writing.
 */
static int set_spec_gpu(struct tgk_gpu *gpu, const struct tgk_spec *spec, bool rematch)
{
	struct tg_event ev;
	u32 clients;
	int ret;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		ev = (struct tg_event) {
			.kind = TG_EV_SPEC, .new_spec = &spec->spec, .spec.rematch = rematch,
		};
		ret = tgk_feed(gpu, &ev);
		clients = gpu->core.nr_clients;
		raw_spin_unlock_irq(&gpu->lock);
		if (ret != -ENOMEM)
			break;
		ret = tgk_pool_fill(gpu, TG_POOL_RESERVE, clients);
		if (ret)
			return ret;
	}
	tgk_gpu_settle(gpu);
	return ret;
}

/**
 * tgk_set_spec() - put a spec in force on every GPU
 * @spec: the spec; not the caller's any more
 * @rematch: match running clients against it at once
 *
 * Return: 0; -EINTR: killed, with nothing changed, and @spec is the caller's.
 */
int tgk_set_spec(struct tgk_spec *spec, bool rematch)
{
	static u32 serial;	/* tgk_mutex */
	struct tgk_spec *old = tgk_spec;
	struct tgk_gpu *gpu;
	int ret = 0;

	lockdep_assert_held(&tgk_mutex);
	serial += serial == U32_MAX ? 2 : 1;
	spec->spec.serial = serial;
	if (down_write_killable(&tgk_spec_sem))
		return -EINTR;
	list_for_each_entry(gpu, &tgk_gpus, node)
		tgk_clients_match(gpu, &spec->spec);
	/*
	 * First without matching, which cannot fail: so that no GPU is left with another spec than
	 * the rest, whatever memory there is.
	 */
	list_for_each_entry(gpu, &tgk_gpus, node)
		set_spec_gpu(gpu, spec, false);
	tgk_spec = spec;
	tgk_vgpus_spec(&spec->spec);
	if (rematch)
		list_for_each_entry(gpu, &tgk_gpus, node)
			ret = set_spec_gpu(gpu, spec, true) ?: ret;
	up_write(&tgk_spec_sem);
	if (ret)
		pr_warn("no memory to match running clients against the new spec: they keep what they had\n");
	tgk_spec_free(old);
	return 0;
}

/**
 * tgk_set_knob() - set a knob on every GPU
 * @policy: number of the policy whose it is, -1: the core's
 * @nr: which
 * @value: within its range
 *
 * Return: 0; -EBUSY: that policy is not in force (everywhere); -ENOMEM, for a dry run.
 */
int tgk_set_knob(int policy, u32 nr, s64 value)
{
	struct tgk_gpu *gpu;
	int ret = 0;

	lockdep_assert_held(&tgk_mutex);
	if (policy >= 0 && list_empty(&tgk_gpus))
		return -EBUSY;
	list_for_each_entry(gpu, &tgk_gpus, node)
		ret = tgk_gpu_set_knob(gpu, policy, nr, value) ?: ret;
	if (policy < 0 && !ret)
		WRITE_ONCE(tgk_knobs[nr], value);
	return ret;
}

/**
 * tgk_set_foreground() - feed every GPU the process that has the foreground window
 * @pid: process, 0: none
 */
void tgk_set_foreground(u32 pid)
{
	struct tg_event ev = { .kind = TG_EV_FOREGROUND, .foreground.pid = pid };
	struct tgk_gpu *gpu;

	lockdep_assert_held(&tgk_mutex);
	WRITE_ONCE(tgk_foreground, pid);
	list_for_each_entry(gpu, &tgk_gpus, node)
		tgk_feed_locking(gpu, &ev);
}
