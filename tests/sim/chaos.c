// SPDX-License-Identifier: GPL-2.0
/*
 * Millions of random events per policy: clients come and go, jobs are cancelled, refused,
 * hang and come back, specs, policies and knobs change, timers are late, hosts err. What
 * host.c checks must hold throughout, and at the end nothing may remain.
 *
 * chaos [EVENTS [SEED [SEEDS]]]: events per row and seed (default 250 000), first seed (1), how
 * many seeds (4). What fails says which EVENTS and SEED show it.
 */
#include <stdlib.h>
#include "../lib/test.h"
#include "host.h"
#include "mem.h"
#include "workload.h"

#define CLIENTS	24
#define JOBS	64

static const struct row {
	const char *name, *policy;
	u32 engines;
	bool joint;		/* jobs may name several engines */
	s64 now;		/* where the clock starts */
	u32 dt_bits;		/* time between events: up to 2^dt_bits ns */
	u32 switches;		/* policy switches per 10 000 events */
	u32 hang;		/* jobs that never end, per 1000 */
	u32 errors;		/* wrong events per 1000 */
} rows[] = {
	{ "none", "none", 1, false, 0, 22, 0, 5, 50 },
	{ "fifo", "fifo", 1, false, 0, 22, 0, 5, 50 },
	{ "timegraph", "timegraph", 1, false, 0, 22, 0, 0, 50 },
	{ "timegraph, jobs hang", "timegraph", 1, false, 0, 26, 0, 20, 20 },
	{ "timegraph, four engines", "timegraph", 4, true, 0, 20, 0, 0, 20 },
	{ "timegraph, two engines, jobs hang", "timegraph", 2, true, 0, 26, 0, 20, 20 },
	{ "timegraph, long pauses", "timegraph", 1, false, 0, 32, 0, 2, 20 },
	{ "timegraph, quick", "timegraph", 1, false, 0, 10, 0, 0, 0 },
	{ "timegraph, the clock's end", "timegraph", 1, false, S64_MAX - 4000000 * TG_SEC, 26, 0,
	  2, 20 },
	{ "tick", "tick", 1, false, 0, 22, 0, 0, 50 },
	{ "tick, four engines", "tick", 4, true, 0, 20, 0, 0, 20 },
	{ "tick, four engines, jobs hang", "tick", 4, true, 0, 26, 0, 20, 20 },
	{ "tick, the clock's end", "tick", 1, false, S64_MAX - 4000000 * TG_SEC, 26, 0, 2, 20 },
	{ "dfq", "dfq", 1, false, 0, 22, 0, 0, 50 },
	{ "dfq, jobs hang", "dfq", 1, false, 0, 26, 0, 20, 20 },
	{ "dfq, four engines", "dfq", 4, true, 0, 20, 0, 2, 20 },
	{ "dfq, the clock's end", "dfq", 1, false, S64_MAX - 4000000 * TG_SEC, 26, 0, 2, 20 },
	{ "loga", "loga", 1, false, 0, 22, 0, 0, 50 },
	{ "loga, jobs hang", "loga", 1, false, 0, 26, 0, 20, 20 },
	{ "loga, quick, two engines", "loga", 2, true, 0, 16, 0, 0, 0 },
	{ "loga, the clock's end", "loga", 1, false, S64_MAX - 4000000 * TG_SEC, 26, 0, 2, 20 },
	{ "timeslice", "timeslice", 1, false, 0, 22, 0, 0, 50 },
	{ "timeslice, two engines, jobs hang", "timeslice", 2, true, 0, 26, 0, 20, 20 },
	{ "timeslice, four engines", "timeslice", 4, true, 0, 20, 0, 0, 20 },
	{ "timeslice, the clock's end", "timeslice", 1, false, S64_MAX - 4000000 * TG_SEC, 26, 0,
	  2, 20 },
	{ "dtimeslice", "dtimeslice", 1, false, 0, 22, 0, 0, 50 },
	{ "dtimeslice, two engines, jobs hang", "dtimeslice", 2, true, 0, 26, 0, 20, 20 },
	{ "dtimeslice, the clock's end", "dtimeslice", 1, false, S64_MAX - 4000000 * TG_SEC, 26, 0,
	  2, 20 },
	{ "fcfs", "fcfs", 1, false, 0, 22, 0, 0, 50 },
	{ "fcfs, four engines", "fcfs", 4, true, 0, 20, 0, 0, 20 },
	{ "fcfs, two engines, jobs hang", "fcfs", 2, true, 0, 26, 0, 20, 20 },
	{ "band", "band", 1, false, 0, 22, 0, 0, 50 },
	{ "band, jobs hang", "band", 2, false, 0, 26, 0, 20, 20 },
	{ "band, four engines", "band", 4, true, 0, 20, 0, 0, 20 },
	{ "band, long pauses", "band", 1, false, 0, 32, 0, 2, 20 },
	{ "band, the clock's end", "band", 2, false, S64_MAX - 4000000 * TG_SEC, 26, 0, 2, 20 },
	{ "credit", "credit", 1, false, 0, 22, 0, 0, 50 },
	{ "credit, four engines", "credit", 4, true, 0, 20, 0, 0, 20 },
	{ "credit, jobs hang", "credit", 1, false, 0, 26, 0, 20, 20 },
	{ "credit, the clock's end", "credit", 1, false, S64_MAX - 4000000 * TG_SEC, 26, 0, 2, 20 },
	{ "vfifo", "vfifo", 1, false, 0, 22, 0, 0, 50 },
	{ "vfifo, four engines, jobs hang", "vfifo", 4, true, 0, 24, 0, 10, 20 },
	{ "policies change", "timegraph", 2, false, 0, 22, 50, 2, 20 },
	{ "policies change all the time", "none", 1, false, 0, 20, 1000, 2, 20 },
	{ "policies change, jobs hang", "fifo", 1, false, 0, 26, 20, 30, 20 },
	{ "dry run", "timegraph", 1, false, 0, 22, 0, 0, 20 },
	{ "dry run, four engines, jobs hang", "timegraph", 4, false, 0, 24, 0, 10, 20 },
	{ "dry run, policies change", "none", 2, false, 0, 20, 50, 2, 20 },
};

