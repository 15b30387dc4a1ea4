// SPDX-License-Identifier: GPL-2.0
/*
 * The poller: which channel has the engine, read from the GPU's registers (LoGA, section 3.3).
 *
 * Owns a mapping of the few pages of BAR0 that it reads (the driver has its own, and reserves
 * nothing; nothing is ever written), and one thread, bound to a CPU, that serves one GPU after
 * another. TG_ACT_POLL begins a phase; at its end the thread feeds one TG_EV_SAMPLE for each
 * client that was active, and one that closes the phase. driver.h's tgk_chip knows the registers.
 *
 * Each reading stands for half of the time to each of its neighbours. So a change between two
 * readings takes time from one client as often as it gives some. A stretch of readings that show
 * the same channel at work is a run; its time goes to the client to which the channel belongs when
 * the run ends. Readings are as dense as the bus allows, or spread at random over the phase.
 *
 * Another thread may have the CPU for longer than a GPU idles between two groups, and two runs then
 * look like one. So where dense readings are far apart, the number of groups is what the client has
 * submitted since the run began.
 *
 * Locking: poll_mutex, sleeping, guards the list of GPUs and all that only the thread uses; the
 * thread takes it for each round of readings. tgk_gpu.lock is taken inside it, never the other way.
 * TG_ACT_POLL reaches the thread without a lock (tgk_poll.until, .stops). Fences are checked under
 * RCU alone.
 */
#include <linux/freezer.h>
#include <linux/io.h>
#include <linux/kthread.h>
#include <linux/pci.h>
#include <linux/random.h>

#include "channel.h"
#include "driver/driver.h"
#include "feed.h"
#include "fence.h"
#include "poll.h"
#include "sleep.h"

#define IDLE_NS		NSEC_PER_MSEC	/* until a GPU that cannot be read is tried again */
#define AWAY		8		/* readings so many times further apart than they can be */

static DEFINE_MUTEX(poll_mutex);
static LIST_HEAD(polled);		/* poll_mutex; tgk_poll.node */
static struct task_struct *poller;	/* constant while loaded */
static int poked;	/* a phase was begun or called off: look before sleeping */
static u64 readings;			/* only the poller */
static unsigned int cpu;		/* poll_mutex */

/* --- one GPU --- */

/* Under tgk_gpu.lock: the client whose channel has this number of the hardware's, or NULL. */
static struct tgk_client *client_of(struct tgk_gpu *gpu, u32 chid)
{
	struct tgk_client *client = NULL;
	struct tgk_channel *ch;

	hlist_for_each_entry(ch, tgk_channel_list(gpu, NULL, chid), hash) {
		if (ch->chid != chid)
			continue;
		client = ch->client;
		if (!ch->dying)
			break;
	}
	return client;
}

/* Under tgk_gpu.lock: how much it has submitted, through an open gate or not. */
static u64 submitted(struct tgk_gpu *gpu, struct tgk_client *client)
{
	const struct tg_client *core = tg_gpu_client(&gpu->core, client->id);

	/* The core may have seen the last of a client whose channel nouveau is freeing. */
	return atomic64_read(&client->open_begun) + (core ? core->stats.submitted : 0);
}

/* The latest reading begins a run: remember how much its client has submitted. */
static void begin_run(struct tgk_gpu *gpu)
{
	struct tgk_poll *p = &gpu->poll;
	struct tgk_client *client;

	p->missed = 0;
	p->runner = 0;
	if (p->chid == TGK_CHID_NONE)
		return;
	raw_spin_lock_irq(&gpu->lock);
	client = client_of(gpu, p->chid);
	if (client) {
		p->runner = client->id;
		p->submitted = submitted(gpu, client);
	}
	tgk_unlock_irq(gpu);
}

/* The run goes on, but there was no reading for a while: were there other groups meanwhile? */
static void find_missed(struct tgk_gpu *gpu)
{
	struct tgk_poll *p = &gpu->poll;
	struct tgk_client *client;
	u64 now;

	if (!p->runner)
		return;
	raw_spin_lock_irq(&gpu->lock);
	client = client_of(gpu, p->chid);
	if (client && client->id == p->runner) {
		now = max(submitted(gpu, client), p->submitted);
		p->missed += now - p->submitted;
		p->submitted = now;
	}
	tgk_unlock_irq(gpu);
}

