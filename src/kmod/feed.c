// SPDX-License-Identifier: GPL-2.0
/*
 * The core's host: one tgk_gpu per GPU. Feeds events, carries out actions, owns the core's
 * memory, its timer and what is in force for all GPUs.
 *
 * tgk_feed() and everything that it calls run under tgk_gpu.lock, in any context. The rest
 * runs in process context; what changes the list of GPUs or a setting, under tgk_mutex.
 */
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/ratelimit.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "tgk.h"
#include "wrap/timer.h"

#define BUCKET_BITS	9
#define POOL_KEEP	128	/* spare objects of a kind, when work has ended */

#define WAKES		64	/* round trips that are tried */
#define STALL_WAKES	1000	/* stall_us, in times that it takes to wake a thread */
#define STALL_LEAST	2000	/* us */
#define STALL_MOST	20000

LIST_HEAD(tgk_gpus);
u32 tgk_policy;			/* tgk_mutex: wanted for every GPU */
s64 tgk_knobs[TG_KNOBS];	/* tgk_mutex to write */
u32 tgk_foreground;		/* process in the foreground, 0: none; tgk_mutex */
struct tgk_spec *tgk_spec;	/* tgk_mutex and tgk_spec_sem, one of them to read it */
DECLARE_RWSEM(tgk_spec_sem);

DECLARE_WAIT_QUEUE_HEAD(tgk_told);

atomic64_t tgk_stats[TGK_STATS];

const char *const tgk_stat_names[TGK_STATS] = {
	[TGK_STAT_SUBMITTED] = "submitted",
	[TGK_STAT_OPEN] = "open",
	[TGK_STAT_UNASKED] = "unasked",
	[TGK_STAT_WAITED] = "waited",
	[TGK_STAT_PASSED] = "passed",
	[TGK_STAT_FENCE_WAITED] = "fence_waited",
	[TGK_STAT_PARKED] = "parked",
	[TGK_STAT_RESUMED] = "resumed",
	[TGK_STAT_CANCELLED] = "cancelled",
	[TGK_STAT_FAILED] = "failed",
	[TGK_STAT_COMPLETED] = "completed",
	[TGK_STAT_LOST] = "lost",
	[TGK_STAT_REPAIRED] = "repaired",
	[TGK_STAT_RECOVERED] = "recovered",
	[TGK_STAT_OVERLAPS] = "overlaps",
	[TGK_STAT_EJECTED] = "ejected",
	[TGK_STAT_DRAIN_CUT] = "drain_cut",
	[TGK_STAT_NOT_ADMITTED] = "not_admitted",
	[TGK_STAT_VRAM_REQUESTS] = "vram_requests",
	[TGK_STAT_VRAM_WAITED] = "vram_waited",
	[TGK_STAT_VRAM_REFUSED] = "vram_refused",
	[TGK_STAT_VRAM_LATE] = "vram_late",
	[TGK_STAT_VRAM_DEADLOCK] = "vram_deadlock",
	[TGK_STAT_VRAM_AGAIN] = "vram_again",
};

const char *const tgk_note_names[] = {
	[TG_NOTE_LOST] = "LOST",
	[TG_NOTE_REPAIRED] = "REPAIRED",
	[TG_NOTE_RECOVERED] = "RECOVERED",
	[TG_NOTE_OVERLAP] = "OVERLAP",
	[TG_NOTE_EJECTED_PICK] = "EJECTED_PICK",
	[TG_NOTE_EJECTED_STARVED] = "EJECTED_STARVED",
	[TG_NOTE_DRAIN_CUT] = "DRAIN_CUT",
	[TG_NOTE_POLICY] = "POLICY",
	[TG_NOTE_DRY] = "DRY",
	[TG_NOTE_NOT_ADMITTED] = "NOT_ADMITTED",
	[TG_NOTE_NO_VRAM] = "NO_VRAM",
	[TG_NOTE_VRAM_LATE] = "VRAM_LATE",
	[TG_NOTE_VRAM_DEADLOCK] = "VRAM_DEADLOCK",
};

