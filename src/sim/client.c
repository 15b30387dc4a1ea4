// SPDX-License-Identifier: GPL-2.0
/*
 * Clients and their jobs: a client joins, submits what its workload wants as far as its window has
 * room, and leaves; a job goes to the core or through an open gate, to the hardware, and is counted
 * when it is done. Called by timers of the event queue and, for an action of the core, by run.c.
 * One thread.
 */
#include "client.h"

#include "evq.h"
#include "gpu.h"
#include "hist.h"
#include "run_priv.h"
#include "workload.h"

/* ---- a job's life ------------------------------------------------------------------------ */

struct client *tgs_client_of(struct tgs_work *work)
{
	return container_of(work, struct job, work)->client;
}

/* A submission has ended: a client whose window was full may submit again. */
static void finished(struct client *client, s64 now)
{
	client->unfinished--;
	if (!client->alive || !client->blocked)
		return;
	client->blocked = false;
	tgs_workload_room(&client->work, now);
	tgs_evq_set(&client->run->q, &client->release, max(client->work.due, now));
}

/* A group that went through an open gate is finished. */
static void told(struct client *client)
{
	client->untold--;
	client->gpu->untold--;
}

/* Has anything that went through the gate of this client, and of those before it, not ended? */
static bool has_untold(const struct client *client)
{
	for (; client; client = client->before)
		if (client->untold)
			return true;
	return false;
}

static void leave_core(struct client *client, s64 now)
{
	if (--client->inflight == 0)
		client->own += now - client->own_since;
}

static void completed(void *owner, s64 now)
{
	struct job *job = owner;
	struct client *client = job->client;
	struct tgs_stats *stats = &client->result->stats;
	s64 queued = job->freed - job->submitted - job->core.throttled;
	s64 window = min(queued, job->own);

	stats->done++;
	stats->waited[TGS_WAIT_BACKLOG] += job->submitted - job->wanted;
	stats->waited[TGS_WAIT_RESERVE] += job->core.throttled;
	stats->waited[TGS_WAIT_WINDOW] += window;
	stats->waited[TGS_WAIT_POLICY] += queued - window;
	stats->waited[TGS_WAIT_HARDWARE] += now - job->freed - job->work.cost;
	tgs_hist_add(&stats->latency, now - job->wanted);
	if (now - job->wanted > client->conf->deadline)
		stats->missed++;

	if (client->gpu->poll.on && client->gpu->poll.sparse)
		client->groups++;
	job->on_hardware = false;
	if (!job->id) {
		told(client);
		tgs_job_put(client->run, job);
		tgs_client_idle(client, now);
		tgs_gpu_quiet(client->gpu, now);
	} else {
		leave_core(client, now);
		if (job->over)
			tgs_job_put(client->run, job);
		else
			tgs_feed_job(client->gpu, TG_EV_DONE, job, now);
	}
	finished(client, now);
}

void tgs_job_worked(void *host, struct tgs_work *work, s64 now)
{
	struct gpu *gpu = host;
	struct job *job = container_of(work, struct job, work);

	job->timer.fire = completed;
	tgs_evq_set(&gpu->run->q, &job->timer, now + gpu->conf->interrupt);
}

static void doorbell(void *owner, s64 now)
{
	struct job *job = owner;
	struct client *client = job->client;

	if (client->alive) {
		job->on_hardware = true;
		if (job->id)
			tgs_feed_job(client->gpu, TG_EV_STARTED, job, now);
		tgs_hw_submit(job->work.channel, &job->work, now);
		return;
	}
	client->result->stats.failed++;
	if (job->id) {
		leave_core(client, now);
		tgs_feed_job(client->gpu, TG_EV_REFUSED, job, now);
	} else {
		told(client);
		tgs_job_put(client->run, job);
		tgs_gpu_quiet(client->gpu, now);
	}
	finished(client, now);
}

