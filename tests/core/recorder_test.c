// SPDX-License-Identifier: GPL-2.0
/*
 * The flight recorder (src/core/recorder.c): what it writes of waits that are worked out by hand,
 * and its ring: wrapped, resized while it is written, read in parts; what another user may see.
 */
#include <tg/recorder.h>
#include "../lib/test.h"
#include "script.h"

#define MS	TG_MSEC

static struct tg_wait seen[64];
static u32 nr_seen, nr_took;

static void took(struct tg_recorder *rec, struct tg_wait *wait, struct tg_client *client)
{
	nr_took++;
	if (wait->who.client != client->id)
		abort();
}

static struct tg_recorder *recorder(u32 nr, u64 last)
{
	struct tg_recorder *rec = tg_recorder_init(calloc(1, tg_recorder_size(nr, TG_ENGINES_MAX)), nr,
						   TG_ENGINES_MAX, last);

	rec->took = took;
	return rec;
}

/* All records, read @at_once with each call. */
static u32 read_all(const struct tg_recorder *rec, u32 at_once)
{
	u64 number = 0;
	u32 n;

	for (nr_seen = 0; (n = tg_recorder_read(rec, &number, seen + nr_seen, at_once)); nr_seen += n)
		;
	return nr_seen;
}

/* --- records, worked out by hand --- */

/* The script's GPU with a recorder; times in ms. */
static struct host *host;

static void begin(const char *policy, u32 nr)
{
	host = calloc(1, sizeof(*host));
	host_begin(host, policy);
	host->gpu.recorder = recorder(nr, 0);
	nr_took = 0;
}

static void end(void)
{
	host_end(host);
	free(host->gpu.recorder);
	free(host);
}

/* Lines of script.h; what is wrong, or NULL. */
static const char *play(const char *script)
{
	host->used = 0;		/* the log is not looked at */
	return host_play(host, script);
}

static char *print(void)
{
	static char text[2048];
	size_t used = 0;
	u32 i, k;

	*text = '\0';
	for (i = 0; i < nr_seen; i++) {
		const struct tg_wait *w = &seen[i];

		used += snprintf(text + used, sizeof(text) - used,
				 "%s%llu %s job %llu: %lld = %lld+%lld+%lld+%lld, lost %lld, idle %lld, ran %lld, "
				 "others %lld, waits %u sum %lld", i ? "; " : "", (unsigned long long)w->number,
				 w->who.comm, (unsigned long long)w->job, (long long)(w->waited / MS),
				 (long long)(w->reserve / MS), (long long)(w->policy / MS),
				 (long long)(w->driver / MS), (long long)(w->behind / MS),
				 (long long)(w->lost / MS), (long long)(w->idle / MS),
				 (long long)(w->ran / MS), (long long)(w->others / MS), w->waits,
				 (long long)(w->sum / MS));
		for (k = 0; k < w->rivals; k++)
			used += snprintf(text + used, sizeof(text) - used, ", %s %lld", w->rival[k].who.comm,
					 (long long)(w->rival[k].ran / MS));
		if (w->end)
			used += snprintf(text + used, sizeof(text) - used, ", end %u", w->end);
	}
	return text;
}

/* For rows of records that @good has read. */
static void row(const char *name, bool good)
{
	test_row(name, good, "%u records: %s", nr_seen, print());
}

