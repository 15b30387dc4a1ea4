// SPDX-License-Identifier: GPL-2.0
/*
 * Found by random scenarios: a search drew some 1900 of them, and each row here is one whose result was
 * far from what docs/policies promises, made as small as it shows that. In tgsim, over a minute of
 * virtual time. It prints every figure.
 *
 * A bound that does not hold yet is an open row (rows.h).
 */
#include <stdlib.h>
#include "rows.h"

#define HEAD	"duration = 60s\n[gpu g]\nsubmit = 20us\ninterrupt = 10us\npolicy = "
#define CLIENTS	16

/* In @open, and of @policies */
#define TIMEGRAPH	(1 << 0)
#define TIMESLICE	(1 << 1)
#define BAND		(1 << 2)
#define LOGA		(1 << 3)
#define DTIMESLICE	(1 << 4)
#define DFQ		(1 << 5)
#define VFIFO		(1 << 6)
#define CREDIT		(1 << 7)

static const char *const policies[] = {
	"timegraph", "timeslice", "band", "loga", "dtimeslice", "dfq", "vfifo", "credit",
};

/* Lines of a [client] section */
#define BUSY(cost, depth)	"arrival = back-to-back\ncost = fixed " cost "\ndepth = " depth "\n"
#define ONE(cost)		"arrival = back-to-back\ncost = fixed " cost "\n"
#define SPEC(line)		"spec = " line "\n"
#define SHARED(prio, more)	SPEC("prt:pe:" prio ":24ms:25ms:reserve=x" more)
#define HALF			SPEC("prt:pe:50:12ms:25ms:reserve=x")
#define ENGINE(nr)		"engines = " nr "\n"

#define HALVES	"[spec]\n[vgpu v]:50:50:50\n[vgpu w]:50:50:50\n"
#define EIGHTH	":6:6:6\n"
#define SIXTEEN	"[spec]\n[vgpu a]" EIGHTH "[vgpu b]" EIGHTH "[vgpu c]" EIGHTH "[vgpu d]" EIGHTH \
		"[vgpu e]" EIGHTH "[vgpu f]" EIGHTH "[vgpu g]" EIGHTH "[vgpu h]" EIGHTH \
		"[vgpu i]" EIGHTH "[vgpu j]" EIGHTH "[vgpu k]" EIGHTH "[vgpu l]" EIGHTH \
		"[vgpu m]" EIGHTH "[vgpu n]" EIGHTH "[vgpu o]" EIGHTH "[vgpu p]" EIGHTH
#define IN(vgpu)	ONE("100ms") SPEC("prt:bg:50:0:0:vgpu=" vgpu)

/*
 * @head: ends the [gpu] section, and may have a spec. @client: called a, b, c and so on.
 * @equal: so many of the first of them have equal parts of what these use, within 2 points.
 * @busy: permille for which each of @engines is busy, at least.
 * @wait: the longest latency of the first client, ms, at most.
 * @least: permille of the time that the first client has, at least.
 */
