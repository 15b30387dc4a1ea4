/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A GPU of one engine, by fifo, for few clients: memory_test.c and memory_random.c. One at a time.
 */
#ifndef TESTS_CORE_START_H
#define TESTS_CORE_START_H

#include <string.h>
#include <tg/policy.h>

static struct tg_job *jobs[16];
static struct tg_client *clients[16];
static struct tg_channel *channels[16];

static void start(struct tg_gpu *gpu)
{
	const struct tg_buckets buckets = { jobs, clients, channels, 4 };

	memset(jobs, 0, sizeof(jobs));
	memset(clients, 0, sizeof(clients));
	memset(channels, 0, sizeof(channels));
	tg_gpu_init(gpu, 1, tg_policy_find("fifo", 4), &buckets, 0);
}

#endif /* TESTS_CORE_START_H */
