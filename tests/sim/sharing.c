// SPDX-License-Identifier: GPL-2.0
/*
 * Admission by memory pays: the comparison of schedGPU's Figures 10 to 15 in shape.
 *
 * Twelve programs on as many CPU cores and one GPU. The three applications of the paper (Section 6, Tables I
 * and II) as what its text says of them: how long one runs alone, for which part of that it has
 * memory, how much, and for which part the GPU works. A program asks for its memory before it
 * computes and gives it back behind; groups are served in turns. Three ways to run them: one after the
 * other; as many at a time as the memory is sure to hold, packed by hand; all at once, with
 * requests admitted by the core. Time is virtual. Printed beside each row is what the paper has.
 */
#include <stdlib.h>
#include <tg/policy.h>
#include "../lib/test.h"

#define CORES	12
#define MEMORY	1000		/* per mille of the card's */
#define GROUP	(50 * TG_MSEC)

/* @rounds times: think for @cpu, ask for @mem, compute: @inside on the CPU and @gpu on the GPU */
struct app {
	const char *name;
	u32 rounds, mem, together;	/* @together: instances that the memory holds */
	s64 cpu, inside, gpu;		/* ms a round */
};

static const struct app ara = { "ARA", 1, 160, 6, 221600, 4040, 1160 };
static const struct app mummer = { "MUMmerGPU", 10, 150, 6, 23600, 7900, 790 };
static const struct app blast = { "GPU-BLAST", 1, 360, 2, 4400, 16700, 48000 };

enum phase { THINKS, ASKS, COMPUTES, QUEUES, ENDED };

struct program {
	const struct app *app;
	enum phase phase;
	u32 round, id;
	bool held_back;		/* not begun: its batch has not come */
	s64 until, inside, gpu;	/* of its CPU's part; what is left of this round */
	s64 asked, waited;
};

struct world {
	struct tg_gpu core;
	struct tg_actions out;
	struct program p[CORES];
	struct tg_identity id[CORES];
	s64 now, armed, gpu_free, gpu_time, held;	/* held: memory times time */
	struct program *on_gpu, *queue[CORES];
	u32 queued, used, refused, most;
	u64 asks;
};

static struct tg_job *jobs[16];
static struct tg_client *clients[16];
static struct tg_channel *channels[16];

static void feed(struct world *w, struct tg_event ev)
{
	ev.now = w->now;
	if (ev.kind != TG_EV_KNOB)
		ev.at = w->now;
	if (tg_gpu_feed(&w->core, &ev, &w->out) || tg_gpu_check(&w->core))
		abort();
}

/* The rest of a round alternates: a group, and its part of the CPU's work. */
static void compute(struct world *w, struct program *p)
{
	const s64 groups = p->app->gpu * TG_MSEC / GROUP + 1;

	if (p->gpu > 0) {
		p->phase = QUEUES;
		w->queue[w->queued++] = p;
		return;
	}
	p->phase = COMPUTES;
	p->until = w->now + p->app->inside * TG_MSEC / groups;
}

static void emit(struct tg_actions *out, const struct tg_action *a)
{
	struct world *w = container_of(out, struct world, out);
	struct program *p = a->host;

	if (a->kind == TG_ACT_ARM)
		w->armed = a->at;
	if (a->kind == TG_ACT_MEM_REFUSE)
		w->refused++;
	if (a->kind != TG_ACT_MEM_GRANT && a->kind != TG_ACT_MEM_REFUSE)
		return;
	w->used += p->app->mem;
	w->most = max(w->most, w->used);
	p->waited += w->now - p->asked;
	p->inside = p->app->inside * TG_MSEC;
	p->gpu = p->app->gpu * TG_MSEC;
	compute(w, p);
}

static void begin_round(struct world *w, struct program *p)
{
	p->phase = THINKS;
	p->until = w->now + p->app->cpu * TG_MSEC;
}

static void end_round(struct world *w, struct program *p)
{
	w->used -= p->app->mem;
	feed(w, (struct tg_event){ .kind = TG_EV_MEM_FREE, .account = p->id,
				   .mem.bytes = p->app->mem });
	if (++p->round == p->app->rounds)
		p->phase = ENDED;
	else
		begin_round(w, p);
}

/* A group has run: its share of the CPU's work comes next. */
static void group_over(struct world *w)
{
	struct program *p = w->on_gpu;
	const s64 groups = p->app->gpu * TG_MSEC / GROUP + 1;

	w->on_gpu = NULL;
	p->gpu -= GROUP;
	p->phase = COMPUTES;
	p->until = w->now + p->app->inside * TG_MSEC / groups;
}

