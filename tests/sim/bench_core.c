// SPDX-License-Identifier: GPL-2.0
/*
 * What a scheduling decision costs: one cycle is a client's SUBMIT, the DONE of a group in
 * flight, the pick and FREE that follow, and the STARTED of the freed job, while N other
 * clients wait (under fifo: are in flight). Groups take GROUP. The TIMERs that the core asks for
 * come in time, and belong to the cycle; so does the one that a policy waits for before it frees
 * anything (tick). Hosts' own work is left out, but for what feeds the core and takes its actions
 * here: some 80 instructions of a cycle of timegraph. The core is compiled as for the kernel: no
 * float registers, not position-independent.
 *
 * Policies that work with gates (their mode is HOLD) ask at other times than when a group comes:
 * there one cycle is one event, the next that a host would tell, with N clients that always have
 * work. What a season or a poll phase costs, which looks at all clients, is spread over its events:
 * so that whole seasons are counted, there are more cycles by one in PER_SEASON for each client.
 *
 * POLICY/SCENE is the same under a policy that is asked, where reserves are limited: all clients share one reserve of half
 * the GPU (pe, ae, shared-cbs), or Background has that (background), or each has a guaranteed one (cbs). Or it is another
 * cycle: a client of a shared reserve leaves and joins beside others that have reserves of their own (join); one client of
 * all is matched against the spec anew (rematch: a SPEC matches all of them, and its cost is divided by their number); a
 * request for memory comes, and what it has goes, while as many wait as may, one for each client (memory). Groups wait
 * beside, none completes in these three. Or the engine is wedged, all have reserves of their own and nothing to do, but for
 * one client, whose groups the driver refuses (wedged).
 *
 * POLICY/policy, /foreground, /vgpu, /load: of the cycles that policies with gates have, each 60th begins with an event
 * that concerns all clients, if the one before has come to all: another policy, and back; the foreground; a virtual GPU
 * goes, and comes again; a spec with another policy, knobs and clients, that comes to running clients.
 *
 * bench_core POLICY[/SCENE] CLIENTS CYCLES ROUNDS [CHANNELS]: each client has so many (1), and uses the last. Prints the median and the first and last decile of
 * ns per cycle over the rounds, bytes per waiting client, those of an own reserve beside, and how
 * many cycles there were in a round. Callgrind counts cycles(). Where the core was compiled to count
 * its steps (-fsanitize-coverage=trace-pc: basic blocks), tests/sim/longest reads what follows, of all events, those included
 * in which the clients come: the most steps of one event, and its kind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tg/policy.h>

#define GROUP		TG_MSEC
#define PER_SEASON	100
#define PIECE		(1ull << 20)	/* of memory */

enum scene {
	PLAIN, PE, AE, BACKGROUND, CBS, SHARED_CBS, JOIN, REMATCH, MEMORY, WEDGED, POLICY,
	FOREGROUND, VGPU, LOAD, SCENES
};

static const char *const scene_names[SCENES] = {
	"", "pe", "ae", "background", "cbs", "shared-cbs", "join", "rematch", "memory", "wedged",
	"policy", "foreground", "vgpu", "load",
};

/* Three priorities; a tenth with reserves, a tenth HT; two virtual GPUs and the rest. */
static const char mixed[] =
	"[vgpu v]:50:50:50\n[vgpu w]:20:20:20\na:prt:bg:1:0:0:vgpu=v\nb:prt:bg:2:0:0:vgpu=w\n"
	"c:prt:pe:3:900000:1000000\nd:ht:bg:3:0:0\n";

/* In place of that */
static const char *const spec_texts[SCENES] = {
	[PLAIN] = mixed,
	[PE] = "exe=*:prt:pe:3:50000:100000:reserve=r\n",
	[AE] = "exe=*:prt:ae:3:50000:100000:reserve=r\n",
	[BACKGROUND] = "exe=*:prt:bg:3:50000:100000\n",
	[CBS] = "exe=*:prt:cbs:3:50:10000000\n",
	[SHARED_CBS] = "exe=*:prt:cbs:3:50000:100000:reserve=r\n",
	[JOIN] = "c:prt:pe:3:900000:1000000:reserve=r\nexe=*:prt:pe:3:900000:1000000\n",
	[REMATCH] = mixed,
	[MEMORY] = "exe=*:prt:bg:3:0:0\n",
	[WEDGED] = "exe=*:prt:pe:3:50:10000000\n",
	[POLICY] = mixed,
	[FOREGROUND] = "exe=*:prt:bg:agpa:0:0\n",
	[VGPU] = mixed,
	[LOAD] = mixed,
};