/*
 * The run's time goes to its client; without one it is the driver's own work. A run is counted only
 * when it has @ended: the end of a phase cuts a run, and parts of it are in two phases.
 */
static void count_run(struct tgk_gpu *gpu, bool ended)
{
	struct tgk_poll *p = &gpu->poll;
	struct tgk_client *client;

	if (p->chid != TGK_CHID_NONE && p->run > 0) {
		raw_spin_lock_irq(&gpu->lock);
		client = client_of(gpu, p->chid);
		if (client) {
			client->polled += p->run;
			client->polled_runs += ended;
			if (client->id == p->runner)
				client->polled_runs += p->missed;
		} else {
			p->others += p->run;
			p->others_runs += ended;
		}
		tgk_unlock_irq(gpu);
	}
	p->run = 0;
}

/* Mark the clients that have work of an open gate in flight. Without the lock. */
static void check_fences(struct tgk_gpu *gpu)
{
	struct dma_fence *fence;
	struct tgk_channel *ch;
	u32 i;

	if (!tgk_card_get(gpu))
		return;
	rcu_read_lock();
	for (i = 0; i < 1U << gpu->channel_bits; i++) {
		hlist_for_each_entry_rcu(ch, &gpu->channels[i], hash) {
			fence = tgk_channel_fence(ch);
			if (!fence)
				continue;
			if (!tgk_fence_ended(gpu, fence))
				ch->client->live = true;
			dma_fence_put(fence);
		}
	}
	rcu_read_unlock();
	tgk_card_put(gpu);
}

/*
 * Under tgk_gpu.lock. A client was active if work of it was in flight or waiting when the last
 * phase ended, or is now, or came meanwhile.
 */
static bool was_active(struct tgk_gpu *gpu, struct tgk_client *client)
{
	const struct tg_client *core = tg_gpu_client(&gpu->core, client->id);
	const u64 begun = submitted(gpu, client);
	const bool active = client->live || client->was_live || client->polled ||
			    begun != client->polled_begun || core->inflight ||
			    tg_client_waits(core);

	client->polled_begun = begun;
	client->was_live = client->live;
	client->live = false;
	return active;
}

/* Forget what was seen in a phase that was called off. */
static void forget(struct tgk_gpu *gpu)
{
	struct tgk_client *client;
	int i;

	for (i = 0; i < HASH_SIZE(gpu->clients); i++) {
		raw_spin_lock_irq(&gpu->lock);
		hlist_for_each_entry(client, &gpu->clients[i], node) {
			client->polled = 0;
			client->polled_runs = 0;
		}
		tgk_unlock_irq(gpu);
	}
	raw_spin_lock_irq(&gpu->lock);
	gpu->poll.others = 0;
	gpu->poll.others_runs = 0;
	tgk_unlock_irq(gpu);
}

/* Under tgk_gpu.lock: fill in the sample of one client, and begin its next one. */
static void sample_client(struct tgk_gpu *gpu, struct tgk_client *client,
			  struct tg_sample *sample, bool dense)
{
	const u64 ended = atomic64_read(&client->open_ended);

	sample->active = was_active(gpu, client);
	sample->busy = min(client->polled, sample->length);
	sample->groups = dense ? client->polled_runs : ended - client->polled_ended;
	client->polled_ended = ended;
	client->polled = 0;
	client->polled_runs = 0;
}

static void feed_sample(struct tgk_gpu *gpu, u32 client, const struct tg_sample *sample)
{
	struct tg_event ev = {
		.kind = TG_EV_SAMPLE, .client = client, .at = gpu->poll.last, .sample = sample,
	};

	/* -EBUSY: closing has begun. */
	if (!gpu->closing)
		tgk_feed(gpu, &ev);
}

/*
 * Feed the sample of one client in a bucket, and add it to @all. @until: the end of the phase.
 * Return: false: all clients there have theirs, or the phase has been called off.
 */