static void cpu_over(struct world *w, struct program *p)
{
	if (p->phase == THINKS) {
		p->phase = ASKS;
		p->asked = w->now;
		feed(w, (struct tg_event){ .kind = TG_EV_MEM_REQUEST, .account = p->id, .host = p,
					   .mem = { .request = ++w->asks,
						    .bytes = p->app->mem } });
	} else if (p->gpu > 0) {
		compute(w, p);
	} else {
		end_round(w, p);
	}
}

static void serve(struct world *w)
{
	u32 i;

	if (w->on_gpu || !w->queued)
		return;
	w->on_gpu = w->queue[0];
	for (i = 1; i < w->queued; i++)
		w->queue[i - 1] = w->queue[i];
	w->queued--;
	w->gpu_free = w->now + min(w->on_gpu->gpu, (s64)GROUP);
	w->gpu_time += w->gpu_free - w->now;
}

/* Packed by hand: the next @batch begin when all before have ended. */
static bool begin_batch(struct world *w, u32 batch)
{
	u32 i, begun = 0;

	for (i = 0; i < CORES; i++)
		if (!w->p[i].held_back && w->p[i].phase != ENDED)
			return true;
	for (i = 0; i < CORES && begun < batch; i++)
		if (w->p[i].held_back) {
			w->p[i].held_back = false;
			begin_round(w, &w->p[i]);
			begun++;
		}
	return begun;
}

/* @batch programs at a time (0: all); @high: the application of a high priority, or NULL. */
static struct world *run(const struct app *const mix[3], u32 batch, u32 order,
			 const struct app *high)
{
	static const char spec_text[] = "high:prt:bg:9:0:0\n";
	static struct tg_spec_entry entry[2];
	static struct tg_spec spec = { .text = spec_text, .entries = entry };
	const struct tg_buckets buckets = { jobs, clients, channels, 4 };
	struct world *w = calloc(1, sizeof(*w));
	static struct tg_channel channel[CORES];
	static struct tg_reserve reserve[CORES];
	static struct tg_account account[CORES];
	static struct tg_client client[CORES];
	static struct tg_sharer sharer[CORES];
	static struct tg_mem_request ask[CORES];
	struct tg_spec_error err;
	s64 next;
	u32 i;

	if (!w || tg_spec_parse(&spec, strlen(spec_text), &err))
		abort();
	memset(clients, 0, sizeof(clients));
	memset(channels, 0, sizeof(channels));
	w->out.emit = emit;
	w->armed = TG_NEVER;
	tg_gpu_init(&w->core, 1, tg_policy_find("none", 4), &buckets, 0);
	feed(w, (struct tg_event){ .kind = TG_EV_MEM_SIZE, .mem.bytes = MEMORY });
	feed(w, (struct tg_event){ .kind = TG_EV_KNOB,
				   .knob = { .number = TG_KNOB_VRAM_ORDER, .value = order } });
	feed(w, (struct tg_event){ .kind = TG_EV_KNOB,
				   .knob = { .number = TG_KNOB_VRAM_TIMEOUT,
					     .value = 3600000000 } });
	feed(w, (struct tg_event){ .kind = TG_EV_KNOB,
				   .knob = { .number = TG_KNOB_VRAM_AGEING,
					     .value = 3600000000 } });
	feed(w, (struct tg_event){ .kind = TG_EV_SPEC, .new_spec = &spec });
	for (i = 0; i < CORES; i++) {
		w->p[i].app = mix[i % 3];
		w->p[i].id = i + 1;
		w->p[i].held_back = batch;
		tg_gpu_give(&w->core, TG_POOL_CHANNEL, &channel[i]);
		tg_gpu_give(&w->core, TG_POOL_RESERVE, &reserve[i]);
		tg_gpu_give(&w->core, TG_POOL_ACCOUNT, &account[i]);
		tg_gpu_give(&w->core, TG_POOL_CLIENT, &client[i]);
		tg_gpu_give(&w->core, TG_POOL_SHARER, &sharer[i]);
		tg_gpu_give(&w->core, TG_POOL_REQUEST, &ask[i]);
		if (mix[i % 3] == high)
			memcpy(w->id[i].comm, "high", 5);
		feed(w, (struct tg_event){ .kind = TG_EV_JOIN, .client = i + 1, .channel = 1,
					   .join = { .engines = 1, .account = i + 1 },
					   .identity = &w->id[i] });
		if (!batch)
			begin_round(w, &w->p[i]);
	}
	while (begin_batch(w, batch)) {
		serve(w);
		next = w->on_gpu ? w->gpu_free : TG_NEVER;
		next = min(next, w->armed);
		for (i = 0; i < CORES; i++)
			if ((w->p[i].phase == THINKS || w->p[i].phase == COMPUTES) &&
			    !w->p[i].held_back)
				next = min(next, w->p[i].until);
		if (next == TG_NEVER)
			break;
		w->held += w->used * ((next - w->now) / TG_MSEC);
		w->now = next;
		if (w->armed <= w->now) {
			w->armed = TG_NEVER;
			feed(w, (struct tg_event){ .kind = TG_EV_TIMER });
		}
		if (w->on_gpu && w->gpu_free == w->now)
			group_over(w);
		for (i = 0; i < CORES; i++)
			if ((w->p[i].phase == THINKS || w->p[i].phase == COMPUTES) &&
			    !w->p[i].held_back && w->p[i].until == w->now)
				cpu_over(w, &w->p[i]);
	}
	return w;
}

