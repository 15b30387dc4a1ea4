// SPDX-License-Identifier: GPL-2.0
/*
 * Clients and their channels: join, leave, and which line of the spec a client follows.
 *
 * Owns the membership of clients in reserves. Called by gpu.c for events and by job.c when the
 * last job of a channel that has left ends; under the GPU's lock.
 */
#include "core.h"

static bool shared(const struct tg_reserve *r)
{
	return r->name[0];
}

static bool named(const struct tg_reserve *r, const char *name, u32 len)
{
	return strlen(r->name) == len && !memcmp(r->name, name, len);
}

/* Does the spec in force speak of this shared reserve? */
static bool in_spec(const struct tg_gpu *gpu, const struct tg_reserve *r)
{
	u32 i;

	for (i = 0; gpu->spec && i < gpu->spec->nr; i++) {
		const struct tg_str *name = &gpu->spec->entries[i].reserve;

		if (name->len && named(r, gpu->spec->text + name->off, name->len))
			return true;
	}
	return false;
}

/* An unused reserve returns to the pool; a shared one only when no spec names it any more. */
static void retire(struct tg_gpu *gpu, struct tg_reserve *r)
{
	if (r->users || r == &gpu->background || (shared(r) && in_spec(gpu, r)))
		return;
	list_del_init(&r->all);
	tg_gpu_give(gpu, TG_POOL_RESERVE, r);
}

void tg_reserve_put(struct tg_gpu *gpu, struct tg_reserve *r)
{
	r->users--;
	retire(gpu, r);
}

static struct tg_reserve *find_shared(struct tg_gpu *gpu, const char *name, u32 len)
{
	struct tg_reserve *r;

	list_for_each_entry(r, &gpu->reserves, all)
		if (r != &gpu->background && named(r, name, len))
			return r;
	return NULL;
}

/* The reserve that @entry gives to @client; there is one in the pool if one is needed. */
static struct tg_reserve *reserve_of(struct tg_gpu *gpu, const struct tg_client *client,
				     const struct tg_spec_entry *entry)
{
	struct tg_reserve *r = client->reserve;
	const char *name;

	if (!entry || entry->resv == TG_BG)
		return &gpu->background;
	name = gpu->spec->text + entry->reserve.off;
	if (entry->reserve.len)
		r = find_shared(gpu, name, entry->reserve.len);
	else if (r && (r == &gpu->background || shared(r)))
		r = NULL;
	if (r) {
		tg_reserve_set(r, entry->resv, entry->capacity, entry->period, gpu->now);
		return r;
	}
	r = tg_gpu_take(gpu, TG_POOL_RESERVE);
	tg_reserve_init(r, entry->resv, entry->capacity, entry->period, gpu->now);
	memcpy(r->name, name, entry->reserve.len);
	list_add_tail(&r->all, &gpu->reserves);
	return r;
}

/* Give the client what its line says, its waiting jobs included. */
static void match(struct tg_gpu *gpu, struct tg_client *client)
{
	const struct tg_spec_entry *entry = gpu->spec ?
		tg_spec_match(gpu->spec, client->id_data) : NULL;
	struct tg_reserve *old = client->reserve;
	struct tg_channel *ch;
	struct tg_job *job;

	/* No policy may hold a job whose place is about to change. */
	list_for_each_entry(ch, &client->channels, all)
		list_for_each_entry(job, &ch->jobs, sibling)
			if (tg_job_waits(job))
				tg_job_throttle(gpu, job);

	client->matched = entry ? entry->line : 0;
	client->sched = entry ? entry->sched : TG_PRT;
	client->resv = entry ? entry->resv : TG_BG;
	client->prio = entry ? entry->prio : TG_PRIO_MIN;
	client->agpa = entry && entry->agpa;
	client->depth = entry ? entry->depth : 0;
	client->weight = entry ? entry->weight : 1;
	client->reserve = reserve_of(gpu, client, entry);
	client->reserve->users++;

	if (client->reserve != old)
		list_for_each_entry(ch, &client->channels, all)
			list_for_each_entry(job, &ch->jobs, sibling)
				if (tg_job_waits(job))
					tg_job_move(gpu, job, client->reserve);
	if (old)
		tg_reserve_put(gpu, old);
	tg_reserve_review(gpu, client->reserve);
}