static_assert(ARRAY_SIZE(tgk_note_names) == TG_NOTES);

static bool named_policy(u32 note)
{
	return note == TG_NOTE_POLICY || note == TG_NOTE_DRY;
}

static bool failed_policy(u32 note)
{
	return note == TG_NOTE_EJECTED_PICK || note == TG_NOTE_EJECTED_STARVED;
}

/* --- actions: under tgk_gpu.lock, inside tgk_feed() --- */

static void act_note(struct tgk_gpu *gpu, const struct tg_action *action)
{
	static const u8 stats[TG_NOTES] = {
		[TG_NOTE_LOST] = TGK_STAT_LOST,
		[TG_NOTE_REPAIRED] = TGK_STAT_REPAIRED,
		[TG_NOTE_RECOVERED] = TGK_STAT_RECOVERED,
		[TG_NOTE_OVERLAP] = TGK_STAT_OVERLAPS,
		[TG_NOTE_EJECTED_PICK] = TGK_STAT_EJECTED,
		[TG_NOTE_EJECTED_STARVED] = TGK_STAT_EJECTED,
		[TG_NOTE_DRAIN_CUT] = TGK_STAT_DRAIN_CUT,
		[TG_NOTE_NOT_ADMITTED] = TGK_STAT_NOT_ADMITTED,
		[TG_NOTE_NO_VRAM] = TGK_STAT_NOT_ADMITTED,
		[TG_NOTE_VRAM_LATE] = TGK_STAT_VRAM_LATE,
		[TG_NOTE_VRAM_DEADLOCK] = TGK_STAT_VRAM_DEADLOCK,
	};
	const struct tgk_client *client = action->host;
	struct tgk_note *note;

	if (!named_policy(action->arg))
		tgk_count(stats[action->arg]);
	if (gpu->closing)
		return;
	if (gpu->nr_notes == TGK_NOTES) {
		gpu->dropped_notes++;
		return;
	}
	note = &gpu->notes[gpu->nr_notes++];
	memset(note, 0, sizeof(*note));
	note->what = action->arg;
	if (named_policy(note->what))
		note->policy = tg_policy_get(action->job);
	else if (failed_policy(note->what))
		note->policy = tg_gpu_policy(&gpu->core);	/* until this note is out */
	if (client) {
		note->client = client->id;
		note->pid = client->ident.pid;
		note->uid = client->ident.uid;
		memcpy(note->comm, client->ident.comm, sizeof(note->comm));
	}
	queue_work(tgk_wq, &gpu->tell);
}

static void tgk_emit(struct tg_actions *out, const struct tg_action *action)
{
	struct tgk_gpu *gpu = container_of(out, struct tgk_gpu, out);

	tgk_trace_action(&gpu->trace, action);
	switch (action->kind) {
	case TG_ACT_FREE: {
		struct tgk_job *job = action->host;

		WRITE_ONCE(job->freed, true);
		/* A parked job has a task too, but that one sleeps for reasons of its own. */
		if (job->task && !job->file)
			wake_up_process(job->task);
		break;
	}
	case TG_ACT_ARM:
		/* Asleep: it is set anew afterwards. */
		if (!gpu->closing && !gpu->sleep.since)
			hrtimer_start(&gpu->timer, ns_to_ktime(action->at + gpu->sleep.sum),
				      HRTIMER_MODE_ABS_HARD);
		break;
	case TG_ACT_NOTE:
		act_note(gpu, action);
		break;
	case TG_ACT_GATE:
		tgk_client_gate(action->host, action->arg);
		break;
	case TG_ACT_SYNC:
		tgk_client_sync(action->host);
		break;
	case TG_ACT_POLL:
		tgk_poll_until(gpu, action->arg ? action->at + gpu->sleep.sum : 0, action->arg);
		break;
	case TG_ACT_GONE:
		tgk_client_gone(action->host);
		break;
	case TG_ACT_MEM_GRANT:
	case TG_ACT_MEM_REFUSE:
		tgk_vram_answer(action->host, action->kind == TG_ACT_MEM_GRANT);
		break;
	default:
		break;
	}
}