static const struct {
	const char *name, *policy, *script, *expected;
} waits[] = {
	{ "a wait for the policy names who ran", "timegraph",
	  "0 join 1 1 bomb\n0 join 2 2 game\n0 submit 1 1 1\n0 started 1\n5000 submit 2 2 2\n"
	  "20000 done 1\n20000 started 2\n24000 done 2\n",
	  "1 game job 2: 15 = 0+15+0+0, lost 15, idle 0, ran 4, others 0, waits 1 sum 15, bomb 15" },
	{ "a client that is alone waits for nobody", "timegraph",
	  "0 join 1 1 a\n0 submit 1 1 1\n0 started 1\n5000 submit 1 1 2\n20000 done 1\n20000 started 2\n"
	  "24000 done 2\n", "" },
	{ "time of one's own groups is not lost", "timegraph",
	  "0 join 1 1 bomb\n0 join 2 2 game\n0 submit 2 2 1\n0 started 1\n0 submit 1 1 3\n"
	  "4000 submit 2 2 2\n10000 done 1\n10000 started 3\n30000 done 3\n30000 started 2\n31000 done 2\n",
	  "1 bomb job 3: 10 = 0+10+0+0, lost 10, idle 0, ran 20, others 0, waits 1 sum 10, game 10; "
	  "2 game job 2: 26 = 0+26+0+0, lost 20, idle 0, ran 1, others 0, waits 1 sum 20, bomb 20" },
	{ "behind others on the hardware", "fifo",
	  "0 join 1 1 bomb\n0 join 2 2 game\n0 submit 1 1 1\n0 started 1\n5000 submit 2 2 2\n"
	  "6000 started 2\n20000 done 1\n24000 done 2\n",
	  "1 game job 2: 15 = 0+0+1+14, lost 15, idle 0, ran 4, others 0, waits 1 sum 15, bomb 15" },
	{ "for a reserve, while the engine idles", "timegraph",
	  "0 spec a:prt:pe:1:2000:20000\n0 join 1 1 a\n0 submit 1 1 1\n0 started 1\n"
	  "5000 done 1\n6000 submit 1 1 2\n60000 started 2\n61000 done 2\n",
	  "1 a job 2: 54 = 34+0+20+0, lost 54, idle 54, ran 1, others 0, waits 1 sum 54" },
	{ "given up while a group runs", "timegraph",
	  "0 join 1 1 bomb\n0 join 2 2 game\n0 submit 1 1 1\n0 started 1\n5000 submit 2 2 2\n"
	  "15000 cancel 2\n20000 done 1\n",
	  "1 game job 2: 10 = 0+10+0+0, lost 10, idle 0, ran 0, others 0, waits 1 sum 10, bomb 10, end 2" },
	{ "less than 1 ms is left out", "timegraph",
	  "0 join 1 1 bomb\n0 join 2 2 game\n0 submit 1 1 1\n0 started 1\n19001 submit 2 2 2\n"
	  "20000 done 1\n20000 started 2\n24000 done 2\n", "" },
	{ "of a second the longest, and the sum", "timegraph",
	  "0 join 1 1 bomb\n0 join 2 2 game\n0 submit 1 1 1\n0 started 1\n5000 submit 2 2 2\n"
	  "10000 done 1\n10000 started 2\n11000 done 2\n11000 submit 1 1 3\n11000 started 3\n"
	  "12000 submit 2 2 4\n41000 done 3\n41000 started 4\n42000 done 4\n42000 submit 1 1 5\n"
	  "42000 started 5\n43000 submit 2 2 6\n50000 done 5\n50000 started 6\n51000 done 6\n",
	  "1 game job 4: 29 = 0+29+0+0, lost 29, idle 0, ran 1, others 0, waits 3 sum 41, bomb 29" },
	{ "the next second has its own", "timegraph",
	  "0 join 1 1 bomb\n0 join 2 2 game\n0 submit 1 1 1\n0 started 1\n5000 submit 2 2 2\n"
	  "10000 done 1\n10000 started 2\n11000 done 2\n1200000 submit 1 1 3\n1200000 started 3\n"
	  "1201000 submit 2 2 4\n1203000 done 3\n1203000 started 4\n1204000 done 4\n",
	  "1 game job 2: 5 = 0+5+0+0, lost 5, idle 0, ran 1, others 0, waits 1 sum 5, bomb 5; "
	  "2 game job 4: 2 = 0+2+0+0, lost 2, idle 0, ran 1, others 0, waits 1 sum 2, bomb 2" },
	{ "the name of one that has left", "timegraph",
	  "0 join 1 1 bomb\n0 join 2 2 game\n0 submit 1 1 1\n0 started 1\n5000 submit 2 2 2\n"
	  "20000 done 1\n20000 leave 1 1\n20000 started 2\n24000 done 2\n",
	  "1 game job 2: 15 = 0+15+0+0, lost 15, idle 0, ran 4, others 0, waits 1 sum 15, bomb 15" },
	{ "three are named, the longest first, and the rest is others'", "fifo",
	  "0 join 1 1 a\n0 join 2 2 b\n0 join 3 3 c\n0 join 4 4 d\n0 join 5 5 e\n"
	  "0 submit 1 1 1\n0 started 1\n0 submit 2 2 2\n0 started 2\n0 submit 3 3 3\n0 started 3\n"
	  "0 submit 4 4 4\n0 started 4\n0 submit 5 5 5\n0 started 5\n"
	  "3000 done 1\n9000 done 2\n11000 done 3\n18000 done 4\n19000 done 5\n",
	  "1 b job 2: 3 = 0+0+0+3, lost 3, idle 0, ran 6, others 0, waits 1 sum 3, a 3; "
	  "2 c job 3: 9 = 0+0+0+9, lost 9, idle 0, ran 2, others 0, waits 1 sum 9, b 6, a 3; "
	  "3 d job 4: 11 = 0+0+0+11, lost 11, idle 0, ran 7, others 0, waits 1 sum 11, b 6, a 3, c 2; "
	  "4 e job 5: 18 = 0+0+0+18, lost 18, idle 0, ran 1, others 2, waits 1 sum 18, d 7, b 6, a 3" },
	{ "one that is written off", "timegraph",
	  "0 knob 0 100000\n0 join 1 1 bomb\n0 join 2 2 game\n0 submit 1 1 1\n0 started 1\n5000 submit 2 2 2\n"
	  "100000 wait\n100000 started 2\n104000 done 2\n",
	  "1 game job 2: 95 = 0+95+0+0, lost 95, idle 0, ran 4, others 0, waits 1 sum 95, bomb 95" },
};

