// SPDX-License-Identifier: GPL-2.0
/*
 * Clients and their channels come and go: JOIN, LEAVE, and ENGINES, which says that a channel's
 * jobs use other engines from now on.
 *
 * feed.c calls this file for those events, and job.c when the last job of a channel that has left
 * is over; under the GPU's lock.
 */
#include "admit.h"
#include "client.h"
#include "debt.h"
#include "feed.h"
#include "gate.h"
#include "job.h"
#include "match.h"
#include "memory.h"
#include "recorder.h"
#include "share.h"
#include "table.h"
#include "throttle.h"
#include "vgpu.h"

/* The pointer to @ch in its client's list of channels. */
static struct tg_channel **channel_link(const struct tg_channel *ch)
{
	struct tg_channel **link = &ch->client->channels;

	while (*link != ch)
		link = &(*link)->next;
	return link;
}

/* Into its client's list of channels, behind all others that wait: those are few. */
static void channel_add(struct tg_channel *ch)
{
	struct tg_channel **link = &ch->client->channels;

	while (*link && tg_channel_waits(*link))
		link = &(*link)->next;
	ch->next = *link;
	*link = ch;
}

void tg_channel_sort_in(struct tg_channel *ch)
{
	*channel_link(ch) = ch->next;
	channel_add(ch);
}

void tg_channel_sort_out(struct tg_channel *ch)
{
	struct tg_channel **link = &ch->client->channels;

	while (*link && *link != ch && tg_channel_waits(*link))
		link = &(*link)->next;
	/* If not, it is behind them. */
	if (*link == ch) {
		*link = ch->next;
		channel_add(ch);
	}
}

static bool has_left(const struct tg_client *client)
{
	const struct tg_channel *ch;

	for (ch = client->channels; ch; ch = ch->next)
		if (!ch->left)
			return false;
	return true;
}

/*
 * A client that had left is another process now: nothing but its debts and its counters stays. One
 * user does not see another one's counters.
 */
static void come_back(struct tg_gpu *gpu, struct tg_client *client, const struct tg_event *ev)
{
	struct tg_history *h = client->history;

	if (!tg_debt_of(gpu, client, ev->identity->uid)) {
		memset(&client->stats, 0, sizeof(client->stats));
		if (h)
			tg_history_forget(h);
	}
	tg_debt_over(gpu, client);
	tg_memory_leave(gpu, client);
	client->id_data = ev->identity;
	client->host = ev->host;
	client->by_hand = false;
	client->forgiven = false;
	client->yields = ev->join.yields;
	client->account = 0;
	tg_memory_join(gpu, client, ev->join.account);
}

int tg_client_join(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_client *client = tg_gpu_client(gpu, ev->client);
	const bool comes = !client || has_left(client);
	struct tg_channel *ch;

	if (!ev->identity || !ev->join.engines || ev->join.engines >> gpu->nr_engines)
		return -EINVAL;
	if (tg_channel_find(gpu, ev->client, ev->channel))
		return -EEXIST;
	/* A process is no driver, and does not come back as one. */
	if (client && client->id_data->kernel != ev->identity->kernel)
		return -EINVAL;
	if (!gpu->pooled[TG_POOL_CHANNEL] || !gpu->pooled[TG_POOL_RESERVE] ||
	    (!client && (!gpu->pooled[TG_POOL_CLIENT] || !gpu->pooled[TG_POOL_SHARER])))
		return -ENOMEM;
	if (ev->join.account > U32_MAX || ev->join.yields > 1)
		return -EINVAL;
	if (comes && ev->join.account && !gpu->pooled[TG_POOL_ACCOUNT] &&
	    !tg_mem_account(&gpu->mem, ev->join.account))
		return -ENOMEM;

	if (!client) {
		client = tg_gpu_take(gpu, TG_POOL_CLIENT);
		memset(client, 0, sizeof(*client));
		client->id = ev->client;
		client->id_data = ev->identity;
		gpu->vgpu[0].clients++;
		client->host = ev->host;
		client->yields = ev->join.yields;
		client->edition = gpu->edition;
		client->joined = gpu->term - 1;	/* not yet */
		INIT_LIST_HEAD(&client->queue);
		RB_CLEAR_NODE(&client->node);
		list_add_tail(&client->all, &gpu->all_clients);
		tg_client_hash(gpu, client);
		gpu->nr_clients++;
		INIT_LIST_HEAD(&client->sync);
		client->gate = TG_GATE_HOLD;
		tg_memory_join(gpu, client, ev->join.account);
		tg_client_match(gpu, client);
		tg_share_join(gpu, client);
		client->forgiven = tg_client_is_kernel(client);
		tg_client_set_gate(gpu, client, gpu->handover || tg_client_is_kernel(client) ?
				   TG_GATE_HOLD : gpu->policy->mode);
		if (!gpu->handover && !tg_client_is_kernel(client)) {
			if (gpu->policy->join)
				gpu->policy->join(gpu, client);
			client->joined = gpu->term;
			tg_client_settle(gpu, client);
		}
	} else {
		if (comes)
			come_back(gpu, client, ev);
		tg_client_match(gpu, client);
		tg_reserve_review(gpu, client->reserve);
	}

	client->computes |= ev->join.engines & 1;
	ch = tg_gpu_take(gpu, TG_POOL_CHANNEL);
	memset(ch, 0, sizeof(*ch));
	ch->id = ev->channel;
	ch->engines = ev->join.engines;
	ch->client = client;
	INIT_LIST_HEAD(&ch->jobs);
	channel_add(ch);
	tg_channel_hash(gpu, ch);
	return 0;
}

