// SPDX-License-Identifier: GPL-2.0
/*
 * A driver's functions by their names: where ftrace is to look.
 *
 * Modules cannot ask the kernel's index of symbols. ftrace_set_filter() finds a name, but asks for
 * the name of each function that there is: a second on an emulated CPU, in which accounts go by
 * interrupts. A kprobe that is registered and never armed finds it by the index.
 *
 * hook.c, doorbell.c and the drivers call this.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>

#include "function.h"

/**
 * tgk_function_find() - where is a function?
 * @name: its
 *
 * Context: process.
 *
 * Return: its address; 0: there is none of that name, or no memory.
 */
unsigned long tgk_function_find(const char *name)
{
	struct kprobe finder = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };

	if (register_kprobe(&finder))
		return 0;
	unregister_kprobe(&finder);
	return (unsigned long)finder.addr;
}

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
	const unsigned long at = tgk_function_find(name);

	return at ? ftrace_set_filter_ip(ops, at, 0, 1) : -ENOENT;
}
