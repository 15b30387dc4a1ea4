// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated host: what the kernel module is to the core, in virtual time. It feeds events,
 * carries out actions, sets a run up and takes it down. A submission's way is in client.c: through
 * an open gate straight to the hardware, else to the core, and on once the core frees it; `submit`
 * later the doorbell rings, and `interrupt` after its completion the core is told. tgs_run() is
 * called by tgsim. One thread.
 */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "evq.h"
#include "gpu.h"
#include "hist.h"
#include "mem.h"
#include "poll.h"
#include "run_priv.h"
#include "trace.h"
#include "workload.h"

#define UNLIMITED	(1 << 16)	/* jobs of a client of any depth that the table is made for */

/* ---- memory ------------------------------------------------------------------------------ */

struct job *tgs_job_get(struct run *run)
{
	struct job *job = run->spare;

	if (!job)
		job = tgs_block(&run->kept, 1, sizeof(*job));
	else
		run->spare = job->next;
	memset(job, 0, sizeof(*job));
	return job;
}

void tgs_job_put(struct run *run, struct job *job)
{
	job->next = run->spare;
	run->spare = job;
}

void tgs_keep_pool(struct gpu *gpu, enum tg_pool pool)
{
	if (!gpu->core.pooled[pool])
		tg_gpu_give(&gpu->core, pool, tgs_block(&gpu->run->kept, 1, tg_pool_size[pool]));
}

/* ---- feeding the core -------------------------------------------------------------------- */

void tgs_feed(struct gpu *gpu, struct tg_event *ev, u32 spec_len)
{
	struct job *job;
	void *mem;
	int err;

	ev->now = gpu->run->now;
	if (ev->kind != TG_EV_DONE && ev->kind != TG_EV_KNOB)
		ev->at = ev->now;
	if (gpu->writing)
		tgs_writer_begin(&gpu->writer, ev, spec_len);
	err = tg_gpu_feed(&gpu->core, ev, &gpu->out);
	if (gpu->writing)
		tgs_writer_end(&gpu->writer, ev, spec_len, err);
	/* A drain that was cut does not wait for its IDLE. */
	if (err && !(ev->kind == TG_EV_IDLE && err == -EBUSY)) {
		fprintf(stderr, "tgsim: the core refuses event %d: %s\n", ev->kind,
			strerror(-err));
		abort();
	}
	gpu->run->result->events++;
	while ((mem = tg_gpu_take(&gpu->core, TG_POOL_JOB))) {
		job = container_of((struct tg_job *)mem, struct job, core);
		if (job->on_hardware)
			job->over = true;
		else
			tgs_job_put(gpu->run, job);
	}
}

void tgs_feed_job(struct gpu *gpu, enum tg_event_kind kind, const struct job *job, s64 at)
{
	struct tg_event ev = { .kind = kind, .job = job->id, .at = at };

	tgs_feed(gpu, &ev, 0);
}

/* ---- actions ----------------------------------------------------------------------------- */

static void emit(struct tg_actions *out, const struct tg_action *action)
{
	struct gpu *gpu = container_of(out, struct gpu, out);
	struct client *client = action->host;

	if (gpu->writing)
		tgs_writer_action(&gpu->writer, action);
	switch (action->kind) {
	case TG_ACT_FREE:
		tgs_job_freed(gpu, action->host);
		break;
	case TG_ACT_ARM:
		/* A time that has passed is due at once, as for a kernel's timer. */
		tgs_evq_set(&gpu->run->q, &gpu->timer, max(action->at, gpu->run->now));
		break;
	case TG_ACT_NOTE:
		gpu->result->notes[action->arg]++;
		break;
	case TG_ACT_GATE:
		client->gate = action->arg;
		client->sync &= client->gate != TG_GATE_OPEN;
		break;
	case TG_ACT_WOULD:
		client->result->stats.modelled++;
		client->result->stats.would += action->at;
		break;
	case TG_ACT_SYNC:
		client->sync = true;
		tgs_evq_set(&gpu->run->q, &client->idle, gpu->run->now);
		break;
	case TG_ACT_WATCH:
		gpu->watch = true;
		tgs_evq_set(&gpu->run->q, &gpu->quiet, gpu->run->now);
		break;
	case TG_ACT_POLL:
		tgs_poll_start(gpu, action->at, action->arg);
		break;
	default:
		break;
	}
}

static void timer_fired(void *owner, s64 now)
{
	struct gpu *gpu = owner;
	struct tg_event ev = { .kind = TG_EV_TIMER };

	(void)now;
	tgs_feed(gpu, &ev, 0);
}

/* ---- a run ------------------------------------------------------------------------------- */

static void hardware_ran(void *host, struct tgs_work *work, s64 from, s64 to)
{
	struct gpu *gpu = host;
	struct run *run = gpu->run;
	struct client *client = tgs_client_of(work);
	struct tgs_result *result = run->result;
	struct tgs_stats *stats = &client->result->stats;
	u32 engine = work->channel->engine - gpu->engine;
	s64 step, end;

	if (!engine)
		tgs_poll_saw(gpu, client, from, to);
	stats->used += to - from;
	if (result->nr_stretches < TGS_STRETCHES)
		result->stretches[result->nr_stretches++] = (struct tgs_stretch){
			from, to, client->result->conf, gpu - run->gpus, engine };
	for (; from < to; from = end) {
		step = from / run->share_step;
		end = min(to, (step + 1) * run->share_step);
		stats->share[step] += end - from;
	}
}

