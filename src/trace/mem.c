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

void *tgs_room(void *old, u32 nr, u64 size)
{
	if (nr & (nr - 1))
		return old;
	return tgs_grow(old, nr ? 2 * (u64)nr : 1, size);
}

void *tgs_block(struct tgs_blocks *blocks, u64 nr, u64 size)
{
	blocks->block = tgs_room(blocks->block, blocks->nr, sizeof(*blocks->block));
	return blocks->block[blocks->nr++] = tgs_alloc(nr, size);
}

void tgs_blocks_free(struct tgs_blocks *blocks)
{
	u32 i;

	for (i = 0; i < blocks->nr; i++)
		free(blocks->block[i]);
	free(blocks->block);
}
