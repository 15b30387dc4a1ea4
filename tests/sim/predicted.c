// SPDX-License-Identifier: GPL-2.0
/*
 * predicted TRACE COMM - how well did AE predict the groups of clients of that name? Replays the trace, and prints how many
 * of those that the core learned from had been predicted within a tenth of what they took: "194 of 203". A miss is one that
 * had not. For VM cases and by hand.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

struct predicted {
	struct tgs_watch watch;
	const char *comm;
	const struct tg_client *client;		/* of the DONE in hand, if its cost is learned */
	s64 x, used;
	u64 before;
	u64 good, all;
};

/* A job that ends has its cost's record still, unless its time is not its own. */
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

static char *read_file(const char *path, u64 *len)
{
	FILE *f = fopen(path, "rb");
	size_t room = 0, n;
	char *data = NULL;

	*len = 0;
	if (!f)
		return NULL;
	do {
		room += 1 << 20;
		data = realloc(data, room);
		n = data ? fread(data + *len, 1, room - *len, f) : 0;
		*len += n;
	} while (n && *len == room);
	fclose(f);
	return data;
}

int main(int argc, char **argv)
{
	struct predicted p = { .watch = { before, action, after } };
	char error[TGS_MESSAGE];
	struct tgs_trace trace;
	char *data;
	u64 len;
	int ret;

	if (argc != 3) {
		fputs("usage: predicted TRACE COMM\n", stderr);
		return 2;
	}
	data = read_file(argv[1], &len);
	if (!data || tgs_trace_read(&trace, data, len, error)) {
		fprintf(stderr, "predicted: %s: %s\n", argv[1], data ? error : strerror(errno));
		return 1;
	}
	p.comm = argv[2];
	ret = tgs_replay_watched(&trace, &p.watch, stderr);
	printf("%llu of %llu\n", (unsigned long long)p.good, (unsigned long long)p.all);
	tgs_trace_deinit(&trace);
	free(data);
	return ret;
}
