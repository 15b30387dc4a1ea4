// SPDX-License-Identifier: GPL-2.0
/*
 * dfq: an engine's season.
 *
 *	barrier		all gates are held
 *	draining	what went through them ends; a client whose jobs do not end is cut at the
 *			deadline, blamed, and held until they do
 *	sampling	each active client runs alone for sample_us, or until it has done so many
 *			requests or has nothing left, with its gate at ASK and two requests of each
 *			channel in flight; these are awaited
 *	free-run	all gates open except those of clients that are ahead, or probed
 *			(dfq_ask.c), for free_run times as long as the sampling took (a client
 *			that is held back counts with its sample_us, and all together with 40 of
 *			them at most, or shares would take minutes to be even among many
 *			clients); it ends early when the engine idles beside clients that wait
 *
 * All clients are those of this engine. One that asks (dfq_ask.c) is neither held nor sampled: its
 * jobs go in the free-run only. At the barrier a client that uses this engine alone ceases to ask.
 *
 * A client has nothing left after a linger (struct tg_linger), in its sample and in a free-run. In
 * a free-run the host tells when nothing is in flight behind the open gates, while a client waits
 * that is held back (struct tg_quiet). Where none but such clients have work after draining, the
 * one that is least ahead gets one group, by ASK, and the others another free-run.
 *
 * Where no job waits after draining, no client is active: gates stay held until one submits.
 *
 * A free-run ends with its draining. What clients have in flight at the barrier beyond a round of
 * the hardware is their own, and not of the time that all of them share.
 *
 * Between these it walks over all clients, some with each event (tg_walk()): to hold their gates,
 * to choose those to be sampled, to add up and to charge what was sampled, and to open gates. There
 * is one walk at a time: another engine's season waits for its end.
 */
#include "dfq.h"

void tg_dfq_release(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);

	if (st->all_ask) {
		tg_dfq_ask(gpu, client);
		tg_gate(gpu, client, TG_GATE_ASK);
		return;
	}
	if (sh->probe.most && gpu->policy_knob[TG_DFQ_HOLD]) {
		sh->narrow = true;
		sh->active = 0;
		tg_gate(gpu, client, TG_GATE_ASK);
		return;
	}
	st->opened += client->gate != TG_GATE_OPEN;
	tg_gate(gpu, client, TG_GATE_OPEN);
}

/* tg_dfq_turn() of the client's latest sample. */
static s64 turn_before(struct tg_client *client)
{
	const struct tg_dfq_share *sh = tg_dfq_share(client);

	return sh->requests ? tg_dfq_turn(client) : sh->used;
}

/*
 * The client is drained, or leaves. Since the barrier the hardware has served all clients for a
 * round, as the end of a free-run that all of them share, and then those that had more in flight:
 * each in proportion to its turn, until it was drained.
 */
static void end_drain(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	const s64 turn = turn_before(client);
	const s64 since = max(gpu->now - st->seen - st->drained, (s64)0);
	s64 took;

	if (since > st->round && st->left > 0)
		st->rounds += tg_dfq_part(since - st->round, st->left);
	st->round = max(st->round - since, (s64)0);
	took = tg_dfq_of_part(turn, st->rounds);
	tg_dfq_share(client)->held += took;
	tg_charge(gpu, client, took);
	st->tail += took;
	st->left -= turn;
	st->drained = gpu->now - st->seen;
}

/* The client is awaited no more. */
static void drained(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);

	if (!sh->awaited)
		return;
	sh->awaited = false;
	st->awaited--;
	end_drain(gpu, st, client);
}

/* Is the client being drained, with its gate at ASK until the barrier? Its jobs tell when. */
static bool drains_narrow(const struct tg_dfq_season *st, struct tg_client *client)
{
	const struct tg_dfq_share *sh = tg_dfq_share(client);

	return sh->narrow && !sh->awaited && !sh->stuck && client->gate == TG_GATE_HOLD &&
	       (st->phase == HOLDING || st->phase == DRAINING);
}

void tg_dfq_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);
	struct tg_dfq_season *st;

	list_del_init(&client->queue);
	if (sh->asks || !sh->engines)
		return;
	st = tg_dfq_of(gpu, client);
	st->opened -= client->gate == TG_GATE_OPEN;
	drained(gpu, st, client);
	if (drains_narrow(st, client) && client->inflight)
		end_drain(gpu, st, client);
	if (st->turn == client)
		st->turn = NULL;
	if (st->first == client)
		st->first = NULL;
}