static struct tg_identity ids[] = {
	{ .comm = "a", .exe = "/a" }, { .comm = "b", .exe = "/b" }, { .comm = "c", .exe = "/c" },
	{ .comm = "d", .exe = "/d" },
};
static struct tg_spec spec;

struct bench {
	enum scene scene;
	struct tg_actions out;
	struct tg_gpu core;
	struct tg_event ev;	/* of a job: what these do not have stays 0 */
	u64 *freed;		/* ring: jobs in the order in which they were freed */
	u32 head, started, tail, mask;
	s64 now, armed, poll_until;
	bool gates;		/* the policy works with them */
	u32 clients, told;	/* told: SAMPLEs of this phase */
	u32 channels;		/* of each client */
	u8 *gate;		/* of each client */
	u64 *job;		/* the latest of each client, 0: it has ended */
	u32 *owed;		/* ring: clients that are owed an IDLE */
	u32 owed_head, owed_tail;
	u64 jobs;		/* submitted after an IDLE */
	u64 asks;		/* for memory */
};

static void emit(struct tg_actions *out, const struct tg_action *action)
{
	struct bench *b = container_of(out, struct bench, out);

	if (action->kind == TG_ACT_FREE)
		b->freed[b->tail++ & b->mask] = action->job;
	else if (action->kind == TG_ACT_ARM)
		b->armed = action->at;
	else if (!b->gates)
		return;
	else if (action->kind == TG_ACT_GATE)
		b->gate[action->client] = action->arg;
	else if (action->kind == TG_ACT_SYNC)
		b->owed[b->owed_tail++ & b->mask] = action->client;
	else if (action->kind == TG_ACT_POLL)
		b->poll_until = action->at;
}

static void *zeroed(size_t nr, size_t size)
{
	void *mem = calloc(nr, size);

	if (!mem) {
		fprintf(stderr, "bench_core: out of memory\n");
		exit(1);
	}
	return mem;
}

static u64 steps, longest;
static u32 longest_kind;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

static int try_feed(struct bench *b, struct tg_event *ev)
{
	u64 before = steps;
	int rc;

	ev->now = b->now;
	if (ev->kind != TG_EV_KNOB)
		ev->at = b->now;
	rc = tg_gpu_feed(&b->core, ev, &b->out);
	if (steps - before > longest) {
		longest = steps - before;
		longest_kind = ev->kind;
	}
	return rc;
}

static void feed(struct bench *b, struct tg_event *ev)
{
	if (try_feed(b, ev)) {
		fprintf(stderr, "bench_core: the core refuses an event of kind %d\n", ev->kind);
		exit(1);
	}
}

static void feed_job(struct bench *b, enum tg_event_kind kind, u32 client, u64 job)
{
	b->ev.kind = kind;
	b->ev.client = client;
	b->ev.channel = b->channels - 1;
	b->ev.job = job;
	feed(b, &b->ev);
}

/* Let time pass to when the core wants to be woken. */
static void timer(struct bench *b)
{
	struct tg_event ev = { .kind = TG_EV_TIMER };

	b->now = max(b->now, b->armed);
	b->armed = TG_NEVER;
	feed(b, &ev);
}

static void start(struct bench *b)
{
	while (b->started != b->tail)
		feed_job(b, TG_EV_STARTED, 0, b->freed[b->started++ & b->mask]);
}

static void submit(struct bench *b, u32 client, u64 job)
{
	if (b->gates && (b->gate[client] == TG_GATE_OPEN || b->job[client]))
		return;
	if (b->gates)
		b->job[client] = job;
	b->ev.submit.predicted = b->scene == AE ? GROUP : 0;
	feed_job(b, TG_EV_SUBMIT, client, job);
	b->ev.submit.predicted = 0;
}

/* --- the cycles of scenes in which no group completes --- */

/* A client of the shared reserve, and its like. */
static void rejoin(struct bench *b)
{
	struct tg_event leave = { .kind = TG_EV_LEAVE, .client = b->clients };
	struct tg_event join = { .kind = TG_EV_JOIN, .client = b->clients,
				 .join.engines = 1, .identity = &ids[2] };

	feed(b, &leave);
	feed(b, &join);
}

static void rematch(struct bench *b)
{
	struct tg_event ev = { .kind = TG_EV_SPEC, .spec.rematch = 1, .new_spec = &spec };

	if (b->told++ % b->clients == 0)
		feed(b, &ev);
	else if (b->core.rematching)
		timer(b);
}