static bool finish_one(struct tgk_gpu *gpu, s64 until, int bucket, struct tg_sample *all)
{
	struct tgk_poll *p = &gpu->poll;
	struct tg_sample one = { .length = all->length };
	struct tgk_client *client = NULL;

	raw_spin_lock_irq(&gpu->lock);
	if (p->until == until)
		hlist_for_each_entry(client, &gpu->clients[bucket], node)
			if (client->phase <= p->phases)
				break;
	if (client) {
		client->phase = p->phases + 1;
		sample_client(gpu, client, &one, READ_ONCE(p->gap) <= 1);
		all->busy += one.busy;
		all->groups += one.groups;
		all->active |= one.active;
		if (one.active)
			feed_sample(gpu, client->id, &one);
	}
	tgk_unlock_irq(gpu);
	return client;
}

/*
 * The phase that was to last until @until is over. A client that joins meanwhile has its first
 * sample in the next phase.
 */
static void finish(struct tgk_gpu *gpu, s64 until)
{
	struct tgk_poll *p = &gpu->poll;
	struct tg_sample all = { .length = p->last - p->begun };
	int i;

	count_run(gpu, false);
	begin_run(gpu);
	check_fences(gpu);
	for (i = 0; i < HASH_SIZE(gpu->clients); i++)
		while (finish_one(gpu, until, i, &all))
			;
	raw_spin_lock_irq(&gpu->lock);
	if (p->until == until) {
		/* The next phase, if it begins at once, begins where this one ended. */
		p->begun = p->last;
		WRITE_ONCE(p->until, 0);
		p->total += all.length;
		p->phases++;
		all.busy = min(all.busy + p->others, all.length);
		all.groups += p->others_runs;
		feed_sample(gpu, 0, &all);
		p->others = 0;
		p->others_runs = 0;
		p->on = p->until;
	}
	tgk_unlock_irq(gpu);
}

/* A card that is away counts as idle. */
static u32 read_chid(struct tgk_gpu *gpu)
{
	struct tgk_poll *p = &gpu->poll;
	u32 chid;

	if (!tgk_card_get(gpu))
		return TGK_CHID_GONE;
	chid = p->chip->read(p->page);
	tgk_card_put(gpu);
	return chid;
}

/* When to read again, after a reading at @now. */
static s64 next_reading(struct tgk_poll *p, s64 now, bool gone)
{
	const s64 gap = READ_ONCE(p->gap);

	if (gone)
		return now + IDLE_NS;
	if (gap <= 1)
		return now;
	p->seed = p->seed * 1664525 + 1013904223;
	return now + gap / 2 + (((u64)p->seed * gap) >> 32);
}

/* Are two dense readings @distance apart because something else had the CPU? */
static bool is_far(struct tgk_poll *p, s64 distance)
{
	if (READ_ONCE(p->gap) > 1 || !distance)
		return false;
	if (!p->least || distance < p->least)
		p->least = distance;
	return distance > AWAY * p->least;
}

/* One reading, if it is due. Return: when the next one is due; TG_NEVER: no phase is under way. */
static s64 take_reading(struct tgk_gpu *gpu)
{
	struct tgk_poll *p = &gpu->poll;
	/* Pairs with the release in tgk_poll_until(). */
	const s64 until = smp_load_acquire(&p->until);
	const u32 stops = READ_ONCE(p->stops);
	s64 now, half;
	u32 chid;

	/* An end that has moved is another end of the same phase. */
	if (stops != p->stopped)
		p->on = false;
	p->stopped = stops;
	if (!until)
		return TG_NEVER;
	if (p->on && p->next > ktime_get_ns())
		return p->next;
	chid = read_chid(gpu);
	now = ktime_get_ns();
	readings++;
	p->next = min(next_reading(p, now, chid == TGK_CHID_GONE), max(until, now));
	if (chid == TGK_CHID_GONE)
		chid = TGK_CHID_NONE;
	if (!p->on) {
		forget(gpu);
		p->on = true;
		p->begun = now;
		p->last = now;
		p->chid = chid;
		p->run = 0;
		begin_run(gpu);
	}
	half = (now - p->last) / 2;
	p->run += half;
	if (chid != p->chid) {
		count_run(gpu, true);
		p->chid = chid;
		begin_run(gpu);
	} else if (is_far(p, now - p->last)) {
		find_missed(gpu);
	}
	p->run += now - p->last - half;
	p->last = now;
	/* A phase that the thread came too late for still gets its second reading. */
	if (now >= until && now > p->begun)
		finish(gpu, until);
	return p->next;
}

