// SPDX-License-Identifier: GPL-2.0
/*
 * Turns: a token goes to one client at a time, each time to the client that has had the least of
 * it.
 *
 * Every client has a virtual time, which grows by what its turns take, over its weight. Clients
 * that want a turn are in one tree, by virtual time. While all keep to their slices the token goes
 * round. A turn that is overrun moves its client back by as much, so that others come before it
 * until they have had the same: NEON's overuse control, without counting the turns to be skipped.
 *
 * System time is the least virtual time of the clients that have the token or want it, and never
 * goes back. A client that comes back from having nothing to do is moved up to it: no client saves
 * up time. What it was behind when it left it is still behind, since it had waited for that: a
 * client that sends one group at a time leaves after each of them. The lag is bounded by a slice.
 * One whose jobs were throttled was behind by its reserve, and comes back with no lag; of several
 * such, the one goes first that has had the least of the reserve, though another one may have come
 * back a moment before.
 *
 * A client that comes back and is behind all others goes next: the holder yields. So a client that
 * uses less than its share waits for what is in flight, and not for a round of turns. A new one is
 * a slice ahead, so that newcomers never keep others from their turn: beside a client of a thousand
 * times the weight that is a thousand turns. So each user may have one new client now and then that
 * begins without it (begins_early()). A user or cgroup whose last process has left is a new one a
 * slice later only.
 *
 * All this is of sharers, each of them with one client unless the knob `share` says otherwise. The
 * clients of a sharer have their virtual times beside each other, in a tree of its own, in the same
 * way: the next turn is that of the first client of the first sharer. The holder yields to a client
 * of its own sharer as long as that sharer is the first.
 *
 * While its gate stands at ASK the holder has one group in flight, or as many short ones as a
 * linger may last; where there is one client only, any number. While a holder with short groups has
 * none that waits, short groups of the next client go, on GPUs with one engine: between groups of
 * 0.1 ms the engine would idle for a third of the time. With several engines, one that the
 * holder does not use in its turn, or has left idle for a linger's longest, takes the next of the
 * groups that wait; what it takes is charged to their clients.
 *
 * Policies that give out turns call it, under the GPU's lock.
 */
#include "turns.h"

/* A user whose new client has begun early rests for so many times what that took: it costs 0.1 % */
#define EARLY_REST	1000

#define FILLED	2	/* groups in flight on an engine that has no gap */
#define MEAN	4	/* a group's part in the mean length: one of so many */

static s64 slice(const struct tg_gpu *gpu)
{
	return gpu->policy_knob[TG_TURNS_SLICE] * TG_USEC;
}

static struct tg_turns_sharer *sharer(const struct tg_client *client)
{
	return tg_sharer_priv(client->sharer, struct tg_turns_sharer);
}

static bool before(struct rb_node *a, const struct rb_node *b)
{
	const struct tg_turns_sharer *one = rb_entry(a, struct tg_turns_sharer, node);
	const struct tg_turns_sharer *other = rb_entry(b, struct tg_turns_sharer, node);

	return one->vt != other->vt ? one->vt < other->vt : one->had < other->had;
}

static bool client_before(struct rb_node *a, const struct rb_node *b)
{
	return tg_turns_share(rb_entry(a, struct tg_client, node))->vt <
	       tg_turns_share(rb_entry(b, struct tg_client, node))->vt;
}

void tg_turns_init(struct tg_gpu *gpu)
{
	tg_turns(gpu)->waiting = RB_ROOT_CACHED;
}

/* What the holder's turn has taken so far, by its sharer's weight, or by its part of that. */
static s64 taken(const struct tg_gpu *gpu, const struct tg_turns *turns, u32 weight)
{
	return div64_s64(gpu->now - turns->since, weight);
}

/* Virtual time of the holder's sharer, with the turn so far. */
static s64 holder_vt(const struct tg_gpu *gpu, const struct tg_turns *turns)
{
	return sharer(turns->holder)->vt + taken(gpu, turns, turns->holder->sharer->weight);
}

