// SPDX-License-Identifier: GPL-2.0
/*
 * loga by example: which gates it opens and closes, by what the host has seen. script.h explains
 * the rows.
 */
#include "script.h"

/* What the host has seen of two clients in a phase of 10 ms that ends at @ms, us of it. */
#define SEEN(ms, a, b) \
	#ms "000 sample 1 10000 " #a " 1\n" #ms "000 sample 2 10000 " #b " 1\n" \
	#ms "000 sample 0 10000 10000 1\n"
/* And of the first one alone, in one that was over after 1 ms. */
#define ALONE(ms) \
	#ms "000 idle 2\n" #ms "000 sample 1 1000 1000 1\n" #ms "000 sample 0 1000 1000 1\n"

/* Phases of 10 and 90 ms, always as long */
#define PHASES	"0 pknob 0 10000\n" "0 pknob 1 90000\n" "0 pknob 3 0\n" "0 pknob 4 0\n"

/*
 * Two clients share as 1 to 9 until b is held at 210 ms, 168 ms ahead. At first each asks, until
 * its queue is known to be short.
 */
#define HELD \
	PHASES "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 submit 2 1 2\n" "0 started 1\n" \
	"0 started 2\n" "1000 done 1\n" "2000 done 2\n" \
	SEEN(10, 1000, 9000) SEEN(110, 1000, 9000) SEEN(210, 1000, 9000) ALONE(211) \
	"212000 submit 2 1 3\n"
#define IS_HELD \
	"0 gate 1 ask, 0 gate 2 ask, 0 poll 10000, 0 free 1, 0 free 2, 10000 gate 1 open, " \
	"10000 gate 2 open, 100000 poll 110000, 200000 poll 210000, 210000 gate 2 hold, " \
	"210000 sync 2, 210000 poll 300000, 211000 poll 211000, 212000 watch, "

#define ONE_SEEN(ms) \
	#ms "000 sample 1 10000 10000 1\n" #ms "000 sample 0 10000 10000 1\n"

#define QUEUED(job)	"0 submit 1 1 " #job "\n"
#define RAN(ms, job)	#ms "000 started " #job "\n" #ms "000 done " #job "\n"

static const struct row rows[] = {
	/* One job ends in the first full cycle, so eight would outlast it; at 210 ms none waits. */
	{ "of a deep queue two jobs are in flight, until none waits", "loga",
	  PHASES "0 join 1 1 a\n" QUEUED(1) QUEUED(2) QUEUED(3) QUEUED(4) "0 started 1\n"
	  "0 started 2\n" ONE_SEEN(10) "60000 done 1\n" "60000 started 3\n" ONE_SEEN(110)
	  "120000 done 2\n" "120000 started 4\n" ONE_SEEN(210),
	  "0 gate 1 ask, 0 poll 10000, 0 free 1, 0 free 2, 60000 free 3, 100000 poll 110000, "
	  "120000 free 4, 200000 poll 210000, 210000 gate 1 open" },
	/* Eight end in the first full cycle: eight may be in flight, and then the two that are left. */
	{ "of a queue that is not known yet four times as many jobs are in flight", "loga",
	  PHASES "0 join 1 1 a\n" QUEUED(1) QUEUED(2) QUEUED(3) QUEUED(4) QUEUED(5) QUEUED(6)
	  QUEUED(7) QUEUED(8) QUEUED(9) QUEUED(10) QUEUED(11) QUEUED(12) ONE_SEEN(10) RAN(11, 1)
	  RAN(12, 2) RAN(13, 3) RAN(14, 4) RAN(15, 5) RAN(16, 6) RAN(17, 7) RAN(18, 8)
	  ONE_SEEN(110),
	  "0 gate 1 ask, 0 poll 10000, 0 free 1, 0 free 2, 11000 free 3, 12000 free 4, "
	  "13000 free 5, 14000 free 6, 15000 free 7, 16000 free 8, 17000 free 9, 18000 free 10, "
	  "100000 poll 110000, 110000 free 11, 110000 free 12" },
	/* 113 ms by then, as it was alone; 122 ms at the next sample */
	{ "what a client has used alone is its own, though others go before the poll phase", "loga",
	  HELD "299000 quiet\n" "300000 quiet\n" "300000 started 3\n" "300001 done 3\n"
	  SEEN(311, 1000, 9000) "402000 wait\n",
	  IS_HELD "300000 watch, 300000 free 3, 300000 gate 2 open, 301000 poll 311000, "
	  "401000 poll 411000" },
	{ "a client that has no job at a moment of a poll phase pays once for what it has used", "loga",
	  HELD "302000 quiet\n" "303000 quiet\n" "303000 started 3\n" "303001 done 3\n"
	  SEEN(311, 9000, 1000) SEEN(411, 1000, 9000),
	  IS_HELD "301000 poll 311000, 303000 watch, 303000 free 3, 303000 gate 2 open, "
	  "401000 poll 411000, 411000 gate 2 hold, 411000 sync 2, 411000 poll 501000" },
	/* The host tells at 412 ms that no job is left which went through the gate unseen. */
	{ "a job that went when the gate opened is awaited, too", "loga",
	  HELD "302000 quiet\n" "303000 quiet\n" "303000 started 3\n"
	  SEEN(311, 9000, 1000) SEEN(411, 1000, 9000) "412000 idle 2\n" "430000 done 3\n",
	  IS_HELD "301000 poll 311000, 303000 watch, 303000 free 3, 303000 gate 2 open, "
	  "401000 poll 411000, 411000 gate 2 hold, 411000 sync 2, 411000 poll 501000, "
	  "430000 poll 430000" },
	/* 35 ms, which become 89 */
	{ "a client that uses little is behind by a cycle at most", "loga",
	  HELD "213000 quiet\n" "214000 quiet\n" "214000 started 3\n" "214001 done 3\n"
	  SEEN(311, 1000, 9000) ALONE(312) SEEN(412, 10000, 0),
	  IS_HELD "214000 watch, 214000 free 3, 214000 gate 2 open, 301000 poll 311000, "
	  "311000 gate 2 hold, 311000 sync 2, 311000 poll 401000, 312000 poll 312000, "
	  "402000 poll 412000, 412000 gate 2 open" },
};

int main(void)
{
	return run_rows(rows, ARRAY_SIZE(rows));
}