static void test_waits(void)
{
	const char *wrong;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(waits); i++) {
		begin(waits[i].policy, 16);
		wrong = play(waits[i].script);
		read_all(host->gpu.recorder, 5);
		if (!wrong && strcmp(print(), waits[i].expected))
			wrong = print();
		test_row(waits[i].name, !wrong, "got\n\t%s\nexpected\n\t%s", wrong, waits[i].expected);
		end();
	}
}

/* --- the ring --- */

static u64 job;

/* The bomb runs for @ms; the game waits for as long, less 1 ms. A second and more passes. */
static void one_wait(u32 ms)
{
	const u64 t = host->gpu.now / TG_USEC + 1500000;
	char text[512];

	snprintf(text, sizeof(text),
		 "%llu submit 1 1 %llu\n%llu started %llu\n%llu submit 2 2 %llu\n%llu done %llu\n"
		 "%llu started %llu\n%llu done %llu\n",
		 (unsigned long long)t, (unsigned long long)job + 1, (unsigned long long)t,
		 (unsigned long long)job + 1, (unsigned long long)t + 1000, (unsigned long long)job + 2,
		 (unsigned long long)t + 1000 * ms, (unsigned long long)job + 1,
		 (unsigned long long)t + 1000 * ms, (unsigned long long)job + 2,
		 (unsigned long long)t + 1000 * ms + 500, (unsigned long long)job + 2);
	job += 2;
	if (play(text))
		abort();
}

static void two(u32 nr)
{
	job = 0;
	begin("timegraph", nr);
	if (play("0 join 1 1 bomb\n0 join 2 2 game\n"))
		abort();
}

/* Are the records those with the numbers @from to @to, and record n lost n + 1 ms? */
static bool are(const struct tg_recorder *rec, u32 from, u32 to, u32 at_once)
{
	u32 i;

	if (read_all(rec, at_once) != to - from + 1)
		return false;
	for (i = 0; i < nr_seen; i++)
		if (seen[i].number != from + i || seen[i].lost != (s64)(from + i + 1) * MS)
			return false;
	return true;
}

