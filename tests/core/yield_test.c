// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that end early when the core says so (TG_ACT_YIELD): by example, as scripts of events; then
 * programs whose kernels run for ever, in simulated time: which share each has of the GPU, and how
 * much of it all of them use.
 */
#include "script.h"

#define NAMES	"abcdefgh"
#define MOST	8

/**
 * struct prog - a program whose kernel runs for ever; one engine
 * @weight: of its user, or, without the knob `share`, its own
 * @user: of which user; 0: of its own
 * @want: permille of the GPU
 * @run: how much work it has at a time, us; 0: without end
 * @away: how long it waits for more, us
 * @late: from YIELD to the kernel's end, us
 * @stuck: from then on it does not end, us; 0: never
 * @from: when it begins, us
 * @resv: its line's fields from sched on; NULL: prt, bg, and priority 0
 */
struct prog {
	u32 weight, user;
	s64 want, run, away, late, stuck, from;
	const char *resv;
};

struct row_of_progs {
	const char *name, *policy;
	struct prog prog[MOST];
	u32 share;			/* the knob */
	s64 deadline;			/* us; 0: as it is */
	s64 after, ms;			/* what is measured: from and how long, ms */
	u32 lost;			/* that are named */
	s64 least;			/* permille of the GPU that all use */
};

#define TURNS	.policy = "timeslice"

static const struct row_of_progs progs[] = {
	{ "two of equal weight", TURNS, { { 1, .want = 500 }, { 1, .want = 500 } } },
	{ "four of equal weight", TURNS,
	  { { 1, .want = 250 }, { 1, .want = 250 }, { 1, .want = 250 }, { 1, .want = 250 } } },
	{ "eight of equal weight", TURNS,
	  { { 1, .want = 125 }, { 1, .want = 125 }, { 1, .want = 125 }, { 1, .want = 125 },
	    { 1, .want = 125 }, { 1, .want = 125 }, { 1, .want = 125 }, { 1, .want = 125 } } },
	{ "66:34", TURNS, { { 2, .want = 667 }, { 1, .want = 333 } } },
	{ "57, 29, 14", TURNS, { { 4, .want = 571 }, { 2, .want = 286 }, { 1, .want = 143 } } },
	{ "66 % beside three", TURNS,
	  { { 6, .want = 667 }, { 1, .want = 111 }, { 1, .want = 111 }, { 1, .want = 111 } } },
	{ "50, 25, 12.5, 12.5", TURNS,
	  { { 4, .want = 500 }, { 2, .want = 250 }, { 1, .want = 125 }, { 1, .want = 125 } } },
	{ "one suspends 27 ms late", TURNS,
	  { { 1, .want = 500, .late = 27000 }, { 1, .want = 500 } } },
	{ "one has work for 3 ms at a time", TURNS,
	  { { 1, .want = 490, .run = 3000 }, { 1, .want = 497 } } },
	{ "a user's three programs have the share of one", TURNS,
	  { { 1, 1, .want = 500 }, { 1, 2, .want = 167 }, { 1, 2, .want = 167 },
	    { 1, 2, .want = 167 } }, .share = TG_BY_USER },
	{ "users of weight 2 and 1, three programs and one", TURNS,
	  { { 2, 1, .want = 222 }, { 2, 1, .want = 222 }, { 2, 1, .want = 222 },
	    { 1, 2, .want = 333 } }, .share = TG_BY_USER },
	{ "one that waits for I/O leaves its time to the other", TURNS,
	  { { 1, .want = 98, .run = 1000, .away = 9000 }, { 1, .want = 890 } } },
	{ "one that comes after a minute has no credit of a minute", TURNS,
	  { { 1, .want = 500 }, { 1, .want = 500, .from = 60000000 } }, .after = 60000, .ms = 400 },
	{ "one that was alone for a minute owes nothing for it", TURNS,
	  { { 1, .want = 500 }, { 1, .want = 500, .from = 60000000 } }, .after = 60010, .ms = 400 },
	{ "one that does not suspend is named, once, and the others go on by weight", TURNS,
	  { { 1, .stuck = 1000000 }, { 2, .want = 667 }, { 1, .want = 333 } }, .deadline = 200000,
	  .after = 1210, .ms = 5000, .lost = 1 },
	{ "alone, for an hour: never lost", TURNS, { { 1, .want = 1000 } }, .ms = 3600000 },
	{ "no turns: each has the GPU for half of the deadline", "timegraph",
	  { { 1, .want = 500 }, { 1, .want = 500 } }, .deadline = 100000 },
	{ "no turns: one of higher priority has what it needs", "timegraph",
	  .prog = { { 1, .want = 97, .run = 1000, .away = 9000, .resv = "prt : bg : 90 : 0 : 0" },
	    { 1, .want = 890 } } },
	{ "no turns: one with a PE reserve of 10 % above one without", "timegraph",
	  .prog = { { 1, .want = 100, .resv = "prt : pe : 90 : 5000 : 50000" }, { 1, .want = 890 } } },
	{ "no turns: reserves of 10 and 40 % below one that has work for 1 ms in 10", "timegraph",
	  .prog = { { 1, .want = 100, .resv = "prt : pe : 10 : 5000 : 50000" },
	    { 1, .want = 400, .resv = "ht : pe : 20 : 20000 : 50000" },
	    { 1, .want = 97, .run = 1000, .away = 9000, .resv = "prt : bg : 90 : 0 : 0" } },
	  .least = 585 },
	{ "no turns: a guaranteed reserve of 20 % beside one without", "timegraph",
	  .prog = { { 1, .want = 200, .resv = "prt : cbs : 0 : 4000 : 20000" }, { 1, .want = 790 } } },
	{ "turns with an open gate", "dtimeslice",
	  .prog = { { 2, .want = 667 }, { 1, .want = 333 } } },
};

