/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ftrace: where a traced function goes on.
 *
 * 6.2 renamed ftrace_instruction_pointer_set() to ftrace_regs_set_instruction_pointer(), and
 * brought ftrace_regs_get_argument().
 */
#ifndef TGK_WRAP_FTRACE_H
#define TGK_WRAP_FTRACE_H

#include <linux/ftrace.h>
#include <linux/version.h>

#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#error "this ftrace cannot redirect a function: it needs CONFIG_DYNAMIC_FTRACE_WITH_ARGS=y"
#endif

static __always_inline void tgk_ftrace_go(struct ftrace_regs *fregs, unsigned long ip)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	ftrace_regs_set_instruction_pointer(fregs, ip);
#else
	ftrace_instruction_pointer_set(fregs, ip);
#endif
}

/* The function's argument number @nr, from 0 on. */
static __always_inline unsigned long tgk_ftrace_arg(struct ftrace_regs *fregs, unsigned int nr)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	return ftrace_regs_get_argument(fregs, nr);
#else
	return regs_get_kernel_argument(&fregs->regs, nr);
#endif
}

#endif /* TGK_WRAP_FTRACE_H */
