// SPDX-License-Identifier: GPL-2.0
/*
 * A driver's functions by their names: where ftrace is to look.
 *
 * Modules cannot ask the kernel's index of symbols. ftrace_set_filter() finds a name, but asks for
 * the name of each function that there is: a second on an emulated CPU, in which accounts go by
 * interrupts. A kprobe that is registered and never armed finds it by the index.
 *
 * doorbell.c and the drivers call this.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>

#include "function.h"

/**
 * tgk_function_trace() - have ftrace look at one function alone
 * @ops: not registered
 * @name: of the function
 *
 * Context: process.
 *
 * Return: 0; -ENOENT: there is no such function; or another errno: it cannot be traced.
 */
int tgk_function_trace(struct ftrace_ops *ops, const char *name)
{
	struct kprobe finder = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	int ret = register_kprobe(&finder);

	if (ret)
		return ret;
	unregister_kprobe(&finder);
	return ftrace_set_filter_ip(ops, (unsigned long)finder.addr, 0, 1);
}