/* The sharer that waits and is furthest behind, but for the holder's; NULL: no other one waits. */
static struct tg_turns_sharer *first_sharer(const struct tg_turns *turns)
{
	struct rb_node *node = rb_first_cached(&turns->waiting);

	if (node && turns->holder && node == &sharer(turns->holder)->node)
		node = rb_next(node);
	return node ? rb_entry(node, struct tg_turns_sharer, node) : NULL;
}

static struct tg_client *first_client(const struct tg_turns_sharer *own)
{
	struct rb_node *node = rb_first_cached(&own->waiting);

	return node ? rb_entry(node, struct tg_client, node) : NULL;
}

/* The least virtual time of the sharers that have the token or want it; TG_NEVER: none does. */
static s64 least(struct tg_gpu *gpu)
{
	const struct tg_turns *turns = tg_turns(gpu);
	const struct tg_turns_sharer *first = first_sharer(turns);
	s64 vt = TG_NEVER;

	if (turns->holder)
		vt = holder_vt(gpu, turns);
	if (first)
		vt = min(vt, first->vt);
	return vt;
}

static s64 system_time(struct tg_gpu *gpu)
{
	struct tg_turns *turns = tg_turns(gpu);
	s64 vt = least(gpu);

	if (vt != TG_NEVER)
		turns->vt = max(turns->vt, vt);
	return turns->vt;
}

/* The same among the clients of one sharer. */
static s64 least_client(struct tg_gpu *gpu, const struct tg_client *of)
{
	const struct tg_turns *turns = tg_turns(gpu);
	struct tg_client *first = first_client(sharer(of));
	s64 vt = TG_NEVER;

	if (turns->holder && turns->holder->sharer == of->sharer)
		vt = tg_turns_share(turns->holder)->vt +
		     taken(gpu, turns, turns->holder->weight);
	if (first)
		vt = min(vt, tg_turns_share(first)->vt);
	return vt;
}

static s64 client_time(struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_turns_sharer *own = sharer(client);
	s64 vt = least_client(gpu, client);

	if (vt != TG_NEVER)
		own->client_vt = max(own->client_vt, vt);
	return own->client_vt;
}

void tg_turns_join(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_turns_sharer *own = sharer(client);

	if (!own->known) {
		own->known = true;
		own->fresh = true;
		RB_CLEAR_NODE(&own->node);
		own->waiting = RB_ROOT_CACHED;
		own->vt = system_time(gpu) + div64_s64(slice(gpu), client->sharer->weight);
	}
	tg_turns_share(client)->vt = client_time(gpu, client) +
				     div64_s64(slice(gpu), client->weight);
	tg_turns_share(client)->deep = 1;
}

/*
 * How far the client's sharer is ahead of the others. A user or cgroup is no new one while one
 * process of it follows another: it stays for a slice.
 */
static s64 sharer_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left)
{
	const struct tg_turns *turns = tg_turns(gpu);
	s64 vt = least(gpu), mine = sharer(client)->vt, stays = 0;

	if (turns->holder && client->sharer == turns->holder->sharer)
		mine = holder_vt(gpu, turns);
	if (client->sharer->by != TG_BY_PROCESS)
		stays = tg_after(left, slice(gpu)) - gpu->now;
	return max(mine - (vt == TG_NEVER ? turns->vt : max(turns->vt, vt)), stays);
}

s64 tg_turns_ahead(struct tg_gpu *gpu, const struct tg_client *client, s64 left)
{
	const struct tg_turns *turns = tg_turns(gpu);
	s64 vt, mine = tg_client_priv(client, struct tg_turns_share)->vt;

	if (tg_sharer_single(client))
		return sharer_ahead(gpu, client, left);
	if (client == turns->holder)
		mine += taken(gpu, turns, client->weight);
	vt = least_client(gpu, client);
	/* While no client of its sharer wants a turn, there is none that it is ahead of. */
	return vt == TG_NEVER ? 0 : mine - max(sharer(client)->client_vt, vt);
}

static void insert(struct tg_turns *turns, struct tg_client *client)
{
	struct tg_turns_sharer *own = sharer(client);

	rb_add_cached(&client->node, &own->waiting, client_before);
	if (RB_EMPTY_NODE(&own->node))
		rb_add_cached(&own->node, &turns->waiting, before);
}

