// SPDX-License-Identifier: GPL-2.0
/*
 * Gates: what a client's submissions have to do before the driver sees them, and what may be in
 * flight behind a gate that was open.
 *
 * Through an open gate jobs go unseen. Before the core may count on an idle engine, it asks the
 * host (SYNC) to say when all of them have ended (IDLE); a client that owes its IDLE past the
 * deadline is blamed, and the core goes on without it.
 *
 * A policy may change the gates of all clients in one event. tg_client.gate changes at once; the
 * host is told of a few of them in that event and of the others in later ones (tg_client.unsent),
 * and the jobs that wait behind a gate that opens are freed in the same way, before the host is
 * told. Until then the host uses the old gate, so what a client submits meanwhile goes behind its
 * jobs that wait. SYNC is sent after the gate. The policy's queue follows a gate that changes to or
 * from ASK at once.
 *
 * While clients wait, a policy has the host watch (WATCH) when nothing is in flight that went
 * through an open gate (QUIET).
 *
 * Policies call tg_gate(), tg_sync() and tg_watch(); client.c, engine.c, handover.c, job.c and
 * match.c the rest; feed.c the events IDLE and QUIET; under the GPU's lock.
 */
#include "client.h"
#include "feed.h"
#include "gate.h"
#include "job.h"
#include "table.h"
#include "throttle.h"

static void set(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate)
{
	gpu->open += (gate == TG_GATE_OPEN) - (client->gate == TG_GATE_OPEN);
	client->gate = gate;
	client->opened |= gate == TG_GATE_OPEN;
	client->gate_sent = false;
}

static void send_gate(struct tg_gpu *gpu, struct tg_client *client)
{
	client->gate_sent = true;
	if (client->gate == TG_GATE_OPEN)
		tg_client_idle(gpu, client);	/* an open gate calls SYNC off */
	tg_emit(gpu, TG_ACT_GATE, client, NULL, client->gate);
}

/* There is something to do for the client's gate, in a later event. */
static void put_off(struct tg_gpu *gpu, struct tg_client *client)
{
	if (client->unsent)
		return;
	client->unsent = true;
	if (!gpu->unsent++)
		tg_wake_by(gpu, tg_after(gpu->now, TG_PAUSE));
}

/* There is not, or the client leaves. */
void tg_gate_settled(struct tg_gpu *gpu, struct tg_client *client)
{
	gpu->unsent -= client->unsent;
	client->unsent = false;
}

/*
 * Set a client's gate, and send it to the host, unless jobs are to go through first.
 * tg_client_settle() has to follow.
 */
void tg_client_set_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate)
{
	set(gpu, client, gate);
	if (gate < TG_GATE_ASK)
		return;
	send_gate(gpu, client);
	tg_gate_settled(gpu, client);
}

static void send_sync(struct tg_gpu *gpu, struct tg_client *client)
{
	client->sync_sent = true;
	client->sync_since = gpu->now;
	list_add_tail(&client->sync, &gpu->syncs);
	tg_wake_by(gpu, tg_after(gpu->now, gpu->knob[TG_KNOB_DEADLINE]));
	tg_emit(gpu, TG_ACT_SYNC, client, NULL, 0);
}

/*
 * Behind a gate that has opened, free jobs that wait: one, and as many more as the event may visit.
 * @line_up: some may be throttled or in the policy's queue; first, none is any more. Return: no
 * other job waits.
 */
static bool pass_some(struct tg_gpu *gpu, struct tg_client *client, bool line_up)
{
	bool first = true, all = true;
	struct tg_channel *ch, *after;
	struct tg_job *job, *next;

	for (ch = tg_waiting(client->channels); ch; ch = tg_waiting(after)) {
		after = ch->next;	/* it goes behind those if its last job goes */
		for (job = tg_channel_waiting(ch); job; job = next) {
			next = tg_job_next(job);
			if (line_up)
				tg_job_line_up(gpu, job);
			if (!first && gpu->visited >= TG_VISITS) {
				if (!line_up)
					return false;
				all = false;
				continue;
			}
			first = false;
			gpu->visited++;
			tg_job_pass(gpu, job);
		}
	}
	return all;
}

/*
 * Let waiting jobs go through a gate that has opened (@line_up as in pass_some()), and send the
 * client's gate, if it is not sent yet. Return: false: a later event has to go on.
 */
static bool go_on(struct tg_gpu *gpu, struct tg_client *client, bool line_up)
{
	if (client->gate < TG_GATE_ASK && !pass_some(gpu, client, line_up)) {
		put_off(gpu, client);
		return false;
	}
	if (!client->gate_sent)
		send_gate(gpu, client);
	if (client->syncing && !client->sync_sent)
		send_sync(gpu, client);
	tg_gate_settled(gpu, client);
	return true;
}

