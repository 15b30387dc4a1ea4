// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated host: what the kernel module is to the core, in virtual time.
 *
 * A client's submission goes the way that its gate tells: through an open one straight to the
 * hardware, else to the core, and on once the core frees it. `submit` later the doorbell
 * rings; `interrupt` after its completion the core is told. Beside that, everything is counted.
 */
#include <stdlib.h>

#include "gpu.h"
#include "mem.h"
#include "run.h"

#define OCTAVE_BITS	7	/* parts of an octave in a histogram */

struct run;

struct client {
	struct run *run;
	struct gpu *gpu;
	const struct tgs_client_conf *conf;
	struct tgs_client_result *result;
	struct tg_identity id;
	u32 number;
	struct tgs_hw_channel *channels;
	struct tgs_workload work;
	struct tgs_timer start, release, stop, idle;
	bool alive, blocked, sync;
	u8 gate;
	u32 turn;		/* channel of the next submission */
	u32 unfinished;		/* submissions */
	u32 untold;		/* of them, those that went through the open gate */
	u64 passed;		/* through the open gate since the last IDLE */
	bool active;		/* anything unfinished since the last poll phase */
	s64 seen;		/* in this one: time, or looks */
	u32 groups;
	u32 inflight;		/* of them, those that the core has freed */
	s64 own_since, own;	/* since when, and how long, any was in flight */
};

struct job {
	struct tg_job core;	/* lent to the core from SUBMIT to the job's end */
	struct tgs_work work;
	struct tgs_timer timer;
	struct client *client;
	struct job *next;	/* spare ones */
	u64 id;			/* 0: the core was not asked */
	s64 wanted, submitted, freed, own;
	u64 switches;		/* of policies, before it came */
	bool on_hardware, over;
};

/*
 * A poll phase. Nothing happens at a look: which looks fell into a stretch of work is told when
 * the stretch is over.
 */
struct poll {
	bool on, sparse;
	s64 distance, from, next;
	u64 looks;
	struct client *last;	/* seen at the last look but */
	s64 last_to;		/* this one */
	struct tgs_rng rng;
};

struct gpu {
	struct tg_actions out;
	struct tg_gpu core;
	struct run *run;
	const struct tgs_gpu_conf *conf;
	struct tgs_gpu_result *result;
	struct tgs_hw_engine engine[TG_ENGINES_MAX];
	struct tg_buckets buckets;
	struct tgs_timer timer, then, polled;
	struct poll poll;
	u32 switched;		/* policy, so far */
	struct tgs_writer writer;
	bool writing;
	u64 jobs;		/* numbers given so far */
	u32 clients;
};

struct run {
	const struct tgs_scenario *s;
	struct tgs_result *result;
	struct tgs_evq q;
	s64 now, share_step;
	struct tg_spec spec;
	struct gpu *gpus;
	struct client *clients;
	struct job *spare;
	void **kept;		/* blocks of memory to be freed at the end */
	u32 nr_kept;
};

/* ---- histograms ------------------------------------------------------------------------- */

static u32 octave_of(s64 value)
{
	return value < 1 << OCTAVE_BITS ? OCTAVE_BITS : 63 - __builtin_clzll(value);
}

void tgs_hist_add(struct tgs_hist *h, s64 value)
{
	u32 octave = octave_of(value);
	u32 part = value >> (octave - OCTAVE_BITS);

	/* the lowest octave starts at 0 and has twice as many parts */
	if (!h->octave[octave])
		h->octave[octave] = tgs_alloc(2 << OCTAVE_BITS, sizeof(u32));
	h->octave[octave][part]++;
	h->n++;
	h->sum += value;
	h->max = max(h->max, value);
}

void tgs_hist_merge(struct tgs_hist *h, const struct tgs_hist *from)
{
	u32 i, part;

	for (i = 0; i < ARRAY_SIZE(h->octave); i++) {
		if (!from->octave[i])
			continue;
		if (!h->octave[i])
			h->octave[i] = tgs_alloc(2 << OCTAVE_BITS, sizeof(u32));
		for (part = 0; part < 2 << OCTAVE_BITS; part++)
			h->octave[i][part] += from->octave[i][part];
	}
	h->n += from->n;
	h->sum += from->sum;
	h->max = max(h->max, from->max);
}