enum state { AWAY, WAITS, RUNS };

struct task {
	enum state state;
	u64 job, next;		/* next: submitted already */
	s64 since, ends;	/* RUNS: since when, until when; AWAY: until when */
	s64 left;		/* of its work */
	s64 used;		/* since it is measured */
	bool ending, open;
};

struct world {
	struct tg_actions actions;
	struct tg_gpu gpu;
	const struct row_of_progs *row;
	struct task task[MOST];
	struct tg_identity ids[MOST];
	struct tg_job *jobs[16];
	struct tg_client *clients[16];
	struct tg_channel *channels[16];
	struct tg_spec spec;
	char text[1024];
	void *objects[TG_POOLS * 32];
	u64 last_job;
	s64 armed;
	u32 lost, wrong;
	u64 freed;		/* by the event that was fed: a mask of tasks */
	u32 sync;		/* likewise */
};

#define LAUNCH	(50 * TG_USEC)		/* from FREE to the kernel's start */
#define SUSPEND	(100 * TG_USEC)		/* from YIELD to its end, at least */

static void act(struct tg_actions *out, const struct tg_action *a)
{
	struct world *w = container_of(out, struct world, actions);
	struct task *t = a->client ? &w->task[a->client - 1] : NULL;
	const struct prog *p = a->client ? &w->row->prog[a->client - 1] : NULL;
	s64 now = w->gpu.now, end = now + SUSPEND + (p ? p->late * TG_USEC : 0);

	switch (a->kind) {
	case TG_ACT_FREE:
		w->freed |= 1 << (a->client - 1);
		break;
	case TG_ACT_ARM:
		w->armed = a->at;
		break;
	case TG_ACT_YIELD:
		w->wrong += a->job != (t->state == RUNS ? t->job : t->next) || t->ending;
		t->ending = true;
		if (t->state == RUNS && (!p->stuck || now < p->stuck * TG_USEC))
			t->ends = min(t->ends, end);
		break;
	case TG_ACT_GATE:
		t->open = a->arg == TG_GATE_OPEN;
		w->freed |= (t->open && t->state == WAITS) << (a->client - 1);
		break;
	case TG_ACT_SYNC:
		w->sync |= 1 << (a->client - 1);
		t->ending = true;
		if (t->state == RUNS)
			t->ends = min(t->ends, end);
		break;
	case TG_ACT_NOTE:
		w->lost += a->arg == TG_NOTE_LOST;
		break;
	default:
		break;
	}
}

