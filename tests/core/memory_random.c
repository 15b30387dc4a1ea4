// SPDX-License-Identifier: GPL-2.0
/*
 * The books of memory, at random. memory_test.c has examples.
 *
 * Processes come, ask, free, give up, are killed and hang, under every order, with virtual GPUs and
 * without. The test keeps books of its own and compares after each event:
 *
 * - no more is granted than there is, or than a virtual GPU's share;
 * - an event answers at most one request beside its own;
 * - no request waits beyond its timeout;
 * - a process that is refused for a deadlock was in one; if all processes that hold memory and wait
 *   are in one, it does not stay;
 * - no request waits while all that is held is held by processes that wait;
 * - where no process asks for more while it holds some, none is refused;
 * - in the end nothing is left.
 */
#include <stdlib.h>
#include <tg/policy.h>
#include "../lib/test.h"
#include "start.h"

#define PROCESSES	12
#define THREADS		3
#define SIZE		100
#define ANSWER		(20 * TG_USEC)	/* from one answer to the next */
#define PARTS		3	/* the rest, and two virtual GPUs */

static const char shares[] = "[vgpu v]:1:1:50\n[vgpu w]:1:1:30\nv:prt:bg:0:0:0:vgpu=v\n"
			     "w:prt:bg:0:0:0:vgpu=w\n";
static const struct tg_identity ids[PARTS] = { { .comm = "-" }, { .comm = "v" }, { .comm = "w" } };

enum state { WORKS, WAITS };

struct thread {
	u64 id;
	u64 bytes;
	s64 since;
	enum state state;
};

/* One process: its account, its client's number too, and what it believes to have. */
struct process {
	u32 account, part;
	u64 used;
	struct thread thread[THREADS];
};

struct world {
	struct tg_gpu gpu;
	struct tg_actions actions;
	struct process process[PROCESSES];
	u64 rng, asks, granted, refused, waited, deadlocks, late, used, asking;
	u32 answers;		/* of the event being fed, beside its own */
	u64 size[PARTS], held[PARTS];
	struct tg_spec spec;
	s64 armed, timeout, longest;
	u32 accounts;
	bool tame;		/* one request at a time, none while it holds some */
	const char *wrong;
};

static u32 below(struct world *w, u32 n)
{
	w->rng = w->rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (w->rng >> 33) % n;
}

static bool waits(const struct process *p)
{
	u32 i;

	for (i = 0; i < THREADS; i++)
		if (p->thread[i].state == WAITS)
			return true;
	return false;
}

/* Do processes wait for each other? Found in another way than the core's: who ends is left out. */
static bool deadlocked_in(const struct world *w, u32 part)
{
	bool ended[PROCESSES], moved = true;
	u64 free, need;
	u32 i, j;

	for (i = 0; i < PROCESSES; i++)
		ended[i] = w->process[i].part != part;
	while (moved) {
		moved = false;
		free = w->size[part];
		for (i = 0; i < PROCESSES; i++)
			free -= ended[i] ? 0 : w->process[i].used;
		for (i = 0; i < PROCESSES; i++) {
			need = 0;
			for (j = 0; j < THREADS; j++)
				if (w->process[i].thread[j].state == WAITS)
					need += w->process[i].thread[j].bytes;
			if (!ended[i] && need <= free)
				moved = ended[i] = true;
		}
	}
	for (i = 0; i < PROCESSES; i++)
		if (!ended[i] && w->process[i].used)
			return true;
	return false;
}

static bool deadlocked(const struct world *w)
{
	u32 part;

	for (part = 0; part < PARTS; part++)
		if (deadlocked_in(w, part))
			return true;
	return false;
}

static u64 wanted(const struct process *p)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < THREADS; i++)
		bytes += p->thread[i].state == WAITS ? p->thread[i].bytes : 0;
	return bytes;
}

/*
 * Do all processes that hold memory and wait, wait for each other? Then none of them gets all that
 * it waits for even when those that wait for nothing have gone.
 */
