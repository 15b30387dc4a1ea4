// SPDX-License-Identifier: GPL-2.0
/*
 * Changing the policy: by a switch, which drains first, or by ejecting a policy that failed.
 *
 * A switch holds every client's gate, and waits until nothing is in flight; what went through open
 * gates is found out by SYNC and IDLE. Then the new policy comes into force and gets every waiting
 * job. No job is lost. A policy whose knob `share` changes gets its clients anew in the same way
 * (share.c). A switch that is asked for during a drain replaces the one that is due; one
 * that is asked for while clients join begins anew.
 *
 * An ejection does not drain: fifo need not know what is in flight. Nor does the beginning of a dry
 * run, which puts fifo in force; its end is a switch.
 *
 * One event comes to a few clients only (enum tg_handover), one at least, but for the event that
 * ends a drain; the next one, or TIMER, goes on. Until the last one has joined, nothing is picked.
 * A client that has not joined yet is unknown to the policy in force. After an ejection its gate
 * may stand anywhere until its turn comes.
 *
 * feed.c calls tg_policy_switch() for the event POLICY, knob.c begins and ends dry runs, engine.c
 * ejects and goes on with what is under way; under the GPU's lock.
 */
#include "client.h"
#include "dry.h"
#include "feed.h"
#include "gate.h"
#include "handover.h"
#include "job.h"
#include "poll.h"
#include "settings.h"
#include "share.h"

extern const struct tg_policy tg_policy_fifo;

static void announce(struct tg_gpu *gpu)
{
	const char *name = tg_gpu_policy(gpu)->name;
	struct tg_action action = {
		.kind = TG_ACT_NOTE,
		.arg = gpu->dry ? TG_NOTE_DRY : TG_NOTE_POLICY,
		.job = tg_policy_find(name, strlen(name)),
	};

	gpu->out->emit(gpu->out, &action);
}

/* Hold the gates of all clients: then @policy gets them. */
static void hold_all(struct tg_gpu *gpu, const struct tg_policy *policy)
{
	u32 i;

	gpu->next_policy = policy;
	gpu->walking = NULL;
	tg_poll_stop(gpu);
	for (i = 0; i < gpu->nr_engines; i++)
		gpu->engine[i].idle_since = TG_NEVER;
	gpu->handover = TG_HANDOVER_HOLD;
	gpu->handing = tg_client_first(gpu);
}

int tg_policy_switch(struct tg_gpu *gpu, u64 nr)
{
	const struct tg_policy *policy = nr <= U32_MAX ? tg_policy_get(nr) : NULL;

	if (!policy)
		return -EINVAL;
	if (gpu->behind == TG_BEHIND_MAX)
		return -EBUSY;
	if (gpu->dry) {
		if (policy != tg_gpu_policy(gpu)) {
			tg_dry_restart(gpu, policy);
			announce(gpu);
		}
		return 0;
	}
	gpu->joins_anew &= policy == gpu->policy;
	if (gpu->next_policy || policy == gpu->policy) {
		if (gpu->next_policy)
			gpu->next_policy = policy;
		return 0;
	}
	hold_all(gpu, policy);
	return 0;
}

int tg_policy_join_anew(struct tg_gpu *gpu)
{
	if (gpu->behind == TG_BEHIND_MAX)
		return -EBUSY;
	/* Another one is due: it begins with its own knobs. */
	if (gpu->next_policy)
		return 0;
	gpu->joins_anew = true;
	hold_all(gpu, gpu->policy);
	return 0;
}

/* The next client in turn; NULL: each has had its turn, or this event comes to no more of them. */
static struct tg_client *next_in_turn(struct tg_gpu *gpu, bool *first)
{
	struct tg_client *client = gpu->handing;

	if (!client || !tg_visit(gpu, client, *first))
		return NULL;
	*first = false;
	gpu->handing = tg_client_after(gpu, client);
	return client;
}

/* Hold the gates of some more clients. */
static void hold(struct tg_gpu *gpu)
{
	struct tg_client *client;
	bool first = gpu->visited < TG_VISITS;

	while ((client = next_in_turn(gpu, &first))) {
		tg_gate_hold(gpu, client);
		if (client->opened)
			tg_sync(gpu, client);
	}
	if (gpu->handing)
		return;
	gpu->handover = TG_HANDOVER_DRAIN;
	gpu->drain_since = gpu->now;
}

/*
 * Hold the client's waiting jobs, in no policy's queue. After a drain they are so; after an
 * ejection this takes them away without calling the policy that failed.
 */
static void disown(struct tg_gpu *gpu, struct tg_client *client)
{
	bool asked = client->gate == TG_GATE_ASK;
	struct tg_channel *ch;
	struct tg_job *job;

	gpu->open -= client->gate == TG_GATE_OPEN;
	client->gate_sent &= client->gate == TG_GATE_HOLD;
	client->gate = TG_GATE_HOLD;
	if (asked)
		for (ch = tg_waiting(client->channels); ch; ch = tg_waiting(ch->next))
			for (job = tg_channel_waiting(ch); job; job = tg_job_next(job))
				tg_job_line_up(gpu, job);
	tg_client_idle(gpu, client);
}

/*
 * Put @policy in force: its memory is zero, and all clients have yet to join. It hears nothing of
 * jobs that the old one picked. Its new number, tg_gpu.term, is enough for both: no client is
 * visited.
 */