static void feed_world(struct world *w, enum tg_event_kind kind, u32 i, u64 job, s64 now)
{
	struct tg_event ev = { .kind = kind, .now = now, .client = i + 1, .channel = 1, .job = job };

	ev.at = now;
	if (kind == TG_EV_JOIN) {
		ev.join.engines = 1;
		ev.join.yields = 1;
		ev.join.account = 0;
		ev.identity = &w->ids[i];
	}
	w->wrong += tg_gpu_feed(&w->gpu, &ev, &w->actions) != 0;
	if (tg_gpu_check(&w->gpu))
		w->wrong++;
}

/* A launch: through the open gate, or as a job. */
static void ask_world(struct world *w, u32 i, s64 now)
{
	struct task *t = &w->task[i];

	t->state = WAITS;
	t->next = 0;
	if (t->open) {
		w->freed |= 1 << i;
		return;
	}
	t->next = ++w->last_job;
	feed_world(w, TG_EV_SUBMIT, i, t->next, now);
}

static void measure(struct world *w, struct task *t, s64 now)
{
	s64 from = max(t->since, w->row->after * TG_MSEC);

	t->used += max(now - from, (s64)0);
	t->left -= max(now - t->since, (s64)0);
}

/* The kernel ends: what is left is submitted first, so that the client keeps its place. */
static void end_world(struct world *w, u32 i, s64 now)
{
	const struct prog *p = &w->row->prog[i];
	struct task *t = &w->task[i];
	u64 job = t->job;

	measure(w, t, now);
	t->ending = false;
	t->job = 0;
	if (!p->run || t->left > 0) {
		ask_world(w, i, now);
	} else {
		t->state = AWAY;
		t->ends = now + p->away * TG_USEC;
	}
	if (job)
		feed_world(w, TG_EV_DONE, i, job, now);
	if (w->sync & 1 << i) {
		w->sync &= ~(1 << i);
		feed_world(w, TG_EV_IDLE, i, 0, now);
	}
}

static void start_world(struct world *w, u32 i, s64 now)
{
	const struct prog *p = &w->row->prog[i];
	struct task *t = &w->task[i];

	t->state = RUNS;
	t->job = t->next;
	t->since = now + LAUNCH;
	t->ends = p->run ? t->since + t->left : TG_NEVER;
	if (t->ending)
		t->ends = min(t->ends, t->since + SUSPEND);
	if (t->job)
		feed_world(w, TG_EV_STARTED, i, t->job, now);
}

static s64 next_world(const struct world *w)
{
	s64 next = w->armed;
	u32 i;

	for (i = 0; i < MOST && w->row->prog[i].weight; i++)
		if (w->task[i].state != WAITS)
			next = min(next, w->task[i].ends);
	return next;
}

static void step_world(struct world *w, s64 now)
{
	u32 i;

	if (w->armed <= now) {
		w->armed = TG_NEVER;
		feed_world(w, TG_EV_TIMER, 0, 0, now);
	}
	for (i = 0; i < MOST && w->row->prog[i].weight; i++) {
		struct task *t = &w->task[i];

		if (t->state == AWAY && t->ends <= now) {
			t->left = w->row->prog[i].run * TG_USEC;
			ask_world(w, i, now);
		} else if (t->state == RUNS && t->ends <= now) {
			end_world(w, i, now);
		}
		if (w->sync & 1 << i && t->state != RUNS) {
			w->sync &= ~(1 << i);
			feed_world(w, TG_EV_IDLE, i, 0, now);
		}
	}
	for (i = 0; w->freed && i < MOST; i++) {
		if (!(w->freed & 1 << i))
			continue;
		w->freed &= ~(1 << i);
		start_world(w, i, now);
	}
}

