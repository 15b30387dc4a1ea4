// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual GPUs: what band, credit and vfifo give them, in tgsim, over Gdev's 200 seconds of its
 * Figures 14 to 16; which clients belong to which; and events that define them. Utilisation is of the
 * hardware's own time. It prints every figure.
 */
#include <stdlib.h>
#include <unistd.h>
#include "../lib/test.h"
#include "host.h"
#include "replay.h"
#include "run.h"

#define CARD	"submit = 5us\ninterrupt = 8us\nswitch = 20us\n"
#define LATE_CARD "interrupt = 2.3ms\nsubmit = 0.7ms\nswitch = 20us\n"
#define BAND	"band\nknob = wait_us 2000\n"

/* Back to back, one in flight, as Gdev's benchmarks: 50 us from a completion to the next. */
#define LOOP(name, vgpu, cost, more) \
	"[client " name "]\narrival = back-to-back 50us\ncost = fixed " cost "\n" \
	"spec = prt:bg:0:0:0:vgpu=" vgpu "\n" more
#define TWO	"[spec]\n[vgpu a]:50:50:50\n[vgpu b]:50:50:50\n"
#define FOUR(a, b, c, d) "[spec]\n[vgpu a]:" a ":25:25\n[vgpu b]:" b ":25:25\n[vgpu c]:" c \
			 ":25:25\n[vgpu d]:" d ":25:25\n"

/* Short groups from the start, long ones 30 s later. */
#define SHORT_LONG TWO LOOP("a", "a", "1ms", "") LOOP("b", "b", "20ms", "start = 30s\n")
/* Where the CPU is slow: 3 ms from each completion to the next start. */
#define LATE	"band\n" LATE_CARD "knob = wait_us 10000\n" \
		"knob = period_us 300000\nknob = window_us 10000000\n"
#define HUNDREDS TWO LOOP("a", "a", "100ms", "") LOOP("b", "b", "300ms", "")
#define MIXED	TWO LOOP("a", "a", "1ms", "count = 3\n") LOOP("b", "b", "7ms", "count = 2\n")
/* Four programs in each, which begin at intervals of 30 s. */
#define LUD(name, start) LOOP(name, name, "1ms", "count = 4\nstart = " start "\n")
#define ALL	LUD("a", "0s") LUD("b", "30s") LUD("c", "60s") LUD("d", "90s")
#define LONG	LOOP("a", "a", "600ms", "") LOOP("b", "b", "600ms", "") LOOP("c", "c", "600ms", "") \
		LOOP("d", "d", "600ms", "")
/* Two programs in each that compute and copy; images of different sizes. */
#define SRAD	"engines = 2\n" TWO LOOP("a0", "a", "1ms", "count = 2\nengines = 0\n") \
		LOOP("a1", "a", "0.5ms", "count = 2\nengines = 1\n") \
		LOOP("b0", "b", "12ms", "count = 2\nengines = 0\n") \
		LOOP("b1", "b", "4ms", "count = 2\nengines = 1\n")
#define LATER	TWO LOOP("a", "a", "1ms", "count = 2\n") LOOP("b", "b", "2ms", "count = 2\nstart = 20s\n")

/*
 * Run a scenario. false: it cannot be, and the row has failed. @gpu ends the [gpu] section, whose
 * policy it names first.
 */
static const char *trace;	/* to be written, or NULL */

static bool simulate(const char *name, const char *gpu, const char *clients,
		     struct tgs_scenario *s, struct tgs_result *r)
{
	char error[TGS_MESSAGE], text[8192];

	snprintf(text, sizeof(text), "duration = 200s\n[gpu g]\n%spolicy = %s%s",
		 strstr(gpu, LATE_CARD) ? "" : CARD, gpu, clients);
	if (!tgs_scenario_parse(s, text, ".", error) && !tgs_run(s, trace, r, error))
		return true;
	test_row(name, false, "%s", error);
	tgs_scenario_deinit(s);
	return false;
}

/* 1000 times the part of the time, from second @from to @to, that clients called @name... used. */
static s64 permille(const struct tgs_result *r, const char *name, u32 from, u32 to)
{
	s64 used = 0;
	u32 i, step;

	for (i = 0; i < r->nr_clients; i++) {
		const char *is = r->scenario->clients[r->clients[i].conf].name;

		for (step = from / 2; step < to / 2 && !strncmp(is, name, strlen(name)); step++)
			used += r->clients[i].stats.share[step];
	}
	return used / ((s64)(to - from) * TG_MSEC);
}

