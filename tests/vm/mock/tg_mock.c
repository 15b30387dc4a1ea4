// SPDX-License-Identifier: GPL-2.0
/*
 * tgmock - a DRM driver on the kernel's own drm_sched whose GPU is a timer. It is the test card of
 * timegraph's backend for such drivers, and a witness: it shares no code with what it watches.
 *
 * It binds to QEMU's `edu` device (scripts/vm -e), of which it uses nothing, or to a platform
 * device of its own (tg_bus.h). A ring executes one job at a time, in the order in which
 * drm_sched hands them over. A job ends when a timer expires.
 *
 * Parameters:
 *	shared=1	one scheduler per ring for all files, as amdgpu has; 0: each file has one
 *			per ring of its own, as nouveau and xe have
 *	rings=N		1 to 4; as v3d 1 to 5
 *	credits=N	so many jobs of one scheduler stand in its ring at a time
 *	timeout_ms=N	a job that takes longer is aborted by drm_sched's time-out
 *	as=NAME		another driver's name, and its ioctls (tg_as.h)
 *	sleeps=1	it is asleep by runtime power management whenever nobody holds it (tg_sleep.h)
 *	tail_us=N	behind each job the same thread makes another one of N us, on the last ring: the
 *			driver's own, as amdgpu's that wipes the memory of an object
 *
 * /sys/kernel/debug/tgmock/DEVICE tells the truth: for each file how many jobs each ring has ended
 * for it, and for how many ns of the system's clock the ring has worked for it; those of process 0
 * are the driver's own. `span_ns` is of submissions of several jobs (tg_chain.h). Lines written
 * there:
 *	hang RING	the job that this ring executes, or its next one, does not end
 *	reset		abort all jobs that are in rings
 *
 * Locks: mock_ring.lock, with interrupts off, guards a ring and what its jobs add to the truth;
 * mock.files_mutex the list of files.
 */
#include <linux/debugfs.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait_bit.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_syncobj.h>
#include <drm/gpu_scheduler.h>

#include "tg_as.h"
#include "tg_bus.h"
#include "tg_hw.h"
#include "tg_port.h"
#include "tg_sleep.h"

static bool shared = true;
module_param(shared, bool, 0444);

static unsigned int rings = 1;
module_param(rings, uint, 0444);

static unsigned int credits = 2;
module_param(credits, uint, 0444);

static unsigned int timeout_ms = 5000;
module_param(timeout_ms, uint, 0444);

static unsigned int tail_us;
module_param(tail_us, uint, 0444);

static bool sleeps;
module_param(sleeps, bool, 0444);

static char *as = "tgmock";
module_param(as, charp, 0444);
static const struct mock_as *my;

static struct dentry *debugfs;

/* One ring; under @lock from @head on: mock_fence.link, of which the first one runs since @since. */
struct mock_ring {
	u32 nr;
	struct drm_gpu_scheduler sched;		/* if @shared */
	spinlock_t lock;
	struct list_head head;
	struct hrtimer timer;
	ktime_t since;
	bool hang, dead;
	u64 jobs, aborted, busy_ns;
};

struct mock {
	struct drm_device drm;
	struct mock_ring ring[TGMOCK_RINGS];
	struct mutex files_mutex;
	struct list_head files;			/* files_mutex; mock_truth.node */
	struct mock_truth *own;			/* one of them: the driver's own jobs */
	struct dentry *file;
};

/* What a file has used; it is remembered until the device goes. */
struct mock_truth {
	struct kref refs;
	struct list_head node;
	pid_t pid;
	bool closed;
	u64 jobs[TGMOCK_RINGS], busy_ns[TGMOCK_RINGS];	/* mock_ring.lock */
	u64 span_ns[TGMOCK_RINGS];		/* chain_lock */
};

struct mock_file {
	struct mock *mock;
	struct mock_truth *truth;
	struct mutex push;			/* arming and pushing, in one order */
	atomic_t jobs;				/* made and not yet freed */
	u64 context;
	atomic_t seqno;
	struct drm_sched_entity entity[TGMOCK_RINGS];
	struct drm_gpu_scheduler own[TGMOCK_RINGS];	/* if not @shared */
};

struct mock_job {
	struct drm_sched_job base;
	struct mock_file *file;
	struct mock_fence *hw;			/* until run_job() gives it to the ring */
	u32 ring;
};

