// SPDX-License-Identifier: GPL-2.0
/*
 * Gates: what a client's submissions have to do before the driver sees them, and what may be in
 * flight behind a gate that was open.
 *
 * Through an open gate jobs go unseen. Before the core may count on an idle engine, it asks the
 * host (SYNC) to say when all of them have ended (IDLE); a client that owes its IDLE past the
 * deadline is blamed, and the core goes on without it.
 *
 * Policies call tg_gate() and tg_sync(), handover.c and engine.c the rest, feed.c the event IDLE;
 * under the GPU's lock.
 */
#include "feed.h"
#include "gate.h"
#include "job.h"
#include "table.h"
#include "throttle.h"

/* Set a client's gate and tell the host. Waiting jobs follow in tg_client_settle(). */
void tg_client_tell_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate)
{
	gpu->open += (gate == TG_GATE_OPEN) - (client->gate == TG_GATE_OPEN);
	client->gate = gate;
	if (gate == TG_GATE_OPEN) {
		tg_client_idle(gpu, client);	/* an open gate calls SYNC off */
		client->opened = true;
	}
	tg_emit(gpu, TG_ACT_GATE, client, NULL, gate);
}

/* Bring the client's waiting jobs in line with its gate. */
void tg_client_settle(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_job *job, *next;
	struct tg_channel *ch;

	for (ch = client->channels; ch; ch = ch->next)
		list_for_each_entry_safe(job, next, &ch->jobs, sibling) {
			if (!tg_job_waits(job))
				continue;
			if (client->gate < TG_GATE_ASK)
				tg_job_pass(gpu, job);
			else
				tg_job_line_up(gpu, job);
		}
	if (client->gate == TG_GATE_ASK)
		tg_reserve_review(gpu, client->reserve);
}

void tg_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate)
{
	u32 i;

	/* A policy without a queue can only hold; it is ejected if that starves jobs. */
	if (gate == TG_GATE_ASK && !gpu->policy->pick)
		gate = TG_GATE_HOLD;
	if (client->gate == gate)
		return;
	tg_client_tell_gate(gpu, client, gate);
	tg_client_settle(gpu, client);
	/* The client may keep the engines busy: the starvation limit begins anew. */
	for (i = 0; i < gpu->nr_engines && gate != TG_GATE_HOLD; i++)
		gpu->engine[i].idle_since = TG_NEVER;
}

void tg_sync(struct tg_gpu *gpu, struct tg_client *client)
{
	if (client->syncing)
		return;
	client->syncing = true;
	client->synced = gpu->now;
	list_add_tail(&client->sync, &gpu->syncs);
	gpu->syncing++;
	tg_wake_by(gpu, tg_after(gpu->now, gpu->knob[TG_KNOB_DEADLINE]));
	tg_emit(gpu, TG_ACT_SYNC, client, NULL, 0);
}

/* The client owes no IDLE any more. */
void tg_client_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	if (!client->syncing)
		return;
	client->syncing = false;
	list_del_init(&client->sync);
	gpu->syncing--;
	client->opened = client->gate == TG_GATE_OPEN;
}

static void tell_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_client_idle(gpu, client);
	if (client->joined && !gpu->next_policy && gpu->policy->idle)
		gpu->policy->idle(gpu, client);
}

int tg_client_idle_event(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_client *client = tg_gpu_client(gpu, ev->client);

	if (!client)
		return -ENOENT;
	if (!client->syncing)
		return -EBUSY;
	client->sent = ev->idle.sent;
	client->cut = false;
	tell_idle(gpu, client);
	return 0;
}

/*
 * The client has owed an IDLE past the deadline: a job of its own does not end. The core goes on.
 */
void tg_client_cut(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_emit(gpu, TG_ACT_NOTE, client, NULL, TG_NOTE_DRAIN_CUT);
	client->sent = 1;
	client->cut = true;
	tell_idle(gpu, client);
}

bool tg_client_waits(const struct tg_client *client)
{
	const struct tg_channel *ch;

	for (ch = client->channels; ch; ch = ch->next)
		if (!list_empty(&ch->jobs) &&
		    tg_job_waits(list_entry(ch->jobs.prev, struct tg_job, sibling)))
			return true;
	return false;
}
