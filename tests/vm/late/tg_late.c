// SPDX-License-Identifier: GPL-2.0
/*
 * tg_late - threads of one name come out of one function late. A window of a few instructions, between that function and
 * what its caller looks at next, becomes wide enough for a case to do something in it.
 *
 *	insmod tg_late.ko comm=late symbol=timegraph:tgk_unlock_irq ms=500
 *
 * The thread spins behind the function's return, with preemption off; others go on. With rmmod all is as before.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

static char *comm = "", *symbol = "";
module_param(comm, charp, 0);
MODULE_PARM_DESC(comm, "the threads' name");
module_param(symbol, charp, 0);
MODULE_PARM_DESC(symbol, "MODULE:FUNCTION");
static unsigned int ms;
module_param(ms, uint, 0);
MODULE_PARM_DESC(ms, "how late they are, up to 1000");

static int entered(struct kretprobe_instance *call, struct pt_regs *regs)
{
	return strcmp(current->comm, comm);	/* not 0: the return is not looked at */
}

static int returns(struct kretprobe_instance *call, struct pt_regs *regs)
{
	mdelay(min(ms, 1000u));
	return 0;
}

static struct kretprobe probe = { .entry_handler = entered, .handler = returns };

static int __init late_init(void)
{
	probe.kp.symbol_name = symbol;
	return register_kretprobe(&probe);
}

static void __exit late_exit(void)
{
	unregister_kretprobe(&probe);
}

module_init(late_init);
module_exit(late_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("threads of one name come out of one function late");