static void truth_free(struct kref *refs)
{
	kfree(container_of(refs, struct mock_truth, refs));
}

/* --- a ring --- */

static struct mock_fence *first_of(struct mock_ring *r)
{
	return list_first_entry_or_null(&r->head, struct mock_fence, link);
}

/* Under the ring's lock: the first job begins. */
static void begin(struct mock_ring *r)
{
	struct mock_fence *hw = first_of(r);

	if (!hw)
		return;
	chain_begin(hw->chain);
	r->since = ktime_get();
	if (!r->hang)
		hrtimer_start(&r->timer, ns_to_ktime(hw->ns), HRTIMER_MODE_REL);
}

/* Under the ring's lock: the first job leaves, having run. */
static struct mock_fence *leave(struct mock_ring *r)
{
	struct mock_fence *hw = first_of(r);
	const u64 busy = ktime_to_ns(ktime_sub(ktime_get(), r->since));

	list_del_init(&hw->link);
	r->jobs++;
	r->busy_ns += busy;
	hw->truth->jobs[r->nr]++;
	hw->truth->busy_ns[r->nr] += busy;
	chain_ended(hw->chain, hw->truth->span_ns);
	return hw;
}

static void signal(struct mock_fence *hw, int error)
{
	struct mock_truth *truth = hw->truth;

	if (error)
		dma_fence_set_error(&hw->fence, error);
	dma_fence_signal(&hw->fence);
	dma_fence_put(&hw->fence);
	kref_put(&truth->refs, truth_free);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct mock_ring *r = container_of(timer, struct mock_ring, timer);
	struct mock_fence *hw;
	unsigned long flags;

	spin_lock_irqsave(&r->lock, flags);
	hw = r->hang ? NULL : first_of(r);
	/* The timer of a job that was aborted may come here, too early for the next one. */
	if (hw && ktime_to_ns(ktime_sub(ktime_get(), r->since)) < (s64)hw->ns)
		hw = NULL;
	if (hw) {
		leave(r);
		begin(r);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	if (hw)
		signal(hw, 0);
	return HRTIMER_NORESTART;
}

/* Abort all that is in a ring. @error: what the job that runs gets; the others were cancelled. */
static void abort_all(struct mock_ring *r, int error)
{
	struct mock_fence *hw, *next;
	LIST_HEAD(aborted);

	spin_lock_irq(&r->lock);
	r->hang = false;
	hw = first_of(r);
	if (hw) {
		leave(r);
		list_add(&hw->link, &r->head);
		r->jobs--;
		hw->truth->jobs[r->nr]--;
	}
	list_splice_init(&r->head, &aborted);
	list_for_each_entry(hw, &aborted, link)
		r->aborted++;
	spin_unlock_irq(&r->lock);
	list_for_each_entry_safe(hw, next, &aborted, link) {
		list_del_init(&hw->link);
		signal(hw, error);
		error = -ECANCELED;
	}
}

/* --- what drm_sched calls --- */

static struct mock_job *job_of(struct drm_sched_job *base)
{
	return container_of(base, struct mock_job, base);
}

static struct dma_fence *run_job(struct drm_sched_job *base)
{
	struct mock_job *job = job_of(base);
	struct mock_file *file = job->file;
	struct mock_ring *r = &file->mock->ring[job->ring];
	struct mock_fence *hw = job->hw;
	bool dead;

	if (!hw)	/* it has run: nothing is run again after a reset */
		return ERR_PTR(-ECANCELED);
	spin_lock_irq(&r->lock);
	dead = r->dead;
	if (!dead) {
		job->hw = NULL;
		hw_init(hw, file->context + job->ring, atomic_inc_return(&file->seqno));
		dma_fence_get(&hw->fence);	/* drm_sched's; the other one is the ring's */
		kref_get(&hw->truth->refs);
		list_add_tail(&hw->link, &r->head);
		if (first_of(r) == hw)
			begin(r);
	}
	spin_unlock_irq(&r->lock);
	return dead ? ERR_PTR(-ENODEV) : &hw->fence;
}

/*
 * The ring is reset, and with it all jobs that are in it end. Then drm_sched finds @base over, and
 * frees it when this returns.
 */
static enum drm_gpu_sched_stat timedout_job(struct drm_sched_job *base)
{
	struct mock_job *job = job_of(base);
	struct mock_ring *r = &job->file->mock->ring[job->ring];
	struct drm_gpu_scheduler *sched = base->sched;

	abort_all(r, -ETIME);
	drm_sched_stop(sched, base);
	port_sched_start(sched);
	return 1;	/* RESET, which was NOMINAL before 6.17 */
}

static void job_free(struct mock_job *job)
{
	struct mock_file *file = job->file;

	if (job->hw)
		chain_put(job->hw->chain);
	kfree(job->hw);
	kfree(job);
	/* The file may be freed at once: this knows its address only. */
	if (atomic_dec_and_test(&file->jobs))
		wake_up_var(&file->jobs);
}

static void free_job(struct drm_sched_job *base)
{
	drm_sched_job_cleanup(base);
	job_free(job_of(base));
}

static const struct drm_sched_backend_ops sched_ops = {
	.run_job = run_job,
	.timedout_job = timedout_job,
	.free_job = free_job,
};

static int sched_init(struct drm_gpu_scheduler *sched, struct device *dev, u32 ring)
{
	return port_sched_init(sched, &sched_ops, credits, msecs_to_jiffies(timeout_ms),
			       my->ring[ring], dev);
}

/* --- files --- */

/* A file without schedulers or entities of rings from @nr on. */
static void file_fini(struct mock_file *file, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		drm_sched_entity_destroy(&file->entity[i]);
	/* What is in a ring ends, or times out. */
	wait_var_event(&file->jobs, !atomic_read(&file->jobs));
	for (i = 0; i < nr && !shared; i++)
		drm_sched_fini(&file->own[i]);
}

static int file_init(struct mock_file *file)
{
	struct drm_gpu_scheduler *sched;
	int ret;
	u32 i;

	for (i = 0; i < rings; i++) {
		sched = shared ? &file->mock->ring[i].sched : &file->own[i];
		ret = shared ? 0 : sched_init(sched, file->mock->drm.dev, i);
		if (ret)
			goto fini;
		ret = drm_sched_entity_init(&file->entity[i], DRM_SCHED_PRIORITY_NORMAL, &sched, 1,
					    NULL);
		if (ret && !shared)
			drm_sched_fini(sched);
		if (ret)
			goto fini;
	}
	return 0;
fini:
	file_fini(file, i);
	return ret;
}

static int mock_open(struct drm_device *drm, struct drm_file *drm_file)
{
	struct mock *m = container_of(drm, struct mock, drm);
	struct mock_file *file = kzalloc(sizeof(*file), GFP_KERNEL);
	struct mock_truth *truth = kzalloc(sizeof(*truth), GFP_KERNEL);
	int ret = -ENOMEM;

	if (!file || !truth)
		goto free;
	file->mock = m;
	file->truth = truth;
	mutex_init(&file->push);
	file->context = dma_fence_context_alloc(TGMOCK_RINGS);
	kref_init(&truth->refs);
	truth->pid = task_tgid_nr(current);
	ret = file_init(file);
	if (ret)
		goto free;
	mutex_lock(&m->files_mutex);
	list_add_tail(&truth->node, &m->files);
	mutex_unlock(&m->files_mutex);
	drm_file->driver_priv = file;
	return 0;
free:
	kfree(truth);
	kfree(file);
	return ret;
}

static void mock_postclose(struct drm_device *drm, struct drm_file *drm_file)
{
	struct mock_file *file = drm_file->driver_priv;

	file_fini(file, rings);
	WRITE_ONCE(file->truth->closed, true);
	kfree(file);
}

/* --- the ioctl --- */

/* drm_sched takes the reference, also where it fails. */
static int add_ins(struct mock_job *job, struct mock_call *c)
{
	int ret = 0;

	while (c->ins && !ret)
		ret = drm_sched_job_add_dependency(&job->base, c->in[--c->ins]);
	return ret;
}

static struct mock_job *job_new(struct mock_file *file, u32 ring, u64 ns, struct mock_truth *truth)
{
	struct mock_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	struct mock_fence *hw = kzalloc(sizeof(*hw), GFP_KERNEL_ACCOUNT);

	if (!job || !hw) {
		kfree(job);
		kfree(hw);
		return NULL;
	}
	spin_lock_init(&hw->lock);
	hw->truth = truth;
	hw->ns = ns;
	job->hw = hw;
	job->file = file;
	job->ring = ring;
	atomic_inc(&file->jobs);
	return job;
}

/* @own: it is none of the client's. */
static struct mock_job *job_make(struct mock_file *file, u32 ring, u64 ns,
				 struct drm_file *drm_file, bool own)
{
	struct mock_truth *truth = own ? file->mock->own : file->truth;
	struct mock_job *job = job_new(file, ring, ns, truth);
	int ret = job ? port_job_init(&job->base, &file->entity[ring], own ? NULL : file,
				      drm_file) : -ENOMEM;

	if (ret && job)
		job_free(job);
	return ret ? ERR_PTR(ret) : job;
}

/* Under @push, and behind the client's job. If it cannot be made, there is none. */
static void push_tail(struct mock_file *file, struct drm_file *drm_file)
{
	struct mock_job *job = job_make(file, rings - 1, tail_us * 1000ull, drm_file, true);

	if (IS_ERR(job))
		return;
	drm_sched_job_arm(&job->base);
	drm_sched_entity_push_job(&job->base);
}

/* Its jobs, none of which is armed. Return: how many, at most 3; or a negative errno. */
static int make_all(struct mock_file *file, const struct mock_call *c, struct drm_file *drm_file,
		    struct mock_job **job)
{
	const struct mock_part part[] = { c->before, { c->ring, c->ns }, c->after };
	const u32 jobs = 1 + !!c->before.ns + !!c->after.ns;
	struct mock_chain *chain = jobs > 1 ? chain_new(c->ring, jobs) : NULL;
	int nr = 0, ret = jobs > 1 && !chain ? -ENOMEM : 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(part) && !ret; i++) {
		if (i != 1 && !part[i].ns)
			continue;
		job[nr] = job_make(file, part[i].ring, part[i].ns, drm_file, false);
		ret = PTR_ERR_OR_ZERO(job[nr]);
		if (ret)
			break;
		if (chain)
			kref_get(&chain->refs);
		job[nr++]->hw->chain = chain;
	}
	chain_put(chain);
	while (ret && nr)
		free_job(&job[--nr]->base);
	return ret ?: nr;
}

