// SPDX-License-Identifier: GPL-2.0
/*
 * The priority `nice`: a client's priority is what NICE has said last (tg/nice.h). Scripts as in
 * script.h; then which level each nice value and class has.
 */
#include <tg/nice.h>

#include "script.h"

/* a follows its nice value, b has priority 25; a's group 1 is on the GPU until 10. */
#define A_AND_B \
	"0 spec a:prt:bg:nice:0:0 b:prt:bg:25:0:0 c:prt:bg:5:0:0\n" "0 join 1 1 a\n" \
	"0 join 2 1 b\n" "0 join 3 1 c\n" "0 submit 3 1 1\n" "0 started 1\n"

static const struct row rows[] = {
	{ "until it is read, a client that follows has nice 0", "timegraph",
	  A_AND_B "1 prio? 1\n" "1 submit 1 1 2\n" "2 submit 2 1 3\n" "10 done 1\n",
	  "0 free 1, 1 prio 20, 10 free 3" },
	{ "what NICE says is its priority", "timegraph",
	  A_AND_B "1 nice 1 26\n" "1 prio? 1\n" "1 submit 2 1 2\n" "2 submit 1 1 3\n" "10 done 1\n",
	  "0 free 1, 1 prio 26, 10 free 3" },
	{ "a job that waits moves at once: up", "timegraph",
	  A_AND_B "1 submit 1 1 2\n" "2 submit 2 1 3\n" "3 nice 1 98\n" "10 done 1\n",
	  "0 free 1, 10 free 2" },
	{ "and down", "timegraph",
	  A_AND_B "1 nice 1 40\n" "1 submit 1 1 2\n" "2 submit 2 1 3\n" "3 nice 1 1\n" "10 done 1\n",
	  "0 free 1, 10 free 3" },
	{ "a job that its reserve throttles moves too", "timegraph",
	  "0 spec a:prt:pe:nice:10:100:reserve=r b:prt:pe:25:10:100:reserve=r\n" "0 join 1 1 a\n"
	  "0 join 2 1 b\n" "0 submit 2 1 1\n" "0 started 1\n" "20 done 1\n" "21 submit 2 1 2\n"
	  "22 submit 1 1 3\n" "23 nice 1 30\n" "250 wait\n",
	  "0 free 1, 200 free 3" },
	{ "other lines' clients do not follow", "timegraph",
	  A_AND_B "1 nice 2 99\n" "1 prio? 2\n" "1 nice 3 0\n" "1 prio? 3\n",
	  "0 free 1, 1 prio 25, 1 prio 5" },
	{ "another spec: which clients follow is another matter", "timegraph",
	  A_AND_B "1 nice 1 30\n" "2 rematch a:prt:bg:7:0:0 b:prt:bg:nice:0:0\n" "2 prio? 1\n"
	  "2 prio? 2\n" "3 nice 1 50\n" "3 prio? 1\n" "3 nice 2 51\n" "3 prio? 2\n",
	  "0 free 1, 2 prio 7, 2 prio 20, 3 prio 7, 3 prio 51" },
	{ "and one that follows as before stays where it was", "timegraph",
	  A_AND_B "1 nice 1 30\n" "2 rematch a:ht:bg:nice:0:0\n" "2 prio? 1\n" "2 join 1 2 a\n"
	  "2 prio? 1\n",
	  "0 free 1, 2 prio 30, 2 prio 30" },
	{ "by hand it follows no more, until the next spec", "timegraph",
	  A_AND_B "1 prio 1 3\n" "2 nice 1 60\n" "2 prio? 1\n"
	  "3 rematch a:prt:bg:nice:0:0\n" "3 prio? 1\n" "4 nice 1 61\n" "4 prio? 1\n",
	  "0 free 1, 2 prio 3, 3 prio 20, 4 prio 61" },
	{ "the last one that follows has left", "timegraph",
	  A_AND_B "1 nice?\n" "2 leave 1 1\n" "3 nice?\n",
	  "0 free 1, 1 nice 1, 2 gone 1, 3 nice 0" },
	{ "a dry run's model hears of it: before it begins, and while it goes on", "fifo",
	  "0 spec a:prt:bg:nice:0:0 b:prt:bg:25:0:0\n" "0 join 1 1 a\n" "0 join 2 1 b\n"
	  "1 nice 1 30\n" "2 load knob|dry_run|1 policy|timegraph a:prt:bg:nice:0:0 b:prt:bg:25:0:0\n"
	  "3 model? 1\n" "4 nice 1 31\n" "5 model? 1\n",
	  "2 note dry 0 2, 2 gate 1 track, 2 gate 2 track, 2 note dry 0 2, 3 prio 30, 5 prio 31" },
	{ "no such client, no such level", "timegraph",
	  A_AND_B "1 nice 9 5\n" "1 nice 1 100\n" "1 prio? 1\n",
	  "0 free 1, 1 -2, 1 -22, 1 prio 20" },
};

static const struct level {
	const char *name;
	enum tg_class class;
	int value, level;
} levels[] = {
	{ "idle", TG_CLASS_IDLE, -20, 0 },
	{ "the nicest", TG_CLASS_NORMAL, 19, 1 },
	{ "nice 0", TG_CLASS_NORMAL, 0, TG_PRIO_NICE },
	{ "the least nice", TG_CLASS_NORMAL, -20, 40 },
	{ "nicer than can be", TG_CLASS_NORMAL, INT32_MAX, 1 },
	{ "less nice than can be", TG_CLASS_NORMAL, INT32_MIN, 40 },
	{ "the lowest real-time priority", TG_CLASS_RT, 1, 41 },
	{ "a middle one", TG_CLASS_RT, 50, 69 },
	{ "the highest one", TG_CLASS_RT, 99, 98 },
	{ "one that is too low", TG_CLASS_RT, INT32_MIN, 41 },
	{ "one that is too high", TG_CLASS_RT, INT32_MAX, 98 },
	{ "deadline", TG_CLASS_DEADLINE, 0, 99 },
};

/* A place on the CPU that goes first never has a lower level. */
static void test_order(void)
{
	int i, last = tg_nice_level(TG_CLASS_IDLE, 0), level, wrong = 0;

	for (i = 19; i >= -20; i--, last = level) {
		level = tg_nice_level(TG_CLASS_NORMAL, i);
		wrong += level != last + 1;
	}
	for (i = 1; i <= 99; i++, last = level) {
		level = tg_nice_level(TG_CLASS_RT, i);
		wrong += level < last || level > last + 1;
	}
	test_row("no level is out of order", !wrong, "%d are", wrong);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		const struct level *l = &levels[i];

		test_row(l->name, tg_nice_level(l->class, l->value) == l->level, "got %d",
			 tg_nice_level(l->class, l->value));
	}
	test_order();
	return run_rows(rows, ARRAY_SIZE(rows));
}