static void test_ring(void)
{
	struct tg_recorder *rec, *to;
	u32 n, calls;

	two(8);
	rec = host->gpu.recorder;
	test_row("an empty ring has no record", !read_all(rec, 3) && !rec->dropped, "%u", nr_seen);
	for (n = 1; n <= 8; n++)
		one_wait(n + 2);
	row("a full ring has all", are(rec, 1, 8, 3) && !rec->dropped);
	for (; n <= 21; n++)
		one_wait(n + 2);
	row("a ring that has wrapped has the newest", are(rec, 14, 21, 3));
	test_row("and says how many it dropped", rec->dropped == 13, "%llu",
		 (unsigned long long)rec->dropped);
	test_row("the host hears of each", nr_took == 21, "%u", nr_took);

	/* While a reader is between two parts, the ring goes on. */
	{
		u64 number = 0;

		n = tg_recorder_read(rec, &number, seen, 3);
		for (calls = 22; calls <= 27; calls++)
			one_wait(calls + 2);
		n += tg_recorder_read(rec, &number, seen + n, 60);
		test_row("a reader that is overtaken gets each record once, and whole",
			 n == 3 + 8 && seen[2].number == 16 && seen[3].number == 20 && seen[10].number == 27 &&
			 seen[3].lost == 21 * MS, "%u records", n);
	}

	to = recorder(20, 0);
	for (calls = 0, n = 28; !tg_recorder_move(to, rec, TG_ENGINES_MAX, 2); calls++, n++)
		one_wait(n + 2);
	host->gpu.recorder = to;
	free(rec);
	row("a larger one takes all over, while it is written", are(to, 20, n - 1, 5) && calls > 3);
	for (; n <= 45; n++)
		one_wait(n + 2);
	row("and goes on", are(to, 26, 45, 5) && to->dropped == 25);

	rec = recorder(3, 0);
	while (!tg_recorder_move(rec, to, TG_ENGINES_MAX, 2))
		;
	host->gpu.recorder = rec;
	free(to);
	row("a smaller one keeps the newest", are(rec, 43, 45, 5) && rec->dropped == 42);
	one_wait(48);
	row("and goes on, too", are(rec, 44, 46, 5));

	/* The longest wait of a second that changes after its record was copied */
	play("90000000 submit 1 1 901\n90000000 started 901\n90001000 submit 2 2 902\n90004000 done 901\n"
	     "90004000 started 902\n90004500 done 902\n");
	to = recorder(5, 0);
	tg_recorder_move(to, rec, TG_ENGINES_MAX, 2);
	play("90005000 submit 1 1 903\n90005000 started 903\n90006000 submit 2 2 904\n90025000 done 903\n"
	     "90025000 started 904\n90025500 done 904\n");
	while (!tg_recorder_move(to, rec, TG_ENGINES_MAX, 2))
		;
	host->gpu.recorder = to;
	free(rec);
	read_all(to, 5);
	row("a record that changes while it is moved is the new one",
		 nr_seen == 3 && seen[2].lost == 19 * MS && seen[2].waits == 2);
	play("90026000 submit 1 1 905\n90026000 started 905\n90027000 submit 2 2 906\n90056000 done 905\n"
	     "90056000 started 906\n90056500 done 906\n");
	read_all(to, 5);
	row("and is the one that a longer wait of that second changes",
		 nr_seen == 3 && seen[2].lost == 29 * MS && seen[2].waits == 3);

	rec = recorder(4, to->last);
	host->gpu.recorder = NULL;
	one_wait(10);
	host->gpu.recorder = rec;
	free(to);
	one_wait(20);
	read_all(rec, 5);
	row("off and on again: numbers go on, and nothing of before",
		 nr_seen == 1 && seen[0].number == 48 && seen[0].lost == 19 * MS && seen[0].waits == 1);
	end();
}