/* Is dry run switched on and off in between? */
static bool is_dry(const struct row *row)
{
	return !strncmp(row->name, "dry run", 7);
}

static const char *const specs[] = {
	"a:prt:pe:80:1000:2000\nb:ht:pe:40:200:1000:depth=3\nc:prt:ae:60:300:2000\n",
	"a:prt:pe:1:1:10000000\nb:ht:ae:99:1:1\nc:prt:bg:nice:0:0\nd:ht:pe:nice:500:500\n",
	"a:prt:pe:80:500:1000:reserve=one\nb:ht:pe:40:500:1000:reserve=one,depth=64\n"
	"c:prt:bg:0:200:1000\nd:prt:ae:7:700:1000:reserve=two\n",
	"c:ht:ae:50:900:1000:reserve=one\nd:ht:ae:50:900:1000:reserve=one\n",
	"a:ht:bg:*:10000000:10000000\n",
	"[vgpu v]:50:20:50\n[vgpu w]:25:80:1\na:ht:bg:9:0:0:vgpu=v\nb:prt:bg:1:0:0:vgpu=v\n"
	"c:prt:pe:1:500:1000:vgpu=w\nd:ht:bg:0:0:0:vgpu=x\n",
	"[vgpu w]:1:1:1\n[vgpu x]:99:99:99\na:ht:bg:9:0:0:vgpu=x\nb:prt:bg:1:0:0:vgpu=w\n",
	"uid=1:prt:bg:0:0:0:weight=10000\ncgroup=/a:prt:bg:9:0:0:weight=3\na:ht:bg:9:0:0:weight=7\n"
	"uid=*:ht:bg:5:0:0:weight=2\ncgroup=*:prt:bg:0:0:0:weight=10000\n",
	"a:prt:cbs:1:300:1000\nb:ht:cbs:99:100:2000:reserve=two,depth=8\nc:ht:bg:80:0:0:depth=8\n"
	"d:prt:cbs:5:400:10000\n",
	"a:ht:cbs:9:200:1000:reserve=one\nb:prt:cbs:9:200:1000:reserve=one\nc:prt:pe:50:500:1000\n"
	"[vgpu v]:50:20:50\nd:prt:cbs:*:1:10000000:vgpu=v\n",
	"",
};

static const char *const comms[] = { "a", "b", "c", "d", "e", TG_KERNEL "k" };

struct chaos {
	struct th_host h;
	struct tgs_rng rng;
	const struct row *row;
};

static u64 below(struct chaos *c, u64 n)
{
	return tgs_rng_below(&c->rng, n);
}

static struct th_client *some_client(struct chaos *c)
{
	struct th_client *client = &c->h.client[below(c, CLIENTS)];