/* Under @push: behind the one before, whose fence this takes over, or NULL. Return: its fence. */
static struct dma_fence *push_behind(struct mock_job *job, struct dma_fence *before)
{
	struct dma_fence *fence;

	/* Without memory it does not wait. */
	if (before && drm_sched_job_add_dependency(&job->base, before))
		pr_warn("tgmock: no memory\n");
	drm_sched_job_arm(&job->base);
	fence = dma_fence_get(&job->base.s_fence->finished);
	drm_sched_entity_push_job(&job->base);
	return fence;
}

static int submit(struct mock_file *file, struct mock_call *c, struct drm_file *drm_file,
		  struct drm_syncobj *out)
{
	struct mock_job *job[3];
	struct dma_fence *fence = NULL;
	int nr = make_all(file, c, drm_file, job), ret, i;

	if (nr < 0)
		return nr;
	ret = add_ins(job[0], c);
	if (ret) {
		while (nr)
			free_job(&job[--nr]->base);
		return ret;
	}
	mutex_lock(&file->push);
	for (i = 0; i < nr; i++)
		fence = push_behind(job[i], fence);
	if (out)
		drm_syncobj_replace_fence(out, fence);
	if (tail_us)
		push_tail(file, drm_file);
	mutex_unlock(&file->push);
	dma_fence_put(fence);
	return 0;
}