/* What happens to a job's times and to a record's sums, while the recorder is changed. */
static void test_between(void)
{
	struct tg_recorder *rec, *to;

	two(8);
	rec = host->gpu.recorder;
	play("100000 submit 1 1 1\n100000 started 1\n101000 submit 2 2 2\n");
	host->gpu.recorder = NULL;
	play("111000 done 1\n112000 started 2\n");
	host->gpu.recorder = rec;
	play("113000 done 2\n");
	read_all(rec, 5);
	row("off while a job starts: all its wait is the policy's",
	    nr_seen == 1 && seen[0].waited == 11 * MS && seen[0].policy == 11 * MS && !seen[0].driver &&
	    !seen[0].behind);
	end();

	/* The game's record is copied, the bomb's is not; then the game's gets its last sums. */
	two(8);
	rec = host->gpu.recorder;
	play("100000 submit 1 1 1\n100000 started 1\n101000 submit 2 2 2\n104000 done 1\n"
	     "104000 started 2\n105000 submit 1 1 3\n108000 done 2\n108000 started 3\n109000 done 3\n");
	to = recorder(8, 0);
	test_row("of two records one is moved", !tg_recorder_move(to, rec, TG_ENGINES_MAX, 1), "both");
	play("200000 submit 1 1 4\n200000 started 4\n201000 submit 2 2 5\n203000 done 4\n"
	     "203000 started 5\n203500 done 5\n4000000 submit 1 1 6\n4000000 started 6\n"
	     "4001000 submit 2 2 7\n4011000 done 6\n4011000 started 7\n4012000 done 7\n");
	while (!tg_recorder_move(to, rec, TG_ENGINES_MAX, 1))
		;
	host->gpu.recorder = to;
	free(rec);
	read_all(to, 5);
	row("a record's last sums come while it is moved",
	    nr_seen == 3 && seen[0].waits == 2 && seen[0].sum == 5 * MS && seen[2].lost == 10 * MS);
	end();
}

/* --- walks that the host does later --- */

static u32 nr_later;

static void later(struct tg_gpu *gpu, struct tg_wait *wait)
{
	nr_later += wait->number != 0;
}

/* Who had the record's time: 'n' nobody is named yet, 'b' the bomb, '?' neither. */
static char whose(const struct tg_wait *w)
{
	if (!w->rivals)
		return !w->idle && w->others == w->lost ? 'n' : '?';
	return w->rivals == 1 && !strcmp(w->rival[0].who.comm, "bomb") && w->rival[0].ran == w->lost &&
	       !w->others ? 'b' : '?';
}

/* As whose(), for each record. */
static const char *all_whose(void)
{
	static char text[ARRAY_SIZE(seen) + 1];
	u32 i;

	read_all(host->gpu.recorder, 5);
	for (i = 0; i < nr_seen; i++)
		text[i] = whose(&seen[i]);
	text[i] = '\0';
	return text;
}

static void expect(const char *name, const char *expected, u32 calls, u32 takes)
{
	const char *got = all_whose();

	test_row(name, !strcmp(got, expected) && nr_later == calls && nr_took == takes,
		 "%s (%s wanted), %u calls, %u taken", got, expected, nr_later, nr_took);
}

