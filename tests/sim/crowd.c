// SPDX-License-Identifier: GPL-2.0
/*
 * What one event does when very many jobs wait: whatever clients do, it moves a few of them only,
 * and the rest follows with events of its own at the same time.
 */
#include <string.h>
#include "../lib/test.h"
#include "host.h"

#define CLIENTS	100
#define JOBS	(2 * CLIENTS)

struct crowd {
	struct th_host h;
	u32 at_once;	/* the most jobs that one event has let into the policy's queue, or out */
	u32 visits;	/* the most that one event has visited on the way of a policy or a spec */
	u32 freed;	/* jobs that the event being fed has freed */
	u32 freed_most;	/* the most that one has */
	u64 event;	/* which one that is */
	bool whole;	/* one client comes as a whole, with more jobs than an event may visit */
};

/* After an event: the policy sees at most so many jobs of a limited reserve, or soon will. */
static void look(struct crowd *c)
{
	bool hold = c->h.core.policy->mode == TG_GATE_ASK && !c->h.core.handover;
	const struct tg_reserve *r;

	list_for_each_entry(r, &c->h.core.reserves, all)
		if (hold && !tg_reserve_unlimited(r) && r->queued > TG_RESERVE_WINDOW &&
		    r->ready > c->h.now + 20 * TG_USEC)
			th_fail(&c->h, "the policy sees %u jobs of a reserve", r->queued);
	c->at_once = max(c->at_once, c->h.core.moved);
	c->visits = max(c->visits, c->h.core.visited);
}

/* Each SYNC has its answer. */
static void answer(struct crowd *c)
{
	u32 i;

	for (i = 0; i < c->h.nr_client; i++)
		if (c->h.client[i].used && c->h.client[i].sync) {
			th_idle(&c->h, &c->h.client[i]);
			look(c);
		}
}

/* Let time pass up to @to, and look after each step. */
static void pass_time(struct crowd *c, s64 to)
{
	while (!*c->h.wrong && c->h.armed <= to) {
		th_advance(&c->h, max(c->h.armed, c->h.now));
		look(c);
		answer(c);
	}
	th_advance(&c->h, to);
	look(c);
}

static void on_free(struct th_host *h, struct th_job *job)
{
	struct crowd *c = h->test;

	c->freed = c->event == h->events ? c->freed + 1 : 1;
	c->event = h->events;
	c->freed_most = max(c->freed_most, c->freed);
}

static void begin(struct crowd *c, const char *spec)
{
	memset(c, 0, sizeof(*c));
	th_init(&c->h, 1, "timegraph", 0, CLIENTS, JOBS, 8);
	c->h.check_every = 1;
	c->h.test = c;
	c->h.on_free = on_free;
	th_spec(&c->h, spec, false);
}

static void end(struct crowd *c, const char *name)
{
	/* Where the policy sees too many of a reserve's jobs, one is throttled in any case. */
	if (c->at_once > TG_RESERVE_MOVES + 1)
		th_fail(&c->h, "an event has moved %u jobs", c->at_once);
	/*
	 * 6; but the last client of each kind of work comes as a whole, with one job here, and a
	 * gate that opens for a client that waits is one more. Of a client with more jobs than 6
	 * one more than those are counted.
	 */
	if (c->visits > (c->whole ? 11 : 9))
		th_fail(&c->h, "an event has visited %u", c->visits);
	if (c->freed_most > 6)
		th_fail(&c->h, "an event has freed %u jobs", c->freed_most);
	if (!*c->h.wrong)
		th_wind_up(&c->h);
	test_row(name, !*c->h.wrong, "%s", c->h.wrong);
	th_deinit(&c->h);
}

/* @nr clients come, each with a job. */
static void come(struct crowd *c, const char *comm, u32 nr)
{
	struct th_client *client;

	while (nr--) {
		client = th_join(&c->h, NULL, comm, 0, 1);
		if (!client)
			return;
		th_submit(&c->h, client, 0, NULL);
		look(c);
	}
}

/* The job that goes now; NULL: none does. */
static struct th_job *may_go(struct crowd *c)
{
	u32 i;

	for (i = 0; i < c->h.nr_job; i++)
		if (c->h.job[i].state == TH_FREED)
			return &c->h.job[i];
	return NULL;
}