static int feed_one(struct tgk_gpu *gpu, struct tg_event *ev)
{
	const struct tgk_spec *spec = NULL;
	u32 len = 0;
	int ret;

	lockdep_assert_held(&gpu->lock);
	ev->now = tgk_core_time(gpu, ktime_get_ns());
	if (ev->kind != TG_EV_KNOB) {
		ev->at = ev->at ? tgk_core_time(gpu, ev->at) : ev->now;
		ev->at = min(ev->at, ev->now);
	}
	if (ev->kind == TG_EV_SPEC && ev->data) {
		spec = container_of(ev->data, struct tgk_spec, spec);
		len = spec->len;
	}
	if (ev->kind == TG_EV_SUBMIT)
		((struct tgk_job *)ev->host)->arrived = ev->now;
	tgk_trace_begin(&gpu->trace, ev, len);
	ret = tg_gpu_feed(&gpu->core, ev, &gpu->out);
	tgk_trace_end(&gpu->trace, ev, len, ret);
	return ret;
}

static void tell_started(struct tgk_gpu *gpu)
{
	struct tgk_job *job, *next;

	list_for_each_entry_safe(job, next, &gpu->unstarted, node) {
		struct tg_event ev = { .kind = TG_EV_STARTED, .job = job->id, .arg = 1 };

		ev.at = smp_load_acquire(&job->at);	/* and its fence: tgk_fence_arm() */
		if (!ev.at)
			continue;
		list_move_tail(&job->node, &gpu->flights);
		gpu->nr_unstarted--;
		if (ev.at == TGK_ARMED)
			job->at = TGK_ASKED;
		else
			feed_one(gpu, &ev);
	}
}

static void tell_went(struct tgk_gpu *gpu)
{
	struct tgk_job *job, *next;
	struct llist_node *all;

	all = llist_reverse_order(__llist_del_all(&gpu->unasked));
	gpu->nr_unasked = 0;
	llist_for_each_entry_safe(job, next, all, chain) {
		struct tg_event ev = {
			.kind = TG_EV_WENT, .client = job->client, .channel = job->channel,
			.job = job->id, .host = job,
		};

		ev.at = smp_load_acquire(&job->at);	/* and its fence: tgk_fence_arm() */
		ev.arg = ev.at > 0;
		list_add_tail(&job->node, ev.at ? &gpu->flights : &gpu->unstarted);
		gpu->nr_unstarted += !ev.at;
		if (ev.at == TGK_ARMED) {
			job->at = TGK_ASKED;
			ev.at = 0;
		}
		feed_one(gpu, &ev);
	}
}

/**
 * tgk_tell() - let the core know of all jobs that went without asking
 * @gpu: the GPU
 *
 * Those that have started are in flight from now on as all others are. Of those whose thread is
 * still inside nouveau, it is told again with the next event after they have; of an EXEC that waits
 * there without its thread, when it starts.
 * Context: under tgk_gpu.lock.
 */
void tgk_tell(struct tgk_gpu *gpu)
{
	lockdep_assert_held(&gpu->lock);
	tell_started(gpu);
	tell_went(gpu);
}

/**
 * tgk_feed() - let one thing happen
 * @gpu: the GPU
 * @ev: what; its now is set here, its at too unless it means something: by ktime_get_ns(), made
 *	the core's time here
 *
 * Context: under tgk_gpu.lock.
 *
 * Return: as tg_gpu_feed().
 */
int tgk_feed(struct tgk_gpu *gpu, struct tg_event *ev)
{
	if (gpu->nr_unasked || gpu->nr_unstarted)
		tgk_tell(gpu);
	return feed_one(gpu, ev);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct tgk_gpu *gpu = container_of(timer, struct tgk_gpu, timer);
	struct tg_event ev = { .kind = TG_EV_TIMER };
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	if (!gpu->closing && !gpu->sleep.since)
		tgk_feed(gpu, &ev);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
	return HRTIMER_NORESTART;
}