static void erase_sharer(struct tg_turns *turns, struct tg_turns_sharer *own)
{
	if (RB_EMPTY_NODE(&own->node))
		return;
	rb_erase_cached(&own->node, &turns->waiting);
	RB_CLEAR_NODE(&own->node);
}

static void withdraw(struct tg_turns *turns, struct tg_client *client)
{
	struct tg_turns_sharer *own = sharer(client);

	if (RB_EMPTY_NODE(&client->node))
		return;
	rb_erase_cached(&client->node, &own->waiting);
	RB_CLEAR_NODE(&client->node);
	if (!first_client(own))
		erase_sharer(turns, own);
}

/* The sharer's virtual time grows, and its place changes. */
static void charge_sharer(struct tg_turns *turns, struct tg_turns_sharer *own, s64 vt)
{
	bool waits = !RB_EMPTY_NODE(&own->node);

	erase_sharer(turns, own);
	own->vt += vt;
	if (waits)
		rb_add_cached(&own->node, &turns->waiting, before);
}

/*
 * It is the turn of a heavier one: may the new client begin without the slice that it is ahead? Its
 * user may have that once, and then not before EARLY_REST times what the first turn took, a slice
 * at least. The user has to wait, too, where TG_TURNS_EARLY others have had it.
 */
static bool begins_early(struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_turns_early *early = tg_turns(gpu)->early, *free = NULL;
	const struct tg_client *holder = tg_turns(gpu)->holder;
	u32 i;

	if (!holder || holder->sharer->weight <= client->sharer->weight)
		return false;
	for (i = 0; i < TG_TURNS_EARLY; i++, early++) {
		if (early->until <= gpu->now)
			free = early;
		else if (early->payer == client->id_data->payer)
			return false;
	}
	if (!free)
		return false;
	free->payer = client->id_data->payer;
	free->until = tg_after(gpu->now, EARLY_REST * slice(gpu));
	return true;
}

/* The client's turn is over, and its sharer pays for it. */
static void charge_turn(struct tg_gpu *gpu, const struct tg_client *client)
{
	struct tg_turns *turns = tg_turns(gpu);
	struct tg_turns_sharer *own = sharer(client);
	struct tg_turns_early *early = turns->early;
	const s64 until = tg_after(gpu->now, EARLY_REST * min(gpu->now - turns->since, TG_SEC));
	u32 i;

	charge_sharer(turns, own, taken(gpu, turns, client->sharer->weight));
	for (i = 0; own->early && i < TG_TURNS_EARLY; i++, early++)
		if (early->payer == client->id_data->payer && early->until > gpu->now)
			early->until = max(early->until, until);
	own->early = false;
}

/* @first: it goes before its equals */
static void enter(struct tg_gpu *gpu, struct tg_client *client, bool first)
{
	struct tg_turns_share *sh = tg_turns_share(client);
	struct tg_turns_sharer *own = sharer(client);
	const struct tg_turns_sharer *next;
	struct tg_turns *turns = tg_turns(gpu);
	bool behind;
	s64 vt;

	if (client == turns->holder || !RB_EMPTY_NODE(&client->node))
		return;
	vt = client_time(gpu, client) - sh->lag - first;
	sh->vt = max(sh->vt, vt);
	behind = sh->vt < least_client(gpu, client);
	if (turns->holder && client->sharer == turns->holder->sharer) {
		/* It is that sharer's turn still. */
		next = first_sharer(turns);
		turns->yields |= behind && (!next || holder_vt(gpu, turns) < next->vt);
	} else if (RB_EMPTY_NODE(&own->node)) {
		vt = system_time(gpu) - own->lag - first;
		if (own->fresh && begins_early(gpu, client)) {
			own->early = true;
			own->vt = vt;
		}
		own->fresh = false;
		own->vt = max(own->vt, vt);
		turns->yields |= turns->holder && own->vt < least(gpu);
	}
	insert(turns, client);
}

