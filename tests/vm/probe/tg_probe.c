// SPDX-License-Identifier: GPL-2.0
/*
 * tg_probe - how much of a submission passes in nouveau's own functions? For the cases `cost-time`, `cost-gl` and `cost-company`: in
 * a throw-away guest, and unloaded last, by when nobody submits.
 *
 * It puts functions of its own into nouveau's tables: in the place of the ioctl of nouveau's files, of
 * PUSHBUF, and of the one that asks for a fence's interrupt. Each takes the time around nouveau's. timegraph, loaded
 * later, takes the one for PUSHBUF for nouveau's and stands in for it: what timegraph does is outside, but for what
 * it does when nouveau makes a fence. That is timed by two probes on the same tracepoint, one before timegraph's
 * and one behind it, and taken out of what is inside.
 *
 * The time inside of the last submission is /sys/module/tg_probe/parameters/inside_ns, of any process.
 * Write a process's number into /sys/kernel/debug/tg_probe, and read there, line by line, the submissions of its first
 * thread since then, up to MAX_SAMPLES:
 *	WHOLE INSIDE ASKED BUFFERS PUSHES RELOCS WAITS
 * ns of the ioctl, system call left out; of that, inside nouveau's PUSHBUF; of that, asking for a fence's
 * interrupt outside of it, what the submission consists of, and how often the CPU went to another thread meanwhile. What that
 * took is left out: of a thread that waits, its way to sleep and back is counted.
 *
 * All of it is written by one thread at a time, the one whose submissions are timed; on one CPU nobody reads amiss.
 */
#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <linux/debugfs.h>
#include <linux/dma-fence.h>
#include <linux/kdev_t.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <uapi/drm/nouveau_drm.h>

#define NR_PUSHBUF	0x41
#define DRM_MAJOR	226
#define MAX_SAMPLES	4096

static unsigned long long inside_ns;
module_param(inside_ns, ullong, 0444);
MODULE_PARM_DESC(inside_ns, "time of the last submission in nouveau's handler");
static u64 made_at, made_ns, asked_ns;
static u64 asking_ns;		/* what taking the time of one that asks takes itself, beyond that time */
static bool inside;
static u64 away_at, away_ns;	/* since when, and how long in all, the watched thread has not had the CPU */
static u32 waits;

static pid_t watched;		/* 0: everybody */
static struct sample {
	u64 whole, inside, asked;
	u32 buffers, pushes, relocs, waits;
} samples[MAX_SAMPLES], sample;
static u32 nr_samples;

static struct pci_dev *pci;		/* held: it keeps nouveau's driver */
static struct drm_driver *driver;
static struct tracepoint *made;		/* dma_fence_init, not exported */
static struct tracepoint *switched;	/* sched_switch, likewise */
static struct dentry *file;

static int (*their_pushbuf)(struct drm_device *dev, void *data, struct drm_file *file);
static long (*their_ioctl)(struct file *filp, unsigned int cmd, unsigned long arg);
static bool (*their_ask)(struct dma_fence *fence);
static const struct dma_fence_ops *fence_ops;	/* nouveau's, once a fence of its has been made */

static bool is_watched(void)
{
	return !watched || current->pid == watched;
}

/* The time of the watched thread. */
static u64 own_ns(void)
{
	return ktime_get_ns() - away_ns;
}

static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	if (watched && prev->pid == watched) {
		away_at = ktime_get_ns();
		waits++;
	} else if (watched && next->pid == watched && away_at) {
		away_ns += ktime_get_ns() - away_at;
		away_at = 0;
	}
}

static int probe_pushbuf(struct drm_device *dev, void *data, struct drm_file *drm_file)
{
	const struct drm_nouveau_gem_pushbuf *req = data;
	u64 at;
	int ret;

	if (!is_watched())
		return their_pushbuf(dev, data, drm_file);
	sample.buffers = req->nr_buffers;
	sample.pushes = req->nr_push;
	sample.relocs = req->nr_relocs;
	made_ns = 0;
	inside = true;
	at = own_ns();
	ret = their_pushbuf(dev, data, drm_file);
	inside_ns = own_ns() - at - made_ns;
	inside = false;
	return ret;
}

static long probe_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	u64 at;
	long ret;

	if (!watched || !is_watched() || _IOC_NR(cmd) != DRM_COMMAND_BASE + NR_PUSHBUF)
		return their_ioctl(filp, cmd, arg);
	asked_ns = 0;
	waits = 0;
	sample.pushes = 0;
	at = own_ns();
	ret = their_ioctl(filp, cmd, arg);
	sample.whole = own_ns() - at;
	sample.inside = inside_ns;
	sample.asked = asked_ns;
	sample.waits = waits;
	if (!ret && sample.pushes && nr_samples < MAX_SAMPLES)
		samples[nr_samples++] = sample;
	return ret;
}

static bool probe_ask(struct dma_fence *fence)
{
	u64 at;
	bool ret;

	if (inside || !in_task() || !is_watched())
		return their_ask(fence);
	at = own_ns();
	ret = their_ask(fence);
	asked_ns += own_ns() - at + asking_ns;
	return ret;
}

static bool ask_nothing(struct dma_fence *fence)
{
	return !fence;
}

/*
 * Only the middle of probe_ask() lies between its readings of the clock; the rest is ours, too, and not
 * timegraph's. The least of some, since either may be interrupted.
 */