/* The same where one has to go. */
static struct th_job *going(struct crowd *c)
{
	struct th_job *job = may_go(c);

	if (!job)
		th_fail(&c->h, "no job goes");
	return job;
}

/* It takes @cost. */
static void work(struct crowd *c, s64 cost)
{
	struct th_job *job = going(c);

	if (!job)
		return;
	th_started(&c->h, job, c->h.now);
	pass_time(c, c->h.now + cost);
	th_done(&c->h, job, c->h.now);
	look(c);
}

/* A budget is used up by the first of many, and filled again. */
static void shared_reserve(const char *kind)
{
	char spec[128], name[64];
	struct crowd c;
	u32 i;

	snprintf(spec, sizeof(spec), "a:prt:%s:5:1000:100000:reserve=r\n", kind);
	begin(&c, spec);
	come(&c, "a", CLIENTS);
	for (i = 0; i < CLIENTS && !*c.h.wrong; i++) {
		work(&c, 3 * TG_MSEC);
		pass_time(&c, c.h.now + 300 * TG_MSEC);
	}
	snprintf(name, sizeof(name), "a reserve of many clients, %s: each goes in its turn", kind);
	end(&c, name);
}

/* Many reserves are filled at the same time. */
static void own_reserves(void)
{
	struct crowd c;
	u32 i;

	begin(&c, "a:prt:pe:5:1000:1000000\n");
	th_knob(&c.h, false, TG_KNOB_ADMISSION, 10000);
	come(&c, "a", CLIENTS);
	for (i = 0; i < CLIENTS; i++)
		work(&c, 5 * TG_MSEC);
	for (i = 0; i < c.h.nr_client; i++)
		th_submit(&c.h, &c.h.client[i], 0, NULL);
	if (c.h.core.background.users)
		th_fail(&c.h, "%u have no reserve of their own", c.h.core.background.users);
	pass_time(&c, 7 * TG_SEC);
	for (i = 0; i < CLIENTS && !*c.h.wrong; i++)
		work(&c, TG_USEC);
	end(&c, "many reserves filled at once: all of their jobs go");
}

/* More jobs than the policy sees: one of higher priority need not wait until it sees fewer. */
static void higher_priority(void)
{
	struct th_job *job;
	struct crowd c;

	begin(&c, "a:prt:pe:5:90000:100000:reserve=r\nb:prt:pe:9:90000:100000:reserve=r\n");
	come(&c, "a", CLIENTS - 1);
	come(&c, "b", 1);
	work(&c, TG_MSEC);
	job = going(&c);
	if (job && strcmp(job->client->ident.comm, "b"))
		th_fail(&c.h, "a job of lower priority goes first");
	end(&c, "a job of higher priority passes those that the policy does not see");
}

/* Background gets a limit, and loses it, while many wait. */
static void limits_change(void)
{
	struct crowd c;

	begin(&c, "b:prt:bg:5:0:0\n");
	come(&c, "b", CLIENTS);
	th_spec(&c.h, "b:prt:bg:5:1000:100000\n", false);
	look(&c);
	work(&c, 5 * TG_MSEC);
	th_spec(&c.h, "b:prt:bg:5:0:0\n", true);
	pass_time(&c, c.h.now + TG_SEC);
	while (!*c.h.wrong && c.h.live)
		work(&c, TG_USEC);
	end(&c, "a limit that comes and goes while many wait");
}

/* An engine has lost a job: the others pass, a few with each event. */
static void wedged(void)
{
	struct crowd c;

	begin(&c, "a:prt:pe:5:1000:100000:reserve=r\n");
	come(&c, "a", CLIENTS / 2);
	come(&c, "b", CLIENTS / 2);
	if (going(&c))
		th_started(&c.h, going(&c), c.h.now);
	th_advance(&c.h, 2 * c.h.core.knob[TG_KNOB_DEADLINE]);
	if (c.h.freed != CLIENTS)
		th_fail(&c.h, "%llu jobs passed", (unsigned long long)c.h.freed);
	if (c.freed_most > 4)
		th_fail(&c.h, "%u jobs passed at once", c.freed_most);
	end(&c, "all pass a wedged engine, a few at once");
}

