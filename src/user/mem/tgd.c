// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The books of tgd: the client-server way of the schedGPU paper (section 3.1), and the default. A
 * device becomes a client's at its first request; src/user/client has the rest. Called by api.c.
 */
#include <errno.h>

#include "mem.h"

/* Nothing is launched by this client. */
static void none(void *owner)
{
}

static bool no_job(void *owner)
{
	return false;
}

static int open_books(void)
{
	return 0;
}

/*
 * Two engines, as the OpenCL layer says of each device: the first client's number holds for all.
 * The structure outlives the client.
 */
static void open_device(struct device *d)
{
	d->ops = (struct tgu_device){
		.key = d->key, .name = d->key, .memory = d->size, .engines = 2,
		.told = none, .drain = none, .settle = no_job,
	};
	d->tgu = tgu_open(&d->ops);
}

static int request(struct device *d, uint64_t bytes, int64_t until)
{
	/* No client: the system was out of memory when it was to be made. */
	const int ret = d->tgu ? tgu_mem_try(d->tgu, bytes, until) : -ENOMEM;

	if (!ret)
		__atomic_add_fetch(&d->held, bytes, __ATOMIC_RELAXED);
	return ret;
}

static void release(struct device *d, uint64_t bytes)
{
	tgu_mem_free(d->tgu, bytes);
}

static void close_books(void)
{
	struct device *d;

	for (d = devices_first(); d; d = d->next) {
		if (d->tgu)
			tgu_close(d->tgu);
		d->tgu = NULL;
		d->held = 0;
	}
}

/* src/user/client knows of the fork itself. */
static void fork_nothing(void)
{
}

static void fork_child(void)
{
	struct device *d;

	for (d = devices_first(); d; d = d->next) {
		d->tgu = NULL;
		d->held = 0;
	}
}

const struct books books_tgd = {
	.name = "tgd", .open = open_books, .close = close_books, .name_device = open_device,
	.request = request, .release = release,
	.fork_prepare = fork_nothing, .fork_parent = fork_nothing, .fork_child = fork_child,
};
