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
	u32 at_once;	/* the most jobs that one event has let into the policy's queue */
	u32 freed;	/* jobs that the event being fed has freed */
	u64 event;	/* which one that is */
};

/* After an event: the policy sees at most so many jobs of a limited reserve. */
static void look(struct crowd *c)
{
	const struct tg_reserve *r;

	list_for_each_entry(r, &c->h.core.reserves, all)
		if (!tg_reserve_unlimited(r) && r->queued > TG_RESERVE_WINDOW)
			th_fail(&c->h, "the policy sees %u jobs of a reserve", r->queued);
	c->at_once = max(c->at_once, c->h.core.moved);
}

/* Let time pass up to @to, and look after each step. */
static void pass_time(struct crowd *c, s64 to)
{
	while (!*c->h.wrong && c->h.armed <= to) {
		th_advance(&c->h, max(c->h.armed, c->h.now));
		look(c);
	}
	th_advance(&c->h, to);
	look(c);
}

static void on_free(struct th_host *h, struct th_job *job)
{
	struct crowd *c = h->test;

	c->freed = c->event == h->events ? c->freed + 1 : 1;
	c->event = h->events;
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
	if (c->at_once > TG_RESERVE_WINDOW)
		th_fail(&c->h, "an event has let in %u jobs", c->at_once);
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

/* The job that goes now. */
static struct th_job *going(struct crowd *c)
{
	u32 i;

	for (i = 0; i < c->h.nr_job; i++)
		if (c->h.job[i].state == TH_FREED)
			return &c->h.job[i];
	th_fail(&c->h, "no job goes");
	return NULL;
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
	if (c.freed > 4)
		th_fail(&c.h, "%u jobs passed at once", c.freed);
	end(&c, "all pass a wedged engine, a few at once");
}

int main(void)
{
	shared_reserve("pe");
	shared_reserve("ae");
	own_reserves();
	higher_priority();
	limits_change();
	wedged();
	return test_end();
}
