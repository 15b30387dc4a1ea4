// SPDX-License-Identifier: GPL-2.0
/*
 * A driver's own work (kernel=NAME): it is accounted and never held, and is charged to no other
 * client. Scripts as in script.h.
 */
#include "script.h"

/* Client 9 is the driver, 1 and 2 are clients. Engine 0. */
#define THREE "0 driver 9 5 1\n" "0 join 1 1 a\n" "0 join 2 1 b\n"

static const struct row rows[] = {
	{ "a copy is charged to the driver, by the GPU's clock", "timegraph",
	  THREE "1 copy 9 5 1\n" "11 exact 1 10\n" "11 time 9\n" "11 busy 0\n",
	  "11 used 9, 11 busy 9" },
	{ "a group that was behind it is not", "fifo",
	  THREE "1 copy 9 5 1\n" "2 submit 1 1 2\n" "2 started 2\n" "11 exact 1 10\n" "15 exact 2 14\n"
	  "15 time 9\n" "15 time 1\n",
	  "2 free 2, 15 used 9, 15 used 4" },
	{ "nor one whose end is heard of first", "fifo",
	  THREE "1 copy 9 5 1\n" "2 submit 1 1 2\n" "2 started 2\n" "15 exact 2 14\n" "16 exact 1 10\n"
	  "16 time 9\n" "16 time 1\n",
	  "2 free 2, 16 used 9, 16 used 4" },
	{ "it goes whatever waits, and others wait for it", "timegraph",
	  THREE "0 submit 1 1 1\n" "0 started 1\n" "1 submit 2 1 2\n" "2 copy 9 5 3\n" "5 done 1\n"
	  "9 done 3\n" "9 time 1\n" "9 time 9\n",
	  "0 free 1, 9 free 2, 9 used 5, 9 used 4" },
	{ "in a turn of another's, too", "timeslice",
	  THREE "0 submit 1 1 1\n" "0 started 1\n" "1 copy 9 5 2\n" "5 done 1\n" "9 done 2\n" "9 time 9\n",
	  "0 free 1, 9 used 4" },
	{ "and where all gates are open", "none",
	  THREE "1 copy 9 5 1\n" "9 exact 1 8\n" "9 time 9\n", "9 used 7" },
	{ "it comes while a policy goes", "timegraph",
	  THREE "0 submit 1 1 1\n" "0 started 1\n" "1 policy fifo\n" "2 copy 9 5 2\n" "3 done 1\n" "4 done 2\n"
	  "5 copy 9 5 3\n" "6 done 3\n" "6 time 9\n",
	  "0 free 1, 1 gate 1 hold, 1 gate 2 hold, 4 gate 1 track, 4 gate 2 track, 4 note policy 0 1, 6 used 2" },
	{ "it never waits: SUBMIT is refused, and what has not started", "timegraph",
	  THREE "1 submit 9 5 1\n" "2 copy 9 5 2\n" "3 copy 9 5 2\n" "3 done 2\n",
	  "1 -22, 3 -17" },
	{ "it has no priority", "timegraph", THREE "1 prio 9 5\n", "1 -22" },
	{ "a process is no driver, and a driver no process", "timegraph",
	  THREE "1 driver 1 2 1\n" "2 join 9 6 a\n", "1 -22, 2 -22" },
	{ "without a line nobody pays: not Background", "timegraph",
	  "0 spec x:prt:bg:0:10:100\n" THREE "0 copy 9 5 1\n" "50 done 1\n" "50 submit 1 1 2\n",
	  "50 free 2" },
	{ "with one, Background does", "timegraph",
	  "0 spec x:prt:bg:0:10:100 kernel=test:prt:bg:0:0:0\n" THREE "0 copy 9 5 1\n" "50 done 1\n"
	  "50 submit 1 1 2\n" "550 wait\n",
	  "500 free 2" },
	{ "or a reserve that it shares", "timegraph",
	  "0 spec a:prt:pe:5:10:100:reserve=r kernel=test:prt:pe:0:10:100:reserve=r\n" THREE
	  "0 copy 9 5 1\n" "50 done 1\n" "50 submit 1 1 2\n" "51 submit 2 1 3\n" "51 started 3\n"
	  "60 done 3\n" "550 wait\n",
	  "51 free 3, 500 free 2" },
	{ "or one that another line makes AE while it is in it", "timegraph",
	  "0 spec kernel=test:prt:pe:0:10:100:reserve=r\n" "0 driver 9 5 1\n"
	  "1 spec a:prt:ae:5:10:100:reserve=r\n" "2 join 1 1 a\n" "3 copy 9 5 1\n" "13 done 1\n" "13 time 9\n",
	  "13 used 10" },
	{ "or one of this GPU", "timegraph",
	  "0 spec a:prt:pe:5:10:100:reserve=r kernel=test|gpu=02:00.0:prt:bg:0:0:0 "
	  "kernel=test|gpu=01:00.0:prt:pe:0:10:100:reserve=r\n" THREE
	  "0 copy 9 5 1\n" "50 done 1\n" "50 submit 1 1 2\n" "550 wait\n",
	  "500 free 2" },
	{ "on a GPU of which no line speaks nobody pays", "timegraph",
	  "0 spec x:prt:bg:0:10:100 kernel=test|gpu=02:00.0:prt:bg:0:0:0 gpu=01:00.0:prt:bg:0:0:0\n" THREE
	  "0 copy 9 5 1\n" "50 done 1\n" "50 submit 1 1 2\n",
	  "50 free 2" },
	{ "another spec comes to it", "timegraph",
	  THREE "0 rematch x:prt:bg:0:10:100 kernel=test:prt:bg:0:0:0\n" "1 copy 9 5 1\n" "51 done 1\n"
	  "60 rematch x:prt:bg:0:10:100\n" "61 copy 9 5 2\n" "71 done 2\n" "71 time 9\n",
	  "71 used 60" },
	{ "a guarantee: it is not blamed", "timegraph",
	  "0 spec a:prt:cbs:5:10:100\n" "0 knob 12 50\n" THREE "0 copy 9 5 1\n" "90 exact 1 90\n"
	  "90 submit 1 1 2\n",
	  "90 free 2" },
	{ "a dry run does not know it", "timegraph",
	  THREE "0 load knob|dry_run|1\n" "1 copy 9 5 1\n" "9 done 1\n" "9 time 9\n" "10 leave 9 5\n",
	  "0 gate 1 track, 0 gate 2 track, 0 note dry 0 2, 9 used 8, 10 gone 9" },
	{ "it leaves: with a copy in flight when that is over", "timegraph",
	  THREE "1 copy 9 5 1\n" "2 leave 9 5\n" "3 join 3 1 c 1 0\n" "9 done 1\n" "10 leave 3 1\n",
	  "9 gone 9, 10 gone 3" },
};

int main(void)
{
	return run_rows(rows, ARRAY_SIZE(rows));
}
