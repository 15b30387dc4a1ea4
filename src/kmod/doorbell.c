// SPDX-License-Identifier: GPL-2.0
/*
 * The doorbell: when a submission reached the card.
 *
 * A group that finds the GPU idle starts when its doorbell reaches the card. The group's fence is
 * made at another time. Before 6.16 nouveau rings for each push buffer, then makes the fence, and
 * rings for that; since then it makes the fence first, and rings once. Under emulation some 10 to
 * 50 us lie between, a thousand if the thread is held up there; a group of OpenGL lasts 20 to 160.
 * So ftrace calls on_ring() where the driver's function begins that rings (tgk_driver.doorbell),
 * which it does in its last instructions.
 *
 * A thread whose group is to be timed takes the place of its hash in tgk_doorbells[] while it is in
 * the driver. Where that is another thread's, where the function cannot be traced, and for groups
 * that go through drm_sched, the fence's time counts.
 *
 * hook.c switches this on and off with the hooks, and settings.c with the policy, under tgk_mutex;
 * submit.c and fence.c use it, in the thread that submits, without a lock.
 */
#include <tg/policy.h>

#include "doorbell.h"
#include "driver/driver.h"
#include "function.h"
#include "tgk.h"
#include "wrap/ftrace.h"

struct tgk_doorbell tgk_doorbells[1 << TGK_DOORBELL_BITS];

/* Context: the thread that submits; preemption off. */
static void notrace on_ring(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	struct tgk_doorbell *d = &tgk_doorbells[hash_ptr(current, TGK_DOORBELL_BITS)];
	s64 now;

	if (READ_ONCE(d->task) != current)
		return;
	now = ktime_get_ns();
	if (!d->nr)
		d->first = now;
	d->last[d->nr % TGK_DOORBELL_LAST] = now;
	WRITE_ONCE(d->nr, d->nr + 1);
}

static struct ftrace_ops ops = { .func = on_ring };
static const char *name;	/* of the function that rings; tgk_mutex, as all below */
static bool on;
static bool hooked;		/* the driver's other hooks are on */

/* Where that fails, groups seem to start about when their fences are made; a message says so. */
static void switch_on(void)
{
	int ret;

	if (on)
		return;
	ret = tgk_function_trace(&ops, name);
	if (!ret)
		ret = register_ftrace_function(&ops);
	on = !ret;
	if (ret)
		pr_notice("ftrace cannot trace %s (error %d): when groups start is less exact\n",
			  name, ret);
}

static void switch_off(void)
{
	if (on)
		unregister_ftrace_function(&ops);
	on = false;
}

/**
 * tgk_doorbell_for() - note the doorbells of threads that want it, if any do
 * @policy: that is to be in force; one whose gates all are open times no group
 *
 * Between tgk_doorbell_on() and tgk_doorbell_off(); at other times it does nothing.
 * Context: process, under tgk_mutex.
 */
void tgk_doorbell_for(const struct tg_policy *policy)
{
	if (!hooked)
		return;
	if (policy->mode == TG_GATE_OPEN)
		switch_off();
	else
		switch_on();
}

/**
 * tgk_doorbell_on() - the hooks of a driver that has a doorbell are on: of one at a time
 * @function: what rings
 * @policy: that is to be in force
 *
 * Context: process, under tgk_mutex; the driver's module is held.
 */
void tgk_doorbell_on(const char *function, const struct tg_policy *policy)
{
	name = function;
	hooked = true;
	tgk_doorbell_for(policy);
}

/**
 * tgk_doorbell_off() - they go off: note none any more, whatever policy comes
 *
 * Context: as tgk_doorbell_on().
 */
void tgk_doorbell_off(void)
{
	hooked = false;
	switch_off();
}

/* At unload, when it is off. Until then the filter stays: it cannot be used again once freed. */
void tgk_doorbell_exit(void)
{
	ftrace_free_filter(&ops);
}

/**
 * tgk_doorbell_rung() - has a thread rung for work of this channel, whose fence is not yet made?
 * @fences: of the channel
 *
 * A thread that is about to ring, or has just made its fence, may be taken for one.
 * Context: any.
 */
bool tgk_doorbell_rung(const struct tgk_fences *fences)
{
	const struct tgk_doorbell *d;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tgk_doorbells); i++) {
		d = &tgk_doorbells[i];
		/* Acquire: a fence that was made before it let the place go is seen, too. */
		if (smp_load_acquire(&d->task) && READ_ONCE(d->nr) &&
		    READ_ONCE(d->fences) == fences)
			return true;
	}
	return false;
}
