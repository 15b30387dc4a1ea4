// SPDX-License-Identifier: GPL-2.0
/*
 * Poll phases: the core asks the host to look what the hardware works for (TG_ACT_POLL), at regular
 * distances (dense) or at random ones (sparse), and gets a SAMPLE per client and one of all. Called
 * by run.c for the action and for each stretch of work. One thread.
 */
#include "poll.h"

#include "client.h"
#include "evq.h"
#include "gpu.h"
#include "run_priv.h"
#include "workload.h"

static s64 draw_look(struct poll *p)
{
	return p->distance / 2 + tgs_rng_below(&p->rng, p->distance + 1);
}

/* The first look at or after @time, in a dense phase. */
static s64 look_after(const struct poll *p, s64 time)
{
	return p->from + (time - p->from + p->distance - 1) / p->distance * p->distance;
}

/* What was seen in a phase that was called off is of none. */
static void forget(struct gpu *gpu)
{
	u32 i;

	for (i = 0; i < gpu->run->result->nr_clients; i++) {
		struct client *client = &gpu->run->clients[i];

		if (client->gpu == gpu) {
			client->seen = 0;
			client->groups = 0;
		}
	}
}

void tgs_poll_start(struct gpu *gpu, s64 until, u32 distance)
{
	struct poll *p = &gpu->poll;
	s64 now = gpu->run->now;

	if (!distance) {
		p->on = false;
		forget(gpu);
		tgs_evq_clear(&gpu->run->q, &gpu->polled);
		return;
	}
	if (!p->on) {
		p->on = true;
		p->sparse = distance > 1;
		p->distance = p->sparse ? distance : gpu->conf->poll;
		p->from = now;
		p->next = now + (p->sparse ? draw_look(p) : 0);
		p->looks = 0;
		p->last = NULL;
	}
	if (!p->sparse)		/* a dense phase ends at a look */
		until = look_after(p, until);
	tgs_evq_set(&gpu->run->q, &gpu->polled, max(until, now));
}

/* Make the looks before @to, at which @client ran; NULL: the engine was idle. */
static void look_until(struct poll *p, struct client *client, s64 to)
{
	for (; p->next < to; p->next += draw_look(p)) {
		p->looks++;
		if (client)
			client->seen++;
	}
}

void tgs_poll_saw(struct gpu *gpu, struct client *client, s64 from, s64 to)
{
	struct poll *p = &gpu->poll;

	if (!p->on || to <= p->from)
		return;
	from = max(from, p->from);
	if (p->sparse) {
		look_until(p, NULL, from);
		look_until(p, client, to);
		return;
	}
	from = look_after(p, from);
	to = look_after(p, to);
	if (from == to)
		return;		/* it ran between two looks */
	client->groups += p->last != client || p->last_to != from;
	client->seen += to - from;
	p->last = client;
	p->last_to = to;
}

/* Add what was seen of a client that has left to the latest one that goes on with it. */
static void pass_on(struct client *client)
{
	struct client *last = client->after;

	while (last->after)
		last = last->after;
	last->seen += client->seen;
	last->groups += client->groups;
	last->active |= client->active || client->unfinished;
	client->seen = 0;
	client->groups = 0;
	client->active = false;
}

/* Before any SAMPLE: the client that goes on may come earlier in the scenario. */
static void pass_all_on(struct gpu *gpu)
{
	struct run *run = gpu->run;
	u32 i;

	for (i = 0; i < run->result->nr_clients; i++)
		if (run->clients[i].gpu == gpu && run->clients[i].after)
			pass_on(&run->clients[i]);
}

void tgs_poll_over(void *owner, s64 now)
{
	struct gpu *gpu = owner;
	struct run *run = gpu->run;
	struct poll *p = &gpu->poll;
	struct tgs_hw_engine *e = &gpu->engine[0];
	struct tg_sample s, all = { .length = now - p->from };
	struct tg_event ev = { .kind = TG_EV_SAMPLE, .sample = &s };
	u32 i;

	if (e->running && e->since < now)
		tgs_poll_saw(gpu, tgs_client_of(list_first_entry(&e->running->works, struct tgs_work, link)),
		    e->since, now);
	if (p->sparse)
		look_until(p, NULL, now);
	else
		p->looks = all.length / p->distance;
	gpu->result->looks += p->looks;
	p->on = false;
	pass_all_on(gpu);
	for (i = 0; i < run->result->nr_clients; i++) {
		struct client *client = &run->clients[i];

		if (client->gpu != gpu)
			continue;
		s = (struct tg_sample){ .length = all.length, .busy = client->seen,
					.groups = client->groups,
					.active = client->active || client->unfinished };
		if (p->sparse && p->looks)
			s.busy = client->seen * all.length / (s64)p->looks;
		client->seen = 0;
		client->groups = 0;
		client->active = client->unfinished;
		all.busy += s.busy;
		all.groups += s.groups;
		ev.client = client->number;
		if (tgs_client_known(client) && s.active)
			tgs_feed(gpu, &ev, 0);
	}
	ev.client = 0;
	s = all;
	tgs_feed(gpu, &ev, 0);
}