int tg_client_join(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_client *client = tg_gpu_client(gpu, ev->client);
	struct tg_channel *ch;

	if (!ev->data || !ev->arg || ev->arg >> gpu->nr_engines)
		return -EINVAL;
	if (tg_channel_find(gpu, ev->client, ev->channel))
		return -EEXIST;
	if (!gpu->pooled[TG_POOL_CHANNEL] || !gpu->pooled[TG_POOL_RESERVE] ||
	    (!client && !gpu->pooled[TG_POOL_CLIENT]))
		return -ENOMEM;

	if (!client) {
		client = tg_gpu_take(gpu, TG_POOL_CLIENT);
		memset(client, 0, sizeof(*client));
		client->id = ev->client;
		client->id_data = ev->data;
		client->host = ev->host;
		INIT_LIST_HEAD(&client->channels);
		INIT_LIST_HEAD(&client->queue);
		RB_CLEAR_NODE(&client->node);
		list_add_tail(&client->all, &gpu->all_clients);
		tg_client_hash(gpu, client);
		gpu->nr_clients++;
		match(gpu, client);
		client->gate = gpu->next_policy ? TG_GATE_HOLD : gpu->policy->mode;
		tg_emit(gpu, TG_ACT_GATE, client, NULL, client->gate);
		if (!gpu->next_policy) {
			client->joined = true;
			if (gpu->policy->join)
				gpu->policy->join(gpu, client);
		}
	} else {
		match(gpu, client);
	}

	ch = tg_gpu_take(gpu, TG_POOL_CHANNEL);
	memset(ch, 0, sizeof(*ch));
	ch->id = ev->channel;
	ch->engines = ev->arg;
	ch->client = client;
	INIT_LIST_HEAD(&ch->jobs);
	list_add_tail(&ch->all, &client->channels);
	tg_channel_hash(gpu, ch);
	return 0;
}

static void forget(struct tg_gpu *gpu, struct tg_client *client)
{
	if (client->joined && gpu->policy->leave)
		gpu->policy->leave(gpu, client);
	if (client->syncing)
		tg_client_idle(gpu, client);
	tg_emit(gpu, TG_ACT_GONE, client, NULL, 0);
	list_del_init(&client->all);
	tg_client_unhash(gpu, client);
	gpu->nr_clients--;
	tg_reserve_put(gpu, client->reserve);
	if (client->history)
		tg_history_free(gpu, client->history);
	tg_gpu_give(gpu, TG_POOL_CLIENT, client);
}

/* A channel goes when it has left and its last job is over; the client goes with its last. */
void tg_channel_over(struct tg_gpu *gpu, struct tg_channel *ch)
{
	struct tg_client *client = ch->client;
	u32 i;

	if (!ch->left || !list_empty(&ch->jobs))
		return;
	for (i = 0; i < gpu->nr_engines; i++)
		if (gpu->engine[i].last == ch)
			gpu->engine[i].last = NULL;
	list_del_init(&ch->all);
	tg_gpu_give(gpu, TG_POOL_CHANNEL, ch);
	if (list_empty(&client->channels))
		forget(gpu, client);
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
	tg_channel_over(gpu, ch);
	return 0;
}

int tg_client_spec(struct tg_gpu *gpu, const struct tg_event *ev)
{
	const struct tg_spec *spec = ev->data;
	struct tg_reserve *r, *next;
	struct tg_client *client;

	if (ev->arg && gpu->pooled[TG_POOL_RESERVE] < gpu->nr_clients)
		return -ENOMEM;
	gpu->spec = spec;
	if (spec && spec->background >= 0)
		tg_reserve_set(&gpu->background, TG_PE, spec->entries[spec->background].capacity,
			       spec->entries[spec->background].period, gpu->now);
	else
		tg_reserve_set(&gpu->background, TG_PE, TG_SEC, TG_SEC, gpu->now);
	tg_reserve_review(gpu, &gpu->background);
	if (ev->arg)
		list_for_each_entry(client, &gpu->all_clients, all)
			match(gpu, client);
	list_for_each_entry_safe(r, next, &gpu->reserves, all)
		retire(gpu, r);
	return 0;
}

bool tg_client_queue(struct tg_job *job)
{
	struct list_head *queue = &job->client->queue, *pos = queue->prev;

	while (pos != queue && list_entry(pos, struct tg_job, link)->seq > job->seq)
		pos = pos->prev;
	list_add(&job->link, pos);
	return pos == queue;
}
