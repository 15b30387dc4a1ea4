// SPDX-License-Identifier: GPL-2.0
/*
 * Sharers (src/core/share.c): whose shares a fair policy keeps equal, by example.
 */
#include "script.h"

#define BY(knob, by)	"0 pknob " knob " " by "\n"
#define USERS		BY("2", "1")	/* of timeslice, whose slice is 30 ms */
#define CGROUPS		BY("2", "2")

/* Two processes of user 7 and one of 8, with a group each; the first one's has begun. */
#define THREE	"0 join 1 1 a 1 7\n" "0 join 2 1 b 1 7\n" "0 join 3 1 c 1 8\n" \
		"1 submit 1 1 1\n" "1 started 1\n" "2 submit 2 1 2\n" "3 submit 3 1 3\n"
/* Each group takes 40 ms, and its client has the next one then. */
#define ROUND	"40001 submit 1 1 4\n" "40001 done 1\n"

/*
 * A process of user 7 in a virtual GPU of its own, one of user 8 in the rest, and another of user 7
 * there. The first two have used 3 s each. The first one's next group is in flight when its virtual
 * GPU goes.
 */
#define SECOND(client, job, from, to) \
	from " submit " client " 1 " job "\n" from " started " job "\n" to " done " job "\n"
#define MOVED \
	BY("7", "1") "0 spec [vgpu|v]:50:50:50 a:prt:bg:0:0:0:vgpu=v\n" \
	"0 join 1 1 a 1 7\n" "0 join 2 1 b 1 8\n" "0 join 3 1 c 1 7\n" \
	SECOND("1", "1", "1000000", "2000000") SECOND("2", "2", "2000001", "3000001") \
	SECOND("1", "3", "3000002", "4000002") SECOND("2", "4", "4000003", "5000003") \
	SECOND("1", "5", "5000004", "6000004") SECOND("2", "6", "6000005", "7000005") \
	"8000000 submit 1 1 7\n" "8000000 started 7\n" \
	"8000001 rematch b:prt:bg:0:0:0\n"
#define MOVED_FREED \
	"0 note policy 0 9, 1000000 free 1, 2000001 free 2, 3000002 free 3, 4000003 free 4, " \
	"5000004 free 5, 6000005 free 6, 8000000 free 7, "

