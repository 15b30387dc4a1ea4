// SPDX-License-Identifier: GPL-2.0
/*
 * Clients and their channels: join, leave, gates, and which line of the spec a client follows.
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

/* Its share is free for others. */
static void dismiss(struct tg_gpu *gpu, struct tg_reserve *r)
{
	gpu->admitted -= r->share;
	r->share = 0;
}

void tg_reserve_unused(struct tg_gpu *gpu, struct tg_reserve *r)
{
	dismiss(gpu, r);
	retire(gpu, r);
}

/* Does a reserve as @entry wants it fit beside the others? @r: if it exists already. */
static bool fits(const struct tg_gpu *gpu, const struct tg_reserve *r, s64 share)
{
	return gpu->admitted - (r ? r->share : 0) + share <= gpu->knob[TG_KNOB_ADMISSION];
}

/* ---- gates ---------------------------------------------------------------------------- */

void tg_client_tell_gate(struct tg_gpu *gpu, struct tg_client *client, enum tg_gate gate)
{
	gpu->open += (gate == TG_GATE_OPEN) - (client->gate == TG_GATE_OPEN);
	client->gate = gate;
	if (gate == TG_GATE_OPEN) {
		tg_client_idle(gpu, client);	/* nobody waits for it any more */
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

	/* A policy that has no queue holds, and starves: it is ejected for that. */
	if (gate == TG_GATE_ASK && !gpu->policy->pick)
		gate = TG_GATE_HOLD;
	if (client->gate == gate)
		return;
	tg_client_tell_gate(gpu, client, gate);
	tg_client_settle(gpu, client);
	/* Somebody gets a chance to keep the engines busy. */
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

/* The client does not owe an IDLE any more. */
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
	client->sent = ev->arg;
	client->cut = false;
	tell_idle(gpu, client);
	return 0;
}

/* It has owed an IDLE for too long: something of its own does not end. */
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

void tg_charge(struct tg_client *client, s64 used)
{
	client->stats.gpu_time += used;
}

/* ---- reserves ------------------------------------------------------------------------- */

/* In tg_gpu.reserves come Background, all that are shared, then those of one client each. */
static struct tg_reserve *find_shared(struct tg_gpu *gpu, const char *name, u32 len)
{
	struct tg_reserve *r;

	list_for_each_entry(r, &gpu->reserves, all) {
		if (!shared(r))
			break;
		if (r != &gpu->background && named(r, name, len))
			return r;
	}
	return NULL;
}

/* As @entry says; mostly that is what it was. */
static void set_limits(struct tg_gpu *gpu, struct tg_reserve *r, const struct tg_spec_entry *entry)
{
	const struct tg_reserve was = *r;

	tg_reserve_set(r, entry->resv, entry->capacity, entry->period, gpu->now);
	if (r->kind != was.kind || r->capacity != was.capacity || r->period != was.period ||
	    r->budget != was.budget)
		tg_reserve_review(gpu, r);
}

/*
 * The reserve that @entry gives to @client, Background if it does not fit; there is one in the
 * pool if one is needed.
 */
static struct tg_reserve *reserve_of(struct tg_gpu *gpu, const struct tg_client *client,
				     const struct tg_spec_entry *entry)
{
	struct tg_reserve *r = client->reserve;
	const char *name;
	s64 share;

	if (!entry || entry->resv == TG_BG)
		return &gpu->background;
	name = gpu->spec->text + entry->reserve.off;
	if (entry->reserve.len)
		r = find_shared(gpu, name, entry->reserve.len);
	else if (r && (r == &gpu->background || shared(r)))
		r = NULL;
	/* Rounded down, by less than a reserve of 10 ns a second. */
	share = div64_s64(entry->capacity * TG_SHARE_ALL, entry->period);
	if (!fits(gpu, r, share) || !tg_memory_fits(gpu, client, entry->mem))
		return &gpu->background;
	if (r) {
		set_limits(gpu, r, entry);
	} else {
		r = tg_gpu_take(gpu, TG_POOL_RESERVE);
		tg_reserve_init(r, entry->resv, entry->capacity, entry->period, gpu->now);
		memcpy(r->name, name, entry->reserve.len);
		if (shared(r))
			list_add(&r->all, &gpu->background.all);
		else
			list_add_tail(&r->all, &gpu->reserves);
	}
	gpu->admitted += share - r->share;
	r->share = share;
	return r;
}

static u8 agpa_prio(const struct tg_gpu *gpu, const struct tg_client *client)
{
	return gpu->foreground && client->id_data->pid == gpu->foreground ? TG_PRIO_FOREGROUND :
									    TG_PRIO_AGPA;
}

const struct tg_spec_entry *tg_client_entry(const struct tg_gpu *gpu,
					    const struct tg_client *client)
{
	const struct tg_identity *id = client->id_data;

	if (!gpu->spec)
		return NULL;
	if (gpu->spec->serial && id->serial == gpu->spec->serial)
		return id->entry;
	return tg_spec_match(gpu->spec, id);
}

/*
 * Give the client what its line says, its waiting jobs included. If there may be any, the caller
 * reviews its reserve: once, however many clients of it are matched.
 */
static void match(struct tg_gpu *gpu, struct tg_client *client)
{
	const struct tg_spec_entry *entry = tg_client_entry(gpu, client);
	struct tg_reserve *old = client->reserve;
	struct tg_channel *ch;
	struct tg_job *job;
	bool room;

	/* No policy may hold a job whose place is about to change. */
	for (ch = client->channels; ch; ch = ch->next)
		list_for_each_entry(job, &ch->jobs, sibling)
			if (tg_job_waits(job))
				tg_job_throttle(gpu, job);

	client->matched = entry ? entry->line : 0;
	client->sched = entry ? entry->sched : TG_PRT;
	client->resv = entry ? entry->resv : TG_BG;
	if (!client->by_hand) {
		client->agpa = entry && entry->agpa;
		client->prio = client->agpa ? agpa_prio(gpu, client) :
			       entry ? entry->prio : TG_PRIO_MIN;
	}
	client->depth = entry ? entry->depth : 0;
	client->weight = entry ? entry->weight : 1;
	tg_vgpu_move(gpu, client, tg_vgpu_of(gpu, entry));
	/* What it has for itself, it gives back before it asks again. */
	if (old && !shared(old))
		dismiss(gpu, old);
	tg_memory_promise(gpu, client, 0);
	client->reserve = reserve_of(gpu, client, entry);
	client->reserve->users++;
	room = !entry || tg_memory_fits(gpu, client, entry->mem);
	if (!room && !client->no_vram)
		tg_emit(gpu, TG_ACT_NOTE, client, NULL, TG_NOTE_NO_VRAM);
	client->no_vram = !room;
	if (client->resv != TG_BG && client->reserve == &gpu->background) {
		client->resv = TG_BG;
		if (client->reserve != old && room)
			tg_emit(gpu, TG_ACT_NOTE, client, NULL, TG_NOTE_NOT_ADMITTED);
	} else if (room) {
		tg_memory_promise(gpu, client, entry ? entry->mem : 0);
	}

	if (client->reserve != old)
		for (ch = client->channels; ch; ch = ch->next)
			list_for_each_entry(job, &ch->jobs, sibling)
				if (tg_job_waits(job))
					tg_job_move(gpu, job, client->reserve);
	if (old)
		tg_reserve_put(gpu, old);
	if (!tg_reserve_decides(gpu, client))
		tg_client_settle(gpu, client);
}

/* What points at one of the client's channels; NULL: at the end. */
static struct tg_channel **channel_link(struct tg_client *client, const struct tg_channel *ch)
{
	struct tg_channel **link = &client->channels;

	while (*link != ch)
		link = &(*link)->next;
	return link;
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
	if (ev->job > U32_MAX)
		return -EINVAL;
	if (!client && ev->job && !gpu->pooled[TG_POOL_ACCOUNT] &&
	    !tg_mem_account(&gpu->mem, ev->job))
		return -ENOMEM;

	if (!client) {
		client = tg_gpu_take(gpu, TG_POOL_CLIENT);
		memset(client, 0, sizeof(*client));
		client->id = ev->client;
		client->id_data = ev->data;
		gpu->vgpu[0].clients++;
		client->host = ev->host;
		INIT_LIST_HEAD(&client->queue);
		RB_CLEAR_NODE(&client->node);
		list_add_tail(&client->all, &gpu->all_clients);
		tg_client_hash(gpu, client);
		gpu->nr_clients++;
		INIT_LIST_HEAD(&client->sync);
		client->gate = TG_GATE_HOLD;
		tg_memory_join(gpu, client, ev->job);
		match(gpu, client);
		tg_client_tell_gate(gpu, client, gpu->next_policy ? TG_GATE_HOLD :
								    gpu->policy->mode);
		if (!gpu->next_policy) {
			client->joined = true;
			if (gpu->policy->join)
				gpu->policy->join(gpu, client);
		}
	} else {
		match(gpu, client);
		tg_reserve_review(gpu, client->reserve);
	}

	ch = tg_gpu_take(gpu, TG_POOL_CHANNEL);
	memset(ch, 0, sizeof(*ch));
	ch->id = ev->channel;
	ch->engines = ev->arg;
	ch->client = client;
	INIT_LIST_HEAD(&ch->jobs);
	*channel_link(client, NULL) = ch;
	tg_channel_hash(gpu, ch);
	return 0;
}

static void forget(struct tg_gpu *gpu, struct tg_client *client)
{
	if (client->joined && gpu->policy->leave)
		gpu->policy->leave(gpu, client);
	tg_client_idle(gpu, client);
	gpu->open -= client->gate == TG_GATE_OPEN;
	tg_emit(gpu, TG_ACT_GONE, client, NULL, 0);
	list_del_init(&client->all);
	tg_client_unhash(gpu, client);
	gpu->nr_clients--;
	gpu->vgpu[client->vgpu].clients--;
	tg_reserve_put(gpu, client->reserve);
	tg_memory_leave(gpu, client);
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
	*channel_link(client, ch) = ch->next;
	tg_gpu_give(gpu, TG_POOL_CHANNEL, ch);
	if (!client->channels)
		forget(gpu, client);
}

/* The channel's jobs use these engines from now on, those that wait included. */
int tg_client_engines(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_channel *ch = tg_channel_find(gpu, ev->client, ev->channel);

	if (!ev->arg || ev->arg >> gpu->nr_engines)
		return -EINVAL;
	if (!ch)
		return -ENOENT;
	ch->engines = ev->arg;
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
	tg_channel_over(gpu, ch);
	return 0;
}

int tg_client_prio(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_client *client = tg_gpu_client(gpu, ev->client);

	if (!client)
		return -ENOENT;
	if (ev->arg > TG_PRIO_MAX)
		return -EINVAL;
	client->by_hand = true;
	client->agpa = false;
	tg_jobs_place(gpu, client, ev->arg, client->vgpu);
	tg_reserve_review(gpu, client->reserve);
	return 0;
}

int tg_client_foreground(struct tg_gpu *gpu, const struct tg_event *ev)
{
	struct tg_client *client;

	if (ev->arg > U32_MAX)
		return -EINVAL;
	gpu->foreground = ev->arg;
	list_for_each_entry(client, &gpu->all_clients, all)
		if (client->agpa) {
			tg_jobs_place(gpu, client, agpa_prio(gpu, client), client->vgpu);
			tg_reserve_review(gpu, client->reserve);
		}
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
	tg_vgpus_spec(gpu);
	tg_memory_spec(gpu);
	if (spec && spec->background >= 0)
		tg_reserve_set(&gpu->background, TG_PE, spec->entries[spec->background].capacity,
			       spec->entries[spec->background].period, gpu->now);
	else
		tg_reserve_set(&gpu->background, TG_PE, TG_SEC, TG_SEC, gpu->now);
	tg_reserve_review(gpu, &gpu->background);
	if (ev->arg) {
		/* All of them ask anew, in the order in which they came. */
		list_for_each_entry(r, &gpu->reserves, all)
			dismiss(gpu, r);
		list_for_each_entry(client, &gpu->all_clients, all)
			tg_memory_promise(gpu, client, 0);
		list_for_each_entry(client, &gpu->all_clients, all) {
			client->by_hand = false;
			match(gpu, client);
		}
		list_for_each_entry(r, &gpu->reserves, all)
			tg_reserve_review(gpu, r);
	}
	list_for_each_entry_safe(r, next, &gpu->reserves, all)
		retire(gpu, r);
	return 0;
}