/* ---- utilisation ------------------------------------------------------------------------ */

#define VGPUS	4

static const struct row {
	const char *name, *gpu, *clients;
	u32 from, to;			/* seconds */
	const char *who[VGPUS];		/* clients whose names begin so */
	s64 want[VGPUS], tolerance;	/* permille */
	s64 together, apart;		/* the first two: at most, at least; 0: no matter */
	s64 least, most;		/* sum of all; 0: no matter */
} rows[] = {
	{ "band: Figure 14, short against long groups", BAND, SHORT_LONG, 30, 200, { "a", "b" },
	  { 500, 500 }, 30, 30, 0, 940, 1000 },
	{ "credit: Figure 14, short against long groups", "credit\n", SHORT_LONG, 30, 200,
	  { "a", "b" }, { 500, 500 }, 500, 0, 100, 940, 1000 },
	{ "vfifo: Figure 14, short against long groups", "vfifo\n", SHORT_LONG, 30, 200,
	  { "a", "b" }, { 500, 500 }, 500, 0, 100, 940, 1000 },
	{ "band: Figure 14, the short ones alone at first", BAND, SHORT_LONG, 2, 30, { "a", "b" },
	  { 940, 0 }, 20, 0, 0, 0, 0 },
	{ "band: interrupts that come late are not the short ones' loss", LATE, HUNDREDS, 20, 200,
	  { "a", "b" }, { 485, 485 }, 10, 10, 0, 950, 1000 },
	{ "band: debts forgiven", "band\nknob = wait_us 2000\nknob = forgive 1\n", SHORT_LONG, 30,
	  200, { "a", "b" }, { 500, 500 }, 30, 30, 0, 940, 1000 },
	{ "band: no wait", "band\nknob = wait_us 0\n", SHORT_LONG, 30, 200, { "a", "b" },
	  { 500, 500 }, 500, 0, 100, 940, 1000 },
	{ "band: several programs each", BAND, MIXED, 2, 200, { "a", "b" }, { 490, 490 }, 20, 30, 0,
	  950, 1000 },
	{ "band: Figure 16, four virtual GPUs", BAND, FOUR("25", "25", "25", "25") ALL, 92, 200,
	  { "a", "b", "c", "d" }, { 250, 250, 250, 250 }, 20, 0, 0, 950, 1000 },
	{ "band: Figure 16, three while the fourth is not there", BAND,
	  FOUR("25", "25", "25", "25") ALL, 64, 90, { "a", "b", "c", "d" },
	  { 325, 325, 325, 0 }, 20, 0, 0, 950, 1000 },
	{ "band: weights", BAND, FOUR("50", "25", "15", "10") ALL, 92, 200, { "a", "b", "c", "d" },
	  { 500, 250, 150, 100 }, 20, 0, 0, 950, 1000 },
	{ "credit: weights, debts forgiven", "credit\nknob = forgive 1\n", FOUR("50", "25", "15", "10") ALL, 92, 200,
	  { "a", "b", "c", "d" }, { 500, 250, 150, 100 }, 20, 0, 0, 950, 1000 },
	{ "vfifo: no weights", "vfifo\n", FOUR("50", "25", "15", "10") ALL, 92, 200,
	  { "a", "b", "c", "d" }, { 250, 250, 250, 250 }, 20, 0, 0, 950, 1000 },
	/* a round takes longer than starvation_us, so all have always waited too long */
	{ "vfifo: each in turn, past the limit", "vfifo\n", FOUR("25", "25", "25", "25") LONG, 20, 200,
	  { "a", "b", "c", "d" }, { 250, 250, 250, 250 }, 20, 0, 0, 950, 1000 },
	{ "credit: each in turn, past the limit", "credit\n", FOUR("25", "25", "25", "25") LONG, 20,
	  200, { "a", "b", "c", "d" }, { 250, 250, 250, 250 }, 20, 0, 0, 950, 1000 },
	{ "band: the rest has what is left", BAND, "[spec]\n[vgpu a]:60:1:1\n[vgpu b]:20:1:1\n"
	  LUD("a", "0s") LUD("b", "0s") LUD("nobody", "0s"), 2, 200, { "a", "b", "nobody" },
	  { 600, 200, 200 }, 20, 0, 0, 950, 1000 },
	/* a group a second */
	{ "band: the rest has something", BAND, "[spec]\n[vgpu a]:100:1:1\n" LUD("a", "0s")
	  LUD("nobody", "0s"), 2, 200, { "a", "nobody" }, { 967, 1 }, 1, 0, 0, 950, 1000 },
	{ "credit: the rest has something", "credit\n", "[spec]\n[vgpu a]:100:1:1\n"
	  LUD("a", "0s") LUD("nobody", "0s"), 2, 200, { "a", "nobody" }, { 967, 1 }, 1, 0, 0, 950,
	  1000 },
	{ "band: MRQ, Figure 15, compute", BAND "knob = mrq 1\n", SRAD, 2, 200, { "a0", "b0" },
	  { 500, 500 }, 30, 0, 0, 0, 0 },
	{ "band: MRQ, Figure 15, copies", BAND "knob = mrq 1\n", SRAD, 2, 200, { "a1", "b1" },
	  { 500, 500 }, 30, 0, 0, 0, 0 },
	{ "band: MRQ, Figure 15, the sum", BAND "knob = mrq 1\n", SRAD, 2, 200, { "a", "b" },
	  { 1000, 1000 }, 60, 0, 0, 1001, 2000 },
	{ "band: SDQ, the sum", BAND, SRAD, 2, 200, { "a", "b" }, { 490, 490 }, 30, 30, 0, 900,
	  1000 },
	{ "vfifo: MRQ, the sum", "vfifo\nknob = mrq 1\n", SRAD, 2, 200, { "a", "b" },
	  { 1000, 1000 }, 1000, 0, 0, 1001, 2000 },
	/* from second 20 on it is owed what it could have had in the window, and no more */
	{ "band: idle time is not saved up", BAND, LATER, 22, 30, { "a", "b" }, { 490, 490 }, 40, 0,
	  0, 950, 1000 },
};