static bool all_deadlocked(const struct world *w, u32 part)
{
	const struct process *p;
	u64 free = w->size[part];
	bool holders = false;

	for (p = w->process; p < w->process + PROCESSES; p++)
		if (p->part == part && waits(p))
			free -= p->used;
	for (p = w->process; p < w->process + PROCESSES; p++) {
		if (p->part != part || !waits(p) || !p->used)
			continue;
		if (wanted(p) <= free)
			return false;
		holders = true;
	}
	return holders;
}

/* Do requests wait though nothing is held by processes that wait for nothing? */
static bool stands_still(const struct world *w, u32 part)
{
	const struct process *p;
	bool waiting = false;

	for (p = w->process; p < w->process + PROCESSES; p++) {
		if (p->part != part)
			continue;
		if (p->used && !waits(p))
			return false;
		waiting |= waits(p);
	}
	return waiting;
}

/* With no TIMER due. */
static void check_lines(struct world *w)
{
	u32 part;

	for (part = 0; part < PARTS; part++) {
		if (all_deadlocked(w, part))
			w->wrong = "a deadlock stays";
		if (stands_still(w, part))
			w->wrong = "a line stands still that nobody holds up";
	}
}

static void hear(struct tg_actions *out, const struct tg_action *a)
{
	struct world *w = container_of(out, struct world, actions);
	struct thread *t = a->host;
	struct process *p;

	if (a->kind == TG_ACT_ARM) {
		w->armed = a->at;
		return;
	}
	if (a->kind == TG_ACT_NOTE) {
		w->deadlocks += a->arg == TG_NOTE_VRAM_DEADLOCK;
		if (a->arg == TG_NOTE_VRAM_DEADLOCK && !deadlocked(w))
			w->wrong = "a deadlock that is none";
		w->late += a->arg == TG_NOTE_VRAM_LATE;
		return;
	}
	if (a->kind != TG_ACT_MEM_GRANT && a->kind != TG_ACT_MEM_REFUSE)
		return;
	for (p = w->process; p->account != a->client; p++)
		;
	w->answers += a->job != w->asking;
	if (t->state != WAITS || t->id != a->job)
		w->wrong = "an answer that nobody waits for";
	t->state = WORKS;
	w->longest = max(w->longest, w->gpu.now - t->since);
	w->waited += w->gpu.now > t->since;
	if (a->kind == TG_ACT_MEM_REFUSE) {
		w->refused++;
		return;
	}
	w->granted++;
	p->used += t->bytes;
	w->used += t->bytes;
	w->held[p->part] += t->bytes;
	if (w->held[p->part] > w->size[p->part])
		w->wrong = "more is granted than there is";
}

static int feed_world(struct world *w, struct tg_event *ev)
{
	const char *wrong;
	int ret;

	w->asking = ev->kind == TG_EV_MEM_REQUEST ? ev->job : 0;
	w->answers = 0;
	ret = tg_gpu_feed(&w->gpu, ev, &w->actions);
	wrong = tg_gpu_check(&w->gpu);
	w->wrong = w->wrong ?: wrong;
	if (w->answers > 1)
		w->wrong = "an event answers several requests";
	return ret;
}

static void run_world_timers(struct world *w, s64 now)
{
	while (w->armed <= now) {
		struct tg_event timer = { .kind = TG_EV_TIMER, .now = w->armed, .at = w->armed };

		w->armed = TG_NEVER;
		feed_world(w, &timer);
	}
}

static int tell(struct world *w, struct tg_event *ev)
{
	int ret;

	ev->now = w->gpu.now + below(w, 1000) * TG_USEC;
	run_world_timers(w, ev->now);
	ev->at = ev->kind == TG_EV_KNOB ? ev->at : ev->now;
	ret = feed_world(w, ev);
	if (w->gpu.mem.used != w->used)
		w->wrong = "the books are not what was granted and given back";
	/* One answer follows the other, each by a TIMER of its own. */
	while (w->armed <= w->gpu.now + ANSWER)
		run_world_timers(w, w->armed);
	if (w->longest > w->timeout)
		w->wrong = "a request waited for longer than the timeout";
	return ret;
}