static void test_later(void)
{
	struct tg_recorder *rec, *to;
	char text[256];
	u32 i;

	two(20);
	host->gpu.recorder->later = later;
	nr_later = 0;
	one_wait(9);
	expect("a walk that is put off: the record is there, and names nobody", "n", 1, 0);
	test_row("it is done when the host comes", tg_recorder_walk(&host->gpu), "nothing to do");
	expect("and names who ran", "b", 1, 1);
	test_row("once", !tg_recorder_walk(&host->gpu), "again");
	one_wait(9);
	one_wait(8);
	expect("a host that does not come: a client's next record does the walk of its last",
	       "bbn", 3, 2);

	rec = host->gpu.recorder;
	to = recorder(20, 0);
	to->later = later;
	tg_recorder_move(to, rec, TG_ENGINES_MAX, 2);
	one_wait(7);
	while (!tg_recorder_move(to, rec, TG_ENGINES_MAX, 2))
		;
	host->gpu.recorder = to;
	free(rec);
	expect("a walk that is due moves with the ring", "bbbn", 4, 3);
	play("100000000 leave 2 2\n");
	expect("a client that goes has it done", "bbbb", 4, 4);
	test_row("and leaves none", !tg_recorder_walk(&host->gpu), "one");
	one_wait(1);
	for (i = 3; i < 14; i++) {
		snprintf(text, sizeof(text), "%u join %u %u c%u\n%u submit 1 1 %u\n%u started %u\n"
			 "%u submit %u %u %u\n%u done %u\n%u started %u\n%u done %u\n",
			 110000000 + i * 50000, i, i, i, 110000000 + i * 50000, 500 + i,
			 110000000 + i * 50000, 500 + i, 110001000 + i * 50000, i, i, 600 + i,
			 110011000 + i * 50000, 500 + i, 110011000 + i * 50000, 600 + i,
			 110012000 + i * 50000, 600 + i);
		if (play(text))
			abort();
	}
	for (i = 0; tg_recorder_walk(&host->gpu); i++)
		;
	test_row("of eleven clients whose walks are due, three had it done by others",
		 i == TG_WALKS_DUE && nr_took == 4 + 11, "%u walks, %u taken", i, nr_took);
	rec = recorder(1, 0);
	rec->later = later;
	host->gpu.recorder = rec;
	for (i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%u submit 1 1 %u\n%u started %u\n%u submit %u %u %u\n"
			 "%u done %u\n%u started %u\n%u done %u\n",
			 120000000 + i * 50000, 700 + i, 120000000 + i * 50000, 700 + i,
			 120001000 + i * 50000, 3 + i, 3 + i, 800 + i, 120011000 + i * 50000, 700 + i,
			 120011000 + i * 50000, 800 + i, 120012000 + i * 50000, 800 + i);
		if (play(text))
			abort();
	}
	test_row("a record that a newer one replaces has its walk done", nr_took == 4 + 11 + 1, "%u",
		 nr_took);
	free(rec);
	host->gpu.recorder = NULL;
	test_row("no recorder, nothing to do", !tg_recorder_walk(&host->gpu), "a walk");
	host->gpu.recorder = to;
	end();
}

/* --- short runs --- */

/* One engine, in turn two clients' groups of @us, for 100 ms, and then the game's, which has waited. */
static void turns(const char *name, u32 us, s64 least)
{
	const u32 nr = 100000 / us;
	char text[256];
	u32 i;

	begin("timegraph", 4);
	play("0 spec b1:prt:bg:50:0:0 b2:prt:bg:50:0:0 game:prt:bg:1:0:0\n0 join 1 1 b1\n0 join 2 2 b2\n0 join 3 3 game\n"
	     "0 submit 1 1 1\n0 started 1\n");
	play("0 submit 3 3 2000\n");
	for (i = 1; i <= nr; i++) {
		snprintf(text, sizeof(text), "%u submit %u %u %u\n%u done %u\n%u started %u\n", i * us - 1,
			 1 + i % 2, 1 + i % 2, i + 1, i * us, i, i * us, i + 1);
		if (play(text))
			break;
	}
	snprintf(text, sizeof(text), "%u done %u\n%u started 2000\n%u done 2000\n", i * us, i, i * us,
		 i * us + 10);
	play(text);
	read_all(host->gpu.recorder, 4);
	for (i = 0; i < nr_seen && strcmp(seen[i].who.comm, "game"); i++)
		;
	row(name, i < nr_seen && seen[i].rivals == 2 && seen[i].idle < MS &&
	    seen[i].rival[0].ran + seen[i].rival[1].ran >= least * MS && seen[i].others < 101 * MS - least * MS);
	end();
}

/* --- what a user keeps and sees --- */

