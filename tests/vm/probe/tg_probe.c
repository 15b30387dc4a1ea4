// SPDX-License-Identifier: GPL-2.0
/*
 * tg_probe - how much of a submission passes in nouveau's own handler? For the case `cost-time`: in a throw-away
 * guest, with one client at a time, and unloaded last.
 *
 * It puts a function of its own into nouveau's table of ioctls, in the place of PUSHBUF's, which takes the time
 * around that one. timegraph, loaded later, takes it for nouveau's and stands in for it: what timegraph does is
 * outside, but for what it does when nouveau makes a fence. That is timed by two probes on the same tracepoint,
 * one before timegraph's and one behind it, and taken out of what is inside.
 *
 * The time inside of the last submission is /sys/module/tg_probe/parameters/inside_ns.
 */
#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>
#include <linux/dma-fence.h>
#include <linux/kdev_t.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#define NR_PUSHBUF	0x41
#define DRM_MAJOR	226

/* All of it: written by the one client's thread. */
static unsigned long long inside_ns;
module_param(inside_ns, ullong, 0444);
MODULE_PARM_DESC(inside_ns, "time of the last submission in nouveau's handler");
static u64 made_at, made_ns;

static struct pci_dev *pci;		/* held: it keeps nouveau's driver */
static struct drm_driver *driver;
static const struct drm_ioctl_desc *theirs;
static struct drm_ioctl_desc *ours;
static struct tracepoint *made;		/* dma_fence_init, not exported */

static int probe_pushbuf(struct drm_device *dev, void *data, struct drm_file *file)
{
	u64 at = ktime_get_ns();
	int ret;

	made_ns = 0;
	ret = theirs[NR_PUSHBUF].func(dev, data, file);
	inside_ns = ktime_get_ns() - at - made_ns;
	return ret;
}

static void before_made(void *data, struct dma_fence *fence)
{
	made_at = ktime_get_ns();
}

static void after_made(void *data, struct dma_fence *fence)
{
	made_ns += ktime_get_ns() - made_at;
}

static void look_for_made(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "dma_fence_init"))
		made = tp;
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
	if (!driver || driver->num_ioctls <= NR_PUSHBUF || !made)
		goto put;
	theirs = driver->ioctls;
	ours = kmemdup(theirs, driver->num_ioctls * sizeof(*ours), GFP_KERNEL);
	ret = -ENOMEM;
	if (!ours)
		goto put;
	ours[NR_PUSHBUF].func = probe_pushbuf;
	/* Probes are called by falling priority; timegraph's has 10. */
	ret = tracepoint_probe_register_prio(made, before_made, NULL, 11);
	if (ret)
		goto free;
	ret = tracepoint_probe_register_prio(made, after_made, NULL, 9);
	if (ret)
		goto unregister;
	WRITE_ONCE(driver->ioctls, ours);
	return 0;

unregister:
	tracepoint_probe_unregister(made, before_made, NULL);
	tracepoint_synchronize_unregister();
free:
	kfree(ours);
put:
	pci_dev_put(pci);
	return ret;
}

static void __exit probe_exit(void)
{
	WRITE_ONCE(driver->ioctls, theirs);
	tracepoint_probe_unregister(made, after_made, NULL);
	tracepoint_probe_unregister(made, before_made, NULL);
	tracepoint_synchronize_unregister();
	kfree(ours);
	pci_dev_put(pci);
}

module_init(probe_init);
module_exit(probe_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("time in nouveau's PUSHBUF handler");