/* All jobs go, one after the other. */
static void all_go(struct crowd *c)
{
	u32 i;

	while (!*c->h.wrong && c->h.live) {
		for (i = 0; i < 1000 && !may_go(c); i++)
			pass_time(c, c->h.now + 10 * TG_MSEC);
		work(c, TG_USEC);
	}
}

/* The client leaves that a change of policy, or the new spec, would come to next; another comes. */
static void replace(struct crowd *c, const struct tg_client *next)
{
	u32 i;

	for (i = 0; next && i < c->h.nr_client; i++)
		if (c->h.client[i].used && c->h.client[i].id == next->id &&
		    c->h.client[i].channels) {
			th_leave(&c->h, &c->h.client[i], 0);
			look(c);
			come(c, "a", 1);
			return;
		}
}

/* Another policy comes to many clients, a few with each event, and a third one before it is done. */
static void policies(const char *from, const char *to)
{
	struct crowd c;
	char name[64];
	u32 i, steps;

	begin(&c, "a:prt:pe:5:90000:100000:reserve=r\n");
	th_policy(&c.h, from);
	pass_time(&c, c.h.now + TG_SEC);
	come(&c, "a", CLIENTS / 2);
	come(&c, "b", CLIENTS / 4);
	for (i = 0; i < 8 && !*c.h.wrong; i++) {
		th_policy(&c.h, i % 2 ? from : to);
		look(&c);
		for (steps = 0; c.h.core.handover && !*c.h.wrong; steps++) {
			if (steps % 8 == i)
				replace(&c, c.h.core.handing);
			if (c.h.core.handover == TG_HANDOVER_JOIN && i == 7 && steps < 99)
				th_policy(&c.h, to);
			if (may_go(&c))
				work(&c, TG_USEC);
			pass_time(&c, max(c.h.armed, c.h.now));
			if (steps > 10 * CLIENTS)
				th_fail(&c.h, "it does not end");
		}
		if (steps < 8)
			th_fail(&c.h, "done after %u events", steps);
		come(&c, "b", 1);
	}
	all_go(&c);
	snprintf(name, sizeof(name), "many clients, from %s to %s and back", from, to);
	end(&c, name);
}

/* All gates are held until one submits; then they open, a few with each event. */
static void gates(const char *policy)
{
	char name[64];
	struct crowd c;
	u32 i, n;

	begin(&c, "a:prt:pe:5:90000:100000:reserve=r\n");
	th_policy(&c.h, policy);
	pass_time(&c, c.h.now + TG_SEC);
	come(&c, "a", CLIENTS);
	all_go(&c);
	for (n = 0; n < 20 && !*c.h.wrong; n++) {
		pass_time(&c, c.h.now + 10 * TG_SEC);
		for (i = 0; i < c.h.nr_client; i++)
			if (i % (n % 4 + 1) == 0)
				th_submit(&c.h, &c.h.client[i], 0, NULL);
		all_go(&c);
	}
	snprintf(name, sizeof(name), "%s: many gates open at once", policy);
	end(&c, name);
}

/* The gate of one client opens, which has jobs in many channels: with a policy, and by a policy. */
static void one_client(const char *policy)
{
	struct th_client *client;
	struct crowd c;
	char name[64];
	u32 i;

	begin(&c, "");
	c.whole = true;
	client = th_join(&c.h, NULL, "a", 0, 1);
	for (i = 1; i < 30; i++)
		th_join(&c.h, client, "a", i, 1);
	for (i = 0; i < 30; i++)
		th_submit(&c.h, client, i, NULL);
	th_policy(&c.h, policy);
	work(&c, TG_USEC);	/* the one that timegraph let go */
	pass_time(&c, c.h.now + TG_MSEC);
	all_go(&c);
	snprintf(name, sizeof(name), "%s: a gate with many jobs opens", policy);
	end(&c, name);
}