/* Samples tell what it takes: the core has booked this job, too. */
void tg_dfq_narrow_done(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_job *job,
			s64 used)
{
	struct tg_client *client = job->client;

	tg_unbook(gpu, job, used);
	tg_probe_done(&tg_dfq_share(client)->probe);
	if (!client->inflight && drains_narrow(st, client))
		end_drain(gpu, st, client);
}

void tg_dfq_idle(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);
	struct tg_dfq_season *st;

	if (!sh->asks) {
		st = tg_dfq_of(gpu, client);
		/* Alone it keeps nobody waiting. */
		if (sh->awaited && gpu->now - st->until > st->length &&
		    st->sum > tg_dfq_turn(client))
			tg_probe_deep(&sh->probe);
		drained(gpu, st, client);
	}
	sh->stuck = client->cut;
	if (sh->stuck)
		tg_sync(gpu, client);
}

static bool waits(const struct tg_gpu *gpu, const struct tg_dfq_season *st)
{
	return gpu->engine[st->engine].queued;
}

bool tg_dfq_others_wait(const struct tg_gpu *gpu, const struct tg_dfq_season *st)
{
	return gpu->engine[st->engine].queued > st->mine;
}

void tg_dfq_pass_by(struct tg_gpu *gpu, struct tg_client *client)
{
	const struct tg_dfq_share *sh = tg_dfq_share(client);
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		if (sh->engines == 1 << i)
			tg_dfq(gpu)->season[i].stuck += client->inflight;
}

static void begin_drain(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	st->stuck = 0;
	st->left = 0;
	st->round = 0;
	st->tail = 0;
	st->rounds = 0;
	st->drained = gpu->now - st->seen;
}

/* HOLDING: hold the gate. */
static void hold(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_level *own = tg_dfq_level(st, client);
	struct tg_dfq_share *sh = tg_dfq_share(client);
	s64 turn;

	/* A channel has left since the barrier before this one. */
	if (own->left != client->sharer->left)
		st->churn = TG_DFQ_CHURN;
	own->left = client->sharer->left;
	sh->stuck = sh->stuck && (client->inflight || client->syncing);
	if (sh->stuck)
		tg_dfq_pass_by(gpu, client);
	if (sh->asks) {
		tg_dfq_settle(gpu, st, client);
		if (!sh->asks)
			tg_gate(gpu, client, TG_GATE_HOLD);
		return;
	}
	/* A free-run after a sampling without the client was too short to tell. */
	if (sh->narrow && sh->requests)
		tg_probe_judge(&sh->probe, client);
	sh->probe.done = 0;
	client->sent = sh->narrow && sh->active;
	st->opened -= client->gate == TG_GATE_OPEN;
	tg_gate(gpu, client, TG_GATE_HOLD);
	if (sh->stuck || !(client->opened || client->inflight))
		return;
	turn = turn_before(client);
	st->left += turn;
	st->round += turn;
	if (client->opened) {
		sh->awaited = true;
		st->awaited++;
		tg_sync(gpu, client);
	}
}

/* CHOOSING: a client that ran or wants to run is sampled, unless it is held back. */
static void choose(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);
	bool active = (tg_client_waits(client) || client->sent) && !sh->stuck;

	if (sh->asks)
		return;
	sh->narrow = false;
	sh->used = turn_before(client);
	sh->requests = 0;
	sh->channels = 0;
	if (active && sh->ahead)
		st->skipped += gpu->policy_knob[TG_DFQ_SAMPLE] * TG_USEC;
	else if (active)
		list_move_tail(&client->queue, &st->turns);
}

static void begin_choosing(struct tg_gpu *gpu, struct tg_dfq_season *st, s64 ran)
{
	st->ran = max(ran - st->seen, (s64)0);
	st->since = gpu->now;
	st->skipped = 0;
	st->filling = false;
	st->phase = CHOOSING;
}

static void begin_turn(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	st->turn = client;
	st->mark++;
	st->until = tg_after(gpu->now, gpu->policy_knob[TG_DFQ_SAMPLE] * TG_USEC);
	/* A client whose gaps were too long is tried again at times: each linger in vain costs. */
	st->gap = (struct tg_gap){ .mean = div64_s64(tg_dfq_share(client)->gap * 15LL, 16) };
	tg_gate(gpu, client, TG_GATE_ASK);
}

