// SPDX-License-Identifier: GPL-2.0
/*
 * dfq: clients that ask. Their gates stand at ASK in free-runs, too.
 *
 * What a process has sent through an open gate stays on the hardware when the process has gone, and
 * runs beside what the next one sends, on a channel of its own. Samples show nothing of it: a user
 * with processes that come and go would have most of the GPU. So when a channel has left during a
 * season, all clients of the engine ask in the next TG_DFQ_CHURN free-runs. Two jobs of each
 * channel are in flight then, and the policy sees how long each one takes. All ask, not only those
 * of that user: between two jobs that the policy sees, the engine may have worked for one that it
 * does not see.
 *
 * The other reasons are of GPUs with several engines. A gate is of a client, and a season of an
 * engine. So the gate of a client that uses two engines can be open in the free-run of neither: the
 * other engine's barrier would stop both. And the host cannot tell which engine idles behind open
 * gates (tg_watch()). Such a client asks: its gate stands at ASK, its jobs for an engine go while
 * that has its free-run, two of each channel at a time, unless the client is held back there. What
 * they take is known when they end. These ask:
 *	- a client that comes during a season, until the next barrier of the engine that it
 *	  uses: before its first jobs nobody knows which one that is
 *	- a client that uses several engines, until it has used one of them alone for a season. It
 *	  is seen to when it is sampled
 *	- all clients of an engine where one waits that is held back, for one free-run: when they
 *	  have nothing left, the engine lingers (struct tg_linger), and the free-run ends
 *
 * A list has the first job that waits of each of their channels. A job that may not go now goes to
 * its end when it has been looked at, so that each one is looked at in its turn, however many wait.
 * A few go with each event.
 *
 * A client whose queue is deep, or not known yet, is probed (struct tg_probe): its gate stands at
 * ASK in free-runs, and a few jobs of each of its channels are in flight. All else is as if its
 * gate were open: it is sampled, its part of the free-run is estimated by that, and the gates of
 * other clients are open beside it. A client is probed from when it comes. Its queue is short if
 * no job waits at the end of a sample or of a free-run, and deep if what went through its open
 * gate took longer to end than the free-run lasts.
 */
#include "dfq.h"
#include "follow.h"

/* It asks no more: it is of the season @st alone. */
static void ask_no_more(struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);
	const s64 vt = sh->vts[st->engine];

	sh->asks = false;
	sh->vt = vt;
	sh->used = 0;
	sh->held = 0;
	sh->requests = 0;
	sh->channels = 0;
	sh->ahead &= tg_dfq_bit(st);
}

void tg_dfq_ask(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);
	struct tg_dfq_season *st = tg_dfq_of(gpu, client);
	const s64 vt = sh->vt, used = sh->held;

	memset(sh->vts, 0, sizeof(sh->vts));
	sh->vts[st->engine] = vt;
	sh->asks = true;
	sh->narrow = false;
	sh->active = 0;
	tg_dfq_charge_now(st, client, used);
}

/* Its sample is over before its time: it has a job for another engine. */
static void leave_turn(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_dfq_season *st = tg_dfq_of(gpu, client);
	struct tg_dfq_share *sh = tg_dfq_share(client);
	struct tg_job *job;

	if (sh->requests)
		sh->held += sh->used;
	tg_linger_end(gpu, &st->quiet.linger, tg_dfq_others_wait(gpu, st));
	while ((job = tg_first_job(client))) {
		list_del_init(&job->link);
		tg_heads_add(&st->asked, job);
	}
	st->mine = 0;
	st->turn = NULL;
}

/* The client uses these engines. */
static void uses(struct tg_gpu *gpu, struct tg_client *client, u32 engines)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);
	u32 new = engines & ~sh->engines;

	if (new && !sh->asks) {
		if (tg_dfq_of(gpu, client)->turn == client)
			leave_turn(gpu, client);
		tg_dfq_ask(gpu, client);
	}
	for (; new; new &= new - 1)
		tg_dfq_comes(gpu, &tg_dfq(gpu)->season[__builtin_ctz(new)], client);
	sh->active |= engines;
}

void tg_dfq_meet(struct tg_gpu *gpu, struct tg_client *client, bool opening)
{
	u32 engines = tg_client_waits(client) ? client->channels->engines : 0;
	struct tg_dfq_season *st = &tg_dfq(gpu)->season[engines ? __builtin_ctz(engines) : 0];

	if (engines == tg_dfq_bit(st)) {
		tg_dfq_comes(gpu, st, client);
	} else if (engines || opening) {
		tg_dfq_share(client)->asks = true;
		tg_gate(gpu, client, TG_GATE_ASK);
	}
}

void tg_dfq_queue_asked(struct tg_gpu *gpu, struct tg_job *job)
{
	uses(gpu, job->client, job->engines);
	tg_heads_add(&tg_dfq_asked(gpu, job)->asked, job);
}

void tg_dfq_settle(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	const struct tg_dfq *d = tg_dfq(gpu);
	struct tg_dfq_share *sh = tg_dfq_share(client);
	u32 kept = sh->active, i;

	for (i = 0; i < gpu->nr_engines; i++)
		if (i != st->engine && d->season[i].phase != WAITING)
			kept |= 1 << i;
	sh->engines &= kept | tg_dfq_bit(st);
	if (sh->engines != tg_dfq_bit(st)) {
		sh->engines &= kept;
		return;
	}
	client->sent = sh->active & tg_dfq_bit(st) ? 1 : 0;
	ask_no_more(st, client);
}

/* May it go on all engines that it needs? */
static bool may_go(struct tg_gpu *gpu, struct tg_job *job)
{
	const struct tg_dfq_share *sh = tg_dfq_share(job->client);
	u32 engines = job->engines;

	if (sh->ahead & engines || sh->stuck)
		return false;
	for (; engines && !sh->narrow; engines &= engines - 1)
		if (tg_dfq(gpu)->season[__builtin_ctz(engines)].phase != FREE_RUN)
			return false;
	return tg_follows(job, sh->narrow ? sh->probe.most : 2, TG_DFQ_LOOKS);
}

struct tg_job *tg_dfq_pick_asked(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	struct tg_job *job;
	u32 looks;

	/* As with gates that open, the others follow in events of their own. */
	if (st->picked == TG_DFQ_PICKS) {
		tg_wake_by(gpu, tg_after(gpu->now, TG_DFQ_PAUSE));
		return NULL;
	}
	for (looks = 0; looks < TG_DFQ_LOOKS && !list_empty(&st->asked); looks++) {
		job = list_first_entry(&st->asked, struct tg_job, link);
		uses(gpu, job->client, job->engines);
		if (may_go(gpu, job))
			return job;
		list_move_tail(&job->link, &st->asked);
	}
	return NULL;
}

bool tg_dfq_idles(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	const struct tg_engine *engine = &gpu->engine[st->engine];

	if (!engine->queued || st->opened) {
		tg_quiet_forget(gpu, &st->quiet);
		return false;
	}
	if (engine->inflight || tg_dfq_pick_asked(gpu, st)) {
		tg_linger_end(gpu, &st->quiet.linger, true);
		tg_gap_end(gpu, &st->quiet.gap);
		return false;
	}
	tg_gap_begin(gpu, &st->quiet.gap);
	return !st->seen || !tg_linger(gpu, &st->quiet.linger, &st->quiet.gap, tg_dfq_linger(gpu));
}
