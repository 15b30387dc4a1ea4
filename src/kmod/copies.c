// SPDX-License-Identifier: GPL-2.0
/*
 * A driver's own work on a GPU: the copies by which it moves memory into VRAM and out of it.
 *
 * nouveau has a channel of its own for them. It copies within a client's ioctl, a page fault, or
 * where the machine runs short of memory, and it holds the reservation locks of what it moves. So
 * nothing of it may ever wait here: it is seen and accounted, as the client `kernel=nouveau`, and
 * never held. The core hears of a copy when its fence has been made (BYPASSED), and when that
 * signals (DONE). nouveau lets one copy be in flight, and waits for it without an interrupt, so
 * the tracepoint dma_fence_signaled is enough: no callback is added, and no interrupt asked for.
 *
 * A name is no credential: what counts is the context of the fence. That it is the driver's own,
 * the driver says by names that no program can give to a channel (tgk_driver.own). Of which GPU it
 * is, nothing says but where its slot lies (slots.c): in one of that GPU's BARs. So the first
 * fence of an unknown context has a work item watch the driver, and the next one tells. The slots
 * of clients are looked for in the same way, and come first.
 * Copies until then are not accounted; the tracepoint is off until then, too.
 *
 * fence.c calls tgk_copies_made() for fences that no capture wants, gpu.c and main.c the rest.
 */
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "client.h"
#include "copies.h"
#include "driver/driver.h"
#include "feed.h"
#include "gpu.h"
#include "pool.h"
#include "settings.h"
#include "slots.h"
#include "wrap/fence.h"

static u32 search;			/* enum tgk_search; set atomically */
static const struct tgk_driver *searched;	/* whose, set atomically; NULL: nobody's */
static struct tgk_slots slots;			/* of the thread that ends it, as these */
static u64 found;
static int engine;
/* Contexts that cannot be followed, the latest ones; only work_search() adds to them. */
static u64 foreign[8];
static u32 nr_foreign;

static struct tracepoint *signal_point;	/* only work(), which runs once at a time, and at exit */

/* The GPU whose driver makes fences of this context for its own work; NULL: not known. RCU-sched */
static struct tgk_gpu *gpu_of(u64 context)
{
	struct tgk_gpu *gpu;

	list_for_each_entry_rcu(gpu, &tgk_gpus, node, rcu_read_lock_sched_held())
		if (READ_ONCE(gpu->copies.context) == context)
			return gpu;
	return NULL;
}

/* --- a copy --- */

/* Under tgk_gpu.lock: the copy in flight is over, at that time of ktime_get_ns(). */
static void over(struct tgk_gpu *gpu, struct tgk_stamp stamp, s64 noticed)
{
	struct tgk_copies *c = &gpu->copies;
	struct tg_event ev = { .kind = TG_EV_DONE, .job = c->job->id };

	ev.at = tgk_clock_end(gpu, &stamp, c->job, noticed);
	ev.done.known = stamp.known;
	c->flying = false;
	tgk_feed(gpu, &ev);
}

/* Under tgk_gpu.lock: there is an object for the core to take. */
static bool have_job(struct tgk_gpu *gpu)
{
	if (gpu->core.pooled[TG_POOL_JOB])
		return true;
	tgk_queue_later(gpu, &gpu->copies.refill);
	if (!gpu->copies.spare)
		return false;
	tg_gpu_give(&gpu->core, TG_POOL_JOB, gpu->copies.spare);
	gpu->given[TG_POOL_JOB]++;
	gpu->copies.spare = NULL;
	return true;
}