static void learn_asking(void)
{
	bool (*volatile ask)(struct dma_fence *fence) = probe_ask;	/* as nouveau's callers find it */
	u64 at, i, read = U64_MAX, own = U64_MAX;
	bool was_inside = inside;	/* somebody who waits there */

	inside = false;
	watched = 0;
	their_ask = ask_nothing;
	asking_ns = 0;
	for (i = 0; i < 100; i++) {
		at = ktime_get_ns();
		read = min(read, ktime_get_ns() - at);
		asked_ns = 0;
		at = ktime_get_ns();
		ask(NULL);
		own = min(own, ktime_get_ns() - at - asked_ns);
	}
	asking_ns = own - read;
	inside = was_inside;
}

static void before_made(void *data, struct dma_fence *fence)
{
	if (!fence_ops && !strcmp(fence->ops->get_driver_name(fence), "nouveau"))
		fence_ops = fence->ops;
	if (is_watched())
		made_at = ktime_get_ns();
}

static void after_made(void *data, struct dma_fence *fence)
{
	if (is_watched())
		made_ns += ktime_get_ns() - made_at;
}

/* A word of nouveau's tables, which are read-only where they are: through a second map of the page. */
static int put(const void *where, const void *value)
{
	struct page *page = vmalloc_to_page(where);
	void *map = page ? vmap(&page, 1, VM_MAP, PAGE_KERNEL) : NULL;

	if (!map)
		return -ENOMEM;
	WRITE_ONCE(*(const void **)(map + offset_in_page(where)), value);
	vunmap(map);
	return 0;
}

static int show(struct seq_file *m, void *v)
{
	u32 i;

	for (i = 0; i < nr_samples; i++)
		seq_printf(m, "%llu %llu %llu %u %u %u %u\n", samples[i].whole, samples[i].inside,
			   samples[i].asked, samples[i].buffers, samples[i].pushes,
			   samples[i].relocs, samples[i].waits);
	return 0;
}

static int open_file(struct inode *inode, struct file *filp)
{
	return single_open_size(filp, show, NULL, MAX_SAMPLES * 64);
}

static ssize_t write_file(struct file *filp, const char __user *text, size_t len, loff_t *pos)
{
	pid_t pid;
	int ret = kstrtoint_from_user(text, len, 0, &pid);

	if (!ret && !their_ask && fence_ops) {
		learn_asking();
		their_ask = fence_ops->enable_signaling;
		ret = put(&fence_ops->enable_signaling, probe_ask);
	}
	if (ret)
		return ret;
	away_at = 0;
	watched = pid;
	nr_samples = 0;
	return len;
}

static const struct file_operations file_ops = {
	.owner = THIS_MODULE,
	.open = open_file,
	.read = seq_read,
	.write = write_file,
	.llseek = seq_lseek,
	.release = single_release,
};

static void look_for_made(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "dma_fence_init"))
		made = tp;
	if (!strcmp(tp->name, "sched_switch"))
		switched = tp;
}

/* A child of the PCI device: the DRM minor's device keeps the minor. */
static int find_driver(struct device *dev, void *data)
{
	const struct drm_minor *minor;

	if (!dev->class || strcmp(dev->class->name, "drm") || MAJOR(dev->devt) != DRM_MAJOR)
		return 0;
	minor = dev_get_drvdata(dev);
	driver = (struct drm_driver *)minor->dev->driver;	/* of nouveau's data, not constant there */
	return 1;
}

static int __init probe_init(void)
{
	int ret;

	pci = pci_get_device(PCI_VENDOR_ID_NVIDIA, PCI_ANY_ID, NULL);
	if (pci)
		device_for_each_child(&pci->dev, NULL, find_driver);
	for_each_kernel_tracepoint(look_for_made, NULL);
	ret = -ENODEV;
	if (!driver || driver->num_ioctls <= NR_PUSHBUF || !made || !switched)
		goto put;
	their_pushbuf = driver->ioctls[NR_PUSHBUF].func;
	their_ioctl = driver->fops->unlocked_ioctl;
	/* Probes are called by falling priority; timegraph's has 10. */
	ret = tracepoint_probe_register_prio(made, before_made, NULL, 11);
	if (ret)
		goto put;
	ret = tracepoint_probe_register_prio(made, after_made, NULL, 9);
	if (ret)
		goto unregister;
	ret = tracepoint_probe_register(switched, on_switch, NULL);
	if (ret)
		goto unregister_made;
	ret = put(&driver->ioctls[NR_PUSHBUF].func, probe_pushbuf);
	if (ret)
		goto all;
	ret = put(&driver->fops->unlocked_ioctl, probe_ioctl);
	if (ret)
		goto all;
	file = debugfs_create_file("tg_probe", 0600, NULL, NULL, &file_ops);
	return 0;

all:
	put(&driver->ioctls[NR_PUSHBUF].func, their_pushbuf);
	tracepoint_probe_unregister(switched, on_switch, NULL);
unregister_made:
	tracepoint_probe_unregister(made, after_made, NULL);
unregister:
	tracepoint_probe_unregister(made, before_made, NULL);
	tracepoint_synchronize_unregister();
put:
	pci_dev_put(pci);
	return ret;
}

static void __exit probe_exit(void)
{
	debugfs_remove(file);
	if (their_ask)
		put(&fence_ops->enable_signaling, their_ask);
	put(&driver->fops->unlocked_ioctl, their_ioctl);
	put(&driver->ioctls[NR_PUSHBUF].func, their_pushbuf);
	tracepoint_probe_unregister(switched, on_switch, NULL);
	tracepoint_probe_unregister(made, after_made, NULL);
	tracepoint_probe_unregister(made, before_made, NULL);
	tracepoint_synchronize_unregister();
	pci_dev_put(pci);
}

module_init(probe_init);
module_exit(probe_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("time in nouveau's PUSHBUF handler");