static void utilisation(const struct row *row)
{
	struct tgs_scenario s;
	struct tgs_result r;
	char got[128] = "";
	s64 part[VGPUS] = { }, sum = 0, apart;
	bool good;
	u32 i;

	if (!simulate(row->name, row->gpu, row->clients, &s, &r))
		return;
	good = !r.gpus[0].notes[TG_NOTE_EJECTED_STARVED];
	for (i = 0; i < VGPUS && row->who[i]; i++) {
		part[i] = permille(&r, row->who[i], row->from, row->to);
		sum += part[i];
		good &= llabs(part[i] - row->want[i]) <= row->tolerance;
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " %lld.%lld",
			 (long long)part[i] / 10, (long long)part[i] % 10);
	}
	apart = llabs(part[0] - part[1]);
	printf("# %s: %%%s\n", row->name, got);
	test_row(row->name, good && (!row->together || apart <= row->together) &&
		 apart >= row->apart && sum >= row->least && (!row->most || sum <= row->most),
		 "%%%s", got);
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
}

/* ---- inside a virtual GPU --------------------------------------------------------------- */

/* One of priority 9 that is often idle does not wait for its own virtual GPU's others. */
static void priorities(const char *policy)
{
	char name[64], gpu[64];
	struct tgs_scenario s;
	struct tgs_result r;
	s64 wait, other;

	snprintf(name, sizeof(name), "%s: priority inside a virtual GPU", policy);
	snprintf(gpu, sizeof(gpu), "%s\n", policy);
	if (!simulate(name, gpu, TWO LOOP("low", "a", "1ms", "count = 8\n")
		      "[client high]\narrival = periodic 20ms\ncost = fixed 1ms\n"
		      "spec = prt:bg:9:0:0:vgpu=a\n"
		      LOOP("b", "b", "1ms", "count = 4\n"), &s, &r))
		return;
	wait = tgs_hist_at(&r.clients[8].stats.latency, 500);
	other = tgs_hist_at(&r.clients[0].stats.latency, 500);
	printf("# %s: %lld us, others %lld us\n", name, (long long)wait / TG_USEC,
	       (long long)other / TG_USEC);
	test_row(name, wait * 2 < other, "%lld us, others %lld us", (long long)wait / TG_USEC,
		 (long long)other / TG_USEC);
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
}