void tg_turns_enter(struct tg_gpu *gpu, struct tg_client *client)
{
	/* Else a client that was idle would come after its equal. */
	enter(gpu, client, true);
}

void tg_turns_return(struct tg_gpu *gpu, struct tg_client *client)
{
	const struct tg_client *holder = tg_turns(gpu)->holder;
	struct tg_turns_sharer *own = sharer(client);
	bool first;

	if (client != holder && RB_EMPTY_NODE(&client->node))
		tg_turns_share(client)->lag = 0;
	if (RB_EMPTY_NODE(&own->node)) {
		own->lag = 0;
		own->had = client->sharer->vt;
	}
	/* One of the same reserve that came back a moment before, and has had less, goes on. */
	first = !holder || holder->reserve != client->reserve || own->had < sharer(holder)->had;
	enter(gpu, client, first);
}

void tg_turns_drop(struct tg_gpu *gpu, struct tg_job *job)
{
	list_del_init(&job->link);
	if (list_empty(&job->client->queue))
		withdraw(tg_turns(gpu), job->client);
}

/* The linger is over, if there was one. */
static void end_linger(struct tg_gpu *gpu)
{
	struct tg_turns *turns = tg_turns(gpu);

	turns->since += tg_linger_end(gpu, &turns->linger, tg_turns_first(gpu));
}

void tg_turns_leave(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_turns *turns = tg_turns(gpu);

	withdraw(turns, client);
	if (turns->holder != client)
		return;
	/* Its sharer stays, if it has other clients. */
	end_linger(gpu);
	charge_turn(gpu, client);
	turns->holder = NULL;
	/* Then the next to come, of another user or cgroup, starts even with it. */
	if (client->sharer->by != TG_BY_PROCESS && !rb_first_cached(&turns->waiting))
		turns->vt = max(turns->vt, sharer(client)->vt);
}

struct tg_client *tg_turns_first(struct tg_gpu *gpu)
{
	const struct tg_turns *turns = tg_turns(gpu);
	const struct tg_turns_sharer *first = first_sharer(turns), *own;

	if (turns->holder) {
		own = sharer(turns->holder);
		if (first_client(own) && (!first || holder_vt(gpu, turns) < first->vt))
			first = own;
	}
	return first ? first_client(first) : NULL;
}

/* The client has used @used ns without having the token. */
static void charge(struct tg_gpu *gpu, struct tg_client *client, s64 used)
{
	bool waits = !RB_EMPTY_NODE(&client->node);
	struct tg_turns *turns = tg_turns(gpu);

	charge_sharer(turns, sharer(client), div64_s64(used, client->sharer->weight));
	if (waits)
		rb_erase_cached(&client->node, &sharer(client)->waiting);
	tg_turns_share(client)->vt += div64_s64(used, client->weight);
	if (waits)
		rb_add_cached(&client->node, &sharer(client)->waiting, client_before);
}

void tg_turns_begin(struct tg_gpu *gpu, struct tg_client *client)
{
	struct tg_turns *turns = tg_turns(gpu);

	withdraw(turns, client);
	turns->holder = client;
	turns->since = gpu->now;
	turns->yields = false;
	turns->ending = false;
	turns->shared = false;
	turns->uses = 0;
	turns->opened = 0;
	turns->vt = max(turns->vt, sharer(client)->vt);
	sharer(client)->client_vt = max(sharer(client)->client_vt, tg_turns_share(client)->vt);
	sharer(client)->lag = 0;
	tg_turns_share(client)->lag = 0;
	tg_turns_share(client)->kept = false;
}

static bool has_groups(const struct tg_client *client)
{
	return client->inflight || !list_empty(&client->queue);
}

static s64 slice_ends(struct tg_gpu *gpu)
{
	return tg_after(tg_turns(gpu)->since, slice(gpu));
}

bool tg_turns_over(struct tg_gpu *gpu)
{
	const struct tg_turns *turns = tg_turns(gpu);

	/* An open gate is shut at once only with a host that answers WATCH. */
	return gpu->now >= slice_ends(gpu) ||
	       (turns->yields && (turns->holder->gate != TG_GATE_OPEN || turns->watched));
}