/* A new spec comes to many clients, a few with each event, and another one before it is done. */
static void specs(void)
{
	struct crowd c;
	u32 i;

	begin(&c, "a:prt:pe:5:1000:100000\n");
	th_knob(&c.h, false, TG_KNOB_ADMISSION, 10000);
	come(&c, "a", CLIENTS / 2);
	for (i = 0; i < 6 && !*c.h.wrong; i++) {
		th_spec(&c.h, i % 2 ? "a:prt:pe:5:1000:100000\n" : "a:prt:ae:9:500:100000\n", true);
		look(&c);
		if (!c.h.core.rematches)
			th_fail(&c.h, "done with one event");
		replace(&c, c.h.core.rematching);
		if (i != 3)
			pass_time(&c, c.h.now + 10 * TG_MSEC);
	}
	if (c.h.core.rematches)
		th_fail(&c.h, "%u clients still have the old one", c.h.core.rematches);
	if (c.h.core.background.users)
		th_fail(&c.h, "%u have no reserve of their own", c.h.core.background.users);
	all_go(&c);
	end(&c, "a new spec for many clients");
}

/* Feed an event that concerns all clients. It must not come to all of them. */
static void concern_all(struct crowd *c, struct tg_event *ev)
{
	ev->at = c->h.now;
	th_feed(&c->h, ev, 0);
	look(c);
	if (!c->h.core.rematching)
		th_fail(&c->h, "done with one event");
}

/* All have the window in the foreground, and lose it. */
static void foreground(void)
{
	struct tg_event ev = { .kind = TG_EV_FOREGROUND };
	struct crowd c;
	u32 i, k;

	begin(&c, "a:prt:bg:*:0:0\n");
	come(&c, "a", CLIENTS);
	for (i = 0; i < CLIENTS; i++)
		c.h.client[i].ident.pid = 7;
	for (k = 1; k <= 4 && !*c.h.wrong; k++) {
		ev.foreground.pid = k & 1 ? 7 : 0;
		concern_all(&c, &ev);
		replace(&c, c.h.core.rematching);
		c.h.client[k].ident.pid = 7;
		/* The third one comes while the second is on its way. */
		if (k == 2)
			continue;
		pass_time(&c, c.h.now + 10 * TG_MSEC);
		for (i = 0; i < CLIENTS; i++)
			if (c.h.client[i].ident.pid == 7 &&
			    tg_gpu_client(&c.h.core, c.h.client[i].id)->prio !=
			    (k & 1 ? TG_PRIO_FOREGROUND : TG_PRIO_AGPA))
				th_fail(&c.h, "client %u has not heard of it", i);
	}
	all_go(&c);
	end(&c, "another foreground window for many clients");
}

static void vgpu(struct crowd *c, const char *name, u32 share)
{
	struct tg_vgpu_conf conf = { .share = { share, share, share } };
	struct tg_event ev = { .kind = TG_EV_VGPU, .vgpu = &conf };

	memcpy(conf.name, name, strlen(name));
	concern_all(c, &ev);
}

static void expect_rest(struct crowd *c, u32 share, u32 clients)
{
	const struct tg_vgpu *rest = &c->h.core.vgpu[0];

	if (rest->share[TG_COMPUTE] != share || rest->clients != clients)
		th_fail(&c->h, "the rest has %u clients and a share of %u", rest->clients,
			rest->share[TG_COMPUTE]);
}

/* A virtual GPU of many comes and goes, and another one while its clients are on their way. */
static void vgpus(const char *policy)
{
	struct tg_event size = { .kind = TG_EV_MEM_SIZE, .mem.bytes = 1000 };
	struct crowd c;
	char name[64];
	u32 k;

	begin(&c, "a:prt:bg:1:0:0:vgpu=v\nb:prt:bg:1:0:0:vgpu=w\n");
	th_policy(&c.h, policy);
	th_feed(&c.h, &size, 0);
	come(&c, "a", CLIENTS / 2);
	come(&c, "b", CLIENTS / 4);
	for (k = 0; k < 3 && !*c.h.wrong; k++) {
		vgpu(&c, "v", 60);
		pass_time(&c, c.h.now + 10 * TG_MSEC);
		expect_rest(&c, 40, CLIENTS / 4);
		vgpu(&c, "v", 0);
		if (c.h.core.mem.part[0].size != 1000)
			th_fail(&c.h, "the rest does not have its memory");
		vgpu(&c, "w", 100);
		vgpu(&c, "w", 30);
		work(&c, TG_USEC);
		pass_time(&c, c.h.now + 10 * TG_MSEC);
		expect_rest(&c, 70, CLIENTS / 2);
		vgpu(&c, "w", 0);
		pass_time(&c, c.h.now + 10 * TG_MSEC);
		expect_rest(&c, 100, CLIENTS / 4 * 3);
	}
	all_go(&c);
	snprintf(name, sizeof(name), "%s: a virtual GPU of many clients comes and goes", policy);
	end(&c, name);
}