/**
 * tgk_poll_until() - TG_ACT_POLL
 * @gpu: the GPU
 * @until: the end of the phase, of the one under way if there is one, 0: stop, without samples
 * @gap: mean distance of the readings, ns; 1: as dense as can be
 *
 * Context: under tgk_gpu.lock, any.
 */
void tgk_poll_until(struct tgk_gpu *gpu, s64 until, u32 gap)
{
	struct tgk_poll *p = &gpu->poll;

	if (!p->chip)
		return;
	WRITE_ONCE(p->gap, gap);
	if (!until)
		WRITE_ONCE(p->stops, p->stops + 1);
	/* The thread that sees this end sees the stops before it. */
	smp_store_release(&p->until, until);
	/* Pairs with the xchg() in poll_thread(): the thread that sees this sees the above. */
	if (!xchg(&poked, 1))
		tgk_wake_later(gpu, poller);
}

/**
 * tgk_poll_slept() - the system has slept
 * @gpu: the GPU
 * @ns: for so long
 *
 * The phase begins anew, and ends as much later.
 * Context: under tgk_gpu.lock.
 */
void tgk_poll_slept(struct tgk_gpu *gpu, s64 ns)
{
	struct tgk_poll *p = &gpu->poll;

	if (p->until)
		tgk_poll_until(gpu, p->until + ns, p->gap);
	WRITE_ONCE(p->stops, p->stops + 1);
}

/* --- the thread --- */

/* Sleep until @next or until a phase is begun or called off. */
static void rest(s64 next)
{
	ktime_t at = ns_to_ktime(next);

	set_current_state(TASK_IDLE);
	if (!READ_ONCE(poked) && !kthread_should_stop()) {
		if (next == TG_NEVER)
			schedule();
		else
			schedule_hrtimeout_range(&at, 0, HRTIMER_MODE_ABS);
	}
	__set_current_state(TASK_RUNNING);
}

static int poll_thread(void *unused)
{
	struct tgk_gpu *gpu;
	s64 next;

	set_freezable();
	while (!kthread_should_stop()) {
		if (freezing(current)) {
			tgk_sleep_begin();
			kthread_freezable_should_stop(NULL);
			tgk_sleep_end();
		}
		xchg(&poked, 0);	/* before looking: a full barrier */
		next = TG_NEVER;
		mutex_lock(&poll_mutex);
		list_for_each_entry(gpu, &polled, poll.node)
			next = min(next, take_reading(gpu));
		mutex_unlock(&poll_mutex);
		if (next > ktime_get_ns())
			rest(next);
		else
			cond_resched();
	}
	return 0;
}

/**
 * tgk_poll_cpu_time() - CPU time that the poller has spent since the module was loaded
 *
 * Return: ns
 */
u64 tgk_poll_cpu_time(void)
{
	return READ_ONCE(poller->se.sum_exec_runtime);
}

u64 tgk_poll_readings(void)
{
	return READ_ONCE(readings);
}

/* The last CPU: interrupts prefer the first. */
unsigned int tgk_poll_cpu_default(void)
{
	return cpumask_last(cpu_online_mask);
}

unsigned int tgk_poll_cpu(void)
{
	return READ_ONCE(cpu);
}

/**
 * tgk_poll_bind() - which CPU the poller runs on
 * @nr: the CPU
 *
 * Context: process.
 *
 * Return: 0, or -EINVAL: not online.
 */
int tgk_poll_bind(unsigned int nr)
{
	int ret = -EINVAL;

	mutex_lock(&poll_mutex);
	if (nr < nr_cpu_ids && cpu_online(nr))
		ret = set_cpus_allowed_ptr(poller, cpumask_of(nr));
	if (!ret)
		WRITE_ONCE(cpu, nr);
	mutex_unlock(&poll_mutex);
	return ret;
}