s64 tgs_hist_at(const struct tgs_hist *h, u32 permille)
{
	u64 below = (h->n * permille + 999) / 1000, seen = 0;
	u32 i, part;

	for (i = 0; i < ARRAY_SIZE(h->octave); i++)
		for (part = 0; h->octave[i] && part < 2 << OCTAVE_BITS; part++) {
			seen += h->octave[i][part];
			if (seen >= below && seen)
				return min(((s64)part + 1) << (i - OCTAVE_BITS), h->max + 1) - 1;
		}
	return 0;
}

void tgs_hist_deinit(struct tgs_hist *h)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(h->octave); i++)
		free(h->octave[i]);
	memset(h, 0, sizeof(*h));
}

/* ---- memory ----------------------------------------------------------------------------- */

static void *keep(struct run *run, u64 nr, u64 size)
{
	if (!(run->nr_kept & (run->nr_kept - 1)))
		run->kept = tgs_grow(run->kept, run->nr_kept ? 2 * run->nr_kept : 1,
				     sizeof(*run->kept));
	return run->kept[run->nr_kept++] = tgs_alloc(nr, size);
}

static struct job *get_job(struct run *run)
{
	struct job *job = run->spare;

	if (!job)
		job = keep(run, 1, sizeof(*job));
	else
		run->spare = job->next;
	memset(job, 0, sizeof(*job));
	return job;
}

static void put_job(struct run *run, struct job *job)
{
	job->next = run->spare;
	run->spare = job;
}

/* ---- feeding the core ------------------------------------------------------------------- */

static void feed(struct gpu *gpu, struct tg_event *ev, u32 spec_len)
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
	if (err) {
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
			put_job(gpu->run, job);
	}
}

static void feed_job(struct gpu *gpu, enum tg_event_kind kind, const struct job *job, s64 at)
{
	struct tg_event ev = { .kind = kind, .job = job->id, .at = at };

	feed(gpu, &ev, 0);
}

static void doorbell(void *owner, s64 now);

static void freed(struct gpu *gpu, struct job *job)
{
	struct client *client = job->client;
	s64 now = gpu->run->now;

	if (!client->alive)
		return;		/* the core has forgotten it already */
	gpu->result->switches_waited = max(gpu->result->switches_waited,
					   gpu->result->notes[TG_NOTE_POLICY] - job->switches);
	job->freed = now;
	job->own = client->own - job->own + (client->inflight ? now - client->own_since : 0);
	if (client->inflight++ == 0)
		client->own_since = now;
	job->timer = (struct tgs_timer){ 0, doorbell, job };
	tgs_evq_set(&gpu->run->q, &job->timer, now + gpu->conf->submit);
}

/* ---- poll phases ------------------------------------------------------------------------ */

static s64 draw_look(struct poll *p)
{
	return p->distance / 2 + tgs_rng_below(&p->rng, p->distance + 1);
}

/* The first look at or after @time, in a dense phase. */
static s64 look_after(const struct poll *p, s64 time)
{
	return p->from + (time - p->from + p->distance - 1) / p->distance * p->distance;
}

/* A phase from now on, or another end of the one under way. */
static void start_poll(struct gpu *gpu, s64 until, u32 distance)
{
	struct poll *p = &gpu->poll;
	s64 now = gpu->run->now;

	if (!distance) {
		p->on = false;
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
	if (!p->sparse)		/* the look that finds the time to be over */
		until = look_after(p, until);
	tgs_evq_set(&gpu->run->q, &gpu->polled, max(until, now));
}

/* The looks before @to: @client ran, NULL: nobody. */
static void look_until(struct poll *p, struct client *client, s64 to)
{
	for (; p->next < to; p->next += draw_look(p)) {
		p->looks++;
		if (client)
			client->seen++;
	}
}

/* The client ran on the engine that is looked at. */
static void saw(struct gpu *gpu, struct client *client, s64 from, s64 to)
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
		return;		/* between two looks */
	client->groups += p->last != client || p->last_to != from;
	client->seen += to - from;
	p->last = client;
	p->last_to = to;
}

