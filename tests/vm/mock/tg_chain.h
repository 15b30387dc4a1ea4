/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Submissions of several jobs on the test card, each of which waits for the one before: the truth about one is the time
 * from when its first job begins until its last one ends, less what was so before the end of the one before it. That
 * is told for each file and each ring whose jobs they are (mock_call.ring). tg_mock.c alone includes this.
 */
#ifndef TG_CHAIN_H
#define TG_CHAIN_H

#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "tg_mock.h"

/* One submission. @jobs: that have yet to end; @begun: 0: none has begun. Its jobs run one after the other. */
struct mock_chain {
	struct kref refs;
	u32 ring, jobs;
	ktime_t begun;
};

static DEFINE_SPINLOCK(chain_lock);		/* with interrupts off, inside a ring's */
static ktime_t chain_end[TGMOCK_RINGS];		/* chain_lock: when the last one has ended */

static struct mock_chain *chain_new(u32 ring, u32 jobs)
{
	struct mock_chain *c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);

	if (c) {
		kref_init(&c->refs);
		c->ring = ring;
		c->jobs = jobs;
	}
	return c;
}

static void chain_free(struct kref *refs)
{
	kfree(container_of(refs, struct mock_chain, refs));
}

static void chain_put(struct mock_chain *c)
{
	if (c)
		kref_put(&c->refs, chain_free);
}

/* A job begins. */
static void chain_begin(struct mock_chain *c)
{
	if (c && !c->begun)
		c->begun = ktime_get();
}

/* One has ended. @span: where its file has what they have used, by ring; under chain_lock. */
static void chain_ended(struct mock_chain *c, u64 *span)
{
	ktime_t now = ktime_get();

	if (!c || --c->jobs)
		return;
	spin_lock(&chain_lock);
	span[c->ring] += ktime_to_ns(ktime_sub(now, max(c->begun, chain_end[c->ring])));
	chain_end[c->ring] = now;
	spin_unlock(&chain_lock);
}

#endif /* TG_CHAIN_H */