/* The account 1 has all, and of what it has a part goes and comes; others wait for more than that. */
static void ask_and_free(struct bench *b)
{
	struct tg_event free = { .kind = TG_EV_MEM_FREE, .account = 1, .mem.bytes = PIECE };
	struct tg_event has = {
		.kind = TG_EV_MEM_REQUEST, .account = 1, .taken = 1, .mem.bytes = PIECE,
	};

	feed(b, &free);
	has.mem.request = ++b->asks;
	feed(b, &has);
}

/* A group of the last client's passes the engine, and the driver refuses it. */
static void pass_wedged(struct bench *b)
{
	submit(b, b->clients, ++b->jobs << 32 | b->clients);
	while (b->started == b->tail)
		timer(b);
	feed_job(b, TG_EV_REFUSED, 0, b->freed[b->started++ & b->mask]);
}

/* A group of the last client's does not end. */
static void wedge(struct bench *b)
{
	submit(b, b->clients, ++b->jobs << 32 | b->clients);
	start(b);
	while (!b->core.engine[0].wedged)
		timer(b);
}

/* Of the poll phase that is over: of the next client, or of all. */
static void sample(struct bench *b)
{
	struct tg_sample s = { .length = 10 * TG_MSEC, .busy = 10 * TG_MSEC / b->clients,
			       .groups = 1, .active = 1 };
	struct tg_event ev = { .kind = TG_EV_SAMPLE, .sample = &s };

	b->now = max(max(b->now, b->poll_until), s.length);
	ev.client = b->told++ < b->clients ? b->told : 0;
	if (!ev.client) {
		b->told = 0;
		b->poll_until = 0;
	}
	feed(b, &ev);
}

/* The next thing that a host would tell a policy that works with gates. */
static void step(struct bench *b)
{
	struct tg_event ev = { .kind = TG_EV_IDLE, .idle.sent = 1 };
	u64 job;

	if (b->owed_head != b->owed_tail) {
		ev.client = b->owed[b->owed_head++ & b->mask];
		if (b->gate[ev.client] == TG_GATE_OPEN)
			return;		/* called off */
		feed(b, &ev);
		submit(b, ev.client, (++b->jobs << 40) | ev.client);
	} else if (b->started != b->tail) {
		feed_job(b, TG_EV_STARTED, 0, b->freed[b->started++ & b->mask]);
	} else if (b->head != b->tail) {
		job = b->freed[b->head++ & b->mask];
		b->now += GROUP;
		b->job[(u32)job] = 0;
		feed_job(b, TG_EV_DONE, 0, job);
		submit(b, (u32)job, job + (1ull << 32));
	} else if (b->poll_until) {
		sample(b);
	} else {
		timer(b);
	}
}

/* A spec with another policy than the one in force. */
static const struct tg_spec *another_spec(const struct bench *b)
{
	static const char *const texts[] = {
		"policy fifo\nknob stall_us 1ms\na:prt:bg:1:0:0\nb:prt:pe:2:9ms:10ms\n",
		"policy timegraph\nknob lead_us 500\nknob depth 3\nknob stall_us 2ms\na:ht:bg:2:0:0\n",
	};
	static struct tg_spec specs[2];
	struct tg_spec_error error;
	u32 i;

	for (i = 0; i < 2 && !specs[i].text; i++) {
		specs[i].text = texts[i];
		specs[i].entries = zeroed(8, sizeof(*specs[i].entries));
		tg_spec_parse(&specs[i], strlen(texts[i]), &error);
	}
	return &specs[!strcmp(b->core.policy->name, "fifo")];
}

/* An event that concerns all clients. The core refuses a policy while another one comes into force. */
static void concern_all(struct bench *b, u32 n)
{
	static struct tg_vgpu_conf vgpu = { .name = "v", .share = { 50, 50, 50 } };
	static int policy = -1;
	struct tg_event ev = { .kind = TG_EV_VGPU, .data = &vgpu };
	u32 k;

	if (b->core.rematching || b->core.handover)
		return;
	for (k = 0; k < TG_VGPU_SHARES; k++)
		vgpu.share[k] = 50 - vgpu.share[k];
	if (policy < 0)
		policy = tg_policy_find("fifo", 4);
	if (b->scene == POLICY) {
		ev = (struct tg_event){ .kind = TG_EV_POLICY, .policy.number = policy };
		policy = tg_policy_find(b->core.policy->name, strlen(b->core.policy->name));
	} else if (b->scene == FOREGROUND) {
		ev = (struct tg_event){ .kind = TG_EV_FOREGROUND, .foreground.pid = n };
	}
	if (b->scene == LOAD)
		ev = (struct tg_event){ .kind = TG_EV_SPEC, .new_spec = another_spec(b),
					.spec = { .rematch = 1, .settings = 1 } };
	try_feed(b, &ev);
}