	return client->used && client->channels ? client : NULL;
}

static u32 some_channel(struct chaos *c, const struct th_client *client)
{
	u32 channel = below(c, 4);

	while (!(client->channels & 1u << channel))
		channel = (channel + 1) % 4;
	return channel;
}

static struct th_job *some_job(struct chaos *c, enum th_state state)
{
	u32 i, from = below(c, JOBS);

	for (i = 0; i < JOBS; i++)
		if (c->h.job[(from + i) % JOBS].state == state)
			return &c->h.job[(from + i) % JOBS];
	return NULL;
}

static void do_join(struct chaos *c)
{
	struct th_client *client = below(c, 3) ? NULL : some_client(c);
	u32 channel = below(c, 4);

	if (!client || !(client->channels & 1u << channel))
		th_join(&c->h, client, comms[below(c, ARRAY_SIZE(comms))], channel,
			c->row->joint ? 1 + below(c, (1u << c->row->engines) - 1) :
					1u << below(c, c->row->engines));
}

static void do_leave(struct chaos *c)
{
	struct th_client *client = some_client(c);

	if (client)
		th_leave(&c->h, client, some_channel(c, client));
}

static void do_submit(struct chaos *c)
{
	struct th_client *client = some_client(c);
	struct th_job *job;
	u64 room[1 + 64] = { };
	struct tg_key *key = (struct tg_key *)room;

	if (!client)
		return;
	/* a few small keys that come again, some large ones, some with equal hashes */
	key->nr = below(c, 8) ? 1 : 1 + below(c, 64);
	key->hash = below(c, 4);
	key->pair[0] = 1 + (below(c, 6) << 16);
	job = th_submit(&c->h, client, some_channel(c, client), below(c, 5) ? key : NULL);
	if (job)
		job->cost = below(c, 1000) < c->row->hang;
}

static void do_start(struct chaos *c)
{
	struct th_job *job = some_job(c, TH_FREED);
	s64 ago = below(c, 1000);

	if (job && below(c, 20))
		th_started(&c->h, job, max(c->h.now - ago, (s64)0));
	else if (job)
		th_refused(&c->h, job);
}

static void do_done(struct chaos *c)
{
	struct th_job *job = some_job(c, TH_STARTED);
	s64 ago = below(c, 1000);

	if (job && (!job->cost || !below(c, 50)))
		th_done(&c->h, job, max(c->h.now - ago, (s64)0));
}

static void do_cancel(struct chaos *c)
{
	struct th_job *job = some_job(c, below(c, 4) ? TH_ASKED : TH_FREED);

	if (job)
		th_cancel(&c->h, job);
}

static void do_idle(struct chaos *c)
{
	u32 i;

	for (i = 0; i < CLIENTS; i++)
		if (c->h.client[i].used && c->h.client[i].sync && below(c, 2)) {
			th_idle(&c->h, &c->h.client[i]);
			return;
		}
	if (c->h.watch)
		th_quiet(&c->h);
}

/* A poll phase ends, at about its time; once in a while the host does not answer a POLL at all. */
static void do_sample(struct chaos *c)
{
	struct tg_sample s = { .length = min((s64)below(c, 20) * TG_MSEC, c->h.now) };
	struct tg_event ev = { .kind = TG_EV_SAMPLE, .sample = &s, .at = c->h.now };
	u32 i;

	if (!c->h.poll_until || c->h.now < c->h.poll_until || !below(c, 20))
		return;
	for (i = 0; i < CLIENTS; i++) {
		if (!c->h.client[i].used || !below(c, 3))
			continue;
		ev.client = c->h.client[i].id;
		s.busy = below(c, 2) ? (s64)below(c, s.length + 1) : 0;
		s.groups = below(c, 100);
		s.active = below(c, 3);
		th_feed(&c->h, &ev, 0);
	}
	ev.client = 0;
	s.busy = s.length;
	c->h.poll_until = 0;
	th_feed(&c->h, &ev, 0);
}

