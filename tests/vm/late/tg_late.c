// SPDX-License-Identifier: GPL-2.0
/*
 * tg_late - threads come out of one function late. A window of a few instructions, between that function and what its
 * caller looks at next, becomes wide enough for others to do something in it.
 *
 *	insmod tg_late.ko symbol=timegraph:tgk_unlock_irq us=500000 comm=late	a case does it, meanwhile
 *	insmod tg_late.ko symbol=timegraph:tgk_unlock_irq us=2000 one_in=50	whoever else is there, by chance
 *
 * The thread spins behind the function's return, with preemption off; others go on. With rmmod all is as before.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

static char *comm = "", *symbol = "";
module_param(comm, charp, 0);
MODULE_PARM_DESC(comm, "the threads' name; none: all threads");
module_param(symbol, charp, 0);
MODULE_PARM_DESC(symbol, "MODULE:FUNCTION");
static unsigned int us, one_in = 1;
module_param(us, uint, 0);
MODULE_PARM_DESC(us, "how late they are, up to 1000000");
module_param(one_in, uint, 0);
MODULE_PARM_DESC(one_in, "one return in so many is late");

static atomic_t calls;

static int entered(struct kretprobe_instance *call, struct pt_regs *regs)
{
	if (*comm && strcmp(current->comm, comm))
		return 1;	/* its return is not looked at */
	return (unsigned int)atomic_inc_return(&calls) % max(one_in, 1u);
}

static int returns(struct kretprobe_instance *call, struct pt_regs *regs)
{
	const unsigned int late = min(us, 1000000u);

	mdelay(late / 1000);
	udelay(late % 1000);
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
MODULE_DESCRIPTION("threads come out of one function late");