static void begin_world(struct world *w)
{
	struct tg_buckets buckets = { w->jobs, w->clients, w->channels, 4 };
	const struct row_of_progs *row = w->row;
	struct tg_event ev = { .kind = TG_EV_SPEC, .new_spec = &w->spec };
	struct tg_event knob = { .kind = TG_EV_KNOB };
	struct tg_spec_error err;
	size_t len = 0;
	u32 i;

	w->actions.emit = act;
	w->armed = TG_NEVER;
	tg_gpu_init(&w->gpu, 1, tg_policy_find(row->policy, strlen(row->policy)), &buckets, 0);
	for (i = 0; i < ARRAY_SIZE(w->objects); i++) {
		w->objects[i] = calloc(1, tg_pool_size[i % TG_POOLS]);
		tg_gpu_give(&w->gpu, i % TG_POOLS, w->objects[i]);
	}
	for (i = 0; i < MOST && row->prog[i].weight; i++) {
		const struct prog *p = &row->prog[i];

		w->ids[i] = (struct tg_identity){ .pid = i + 1, .uid = p->user ?: 100 + i };
		w->ids[i].payer = w->ids[i].uid;
		w->ids[i].comm[0] = NAMES[i];
		len += snprintf(w->text + len, sizeof(w->text) - len,
				row->share ? "uid=%u" : "%c",
				row->share ? w->ids[i].uid : (u32)NAMES[i]);
		len += snprintf(w->text + len, sizeof(w->text) - len, " : %s : weight=%u\n",
				p->resv ?: "prt : bg : 0 : 0 : 0", p->weight);
		/* One line for each user */
		if (row->share && i && p->user == row->prog[i - 1].user) {
			while (w->text[--len - 1] != '\n')
				;
			w->text[len] = '\0';
		}
	}
	w->spec.text = w->text;
	w->spec.entries = calloc(tg_spec_room(w->text, len), sizeof(*w->spec.entries));
	w->wrong += tg_spec_parse(&w->spec, len, &err) != 0;
	w->wrong += tg_gpu_feed(&w->gpu, &ev, &w->actions) != 0;
	knob.knob.number = TG_KNOB_DEADLINE;
	knob.knob.value = row->deadline;
	if (row->deadline)
		w->wrong += tg_gpu_feed(&w->gpu, &knob, &w->actions) != 0;
	knob.knob.of_policy = 1;
	knob.knob.number = 0;
	knob.knob.value = 10000;	/* slice_us, as the paper has it */
	if (strstr(row->policy, "timeslice"))
		w->wrong += tg_gpu_feed(&w->gpu, &knob, &w->actions) != 0;
	knob.knob.number = 2;
	knob.knob.value = row->share;
	if (row->share)
		w->wrong += tg_gpu_feed(&w->gpu, &knob, &w->actions) != 0;
	while (w->armed == 0 || w->gpu.handover)
		step_world(w, w->armed);
	for (i = 0; i < MOST && row->prog[i].weight; i++) {
		feed_world(w, TG_EV_JOIN, i, 0, w->gpu.now);
		w->task[i].ends = max(w->gpu.now, row->prog[i].from * TG_USEC);
	}
}

static void play(const struct row_of_progs *row)
{
	struct world *w = calloc(1, sizeof(*w));
	s64 ms = row->ms ?: 60000, end = (row->after + ms) * TG_MSEC, now, all = 0, got;
	char text[256] = "";
	bool right;
	size_t len = 0;
	u32 i;

	w->row = row;
	begin_world(w);
	while ((now = next_world(w)) < end && !w->wrong)
		step_world(w, now);
	right = !w->wrong && w->lost == row->lost;
	for (i = 0; i < MOST && row->prog[i].weight; i++) {
		if (w->task[i].state == RUNS && !row->prog[i].stuck)
			measure(w, &w->task[i], end);
		got = w->task[i].used / (ms * 1000);
		all += got;
		right &= !row->prog[i].want ||
			 (got >= row->prog[i].want - 10 && got <= row->prog[i].want + 10);
		len += snprintf(text + len, sizeof(text) - len, " %lld.%lld", (long long)got / 10,
				(long long)got % 10);
	}
	right &= all >= (row->least ?: 970) && all <= 1000;
	printf("# %s:%s, all %lld.%lld %%\n", row->name, text, (long long)all / 10,
	       (long long)all % 10);
	test_row(row->name, right, "%u lost, %u wrong, shares%s", w->lost, w->wrong, text);
	free(w->spec.entries);
	for (i = 0; i < ARRAY_SIZE(w->objects); i++)
		free(w->objects[i]);
	free(w);
}