/* Sample the next client. Return: false: there is none. */
static bool next_turn(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	struct tg_client *client = list_first_entry_or_null(&st->turns, struct tg_client, queue);

	st->turn = NULL;
	if (!client)
		return false;
	list_del_init(&client->queue);
	begin_turn(gpu, st, client);
	return true;
}

/* Does the client whose turn it is have nothing left, and is its next request not about to come? */
static bool has_ended(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	bool over = false;

	if (st->turn->inflight || tg_client_waits(st->turn)) {
		tg_linger_end(gpu, &st->quiet.linger, tg_dfq_others_wait(gpu, st));
		tg_gap_end(gpu, &st->gap);
	} else {
		tg_gap_begin(gpu, &st->gap);
		over = !tg_linger(gpu, &st->quiet.linger, &st->gap, tg_dfq_linger(gpu));
	}
	/* The turn ends with the linger. Nobody sees how long the gap is: it counts as long. */
	if (over && tg_linger_end(gpu, &st->quiet.linger, tg_dfq_others_wait(gpu, st)))
		tg_gap_add(&st->gap, TG_DFQ_LONG);
	tg_dfq_share(st->turn)->gap = min(st->gap.mean, TG_DFQ_GAP);
	return over;
}

/* Is the client's turn over, including what it has submitted in it? */
static bool turn_over(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	/* One that asks from now on (dfq_ask.c) may have left something in flight. */
	if (!st->turn)
		return gpu->nr_engines == 1 || !gpu->engine[st->engine].inflight;
	if (st->turn->gate != TG_GATE_HOLD &&
	    (gpu->now >= st->until || has_ended(gpu, st) ||
	     (st->filling && st->turn->inflight) ||
	     tg_dfq_share(st->turn)->requests >= gpu->policy_knob[TG_DFQ_REQUESTS])) {
		tg_linger_end(gpu, &st->quiet.linger, tg_dfq_others_wait(gpu, st));
		if (!st->mine)
			tg_probe_short(&tg_dfq_share(st->turn)->probe);
		tg_gate(gpu, st->turn, TG_GATE_HOLD);
	}
	return st->turn->gate == TG_GATE_HOLD &&
	       (!st->turn->inflight || tg_dfq_share(st->turn)->stuck);
}

/* LOOKING: does one wait that is held back? */
static void look(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);

	tg_dfq_bring_up(gpu, st, client);
	if (sh->ahead & tg_dfq_bit(st) && !sh->stuck)
		st->held |= sh->asks ? sh->active & tg_dfq_bit(st) : tg_client_waits(client);
}

/* OPENING: the client runs, unless it or its sharer is ahead. */
static void let_run(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	struct tg_dfq_share *sh = tg_dfq_share(client);

	if (sh->asks)
		sh->active &= ~tg_dfq_bit(st);
	else if (!sh->ahead && !sh->stuck)
		tg_dfq_release(gpu, st, client);
}

bool tg_dfq_others_rest(struct tg_gpu *gpu, const struct tg_dfq_season *st)
{
	u32 i;

	for (i = 0; i < gpu->nr_engines; i++)
		if (i != st->engine && tg_dfq(gpu)->season[i].phase != WAITING)
			return false;
	return true;
}

/*
 * All are charged: let the clients run that are not ahead of the active ones; if none is active,
 * wait for a submission. Return: false: wait.
 */
static bool decide(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	const s64 sample = gpu->policy_knob[TG_DFQ_SAMPLE] * TG_USEC;
	s64 season = max(gpu->now - st->since + st->skipped, sample);

	tg_quiet_earn(&st->quiet, st->ran + st->tail);
	if (st->least == TG_NEVER && !waits(gpu, st)) {
		st->phase = WAITING;
		return false;
	}
	/* None but clients held back have work: one gets a group, the others another chance. */
	if (!st->sum && !st->seen && st->first && !st->filling) {
		st->filling = true;
		st->ran = 0;
		st->tail = 0;
		begin_turn(gpu, st, st->first);
		st->phase = SAMPLING;
		return true;
	}
	if (st->least != TG_NEVER)
		st->vt = st->least;
	/* Where no client was sampled, the sampling before tells how long it takes. */
	if ((st->sum && !st->filling) || !st->length)
		st->length = min(season, TG_DFQ_SAMPLES * sample) *
			     gpu->policy_knob[TG_DFQ_FREE_RUN];
	st->since = gpu->now;
	st->until = tg_after(gpu->now, st->length);
	st->seen = 0;
	st->held = false;
	st->phase = LOOKING;
	return true;
}

