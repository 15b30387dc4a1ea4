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
/**
 * tgs_room() - room for one more
 * @old: an array that only this function has made, or NULL
 * @nr: how many of @size bytes are in it
 * @size: of one
 *
 * The room doubles, so that an array of n costs O(n).
 *
 * Return: the array, perhaps elsewhere; never NULL.
 */
void *tgs_room(void *old, u32 nr, u64 size);

/** struct tgs_blocks - memory that is freed together; zeroed: none */
struct tgs_blocks {
	void **block;
	u32 nr;
};

/** tgs_block() - zeroed memory for @nr times @size bytes, until tgs_blocks_free(); never NULL */
void *tgs_block(struct tgs_blocks *blocks, u64 nr, u64 size);
void tgs_blocks_free(struct tgs_blocks *blocks);

#endif /* TGS_MEM_H */