bool tg_turns_ended(struct tg_gpu *gpu)
{
	struct tg_turns *turns = tg_turns(gpu);
	struct tg_gap *gap = &tg_turns_share(turns->holder)->gap;

	if (has_groups(turns->holder)) {
		end_linger(gpu);
		if (!tg_turns_over(gpu))
			return false;
		if (!turns->holder->inflight || !tg_turns_first(gpu))
			return true;
		if (!turns->ending)
			tg_yield(gpu, turns->holder);
		turns->ending = true;
		return false;
	}
	tg_gap_begin(gpu, gap);
	return tg_turns_over(gpu) ||
	       !tg_linger(gpu, &turns->linger, gap, tg_turns_linger(gpu));
}

/* How far the first of those that wait is ahead of one that has nothing to do: a turn at most. */
static s64 lag(const struct tg_gpu *gpu, s64 first, s64 vt, u32 weight)
{
	return min(max(first - vt, (s64)0), div64_s64(slice(gpu), weight));
}

void tg_turns_end(struct tg_gpu *gpu, bool again)
{
	struct tg_turns *turns = tg_turns(gpu);
	struct tg_client *client = turns->holder, *next;
	struct tg_turns_share *sh = tg_turns_share(client);
	struct tg_turns_sharer *own = sharer(client), *first;

	end_linger(gpu);
	charge_turn(gpu, client);
	sh->vt += taken(gpu, turns, client->weight);
	sh->deep -= sh->deep && !sh->kept;
	next = first_client(own);
	first = first_sharer(turns);
	turns->holder = NULL;
	if (again)
		insert(turns, client);
	else if (next)
		sh->lag = lag(gpu, tg_turns_share(next)->vt, sh->vt, client->weight);
	else
		/* The next to come starts even with this one. */
		own->client_vt = max(own->client_vt, sh->vt);
	if (first_client(own))
		return;
	if (first)
		own->lag = lag(gpu, first->vt, own->vt, client->sharer->weight);
	else
		turns->vt = max(turns->vt, own->vt);
}

void tg_turns_done(struct tg_gpu *gpu, struct tg_job *job, s64 used)
{
	struct tg_client *client = job->client;
	struct tg_turns_share *sh = tg_turns_share(client);
	struct tg_turns *turns = tg_turns(gpu);

	tg_linger_earn(&turns->linger, used);
	sh->length += div64_s64(min(used, TG_SEC) - (s64)sh->length, sh->length ? MEAN : 1);
	if (client != turns->holder) {
		charge(gpu, client, used);
		/* It has filled a gap: that is not of the holder's turn. */
		if (gpu->nr_engines == 1)
			turns->since = min(turns->since + used, gpu->now);
	}
	if (!has_groups(client))
		tg_gap_begin(gpu, &sh->gap);
}

void tg_turns_held(struct tg_gpu *gpu, struct tg_job *job, s64 held)
{
	/* The holder pays for all of its turn anyway. */
	if (job->client != tg_turns(gpu)->holder && tg_gpu_waits(gpu))
		charge(gpu, job->client, held);
}

/* May one more of the holder's groups go, beside those that it has in flight? */
static bool may_follow(const struct tg_gpu *gpu, struct tg_client *holder)
{
	const s64 length = tg_turns_share(holder)->length;

	return !holder->inflight || tg_gpu_alone(gpu) ||
	       (length && length * holder->inflight <= tg_turns_linger(gpu));
}

/* Take the client's first job for @engine. */
static struct tg_job *take(struct tg_gpu *gpu, struct tg_client *client,
			   const struct tg_engine *engine)
{
	struct tg_job *job;

	list_for_each_entry(job, &client->queue, link)
		if (job->engines & 1 << engine->index) {
			tg_turns_drop(gpu, job);
			return job;
		}
	return NULL;
}

/* Take the first job for @engine of the sharer's clients that wait. */
static struct tg_job *take_of(struct tg_gpu *gpu, const struct tg_turns_sharer *own,
			      const struct tg_engine *engine)
{
	struct rb_node *node;
	struct tg_job *job;

	for (node = rb_first_cached(&own->waiting); node; node = rb_next(node)) {
		job = take(gpu, rb_entry(node, struct tg_client, node), engine);
		if (job)
			return job;
	}
	return NULL;
}