void tgs_job_freed(struct gpu *gpu, struct job *job)
{
	struct client *client = job->client;
	s64 now = gpu->run->now;

	/* LEAVE removes the jobs of its channel from the core; those of the others are refused. */
	if (!client->alive && job->work.channel == client->leaves) {
		finished(client, now);
		return;
	}
	gpu->result->switches_waited = max(gpu->result->switches_waited,
					   gpu->result->notes[TG_NOTE_POLICY] - job->switches);
	job->freed = now;
	job->own = client->own - job->own + (client->inflight ? now - client->own_since : 0);
	if (client->inflight++ == 0)
		client->own_since = now;
	job->timer = (struct tgs_timer){ 0, doorbell, job };
	tgs_evq_set(&gpu->run->q, &job->timer, now + gpu->conf->submit);
}

/* ---- a client's life --------------------------------------------------------------------- */

/*
 * What the predictor is told of a group: one command per shape. NULL: its reserve predicts nothing.
 */
static const struct tg_key *key_of(struct client *client, struct tg_key *key)
{
	struct gpu *gpu = client->gpu;

	if (tg_gpu_client(&gpu->core, client->number)->reserve->kind != TG_AE)
		return NULL;
	tgs_keep_pool(gpu, TG_POOL_HISTORY);
	tgs_keep_pool(gpu, TG_POOL_COST);
	tgs_keep_pool(gpu, TG_POOL_CHUNK);
	return tg_key_number(key, client->work.shape);
}

/* As a kernel does: what the process has on the CPU is read where it submits. */
static void renice(struct client *client, s64 now)
{
	const struct tgs_client_conf *conf = client->conf;
	struct tg_event ev = { .kind = TG_EV_NICE, .client = client->number };
	const struct tg_client *core;

	while (client->reniced < conf->nr_nice && conf->nice[client->reniced].from <= now)
		client->reniced++;
	ev.nice.level = client->reniced ? conf->nice[client->reniced - 1].level : TG_PRIO_NICE;
	core = tg_gpu_client(&client->gpu->core, client->number);
	if (core->nice && core->prio != ev.nice.level)
		tgs_feed(client->gpu, &ev, 0);
}

static void submit(struct client *client, s64 wanted)
{
	u64 key[1 + sizeof(struct tg_key) / sizeof(u64)];
	struct gpu *gpu = client->gpu;
	struct job *job = tgs_job_get(gpu->run);
	s64 now = gpu->run->now;
	struct tg_event ev = { .kind = TG_EV_SUBMIT, .client = client->number, .host = job };

	job->client = client;
	job->wanted = wanted;
	job->submitted = now;
	job->work.cost = tgs_workload_cost(&client->work);
	job->work.channel = &client->channels[client->turn];
	ev.channel = client->turn;
	client->turn = (client->turn + 1) % client->conf->channels;
	client->unfinished++;
	client->active = true;
	client->result->stats.released++;

	if (client->gate == TG_GATE_OPEN) {
		client->untold++;
		if (!gpu->untold++ && !gpu->gap && gpu->quiet_since)
			gpu->gap = max(now - gpu->quiet_since, (s64)1);
		client->passed++;
		job->freed = now;
		job->timer = (struct tgs_timer){ 0, doorbell, job };
		tgs_evq_set(&gpu->run->q, &job->timer, now + gpu->conf->submit);
		return;
	}
	job->switches = gpu->result->notes[TG_NOTE_POLICY];
	job->own = client->own + (client->inflight ? now - client->own_since : 0);
	renice(client, now);
	job->id = ++gpu->jobs;
	ev.job = job->id;
	ev.key = key_of(client, (struct tg_key *)key);
	tg_gpu_give(&gpu->core, TG_POOL_JOB, &job->core);
	tgs_feed(gpu, &ev, 0);
}

/* Submit what is wanted by now until the window is full; set a timer for what is wanted next. */
void tgs_client_release(void *owner, s64 now)
{
	struct client *client = owner;
	u32 depth = client->conf->depth;

	for (;;) {
		if (depth && client->unfinished >= depth) {
			client->blocked = true;
			return;
		}
		if (client->work.due > now)
			break;
		submit(client, client->work.due);
		if (!tgs_workload_next(&client->work, now))
			return;
	}
	tgs_evq_set(&client->run->q, &client->release, client->work.due);
}

