/* SPDX-License-Identifier: GPL-2.0 */
/*
 * With sleeps=1 runtime power management takes the test card down whenever nobody holds it, as some
 * laptops' cards. Its jobs go on all the same: the card is a timer. tg_mock.c alone includes this.
 */
#ifndef TG_SLEEP_H
#define TG_SLEEP_H

#include <linux/pci.h>
#include <linux/pm_runtime.h>

/* Its state is saved here, so the PCI core leaves the device where it is. */
static int sleep_begin(struct device *dev)
{
	return pci_save_state(to_pci_dev(dev));
}

static int sleep_end(struct device *dev)
{
	return 0;
}

static const struct dev_pm_ops sleep_ops = {
	.runtime_suspend = sleep_begin, .runtime_resume = sleep_end,
};

/* In probe(): the PCI core and root let go of it. It sleeps when probe() has returned. */
static void sleep_allow(struct device *dev)
{
	pm_runtime_put_noidle(dev);
	pm_runtime_allow(dev);
}

/* In remove(). */
static void sleep_forbid(struct device *dev)
{
	pm_runtime_forbid(dev);
	pm_runtime_get_noresume(dev);
}

#endif /* TG_SLEEP_H */