/* A client and its waiting jobs. Counting stops above TG_VISITS. */
static u32 visits(const struct tg_client *client)
{
	const struct tg_channel *ch;
	const struct tg_job *job;
	u32 n = 1;

	for (ch = tg_waiting(client->channels); ch; ch = tg_waiting(ch->next))
		list_for_each_entry_reverse(job, &ch->jobs, sibling) {
			if (!tg_job_waits(job))
				break;
			if (++n > TG_VISITS)
				return n;
		}
	return n;
}

bool tg_visit(struct tg_gpu *gpu, const struct tg_client *client, bool first)
{
	u32 n;

	if (!first && gpu->visited >= TG_VISITS)
		return false;
	n = visits(client);
	if (!first && gpu->visited + n > TG_VISITS)
		return false;
	gpu->visited += n;
	return true;
}

void tg_walk(struct tg_gpu *gpu)
{
	gpu->walking = tg_client_first(gpu);
}

struct tg_client *tg_walk_next(struct tg_gpu *gpu)
{
	struct tg_client *client = gpu->walking;

	while (client && tg_client_is_kernel(client))
		client = tg_client_after(gpu, client);
	gpu->walking = client;
	if (!client || gpu->walked >= TG_WALKS)
		return NULL;
	gpu->walked++;
	gpu->walking = tg_client_after(gpu, client);
	return client;
}

void tg_client_forget(struct tg_gpu *gpu, struct tg_client *client)
{
	tg_debt_over(gpu, client);
	if (tg_client_joined(gpu, client) && gpu->policy->leave)
		gpu->policy->leave(gpu, client);
	tg_client_idle(gpu, client);
	gpu->open -= client->gate == TG_GATE_OPEN;
	tg_client_follow(gpu, client, false);
	tg_gate_settled(gpu, client);
	tg_recorder_leaves(gpu, client);
	tg_emit(gpu, TG_ACT_GONE, client, NULL, 0);
	if (gpu->handing == client)
		gpu->handing = tg_client_after(gpu, client);
	if (gpu->sending == client)
		gpu->sending = tg_client_after(gpu, client);
	if (gpu->walking == client)
		gpu->walking = tg_client_after(gpu, client);
	if (gpu->passing == client)
		gpu->passing = tg_client_after(gpu, client);
	tg_client_matched(gpu, client);
	list_del_init(&client->all);
	tg_client_unhash(gpu, client);
	gpu->nr_clients--;
	tg_vgpu_leave(gpu, client);
	tg_share_leave(gpu, client);
	tg_reserve_put(gpu, client->reserve);
	tg_memory_leave(gpu, client);
	if (client->history)
		tg_history_free(gpu, client->history);
	tg_gpu_give(gpu, TG_POOL_CLIENT, client);
}

/*
 * Free the channel if it has left and its last job is over. The last channel takes its client
 * along, unless that owes something.
 */
void tg_channel_over(struct tg_gpu *gpu, struct tg_channel *ch)
{
	struct tg_client *client = ch->client;
	u32 i;

	if (!ch->left || !list_empty(&ch->jobs))
		return;
	for (i = 0; i < gpu->nr_engines; i++)
		if (gpu->engine[i].last == ch)
			gpu->engine[i].last = NULL;
	*channel_link(ch) = ch->next;
	tg_gpu_give(gpu, TG_POOL_CHANNEL, ch);
	if (!client->channels && !tg_debt_keeps(gpu, client))
		tg_client_forget(gpu, client);
}

/* From now on the channel's jobs use these engines, those that wait included. */
int tg_client_engines(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_channel *ch = tg_channel_find(gpu, ev->client, ev->channel);

	if (!ev->engines.mask || ev->engines.mask >> gpu->nr_engines)
		return -EINVAL;
	if (!ch)
		return -ENOENT;
	ch->engines = ev->engines.mask;
	ch->client->computes |= ch->engines & 1;
	tg_jobs_turn(gpu, ch);
	return 0;
}

int tg_client_leave(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_channel *ch = tg_channel_find(gpu, ev->client, ev->channel);
	struct tg_job *job, *next;

	if (!ch)
		return -ENOENT;
	tg_channel_unhash(gpu, ch);
	list_for_each_entry_safe(job, next, &ch->jobs, sibling) {
		if (tg_job_waits(job))
			tg_job_abandon(gpu, job);
		else if (job->state == TG_JOB_LOST)
			tg_job_over(gpu, job);
	}
	ch->left = true;
	ch->client->sharer->left++;
	if (has_left(ch->client))
		tg_debt_left(gpu, ch->client);
	tg_channel_over(gpu, ch);
	return 0;
}