static void (*const others[])(struct bench *b) = {
	rejoin, rematch, ask_and_free, pass_wedged,
};

/* Jobs have their client's number in their low half, and count up in the high one. */
static noinline void cycles(struct bench *b, u32 n)
{
	while (n--) {
		u64 ended;

		if (b->scene >= POLICY && n % 60 == 0)
			concern_all(b, n / 60);
		if (b->gates) {
			step(b);
			continue;
		}
		if (b->scene >= JOIN) {
			others[b->scene - JOIN](b);
			continue;
		}
		while (b->head == b->tail) {
			timer(b);
			start(b);
		}
		ended = b->freed[b->head++ & b->mask];
		b->now += GROUP;
		if (b->armed <= b->now)
			timer(b);
		submit(b, (u32)ended, ended + (1ull << 32));
		feed_job(b, TG_EV_DONE, 0, ended);
		start(b);
	}
}

static void give_account(struct bench *b)
{
	tg_gpu_give(&b->core, TG_POOL_ACCOUNT, zeroed(1, sizeof(struct tg_account)));
	tg_gpu_give(&b->core, TG_POOL_REQUEST, zeroed(1, sizeof(struct tg_mem_request)));
}

/* A client with its channels. */
static void join_all(struct bench *b, struct tg_event *join)
{
	for (; join->channel < b->channels; join->channel++) {
		tg_gpu_give(&b->core, TG_POOL_CHANNEL, zeroed(1, sizeof(struct tg_channel)));
		if (!b->core.pooled[TG_POOL_RESERVE])
			tg_gpu_give(&b->core, TG_POOL_RESERVE, zeroed(1, sizeof(struct tg_reserve)));
		feed(b, join);
	}
}

/* All that there is belongs to the account 1. */
static void fill_memory(struct bench *b)
{
	struct tg_event size = { .kind = TG_EV_MEM_SIZE, .mem.bytes = 1024 * PIECE };
	struct tg_event order = {
		.kind = TG_EV_KNOB,
		.knob = { .number = TG_KNOB_VRAM_ORDER, .value = TG_MEM_PMMU },
	};
	struct tg_event has = { .kind = TG_EV_MEM_REQUEST, .account = 1, .taken = 1,
				.mem.bytes = 512 * PIECE };

	feed(b, &size);
	tg_gpu_feed(&b->core, &order, &b->out);
	give_account(b);
	has.mem.request = ++b->asks;
	feed(b, &has);
}

/* Each has some, and waits for more than can be had. */
static void ask_in_vain(struct bench *b, u32 account)
{
	struct tg_event ask = {
		.kind = TG_EV_MEM_REQUEST, .account = account, .taken = 1, .mem.bytes = PIECE,
	};

	give_account(b);
	ask.mem.request = ++b->asks;
	feed(b, &ask);
	ask.taken = 0;
	ask.mem.bytes = 600 * PIECE;
	ask.mem.request = ++b->asks;
	feed(b, &ask);
}