/* As many virtual GPUs as there may be, of many clients each: others take their places at once. */
static void all_places(void)
{
	char text[2][2048], conf[64];
	struct crowd c;
	u32 i, k;

	for (k = 0; k < 2; k++)
		for (i = 0, text[k][0] = 0; i < TG_VGPUS_MAX; i++) {
			snprintf(conf, sizeof(conf), "[vgpu %c%u]:6:6:6\n%c%u:prt:bg:1:0:0:vgpu=%c%u\n",
				 "vw"[k], i, 'a', i, "vw"[k], i);
			strcat(text[k], conf);
		}
	begin(&c, text[0]);
	th_policy(&c.h, "band");
	for (i = 0; i < CLIENTS; i++) {
		snprintf(conf, sizeof(conf), "a%u", i % TG_VGPUS_MAX);
		come(&c, conf, 1);
	}
	for (k = 1; k <= 2 * TG_VGPU_TERMS && !*c.h.wrong; k++) {
		th_spec(&c.h, text[k % 2], true);
		look(&c);
		/* Not for ever: a place knows so many that have gone. */
		if (k % 4 == 0)
			pass_time(&c, c.h.now + 10 * TG_MSEC);
	}
	pass_time(&c, c.h.now + 10 * TG_MSEC);
	th_spec(&c.h, text[1], false);
	pass_time(&c, c.h.now + 10 * TG_MSEC);
	expect_rest(&c, 4, CLIENTS);
	all_go(&c);
	end(&c, "all virtual GPUs of many clients are replaced");
}

/* A priority by hand: one that was set before the spec is over, one that is set after it holds. */
static void by_hand(void)
{
	struct tg_event ev = { .kind = TG_EV_PRIO, .prio.level = 77 };
	const struct tg_client *client;
	void *taken[CLIENTS];
	struct crowd c;
	u32 i, k, n = 0;

	begin(&c, "a:prt:bg:1:0:0\n");
	come(&c, "a", CLIENTS);
	for (k = 0; k < 3; k++) {
		ev.client = c.h.client[CLIENTS - 2 + k % 2].id;
		ev.at = c.h.now;
		th_feed(&c.h, &ev, 0);
		if (k < 2)
			th_spec(&c.h, "a:prt:pe:2:1000:1000000\n", true);
	}
	/* The host takes back all that it may, and each client gets a reserve of its own. */
	while (n < CLIENTS && (taken[n] = tg_gpu_take(&c.h.core, TG_POOL_RESERVE)))
		n++;
	pass_time(&c, c.h.now + 10 * TG_MSEC);
	for (i = 0; i < CLIENTS; i++) {
		client = tg_gpu_client(&c.h.core, c.h.client[i].id);
		if (client->prio != (i == CLIENTS - 2 ? 77 : 2))
			th_fail(&c.h, "client %u has the priority %u", i, client->prio);
		if (client->reserve == &c.h.core.background)
			th_fail(&c.h, "client %u has no reserve of its own", i);
	}
	while (n)
		tg_gpu_give(&c.h.core, TG_POOL_RESERVE, taken[--n]);
	all_go(&c);
	end(&c, "priorities by hand, and a spec that is on its way");
}

int main(void)
{
	shared_reserve("pe");
	shared_reserve("ae");
	own_reserves();
	higher_priority();
	limits_change();
	wedged();
	policies("timegraph", "fifo");
	policies("timegraph", "band");
	policies("dfq", "loga");
	policies("credit", "none");
	gates("loga");
	gates("dfq");
	one_client("none");
	one_client("dtimeslice");
	specs();
	foreground();
	vgpus("timegraph");
	vgpus("band");
	all_places();
	by_hand();
	return test_end();
}
