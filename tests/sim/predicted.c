// SPDX-License-Identifier: GPL-2.0
/*
 * predicted COMM <TRACE - how well did AE predict the groups of clients of that name? It replays the trace, and prints how
 * many of the groups that the core learned from had been predicted within a tenth of what they took: "194 of 203". A miss
 * counts by what AE assumed in its place: 0 as long as no cost is known. VM cases run it, and people by hand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "replay.h"

#define CHUNK	65536

struct predicted {
	struct tgs_watch watch;
	const char *comm;
	const struct tg_client *client;		/* of the DONE in hand, if its cost is learned */
	s64 x, used;
	u64 before;
	u64 good, all;
};

/* The core learns from a job that has a record of costs; its next event tells whether it has. */
static void before(struct tgs_watch *watch, const struct tg_gpu *core, const struct tg_record *ev)
{
	struct predicted *p = container_of(watch, struct predicted, watch);
	const struct tg_job *job = ev->kind == TG_EV_DONE ? tg_gpu_job(core, ev->job) : NULL;

	p->client = NULL;
	if (!job || !job->cost || strncmp(job->client->id_data->comm, p->comm, TG_COMM_LEN))
		return;
	p->client = job->client;
	p->x = job->predicted;
	p->before = p->client->history->runs;
	p->used = p->client->stats.gpu_time;
}

static void after(struct tgs_watch *watch, const struct tg_gpu *core, const struct tg_record *ev)
{
	struct predicted *p = container_of(watch, struct predicted, watch);
	s64 used, off;

	if (!p->client || p->client->history->runs == p->before)
		return;
	used = p->client->stats.gpu_time - p->used;
	off = p->x > used ? p->x - used : used - p->x;
	p->good += off <= used / 10;
	p->all++;
}

static void action(struct tgs_watch *watch, const struct tg_gpu *core, const struct tg_record *act)
{
}

int main(int argc, char **argv)
{
	struct predicted p = { .watch = { before, action, after } };
	char error[TGS_MESSAGE], *data = NULL;
	struct tgs_trace trace;
	u64 len = 0;
	size_t n;
	int ret;

	if (argc != 2) {
		fputs("usage: predicted COMM <TRACE\n", stderr);
		return 2;
	}
	do {
		data = tgs_grow(data, len + CHUNK, 1);
		n = fread(data + len, 1, CHUNK, stdin);
		len += n;
	} while (n);
	if (tgs_trace_read(&trace, data, len, error)) {
		fprintf(stderr, "predicted: %s\n", error);
		return 1;
	}
	p.comm = argv[1];
	ret = tgs_replay_watched(&trace, &p.watch, stderr);
	printf("%llu of %llu\n", (unsigned long long)p.good, (unsigned long long)p.all);
	tgs_trace_deinit(&trace);
	free(data);
	return ret;
}