/* The driver is about to ring the doorbell for a copy. */
static void begin(struct tgk_gpu *gpu, struct dma_fence *fence)
{
	struct tgk_copies *c = &gpu->copies;
	struct tg_event ev = { .kind = TG_EV_BYPASSED };
	struct dma_fence *before = NULL;
	struct tgk_fences *f;
	unsigned long flags;
	bool there;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	if (c->flying) {	/* it was never emitted */
		before = c->job->fence;
		over(gpu, (struct tgk_stamp){ .known = TG_DONE_NOTICED }, c->job->began);
	}
	if (c->client && !gpu->closing && have_job(gpu)) {
		c->job->id = ++gpu->last_job;
		c->job->times.arrived = TG_NEVER;
		c->job->began = tgk_clock_doorbell(&gpu->clock, ktime_get_ns());
		c->job->fence_slot = TGK_SLOT_NONE;
		/* And what was written before it. */
		there = smp_load_acquire(&gpu->clock.base);
		if (there && c->slot < gpu->clock.nr) {
			f = &gpu->clock.fences[c->slot];
			f->own = true;
			WRITE_ONCE(f->made, (u32)fence->seqno);
			c->job->fence_slot = c->slot;
		}
		ev.client = c->client->id;
		ev.channel = c->slot;
		ev.job = c->job->id;
		ev.host = c->job;
		ev.at = c->job->began;
		ev.bypassed.started = true;
		c->flying = !tgk_feed(gpu, &ev);
		if (c->flying)
			c->job->fence = dma_fence_get(fence);
	}
	tgk_unlock_irqrestore(gpu, flags);
	dma_fence_put(before);
}

/* The tracepoint dma_fence_signaled: under the fence's lock, which may be any driver's. */
static void on_signaled(void *data, struct dma_fence *fence)
{
	struct tgk_stamp stamp;
	struct tgk_copies *c;
	struct tgk_gpu *gpu;
	unsigned long flags;
	s64 noticed;
	bool own;

	rcu_read_lock_sched();
	gpu = gpu_of(fence->context);
	if (gpu) {
		c = &gpu->copies;
		raw_spin_lock_irqsave(&gpu->lock, flags);
		own = c->flying && c->job->fence == fence;
		if (own) {
			noticed = ktime_to_ns(tgk_fence_time(fence)) ?: ktime_get_ns();
			stamp = tgk_slots_stamp(gpu, c->job->fence_slot, fence,
						(u32)fence->seqno);
			over(gpu, stamp, noticed);
		}
		tgk_unlock_irqrestore(gpu, flags);
		/* Not the last reference: the driver holds the fence while it signals. */
		if (own)
			dma_fence_put(fence);
	}
	rcu_read_unlock_sched();
}

/* --- which GPU --- */

static void find_signaled(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "dma_fence_signaled"))
		signal_point = tp;
}

/* Return: 0; or the copies cannot be seen, after a message. */
static int watch_signals(void)
{
	int ret;

	if (signal_point)
		return 0;
	for_each_kernel_tracepoint(find_signaled, NULL);
	ret = signal_point ? tracepoint_probe_register(signal_point, on_signaled, NULL) : -ENOENT;
	if (ret) {
		signal_point = NULL;
		pr_notice("this kernel offers no tracepoint dma_fence_signaled (error %d): a driver's own work is not accounted\n",
			  ret);
	}
	return ret;
}

static int fill(struct tgk_gpu *gpu)
{
	return tgk_pool_fill(gpu, TG_POOL_CLIENT, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_SHARER, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_CHANNEL, 1) ?:
	       tgk_pool_fill(gpu, TG_POOL_RESERVE, 1);
}

/* Under tgk_spec_sem: let the client join. Return: 0; -EAGAIN: call again; or another errno. */
static int join(struct tgk_gpu *gpu, struct tgk_client *client)
{
	const struct tg_spec *spec = tgk_spec ? &tgk_spec->spec : NULL;
	struct tgk_copies *c = &gpu->copies;
	struct tg_event ev = {
		.kind = TG_EV_JOIN, .client = client->id, .channel = c->slot,
		.join.engines = 1 << engine, .identity = &client->ident, .host = client,
	};
	int ret;

	raw_spin_lock_irq(&gpu->lock);
	if (!tgk_client_matched(client, spec)) {
		tgk_client_hold(client);
		tgk_unlock_irq(gpu);
		tgk_client_match(gpu, client, spec);
		tgk_client_put(client);
		return -EAGAIN;
	}
	ret = gpu->closing ? -ENODEV : tgk_feed(gpu, &ev);
	if (!ret) {
		tgk_client_add(gpu, client);
		client->channels = 1;
		c->client = client;
	}
	tgk_unlock_irq(gpu);
	return ret;
}

