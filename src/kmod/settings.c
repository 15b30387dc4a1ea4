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
#include "recorder.h"
#include "settings.h"
#include "sysfs/sysfs.h"

#define WAKES		64	/* round trips that are tried */
#define STALL_WAKES	1000	/* stall_us, in times that it takes to wake a thread */
#define STALL_LEAST	2000	/* us */
#define STALL_MOST	20000

u32 tgk_policy;			/* tgk_mutex: wanted for every GPU */
s64 tgk_knobs[TG_KNOBS];	/* tgk_mutex to write */
s64 tgk_policy_knobs[TG_KNOBS_MAX];	/* of tgk_policy; tgk_mutex */
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
		tgk_unlock_irq(gpu);
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
	tg_policy_begins(tg_policy_get(policy), NULL, tgk_policy_knobs);
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
		tgk_unlock_irq(gpu);
	}
	rcu_read_unlock();
	return settled;
}

/* Policy @nr comes into force. */
static void choose_policy(u32 nr)
{
	const struct tg_policy *policy = tg_policy_get(nr);

	tgk_doorbell_for(policy);
	if (nr == tgk_policy)
		return;
	tgk_policy = nr;
	tg_policy_begins(policy, tgk_spec ? &tgk_spec->spec : NULL, tgk_policy_knobs);
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
	choose_policy(nr);
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
	tgk_unlock_irq(gpu);
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

static int refuse(struct tg_spec_error *err, struct tg_spec_place at, const char *what,
		  const char *want, int why)
{
	*err = (struct tg_spec_error){ at.line, at.column, what, want };
	return why;
}

/* Can this machine have the policy and the knobs that the spec names? If not, @err says why. */
static int settings_able(const struct tg_spec *spec, struct tg_spec_error *err)
{
	const struct tg_spec_knob *cpu = tg_spec_sets(spec, TG_KNOB_OF_HOST, TG_HOST_POLL_CPU);
	struct tgk_gpu *gpu;

	if (spec->policy >= 0)
		list_for_each_entry(gpu, &tgk_gpus, node)
			if (!tgk_poll_able(gpu, tg_policy_get(spec->policy)))
				return refuse(err, spec->policy_at,
					      "a policy that reads the GPU, on a GPU that we cannot read",
					      "another policy; the kernel log says which chips",
					      -EOPNOTSUPP);
	if (cpu && (cpu->value >= nr_cpu_ids || !cpu_online(cpu->value)))
		return refuse(err, cpu->at, "no such CPU", "the number of a CPU that is online",
			      -EINVAL);
	return 0;
}

/*
 * Get the memory that the spec takes on this GPU, and ask whether it can be in force. Matching all
 * clients anew takes up to one reserve each. No client joins meanwhile, since the caller has
 * tgk_spec_sem for writing, and tgk_pools_trim() leaves them there: so what is there stays enough.
 */
static int prepare(struct tgk_gpu *gpu, const struct tg_spec *spec, bool rematch)
{
	const struct tg_spec_knob *dry = tg_spec_sets(spec, TG_KNOB_OF_CORE, TG_KNOB_DRY);
	struct tg_event ev = {
		.kind = TG_EV_SPEC, .new_spec = spec,
		.spec = { .rematch = rematch, .settings = true },
	};
	bool model;
	u32 clients;
	int ret;

	raw_spin_lock_irq(&gpu->lock);
	clients = gpu->core.nr_clients;
	gpu->reserved = rematch ? clients : 0;
	model = dry && dry->value && !gpu->core.dry;
	tgk_unlock_irq(gpu);
	ret = rematch ? tgk_pool_fill(gpu, TG_POOL_RESERVE, clients) : 0;
	if (!ret && model)
		ret = tgk_pool_fill(gpu, TG_POOL_DRY, 1);
	if (ret)
		return ret;
	raw_spin_lock_irq(&gpu->lock);
	ret = tg_gpu_takes_spec(&gpu->core, &ev);
	tgk_unlock_irq(gpu);
	return ret;
}

/* The spec is in force, or refused: the reserves that are left may go. */
static void release(struct tgk_gpu *gpu)
{
	raw_spin_lock_irq(&gpu->lock);
	gpu->reserved = 0;
	tgk_unlock_irq(gpu);
	tgk_pools_trim(gpu);
}

static void apply(struct tgk_gpu *gpu, const struct tgk_spec *spec, bool rematch)
{
	struct tg_event ev = {
		.kind = TG_EV_SPEC, .new_spec = &spec->spec,
		.spec = { .rematch = rematch, .settings = !rematch },
	};

	tgk_feed_locking(gpu, &ev);
	tgk_gpu_settle(gpu);
}

/* What is in force for GPUs that come later, and for the host itself. */
static void note_settings(const struct tg_spec *spec)
{
	const struct tg_spec_knob *knob;

	if (spec->policy >= 0)
		choose_policy(spec->policy);
	for (knob = spec->knobs; knob < spec->knobs + spec->nr_knobs; knob++) {
		if (knob->of == TG_KNOB_OF_CORE)
			WRITE_ONCE(tgk_knobs[knob->nr], knob->value);
		else if (knob->of == TG_KNOB_OF_POLICY)
			tgk_policy_knobs[knob->nr] = knob->value;
		else if (knob->nr == TG_HOST_POLL_CPU)
			tgk_poll_bind(knob->value);
		else if (knob->nr == TG_HOST_STUTTER)
			WRITE_ONCE(tgk_stutter_us, knob->value);
	}
}

/**
 * tgk_set_spec() - put a spec in force on every GPU: its policy, its knobs, its clients
 * @spec: the spec; not the caller's any more, unless this fails
 * @rematch: match running clients against it at once
 * @err: filled in when the spec names what this machine cannot have; otherwise left alone
 *
 * All of it comes into force, on all GPUs, or nothing does. Another policy takes effect when the
 * drain ends.
 *
 * Return: 0; -EOPNOTSUPP, -EINVAL: @err says why; -ENOMEM; -EBUSY: changes come faster than clients
 * can follow; -EINTR: killed.
 */
int tgk_set_spec(struct tgk_spec *spec, bool rematch, struct tg_spec_error *err)
{
	static u32 serial;	/* tgk_mutex */
	const struct tg_spec_knob *kib;
	struct tgk_spec *old = tgk_spec;
	struct tgk_gpu *gpu;
	int ret;

	lockdep_assert_held(&tgk_mutex);
	ret = settings_able(&spec->spec, err);
	if (ret)
		return ret;
	if (down_write_killable(&tgk_spec_sem))
		return -EINTR;
	list_for_each_entry(gpu, &tgk_gpus, node)
		ret = ret ?: prepare(gpu, &spec->spec, rematch);
	kib = tg_spec_sets(&spec->spec, TG_KNOB_OF_HOST, TG_HOST_RECORDER);
	if (!ret && kib)
		ret = tgk_set_recorder(kib->value);
	if (ret)
		goto up;
	serial += serial == U32_MAX ? 2 : 1;
	spec->spec.serial = serial;
	list_for_each_entry(gpu, &tgk_gpus, node)
		tgk_clients_match(gpu, &spec->spec);
	/* Nothing fails any more. */
	tgk_spec = spec;
	note_settings(&spec->spec);
	list_for_each_entry(gpu, &tgk_gpus, node)
		apply(gpu, spec, false);
	tgk_vgpus_spec(&spec->spec);
	if (rematch)
		list_for_each_entry(gpu, &tgk_gpus, node)
			apply(gpu, spec, true);
	tgk_spec_free(old);
up:
	list_for_each_entry(gpu, &tgk_gpus, node)
		release(gpu);
	up_write(&tgk_spec_sem);
	return ret;
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
	else if (policy == tgk_policy && !ret)
		tgk_policy_knobs[nr] = value;
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
