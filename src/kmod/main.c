// SPDX-License-Identifier: GPL-2.0
/*
 * timegraph.ko: loading and unloading, in order; and the module's parameters.
 */
#include <linux/module.h>

#include "attach.h"
#include "copies.h"
#include "driver/driver.h"
#include "fence.h"
#include "poll.h"
#include "recorder.h"
#include "settings.h"
#include "shm.h"
#include "sysfs/sysfs.h"
#include "tgk.h"
#include "totals.h"

static char *policy = "fifo";
module_param(policy, charp, 0);
MODULE_PARM_DESC(policy, "scheduling policy at load (default: fifo); /sys/kernel/timegraph/policies lists them");

unsigned int tgk_trace_kib;
module_param_named(trace_kib, tgk_trace_kib, uint, 0444);
MODULE_PARM_DESC(trace_kib, "KiB of trace for each GPU, in debugfs (default: 0, none; at most 1048576)");

static char *drivers;
module_param(drivers, charp, 0444);
MODULE_PARM_DESC(drivers, "more drivers whose GPUs are scheduled, with commas between (default: none)");

static bool dry_run;
module_param(dry_run, bool, 0444);
MODULE_PARM_DESC(dry_run, "delay nothing, and tell what the policy would have delayed (default: no); live: /sys/kernel/timegraph/knobs/dry_run");

bool tgk_public;
module_param_named(public, tgk_public, bool, 0644);
MODULE_PARM_DESC(public, "let everybody see the clients of all users (default: no, their own)");

DEFINE_MUTEX(tgk_mutex);	/* the list of GPUs and what is set for all: tgk.h */
struct workqueue_struct *tgk_wq;

static int __init tgk_init(void)
{
	int ret;

	ret = tg_policy_find(policy, strlen(policy));
	if (ret < 0) {
		tgk_policies_log(policy);
		return -EINVAL;
	}
	tgk_settings_init(ret, dry_run);
	ret = tgk_drivers_choose(drivers);
	if (ret)
		return ret;
	if (tgk_trace_kib > 1 << 20) {
		pr_err("trace_kib=%u: at most 1048576\n", tgk_trace_kib);
		return -EINVAL;
	}

	tgk_wq = alloc_workqueue("timegraph", WQ_UNBOUND, 0);
	if (!tgk_wq)
		return -ENOMEM;
	ret = tgk_trace_module_init();
	if (ret)
		goto no_trace;
	ret = tgk_poll_init();
	if (ret)
		goto no_poll;
	ret = tgk_sysfs_init();
	if (ret)
		goto no_sysfs;
	ret = tgk_fence_init();
	if (ret)
		goto no_fence;
	ret = tgk_attach_init();
	if (ret)
		goto no_attach;
	ret = tgk_shm_init();
	if (ret)
		goto no_shm;
	return 0;

no_shm:
	tgk_attach_exit();
no_attach:
	tgk_fence_exit();
	tgk_copies_exit();
no_fence:
	tgk_sysfs_exit();
no_sysfs:
	tgk_poll_exit();
no_poll:
	tgk_trace_module_exit();
no_trace:
	tgk_recorder_exit();
	destroy_workqueue(tgk_wq);
	tgk_totals_free();
	return ret;
}

static void __exit tgk_exit(void)
{
	tgk_shm_exit();		/* first: a GPU that is unbound later has no segments */
	tgk_attach_exit();
	tgk_fence_exit();
	tgk_copies_exit();
	tgk_sysfs_exit();
	tgk_poll_exit();
	tgk_trace_module_exit();
	tgk_recorder_exit();
	destroy_workqueue(tgk_wq);
	tgk_totals_free();
}

module_init(tgk_init);
module_exit(tgk_exit);

MODULE_AUTHOR("The TimeGraph authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(TIMEGRAPH_VERSION);