static bool sound(const struct world *w)
{
	u32 i;

	for (i = 0; i < CORES; i++)
		if (w->p[i].phase != ENDED)
			return false;
	return !w->refused && w->most <= MEMORY;
}

static void print(const char *how, const struct world *w, s64 one)
{
	printf("# %-14s %8.1f s, %5.2f times as fast, GPU %5.2f %%, memory %5.2f %%\n", how,
	       w->now / 1e9, (double)one / w->now, 100.0 * w->gpu_time / w->now,
	       100.0 * w->held / MEMORY / (w->now / TG_MSEC));
}

/* Figure 11: twelve of one application. Speed-ups times 10. */
static void alike(const struct app *app, u32 least, u32 most, u32 least_packed, const char *paper)
{
	const struct app *const mix[3] = { app, app, app };
	struct world *one = run(mix, 1, TG_MEM_SPEC, NULL);
	struct world *packed = run(mix, app->together, TG_MEM_SPEC, NULL);
	struct world *all = run(mix, 0, TG_MEM_MMU, NULL);
	char name[64];

	printf("# 12 %s; the paper: %s\n", app->name, paper);
	print("one by one", one, one->now);
	print("packed by hand", packed, one->now);
	print("mmu", all, one->now);
	snprintf(name, sizeof(name), "Figure 11: %s", app->name);
	test_row(name, sound(one) && sound(packed) && sound(all) &&
		 10 * one->now >= all->now * least && 10 * one->now <= all->now * most &&
		 10 * packed->now >= all->now * least_packed,
		 "refused %u, most %u, speed-up not between %u and %u tenths, or beside packing less than %u",
		 all->refused, all->most, least, most, least_packed);
	free(one);
	free(packed);
	free(all);
}

/* Figures 14 and 15, Table III: four of each. */
static void mixed(void)
{
	static const char *const names[] = { "", "fifo", "mmu", "pfifo", "pmmu" };
	const struct app *const mix[3] = { &ara, &mummer, &blast };
	struct world *one = run(mix, 1, TG_MEM_SPEC, NULL);
	struct world *free_for_all = run(mix, 0, TG_MEM_SPEC, NULL);
	s64 total[TG_MEM_ORDERS];
	bool good = sound(one);
	u32 order;

	printf("# 4 of each; the paper: 2485 s one by one, FIFO 543, MMU 527, Priority FIFO 516, Priority MMU 513\n");
	print("one by one", one, one->now);
	for (order = TG_MEM_FIFO; order < TG_MEM_ORDERS; order++) {
		struct world *w = run(mix, 0, order, order >= TG_MEM_PFIFO ? &mummer : NULL);

		print(names[order], w, one->now);
		good = good && sound(w);
		total[order] = w->now;
		free(w);
	}
	test_row("Figures 14 and 15: nobody is refused, and no more is held than there is", good,
		 "somebody is, or more is");
	test_row("Figure 14: without admission more is asked for than there is",
		 free_for_all->most > MEMORY, "at most %u", free_for_all->most);
	test_row("Figure 14: each order at least twice as fast as one by one",
		 2 * total[TG_MEM_FIFO] <= one->now && 2 * total[TG_MEM_MMU] <= one->now &&
		 2 * total[TG_MEM_PFIFO] <= one->now && 2 * total[TG_MEM_PMMU] <= one->now, "no");
	test_row("Table III: MMU is not slower than FIFO", total[TG_MEM_MMU] <= total[TG_MEM_FIFO],
		 "it is");
	test_row("Table III: priority for the longest is not slower",
		 total[TG_MEM_PFIFO] <= total[TG_MEM_FIFO] &&
		 total[TG_MEM_PMMU] <= total[TG_MEM_MMU], "it is");
	free(one);
	free(free_for_all);
}

int main(void)
{
	alike(&ara, 80, 120, 15, "10 times, and twice beside packing by hand");
	alike(&mummer, 70, 120, 15, "nearly 9 times, and twice beside packing by hand");
	alike(&blast, 11, 20, 9, "close to 1.5 times");
	mixed();
	return test_end();
}