/* HT: no gap between the groups of one that is alone; none beside others of another virtual GPU. */
static void follows(const char *policy)
{
	static const char ht[] = "[client a]\narrival = back-to-back 50us\ncost = fixed 0.2ms\n"
				 "depth = 2\nspec = ht:bg:0:0:0:vgpu=a\n";
	char name[64], gpu[64], text[1024];
	struct tgs_scenario s;
	struct tgs_result r;
	s64 alone, beside;

	snprintf(name, sizeof(name), "%s: HT follows itself where nobody waits", policy);
	snprintf(gpu, sizeof(gpu), "%s\n", policy);
	snprintf(text, sizeof(text), TWO "%s", ht);
	if (!simulate(name, gpu, text, &s, &r))
		return;
	alone = permille(&r, "a", 2, 200);
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
	snprintf(text, sizeof(text), TWO "%s" LOOP("b", "b", "0.2ms", "count = 2\n"), ht);
	if (!simulate(name, gpu, text, &s, &r))
		return;
	beside = permille(&r, "a", 2, 200);
	test_row(name, alone >= 990 && llabs(beside - 450) < 80, "%lld, beside another %lld permille",
		 (long long)alone, (long long)beside);
	tgs_result_deinit(&r);
	tgs_scenario_deinit(&s);
}

/* ---- replay ----------------------------------------------------------------------------- */

static void replays(const char *policy)
{
	static char bytes[1 << 26];
	char name[64], gpu[64], path[] = "/tmp/vgpu-XXXXXX", error[TGS_MESSAGE];
	FILE *file, *nowhere = fopen("/dev/null", "w");
	struct tgs_scenario s;
	struct tgs_result r;
	struct tgs_trace t;
	bool good = false;

	snprintf(name, sizeof(name), "%s: its trace replays", policy);
	snprintf(gpu, sizeof(gpu), "%s\nknob = mrq 1\n", policy);
	close(mkstemp(path));
	trace = path;
	if (simulate(name, gpu, "engines = 2\n" TWO
		     LOOP("a", "a", "20ms", "count = 2\nengines = 0\n")
		     LOOP("b", "b", "35ms", "count = 2\nengines = 1\n")
		     LOOP("c", "b", "45ms", "engines = 0\n"), &s, &r)) {
		file = fopen(path, "r");
		good = !tgs_trace_read(&t, bytes, fread(bytes, 1, sizeof(bytes), file), error) &&
		       !tgs_replay(&t, nowhere);
		tgs_trace_deinit(&t);
		fclose(file);
		tgs_result_deinit(&r);
		tgs_scenario_deinit(&s);
	}
	trace = NULL;
	unlink(path);
	fclose(nowhere);
	test_row(name, good, "it does not");
}

/* ---- which clients belong to which --------------------------------------------------------------- */

static const struct member {
	const char *name;
	struct tg_identity id;
	const char *vgpu;
} members[] = {
	{ "by name", { .comm = "game" }, "one" },
	{ "by executable", { .comm = "x", .exe = "/opt/render/x" }, "two" },
	{ "by user", { .comm = "x", .uid = 1001 }, "one" },
	{ "by cgroup", { .comm = "x", .cgroup = "/user.slice/x" }, "two" },
	{ "a line without vgpu=", { .comm = "plain" }, "" },
	{ "a virtual GPU that nobody defines", { .comm = "lost" }, "" },
	{ "no line", { .comm = "x" }, "" },
};

static const char belongs[] =
	"game:prt:pe:1:1000:2000:vgpu=one\nexe=/opt/render/*:ht:bg:0:0:0:vgpu=two\n"
	"uid=1001:ht:bg:0:0:0:vgpu=one\n[vgpu one]:50:50:50\n[vgpu two]:30:20:10\n"
	"cgroup=/user.slice/*:ht:bg:0:0:0:vgpu=two\nplain:ht:bg:0:0:0\nlost:ht:bg:0:0:0:vgpu=three\n";

static void membership(const struct member *row)
{
	char name[64];
	struct th_host h;
	struct th_client *client;
	const char *got;

	snprintf(name, sizeof(name), "members: %s", row->name);
	th_init(&h, 1, "band", 0, 2, 2, 1);
	th_spec(&h, belongs, false);
	client = th_join(&h, NULL, row->id.comm, 0, 1);
	client->ident.uid = row->id.uid;
	client->ident.exe = row->id.exe;
	client->ident.cgroup = row->id.cgroup;
	th_spec(&h, belongs, true);
	got = h.core.vgpu[tg_gpu_client(&h.core, client->id)->vgpu].name;
	if (strcmp(got, row->vgpu))
		th_fail(&h, "it belongs to '%s'", got);
	client->ident.exe = NULL;
	client->ident.cgroup = NULL;
	th_wind_up(&h);
	test_row(name, !*h.wrong, "%s", h.wrong);
	th_deinit(&h);
}