static struct client *client_of(struct tgs_work *work);

/* What the phase that ends now has seen, per client and of all. */
static void poll_over(void *owner, s64 now)
{
	struct gpu *gpu = owner;
	struct run *run = gpu->run;
	struct poll *p = &gpu->poll;
	struct tgs_hw_engine *e = &gpu->engine[0];
	struct tg_sample s, all = { .length = now - p->from };
	struct tg_event ev = { .kind = TG_EV_SAMPLE, .data = &s };
	u32 i;

	if (e->running && e->since < now)
		saw(gpu, client_of(list_first_entry(&e->running->works, struct tgs_work, link)),
		    e->since, now);
	if (p->sparse)
		look_until(p, NULL, now);
	else
		p->looks = all.length / p->distance;
	gpu->result->looks += p->looks;
	p->on = false;
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
		if (client->alive && s.active)
			feed(gpu, &ev, 0);
	}
	ev.client = 0;
	s = all;
	feed(gpu, &ev, 0);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void emit(struct tg_actions *out, const struct tg_action *action)
{
	struct gpu *gpu = container_of(out, struct gpu, out);
	struct client *client = action->host;

	if (gpu->writing)
		tgs_writer_action(&gpu->writer, action);
	switch (action->kind) {
	case TG_ACT_FREE:
		freed(gpu, action->host);
		break;
	case TG_ACT_ARM:
		tgs_evq_set(&gpu->run->q, &gpu->timer, action->at);
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
	case TG_ACT_POLL:
		start_poll(gpu, action->at, action->arg);
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
	feed(gpu, &ev, 0);
}

/* ---- a client's life -------------------------------------------------------------------- */

static void keep_pool(struct gpu *gpu, enum tg_pool pool)
{
	if (!gpu->core.pooled[pool])
		tg_gpu_give(&gpu->core, pool, keep(gpu->run, 1, tg_pool_size[pool]));
}

/* What the predictor sees of a group: one command per shape. NULL: nobody asks. */
static const struct tg_key *key_of(struct client *client, struct tg_key *key)
{
	struct gpu *gpu = client->gpu;
	u64 shape = client->work.shape;

	if (tg_gpu_client(&gpu->core, client->number)->reserve->kind != TG_AE)
		return NULL;
	keep_pool(gpu, TG_POOL_HISTORY);
	keep_pool(gpu, TG_POOL_COST);
	keep_pool(gpu, TG_POOL_CHUNK);
	key->hash = shape ^ shape >> 32;
	key->nr = 1;
	key->pair[0] = shape << 16 | 1;
	return key;
}

static void submit(struct client *client, s64 wanted)
{
	u64 key[1 + sizeof(struct tg_key) / sizeof(u64)];
	struct gpu *gpu = client->gpu;
	struct job *job = get_job(gpu->run);
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
		client->passed++;
		job->freed = now;
		job->timer = (struct tgs_timer){ 0, doorbell, job };
		tgs_evq_set(&gpu->run->q, &job->timer, now + gpu->conf->submit);
		return;
	}
	job->switches = gpu->result->notes[TG_NOTE_POLICY];
	job->own = client->own + (client->inflight ? now - client->own_since : 0);
	job->id = ++gpu->jobs;
	ev.job = job->id;
	ev.data = key_of(client, (struct tg_key *)key);
	tg_gpu_give(&gpu->core, TG_POOL_JOB, &job->core);
	feed(gpu, &ev, 0);
}

/* Submit what is wanted by now, as far as there is room, and wait for what is wanted next. */
static void release(void *owner, s64 now)
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

