// SPDX-License-Identifier: GPL-2.0
/*
 * A spec's policy and knobs come into force with its clients, or nothing of it does. Scripts as in
 * script.h; a spec's lines: `policy|NAME`, `knob|NAME|VALUE`. timegraph's first two knobs are
 * depth (2) and lead_us (0).
 */
#include "script.h"

#define ALL	"policy|timegraph knob|lead_us|500 knob|stall_us|9ms a:prt:bg:7:0:0\n"

static const struct row rows[] = {
	{ "policy, knobs and clients in one event", "fifo",
	  "0 join 1 1 a\n" "0 set?\n" "1 load " ALL "2 set?\n" "2 prio? 1\n",
	  "0 set fifo 5000 0/0, 1 gate 1 hold, 1 gate 1 ask, 1 note policy 0 2, "
	  "2 set timegraph 9000 2/500, 2 prio 7" },
	{ "without a model for its dry run nothing of it is in force", "fifo",
	  "0 spec a:prt:bg:3:0:0\n" "0 join 1 1 a\n" "0 no-dry\n"
	  "1 load knob|stall_us|9ms policy|timegraph knob|lead_us|500 knob|dry_run|1 a:prt:bg:7:0:0\n"
	  "2 set?\n" "2 prio? 1\n" "3 join 1 2 a\n" "3 prio? 1\n",
	  "1 -12, 2 set fifo 5000 0/0, 2 prio 3, 3 prio 3" },
	{ "the knobs of a policy wait for the drain with it", "fifo",
	  "0 join 1 1 a\n" "1 submit 1 1 1\n" "2 started 1\n" "3 load " ALL "4 set?\n"
	  "10 done 1\n" "11 set?\n",
	  "1 free 1, 3 gate 1 hold, 4 set fifo 9000 0/0, 10 gate 1 ask, "
	  "10 note policy 0 2, 11 set timegraph 9000 2/500" },
	{ "a spec that names none leaves policy and knobs, also those on their way", "fifo",
	  "0 join 1 1 a\n" "1 submit 1 1 1\n" "2 started 1\n" "3 load " ALL
	  "5 load a:prt:bg:8:0:0\n" "10 done 1\n" "11 set?\n" "12 load a:prt:bg:9:0:0\n" "13 set?\n",
	  "1 free 1, 3 gate 1 hold, 10 gate 1 ask, 10 note policy 0 2, "
	  "11 set timegraph 9000 2/500, 13 set timegraph 9000 2/500" },
	{ "a policy that comes back begins with the knobs of the spec that named it", "fifo",
	  "0 load " ALL "1 set?\n" "2 pknob 1 7\n" "2 set?\n" "3 policy fifo\n" "3 set?\n"
	  "4 policy timegraph\n" "4 set?\n" "5 policy tick\n" "5 set?\n",
	  "0 note policy 0 2, 1 set timegraph 9000 2/500, 2 set timegraph 9000 2/7, "
	  "3 note policy 0 1, 3 set fifo 9000 0/0, 4 note policy 0 2, "
	  "4 set timegraph 9000 2/500, 5 note policy 0 3, 5 set tick 9000 1000/0" },
	{ "a knob that the spec does not name stays as it was set by hand", "timegraph",
	  "0 pknob 0 9\n" "0 pknob 1 7\n" "0 knob 10 800\n" "1 set?\n"
	  "2 load policy|timegraph knob|lead_us|500\n" "2 set?\n",
	  "1 set timegraph 800 9/7, 2 set timegraph 800 9/500" },
	{ "settings of a spec are left alone unless they are asked for", "fifo",
	  "0 rematch " ALL "1 set?\n",
	  "1 set fifo 5000 0/0" },
	{ "and are what its policy begins with, as on a GPU that comes after the spec", "timegraph",
	  "0 rematch " ALL "0 pknob 1 500\n" "1 set?\n" "2 policy fifo\n" "3 policy timegraph\n" "4 set?\n",
	  "1 set timegraph 5000 2/500, 2 note policy 0 1, 3 note policy 0 2, "
	  "4 set timegraph 5000 2/500" },
	{ "in a dry run the model changes, and nothing is delayed", "fifo",
	  "0 join 1 1 a\n" "0 knob 5 1\n" "1 set?\n" "2 load " ALL "3 set?\n" "4 submit 1 1 1\n"
	  "5 load policy|timegraph knob|depth|5 a:prt:bg:8:0:0\n" "5 set?\n"
	  "6 load knob|dry_run|0 policy|timegraph\n" "7 started 1\n" "8 done 1\n" "9 set?\n",
	  "0 gate 1 track, 0 note dry 0 1, 1 set dry fifo 5000 0/0, 2 note dry 0 2, "
	  "3 set dry timegraph 9000 2/500, 4 free 1, 4 would 1, "
	  "5 set dry timegraph 9000 5/500, 6 gate 1 hold, 8 gate 1 ask, 8 note policy 0 2, "
	  "9 set timegraph 9000 5/500" },
	{ "a dry run begins with the spec's policy and knobs", "fifo",
	  "0 join 1 1 a\n" "1 load knob|dry_run|1 " ALL "2 set?\n" "3 submit 1 1 1\n",
	  "1 note dry 0 2, 1 gate 1 track, 1 note dry 0 2, 2 set dry timegraph 9000 2/500, "
	  "3 free 1, 3 would 1" },
	{ "a knob `share` has the clients join anew", "band",
	  "0 join 1 1 a 1 7\n" "1 load policy|band knob|share|1 a:prt:bg:8:0:0 uid=7:prt:bg:8:0:0:weight=3\n"
	  "2 weight 1\n" "3 submit 1 1 1\n",
	  "1 gate 1 hold, 1 gate 1 ask, 1 note policy 0 9, 2 weight 3 1, 3 free 1" },
	{ "the policy in force, while another one is on its way", "timegraph",
	  "0 pknob 1 7\n" "0 join 1 1 a\n" "1 submit 1 1 1\n" "2 started 1\n" "3 policy fifo\n"
	  "4 load policy|timegraph knob|depth|5\n" "10 done 1\n" "11 set?\n",
	  "1 free 1, 3 gate 1 hold, 10 gate 1 ask, 10 note policy 0 2, "
	  "11 set timegraph 5000 5/7" },
};

int main(void)
{
	return run_rows(rows, ARRAY_SIZE(rows));
}