static const struct row rows[] = {
	{ "a turn is over and another client waits: the holder's job is to end, once", "timeslice",
	  "0 pknob 0 10000\n" "0 yields 1 1 a\n" "0 join 2 1 b\n" "1 submit 2 1 1\n" "2 started 1\n"
	  "3 submit 1 1 2\n" "9000 submit 2 1 3\n" "9001 done 1\n" "9002 started 2\n" "20000 wait\n"
	  "20010 submit 1 1 4\n" "20011 done 2\n",
	  "1 free 1, 9001 free 2, 19001 yield 2, 20011 free 3" },
	{ "no other client waits: it is not to", "timeslice",
	  "0 pknob 0 10000\n" "0 yields 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "2 started 1\n"
	  "2000000 wait\n" "2000001 submit 2 1 2\n" "2000101 done 1\n",
	  "1 free 1, 2000001 yield 1, 2000101 free 2" },
	{ "one that cannot end early is not to", "timeslice",
	  "0 pknob 0 10000\n" "0 join 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "2 started 1\n"
	  "3 submit 2 1 2\n" "30000 done 1\n",
	  "1 free 1, 30000 free 2" },
	{ "one that is behind all others does not wait for the slice's end", "timeslice",
	  "0 pknob 0 10000\n" "0 yields 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "2 started 1\n"
	  "9000 submit 1 1 2\n" "9001 done 1\n" "9002 started 2\n" "14000 submit 2 1 3\n",
	  "1 free 1, 9001 free 2, 14000 yield 2" },
	{ "a client of higher priority waits: what is in flight is to end at once, each job once",
	  "timegraph",
	  "0 yields 1 1 a\n" "0 join 2 1 b\n" "0 prio 1 10\n" "0 prio 2 90\n" "1 submit 1 1 1\n"
	  "2 started 1\n" "3 submit 1 1 2\n" "300 submit 2 1 3\n" "350 wait\n" "400 done 1\n"
	  "401 started 3\n" "500 done 3\n" "501 started 2\n" "600 submit 2 1 4\n" "700 done 2\n",
	  "1 free 1, 300 yield 1, 400 free 3, 500 free 2, 600 yield 2, 700 free 4" },
	{ "an ht client's jobs in flight, likewise, and none follows them", "timegraph",
	  "0 spec a:ht:bg:10:0:0 b:prt:bg:90:0:0\n" "0 yields 1 1 a\n" "0 join 2 1 b\n"
	  "1 submit 1 1 1\n" "2 started 1\n" "3 submit 1 1 2\n" "4 started 2\n" "5 submit 1 1 3\n"
	  "300 submit 2 1 4\n" "400 done 1\n" "450 done 2\n",
	  "1 free 1, 3 free 2, 300 yield 1, 300 yield 2, 450 free 4" },
	{ "an equal waits, or a lower one, or one that is throttled: half of the deadline",
	  "timegraph",
	  "0 spec a:prt:bg:10:0:0 b:prt:bg:10:0:0 c:prt:bg:5:0:0 d:prt:pe:90:1:100\n"
	  "0 yields 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 c\n" "0 join 4 1 d\n"
	  "1 submit 4 1 1\n" "2 started 1\n" "5000 done 1\n" "5001 submit 1 1 2\n"
	  "5002 started 2\n" "5003 submit 2 1 3\n" "5004 submit 3 1 4\n" "5005 submit 4 1 5\n"
	  "20000 wait\n",
	  "1 free 1, 5001 free 2" },
	{ "its reserve's budget is used up: it is to end, and the rest waits", "timegraph",
	  "0 spec a:prt:pe:10:5000:50000\n" "0 yields 1 1 a\n" "1 submit 1 1 1\n" "2 started 1\n"
	  "5100 submit 1 1 2\n" "5101 done 1\n" "50500 wait\n",
	  "1 free 1, 5002 yield 1, 50000 free 2" },
	{ "under a policy that knows no reserves it goes on", "fifo",
	  "0 spec a:prt:pe:10:5000:50000\n" "0 yields 1 1 a\n" "1 submit 1 1 1\n" "2 started 1\n"
	  "50500 wait\n",
	  "1 free 1" },
	{ "one that cannot end early is not to, whoever waits", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 prio 2 90\n" "1 submit 1 1 1\n" "2 started 1\n"
	  "300 submit 2 1 2\n" "9000 done 1\n",
	  "1 free 1, 9000 free 2" },
	{ "half of the deadline, whatever the policy; then it is lost", "fifo",
	  "0 knob 0 5000\n" "0 yields 1 1 a\n" "1 submit 1 1 1\n" "2 started 1\n" "6000 wait\n",
	  "1 free 1, 2502 yield 1, 5002 note lost 1 1" },
	{ "behind another client's job, half of the deadline from its end", "fifo",
	  "0 knob 0 5000\n" "0 join 1 1 a\n" "0 yields 2 1 b\n" "1 submit 1 1 1\n" "2 started 1\n"
	  "3 submit 2 1 2\n" "4 started 2\n" "1000 done 1\n" "5900 wait\n" "5950 done 2\n",
	  "1 free 1, 3 free 2, 3500 yield 2" },
	{ "lost before it could be told to end: it is to, still", "fifo",
	  "0 yields 1 1 a\n" "1 submit 1 1 1\n" "2 started 1\n" "10000 knob 0 5000\n" "10100 done 1\n",
	  "1 free 1, 10000 note lost 1 1, 10000 yield 1, 10100 note repaired 1 1, "
	  "10100 note recovered 1 1" },
	{ "an engine is wedged: what passes is to end, and lifts that", "fifo",
	  "0 knob 0 5000\n" "0 yields 1 1 a\n" "0 yields 2 1 b\n" "1 submit 1 1 1\n" "2 started 1\n"
	  "5010 submit 2 1 2\n" "5011 started 2\n" "5100 done 2\n",
	  "1 free 1, 2502 yield 1, 5002 note lost 1 1, 5010 free 2, 5011 yield 2, "
	  "5100 note recovered 2 2" },
	{ "what has passed is to end also where that has been lifted meanwhile", "timeslice",
	  "0 knob 0 5000\n" "0 yields 1 1 a\n" "0 yields 2 1 b\n" "0 yields 3 1 c\n"
	  "1 submit 1 1 1\n" "2 started 1\n" "5010 submit 2 1 2\n" "5011 submit 3 1 3\n"
	  "5012 started 2\n" "5100 done 2\n" "5101 started 3\n" "5200 done 3\n",
	  "1 free 1, 2502 yield 1, 5002 note lost 1 1, 5010 free 2, 5010 yield 2, 5011 free 3, "
	  "5011 yield 3, 5100 note recovered 2 2" },
	{ "a policy leaves: what is in flight is to end", "fifo",
	  "0 yields 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "2 started 1\n" "3 submit 2 1 2\n"
	  "4 started 2\n" "10 policy timeslice\n" "40 done 2\n" "200 done 1\n" "300 wait\n",
	  "1 free 1, 3 free 2, 10 gate 1 hold, 10 gate 2 hold, 10 yield 1, 200 gate 1 ask, "
	  "200 gate 2 ask, 200 note policy 0 6" },
};

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(progs); i++)
		play(&progs[i]);
	return run_rows(rows, ARRAY_SIZE(rows));
}