static int come(struct tgk_gpu *gpu)
{
	struct tgk_copies *c = &gpu->copies;
	struct tgk_client *client = tgk_client_of_driver(gpu);
	int ret = client ? 0 : -ENOMEM;

	/* They may be there since an attempt that failed. */
	c->job = c->job ?: kzalloc(sizeof(*c->job), GFP_KERNEL);
	c->spare = c->spare ?: kvzalloc(tg_pool_size[TG_POOL_JOB], GFP_KERNEL);
	if (!c->job || !c->spare)
		ret = -ENOMEM;
	if (!ret)
		c->job->gpu = gpu;
	while (!ret) {
		down_read(&tgk_spec_sem);
		do
			ret = join(gpu, client);
		while (ret == -EAGAIN);
		up_read(&tgk_spec_sem);
		if (ret != -ENOMEM)
			break;
		ret = fill(gpu);
	}
	if (ret && client)
		tgk_client_put(client);
	return ret;
}

/* The GPU that has this address, held; NULL: none that is scheduled. */
static struct tgk_gpu *gpu_at(phys_addr_t at)
{
	struct tgk_gpu *gpu, *found = NULL;

	rcu_read_lock_sched();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node, rcu_read_lock_sched_held()) {
		if (tgk_in_bar(gpu->dev, at) && atomic_inc_not_zero(&gpu->calls)) {
			found = gpu;
			break;
		}
	}
	rcu_read_unlock_sched();
	return found;
}

static bool is_foreign(u64 context)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(foreign); i++)
		if (READ_ONCE(foreign[i]) == context)
			return true;
	return false;
}

/* A context is found: from now on its fences are copies of that GPU. */
static void learn(void)
{
	struct tgk_gpu *gpu = gpu_at(slots.phys);
	bool known = false;

	if (gpu && engine >= 0 && engine < gpu->core.nr_engines && !gpu->copies.context) {
		gpu->copies.slot = slots.first;
		known = !watch_signals() && !come(gpu);
	}
	if (known)
		smp_store_release(&gpu->copies.context, found);	/* all is there */
	else
		WRITE_ONCE(foreign[nr_foreign++ % ARRAY_SIZE(foreign)], found);
	if (gpu)
		tgk_gpu_put(gpu);
}

/* There is no search: the next one may be of another driver. */
static void search_ended(void)
{
	WRITE_ONCE(searched, NULL);
	smp_store_release(&search, TGK_SEARCH_NOT);	/* behind that */
}

static void work_search(struct work_struct *work)
{
	const struct tgk_driver *driver = READ_ONCE(searched);

	if (READ_ONCE(search) == TGK_SEARCH_OVER) {
		driver->unwatch();
		learn();
		search_ended();
	} else if (!driver || driver->watch()) {
		/* NULL: the search before ended after look_for() had read @searched. */
		search_ended();
	} else {
		WRITE_ONCE(search, TGK_SEARCH_ON);
	}
}

static DECLARE_WORK(search_work, work_search);

/*
 * The driver of a GPU whose own work has yet to be found makes fences like this; NULL: none. Which
 * GPU made it is not known: *@at is the engine of that work on a GPU that has one for it.
 */
