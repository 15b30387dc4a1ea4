// SPDX-License-Identifier: GPL-2.0
/*
 * What tests/sim/recorder-cost counts: cycles of a submission and its end, under timegraph, with
 * the flight recorder or without.
 *
 * usage: recorder_cost SCENE RECORDER CYCLES
 *	SCENE		alone: one client, whose groups of 50 us bypass
 *			turns: two in turn, groups of 200 us, waits below 1 ms
 *			waits: two in turn, groups of 5 ms, each wait counts in a record
 *	RECORDER	0 or 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tg/policy.h>
#include <tg/recorder.h>

#define AT_ONCE	64	/* more than there are jobs at a time; a power of two */

static struct tg_gpu gpu;
static struct tg_times times[AT_ONCE];
static s64 now = TG_MSEC;

static void emit(struct tg_actions *out, const struct tg_action *action)
{
}

static void feed(enum tg_event_kind kind, u32 client, u64 job)
{
	static struct tg_actions out = { .emit = emit };
	static struct tg_identity ids[] = { { .pid = 1, .comm = "a" }, { .pid = 2, .comm = "b" } };
	struct tg_event ev = {
		.kind = kind, .now = now, .at = now, .client = client, .channel = client, .job = job,
		.host = &times[job % AT_ONCE],
	};

	if (kind == TG_EV_JOIN) {
		ev.identity = &ids[client - 1];
		ev.join.engines = 1;
	} else if (kind == TG_EV_BYPASSED) {
		ev.bypassed.started = true;
	} else if (kind == TG_EV_DONE || kind == TG_EV_STARTED) {
		ev.client = ev.channel = 0;
	}
	if (tg_gpu_feed(&gpu, &ev, &out)) {
		fprintf(stderr, "recorder_cost: event %u is refused\n", kind);
		exit(1);
	}
}

static void start(u32 clients, bool recorder)
{
	static struct tg_job *jobs[AT_ONCE];
	static struct tg_client *by_number[AT_ONCE];
	static struct tg_channel *channels[AT_ONCE];
	const struct tg_buckets buckets = { jobs, by_number, channels, 6 };
	const u32 nr = 256 * 1024 / sizeof(struct tg_wait);
	u32 i;

	tg_gpu_init(&gpu, 1, tg_policy_find("timegraph", 9), &buckets, 0);
	for (i = 0; i < TG_POOLS * 8; i++)
		tg_gpu_give(&gpu, i % TG_POOLS, calloc(1, tg_pool_size[i % TG_POOLS]));
	if (recorder)
		gpu.recorder = tg_recorder_init(calloc(1, tg_recorder_size(nr, 1)), nr, 1, 0);
	for (i = 1; i <= clients; i++)
		feed(TG_EV_JOIN, i, 0);
}

static void alone(u64 cycles)
{
	u64 job;

	for (job = 1; job <= cycles; job++) {
		feed(TG_EV_BYPASSED, 1, job);
		now += 50 * TG_USEC;
		feed(TG_EV_DONE, 0, job);
	}
}

/* While a group of one runs, the other submits and waits. */
static void in_turn(u64 cycles, s64 us)
{
	u64 job = 1;

	feed(TG_EV_SUBMIT, 1, job);
	feed(TG_EV_STARTED, 0, job);
	for (; job <= cycles; job++) {
		feed(TG_EV_SUBMIT, 1 + job % 2, job + 1);
		now += us * TG_USEC;
		feed(TG_EV_DONE, 0, job);
		feed(TG_EV_STARTED, 0, job + 1);
	}
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: recorder_cost alone|turns|waits 0|1 CYCLES\n");
		return 2;
	}
	start(strcmp(argv[1], "alone") ? 2 : 1, atoi(argv[2]));
	if (!strcmp(argv[1], "alone"))
		alone(atoi(argv[3]));
	else
		in_turn(atoi(argv[3]), strcmp(argv[1], "waits") ? 200 : 5000);
	return 0;
}