static void begin(struct tg_gpu *gpu, const struct tg_policy *policy)
{
	u32 i;

	tg_poll_stop(gpu);
	gpu->walking = NULL;
	gpu->policy = policy;
	gpu->term++;
	gpu->behind++;
	gpu->next_policy = NULL;
	gpu->starts = false;
	memset(gpu->priv, 0, sizeof(gpu->priv));
	for (i = 0; i <= TG_VGPUS_MAX; i++)
		memset(gpu->vgpu[i].priv, 0, sizeof(gpu->vgpu[i].priv));
	if (!gpu->joins_anew)
		tg_settings_begin(gpu, policy, gpu->policy_knob);
	gpu->joins_anew = false;
	tg_share_begin(gpu);
	for (i = 0; i < gpu->nr_engines; i++)
		gpu->engine[i].idle_since = TG_NEVER;

	if (policy->init)
		policy->init(gpu);
	gpu->handover = TG_HANDOVER_JOIN;
	gpu->handing = tg_client_first(gpu);
}

/*
 * Some more clients join the policy in force, and their waiting jobs line up. @first: one does,
 * however much work it is.
 */
static void join(struct tg_gpu *gpu, bool first)
{
	struct tg_client *client;

	while ((client = next_in_turn(gpu, &first))) {
		if (tg_client_is_kernel(client)) {
			client->joined = gpu->term - 1;	/* never */
			continue;
		}
		disown(gpu, client);
		memset(client->priv, 0, sizeof(client->priv));
		INIT_LIST_HEAD(&client->queue);
		RB_CLEAR_NODE(&client->node);
		tg_share_rejoin(gpu, client);
		if (gpu->policy->mode != TG_GATE_HOLD)
			tg_client_set_gate(gpu, client, gpu->policy->mode);
		if (gpu->policy->join)
			gpu->policy->join(gpu, client);
		client->joined = gpu->term;
		tg_client_settle(gpu, client);
	}
	if (gpu->handing)
		return;
	gpu->handover = TG_HANDOVER_NONE;
	gpu->behind = 0;
	announce(gpu);
}

void tg_policy_eject(struct tg_gpu *gpu, enum tg_note why)
{
	tg_emit(gpu, TG_ACT_NOTE, NULL, NULL, why);
	gpu->joins_anew = false;
	begin(gpu, &tg_policy_fifo);
	tg_handover_go_on(gpu);
	if (gpu->handover)
		tg_wake_by(gpu, tg_handover_wake(gpu));
}

/* The client of the first job in flight, which keeps the drain from ending; NULL: there is none. */
static const struct tg_client *culprit(const struct tg_gpu *gpu)
{
	const struct list_head *jobs;
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++) {
		jobs = &gpu->engine[i].busy;
		if (list_empty(jobs))
			jobs = &gpu->engine[i].freed;
		if (!list_empty(jobs))
			return list_first_entry(jobs, struct tg_job, wait)->client;
	}
	return NULL;
}

/*
 * Is the drain over? Then the next policy comes into force. Answers to SYNC that do not come in
 * time are not awaited: engine.c sees to that.
 */
static void drain(struct tg_gpu *gpu)
{
	u32 inflight = 0, i;

	for (i = 0; i < gpu->nr_engines; i++)
		inflight += gpu->engine[i].inflight;
	if (gpu->syncing ||
	    (inflight && tg_after(gpu->drain_since, gpu->knob[TG_KNOB_DEADLINE]) > gpu->now))
		return;
	if (inflight)
		tg_emit(gpu, TG_ACT_NOTE, culprit(gpu), NULL, TG_NOTE_DRAIN_CUT);
	begin(gpu, gpu->next_policy);
}

void tg_handover_go_on(struct tg_gpu *gpu)
{
	const bool first = gpu->handover == TG_HANDOVER_JOIN;	/* not with what ends a drain */

	if (gpu->handover == TG_HANDOVER_HOLD)
		hold(gpu);
	if (gpu->handover == TG_HANDOVER_DRAIN)
		drain(gpu);
	if (gpu->handover == TG_HANDOVER_JOIN)
		join(gpu, first);
}

s64 tg_handover_wake(const struct tg_gpu *gpu)
{
	s64 soon = tg_after(gpu->now, TG_PAUSE);

	return gpu->handover == TG_HANDOVER_DRAIN ?
	       max(tg_after(gpu->drain_since, gpu->knob[TG_KNOB_DEADLINE]), soon) : soon;
}

int tg_policy_dry_run(struct tg_gpu *gpu, bool on)
{
	const struct tg_policy *policy;

	if (on == !!gpu->dry)
		return 0;
	if (gpu->behind == TG_BEHIND_MAX)
		return -EBUSY;
	if (!on) {
		policy = tg_gpu_policy(gpu);
		tg_dry_end(gpu);
		if (policy == gpu->policy)
			announce(gpu);
		return tg_policy_switch(gpu, tg_policy_find(policy->name, strlen(policy->name)));
	}
	policy = gpu->next_policy ?: gpu->policy;
	gpu->dry = tg_gpu_take(gpu, TG_POOL_DRY);
	if (!gpu->dry)
		return -ENOMEM;
	tg_dry_begin(gpu, policy);
	gpu->joins_anew = false;
	begin(gpu, &tg_policy_fifo);
	return 0;
}