static const struct tgk_driver *driver_of(struct dma_fence *fence, int *at)
{
	const struct tgk_driver *driver, *makes = NULL;
	struct tgk_gpu *gpu;
	int own;

	list_for_each_entry_rcu(gpu, &tgk_gpus, node, rcu_read_lock_sched_held()) {
		driver = gpu->driver;
		if (gpu->copies.context || !driver->own ||
		    READ_ONCE(gpu->clock.search) != TGK_SEARCH_OVER)
			continue;
		own = driver->own(gpu, fence);
		if (own == -ENOENT)
			continue;
		makes = driver;
		*at = own;
		if (own >= 0)
			break;
	}
	return makes;
}

static noinline void look_for(struct dma_fence *fence)
{
	const struct tgk_driver *driver;
	int at = -ENOENT;

	if (is_foreign(fence->context))
		return;
	driver = driver_of(fence, &at);
	if (!driver)
		return;
	if ((cmpxchg(&searched, NULL, driver) ?: driver) != driver ||
	    !tgk_slots_search(&search, &search_work, driver, fence, &slots))
		return;
	found = fence->context;
	engine = at;
	WRITE_ONCE(search, TGK_SEARCH_OVER);
	queue_work(tgk_wq, &search_work);
}

/**
 * tgk_copies_made() - a fence was made that is of no client's submission that is captured
 * @fence: the fence, not yet emitted
 *
 * Context: a task, which may hold any lock of the driver.
 */
void tgk_copies_made(struct dma_fence *fence)
{
	struct tgk_gpu *gpu;

	rcu_read_lock_sched();
	gpu = gpu_of(fence->context);
	if (gpu)
		begin(gpu, fence);
	else
		look_for(fence);
	rcu_read_unlock_sched();
}

/* --- life --- */

static void refill(struct work_struct *work)
{
	struct tgk_copies *c = container_of(work, struct tgk_copies, refill.work);
	struct tgk_gpu *gpu = container_of(c, struct tgk_gpu, copies);
	void *spare = kvzalloc(tg_pool_size[TG_POOL_JOB], GFP_KERNEL);

	raw_spin_lock_irq(&gpu->lock);
	if (!c->spare)
		swap(c->spare, spare);
	tgk_unlock_irq(gpu);
	kvfree(spare);
}

/**
 * tgk_copies_gpu() - prepare a new GPU
 * @gpu: the GPU
 */
void tgk_copies_gpu(struct tgk_gpu *gpu)
{
	tgk_errand_init(&gpu->copies.refill, refill, NULL);
}

/**
 * tgk_copies_drop() - the driver's own work is accounted no more
 * @gpu: the GPU, closed and unused: no tracepoint finds it
 *
 * Context: process.
 */
void tgk_copies_drop(struct tgk_gpu *gpu)
{
	struct tgk_copies *c = &gpu->copies;
	struct tg_event ev = { .kind = TG_EV_LEAVE, .channel = c->slot };
	struct dma_fence *fence = NULL;

	/* The driver may go after its last GPU, and is not to be watched then. */
	flush_work(&search_work);
	if (cmpxchg(&search, TGK_SEARCH_ON, TGK_SEARCH_READS) == TGK_SEARCH_ON) {
		searched->unwatch();
		search_ended();
	}
	cancel_work_sync(&c->refill.work);
	raw_spin_lock_irq(&gpu->lock);
	if (c->flying) {
		fence = c->job->fence;
		over(gpu, (struct tgk_stamp){ .known = TG_DONE_NOTICED }, ktime_get_ns());
	}
	if (c->client) {
		ev.client = c->client->id;
		c->client->closed = true;
		c->client = NULL;
		tgk_feed(gpu, &ev);
	}
	tgk_unlock_irq(gpu);
	dma_fence_put(fence);
	kfree(c->job);
	kvfree(c->spare);
}

/* At unload, when no GPU is scheduled any more, nor looked for. */
void tgk_copies_exit(void)
{
	if (signal_point) {
		tracepoint_probe_unregister(signal_point, on_signaled, NULL);
		tracepoint_synchronize_unregister();
	}
}