static int mock_submit(struct drm_device *drm, void *data, struct drm_file *drm_file,
		       int (*read)(struct mock_call *c, void *data, struct drm_file *drm_file))
{
	struct drm_syncobj *out = NULL;
	struct mock_call c = { };
	int ret = read(&c, data, drm_file), idx;

	if (!ret && (c.ring >= rings || c.ns > TGMOCK_NS || c.before.ns > TGMOCK_NS))
		ret = -EINVAL;
	if (!ret && c.out) {
		out = drm_syncobj_find(drm_file, c.out);
		ret = out ? 0 : -ENOENT;
	}
	if (!ret && !drm_dev_enter(drm, &idx)) {
		ret = -ENODEV;
	} else if (!ret) {
		ret = c.none ? call_no_job(&c, out) :
			       submit(drm_file->driver_priv, &c, drm_file, out);
		drm_dev_exit(idx);
	}
	call_put(&c);
	if (out)
		drm_syncobj_put(out);
	return ret;
}

#include "tg_truth.h"

/* --- the device --- */

/* The last file is closed, and the device unbound. */
static void mock_release(struct drm_device *drm)
{
	struct mock *m = container_of(drm, struct mock, drm);
	struct mock_truth *truth, *next;
	u32 i;

	for (i = 0; i < rings; i++) {
		if (shared && m->ring[i].sched.ops)
			drm_sched_fini(&m->ring[i].sched);
		hrtimer_cancel(&m->ring[i].timer);
	}
	list_for_each_entry_safe(truth, next, &m->files, node) {
		list_del(&truth->node);
		kref_put(&truth->refs, truth_free);
	}
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = drm_open, .release = drm_release,
	.unlocked_ioctl = drm_ioctl,
	.poll = drm_poll, .read = drm_read,
	.llseek = noop_llseek,
#ifdef FOP_UNSIGNED_OFFSET
	.fop_flags = FOP_UNSIGNED_OFFSET,
#endif
};