static void do_knob(struct chaos *c)
{
	static const s64 us[TG_KNOBS][2] = {
		[TG_KNOB_DEADLINE] = { 1000, 10000000 },
		[TG_KNOB_FREED] = { 1000, 100000 },
		[TG_KNOB_STARVED] = { 1000000, 60000000 },
		[TG_KNOB_RECORDS] = { 1, 4 },
		[TG_KNOB_SWITCH] = { 0, 1000 },
		[TG_KNOB_DRY] = { 0, 0 },
		[TG_KNOB_STALL] = { 100, 5000 },
		[TG_KNOB_AE_FAITHFUL] = { 0, 1 },
		[TG_KNOB_MAX_GROUP] = { 0, 400 },
	};
	static const u32 others[] = {
		TG_KNOB_STALL, TG_KNOB_AE_FAITHFUL, TG_KNOB_MAX_GROUP,
	};
	const struct tg_param *params;
	u32 nr = below(c, TG_KNOB_ADMISSION + ARRAY_SIZE(others)), n;

	if (nr >= TG_KNOB_ADMISSION)
		nr = others[nr - TG_KNOB_ADMISSION];
	th_knob(&c->h, false, nr, us[nr][below(c, 2)]);
	params = tg_gpu_policy(&c->h.core)->params;
	for (n = 0; params && params[n].name; n++)
		;
	if (n && !strcmp(params[n - 1].name, TG_SHARE_KNOB) && below(c, 2)) {
		th_knob(&c->h, true, n - 1, below(c, TG_SHARES_BY));
	} else if (n) {
		nr = below(c, n);
		th_knob(&c->h, true, nr, below(c, 2) ? params[nr].def : below(c, 2) ?
			params[nr].min : params[nr].max);
	}
}

/* Priorities by hand, nice values, and a foreground window: hosts' pids are what th_join() gives. */
static void do_prio(struct chaos *c)
{
	struct th_client *client = some_client(c);
	struct tg_event ev = { .kind = TG_EV_PRIO, .at = c->h.now };
	const u32 level = below(c, TG_PRIO_MAX + 1);

	if (!client)
		return;
	ev.client = client->id;
	switch (below(c, 3)) {
	case 0:
		ev.kind = TG_EV_FOREGROUND;
		ev.client = 0;
		ev.foreground.pid = client->ident.pid;
		break;
	case 1:
		ev.kind = TG_EV_NICE;
		ev.nice.level = level;
		break;
	default:
		ev.prio.level = level;
	}
	th_feed(&c->h, &ev, ev.kind == TG_EV_PRIO && client->ident.kernel ? -EINVAL : 0);
}

/* A channel turns out to use other engines. */
static void do_engines(struct chaos *c)
{
	struct th_client *client = some_client(c);
	struct tg_event ev = { .kind = TG_EV_ENGINES, .at = c->h.now };

	if (!client)
		return;
	ev.client = client->id;
	ev.channel = some_channel(c, client);
	ev.engines.mask = c->row->joint ? 1 + below(c, (1u << c->row->engines) - 1) :
					  1u << below(c, c->row->engines);
	th_feed(&c->h, &ev, 1);
}

/* A virtual GPU comes, changes or goes. */
static void do_vgpu(struct chaos *c)
{
	struct tg_vgpu_conf conf = { .name = { 'v' + below(c, 4) } };
	struct tg_event ev = { .kind = TG_EV_VGPU, .at = c->h.now, .vgpu = &conf };
	u32 k, set = below(c, 4);

	for (k = 0; set && k < TG_VGPU_SHARES; k++)
		conf.share[k] = below(c, 8) ? 1 + below(c, 50) : below(c, 110);
	th_feed(&c->h, &ev, 1);
}

/* An event of any numbers: whatever the answer, host.c sees to it that an error is harmless. */
static void do_error(struct chaos *c)
{
	static const enum tg_event_kind kinds[] = {
		TG_EV_JOIN, TG_EV_LEAVE, TG_EV_SUBMIT, TG_EV_CANCEL, TG_EV_STARTED, TG_EV_REFUSED,
		TG_EV_DONE, TG_EV_IDLE, TG_EV_KNOB, TG_EV_POLICY, TG_EV_KINDS, TG_EV_SUBMIT,
		TG_EV_SAMPLE, TG_EV_PRIO, TG_EV_BYPASSED, TG_EV_NICE,
	};
	struct th_job *job = some_job(c, TH_STARTED);
	struct tg_event ev = {
		.kind = kinds[below(c, ARRAY_SIZE(kinds))], .client = U32_MAX - below(c, 3),
		.channel = below(c, 40), .job = below(c, 2) ? U64_MAX - below(c, 3) : 0,
		.arg = below(c, 2) ? 1u << 20 : U64_MAX, .at = c->h.now - (s64)below(c, 3),
	};
	int want = 1;

	if (job && ev.kind == TG_EV_SUBMIT) {
		ev.job = job->id;		/* a number in use */
		ev.client = job->client->id;
		ev.channel = job->channel;
	} else if (job && (ev.kind == TG_EV_CANCEL || ev.kind == TG_EV_REFUSED ||
			   ev.kind == TG_EV_STARTED)) {
		ev.job = job->id;
		want = -EBUSY;
	} else if (!below(c, 10)) {
		ev.kind = TG_EV_TIMER;		/* time goes backwards, or comes to its end */
		ev.now = below(c, 2) ? c->h.core.now - 1 : TG_NEVER;
		th_feed_raw(&c->h, &ev, -EINVAL);
		return;
	}
	if (!th_feed(&c->h, &ev, want) && want == 1)
		th_fail(&c->h, "a wrong event of kind %d passes", ev.kind);
}