static s64 idle_until(const struct tg_gpu *gpu, const struct tg_engine *engine)
{
	return tg_after(engine->idle_since, tg_turns_linger(gpu));
}

/* Does the engine idle in the holder's turn, so that other clients may have it? */
static bool spare(struct tg_gpu *gpu, const struct tg_engine *engine)
{
	struct tg_turns *turns = tg_turns(gpu);

	if (engine->inflight || gpu->nr_engines == 1)
		return false;
	if (idle_until(gpu, engine) <= gpu->now)
		turns->uses &= ~(1 << engine->index);
	return tg_turns_over(gpu) || !(turns->uses & 1 << engine->index);
}

/* Are the client's groups so short that two of them last for a linger at most? */
static bool is_short(const struct tg_gpu *gpu, struct tg_client *client)
{
	const s64 length = tg_turns_share(client)->length;

	/* How long one lasts that ends when it is told to tells nothing. */
	return length && FILLED * length <= tg_turns_linger(gpu) && !client->yields;
}

/* How far the client, or its sharer, is ahead of the holder: GPU time, ns. */
static s64 ahead_of_holder(struct tg_gpu *gpu, struct tg_client *client)
{
	const struct tg_turns *turns = tg_turns(gpu);
	struct tg_client *holder = turns->holder;
	s64 vt;

	if (client->sharer != holder->sharer)
		return (sharer(client)->vt - holder_vt(gpu, turns)) * client->sharer->weight;
	vt = tg_turns_share(holder)->vt + taken(gpu, turns, holder->weight);
	return (tg_turns_share(client)->vt - vt) * client->weight;
}

/*
 * The holder has short groups, and none that waits: until its next one the engine would idle, for
 * as long as a group lasts. Short groups of the next client fill that, and are charged to it. It
 * may get ahead of the holder by a slice, as by a turn of its own.
 */
static struct tg_job *fill(struct tg_gpu *gpu, const struct tg_engine *engine)
{
	struct tg_client *holder = tg_turns(gpu)->holder, *next = tg_turns_first(gpu);

	if (!next || gpu->nr_engines > 1 || tg_turns_over(gpu) || engine->inflight >= FILLED ||
	    !list_empty(&holder->queue) || !is_short(gpu, holder) || !is_short(gpu, next) ||
	    ahead_of_holder(gpu, next) >= slice(gpu))
		return NULL;
	return take(gpu, next, engine);
}

struct tg_job *tg_turns_pick(struct tg_gpu *gpu, struct tg_engine *engine)
{
	struct tg_client *holder = tg_turns(gpu)->holder;
	struct tg_job *job = NULL;
	struct rb_node *node;

	/* What has gone through its gate, if that was open, is awaited. */
	if (!holder || holder->gate == TG_GATE_OPEN || holder->syncing)
		return NULL;
	if (!tg_turns_over(gpu) && may_follow(gpu, holder))
		job = take(gpu, holder, engine);
	if (job)
		tg_turns(gpu)->uses |= job->engines;
	else
		job = fill(gpu, engine);
	if (job || !spare(gpu, engine))
		return job;
	for (node = rb_first_cached(&tg_turns(gpu)->waiting); node; node = rb_next(node)) {
		job = take_of(gpu, rb_entry(node, struct tg_turns_sharer, node), engine);
		if (job)
			return job;
	}
	return take(gpu, holder, engine);
}

s64 tg_turns_wake(struct tg_gpu *gpu)
{
	struct tg_turns *turns = tg_turns(gpu);
	s64 wake = turns->linger.since ? turns->linger.until : TG_NEVER;
	u32 i;

	for (i = 0; gpu->nr_engines > 1 && i < gpu->nr_engines; i++)
		if (turns->uses & 1 << i)
			wake = min(wake, idle_until(gpu, &gpu->engine[i]));
	if (turns->holder && gpu->now < slice_ends(gpu))
		wake = min(wake, slice_ends(gpu));
	return wake;
}
