// SPDX-License-Identifier: GPL-2.0
/*
 * loga by example: which gates it opens and closes, by what the host has seen. script.h explains
 * the rows.
 */
#include "script.h"

/* What the host has seen of two clients in a phase of 10 ms that ends at @ms. */
#define SEEN(ms, a, b) \
	#ms "000 sample 1 10000 " #a " 1\n" #ms "000 sample 2 10000 " #b " 1\n" \
	#ms "000 sample 0 10000 10000 1\n"

/*
 * Phases of 10 and 90 ms, always as long. Two clients share as 1 to 9 until b is held at 210 ms,
 * 168 ms ahead. At 301.5 ms, and not before, nothing of a is in flight, and b goes.
 */
#define HELD \
	"0 pknob 0 10000\n" "0 pknob 1 90000\n" "0 pknob 3 0\n" "0 pknob 4 0\n" \
	"0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 submit 2 1 2\n" "0 started 1\n" \
	"0 started 2\n" "1000 done 1\n" "2000 done 2\n" \
	SEEN(10, 1000, 9000) SEEN(110, 1000, 9000) SEEN(210, 1000, 9000) \
	"211000 idle 2\n" "211000 sample 1 1000 1000 1\n" "211000 sample 0 1000 1000 1\n" \
	"212000 submit 2 1 3\n" "301500 quiet\n" "302500 quiet\n" "303000 started 3\n" "304000 done 3\n"

#define IT_GOES \
	"0 free 1, 0 gate 1 open, 0 gate 2 open, 0 poll 10000, 0 free 2, 100000 poll 110000, " \
	"200000 poll 210000, 210000 gate 2 hold, 210000 sync 2, 210000 poll 220000, " \
	"211000 poll 211000, 212000 watch, 301000 poll 311000, 302500 watch, 302500 free 3, " \
	"302500 gate 2 open"

static const struct row rows[] = {
	{ "a client that has no job at a moment pays once for what it has used", "loga",
	  HELD SEEN(311, 9000, 1000) SEEN(411, 1000, 9000),
	  IT_GOES ", 401000 poll 411000, 411000 gate 2 hold, 411000 sync 2, 411000 poll 421000" },
	{ "a client that uses little is behind by a cycle at most", "loga",
	  HELD SEEN(311, 1000, 9000) "312000 idle 2\n"
	  "312000 sample 1 1000 1000 1\n" "312000 sample 0 1000 1000 1\n" SEEN(412, 10000, 0),
	  IT_GOES ", 311000 gate 2 hold, 311000 sync 2, 311000 poll 321000, 312000 poll 312000, "
	  "402000 poll 412000, 412000 gate 2 open" },
};

int main(void)
{
	return run_rows(rows, ARRAY_SIZE(rows));
}