/* --- notes: process context, a work item --- */

/*
 * What clients can bring about is told ten times in five seconds at most, each kind for itself.
 * What root does, and what fails because of it, is told always: who keeps count must not miss any.
 */
static bool worth_telling(const struct tgk_note *note)
{
	static struct ratelimit_state limits[TG_NOTES] = {
		[0 ... TG_NOTES - 1] = RATELIMIT_STATE_INIT(limits, DEFAULT_RATELIMIT_INTERVAL,
							    DEFAULT_RATELIMIT_BURST),
	};

	/* A process without a channel: we do not know its name. */
	if (!note->client &&
	    (note->what == TG_NOTE_VRAM_LATE || note->what == TG_NOTE_VRAM_DEADLOCK))
		return false;
	return note->policy || ___ratelimit(&limits[note->what], "timegraph");
}

/* A client chooses its name: nothing in it may pass for a line of the log, or for another key. */
static void make_plain(char *comm)
{
	for (; *comm; comm++)
		if (!isascii(*comm) || !isprint(*comm))
			*comm = '?';
}

static void log_note(const struct tgk_gpu *gpu, const struct tgk_note *note)
{
	switch (note->what) {
	case TG_NOTE_LOST:
		pr_warn("GPU %u: client %u (%s, pid %u): a command group ran past its deadline and is written off\n",
			gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_REPAIRED:
		pr_notice("GPU %u: client %u (%s, pid %u): a command group written off has completed; accounts corrected\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_RECOVERED:
		pr_notice("GPU %u: the engine completes command groups again\n", gpu->index);
		break;
	case TG_NOTE_OVERLAP:
		pr_notice("GPU %u: client %u (%s, pid %u): a freed submission did not reach the GPU in time and lost its turn\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_EJECTED_PICK:
		pr_warn("GPU %u: policy %s chose a command group that was not its to choose: fifo is in force, reserves are lifted\n",
			gpu->index, note->policy->name);
		break;
	case TG_NOTE_EJECTED_STARVED:
		pr_warn("GPU %u: policy %s left an eligible command group waiting: fifo is in force, reserves are lifted\n",
			gpu->index, note->policy->name);
		break;
	case TG_NOTE_DRAIN_CUT:
		pr_warn("GPU %u: a drain was cut short: client %u (%s, pid %u) still had work in flight\n",
			gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_NOT_ADMITTED:
		pr_notice("GPU %u: client %u (%s, pid %u): its reserve does not fit beside those admitted: it is in Background\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_NO_VRAM:
		pr_notice("GPU %u: client %u (%s, pid %u): the VRAM that its line asks for (mem=) does not fit beside what others hold: it is in Background, and none is set aside\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_VRAM_LATE:
		pr_notice("GPU %u: client %u (%s, pid %u): a request for VRAM has waited for vram_timeout_us and fails\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_VRAM_DEADLOCK:
		pr_notice("GPU %u: client %u (%s, pid %u): a request for VRAM fails, since processes that hold some wait for each other\n",
			  gpu->index, note->client, note->comm, note->pid);
		break;
	case TG_NOTE_POLICY:
		pr_info("GPU %u: policy %s is in force\n", gpu->index, note->policy->name);
		break;
	case TG_NOTE_DRY:
		pr_info("GPU %u: dry run: policy %s is only modelled, nothing is delayed\n",
			gpu->index, note->policy->name);
		break;
	}
}

/*
 * In the module's name, not in the device's: its kobject is there as long as we are, whatever
 * becomes of the device. Without memory the log has to do. Every process may listen, so whose doing
 * it is stands in it only if root has made all clients public.
 */
static void send_uevent(const struct tgk_gpu *gpu, const struct tgk_note *note)
{
	struct kobj_uevent_env *env = kzalloc(sizeof(*env), GFP_KERNEL);

	if (!env)
		return;
	add_uevent_var(env, "TIMEGRAPH_EVENT=%s", tgk_note_names[note->what]);
	add_uevent_var(env, "TIMEGRAPH_GPU=%u", gpu->index);
	add_uevent_var(env, "TIMEGRAPH_DEVICE=%s", dev_name(gpu->dev));
	if (note->policy)
		add_uevent_var(env, "TIMEGRAPH_POLICY=%s", note->policy->name);
	if (note->client && READ_ONCE(tgk_public)) {
		add_uevent_var(env, "TIMEGRAPH_CLIENT=%u", note->client);
		add_uevent_var(env, "TIMEGRAPH_PID=%u", note->pid);
		add_uevent_var(env, "TIMEGRAPH_UID=%u", note->uid);
		add_uevent_var(env, "TIMEGRAPH_COMM=%s", note->comm);
	}
	kobject_uevent_env(&THIS_MODULE->mkobj.kobj, KOBJ_CHANGE, env->envp);
	kfree(env);
}

static void tell_note(const struct tgk_gpu *gpu, struct tgk_note *note)
{
	if (!worth_telling(note))
		return;
	make_plain(note->comm);
	log_note(gpu, note);
	send_uevent(gpu, note);
}

static void tell(struct work_struct *work)
{
	struct tgk_gpu *gpu = container_of(work, struct tgk_gpu, tell);
	struct tgk_note note;
	u32 dropped;
	bool more;

	do {
		raw_spin_lock_irq(&gpu->lock);
		dropped = gpu->dropped_notes;
		gpu->dropped_notes = 0;
		more = gpu->nr_notes;
		if (more) {
			note = gpu->notes[0];
			memmove(gpu->notes, gpu->notes + 1, --gpu->nr_notes * sizeof(note));
		}
		raw_spin_unlock_irq(&gpu->lock);
		if (more)
			tell_note(gpu, &note);
		if (dropped)
			pr_notice("GPU %u: %u more notes\n", gpu->index, dropped);
	} while (more);
	wake_up_all(&tgk_told);
}

/* --- the core's memory --- */

/**
 * tgk_pool_fill() - see to it that a pool holds @n objects
 * @gpu: the GPU
 * @pool: which
 * @n: how many; somebody else may take them before the caller comes back with the lock
 *
 * Context: process, without the lock.
 *
 * Return: 0 or -ENOMEM.
 */
int tgk_pool_fill(struct tgk_gpu *gpu, enum tg_pool pool, u32 n)
{
	void *object = NULL;
	bool full;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		if (object) {
			tg_gpu_give(&gpu->core, pool, object);
			gpu->given[pool]++;
		}
		full = gpu->core.pooled[pool] >= n;
		raw_spin_unlock_irq(&gpu->lock);
		if (full)
			return 0;
		object = kvzalloc(tg_pool_size[pool], GFP_KERNEL_ACCOUNT);
		if (!object)
			return -ENOMEM;
	}
}

/**
 * tgk_pools_trim() - give back the memory of spare objects, but for some
 * @gpu: the GPU
 *
 * Context: process, without the lock.
 */
void tgk_pools_trim(struct tgk_gpu *gpu)
{
	struct tgk_job *job = NULL;
	void *object;
	u32 pool;

	for (pool = 0; pool < TG_POOLS; pool++) {
		while (READ_ONCE(gpu->core.pooled[pool]) > POOL_KEEP) {
			raw_spin_lock_irq(&gpu->lock);
			object = tg_gpu_take(&gpu->core, pool);
			gpu->given[pool] -= !!object;
			raw_spin_unlock_irq(&gpu->lock);
			kvfree(object);
		}
	}
	while (READ_ONCE(gpu->nr_spare) > POOL_KEEP) {
		raw_spin_lock_irq(&gpu->lock);
		if (gpu->spare.first) {
			job = llist_entry(gpu->spare.first, struct tgk_job, chain);
			gpu->spare.first = job->chain.next;
			gpu->nr_spare--;
		}
		raw_spin_unlock_irq(&gpu->lock);
		kfree(job);
		job = NULL;
	}
}

static void pools_free(struct tgk_gpu *gpu)
{
	void *object;
	u32 pool;

	for (pool = 0; pool < TG_POOLS; pool++) {
		while ((object = tg_gpu_take(&gpu->core, pool))) {
			kvfree(object);
			gpu->given[pool]--;
		}
		WARN(gpu->given[pool], "timegraph: %llu objects of pool %u are missing\n",
		     gpu->given[pool], pool);
	}
}

/* --- life of a GPU --- */

static void feed(struct tgk_gpu *gpu, struct tg_event *ev)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&gpu->lock, flags);
	tgk_feed(gpu, ev);
	raw_spin_unlock_irqrestore(&gpu->lock, flags);
}

static int buckets_alloc(struct tg_buckets *b)
{
	b->bits = BUCKET_BITS;
	b->jobs = kvcalloc(1 << BUCKET_BITS, sizeof(*b->jobs), GFP_KERNEL);
	b->clients = kvcalloc(1 << BUCKET_BITS, sizeof(*b->clients), GFP_KERNEL);
	b->channels = kvcalloc(1 << BUCKET_BITS, sizeof(*b->channels), GFP_KERNEL);
	return b->jobs && b->clients && b->channels ? 0 : -ENOMEM;
}

static void buckets_free(const struct tg_buckets *b)
{
	kvfree(b->jobs);
	kvfree(b->clients);
	kvfree(b->channels);
}

/* A dry run takes memory, which is there from its first time on. */
static int set_knob_gpu(struct tgk_gpu *gpu, int policy, u32 nr, s64 value)
{
	struct tg_event ev;
	int ret;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		ev = (struct tg_event) {
			.kind = TG_EV_KNOB, .arg = nr, .job = policy >= 0, .at = value,
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
 * tgk_gpu_create() - schedule a GPU from now on
 * @drm: nouveau's device
 * @dev: its PCI device
 *
 * Context: process, under tgk_mutex.
 *
 * Return: the GPU, or an ERR_PTR().
 */
struct tgk_gpu *tgk_gpu_create(const struct drm_device *drm, struct device *dev)
{
	struct list_head *after = &tgk_gpus;
	struct tg_buckets buckets;
	struct tgk_gpu *gpu, *other;
	u32 i;
	int ret;

	gpu = kvzalloc(sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return ERR_PTR(-ENOMEM);
	list_for_each_entry(other, &tgk_gpus, node) {
		if (other->index != gpu->index)
			break;
		gpu->index++;
		after = &other->node;
	}
	gpu->drm = drm;
	gpu->dev = get_device(dev);
	atomic_set(&gpu->calls, 1);
	tgk_timer_setup(&gpu->timer, on_timer);
	INIT_DELAYED_WORK(&gpu->unpark, tgk_unpark);
	INIT_WORK(&gpu->tell, tell);
	init_llist_head(&gpu->spare);
	init_waitqueue_head(&gpu->open_wait);
	raw_spin_lock_init(&gpu->lock);
	gpu->out.emit = tgk_emit;
	hash_init(gpu->clients);
	hash_init(gpu->channels);
	INIT_LIST_HEAD(&gpu->waiting);
	INIT_LIST_HEAD(&gpu->parked);
	hash_init(gpu->parked_by);
	INIT_LIST_HEAD(&gpu->flights);
	INIT_LIST_HEAD(&gpu->unstarted);
	init_llist_head(&gpu->unasked);
	INIT_LIST_HEAD(&gpu->asking);
	INIT_LIST_HEAD(&gpu->left);
	hash_init(gpu->owners);
	hash_init(gpu->objects);
	tgk_fence_gpu(gpu);

	ret = buckets_alloc(&buckets);
	if (ret)
		goto free;
	gpu->poll.id = tgk_chip_id(gpu->dev);
	tg_gpu_init(&gpu->core, tgk_chip_engines(gpu->poll.id), tgk_policy, &buckets,
		    ktime_get_ns());
	ret = tgk_trace_init(&gpu->trace, tgk_trace_kib, gpu->index, gpu->core.policy->name,
			     gpu->core.nr_engines, gpu->core.now);
	if (ret)
		goto free;
	if (tgk_spec) {
		struct tg_event ev = { .kind = TG_EV_SPEC, .data = &tgk_spec->spec };

		feed(gpu, &ev);
	}
	tgk_vgpus_attach(gpu);
	tgk_poll_attach(gpu);
	ret = tgk_poll_able(gpu, gpu->core.policy) ? 0 : -EOPNOTSUPP;
	for (i = 0; i < TG_KNOBS && !ret; i++)
		ret = set_knob_gpu(gpu, -1, i, tgk_knobs[i]);
	if (tgk_foreground) {
		struct tg_event ev = { .kind = TG_EV_FOREGROUND, .arg = tgk_foreground };

		feed(gpu, &ev);
	}
	ret = ret ?: tgk_sysfs_gpu_add(gpu);
	if (ret)
		goto unpoll;
	list_add_rcu(&gpu->node, after);
	return gpu;

unpoll:
	tgk_poll_detach(gpu);
	hrtimer_cancel(&gpu->timer);
	set_knob_gpu(gpu, -1, TG_KNOB_DRY, 0);
	flush_workqueue(tgk_wq);
	pools_free(gpu);
	tgk_trace_exit(&gpu->trace);
free:
	buckets_free(&buckets);
	put_device(gpu->dev);
	kvfree(gpu);
	return ERR_PTR(ret);
}

/**
 * tgk_gpu_close() - schedule it no more
 * @gpu: the GPU
 * @how: what its waiters have to do
 *
 * Context: process, under tgk_mutex.
 *
 * Return: how many threads were waiting.
 */
u32 tgk_gpu_close(struct tgk_gpu *gpu, enum tgk_closing how)
{
	struct tgk_job *job;
	struct tgk_ask *ask;
	u32 waiters = 0;

	list_del_rcu(&gpu->node);
	raw_spin_lock_irq(&gpu->lock);
	WRITE_ONCE(gpu->closing, how);
	list_for_each_entry(job, &gpu->waiting, node) {
		wake_up_process(job->task);
		waiters++;
	}
	list_for_each_entry(ask, &gpu->asking, node) {
		wake_up_process(ask->task);
		waiters++;
	}
	raw_spin_unlock_irq(&gpu->lock);
	wake_up_all(&gpu->open_wait);
	wake_up_all(&tgk_told);
	synchronize_rcu();
	tgk_gpu_put(gpu);
	return waiters;
}

/**
 * tgk_gpu_quiesce() - wait until no call uses it
 * @gpu: the GPU, closed
 *
 * Takes as long as nouveau takes for the calls that it has, up to the 15 s of its own
 * time-outs; longer when a thread of a client is stuck in there (a page fault that nobody
 * serves), and then says so.
 * Context: process.
 */
void tgk_gpu_quiesce(struct tgk_gpu *gpu)
{
	unsigned int n = 0;

	/* TASK_IDLE: to wait for others for long is no fault of this thread. */
	while (atomic_read_acquire(&gpu->calls)) {
		schedule_timeout_idle(HZ / 100);
		if (++n % 2000 == 0)
			pr_notice("GPU %u: still waiting for %u calls inside nouveau\n",
				  gpu->index, atomic_read(&gpu->calls));
	}
}

/**
 * tgk_gpu_destroy() - forget it
 * @gpu: the GPU, closed and quiet
 *
 * Context: process.
 */
void tgk_gpu_destroy(struct tgk_gpu *gpu)
{
	struct tg_event ev = { .kind = TG_EV_SPEC };

	tgk_poll_detach(gpu);
	hrtimer_cancel(&gpu->timer);
	cancel_delayed_work_sync(&gpu->unpark);
	tgk_unpark_all(gpu);
	tgk_fence_drop_all(gpu);
	tgk_channel_leave(gpu, NULL, NULL);
	tgk_channel_forget(gpu, NULL, NULL);
	tgk_vram_forget_all(gpu);
	set_knob_gpu(gpu, -1, TG_KNOB_DRY, 0);
	rcu_barrier();	/* channels, with fences that are nouveau's */
	feed(gpu, &ev);
	tgk_sysfs_gpu_remove(gpu);
	/* Folders of clients, notes, answers to SYNC: all that is queued for this GPU. */
	flush_workqueue(tgk_wq);
	WARN_ON(!hash_empty(gpu->clients) || !hash_empty(gpu->owners));
	pools_free(gpu);
	tgk_trace_exit(&gpu->trace);
	buckets_free(&gpu->core.buckets);
	put_device(gpu->dev);
	kvfree(gpu);
}

/**
 * tgk_gpu_get() - find and hold a GPU
 * @drm: nouveau's device
 *
 * Return: the GPU, or NULL when it is not scheduled.
 */
struct tgk_gpu *tgk_gpu_get(const struct drm_device *drm)
{
	struct tgk_gpu *gpu, *found = NULL;

	rcu_read_lock_sched();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node, rcu_read_lock_sched_held()) {
		if (gpu->drm == drm && atomic_inc_not_zero(&gpu->calls)) {
			found = gpu;
			break;
		}
	}
	rcu_read_unlock_sched();
	return found;
}

/* --- what is in force for all GPUs: process context, under tgk_mutex --- */

static s64 stall_default;	/* us; set at load */

static void do_nothing(struct work_struct *work)
{
}

/*
 * How long is a submission's thread on its way from its turn to the GPU? It is woken, and has some
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
 * tgk_host_init() - before anything else
 * @policy: number of the first policy
 * @dry: it is only modelled
 */
void tgk_host_init(u32 policy, bool dry)
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
 * Context: process, also without tgk_mutex. tgk_told is woken when the answer may have changed.
 */
bool tgk_policy_settled(void)
{
	struct tgk_gpu *gpu;
	bool settled = true;

	rcu_read_lock();
	list_for_each_entry_rcu(gpu, &tgk_gpus, node) {
		raw_spin_lock_irq(&gpu->lock);
		settled = settled && !gpu->core.next_policy;
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
	list_for_each_entry(gpu, &tgk_gpus, node) {
		struct tg_event ev = { .kind = TG_EV_POLICY, .arg = nr };

		feed(gpu, &ev);
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

/* Matching all clients anew takes up to one reserve each. */
static int set_spec_gpu(struct tgk_gpu *gpu, const struct tgk_spec *spec, bool rematch)
{
	struct tg_event ev;
	u32 clients;
	int ret;

	for (;;) {
		raw_spin_lock_irq(&gpu->lock);
		ev = (struct tg_event) {
			.kind = TG_EV_SPEC, .data = &spec->spec, .arg = rematch,
		};
		ret = tgk_feed(gpu, &ev);
		clients = gpu->core.nr_clients;
		raw_spin_unlock_irq(&gpu->lock);
		if (ret != -ENOMEM)
			return ret;
		ret = tgk_pool_fill(gpu, TG_POOL_RESERVE, clients);
		if (ret)
			return ret;
	}
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
		ret = set_knob_gpu(gpu, policy, nr, value) ?: ret;
	if (policy < 0 && !ret)
		WRITE_ONCE(tgk_knobs[nr], value);
	return ret;
}

/**
 * tgk_set_foreground() - tell every GPU who has the foreground window
 * @pid: process, 0: none
 */
void tgk_set_foreground(u32 pid)
{
	struct tg_event ev = { .kind = TG_EV_FOREGROUND, .arg = pid };
	struct tgk_gpu *gpu;

	lockdep_assert_held(&tgk_mutex);
	WRITE_ONCE(tgk_foreground, pid);
	list_for_each_entry(gpu, &tgk_gpus, node)
		feed(gpu, &ev);
}
