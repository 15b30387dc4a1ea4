// SPDX-License-Identifier: GPL-2.0
/*
 * loga: clients that ask, since their queue is deep or not known yet (struct tg_probe).
 *
 * All that a client has queued goes to the hardware through a gate that opens. A thousand groups of
 * 20 ms last for 20 s, however long their client is held then. So a client is probed from when it
 * comes: its gate stands at ASK where it would be open, and a few jobs of each of its channels are
 * in flight. Its queue is short if no job waits at the end of a cycle, and deep if more jobs would
 * not end within a cycle, or if what its open gate let through took longer than a cycle to end.
 * All else is as behind an open gate: samples tell what it takes.
 *
 * A list has the first job that waits of each of their channels. A job that may not go now goes to
 * its end when it has been looked at, so that each one is looked at in its turn, however many wait.
 * A few go with each event. What went through an open gate before is awaited first.
 *
 * loga.c calls it, and has most of it in its table; under the GPU's lock.
 */
#include "follow.h"
#include "loga.h"

#define LOOKS	32			/* jobs that wait, of which one may go */
#define PICKS	4			/* jobs that go in one event */
#define PAUSE	(20 * TG_USEC)		/* then */
#define ENDINGS	4			/* tails that one event looks at */

void tg_loga_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate)
{
	tg_loga(gpu)->turned += client->gate != gate &&
				(client->gate == TG_GATE_ASK || gate == TG_GATE_ASK);
	tg_gate(gpu, client, gate);
}

void tg_loga_let_run(struct tg_gpu *gpu, struct tg_client *client)
{
	const bool asks = tg_loga_share(client)->probe.most && !tg_loga_faithful(gpu) &&
			  gpu->policy_knob[TG_LOGA_HOLD];

	tg_loga_gate(gpu, client, asks ? TG_GATE_ASK : TG_GATE_OPEN);
}

void tg_loga_judge(struct tg_client *client)
{
	struct tg_loga_share *sh = tg_loga_share(client);

	if (!client->computes)
		tg_probe_short(&sh->probe);
	else if (client->gate == TG_GATE_ASK && (!sh->fresh || !tg_client_waits(client)))
		tg_probe_judge(&sh->probe, client);
	sh->probe.done = 0;
	sh->fresh = false;
}

void tg_loga_queue(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_heads_add(&tg_loga(gpu)->asked, job);
}

void tg_loga_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	tg_heads_del(&tg_loga(gpu)->asked, job);
}

struct tg_job *tg_loga_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_loga *st = tg_loga(gpu);
	struct tg_job *job;
	u32 looks;

	if (st->picked == PICKS) {
		tg_wake_by(gpu, tg_after(gpu->now, PAUSE));
		return NULL;
	}
	for (looks = 0; looks < LOOKS && !list_empty(&st->asked); looks++) {
		job = list_first_entry(&st->asked, struct tg_job, link);
		if (job->engines & 1 << engine->index && !job->client->syncing &&
		    tg_follows(job, tg_loga_share(job->client)->probe.most, LOOKS)) {
			st->picked++;
			tg_loga_drop(gpu, job);
			return job;
		}
		list_move_tail(&job->link, &st->asked);
	}
	return NULL;
}

/* Samples tell what clients take of the first engine: the core has booked this job, too. */
static void unbook(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	if (job->engines & 1)
		tg_unbook(gpu, job, used);
}

void tg_loga_done(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	unbook(gpu, job, used);
	tg_probe_done(&tg_loga_share(job->client)->probe);
}

void tg_loga_lost(struct tg_gpu *gpu, struct tg_job *job)
{
	unbook(gpu, job, job->charged);
}

void tg_loga_held(struct tg_gpu *gpu, struct tg_job *job, s64 held)
{
	if (tg_gpu_waits(gpu))
		tg_loga_weigh(tg_loga(gpu), job->client, held);
}

/* All that the client had in flight when it was held has ended. */
static void end_tail(struct tg_gpu *gpu, struct tg_loga *st, struct tg_client *client)
{
	struct tg_loga_share *sh = tg_loga_share(client);

	if (client->cut)
		tg_probe_short(&sh->probe);
	else if (sh->tail && gpu->now - client->sync_since > st->span)
		tg_probe_deep(&sh->probe);
	tg_loga_charge_tail(gpu, st, client);
}

void tg_loga_drained(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_loga *st = tg_loga(gpu);

	if (tg_loga_share(client)->tail && client->inflight && !client->cut)
		list_move_tail(&client->queue, &st->ending);
	else
		end_tail(gpu, st, client);
}

void tg_loga_look_at_endings(struct tg_gpu *gpu)
{
	struct tg_loga *st = tg_loga(gpu);
	struct tg_client *client;
	u32 i;

	for (i = 0; i < ENDINGS && !list_empty(&st->ending); i++) {
		client = list_first_entry(&st->ending, struct tg_client, queue);
		if (client->inflight)
			list_move_tail(&client->queue, &st->ending);
		else
			end_tail(gpu, st, client);
	}
}