static void init(struct bench *b, u32 policy, u32 clients)
{
	const char *spec_text = spec_texts[b->scene];
	struct tg_event spec_ev = { .kind = TG_EV_SPEC, .new_spec = &spec };
	struct tg_buckets buckets = { };
	struct tg_spec_error error;
	u32 i;

	while (1u << buckets.bits < clients * b->channels)
		buckets.bits++;
	buckets.jobs = zeroed(1 << buckets.bits, sizeof(void *));
	buckets.clients = zeroed(1 << buckets.bits, sizeof(void *));
	buckets.channels = zeroed(1 << buckets.bits, sizeof(void *));
	b->out.emit = emit;
	b->armed = TG_NEVER;
	b->mask = (4u << buckets.bits) - 1;
	b->freed = zeroed(b->mask + 1, sizeof(*b->freed));
	spec.text = spec_text;
	spec.entries = zeroed(tg_spec_room(spec_text, strlen(spec_text)), sizeof(*spec.entries));
	tg_spec_parse(&spec, strlen(spec_text), &error);
	b->gates = b->scene >= POLICY || tg_policy_get(policy)->mode == TG_GATE_HOLD;
	b->clients = clients + 1;
	b->gate = zeroed(clients + 2, sizeof(*b->gate));
	b->job = zeroed(clients + 2, sizeof(*b->job));
	b->owed = zeroed(b->mask + 1, sizeof(*b->owed));
	tg_gpu_init(&b->core, 1, policy, &buckets, 0);
	tg_gpu_give(&b->core, TG_POOL_JOB, zeroed(1, sizeof(struct tg_job)));
	feed(b, &spec_ev);
	if (b->scene == MEMORY)
		fill_memory(b);
	for (i = 1; i <= clients + 1; i++) {
		struct tg_event join = { .kind = TG_EV_JOIN, .client = i, .join.engines = 1,
					 .identity = &ids[i % 10 < 2 ? i % 10 + 2 : i & 1] };

		/* Of two users, since one has not all places: those without a client are one. */
		if (b->scene == MEMORY && i <= TG_MEM_WAITING / 2) {
			give_account(b);
			join.join.account = i + 1;
		}
		if (b->scene == JOIN)
			join.identity = &ids[i <= clients ? 0 : 2];

		tg_gpu_give(&b->core, TG_POOL_CLIENT, zeroed(1, sizeof(struct tg_client)));
		tg_gpu_give(&b->core, TG_POOL_SHARER, zeroed(1, sizeof(struct tg_sharer)));
		tg_gpu_give(&b->core, TG_POOL_RESERVE, zeroed(1, sizeof(struct tg_reserve)));
		tg_gpu_give(&b->core, TG_POOL_JOB, zeroed(1, sizeof(struct tg_job)));
		join_all(b, &join);
		if (b->scene == MEMORY && i <= TG_MEM_WAITING)
			ask_in_vain(b, i + 1);
		if (b->scene != WEDGED && (b->scene != JOIN || i <= clients))
			submit(b, i, i);
	}
	/* As many as there are clients, or one for the client that joins again. */
	if (b->scene == REMATCH || b->scene == JOIN || b->scene >= POLICY)
		for (i = 0; i <= (b->scene == JOIN ? 0 : clients); i++)
			tg_gpu_give(&b->core, TG_POOL_RESERVE, zeroed(1, sizeof(struct tg_reserve)));
	if (b->scene == WEDGED)
		wedge(b);
	if (!b->gates)
		start(b);
}

static s64 clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * TG_SEC + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	const double *da = a, *db = b;

	return (*da > *db) - (*da < *db);
}

int main(int argc, char **argv)
{
	static struct bench b;
	const bool told = argc == 5 || argc == 6;
	const char *scene = told ? strchr(argv[1], '/') : NULL;
	int policy = told ? tg_policy_find(argv[1], strcspn(argv[1], "/")) : -1;
	u32 clients, n, rounds, i;
	double *ns;
	s64 from;

	while (scene && b.scene < SCENES && strcmp(scene + 1, scene_names[b.scene]))
		b.scene++;
	if (policy < 0 || tg_policy_get(policy)->mode == TG_GATE_OPEN || b.scene == SCENES ||
	    (b.scene && b.scene < POLICY && tg_policy_get(policy)->mode != TG_GATE_ASK)) {
		fprintf(stderr, "usage: bench_core POLICY[/SCENE] CLIENTS CYCLES ROUNDS [CHANNELS]; a "
			"policy that is asked or told\n");
		return 2;
	}
	clients = atoi(argv[2]);
	n = atoi(argv[3]);
	rounds = atoi(argv[4]);
	b.channels = argc == 6 ? atoi(argv[5]) : 1;
	ns = zeroed(rounds, sizeof(*ns));
	init(&b, policy, clients);
	if (b.gates)
		n += (u64)n * clients / PER_SEASON;
	if (b.scene == REMATCH)
		n = max(n / 100, 1U) * (clients + 1);	/* whole ones */
	for (i = 0; i < rounds; i++) {
		from = clock_ns();
		cycles(&b, n);
		ns[i] = (double)(clock_ns() - from) / n;
	}
	qsort(ns, rounds, sizeof(*ns), by_size);
	printf("%.1f %.1f %.1f %zu %zu %u %llu %u\n", ns[rounds / 2], ns[rounds / 10], ns[rounds * 9 / 10],
	       sizeof(struct tg_client) + sizeof(struct tg_channel) + sizeof(struct tg_job) +
	       3 * sizeof(void *), sizeof(struct tg_reserve), n, (unsigned long long)longest,
	       longest_kind);
	return 0;
}
