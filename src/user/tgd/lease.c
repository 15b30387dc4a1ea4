// SPDX-License-Identifier: GPL-2.0
/*
 * Leases: the core's bypass, given to a client for longer than one call.
 *
 * tg_gpu_may_bypass() says that a job would be let go at once, until the next event. Under a lease
 * the client launches by that answer alone, and reports later. So the daemon takes the lease back
 * before it feeds anyone else's event, or the timer's, and feeds the client's reports first: the
 * core decides as if it had been asked each time. The lessee's own events do not take the answer away
 * while its jobs in flight stay within depth. What does:
 *
 *	Its budget is used up. That takes as long as the budget is: the lease ends by then. AE
 *	charges a job beforehand what it is thought to cost: under AE, and under CBS, there is a lease
 *	only where the reserve has no limit.
 *
 *	Another client that waits for its budget gets it: the lease ends by then.
 *
 *	A job does not end. Every LOOK, if nothing was launched since the last, the lease is taken
 *	back, and the client reports ends as they happen.
 *
 * A client that launches again as soon as its job has ended asks while the device is busy with its own
 * jobs: the core would let no more go. If the core would have let its latest questions pass
 * (device.streak), and all that is in flight is its own, it gets a lease for as many jobs as it has in
 * flight.
 *
 * Called by device.c: lease_try() when all that was known has been fed, lease_look() by time; lease_end()
 * by each file that feeds an event that is not the lessee's.
 */
#include "client.h"
#include "lease.h"
#include "main.h"
#include "tgd.h"

#define LOOK	(50 * TG_MSEC)
#define SHORT	TG_MSEC		/* a lease that could be no longer is not worth it */
#define STREAK	3		/* a client that has asked so often, and nobody between */

/**
 * lease_end() - take the lease back, and feed what went under it
 * @d: the device
 */
void lease_end(struct device *d)
{
	struct client *c = d->lessee;
	u64 head;

	if (!c)
		return;
	head = tgd_set_state(c->page, TGD_ASK);
	client_drain(c, head);
	d->lessee = NULL;
	d->streak = d->asker == c ? STREAK : 0;
	if (c->leased)
		client_notice(c, TGD_NOTICE_TOLD, 0);
}

/* From now on: what the lessee publishes before the next look shows that it uses the lease. */
static void look_again(struct device *d, const struct client *lessee)
{
	d->lease_look = tg_after(now(), LOOK);
	d->lease_seen = lessee->taken;
}

/**
 * lease_look() - let the lease go on if it was used since the last look; else take it back
 * @d: the device; its lease is out, and lease_look has come
 */
void lease_look(struct device *d)
{
	struct client *c = d->lessee;

	client_drain(c, tgd_head_of(tgd_load(&c->page->word)));
	if (d->lessee && c->taken == d->lease_seen) {
		lease_end(d);
		d->streak = 0;		/* it is to ask again, and to be let go */
	}
	look_again(d, c);
}

/* How long the client may launch without being asked; 0: not at all. */
static s64 allowance(const struct device *d, const struct tg_client *client)
{
	const struct tg_reserve *r = client->reserve;
	s64 left;

	if (tg_reserve_unlimited(r))
		return TG_NEVER;
	if (r->kind != TG_PE && r->kind != TG_BG)
		return 0;
	left = r->budget;
	if (r->busy && r->busy_since != TG_NEVER)
		left -= d->core.now - r->busy_since;
	return left >= SHORT ? left : 0;
}

/**
 * lease_try() - lease to the client that asks again and again, if the core would always say yes
 * @d: the device; all known events have been fed
 */
void lease_try(struct device *d)
{
	struct client *c = d->asker;
	const struct tg_client *client;
	const struct tg_engine *engine;
	u32 more = 0, depth;
	s64 time;

	if (d->lessee || !c || !c->conn || d->streak < STREAK || c->gate != TG_GATE_ASK ||
	    !d->core.policy->may_bypass || d->core.handover)
		return;
	client = tg_gpu_client(&d->core, c->id);
	if (!client)
		return;
	while (more < TG_DEPTH_MAX && tg_gpu_may_bypass(&d->core, c->id, 1, more))
		more++;
	engine = &d->core.engine[0];
	if (!more && (!engine->inflight || engine->inflight != client->inflight || engine->queued))
		return;
	time = allowance(d, client);
	if (!time)
		return;
	depth = min(engine->inflight + more, (u32)TG_DEPTH_MAX);
	time = tg_after(d->core.now, time);
	if (rb_first_cached(&d->core.throttled))
		time = min(time, d->armed);
	if (!tgd_grant(c->page, c->taken, depth, time))
		return;
	stats[STAT_LEASES]++;
	d->lessee = c;
	d->lease_until = time;
	look_again(d, c);
}