static void give(struct world *w, struct process *p, u64 bytes)
{
	struct tg_event ev = { .kind = TG_EV_MEM_FREE, .account = p->account, .mem.bytes = bytes };

	if (!bytes)
		return;
	p->used -= bytes;
	w->used -= bytes;
	w->held[p->part] -= bytes;
	if (tell(w, &ev))
		w->wrong = "what was granted cannot be given back";
}

static void give_up(struct world *w, struct thread *t)
{
	struct tg_event ev = { .kind = TG_EV_MEM_CANCEL, .mem.request = t->id };

	/* It may have been answered meanwhile. */
	if (t->state == WAITS && !tell(w, &ev))
		t->state = WORKS;
}

/* A process of a virtual GPU has a channel, one of the rest has none. */
static void begin(struct world *w, struct process *p)
{
	const enum tg_pool pools[] = {
		TG_POOL_CLIENT, TG_POOL_CHANNEL, TG_POOL_RESERVE, TG_POOL_ACCOUNT,
		TG_POOL_SHARER,
	};
	struct tg_event ev = {
		.kind = TG_EV_JOIN, .join.engines = 1, .identity = &ids[p->part],
	};
	u32 i;

	p->account = ++w->accounts;
	if (!p->part)
		return;
	for (i = 0; i < ARRAY_SIZE(pools); i++)
		if (!w->gpu.pooled[pools[i]])
			tg_gpu_give(&w->gpu, pools[i], calloc(1, tg_pool_size[pools[i]]));
	ev.client = p->account;
	ev.join.account = p->account;
	if (tell(w, &ev))
		w->wrong = "a client cannot join";
}

static void die(struct world *w, struct process *p)
{
	struct tg_event ev = { .kind = TG_EV_LEAVE, .client = p->account };
	u32 i;

	if (p->part && tell(w, &ev))
		w->wrong = "a client cannot leave";
	for (i = 0; i < THREADS; i++)
		give_up(w, &p->thread[i]);
	while (p->used)
		give(w, p, 1 + below(w, p->used));
	memset(p->thread, 0, sizeof(p->thread));
}

/* Processes that wait for nothing give everything back, until none waits. */
static void calm_down(struct world *w)
{
	struct process *p;
	bool moved = true;

	while (moved && !w->wrong) {
		moved = false;
		for (p = w->process; p < w->process + PROCESSES; p++)
			if (p->used && !waits(p)) {
				give(w, p, p->used);
				moved = true;
			}
		check_lines(w);
	}
}

static void set_prio(struct world *w, struct process *p)
{
	struct tg_event ev = { .kind = TG_EV_PRIO, .client = p->account, .arg = below(w, 4) };

	if (p->part && tell(w, &ev))
		w->wrong = "a priority cannot be set";
}

static void ask(struct world *w, struct process *p, struct thread *t)
{
	struct tg_event ev = { .kind = TG_EV_MEM_REQUEST, .account = p->account };

	if (t->state == WAITS || (w->tame && (p->used || waits(p))))
		return;
	t->bytes = 1 + below(w, below(w, 4) ? w->size[p->part] / 8 : w->size[p->part]);
	t->id = ++w->asks;
	t->state = WAITS;
	ev.mem.request = t->id;
	ev.mem.bytes = t->bytes;
	ev.host = t;
	if (!w->gpu.pooled[TG_POOL_ACCOUNT])
		tg_gpu_give(&w->gpu, TG_POOL_ACCOUNT, malloc(sizeof(struct tg_account)));
	if (!w->gpu.pooled[TG_POOL_REQUEST])
		tg_gpu_give(&w->gpu, TG_POOL_REQUEST, malloc(sizeof(struct tg_mem_request)));
	t->since = w->gpu.now;	/* or later, by less than 1 ms */
	if (tell(w, &ev))
		w->wrong = "a request is not taken";
}

static void set(struct world *w, enum tg_knob nr, s64 value)
{
	struct tg_event ev = { .kind = TG_EV_KNOB, .knob = { .number = nr, .value = value } };

	tell(w, &ev);
}