static const struct row {
	const char *name;
	u32 policies, open;
	const char *head, *client[CLIENTS];
	u32 equal, engines, busy, wait, least;
} rows[] = {
	{ "two virtual GPUs share a reserve, one 100 deep and of higher priority", TIMESLICE | BAND, 0,
	  HALVES, { BUSY("5ms", "100") SHARED("60", ",vgpu=v"), BUSY("5ms", "2") SHARED("50", ",vgpu=w") },
	  .equal = 2 },
	{ "two clients share a reserve, 100 and 2 deep", TIMEGRAPH | TIMESLICE | BAND, 0,
	  "", { BUSY("5ms", "100") SHARED("50", ""), BUSY("5ms", "2") SHARED("50", "") }, .equal = 2 },
	{ "six clients of 1, 5 and 20 ms share a reserve, one 100 deep", TIMEGRAPH | BAND, 0,
	  "", { BUSY("1ms", "100") SHARED("50", ""), BUSY("1ms", "2") SHARED("50", ""),
		BUSY("5ms", "4") SHARED("50", ""), BUSY("5ms", "2") SHARED("50", ""),
		BUSY("20ms", "2") SHARED("50", ""), BUSY("20ms", "4") SHARED("50", "") }, .equal = 6 },
	/* Of 96 % for both, the other one has what is left. */
	{ "a queue of 1000 groups of 20 ms, and one of 2", TIMEGRAPH | TIMESLICE | BAND, 0,
	  "", { BUSY("20ms", "1000") SHARED("50", ""), BUSY("5ms", "2") SHARED("50", "") }, .equal = 2 },
	{ "20 ms and 0.1 ms, 100 deep", TIMEGRAPH | BAND, TIMEGRAPH | BAND,
	  "", { BUSY("20ms", "2") HALF, BUSY("0.1ms", "100") HALF }, .equal = 2 },
	{ "1 and 20 ms share a reserve that is exhausted most of the time, beside a third", TIMEGRAPH | BAND, 0,
	  "", { BUSY("1ms", "2") SPEC("prt:pe:50:10ms:50ms:reserve=x"),
		BUSY("20ms", "2") SPEC("prt:pe:50:10ms:50ms:reserve=x"),
		"arrival = periodic 3ms\ncost = fixed 1ms\ndepth = 2\n" SPEC("prt:bg:60:0:0") }, .equal = 2 },
	{ "two of 5 ms and two below them share 4 ms of each 10, beside 20 ms", TIMEGRAPH | TIMESLICE | DTIMESLICE | BAND, 0,
	  "", { BUSY("5ms", "2") SPEC("prt:pe:60:4ms:10ms:reserve=x"), BUSY("5ms", "2") SPEC("prt:pe:60:4ms:10ms:reserve=x"),
		BUSY("2ms", "2") SPEC("prt:pe:50:4ms:10ms:reserve=x"), BUSY("2ms", "2") SPEC("prt:pe:50:4ms:10ms:reserve=x"),
		BUSY("20ms", "2") SPEC("prt:bg:10:0:0") }, .equal = 2 },
	{ "two share 5 ms of each 50, beside one with a reserve of its own", TIMEGRAPH | TIMESLICE | BAND | VFIFO, 0,
	  "", { BUSY("5ms", "2") SPEC("prt:pe:50:5ms:50ms:reserve=x"), BUSY("5ms", "2") SPEC("prt:pe:50:5ms:50ms:reserve=x"),
		BUSY("5ms", "2") SPEC("prt:pe:50:25ms:50ms") }, .equal = 2 },
	{ "one of 20 ms and one of 1 ms share 10 ms of each 50, beside one with a reserve of its own",
	  TIMEGRAPH | TIMESLICE | BAND, 0,
	  "", { BUSY("20ms", "2") SPEC("prt:pe:50:10ms:50ms:reserve=x"), BUSY("1ms", "2") SPEC("prt:pe:50:10ms:50ms:reserve=x"),
		BUSY("5ms", "2") SPEC("prt:pe:50:25ms:50ms") }, .equal = 2 },
	/* The user's other program has half of the GPU, and that counts beside what the two share. */
	{ "a user with a second reserve, and another one, share 5 ms of each 50", TIMESLICE | BAND, TIMESLICE | BAND,
	  "knob = share 1\n",
	  { BUSY("5ms", "2") "user = 1\n" SPEC("prt:pe:50:5ms:50ms:reserve=x"),
	    BUSY("5ms", "2") "user = 2\n" SPEC("prt:pe:50:5ms:50ms:reserve=x"),
	    BUSY("5ms", "2") "user = 1\n" SPEC("prt:pe:50:25ms:50ms") }, .equal = 2 },
	/* The virtual GPU v is busy without the reserve: what waits for it there goes nowhere. */
	{ "a deep queue that its virtual GPU holds back", BAND | VFIFO | CREDIT, 0,
	  HALVES, { BUSY("5ms", "2") "start = 1s\n" SPEC("prt:pe:50:10ms:25ms:reserve=x,vgpu=w"),
		    BUSY("5ms", "8") SPEC("prt:bg:60:0:0:vgpu=v"),
		    BUSY("5ms", "100") SPEC("prt:pe:50:10ms:25ms:reserve=x,vgpu=v"),
		    BUSY("5ms", "2") SPEC("prt:pe:40:10ms:25ms:reserve=x,vgpu=w") }, .least = 380 },
	{ "nine tenths and one share a reserve", BAND, 0, "[spec]\n[vgpu v]:90:90:50\n[vgpu w]:10:10:50\n",
	  { BUSY("20ms", "2") SHARED("50", ",vgpu=v"), BUSY("0.5ms", "100") SHARED("50", ",vgpu=w") },
	  .least = 840 },
	{ "on the busy engine two queues of 100 of a reserve", TIMEGRAPH | TIMESLICE, 0, "engines = 2\n",
	  { BUSY("2ms", "2") ENGINE("0") SPEC("prt:pe:50:9ms:10ms:reserve=x"),
	    BUSY("2ms", "100") ENGINE("1") SPEC("prt:pe:50:9ms:10ms:reserve=x"),
	    BUSY("2ms", "100") ENGINE("1") SPEC("prt:pe:50:9ms:10ms:reserve=x"),
	    BUSY("2ms", "4") ENGINE("1") "count = 3\n" SPEC("prt:bg:50:0:0") }, .least = 400 },
	/* 25 of them at a time, each with a part of 48 %: two groups of 5 ms in 250 ms, and what runs then */
	{ "a process comes every 28 ms, with groups of 15 ms", TIMEGRAPH | BAND, 0,
	  "", { BUSY("5ms", "2") "start = 1s\n" SPEC("prt:pe:50:12ms:25ms:reserve=x"),
		"arrival = bursts 1 every 300s\ncost = fixed 15ms\ncount = 2000\nstagger = 28ms\nlife = 700ms\n"
		SPEC("prt:pe:50:12ms:25ms:reserve=x") }, .wait = 750 },
	{ "two engines share a reserve", TIMEGRAPH | TIMESLICE | BAND, 0,
	  "engines = 2\n", { BUSY("5ms", "8") ENGINE("0") SHARED("50", ""),
			     BUSY("5ms", "2") ENGINE("1") SHARED("50", "") }, .engines = 2, .busy = 400 },
	{ "two engines, one client each", LOGA | DTIMESLICE | DFQ, 0,
	  "engines = 2\n", { BUSY("5ms", "2") ENGINE("0"), BUSY("5ms", "2") ENGINE("1") },
	  .engines = 2, .busy = 970 },
	{ "two engines, four clients on the first", LOGA | DTIMESLICE | DFQ, 0,
	  "engines = 2\n", { BUSY("2ms", "2") ENGINE("1"), BUSY("5ms", "2") ENGINE("0"),
			     BUSY("5ms", "2") ENGINE("0"), BUSY("5ms", "2") ENGINE("0"),
			     BUSY("5ms", "2") ENGINE("0") }, .engines = 2, .busy = 970 },
	{ "two engines, 20 ms on one and 0.5 ms on the other", LOGA | DTIMESLICE | DFQ, 0,
	  "engines = 2\n", { BUSY("20ms", "2") ENGINE("0"), BUSY("0.5ms", "2") ENGINE("1") },
	  .engines = 2, .busy = 940 },	/* without a policy the second one has 95 %: gaps of 30 us */
	{ "two engines, two clients on the first and three on the second", DFQ, 0,
	  "engines = 2\n", { BUSY("20ms", "2") ENGINE("0"), BUSY("2ms", "2") ENGINE("0"),
			     BUSY("8ms", "4") ENGINE("1"), BUSY("0.5ms", "4") ENGINE("1"),
			     BUSY("1ms", "4") ENGINE("1") }, .equal = 2, .engines = 2, .busy = 970 },
	{ "two engines, three clients on the first and two on the second", DFQ, 0,
	  "engines = 2\n", { BUSY("8ms", "4") ENGINE("1"), BUSY("0.5ms", "4") ENGINE("1"),
			     BUSY("1ms", "4") ENGINE("1"), BUSY("20ms", "2") ENGINE("0"),
			     BUSY("2ms", "2") ENGINE("0") }, .equal = 3, .engines = 2, .busy = 970 },
	/* The first one is ahead most of the time, and the second one away. */
	{ "two engines, 10 ms beside bursts of 1 ms on the first", DFQ, 0,
	  "engines = 2\n", { "arrival = bursts 10 every 100ms\ncost = fixed 1ms\ndepth = 10\n" ENGINE("0"),
			     BUSY("10ms", "2") ENGINE("0"), BUSY("3ms", "2") ENGINE("1") },
	  .engines = 2, .busy = 970, .least = 98 },
	/* 6 ms alone, and one group of each of the others */
	{ "a game whose equal comes every 5 s, beside one of lower priority", TIMEGRAPH | BAND, 0,
	  "", { "arrival = periodic 16ms\ncost = fixed 6ms\n" SPEC("prt:bg:50:0:0"),
		"arrival = bursts 100 every 5s\ncost = fixed 5ms\ndepth = 100\n" SPEC("prt:bg:50:0:0"),
		ONE("1ms") SPEC("prt:bg:10:0:0") }, .wait = 13 },
	{ "a light newcomer beside weight 1000", TIMESLICE | DTIMESLICE, 0,
	  "", { "arrival = periodic 1s\nstart = 10s\ncost = fixed 0.2ms\n" SPEC("prt:bg:0:0:0:weight=1"),
		BUSY("1ms", "2") SPEC("prt:bg:0:0:0:weight=1000") }, .wait = 32 },
	{ "new processes beside weight 1000", TIMESLICE | DTIMESLICE, 0,
	  "", { BUSY("1ms", "2") "user = 1\n" SPEC("prt:bg:0:0:0:weight=1000"),
		BUSY("5ms", "2") "user = 2\ncount = 1180\nstagger = 50ms\nlife = 100ms\n" SPEC("prt:bg:0:0:0:weight=1") },
	  .least = 960 },
	{ "sixteen virtual GPUs of 100 ms", VFIFO | CREDIT, 0, SIXTEEN,
	  { IN("a"), IN("b"), IN("c"), IN("d"), IN("e"), IN("f"), IN("g"), IN("h"), IN("i"), IN("j"), IN("k"),
	    IN("l"), IN("m"), IN("n"), IN("o"), IN("p") }, .equal = 16 },
};