static bool is_of(struct tg_gpu *gpu, struct tg_dfq_season *st, struct tg_client *client)
{
	const struct tg_dfq_share *sh = tg_dfq_share(client);

	if (!sh->asks && !sh->engines)
		tg_dfq_meet(gpu, client, st->phase == OPENING);
	return sh->engines & tg_dfq_bit(st);
}

/* Go on with a walk over the clients of @st. Return: it has come to all. */
static bool walk(struct tg_gpu *gpu, struct tg_dfq_season *st,
		 void (*visit)(struct tg_gpu *, struct tg_dfq_season *, struct tg_client *))
{
	struct tg_dfq *d = tg_dfq(gpu);
	struct tg_client *client;

	if (d->walker && d->walker != st)
		return false;
	if (!d->walker)
		tg_walk(gpu);
	d->walker = st;
	while ((client = tg_walk_next(gpu)))
		if (is_of(gpu, st, client))
			visit(gpu, st, client);
	if (gpu->walking)
		return false;
	d->walker = NULL;
	return true;
}

/* Do all clients that may run have nothing to do, or have they left, while others wait? */
static bool idles(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	if (st->opened && tg_dfq_others_rest(gpu, st))
		return tg_quiet_for_long(gpu, &st->quiet, tg_dfq_linger(gpu));
	return tg_dfq_idles(gpu, st);
}

static void begin_adding(struct tg_dfq_season *st)
{
	st->sum = 0;
	st->nr++;
	st->lightest = TG_NEVER;
	st->least = TG_NEVER;
	st->first = NULL;
	st->phase = ADDING;
}

/*
 * The free-run begins. The next step comes at once if it has the host watch the open gates, or if
 * clients that are held wait: they feed no event, and where no other client has work the free-run
 * is to end. The next one may be the same, since what waits may need another engine; so clients
 * that are held have a step at once only if time has passed since the last free-run began.
 *
 * Return: true: step again.
 */
static bool looks_now(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	const bool again = st->opened || (st->held && st->looked != gpu->now);

	st->looked = gpu->now;
	return again;
}

/* The walk of the phase has come to all clients. Return: true: step again. */
static bool walked(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	switch (st->phase) {
	case HOLDING:
		st->phase = DRAINING;
		return true;
	case CHOOSING:
		st->phase = SAMPLING;
		return true;
	case ADDING:
		st->phase = CHARGING;
		return true;
	case CHARGING:
		if (gpu->share_by == TG_BY_PROCESS)	/* tg_dfq_charge() has found it */
			return decide(gpu, st);
		st->phase = FINDING;
		return true;
	case FINDING:
		return decide(gpu, st);
	case LOOKING:
		/* Beside another engine the host cannot tell that this one idles: then, too. */
		st->all_ask = st->churn || (st->held && !tg_dfq_others_rest(gpu, st));
		st->phase = OPENING;
		return true;
	default:
		st->phase = FREE_RUN;
		return looks_now(gpu, st);
	}
}

bool tg_dfq_step(struct tg_gpu *gpu, struct tg_dfq_season *st)
{
	static void (*const visit[])(struct tg_gpu *, struct tg_dfq_season *,
				     struct tg_client *) = {
		[HOLDING] = hold, [CHOOSING] = choose, [ADDING] = tg_dfq_add,
		[CHARGING] = tg_dfq_charge, [FINDING] = tg_dfq_find, [LOOKING] = look,
		[OPENING] = let_run,
	};

	switch (st->phase) {
	case WAITING:
		if (!waits(gpu, st))
			return false;
		st->tail = 0;
		st->seen = 0;
		begin_choosing(gpu, st, 0);
		return true;
	case FREE_RUN:
		if (gpu->now < st->until && !idles(gpu, st))
			return false;
		tg_quiet_forget(gpu, &st->quiet);
		st->until = gpu->now;
		begin_drain(gpu, st);
		st->churn -= !!st->churn;
		st->phase = HOLDING;
		return true;
	case DRAINING:
		if (st->awaited || gpu->engine[st->engine].inflight > st->stuck)
			return false;
		begin_choosing(gpu, st, min(gpu->now - st->since - st->tail, TG_DFQ_LONG));
		return true;
	case SAMPLING:
		if (!turn_over(gpu, st))
			return false;
		if (!next_turn(gpu, st))
			begin_adding(st);
		return true;
	default:
		return walk(gpu, st, visit[st->phase]) && walked(gpu, st);
	}
}