static void feed_start(struct gpu *gpu)
{
	const struct tgs_scenario *s = gpu->run->s;
	u32 i;

	if (s->spec) {
		struct tg_event ev = { .kind = TG_EV_SPEC, .new_spec = &gpu->run->spec };

		tgs_feed(gpu, &ev, s->spec_len);
	}
	for (i = 0; i < gpu->conf->nr_knobs; i++) {
		const struct tgs_knob *knob = &gpu->conf->knobs[i];
		struct tg_event ev = {
			.kind = TG_EV_KNOB, .knob = { .number = knob->nr,
				.of_policy = knob->of_policy, .value = knob->value },
		};

		tgs_keep_pool(gpu, TG_POOL_DRY);
		tgs_feed(gpu, &ev, 0);
	}
}

static void switch_policy(void *owner, s64 now)
{
	struct gpu *gpu = owner;
	struct tg_event ev = { .kind = TG_EV_POLICY,
			       .policy.number = gpu->conf->then[gpu->switched++].policy };

	(void)now;
	if (gpu->switched < gpu->conf->nr_then)
		tgs_evq_set(&gpu->run->q, &gpu->then, gpu->conf->then[gpu->switched].at);
	tgs_feed(gpu, &ev, 0);
}

static int open_trace(struct gpu *gpu, const char *trace, char *error)
{
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s%s%s", trace, gpu == gpu->run->gpus ? "" : ".",
		 gpu == gpu->run->gpus ? "" : gpu->conf->name);
	err = tgs_writer_open(&gpu->writer, path, &gpu->core);
	if (err)
		snprintf(error, TGS_MESSAGE, "%.160s: %s", path, strerror(-err));
	gpu->writing = !err;
	return err;
}

static void init_gpu(struct run *run, u32 nr)
{
	struct gpu *gpu = &run->gpus[nr];
	u64 entries = 0;
	u32 i;

	gpu->run = run;
	gpu->conf = &run->s->gpus[nr];
	gpu->result = &run->result->gpus[nr];
	gpu->out.emit = emit;
	gpu->timer = (struct tgs_timer){ 0, timer_fired, gpu };
	gpu->then = (struct tgs_timer){ 0, switch_policy, gpu };
	gpu->polled = (struct tgs_timer){ 0, tgs_poll_over, gpu };
	gpu->quiet = (struct tgs_timer){ 0, tgs_gpu_quiet, gpu };
	gpu->poll.rng.state = run->s->seed ^ ~(u64)nr;
	for (i = 0; i < run->s->nr_clients; i++)
		if (run->s->clients[i].gpu == nr)
			entries += (u64)run->s->clients[i].count * max(run->s->clients[i].channels,
				   run->s->clients[i].depth ? run->s->clients[i].depth : UNLIMITED);
	gpu->buckets.bits = 4;
	while (gpu->buckets.bits < 20 && 1ull << gpu->buckets.bits < entries)
		gpu->buckets.bits++;
	gpu->buckets.jobs = tgs_block(&run->kept, 1 << gpu->buckets.bits, sizeof(void *));
	gpu->buckets.clients = tgs_block(&run->kept, 1 << gpu->buckets.bits, sizeof(void *));
	gpu->buckets.channels = tgs_block(&run->kept, 1 << gpu->buckets.bits, sizeof(void *));
	tg_gpu_init(&gpu->core, gpu->conf->engines, gpu->conf->policy, &gpu->buckets, 0);
	for (i = 0; i < gpu->conf->engines; i++) {
		gpu->engine[i] = (struct tgs_hw_engine){
			.q = &run->q, .switch_cost = gpu->conf->switch_cost,
			.slice = gpu->conf->slice, .ran = hardware_ran, .done = tgs_job_worked,
			.host = gpu,
		};
		tgs_hw_engine_init(&gpu->engine[i]);
	}
}

