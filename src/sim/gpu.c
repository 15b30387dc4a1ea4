// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated hardware: each engine serves the channels that have work in turn, as a runlist
 * does. A turn is one group, or a slice of time; going from one channel to another costs time. The
 * scheduler's policy decides only how many channels have work. Called by client.c (a doorbell), by
 * its own timers, and by run.c at the end. One thread.
 */
#include "gpu.h"

static void next_turn(struct tgs_hw_engine *e, s64 now)
{
	struct tgs_hw_channel *channel;
	struct tgs_work *work;
	s64 turn;

	e->running = NULL;
	if (list_empty(&e->ring))
		return;
	channel = list_first_entry(&e->ring, struct tgs_hw_channel, ring);
	work = list_first_entry(&channel->works, struct tgs_work, link);
	turn = work->left;
	if (e->slice && e->slice < turn)
		turn = e->slice;
	if (e->last && channel != e->last) {
		now += e->switch_cost;
		e->switching += e->switch_cost;
		e->switches++;
	}
	e->last = channel;
	e->running = channel;
	e->since = now;
	tgs_evq_set(e->q, &e->finish, now + turn);
}

static void worked(struct tgs_hw_engine *e, struct tgs_work *work, s64 now)
{
	e->busy += now - e->since;
	work->left -= now - e->since;
	e->ran(e->host, work, e->since, now);
}

static void turn_over(void *owner, s64 now)
{
	struct tgs_hw_engine *e = owner;
	struct tgs_hw_channel *channel = e->running;
	struct tgs_work *work = list_first_entry(&channel->works, struct tgs_work, link);

	worked(e, work, now);
	if (!work->left)
		list_del_init(&work->link);
	list_del_init(&channel->ring);
	if (!list_empty(&channel->works))
		list_add_tail(&channel->ring, &e->ring);
	next_turn(e, now);
	if (!work->left)
		e->done(e->host, work, now);
}

void tgs_hw_engine_init(struct tgs_hw_engine *e)
{
	e->finish = (struct tgs_timer){ 0, turn_over, e };
	INIT_LIST_HEAD(&e->ring);
}

void tgs_hw_channel_init(struct tgs_hw_channel *c, struct tgs_hw_engine *engine)
{
	c->engine = engine;
	INIT_LIST_HEAD(&c->works);
	INIT_LIST_HEAD(&c->ring);
}

void tgs_hw_submit(struct tgs_hw_channel *channel, struct tgs_work *work, s64 now)
{
	struct tgs_hw_engine *e = channel->engine;

	work->channel = channel;
	work->left = work->cost;
	if (list_empty(&channel->works))
		list_add_tail(&channel->ring, &e->ring);
	list_add_tail(&work->link, &channel->works);
	if (!e->running)
		next_turn(e, now);
}

void tgs_hw_stop(struct tgs_hw_engine *e, s64 now)
{
	if (!e->running)
		return;
	if (e->since > now)
		e->switching -= e->since - now;	/* in the middle of a switch */
	else
		worked(e, list_first_entry(&e->running->works, struct tgs_work, link), now);
	tgs_evq_clear(e->q, &e->finish);
	e->running = NULL;
}
