/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for programs that read a trace or simulate: when there is none left, the program ends with
 * a message on stderr and exit status 1. One thread; any function may be called at any time.
 */
#ifndef TGS_MEM_H
#define TGS_MEM_H

#include <tg/types.h>

/** tgs_alloc() - zeroed memory for @nr times @size bytes; never NULL */
void *tgs_alloc(u64 nr, u64 size);
/** tgs_grow() - realloc() to @nr times @size bytes; never NULL */
void *tgs_grow(void *old, u64 nr, u64 size);

#endif /* TGS_MEM_H */
