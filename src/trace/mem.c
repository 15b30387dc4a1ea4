// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that never fails: the program ends instead. Called from all of src/trace and src/sim.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mem.h"

void *tgs_alloc(u64 nr, u64 size)
{
	return memset(tgs_grow(NULL, nr, size), 0, nr * size);
}

void *tgs_grow(void *old, u64 nr, u64 size)
{
	u64 bytes;
	void *mem = NULL;

	if (!__builtin_mul_overflow(nr, size, &bytes))
		mem = realloc(old, bytes ? bytes : 1);
	if (!mem) {
		fprintf(stderr, "tgsim: out of memory\n");
		exit(1);
	}
	return mem;
}