static void test_keep(void)
{
	struct tg_wait kept[TG_WAITS_OWN] = { }, w = { };
	s64 sum = 0;
	u32 i;

	for (i = 1; i <= 40; i++) {
		w.number = i;
		w.ended = i * TG_SEC;
		w.lost = (i * 7 % 41) * MS;
		tg_wait_keep(kept, &w);
	}
	for (i = 0; i < TG_WAITS_OWN; i++)
		sum += kept[i].lost / MS;
	test_row("the longest are kept", sum == 15 * (26 + 40) / 2, "sum %lld", (long long)sum);
	w.number = 40;
	w.lost = 99 * MS;
	tg_wait_keep(kept, &w);
	for (sum = 0, i = 0; i < TG_WAITS_OWN; i++)
		sum += kept[i].number == 40;
	test_row("one that changes is kept once", sum == 1, "%lld times", (long long)sum);
	for (i = 0; i < TG_WAITS_OWN; i++) {
		w.number = 100 + i;
		w.ended = TG_WAIT_AGE + 100 * TG_SEC;
		w.lost = 2 * MS;
		tg_wait_keep(kept, &w);
	}
	for (sum = 0, i = 0; i < TG_WAITS_OWN; i++)
		sum += kept[i].number >= 100;
	test_row("after ten minutes others take their places", sum == TG_WAITS_OWN, "%lld", (long long)sum);
}

static struct tg_rival rival(u32 uid, s64 ms)
{
	return (struct tg_rival){ .ran = ms * MS, .who = { uid * 10, uid * 100, uid, "name" } };
}

static void test_hide(void)
{
	static const struct {
		const char *name;
		u32 uid[3], others;
		u32 rivals, foreign;	/* afterwards; ms of another user; 0: none */
		u32 left;		/* @others */
	} rows[] = {
		{ "nobody", { 0 }, 0, 0, 0, 0 },
		{ "own clients stay", { 7, 7 }, 0, 2, 0, 0 },
		{ "another user has no name", { 8 }, 0, 1, 30, 0 },
		{ "other users are one", { 8, 9, 10 }, 0, 1, 60, 0 },
		{ "and so is what is not named", { 8, 7, 9 }, 5, 2, 45, 0 },
		{ "all three one's own: the rest stays unnamed", { 7, 7, 7 }, 5, 3, 0, 5 },
	};
	struct tg_wait w;
	bool good;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&w, 0, sizeof(w));
		w.number = 5;
		w.job = 6;
		w.who.uid = 7;
		w.others = rows[i].others * MS;
		for (k = 0; k < 3 && rows[i].uid[k]; k++)
			w.rival[w.rivals++] = rival(rows[i].uid[k], 30 - 10 * k);
		tg_wait_hide(&w);
		good = !w.number && !w.job && w.rivals == rows[i].rivals && w.others == rows[i].left * MS;
		for (k = 0; k < 3; k++) {
			const struct tg_who *who = &w.rival[k].who;

			if (k >= w.rivals)
				good = good && !w.rival[k].ran && !who->uid && !who->client && !*who->comm;
			else if (rows[i].foreign && k == w.rivals - 1)
				good = good && !who->client && !who->pid && !*who->comm && who->uid == U32_MAX &&
				       w.rival[k].ran == rows[i].foreign * MS;
			else
				good = good && who->uid == 7 && who->client;
		}
		test_row(rows[i].name, good, "%u rivals, others %lld", w.rivals, (long long)w.others);
	}
}

/* --- at random --- */

static u64 random_state;

static u32 any(u32 n)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (random_state >> 33) % n;
}

/* @more: by so much the runs may say more than the wait was. */
static bool adds_up(const struct tg_wait *w, s64 more)
{
	s64 sum = w->idle + w->others;
	u32 i;

	for (i = 0; i < w->rivals; i++)
		sum += w->rival[i].ran;
	return w->reserve >= 0 && w->policy >= 0 && w->driver >= 0 && w->behind >= 0 && w->idle >= 0 &&
	       w->waited == w->reserve + w->policy + w->driver + w->behind &&
	       w->lost >= TG_WAIT_LEAST && w->lost <= w->waited && w->sum >= w->lost && w->waits &&
	       sum >= 0 && sum <= w->waited + more && w->rivals <= TG_WAIT_RIVALS && w->who.client;
}