bool tg_gate_go_on(struct tg_gpu *gpu, struct tg_client *client)
{
	gpu->visited += !client->gate_sent;
	return go_on(gpu, client, false);
}

/* Bring the client's waiting jobs in line with its gate. */
void tg_client_settle(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_channel *ch;
	struct tg_job *job;

	if (client->gate < TG_GATE_ASK) {
		go_on(gpu, client, true);
		return;
	}
	for (ch = tg_waiting(client->channels); ch; ch = tg_waiting(ch->next))
		for (job = tg_channel_waiting(ch); job; job = tg_job_next(job))
			tg_job_line_up(gpu, job);
	if (client->gate == TG_GATE_ASK)
		tg_reserve_review(gpu, client->reserve);
}

/* Go on with as many clients as the event may visit: some with each TIMER. */
void tg_gates_go_on(struct tg_gpu *gpu)
{
	struct tg_client *client;

	while (gpu->unsent && gpu->visited < TG_VISITS) {
		client = gpu->sending ?: tg_client_first(gpu);
		if (client->unsent && !tg_gate_go_on(gpu, client))
			return;
		gpu->sending = tg_client_after(gpu, client);
	}
}

/* May this event send the host the client's gate? The first client that waits need not wait. */
static bool may_send(struct tg_gpu *gpu, const struct tg_client *client)
{
	if (gpu->visited < TG_VISITS)
		return true;
	if (gpu->served || !tg_client_waits(client))
		return false;
	gpu->served = true;
	return true;
}

void tg_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate)
{
	bool asks;
	u32 i;

	/* A policy without a queue can only hold; it is ejected if that starves jobs. */
	if (gate == TG_GATE_ASK && !gpu->policy->pick)
		gate = TG_GATE_HOLD;
	if (client->gate == gate)
		return;
	asks = gate == TG_GATE_ASK || client->gate == TG_GATE_ASK;
	if (asks) {
		tg_client_set_gate(gpu, client, gate);
		/* While the policy's join() runs, the jobs wait for its end. */
		if (tg_client_joined(gpu, client))
			tg_client_settle(gpu, client);
	} else {
		set(gpu, client, gate);
		if (may_send(gpu, client))
			tg_gate_go_on(gpu, client);
		else
			put_off(gpu, client);
	}
	/* The client may keep the engines busy: the starvation limit begins anew. */
	for (i = 0; i < gpu->nr_engines && gate != TG_GATE_HOLD; i++)
		gpu->engine[i].idle_since = TG_NEVER;
}

/* Hold a client's gate, and send it to the host in this event. */
void tg_gate_hold(struct tg_gpu *gpu, struct tg_client *client)
{
	bool asked = client->gate == TG_GATE_ASK;

	if (client->gate != TG_GATE_HOLD)
		set(gpu, client, TG_GATE_HOLD);
	if (!client->gate_sent)
		send_gate(gpu, client);
	tg_gate_settled(gpu, client);
	if (asked)
		tg_client_settle(gpu, client);
}

void tg_sync(struct tg_gpu *gpu, struct tg_client *client)
{
	if (!client->syncing) {
		client->syncing = true;
		gpu->syncing++;
	}
	if (client->gate_sent && !client->sync_sent)
		send_sync(gpu, client);
}

void tg_watch(struct tg_gpu *gpu)
{
	if (gpu->watching)
		return;
	gpu->watching = true;
	tg_emit(gpu, TG_ACT_WATCH, NULL, NULL, 0);
}

int tg_gates_quiet(struct tg_gpu *gpu, const struct tg_event *ev)
{
	u32 i;

	if (!gpu->watching)
		return -EBUSY;
	gpu->watching = false;
	/* A client has come since the last time, or it is the first. */
	for (i = 0; i < gpu->nr_engines && (ev->quiet.gap || !gpu->quiet); i++)
		gpu->engine[i].idle_since = TG_NEVER;
	gpu->quiet = gpu->now ?: 1;
	if (gpu->policy->quiet && !gpu->handover)
		gpu->policy->quiet(gpu, min(ev->quiet.gap, 3600ULL * TG_SEC));
	return 0;
}

/* The client owes no IDLE any more. */
void tg_client_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	if (!client->syncing)
		return;
	client->syncing = false;
	client->sync_sent = false;
	list_del_init(&client->sync);
	gpu->syncing--;
}

static void tell_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_client_idle(gpu, client);
	client->opened = client->gate == TG_GATE_OPEN;
	/* A policy that has opened the gate since does not ask any more. */
	if (client->gate == TG_GATE_OPEN || !tg_client_joined(gpu, client) || gpu->next_policy)
		return;
	if (gpu->policy->idle)
		gpu->policy->idle(gpu, client);
}

int tg_client_idle_event(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_client *client = tg_gpu_client(gpu, ev->client);

	if (!client)
		return -ENOENT;
	if (!client->sync_sent)
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
	return client->channels && tg_channel_waits(client->channels);
}