/* If the core has a client that has left for this one, it goes on as that one. */
static void come_back(struct client *client)
{
	struct tg_client *left = tg_gpu_left(&client->gpu->core, &client->id, 0);
	struct client *before = left ? left->host : NULL;

	if (!before)
		return;
	client->before = before->untold ? before : before->before;
	before->after = client;
	client->number = before->number;
	client->used_before = left->stats.gpu_time;
	client->gate = before->gate;
	client->sync = before->sync;
	client->passed = before->passed;
}

void tgs_client_start(void *owner, s64 now)
{
	struct client *client = owner;
	struct gpu *gpu = client->gpu;
	s64 stop = client->conf->stop;
	u32 i;

	client->alive = true;
	come_back(client);
	for (i = 0; i < client->conf->channels; i++) {
		struct tg_event ev = {
			.kind = TG_EV_JOIN, .client = client->number, .channel = i,
			.join.engines = client->conf->engines, .identity = &client->id,
			.host = client,
		};

		tgs_keep_pool(gpu, TG_POOL_CLIENT);
		tgs_keep_pool(gpu, TG_POOL_SHARER);
		tgs_keep_pool(gpu, TG_POOL_CHANNEL);
		tgs_keep_pool(gpu, TG_POOL_RESERVE);
		tgs_feed(gpu, &ev, 0);
	}
	if (client->conf->life && now + client->conf->life < stop)
		stop = now + client->conf->life;
	if (stop != TG_NEVER)
		tgs_evq_set(&gpu->run->q, &client->stop, stop);
	if (tgs_workload_start(&client->work, now))
		tgs_evq_set(&gpu->run->q, &client->release, client->work.due);
}

/* The core's client; NULL: it has forgotten it, or another process goes on as it. */
static const struct tg_client *core_of(const struct client *client)
{
	const struct tg_client *core = tg_gpu_client(&client->gpu->core, client->number);

	return core && core->host == client ? core : NULL;
}

/* Copy the GPU time that the core has accounted, before the core forgets the client. */
void tgs_client_book(struct client *client)
{
	const struct tg_client *core = core_of(client);

	if (core)
		client->result->stats.accounted = core->stats.gpu_time - client->used_before;
}

bool tgs_client_known(const struct client *client)
{
	return core_of(client);
}

/*
 * The process is killed: its channels leave the core; groups on the hardware still run to their
 * end.
 */
void tgs_client_stop(void *owner, s64 now)
{
	struct client *client = owner;
	u32 i;

	(void)now;
	tgs_client_book(client);
	client->alive = false;
	tgs_evq_clear(&client->run->q, &client->release);
	for (i = 0; i < client->conf->channels; i++) {
		struct tg_event ev = { .kind = TG_EV_LEAVE, .client = client->number,
				       .channel = i };

		client->leaves = &client->channels[i];
		tgs_feed(client->gpu, &ev, 0);
	}
}

/* Feed IDLE once the core has asked (SYNC) and no group that bypassed the core is unfinished. */
void tgs_client_idle(void *owner, s64 now)
{
	struct client *client = owner;
	struct tg_event ev = { .kind = TG_EV_IDLE };

	(void)now;
	while (client->after)
		client = client->after;
	ev.client = client->number;
	if (!client->sync || has_untold(client) || !tgs_client_known(client))
		return;
	client->sync = false;
	ev.idle.sent = client->passed;
	client->passed = 0;
	tgs_feed(client->gpu, &ev, 0);
}

/* Feed QUIET once the core has asked (WATCH) and no group that bypassed the core is unfinished. */
void tgs_gpu_quiet(void *owner, s64 now)
{
	struct gpu *gpu = owner;
	struct tg_event ev = { .kind = TG_EV_QUIET, .quiet.gap = gpu->gap };

	if (!gpu->watch || gpu->untold)
		return;
	gpu->watch = false;
	if (gpu->gap || !gpu->quiet_since)
		gpu->quiet_since = now;
	gpu->gap = 0;
	tgs_feed(gpu, &ev, 0);
}