/* One event for a job that is at hand, whatever it is up to; ends may be told late. */
static void one_event(u32 clients)
{
	static u64 at_hand[8], last;
	u64 *j = &at_hand[any(8)];
	struct tg_event ev = { .now = host->gpu.now + any(3000) * TG_USEC };
	struct tg_job *of = *j ? tg_gpu_job(&host->gpu, *j) : NULL;
	u32 c = 1 + any(clients);

	ev.at = ev.now;
	if (!of) {
		*j = ++last;
		ev.kind = TG_EV_SUBMIT;
		ev.client = c;
		ev.channel = c;
		ev.job = *j;
		ev.host = &host->times[last % ARRAY_SIZE(host->times)];
	} else if (of->state == TG_JOB_FREED) {
		ev.kind = any(20) ? TG_EV_STARTED : TG_EV_REFUSED;
		ev.job = *j;
	} else if (of->state == TG_JOB_BUSY || of->state == TG_JOB_LOST) {
		ev.kind = TG_EV_DONE;
		ev.done.known = any(2) ? TG_DONE_EXACT : TG_DONE_NOTICED;
		ev.at = max(ev.now - any(2000) * TG_USEC, of->since);
		ev.job = *j;
	} else {
		ev.kind = any(10) ? TG_EV_TIMER : TG_EV_CANCEL;
		ev.job = ev.kind == TG_EV_CANCEL ? *j : 0;
	}
	host->used = 0;
	if (tg_gpu_feed(&host->gpu, &ev, &host->actions))
		abort();
}

static void test_random(const char *name, const char *policy,
			void (*put_off)(struct tg_gpu *, struct tg_wait *))
{
	/* Ends that are told late. And two runs may go on between the wait's end and the walk. */
	const s64 more = 2 * MS + (put_off ? 2 * TG_RUN_JOINED : 0);
	struct tg_recorder *rec;
	u32 i, k = 0;

	random_state = 7;	/* what a row does depends on no other */
	begin(policy, 40);
	host->gpu.recorder->later = put_off;
	play("0 knob 0 200000\n0 spec a:prt:bg:9:0:0 b:ht:pe:5:5000:20000 c:prt:bg:5:0:0 d:ht:bg:1:0:0\n"
	     "0 join 1 1 a\n0 join 2 2 b\n0 join 3 3 c\n0 join 4 4 d\n");
	for (i = 0; i < 40000; i++) {
		one_event(4);
		if (i % 5000 == 2500) {
			rec = recorder(10 + any(50), 0);
			rec->later = put_off;
			while (!tg_recorder_move(rec, host->gpu.recorder, TG_ENGINES_MAX, 1 + any(9)))
				one_event(4);
			free(host->gpu.recorder);
			host->gpu.recorder = rec;
		}
		if (i % 37 == 36)
			tg_recorder_walk(&host->gpu);
		if (i % 1000)
			continue;
		read_all(host->gpu.recorder, 7);
		for (k = 0; k < nr_seen && adds_up(&seen[k], more); k++)
			;
		if (k < nr_seen)
			break;
	}
	seen[0] = seen[k < nr_seen ? k : 0];
	nr_seen = min(nr_seen, 1U);
	row(name, i == 40000 && host->gpu.recorder->last > 200);
	end();
}

int main(void)
{
	test_waits();
	test_ring();
	test_between();
	turns("two that take turns of 2 ms are told apart", 2000, 99);
	turns("as are turns of 100 us", 100, 90);
	test_keep();
	test_hide();
	test_later();
	test_random("at random, timegraph: each record adds up", "timegraph", NULL);
	test_random("at random, fifo", "fifo", NULL);
	test_random("at random, timeslice", "timeslice", NULL);
	test_random("at random, timegraph, walks put off", "timegraph", later);
	test_random("at random, fifo, walks put off", "fifo", later);
	return test_end();
}