static void init_client(struct run *run, u32 nr, u32 conf_nr, u32 instance)
{
	const struct tgs_client_conf *conf = &run->s->clients[conf_nr];
	struct client *client = &run->clients[nr];
	struct gpu *gpu = &run->gpus[conf->gpu];
	s64 start;
	u32 i;

	client->run = run;
	client->gpu = gpu;
	client->conf = conf;
	client->result = &run->result->clients[nr];
	client->result->conf = conf_nr;
	client->result->nr = instance;
	client->result->stats.share = tgs_alloc(TGS_SHARE_STEPS, sizeof(s64));
	client->number = ++gpu->clients;
	client->id.pid = 1000 + nr;
	client->id.payer = conf->user;
	client->id.uid = conf->user_set ? conf->user : 0;
	client->id.cgroup = *conf->cgroup ? conf->cgroup : NULL;
	client->id.undelegated = conf->undelegated;
	client->id.gpu = *gpu->conf->address ? gpu->conf->address : NULL;
	strcpy(client->id.comm, conf->name);
	client->channels = tgs_block(&run->kept, conf->channels, sizeof(*client->channels));
	for (i = 0; i < conf->channels; i++)
		tgs_hw_channel_init(&client->channels[i],
				    &gpu->engine[__builtin_ctz(conf->engines)]);
	client->work.arrival = &conf->arrival;
	client->work.cost = &conf->cost;
	client->work.rng.state = run->s->seed + nr;
	client->work.rng.state = tgs_rng_next(&client->work.rng);
	client->start = (struct tgs_timer){ 0, tgs_client_start, client };
	client->release = (struct tgs_timer){ 0, tgs_client_release, client };
	client->stop = (struct tgs_timer){ 0, tgs_client_stop, client };
	client->idle = (struct tgs_timer){ 0, tgs_client_idle, client };
	if (!__builtin_mul_overflow(conf->stagger, instance, &start) &&
	    tg_after(conf->start, start) < conf->stop)
		tgs_evq_set(&run->q, &client->start, conf->start + start);
}

static void simulate(struct run *run)
{
	struct tgs_timer *timer;
	u32 i, j;

	while ((timer = tgs_evq_pop(&run->q, &run->now)) && run->now < run->s->duration)
		timer->fire(timer->owner, run->now);

	for (i = 0; i < run->result->nr_clients; i++)
		tgs_client_book(&run->clients[i]);
	for (i = 0; i < run->s->nr_gpus; i++) {
		run->gpus[i].result->policy = run->gpus[i].core.policy;
		for (j = 0; j < run->gpus[i].conf->engines; j++) {
			struct tgs_hw_engine *e = &run->gpus[i].engine[j];

			tgs_hw_stop(e, run->s->duration);
			run->gpus[i].result->engine[j] = (struct tgs_engine_result){
				e->busy, e->switching, e->switches };
		}
	}
}

static int run_all(struct run *run, const char *trace, char *error)
{
	const struct tgs_scenario *s = run->s;
	u32 i, j, nr = 0;
	int err;

	for (i = 0; i < s->nr_gpus; i++) {
		init_gpu(run, i);
		err = trace ? open_trace(&run->gpus[i], trace, error) : 0;
		if (err)
			return err;
		feed_start(&run->gpus[i]);
		if (run->gpus[i].conf->nr_then)
			tgs_evq_set(&run->q, &run->gpus[i].then, run->gpus[i].conf->then[0].at);
	}
	for (i = 0; i < s->nr_clients; i++)
		for (j = 0; j < s->clients[i].count; j++)
			init_client(run, nr++, i, j);
	simulate(run);
	return 0;
}

static void parse_spec(struct run *run)
{
	const struct tgs_scenario *s = run->s;
	struct tg_spec_error error;

	if (!s->spec)
		return;
	run->spec.text = s->spec;
	run->spec.entries = tgs_block(&run->kept, tg_spec_room(s->spec, s->spec_len),
				 sizeof(*run->spec.entries));
	tg_spec_parse(&run->spec, s->spec_len, &error);	/* tgs_scenario_parse() has tried it */
}

int tgs_run(const struct tgs_scenario *s, const char *trace, struct tgs_result *result,
	    char *error)
{
	struct run run = { .s = s, .result = result };
	int err, close_err;
	u32 i;

	memset(result, 0, sizeof(*result));
	result->scenario = s;
	for (i = 0; i < s->nr_clients; i++)
		result->nr_clients += s->clients[i].count;
	result->clients = tgs_alloc(result->nr_clients, sizeof(*result->clients));
	result->gpus = tgs_alloc(s->nr_gpus, sizeof(*result->gpus));
	result->stretches = tgs_alloc(TGS_STRETCHES, sizeof(*result->stretches));
	run.share_step = (s->duration + TGS_SHARE_STEPS - 1) / TGS_SHARE_STEPS;
	run.gpus = tgs_alloc(s->nr_gpus, sizeof(*run.gpus));
	run.clients = tgs_alloc(result->nr_clients, sizeof(*run.clients));
	parse_spec(&run);

	err = run_all(&run, trace, error);

	for (i = 0; i < s->nr_gpus; i++) {
		close_err = run.gpus[i].writing ? tgs_writer_close(&run.gpus[i].writer) : 0;
		if (close_err && !err) {
			snprintf(error, TGS_MESSAGE, "%.160s: %s", trace, strerror(-close_err));
			err = close_err;
		}
	}
	tgs_blocks_free(&run.kept);
	free(run.gpus);
	free(run.clients);
	tgs_evq_deinit(&run.q);
	return err;
}

void tgs_result_deinit(struct tgs_result *result)
{
	u32 i;

	for (i = 0; i < result->nr_clients; i++) {
		tgs_hist_deinit(&result->clients[i].stats.latency);
		free(result->clients[i].stats.share);
	}
	free(result->clients);
	free(result->gpus);
	free(result->stretches);
	memset(result, 0, sizeof(*result));
}