static void start(void *owner, s64 now)
{
	struct client *client = owner;
	struct gpu *gpu = client->gpu;
	u32 i;

	client->alive = true;
	for (i = 0; i < client->conf->channels; i++) {
		struct tg_event ev = {
			.kind = TG_EV_JOIN, .client = client->number, .channel = i,
			.arg = client->conf->engines, .data = &client->id, .host = client,
		};

		keep_pool(gpu, TG_POOL_CLIENT);
		keep_pool(gpu, TG_POOL_CHANNEL);
		keep_pool(gpu, TG_POOL_RESERVE);
		feed(gpu, &ev, 0);
	}
	if (client->conf->stop != TG_NEVER)
		tgs_evq_set(&gpu->run->q, &client->stop, client->conf->stop);
	if (tgs_workload_start(&client->work, now))
		tgs_evq_set(&gpu->run->q, &client->release, client->work.due);
}

/* What the core has accounted, as long as it remembers. */
static void book(struct client *client)
{
	const struct tg_client *core = tg_gpu_client(&client->gpu->core, client->number);

	if (core)
		client->result->stats.accounted = core->stats.gpu_time;
}

/* The process is killed: its channels go, whatever is under way on the hardware ends. */
static void stop(void *owner, s64 now)
{
	struct client *client = owner;
	u32 i;

	(void)now;
	book(client);
	client->alive = false;
	tgs_evq_clear(&client->run->q, &client->release);
	for (i = 0; i < client->conf->channels; i++) {
		struct tg_event ev = { .kind = TG_EV_LEAVE, .client = client->number,
				       .channel = i };

		feed(client->gpu, &ev, 0);
	}
}

/* Nothing that went through the open gate is under way any more: say so, if asked. */
static void idle(void *owner, s64 now)
{
	struct client *client = owner;
	struct tg_event ev = { .kind = TG_EV_IDLE, .client = client->number };

	(void)now;
	if (!client->sync || client->untold || !client->alive)
		return;
	client->sync = false;
	ev.arg = client->passed;
	client->passed = 0;
	feed(client->gpu, &ev, 0);
}

/* ---- a job's life ----------------------------------------------------------------------- */

/* A submission has ended: there may be room for the next. */
static void finished(struct client *client, s64 now)
{
	client->unfinished--;
	if (!client->alive || !client->blocked)
		return;
	client->blocked = false;
	tgs_workload_room(&client->work, now);
	tgs_evq_set(&client->run->q, &client->release, max(client->work.due, now));
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
		client->untold--;
		put_job(client->run, job);
		idle(client, now);
	} else {
		leave_core(client, now);
		if (job->over)
			put_job(client->run, job);
		else
			feed_job(client->gpu, TG_EV_DONE, job, now);
	}
	finished(client, now);
}

static void hardware_done(void *host, struct tgs_work *work, s64 now)
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
			feed_job(client->gpu, TG_EV_STARTED, job, now);
		tgs_hw_submit(job->work.channel, &job->work, now);
		return;
	}
	client->result->stats.failed++;
	if (job->id) {
		leave_core(client, now);
		feed_job(client->gpu, TG_EV_REFUSED, job, now);
	} else {
		client->untold--;
		put_job(client->run, job);
	}
	finished(client, now);
}

/* ---- a run ------------------------------------------------------------------------------ */

static struct client *client_of(struct tgs_work *work)
{
	return container_of(work, struct job, work)->client;
}

static void hardware_ran(void *host, struct tgs_work *work, s64 from, s64 to)
{
	struct gpu *gpu = host;
	struct run *run = gpu->run;
	struct client *client = client_of(work);
	struct tgs_result *result = run->result;
	struct tgs_stats *stats = &client->result->stats;
	u32 engine = work->channel->engine - gpu->engine;
	s64 step, end;

	if (!engine)
		saw(gpu, client, from, to);
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
		struct tg_event ev = { .kind = TG_EV_SPEC, .data = &gpu->run->spec };

		feed(gpu, &ev, s->spec_len);
	}
	for (i = 0; i < gpu->conf->nr_knobs; i++) {
		const struct tgs_knob *knob = &gpu->conf->knobs[i];
		struct tg_event ev = { .kind = TG_EV_KNOB, .job = knob->of_policy,
				       .arg = knob->nr, .at = knob->value };

		keep_pool(gpu, TG_POOL_DRY);
		feed(gpu, &ev, 0);
	}
}

