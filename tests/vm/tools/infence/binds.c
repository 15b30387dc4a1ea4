// SPDX-License-Identifier: GPL-2.0
/*
 * infence - EXEC of addresses that VM_BIND has mapped in pieces, over others, and away.
 *
 * The GPU executes what lies there, so each group ends without an error; whether the module has found
 * the same, its counters tell afterwards: the command waits until it is killed. Words that are no
 * command lie where the module must not look.
 */
#include <stdio.h>
#include <string.h>

#include <drm.h>

#include "infence.h"

#define VA	0x20000000ull
#define NO_WORD	0xc0		/* bytes of a word that no GPU knows as a command */
#define MAP	0		/* of vm_bind_op.op, as UNMAP */
#define UNMAP	1

static int channel;

static void bind_pages(uint32_t op, uint64_t page, uint64_t pages, uint32_t handle, uint64_t from)
{
	struct vm_bind_op args = {
		.op = op, .handle = handle, .addr = VA + page * PAGE, .range = pages * PAGE, .bo_offset = from * PAGE,
	};
	struct vm_bind bind = { .op_count = 1, .op_ptr = (uintptr_t)&args };

	must("VM_BIND", talk(nouveau, VM_BIND, &bind));
}

/* An object of four pages; which of them are commands: a bit each. */
static uint32_t object_new(unsigned int good)
{
	uint32_t handle, i;
	char *words = (char *)buffer_new(4 * PAGE, &handle);

	for (i = 0; i < 4; i++)
		memset(words + i * PAGE, good >> i & 1 ? 0 : NO_WORD, PAGE);
	return handle;
}

/* Four words, of which the first is so many words behind that page's begin. */
static void run_at(uint64_t page, int64_t words)
{
	struct sync done = { .handle = syncobj_new() };

	group = (struct exec_push){ .va = VA + page * PAGE + words * 4, .va_len = 16 };
	must("EXEC", exec(channel, NULL, &done));
	if (!syncobj_signalled(done.handle, slow(10000)))
		fail("the group at page %llu does not end", (unsigned long long)page);
}

/* Nine groups */
static void known(void)
{
	uint32_t a = object_new(1 << 2), b = object_new(1 << 0);

	bind_pages(MAP, 0, 4, a, 0);
	run_at(2, 0);
	run_at(3, -4);
	bind_pages(MAP, 1, 1, b, 0);		/* over the middle of it: b begins there, and a goes on behind */
	run_at(1, 0);
	run_at(2, -2);				/* the end of b, and of a */
	bind_pages(MAP, 8, 1, a, 2);
	run_at(8, 0);
	bind_pages(UNMAP, 0, 4, 0, 0);
	bind_pages(MAP, 3, 1, b, 0);
	run_at(3, 0);
	bind_pages(UNMAP, 7, 4, 0, 0);
	bind_pages(MAP, 8, 2, a, 1);
	bind_pages(MAP, 8, 1, b, 0);
	run_at(8, 0);
	run_at(9, -2);
	run_at(9, 0);
}

/* Nine, in an object whose handle has gone; the mapping is there still. */
static void unknown(void)
{
	struct drm_gem_close gone = { .handle = object_new(~0u) };
	int i;

	bind_pages(MAP, 0, 4, gone.handle, 0);
	must("GEM_CLOSE", talk(nouveau, DRM_IOCTL_GEM_CLOSE, &gone));
	for (i = 0; i < 9; i++)
		run_at(i % 4, 0);
}

void do_binds(char **args)
{
	channel = channel_new();
	if (!strcmp(args[0], "known"))
		known();
	else
		unknown();
	puts("done");
	fflush(stdout);
	while (!over)
		sleep_ms(20);
}