/* The text of the scenario. */
static void compose(const struct row *row, const char *policy, char *text, u32 size)
{
	u32 i, n = snprintf(text, size, HEAD "%s\n%s", policy, row->head);

	for (i = 0; i < CLIENTS && row->client[i]; i++)
		n += snprintf(text + n, size - n, "[client %c]\n%s", 'a' + i, row->client[i]);
}

static bool judge(const struct row *row, const struct tgs_scenario *s, const struct tgs_result *r, char *got,
		  u32 size)
{
	s64 sum = 0, has;
	bool good = true;
	u32 i, n = 0;

	for (i = 0; i < row->equal; i++)
		sum += r->clients[i].stats.used;
	for (i = 0; i < row->equal; i++) {
		has = r->clients[i].stats.used * 1000 / max(sum, (s64)1);
		good = good && llabs(has - 1000 / (s64)row->equal) <= 20;
		n += snprintf(got + n, size - n, " %lld.%lld", (long long)has / 10, (long long)has % 10);
	}
	if (row->equal)
		n += snprintf(got + n, size - n, " %%,");
	for (i = 0; i < max(row->engines, 1u); i++) {
		has = r->gpus[0].engine[i].busy * 1000 / s->duration;
		good = good && has >= row->busy;
		n += snprintf(got + n, size - n, " engine %u busy %lld.%lld %%", i, (long long)has / 10,
			      (long long)has % 10);
	}
	has = r->clients[0].stats.latency.max / TG_MSEC;
	if (row->wait)
		snprintf(got + n, size - n, ", %lld ms at most, of at most %u", (long long)has, row->wait);
	good = good && (!row->wait || has <= row->wait);
	has = r->clients[0].stats.used * 1000 / s->duration;
	if (row->least)
		snprintf(got + strlen(got), size - strlen(got), ", the first %lld.%lld %%, of at least %u.%u",
			 (long long)has / 10, (long long)has % 10, row->least / 10, row->least % 10);
	return good && has >= row->least;
}

int main(void)
{
	char text[8192], name[160], got[512];
	const struct row *row;
	struct tgs_scenario s;
	struct tgs_result r;
	u32 p;

	for (row = rows; row < rows + ARRAY_SIZE(rows); row++)
		for (p = 0; p < ARRAY_SIZE(policies); p++) {
			if (!(row->policies & 1 << p))
				continue;
			snprintf(name, sizeof(name), "%s: %s", policies[p], row->name);
			compose(row, policies[p], text, sizeof(text));
			if (!rows_run(name, policies[p], text, &s, &r))
				continue;
			rows_tell(name, row->open & 1 << p, judge(row, &s, &r, got, sizeof(got)), got);
			rows_end(&s, &r);
		}
	return test_end();
}
