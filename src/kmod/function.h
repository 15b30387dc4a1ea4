/* SPDX-License-Identifier: GPL-2.0 */
/*
 * function.c: a driver's functions by their names.
 */
#ifndef TGK_FUNCTION_H
#define TGK_FUNCTION_H

struct ftrace_ops;

unsigned long tgk_function_find(const char *name);
int tgk_function_trace(struct ftrace_ops *ops, const char *name);

#endif /* TGK_FUNCTION_H */
