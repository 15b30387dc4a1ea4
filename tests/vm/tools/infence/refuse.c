// SPDX-License-Identifier: GPL-2.0
/*
 * infence - what nouveau says to nonsense.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "infence.h"

/* errnos: what nouveau says to nonsense; the caller compares */
void do_errnos(__attribute__((unused)) char **args)
{
	struct sync plain = { .handle = syncobj_new() };
	struct sync point = { .flags = TIMELINE, .handle = plain.handle, .point = 5 };
	struct sync none = { .handle = 12345 };
	struct sync type = { .flags = 7, .handle = plain.handle };
	struct sync odd = { .flags = 0x100, .handle = plain.handle };
	static struct sync many[1000];
	const struct {
		const char *name;
		const struct sync *at;
		uint32_t count;
	} *c, cases[] = {
		{ "no fence yet", &plain, 1 },
		{ "no point yet", &point, 1 },
		{ "no such syncobj", &none, 1 },
		{ "no such type", &type, 1 },
		{ "odd flags", &odd, 1 },
		{ "1000 that are none", many, 1000 },
		{},
	};
	int channel = channel_new();

	for (c = cases; c->name; c++)
		printf("wait: %s: %d\n", c->name, exec_with(channel, c->at, c->count, NULL, 0));
	/* What it signals need not have a fence: two of these are no nonsense. */
	for (c = cases; c->name; c++)
		printf("signal: %s: %d\n", c->name, exec_with(channel, NULL, 0, c->at, c->count));
}

static void refuses(const char *what, int ret, int want)
{
	if (ret != want)
		fail("%s: %s, not %s", what, strerror(-ret), strerror(-want));
}

/*
 * faults: arrays that are not there, and counts that no memory is enough for. Of some, nouveau
 * without our module dies (Linux 6.12).
 */
void do_faults(__attribute__((unused)) char **args)
{
	static const uint32_t counts[] = { 1u << 20, 1u << 27, 1u << 28, 1u << 31, ~0u };
	struct sync set = { .handle = syncobj_new() }, *edge;
	int channel = channel_new();
	void *nowhere = (void *)~0xfffull;
	struct foreign f = foreign_new();
	char *pages;
	size_t i;

	syncobj_set(set.handle, &f);
	foreign_signal(&f);
	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE))
		fail("mmap: %s", strerror(errno));
	edge = (struct sync *)(pages + PAGE) - 1;
	*edge = set;

	must("an array that ends with a page", exec_with(channel, edge, 1, NULL, 0));
	refuses("waits at NULL", exec_with(channel, NULL, 1, NULL, 0), -EFAULT);
	refuses("waits in the kernel", exec_with(channel, nowhere, 1, NULL, 0), -EFAULT);
	refuses("the second wait nowhere", exec_with(channel, edge, 2, NULL, 0), -EFAULT);
	edge->handle = 12345;
	refuses("the first one none", exec_with(channel, edge, 2, NULL, 0), -EFAULT);
	*edge = set;
	refuses("signals at NULL", exec_with(channel, NULL, 0, NULL, 1), -EFAULT);
	refuses("the second signal nowhere", exec_with(channel, edge, 1, edge, 2), -EFAULT);
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		refuses("waits without number", exec_with(channel, edge, counts[i], NULL, 0), -ENOMEM);
		refuses("signals without number", exec_with(channel, NULL, 0, edge, counts[i]),
			-ENOMEM);
	}
	must("EXEC after all that", exec_with(channel, edge, 1, edge, 1));
	if (!syncobj_signalled(set.handle, 5000))
		fail("it did not end");
}