static void switch_policy(void *owner, s64 now)
{
	struct gpu *gpu = owner;
	struct tg_event ev = { .kind = TG_EV_POLICY,
			       .arg = gpu->conf->then[gpu->switched++].policy };

	(void)now;
	if (gpu->switched < gpu->conf->nr_then)
		tgs_evq_set(&gpu->run->q, &gpu->then, gpu->conf->then[gpu->switched].at);
	feed(gpu, &ev, 0);
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
	u32 i, clients = 0;

	gpu->run = run;
	gpu->conf = &run->s->gpus[nr];
	gpu->result = &run->result->gpus[nr];
	gpu->out.emit = emit;
	gpu->timer = (struct tgs_timer){ 0, timer_fired, gpu };
	gpu->then = (struct tgs_timer){ 0, switch_policy, gpu };
	gpu->polled = (struct tgs_timer){ 0, poll_over, gpu };
	gpu->poll.rng.state = run->s->seed ^ ~(u64)nr;
	for (i = 0; i < run->s->nr_clients; i++)
		if (run->s->clients[i].gpu == nr)
			clients += run->s->clients[i].count * run->s->clients[i].channels;
	gpu->buckets.bits = 4;
	while (gpu->buckets.bits < 20 && 1u << gpu->buckets.bits < clients)
		gpu->buckets.bits++;
	gpu->buckets.jobs = keep(run, 1 << gpu->buckets.bits, sizeof(void *));
	gpu->buckets.clients = keep(run, 1 << gpu->buckets.bits, sizeof(void *));
	gpu->buckets.channels = keep(run, 1 << gpu->buckets.bits, sizeof(void *));
	tg_gpu_init(&gpu->core, gpu->conf->engines, gpu->conf->policy, &gpu->buckets, 0);
	for (i = 0; i < gpu->conf->engines; i++) {
		gpu->engine[i] = (struct tgs_hw_engine){
			.q = &run->q, .switch_cost = gpu->conf->switch_cost,
			.slice = gpu->conf->slice, .ran = hardware_ran, .done = hardware_done,
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
	strcpy(client->id.comm, conf->name);
	client->channels = keep(run, conf->channels, sizeof(*client->channels));
	for (i = 0; i < conf->channels; i++)
		tgs_hw_channel_init(&client->channels[i],
				    &gpu->engine[__builtin_ctz(conf->engines)]);
	client->work.arrival = &conf->arrival;
	client->work.cost = &conf->cost;
	client->work.rng.state = run->s->seed + nr;
	client->work.rng.state = tgs_rng_next(&client->work.rng);
	client->start = (struct tgs_timer){ 0, start, client };
	client->release = (struct tgs_timer){ 0, release, client };
	client->stop = (struct tgs_timer){ 0, stop, client };
	client->idle = (struct tgs_timer){ 0, idle, client };
	if (conf->start + instance * conf->stagger < conf->stop)
		tgs_evq_set(&run->q, &client->start, conf->start + instance * conf->stagger);
}

static void simulate(struct run *run)
{
	struct tgs_timer *timer;
	u32 i, j;

	while ((timer = tgs_evq_pop(&run->q, &run->now)) && run->now < run->s->duration)
		timer->fire(timer->owner, run->now);

	for (i = 0; i < run->result->nr_clients; i++)
		book(&run->clients[i]);
	for (i = 0; i < run->s->nr_gpus; i++)
		for (j = 0; j < run->gpus[i].conf->engines; j++) {
			struct tgs_hw_engine *e = &run->gpus[i].engine[j];

			tgs_hw_stop(e, run->s->duration);
			run->gpus[i].result->engine[j] = (struct tgs_engine_result){
				e->busy, e->switching, e->switches };
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
	run->spec.entries = keep(run, tg_spec_room(s->spec, s->spec_len),
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
	for (i = 0; i < run.nr_kept; i++)
		free(run.kept[i]);
	free(run.kept);
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
