// SPDX-License-Identifier: GPL-2.0
/*
 * tg_fault - does on request what a kernel module must never do, so that tests/vm/selftest can
 * show that the debug kernel sees it and that scripts/vm says so. Loaded in a throw-away guest only;
 * every fault happens in process context, in the task that loads it.
 */
#include <linux/delay.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *what = "";
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "sleep: under a spinlock; order: two mutexes both ways; list, use: after deletion; leak");

static DEFINE_SPINLOCK(tgf_spin);
static DEFINE_MUTEX(tgf_a);
static DEFINE_MUTEX(tgf_b);

static void tgf_sleep(void)
{
	spin_lock(&tgf_spin);
	msleep(20);
	spin_unlock(&tgf_spin);
}

static void tgf_order(void)
{
	mutex_lock(&tgf_a);
	mutex_lock(&tgf_b);
	mutex_unlock(&tgf_b);
	mutex_unlock(&tgf_a);
	mutex_lock(&tgf_b);
	mutex_lock(&tgf_a);
	mutex_unlock(&tgf_a);
	mutex_unlock(&tgf_b);
}

static void tgf_list(void)
{
	LIST_HEAD(head);
	LIST_HEAD(entry);

	list_add(&entry, &head);
	list_del(&entry);
	list_del(&entry);
}

static void tgf_use(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	kfree(p);
	/* The compiler must not know that it is gone */
	OPTIMIZER_HIDE_VAR(p);
	if (p)
		WRITE_ONCE(*p, 1);
}

static void tgf_leak(void)
{
	int i;

	/* Several: a stale pointer on some stack may hide one */
	for (i = 0; i < 16; i++) {
		void *p = kmalloc(333, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(p);
	}
}

static int __init tgf_init(void)
{
	static const struct {
		const char *name;
		void (*fault)(void);
	} faults[] = {
		{ "sleep", tgf_sleep },
		{ "order", tgf_order },
		{ "list", tgf_list },
		{ "use", tgf_use },
		{ "leak", tgf_leak },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(what, faults[i].name)) {
			faults[i].fault();
			return 0;
		}
	}
	pr_err("tg_fault: no fault '%s'\n", what);
	return -EINVAL;
}

static void __exit tgf_exit(void)
{
}

module_init(tgf_init);
module_exit(tgf_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("faults that a debug kernel must see");