/* A fifth of the memory is left for the rest. */
static void share_out(struct world *w)
{
	struct tg_event ev = { .kind = TG_EV_SPEC, .new_spec = &w->spec };
	struct tg_spec_error err;
	u32 i;

	w->spec.text = shares;
	w->spec.entries = calloc(tg_spec_room(shares, strlen(shares)), sizeof(*w->spec.entries));
	if (!w->spec.entries || tg_spec_parse(&w->spec, strlen(shares), &err))
		abort();
	tell(w, &ev);
	w->size[0] = 20;
	w->size[1] = 50;
	w->size[2] = 30;
	for (i = 0; i < PROCESSES; i++)
		w->process[i].part = i % PARTS;
}

static void run_random(u32 order, bool tame, bool share, u32 steps)
{
	static const char *const orders[] = { "no order", "fifo", "mmu", "pfifo", "pmmu" };
	struct tg_event size = { .kind = TG_EV_MEM_SIZE, .mem.bytes = SIZE };
	struct world *w = calloc(1, sizeof(*w));
	char name[64];
	void *spare;
	u32 i, pool;

	if (!w)
		abort();
	w->size[0] = SIZE;
	w->rng = 88172645463325252ULL + order;
	w->tame = tame;
	w->armed = TG_NEVER;
	w->actions.emit = hear;
	w->timeout = tame ? 3600 * TG_SEC : 200 * TG_MSEC;
	start(&w->gpu);
	tell(w, &size);
	set(w, TG_KNOB_VRAM_ORDER, order);
	set(w, TG_KNOB_VRAM_TIMEOUT, w->timeout / TG_USEC);
	set(w, TG_KNOB_VRAM_AGEING, w->timeout / TG_USEC / 100);
	w->timeout += TG_MSEC;
	if (share)
		share_out(w);
	for (i = 0; i < PROCESSES; i++)
		begin(w, &w->process[i]);
	for (i = 0; i < steps && !w->wrong; i++) {
		struct process *p = &w->process[below(w, PROCESSES)];
		struct thread *t = &p->thread[below(w, THREADS)];

		switch (below(w, 16)) {
		default:
			ask(w, p, t);
			break;
		case 8 ... 12:
			if (p->used && !waits(p))
				give(w, p, tame ? p->used : 1 + below(w, p->used));
			break;
		case 13:
			if (!tame)
				give_up(w, t);
			break;
		case 14:
			if (below(w, 8))
				break;
			die(w, p);
			begin(w, p);
			break;
		case 15:
			set_prio(w, p);
			if (!below(w, 32))
				calm_down(w);
			break;
		}
		check_lines(w);
	}
	for (i = 0; i < PROCESSES && !w->wrong; i++)
		die(w, &w->process[i]);
	if (!w->wrong && (w->gpu.mem.used || w->gpu.mem.accounts || w->gpu.mem.waiting))
		w->wrong = "something is left in the end";
	if (!w->wrong && tame && w->refused)
		w->wrong = "somebody is refused though all give back";
	if (!w->wrong && (!w->waited || (!tame && !w->deadlocks)))
		w->wrong = "nobody waited, or there was no deadlock: the test shows nothing";
	snprintf(name, sizeof(name), "at random: %s%s%s", orders[order],
		 tame ? ", one at a time" : "", share ? ", virtual GPUs" : "");
	test_row(name, !w->wrong, "step %u: %s", i, w->wrong);
	printf("# %llu requests, %llu waited, longest %lld ms, %llu refused, %llu deadlocks, %llu late\n",
	       (unsigned long long)w->asks, (unsigned long long)w->waited,
	       (long long)(w->longest / TG_MSEC), (unsigned long long)w->refused,
	       (unsigned long long)w->deadlocks, (unsigned long long)w->late);
	for (pool = 0; pool < TG_POOLS; pool++)
		while ((spare = tg_gpu_take(&w->gpu, pool)))
			free(spare);
	free(w->spec.entries);
	free(w);
}

int main(int argc, char **argv)
{
	const u32 steps = argc > 1 ? atoi(argv[1]) : 100000;
	size_t i;

	for (i = TG_MEM_FIFO; i < TG_MEM_ORDERS; i++) {
		run_random(i, false, false, steps);
		run_random(i, true, false, steps);
		run_random(i, false, true, steps);
		run_random(i, true, true, steps);
	}
	return test_end();
}