static void step(struct chaos *c)
{
	static const char *const policies[] = {
		"none", "fifo", "timegraph", "tick", "dfq", "loga", "timeslice", "dtimeslice",
		"fcfs", "band", "credit", "vfifo",
	};
	s64 dt = tgs_rng_next(&c->rng) >> (64 - 1 - below(c, c->row->dt_bits));
	u32 what = below(c, 1000);

	th_advance(&c->h, c->h.now + dt);
	do_sample(c);
	if (is_dry(c->row) && !below(c, 500))
		th_knob(&c->h, false, TG_KNOB_DRY, below(c, 3) > 0);
	if (below(c, 10000) < c->row->switches)
		th_policy(&c->h, policies[below(c, ARRAY_SIZE(policies))]);
	else if (below(c, 1000) < c->row->errors)
		do_error(c);
	else if (what < 300)
		do_submit(c);
	else if (what < 600)
		do_start(c);
	else if (what < 900)
		do_done(c);
	else if (what < 940)
		do_join(c);
	else if (what < 960)
		do_leave(c);
	else if (what < 975)
		do_cancel(c);
	else if (what < 995)
		do_idle(c);
	else if (what < 996)
		do_prio(c);
	else if (what < 997)
		do_vgpu(c);
	else if (what < 998)
		do_engines(c);
	else if (what < 999)
		th_spec(&c->h, specs[below(c, ARRAY_SIZE(specs))], below(c, 2));
	else
		do_knob(c);
}

/* Return: did it go well? */
static bool run(const struct row *row, u64 events, u64 seed)
{
	bool good;
	struct chaos *c = calloc(1, sizeof(*c));
	u64 ejected;

	if (!c)
		abort();
	c->row = row;
	c->rng.state = seed * 1000 + (row - rows);
	th_init(&c->h, row->engines, row->policy, row->now, CLIENTS, JOBS, 3);
	c->h.check_every = 16;
	c->h.may_bypass = below(c, 2);
	c->h.users = 1 + below(c, 6);
	while (c->h.events < events && !*c->h.wrong)
		step(c);
	th_wind_up(&c->h);
	ejected = c->h.notes[TG_NOTE_EJECTED_PICK] + c->h.notes[TG_NOTE_EJECTED_STARVED];
	if (ejected)
		th_fail(&c->h, "%llu ejections of a good policy", (unsigned long long)ejected);
	/* under these nearly all go through open gates */
	if (c->h.freed < events / 500 && strcmp(row->policy, "none") &&
	    strcmp(row->policy, "loga") && strcmp(row->policy, "dtimeslice"))
		th_fail(&c->h, "only %llu jobs were freed", (unsigned long long)c->h.freed);
	if (is_dry(row) && c->h.would < events / 1000)
		th_fail(&c->h, "only %llu waits were modelled", (unsigned long long)c->h.would);
	good = !*c->h.wrong;
	if (!good)
		test_row(row->name, false, "chaos %llu %llu: %s", (unsigned long long)events,
			 (unsigned long long)seed, c->h.wrong);
	th_deinit(&c->h);
	free(c);
	return good;
}

int main(int argc, char **argv)
{
	u64 events = argc > 1 ? strtoull(argv[1], NULL, 0) : 250000;
	u64 first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	u64 seeds = argc > 3 ? strtoull(argv[3], NULL, 0) : 4, seed;
	bool good;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		good = true;
		for (seed = first; seed < first + seeds; seed++)
			good &= run(&rows[i], events, seed);
		if (good)
			test_row(rows[i].name, true, "no seed fails");
	}
	return test_end();
}