static struct drm_driver driver = {
	.driver_features = DRIVER_RENDER | DRIVER_GEM | DRIVER_SYNCOBJ,
	.open = mock_open,
	.postclose = mock_postclose,
	.release = mock_release,
	.fops = &fops,
	.desc = "timegraph's test card",
	.major = 1,
};

static int mock_bind(struct device *dev)
{
	struct mock *m = devm_drm_dev_alloc(dev, &driver, struct mock, drm);
	struct mock_ring *r;
	u32 i;
	int ret;

	if (IS_ERR(m))
		return PTR_ERR(m);
	mutex_init(&m->files_mutex);
	INIT_LIST_HEAD(&m->files);
	for (i = 0; i < rings; i++) {
		r = &m->ring[i];
		r->nr = i;
		spin_lock_init(&r->lock);
		INIT_LIST_HEAD(&r->head);
		port_timer_init(&r->timer, on_timer);
	}
	m->own = kzalloc(sizeof(*m->own), GFP_KERNEL);
	if (!m->own)
		return -ENOMEM;
	kref_init(&m->own->refs);
	list_add(&m->own->node, &m->files);
	for (i = 0; i < rings && shared; i++) {
		ret = sched_init(&m->ring[i].sched, dev, i);
		if (ret) {
			m->ring[i].sched.ops = NULL;
			return ret;
		}
	}
	ret = drm_dev_register(&m->drm, 0);
	if (ret)
		return ret;
	dev_set_drvdata(dev, m);
	m->file = debugfs_create_file(dev_name(dev), 0600, debugfs, m, &debugfs_fops);
	if (sleeps)
		sleep_allow(dev);
	return 0;
}

static void mock_unbind(struct device *dev)
{
	struct mock *m = dev_get_drvdata(dev);
	u32 i;

	if (sleeps)
		sleep_forbid(dev);
	debugfs_remove(m->file);
	drm_dev_unplug(&m->drm);
	for (i = 0; i < rings; i++) {
		spin_lock_irq(&m->ring[i].lock);
		m->ring[i].dead = true;
		spin_unlock_irq(&m->ring[i].lock);
		abort_all(&m->ring[i], -ENODEV);
	}
}

static int __init mock_init(void)
{
	u32 i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(as, known[i].name))
			my = &known[i];
	if (!my || !rings || rings > TGMOCK_RINGS || !my->ring[rings - 1] || !credits || credits > 64 || !timeout_ms)
		return -EINVAL;
	driver.name = (char *)my->name;
	driver.ioctls = my->ioctls;
	driver.num_ioctls = my->nr;
	debugfs = debugfs_create_dir("tgmock", NULL);
	ret = bus_begin(my->name, my->vendor, sleeps ? &sleep_ops : NULL);
	if (ret)
		debugfs_remove(debugfs);
	return ret;
}

static void __exit mock_exit(void)
{
	bus_end();
	debugfs_remove(debugfs);
	hw_exit();
}

module_init(mock_init);
module_exit(mock_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a DRM driver on drm_sched whose GPU is a timer");