/* ---- by hand ---------------------------------------------------------------------------- */

static void by_hand(struct th_host *h, const char *name, u32 compute, u32 copy, u32 memory, int want)
{
	struct tg_vgpu_conf conf = { .share = { compute, copy, memory } };
	struct tg_event ev = { .kind = TG_EV_VGPU, .vgpu = &conf, .at = h->now };

	memcpy(conf.name, name, strlen(name));
	th_feed(h, &ev, want);
}

/* "NAME COMPUTE/COPY/MEMORY CLIENTS", of all that are there, the rest first */
static void expect(struct th_host *h, const char *want)
{
	char got[512] = "";
	u32 i;

	for (i = 0; i <= TG_VGPUS_MAX; i++) {
		const struct tg_vgpu *v = &h->core.vgpu[i];

		if (!i || v->name[0])
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s %u/%u/%u %u; ",
				 v->name, v->share[TG_COMPUTE], v->share[TG_COPY],
				 v->share[TG_MEMORY], v->clients);
	}
	if (strcmp(got, want))
		th_fail(h, "there is '%s' instead of '%s'", got, want);
}

static void hand(void)
{
	static const char spec[] = "[vgpu v]:50:60:70\na:ht:bg:0:0:0:vgpu=v\nb:ht:bg:0:0:0:vgpu=w\n";
	static const char swap[] = "a:ht:bg:0:0:0:vgpu=w\n[vgpu w]:100:100:100\n";
	struct th_client *a, *b;
	char name[8];
	struct th_host h;
	u32 i;

	th_init(&h, 1, "band", 0, 4, 8, 2);
	expect(&h, " 100/100/100 0; ");
	a = th_join(&h, NULL, "a", 0, 1);
	expect(&h, " 100/100/100 1; ");
	th_spec(&h, spec, true);
	b = th_join(&h, NULL, "b", 0, 1);
	for (i = 0; i < 4; i++) {
		th_submit(&h, a, 0, NULL);
		th_submit(&h, b, 0, NULL);
	}
	expect(&h, " 50/40/30 1; v 50/60/70 1; ");
	by_hand(&h, "w", 51, 1, 1, -ENOSPC);
	by_hand(&h, "w", 1, 1, 31, -ENOSPC);
	by_hand(&h, "w", 1, 0, 1, -EINVAL);
	by_hand(&h, "w", 101, 1, 1, -EINVAL);
	by_hand(&h, "", 1, 1, 1, -EINVAL);
	by_hand(&h, "12345678901234567890123456789012", 1, 1, 1, -EINVAL);
	by_hand(&h, "w", 0, 0, 0, -ENOENT);
	by_hand(&h, "w", 50, 40, 30, 0);
	expect(&h, " 1/1/0 0; v 50/60/70 1; w 50/40/30 1; ");
	by_hand(&h, "w", 51, 40, 30, -ENOSPC);
	by_hand(&h, "w", 10, 20, 30, 0);
	expect(&h, " 40/20/0 0; v 50/60/70 1; w 10/20/30 1; ");
	by_hand(&h, "v", 0, 0, 0, 0);
	expect(&h, " 90/80/70 1; w 10/20/30 1; ");
	for (i = 0; i < 15; i++) {
		snprintf(name, sizeof(name), "x%u", i);
		by_hand(&h, name, 1, 1, 1, 0);
	}
	by_hand(&h, "y", 1, 1, 1, -ENOSPC);
	/* a spec replaces them all; a client moves to its new virtual GPU at once, or has none */
	th_spec(&h, spec, false);
	expect(&h, " 50/40/30 2; v 50/60/70 0; ");
	th_spec(&h, swap, true);
	expect(&h, " 1/1/0 1; w 100/100/100 1; ");
	th_spec(&h, "", false);
	expect(&h, " 100/100/100 2; ");
	th_wind_up(&h);
	expect(&h, " 100/100/100 0; ");
	test_row("defined by hand", !*h.wrong, "%s", h.wrong);
	th_deinit(&h);
}

int main(void)
{
	static const char *const policies[] = { "band", "credit", "vfifo" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		utilisation(&rows[i]);
	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		priorities(policies[i]);
		follows(policies[i]);
		replays(policies[i]);
	}
	for (i = 0; i < ARRAY_SIZE(members); i++)
		membership(&members[i]);
	hand();
	return test_end();
}