static const struct row rows[] = {
	{ "processes: each has its turn", "timeslice",
	  THREE ROUND "40002 started 2\n" "80000 submit 2 1 5\n" "80001 done 2\n"
	  "80002 started 3\n" "120000 submit 3 1 6\n" "120001 done 3\n",
	  "1 free 1, 40001 free 2, 80001 free 3, 120001 free 4" },
	{ "users: the other one has every second turn", "timeslice",
	  USERS THREE ROUND "40002 started 3\n" "80000 submit 3 1 5\n" "80001 done 3\n"
	  "80002 started 2\n" "120000 submit 2 1 6\n" "120001 done 2\n" "120002 started 5\n"
	  "160000 submit 3 1 7\n" "160001 done 5\n",
	  "0 note policy 0 6, 1 free 1, 40001 free 3, 80001 free 2, 120001 free 5, "
	  "160001 free 4" },
	{ "the knob changes while groups wait: none is lost", "timeslice",
	  THREE "10000 pknob 2 1\n" "40001 submit 1 1 4\n" "40001 done 1\n" "40022 started 4\n"
	  "80001 done 4\n" "80002 started 3\n" "120001 done 3\n",
	  "1 free 1, 10000 gate 1 hold, 10000 gate 2 hold, 10000 gate 3 hold, "
	  "40001 gate 1 ask, 40021 gate 2 ask, 40021 gate 3 ask, 40021 note policy 0 6, "
	  "40021 free 4, 80001 free 3, 120001 free 2" },
	{ "the same value changes nothing", "timeslice",
	  THREE "10000 pknob 2 0\n" "40001 done 1\n", "1 free 1, 40001 free 2" },
	{ "there is no fourth kind", "timeslice", "0 pknob 2 3\n", "0 -22" },
	{ "the other knobs stay when this one changes", "timeslice",
	  "0 pknob 0 1000\n" USERS THREE "1000 submit 1 1 4\n" "1501 done 1\n",
	  "0 note policy 0 6, 1 free 1, 1501 free 3" },
	{ "a policy begins with shares of processes", "timeslice",
	  USERS "0 policy fifo\n" "0 policy timeslice\n" "0 spec uid=*:prt:bg:0:0:0:weight=9\n"
	  "0 join 1 1 a 1 7\n" "1 weight 1\n",
	  "0 note policy 0 6, 0 note policy 0 1, 0 note policy 0 6, 1 weight 9 9" },
	{ "weights: of a process, of its user, of its line", "timeslice",
	  "0 spec uid=7:prt:bg:0:0:0:weight=3 b:prt:bg:0:0:0:weight=5 c|uid=8:prt:bg:0:0:0:weight=7\n"
	  "0 join 1 1 a 1 7\n" "0 join 2 1 b 1 8\n" "0 join 3 1 c 1 7\n"
	  "1 weight 1\n" "1 weight 2\n" "1 weight 3\n" "2 pknob 2 1\n"
	  "3 weight 1\n" "3 weight 2\n" "3 weight 3\n" "4 pknob 2 0\n"
	  "5 weight 1\n" "5 weight 2\n" "5 weight 3\n",
	  "1 weight 3 3, 1 weight 5 5, 1 weight 3 3, 2 gate 1 hold, 2 gate 2 hold, "
	  "2 gate 3 hold, 2 gate 1 ask, 2 gate 2 ask, 2 gate 3 ask, 2 note policy 0 6, "
	  "3 weight 3 1, 3 weight 1 5, 3 weight 3 1, 4 gate 1 hold, 4 gate 2 hold, "
	  "4 gate 3 hold, 4 gate 1 ask, 4 gate 2 ask, 4 gate 3 ask, 4 note policy 0 6, "
	  "5 weight 3 3, 5 weight 5 5, 5 weight 3 3" },
	{ "another spec changes a user's weight", "timeslice",
	  USERS "0 join 1 1 a 1 7\n" "1 weight 1\n" "2 rematch uid=7:prt:bg:0:0:0:weight=3\n"
	  "3 weight 1\n" "4 spec uid=9:prt:bg:0:0:0\n" "5 weight 1\n"
	  "6 join 2 1 b 1 7\n" "7 weight 1\n" "7 weight 2\n",
	  "0 note policy 0 6, 1 weight 1 1, 3 weight 3 1, 5 weight 3 1, 7 weight 1 1, "
	  "7 weight 1 1" },
	{ "cgroups: those below a delegated one are one", "timeslice",
	  CGROUPS "0 join 1 1 a 1 1 /u/a 2\n" "0 join 2 1 b 1 1 /u/b 2\n" "0 join 3 1 c 1 1 /v 0\n"
	  "1 submit 1 1 1\n" "1 started 1\n" "2 submit 2 1 2\n" "3 submit 3 1 3\n"
	  "40001 submit 1 1 4\n" "40001 done 1\n" "40002 started 3\n" "80000 submit 3 1 5\n"
	  "80001 done 3\n",
	  "0 note policy 0 6, 1 free 1, 40001 free 3, 80001 free 2" },
	{ "cgroups: a debt stays where it was made", "timeslice",
	  CGROUPS "0 join 1 1 a 1 7 /u 0\n" "0 join 2 1 b 1 8 /v 0\n" "0 submit 1 1 1\n"
	  "0 started 1\n" "1 submit 2 1 2\n" "90000 done 1\n" "90000 leave 1 1\n"
	  "90001 join 3 1 a 1 7 /w 0\n" "90002 join 4 1 a 1 7 /u 0\n",
	  "0 note policy 0 6, 0 free 1, 90000 free 2, 90002 back 1" },
	{ "users: a process more gets no turn more", "timeslice",
	  USERS THREE ROUND "40002 join 4 1 d 1 7\n" "40003 submit 4 1 5\n" "40004 started 3\n"
	  "80000 submit 3 1 6\n" "80001 done 3\n" "80002 started 2\n" "120000 submit 2 1 7\n"
	  "120001 done 2\n",
	  "0 note policy 0 6, 1 free 1, 40001 free 3, 80001 free 2, 120001 free 6" },
	{ "users: the turn of one that leaves in it is its user's", "timeslice",
	  USERS THREE "30000 leave 1 1\n" "40001 done 1\n" "40002 started 3\n" "40003 submit 3 1 4\n"
	  "80001 done 3\n",
	  "0 note policy 0 6, 1 free 1, 40001 free 3, 80001 free 2" },
	{ "users: one leaves in its turn while no other waits: no user has saved up time", "timeslice",
	  USERS "0 join 1 1 a 1 7\n" "0 join 2 1 b 1 7\n" "0 join 3 1 c 1 8\n"
	  "1 submit 1 1 1\n" "1 started 1\n" "20001 done 1\n" "20002 leave 1 1\n"
	  "100000 submit 3 1 2\n" "100000 started 2\n" "100001 submit 2 1 3\n"
	  "100002 submit 3 1 4\n" "165000 done 2\n" "165000 started 3\n"
	  "165001 submit 2 1 5\n" "215000 done 3\n",
	  "0 note policy 0 6, 1 free 1, 20002 gone 1, 100000 free 2, 165000 free 3, "
	  "215000 free 5" },
	{ "band: users of a virtual GPU", "band",
	  BY("7", "1") "0 join 1 1 a 1 7\n" "0 join 2 1 b 1 7\n" "0 join 3 1 c 1 8\n"
	  "1 submit 1 1 1\n" "1 started 1\n" "2 submit 2 1 2\n" "3 submit 3 1 3\n"
	  "40000 submit 1 1 4\n" "40001 done 1\n" "40002 started 3\n" "80000 submit 3 1 5\n"
	  "80003 done 3\n" "80004 started 2\n" "120005 done 2\n",
	  "0 note policy 0 9, 1 free 1, 40001 free 3, 80003 free 2, 120005 free 5" },
	{ "band: a user comes from another virtual GPU, with a group in flight", "band",
	  MOVED "8000002 submit 2 1 8\n" "8000002 submit 2 1 9\n" "8000002 submit 2 1 10\n"
	  "8000003 submit 1 1 11\n" "8000003 submit 1 1 12\n" "8000003 submit 1 1 13\n"
	  "8060000 done 7\n" "8060000 started 8\n" "8100000 done 8\n" "8100000 started 9\n"
	  "8140000 done 9\n" "8140000 started 11\n" "8180000 done 11\n" "8180000 started 10\n"
	  "8220000 done 10\n" "8220000 started 12\n" "8260000 done 12\n",
	  MOVED_FREED "8060000 free 8, 8100000 free 9, 8140000 free 11, 8180000 free 10, "
	  "8220000 free 12, 8260000 free 13" },
	{ "band: the group in flight ends before the user submits the next", "band",
	  MOVED "8000002 submit 2 1 8\n" "8000002 submit 2 1 9\n" "8000002 submit 2 1 10\n"
	  "8060000 done 7\n" "8060000 started 8\n"
	  "8060003 submit 1 1 11\n" "8060003 submit 1 1 12\n" "8060003 submit 1 1 13\n"
	  "8100000 done 8\n" "8100000 started 9\n"
	  "8140000 done 9\n" "8140000 started 11\n" "8180000 done 11\n" "8180000 started 10\n"
	  "8220000 done 10\n" "8220000 started 12\n" "8260000 done 12\n",
	  MOVED_FREED "8060000 free 8, 8100000 free 9, 8140000 free 11, 8180000 free 10, "
	  "8220000 free 12, 8260000 free 13" },
	{ "band: a process comes to its user's others from another virtual GPU", "band",
	  MOVED "8000002 submit 3 1 8\n" "8000002 submit 3 1 9\n" "8000002 submit 3 1 10\n"
	  "8000003 submit 1 1 11\n" "8000003 submit 1 1 12\n"
	  "8060000 done 7\n" "8060000 started 8\n" "8460000 done 8\n" "8460000 started 9\n"
	  "8860000 done 9\n" "8860000 started 11\n" "9260000 done 11\n",
	  MOVED_FREED "8060000 free 8, 8460000 free 9, 8860000 free 11, 9260000 free 10" },
};

int main(void)
{
	return run_rows(rows, ARRAY_SIZE(rows));
}