/* --- life --- */

static void unmap(struct tgk_poll *p)
{
	int i;

	for (i = 0; i < TGK_POLL_PAGES; i++) {
		if (p->page[i])
			iounmap(p->page[i]);
		p->page[i] = NULL;
	}
	p->chip = NULL;
}

static const struct tgk_chip *chip_of(const struct tgk_driver *driver, u32 id)
{
	int i;

	for (i = 0; i < driver->nr_chips; i++)
		if (id >= driver->chips[i].first && id <= driver->chips[i].last)
			return &driver->chips[i];
	return NULL;
}

/**
 * tgk_chip_engines() - how many engines are scheduled?
 * @driver: its driver
 * @id: the chip
 *
 * Context: any.
 */
u32 tgk_chip_engines(const struct tgk_driver *driver, u32 id)
{
	const struct tgk_chip *chip = chip_of(driver, id);

	if (chip)
		return chip->engines;
	return driver->engines ?: 1;
}

/**
 * tgk_poll_attach() - a GPU that may be polled
 * @gpu: the GPU, not yet visible
 *
 * A GPU that cannot be read is no error here: tgk_poll_able() refuses the policies that poll.
 * Context: process, under tgk_mutex.
 */
void tgk_poll_attach(struct tgk_gpu *gpu)
{
	struct pci_dev *pci = to_pci_dev(gpu->dev);
	const resource_size_t bar = pci_resource_start(pci, 0);
	struct tgk_poll *p = &gpu->poll;
	u32 i;

	p->seed = get_random_u32();
	p->chip = chip_of(gpu->driver, p->id);
	for (i = 0; p->chip && i < TGK_POLL_PAGES && p->chip->page[i]; i++) {
		p->page[i] = ioremap(bar + p->chip->page[i], PAGE_SIZE);
		if (!p->page[i])
			unmap(p);
	}
	mutex_lock(&poll_mutex);
	list_add_tail(&p->node, &polled);
	mutex_unlock(&poll_mutex);
}

/**
 * tgk_poll_detach() - it is polled no more when this returns
 * @gpu: the GPU
 *
 * Context: process.
 */
void tgk_poll_detach(struct tgk_gpu *gpu)
{
	mutex_lock(&poll_mutex);
	list_del(&gpu->poll.node);
	mutex_unlock(&poll_mutex);
	unmap(&gpu->poll);
}

/**
 * tgk_poll_able() - can a policy that polls be in force on this GPU? If not, say why.
 * @gpu: the GPU
 * @policy: the policy
 *
 * Context: process.
 */
bool tgk_poll_able(const struct tgk_gpu *gpu, const struct tg_policy *policy)
{
	if (!policy->sample || gpu->poll.chip)
		return true;
	if (!gpu->driver->nr_chips) {
		pr_err("GPU %u: policy %s reads the channel at work from the GPU, which we cannot do with %s's\n",
		       gpu->index, policy->name, gpu->driver->name);
		return false;
	}
	pr_err("GPU %u: policy %s reads the channel at work from the GPU, and of chip %03x we do not know where it stands: %s it can read\n",
	       gpu->index, policy->name, gpu->poll.id, gpu->driver->readable);
	return false;
}

/**
 * tgk_poll_init() - start the thread
 *
 * Context: process, at load.
 *
 * Return: 0 or a negative errno.
 */
int tgk_poll_init(void)
{
	cpu = tgk_poll_cpu_default();
	poller = kthread_create(poll_thread, NULL, "timegraph/poll");
	if (IS_ERR(poller))
		return PTR_ERR(poller);
	kthread_bind(poller, cpu);
	/* It is kept for tgk_poll_cpu_time(). */
	get_task_struct(poller);
	wake_up_process(poller);
	return 0;
}

/**
 * tgk_poll_exit() - end it
 *
 * Context: process, at unload, no GPU attached.
 */
void tgk_poll_exit(void)
{
	kthread_stop(poller);
	put_task_struct(poller);
}
