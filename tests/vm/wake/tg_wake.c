// SPDX-License-Identifier: GPL-2.0
/*
 * tg_wake - ends a sleep of the system (suspend to idle) three seconds after a card has gone to sleep.
 * For the VM case `suspend`, whose guest has no clock that could wake it: QEMU's wakes a machine from
 * the deeper states only.
 *
 * Loaded before the system goes to sleep. A work item looks twice a second whether the PCI core has
 * put nouveau's device into D3hot, its last step; neither work nor a guest's timers stop in suspend to idle.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/suspend.h>
#include <linux/workqueue.h>

#define EVERY	(HZ / 2)
#define ASLEEP	6	/* looks that must find it asleep */

static struct pci_dev *card;
static unsigned int asleep;
static void look(struct work_struct *work);
static DECLARE_DELAYED_WORK(next, look);

static void look(struct work_struct *work)
{
	asleep = READ_ONCE(card->current_state) == PCI_D3hot ? asleep + 1 : 0;
	if (asleep == ASLEEP)
		pm_system_wakeup();
	else
		schedule_delayed_work(&next, EVERY);
}

static int __init wake_init(void)
{
	card = pci_get_class(PCI_CLASS_DISPLAY_VGA << 8, NULL);
	if (!card)
		return -ENODEV;
	schedule_delayed_work(&next, EVERY);
	return 0;
}

static void __exit wake_exit(void)
{
	cancel_delayed_work_sync(&next);
	pci_dev_put(card);
}

module_init(wake_init);
module_exit(wake_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("wakes the system when the card has slept for a while");
