// SPDX-License-Identifier: GPL-2.0
/*
 * The core by example: accounts, priorities, engines, held time, deadlines, switches of policy.
 * script.h explains the rows. reserve_test.c has those about reserves and predictions.
 */
#include "script.h"

/* Two groups of two clients, on their way together. */
#define TWO_AT_ONCE \
	"0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" \
	"0 submit 2 1 2\n" "0 started 2\n"

/* Group @n of client 2, which takes 8 us. */
#define EXACT(n) \
	#n "0 submit 2 1 " #n "\n" #n "1 started " #n "\n" #n "9 exact " #n " " #n "9\n"

/* a, b: equals with a reserve of their own each, h: goes before them; a's group 1 is FREED at 0. */
#define STALL \
	"0 spec a:prt:pe:1:1000:100000 b:prt:pe:1:1000:100000 h:prt:bg:9:0:0\n" "0 join 1 1 a\n" \
	"0 join 2 1 b\n" "0 join 3 1 h\n" "0 submit 1 1 1\n"

/* The same, in Background, and a has overlapped once. */
#define STALLED \
	"0 spec h:prt:bg:9:0:0\n" "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 h\n" \
	"0 submit 1 1 1\n" "1 submit 3 1 2\n" "5001 started 2\n" "5002 started 1\n" \
	"6000 done 2\n" "6000 done 1\n"
/* Two equal virtual GPUs of one client each; the first one's group 1 is FREED, and 2 waits. */
#define VGPUS \
	"0 spec [vgpu|v]:50:50:50 [vgpu|w]:50:50:50 a:prt:bg:1:0:0:vgpu=v b:prt:bg:1:0:0:vgpu=w\n" \
	"0 join 1 1 a\n" "0 join 2 1 b\n" "40000 submit 1 1 1\n" "40001 submit 1 1 2\n"

#define GOOD	"10000 submit 1 1 9\n" "10000 started 9\n" "10000 done 9\n"
#define GOOD_4	GOOD GOOD GOOD GOOD
#define FREE_4	", 10000 free 9, 10000 free 9, 10000 free 9, 10000 free 9"

static const struct row rows[] = {
	{ "fifo frees at once", "fifo",
	  "0 join 1 1 a\n" "10 submit 1 1 1\n" "11 submit 1 1 2\n" "12 started 1\n" "13 started 2\n"
	  "20 done 1\n" "30 done 2\n" "40 leave 1 1\n",
	  "10 free 1, 11 free 2, 40 gone 1" },
	{ "fifo: completions that are told together are each charged what is theirs", "fifo",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" "0 submit 2 1 2\n"
	  "0 started 2\n" "2000 done 1\n" "2000 submit 1 1 3\n" "2000 started 3\n" "12000 done 2\n"
	  "12000 submit 2 1 4\n" "12000 started 4\n" "14000 done 3\n" "14000 submit 1 1 5\n"
	  "14000 started 5\n" "26000 done 4\n" "26000 time 2\n" "26000 done 5\n" "26000 time 1\n"
	  "26000 time 2\n" "26000 busy 0\n",
	  "0 free 1, 0 free 2, 2000 free 3, 12000 free 4, 14000 free 5, 26000 used 22000, "
	  "26000 used 6000, 26000 used 20000, 26000 busy 26000" },
	{ "fifo: it knows what is usual though another policy was in force meanwhile", "fifo",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" "2000 done 1\n"
	  "2000 submit 2 1 2\n" "2000 started 2\n" "12000 done 2\n"
	  "13000 policy timeslice\n" "14000 policy fifo\n"
	  "20000 submit 2 1 3\n" "20000 started 3\n" "20000 submit 1 1 4\n" "20000 started 4\n"
	  "32000 done 3\n" "32000 done 4\n" "32000 time 1\n" "32000 time 2\n",
	  "0 free 1, 2000 free 2, 13000 gate 1 hold, 13000 gate 2 hold, 13000 gate 1 ask, "
	  "13000 gate 2 ask, 13000 note policy 0 6, 14000 gate 1 hold, 14000 gate 2 hold, "
	  "14000 gate 1 track, 14000 gate 2 track, 14000 note policy 0 1, 20000 free 3, "
	  "20000 free 4, 32000 used 4000, 32000 used 20000" },
	{ "fifo: a group that is shorter than usual after a pause owes nothing", "fifo",
	  "0 join 1 1 a\n" "0 submit 1 1 1\n" "0 started 1\n" "2000 done 1\n" "3000 submit 1 1 2\n"
	  "3000 started 2\n" "8000 done 2\n" "9000 submit 1 1 3\n" "9000 started 3\n" "9500 done 3\n"
	  "9500 time 1\n",
	  "0 free 1, 3000 free 2, 9000 free 3, 9500 used 7500" },
	{ "the GPU's clock: a short group after a long one is charged what it took", "fifo",
	  TWO_AT_ONCE "20000 exact 1 19000\n" "20100 exact 2 20000\n" "20100 time 1\n"
	  "20100 time 2\n",
	  "0 free 1, 0 free 2, 20100 used 19000, 20100 used 1000" },
	{ "the GPU's clock: so it is where the host hears of it first", "fifo",
	  TWO_AT_ONCE "20000 exact 2 20000\n" "20000 time 2\n" "20100 exact 1 19000\n"
	  "20100 time 1\n" "20100 time 2\n",
	  "0 free 1, 0 free 2, 20000 used 20000, 20100 used 19000, 20100 used 1000" },
	{ "an engine's time is what its groups used, in whatever order the host hears of them", "fifo",
	  TWO_AT_ONCE "20000 exact 2 20000\n" "20000 busy 0\n" "20100 exact 1 19000\n"
	  "20100 busy 0\n" "20200 leave 1 1\n" "20200 leave 2 1\n" "20200 busy 0\n" "20200 busy 1\n",
	  "0 free 1, 0 free 2, 20000 busy 20000, 20100 busy 20000, 20200 gone 1, 20200 gone 2, "
	  "20200 busy 20000, 20200 busy 0" },
	{ "an engine's time: a group of the second engine, and one that is lost", "timegraph",
	  "0 join 1 1 a 2\n" "0 submit 1 1 1\n" "0 started 1\n" "3000 done 1\n" "3000 busy 0\n"
	  "3000 busy 1\n" "4000 submit 1 1 2\n" "4000 started 2\n" "10005000 done 2\n" "10005000 busy 1\n",
	  "0 free 1, 3000 busy 0, 3000 busy 3000, 4000 free 2, 10004000 note lost 1 2, "
	  "10005000 note repaired 1 2, 10005000 note recovered 1 2, 10005000 busy 10004000" },
	{ "the GPU's clock: a group that started later gives nothing back", "fifo",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n"
	  "5000 submit 2 1 2\n" "5000 started 2\n" "9000 exact 2 8000\n" "9000 exact 1 4000\n"
	  "9000 time 1\n" "9000 time 2\n",
	  "0 free 1, 5000 free 2, 9000 used 4000, 9000 used 3000" },
	{ "the GPU's clock: an interrupt's time after an exact one", "fifo",
	  TWO_AT_ONCE "20000 exact 1 19000\n" "20100 done 2\n" "20100 time 2\n",
	  "0 free 1, 0 free 2, 20100 used 1100" },
	{ "the GPU's clock: a time that is not believed any more", "fifo",
	  TWO_AT_ONCE "20000 exact 1 19000\n" "20100 forged 2\n" "20100 time 2\n",
	  "0 free 1, 0 free 2, 20100 note forged 2 2, 20100 used 1100" },
	{ "the GPU's clock: two groups of a channel that are seen as one", "fifo",
	  "0 join 1 1 a\n" "0 submit 1 1 1\n" "0 started 1\n" "1 submit 1 1 2\n" "1 started 2\n"
	  "9100 by 1 9000\n" "9100 exact 2 9000\n" "9100 time 1\n",
	  "0 free 1, 1 free 2, 9100 used 9000" },
	{ "the GPU's clock: two of a channel are seen as one, while groups of two clients alternate", "fifo",
	  TWO_AT_ONCE "1000 exact 1 1000\n" "2000 exact 2 2000\n"
	  "2000 submit 1 1 3\n" "2000 submit 2 1 4\n" "2000 submit 1 1 5\n" "2000 submit 2 1 6\n"
	  "2000 started 3\n" "2000 started 4\n" "2000 started 5\n" "2000 started 6\n"
	  "6100 by 3 5000\n" "6100 exact 5 5000\n" "6100 time 1\n"
	  "6100 by 4 6000\n" "6100 exact 6 6000\n" "6100 time 1\n" "6100 time 2\n",
	  "0 free 1, 0 free 2, 2000 free 3, 2000 free 4, 2000 free 5, 2000 free 6, "
	  "6100 used 4000, 6100 used 3000, 6100 used 3000" },
	{ "the GPU's clock: of a pair, what passed before the second one started is the first one's", "fifo",
	  "0 join 1 1 a\n" "0 submit 1 1 1\n" "0 started 1\n" "1 exact 1 1\n"
	  "100 submit 1 1 2\n" "100 started 2\n" "10000 submit 1 1 3\n" "10000 started 3\n"
	  "10100 by 2 10099\n" "10100 exact 3 10099\n" "10100 time 1\n",
	  "0 free 1, 100 free 2, 10000 free 3, 10100 used 10000" },
	{ "the GPU's clock: a pair takes nothing that had passed before it started", "fifo",
	  TWO_AT_ONCE "9000 exact 1 9000\n" "9001 exact 2 9001\n"
	  "10000 submit 2 1 3\n" "10000 started 3\n" "19900 submit 1 1 4\n" "19900 started 4\n"
	  "19900 submit 1 1 5\n" "19900 started 5\n" "20000 exact 3 20000\n"
	  "20030 by 4 20020\n" "20030 exact 5 20020\n" "20030 time 1\n" "20030 time 2\n",
	  "0 free 1, 0 free 2, 10000 free 3, 19900 free 4, 19900 free 5, "
	  "20030 used 9020, 20030 used 10001" },
	{ "the GPU's clock: what was charged too much returns to the reserve", "timegraph",
	  "0 spec a:ht:pe:1:1000:100000\n" "0 join 1 1 a\n" "0 join 1 2 a\n" "0 submit 1 1 1\n"
	  "0 started 1\n" "0 submit 1 2 2\n" "0 started 2\n" "600 exact 2 500\n" "600 budget 1\n"
	  "700 exact 1 400\n" "700 budget 1\n",
	  "0 free 1, 0 free 2, 600 budget 500, 700 budget 500" },
	{ "the GPU's clock: a completion before all that are remembered counts for nothing", "fifo",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 99\n" "0 started 99\n"
	  EXACT(10) EXACT(11) EXACT(12) EXACT(13) EXACT(14) EXACT(15) EXACT(16) EXACT(17)
	  EXACT(18) EXACT(19) EXACT(20) EXACT(21) EXACT(22) EXACT(23) EXACT(24) EXACT(25)
	  EXACT(26) EXACT(27) EXACT(28) EXACT(29) EXACT(30) EXACT(31) EXACT(32) EXACT(33)
	  EXACT(34) EXACT(35) EXACT(36) EXACT(37) EXACT(38) EXACT(39) EXACT(40) EXACT(41)
	  EXACT(42) "500 exact 99 10\n" "500 time 1\n" "500 time 2\n",
	  "0 free 99, 100 free 10, 110 free 11, 120 free 12, 130 free 13, 140 free 14, "
	  "150 free 15, 160 free 16, 170 free 17, 180 free 18, 190 free 19, 200 free 20, "
	  "210 free 21, 220 free 22, 230 free 23, 240 free 24, 250 free 25, 260 free 26, "
	  "270 free 27, 280 free 28, 290 free 29, 300 free 30, 310 free 31, 320 free 32, "
	  "330 free 33, 340 free 34, 350 free 35, 360 free 36, 370 free 37, 380 free 38, "
	  "390 free 39, 400 free 40, 410 free 41, 420 free 42, "
	  "500 used 0, 500 used 264" },
	{ "an open gate that answers anyway frees", "none",
	  "0 join 1 1 a\n" "10 submit 1 1 1\n" "11 started 1\n" "12 done 1\n",
	  "10 free 1" },
	{ "PRT: one at a time, highest priority next", "timegraph",
	  "0 spec hp:prt:bg:9:0:0 mp:prt:bg:5:0:0 lp:prt:bg:1:0:0\n"
	  "0 join 1 1 lp\n" "0 join 2 1 mp\n" "0 join 3 1 hp\n"
	  "10 submit 2 1 1\n" "11 started 1\n" "12 submit 2 1 2\n" "13 submit 1 1 3\n"
	  "14 submit 3 1 4\n" "50 done 1\n" "51 started 4\n" "60 done 4\n" "61 started 2\n"
	  "70 done 2\n" "71 started 3\n" "80 done 3\n",
	  "10 free 1, 50 free 4, 60 free 2, 70 free 3" },
	{ "PRT: equals in arrival order", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 c\n"
	  "1 submit 1 1 1\n" "2 submit 2 1 2\n" "3 submit 3 1 3\n" "4 submit 2 1 4\n"
	  "5 started 1\n" "10 done 1\n" "11 started 2\n" "20 done 2\n" "21 started 3\n" "30 done 3\n",
	  "1 free 1, 10 free 2, 20 free 3, 30 free 4" },
	{ "PRT: a freed job holds the engine before it has started", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "2 submit 2 1 2\n"
	  "50 refused 1\n",
	  "1 free 1, 50 free 2" },
	{ "a priority by hand moves what waits", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 c\n" "1 submit 1 1 1\n" "2 started 1\n"
	  "3 submit 2 1 2\n" "4 submit 3 1 3\n" "5 submit 3 1 4\n" "6 prio 3 9\n" "10 done 1\n"
	  "11 started 3\n" "12 prio 2 10\n" "20 done 3\n" "21 started 2\n" "30 done 2\n",
	  "1 free 1, 10 free 3, 20 free 2, 30 free 4" },
	{ "a priority by hand holds until a rematch", "timegraph",
	  "0 spec a:prt:bg:7:0:0\n" "0 join 1 1 a\n" "0 prio? 1\n" "1 prio 1 30\n"
	  "2 join 1 2 a\n" "2 prio? 1\n" "3 spec a:prt:bg:8:0:0\n" "3 prio? 1\n"
	  "4 rematch a:prt:bg:8:0:0\n" "4 prio? 1\n" "5 join 1 3 a\n" "5 prio? 1\n",
	  "0 prio 7, 2 prio 30, 3 prio 30, 4 prio 8, 5 prio 8" },
	{ "a priority that is none, of a client that is none", "timegraph",
	  "0 join 1 1 a\n" "1 prio 1 100\n" "2 prio 2 1\n" "3 prio? 1\n" "4 prio 1 99\n"
	  "4 prio? 1\n" "5 foreground 4294967296\n",
	  "1 -22, 2 -2, 3 prio 0, 4 prio 99, 5 -22" },
	{ "AGPA: the foreground window's process comes first among its like", "timegraph",
	  "0 spec a:prt:bg:*:0:0 b:prt:bg:*:0:0 c:prt:bg:60:0:0\n" "0 join 1 1 a\n"
	  "0 join 2 1 b\n" "0 join 3 1 c\n" "1 submit 3 1 1\n" "2 started 1\n"
	  "3 submit 1 1 2\n" "4 submit 2 1 3\n" "5 submit 3 1 4\n" "6 foreground 200\n"
	  "10 done 1\n" "11 started 4\n" "20 done 4\n" "21 started 3\n" "30 done 3\n"
	  "31 prio? 1\n" "31 prio? 2\n" "31 prio? 3\n",
	  "1 free 1, 10 free 4, 20 free 3, 30 free 2, 31 prio 50, 31 prio 51, 31 prio 60" },
	{ "AGPA: the foreground changes, and nobody has it", "timegraph",
	  "0 spec a:prt:bg:*:0:0 b:ht:bg:*:0:0\n" "0 foreground 200\n" "0 join 1 1 a\n"
	  "0 join 2 1 b\n" "0 prio? 1\n" "0 prio? 2\n" "1 foreground 100\n" "1 prio? 1\n"
	  "1 prio? 2\n" "2 foreground 0\n" "2 prio? 1\n" "3 foreground 999\n" "3 prio? 1\n",
	  "0 prio 50, 0 prio 51, 1 prio 51, 1 prio 50, 2 prio 50, 3 prio 50" },
	{ "AGPA: a priority by hand stays, a rematch brings it back", "timegraph",
	  "0 spec a:prt:bg:*:0:0\n" "0 join 1 1 a\n" "1 prio 1 5\n" "2 foreground 100\n"
	  "2 prio? 1\n" "3 rematch a:prt:bg:*:0:0\n" "3 prio? 1\n",
	  "2 prio 5, 3 prio 51" },
	{ "a priority by hand under fifo, where nobody waits", "fifo",
	  "0 join 1 1 a\n" "1 submit 1 1 1\n" "2 prio 1 5\n" "3 submit 1 1 2\n" "3 prio? 1\n",
	  "1 free 1, 3 free 2, 3 prio 5" },
	{ "HT: follows its own group, up to its depth", "timegraph",
	  "0 spec g:ht:bg:5:0:0\n" "0 join 1 1 g\n" "0 join 2 1 x\n"
	  "1 submit 1 1 1\n" "2 started 1\n" "3 submit 2 1 2\n" "4 submit 1 1 3\n" "5 started 3\n"
	  "6 submit 1 1 4\n" "10 done 1\n" "11 started 4\n" "20 done 3\n" "30 done 4\n",
	  "1 free 1, 4 free 3, 10 free 4, 30 free 2" },
	{ "HT: not while a higher priority waits", "timegraph",
	  "0 spec g:ht:bg:5:0:0 h:prt:bg:9:0:0\n" "0 join 1 1 g\n" "0 join 2 1 h\n"
	  "1 submit 1 1 1\n" "2 started 1\n" "3 submit 2 1 2\n" "4 submit 1 1 3\n"
	  "10 done 1\n" "11 started 2\n" "20 done 2\n",
	  "1 free 1, 10 free 2, 20 free 3" },
	{ "HT: depth from the spec line", "timegraph",
	  "0 spec g:ht:bg:5:0:0:depth=1\n" "0 join 1 1 g\n"
	  "1 submit 1 1 1\n" "2 started 1\n" "4 submit 1 1 2\n" "10 done 1\n",
	  "1 free 1, 10 free 2" },
	{ "a channel that turns to another engine waits for that one", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 engines 2 1 2\n" "1 submit 1 1 1\n"
	  "2 submit 2 1 2\n" "3 started 1\n" "4 started 2\n" "5 engines 2 1 1\n"
	  "10 done 2\n" "12 submit 2 1 3\n" "20 done 1\n" "21 started 3\n" "30 done 3\n",
	  "1 free 1, 2 free 2, 20 free 3" },
	{ "a channel that turns to another engine: so do its jobs that wait", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 2 2 b\n" "1 submit 1 1 1\n"
	  "2 submit 2 1 2\n" "3 submit 2 1 3\n" "4 submit 2 2 4\n" "5 started 1\n"
	  "6 engines 2 1 2\n" "7 started 2\n" "10 done 2\n" "12 started 3\n" "20 done 1\n"
	  "30 done 3\n",
	  "1 free 1, 6 free 2, 10 free 3, 20 free 4" },
	{ "engines: of no channel, none, one that is not there", "timegraph",
	  "0 join 1 1 a\n" "1 engines 1 2 1\n" "2 engines 1 1 0\n" "3 engines 1 1 16\n",
	  "1 -2, 2 -22, 3 -22" },
	{ "several engines: kept for the one that is next on all, no others", "timegraph",
	  "0 spec hp:prt:bg:9:0:0 mp:prt:bg:5:0:0 lp:prt:bg:1:0:0\n" "0 join 1 1 hp 6\n"
	  "0 join 2 1 mp 5\n" "0 join 3 1 lp 2\n" "0 join 4 1 lp 1\n" "1 submit 3 1 1\n"
	  "1 started 1\n" "2 submit 1 1 2\n" "3 submit 2 1 3\n" "4 submit 4 1 4\n"
	  "5 started 4\n" "10 done 1\n" "11 started 2\n" "20 done 2\n" "30 done 4\n",
	  "1 free 1, 4 free 4, 10 free 2, 30 free 3" },
	{ "several engines: in arrival order under fcfs", "fcfs",
	  "0 join 1 1 a 6\n" "0 join 2 1 b 5\n" "0 join 3 1 c 2\n" "0 join 4 1 d 1\n"
	  "1 submit 3 1 1\n" "1 started 1\n" "2 submit 1 1 2\n" "3 submit 2 1 3\n"
	  "4 submit 4 1 4\n" "5 started 4\n" "10 done 1\n" "11 started 2\n" "20 done 2\n"
	  "30 done 4\n",
	  "1 free 1, 4 free 4, 10 free 2, 30 free 3" },
	{ "HT: not while an equal waits that needs several engines", "timegraph",
	  "0 spec g:ht:bg:5:0:0 x:prt:bg:5:0:0\n" "0 join 1 1 g\n" "0 join 2 1 x 3\n"
	  "1 submit 1 1 1\n" "2 started 1\n" "3 submit 2 1 2\n" "4 submit 1 1 3\n" "10 done 1\n"
	  "11 started 2\n" "20 done 2\n",
	  "1 free 1, 10 free 2, 20 free 3" },
	{ "an engine may idle for long while another's group is awaited", "timegraph",
	  "0 join 1 1 a 2\n" "0 join 2 1 b 3\n" "0 join 3 1 c 1\n" "1 submit 1 1 1\n"
	  "1 started 1\n" "2 submit 2 1 2\n" "3 submit 3 1 3\n" "9900000 done 1\n",
	  "1 free 1, 9900000 free 2" },
	{ "but not for ever", "timegraph",
	  "0 spec a:ht:bg:5:0:0\n" "0 join 1 1 a 2\n" "0 join 2 1 b 3\n" "0 join 3 1 c 1\n"
	  "1 submit 1 1 1\n" "1 started 1\n" "1 submit 1 1 2\n" "1 started 2\n"
	  "2 submit 2 1 3\n" "3 submit 3 1 4\n" "9000000 done 1\n" "11000100 wait\n",
	  "1 free 1, 1 free 2, 11000002 note ejected_starved 0 0, 11000002 gate 1 track, "
	  "11000002 free 3, 11000002 gate 2 track, 11000002 free 4, 11000002 gate 3 track, "
	  "11000002 note policy 0 1" },
	{ "a group behind another one of its client is not what an engine is idle beside", "timegraph",
	  "0 spec a:ht:bg:5:0:0\n" "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 2 2 b 2\n"
	  "1 submit 1 1 1\n" "1 started 1\n" "1 submit 1 1 2\n" "1 started 2\n"
	  "2 submit 2 1 3\n" "3 submit 2 2 4\n" "9000000 done 1\n" "12000000 done 2\n",
	  "1 free 1, 1 free 2, 12000000 free 3, 12000000 free 4" },
	{ "dtimeslice: from its second turn on the holder's gate is open for a slice", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" "5000 done 1\n"
	  "5002 policy dtimeslice\n" "8000 submit 1 1 3\n" "8001 started 3\n" "9000 done 3\n"
	  "10000 submit 1 1 4\n" "10001 started 4\n" "11000 submit 2 1 5\n" "12000 done 4\n"
	  "41000 wait\n" "41010 idle 1\n",
	  "0 free 1, 5002 gate 1 hold, 5002 gate 2 hold, 5002 gate 1 ask, 5002 gate 2 ask, "
	  "5002 note policy 0 7, 8000 free 3, 10000 free 4, 10000 gate 1 open, 12000 watch, "
	  "40000 gate 1 ask, 40000 sync 1, 41010 free 5" },
	{ "dtimeslice: a holder that does not drain is cut, and the next one goes", "dtimeslice",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" "1000 done 1\n"
	  "2000 submit 1 1 2\n" "2001 started 2\n" "3000 done 2\n" "4000 submit 2 1 3\n"
	  "10050000 wait\n",
	  "0 gate 1 ask, 0 gate 2 ask, 0 free 1, 2000 free 2, 2000 gate 1 open, 4000 watch, "
	  "32000 gate 1 ask, 32000 sync 1, 10032000 note drain_cut 1 0, 10032000 sync 1, "
	  "10032000 free 3" },
	{ "dtimeslice: behind an open gate no reserve is asked", "dtimeslice",
	  "0 spec a:prt:pe:1:1000:9000000:reserve=r\n" "0 join 1 1 a\n" "0 submit 1 1 1\n"
	  "1 started 1\n" "5000 done 1\n" "6000 submit 1 1 2\n",
	  "0 gate 1 ask, 0 free 1, 0 gate 1 open, 6000 free 2" },
	{ "dtimeslice: a holder that sends one group after the other stands at ASK", "dtimeslice",
	  "0 pknob 1 0\n" "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "1 started 1\n"
	  "2 submit 1 1 2\n" "3 submit 2 1 3\n" "10000 done 1\n" "10001 started 3\n"
	  "15000 done 3\n" "15001 started 2\n" "15002 submit 1 1 4\n" "25000 done 2\n"
	  "25001 started 4\n" "25002 submit 2 1 5\n" "35000 done 4\n",
	  "0 gate 1 ask, 0 gate 2 ask, 0 free 1, 10000 free 3, 15000 free 2, 25000 free 4, "
	  "35000 free 5, 35000 gate 2 open" },
	{ "dtimeslice: so does one that was long to drain", "dtimeslice",
	  "0 join 1 1 a\n" "0 submit 1 1 1\n" "1 started 1\n" "1000 done 1\n" "2000 join 2 1 b\n"
	  "2001 submit 2 1 2\n" "9000 idle 1\n" "9001 started 2\n" "10000 done 2\n"
	  "11000 submit 1 1 3\n" "11001 started 3\n" "12000 done 3\n" "13000 submit 1 1 4\n",
	  "0 gate 1 ask, 0 free 1, 0 gate 1 open, 2000 gate 2 ask, 2000 gate 1 ask, 2000 sync 1, "
	  "9000 free 2, 11000 free 3, 13000 free 4" },
	{ "band: who copies and who computes are equals", "band",
	  "0 join 1 1 a\n" "0 join 2 1 b 2\n" "0 submit 1 1 1\n" "0 started 1\n"
	  "900000 done 1\n" "1000000 submit 1 1 2\n" "1000000 started 2\n"
	  "1000001 submit 2 1 3\n" "1000002 submit 1 1 4\n" "1001000 done 2\n"
	  "1001000 started 3\n" "1001001 submit 2 1 5\n" "1003000 done 3\n"
	  "1003000 started 4\n" "1004000 done 4\n",
	  "0 free 1, 1000000 free 2, 1001000 free 3, 1003000 free 4, 1004000 free 5" },
	{ "timegraph: who holds the engine without starting goes after its equals", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "1 submit 2 1 2\n"
	  "50000 started 1\n" "50010 done 1\n" "50011 started 2\n" "50012 submit 1 1 3\n"
	  "50013 submit 2 1 4\n" "51011 done 2\n" "51012 started 4\n" "52012 done 4\n",
	  "0 free 1, 50010 free 2, 51011 free 4, 52012 free 3" },
	{ "timeslice: the engine lingers for a gap, up to twice its mean and 50 us", "timeslice",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" "0 submit 2 1 2\n"
	  "10000 done 1\n" "10100 submit 1 1 3\n" "10100 started 3\n" "20100 done 3\n"
	  "30000 wait\n",
	  "0 free 1, 10100 free 3, 20200 free 2" },
	{ "timeslice: a linger takes 3 % of the time that the engine has worked", "timeslice",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" "0 submit 2 1 2\n"
	  "10000 done 1\n" "20000 wait\n",
	  "0 free 1, 10300 free 2" },
	{ "timeslice: no linger where linger_us is 0", "timeslice",
	  "0 pknob 1 0\n" "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n"
	  "0 submit 2 1 2\n" "10000 done 1\n",
	  "0 free 1, 10000 free 2" },
	{ "timeslice: a client that is behind all others goes after the group in flight", "timeslice",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 2 1 1\n" "0 started 1\n" "1000 done 1\n"
	  "1000 submit 1 1 2\n" "1000 submit 1 1 3\n" "1000 started 2\n" "4000 submit 2 1 4\n"
	  "6000 done 2\n" "6000 started 4\n" "7000 done 4\n",
	  "0 free 1, 1000 free 2, 6000 free 4, 7000 free 3" },
	{ "dtimeslice: a turn ends when the holder is quiet beside one that waits", "dtimeslice",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "1 started 1\n" "1000 done 1\n"
	  "2000 submit 1 1 2\n" "2001 started 2\n" "2002 submit 2 1 3\n" "3000 done 2\n"
	  "3100 quiet\n" "3110 idle 1\n" "4100 quiet\n",
	  "0 gate 1 ask, 0 gate 2 ask, 0 free 1, 2000 free 2, 2000 gate 1 open, 3000 watch, "
	  "3100 gate 1 ask, 3100 sync 1, 3110 free 3, 4100 -16" },
	{ "dtimeslice: beside none that waits it is not watched", "dtimeslice",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "1 started 1\n" "1000 done 1\n"
	  "2000 submit 1 1 2\n" "2001 started 2\n" "3000 done 2\n",
	  "0 gate 1 ask, 0 gate 2 ask, 0 free 1, 2000 free 2, 2000 gate 1 open" },
	{ "a cancelled waiter leaves its place", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 c\n" "1 submit 1 1 1\n" "2 submit 2 1 2\n"
	  "3 submit 3 1 3\n" "4 started 1\n" "5 cancel 2\n" "10 done 1\n",
	  "1 free 1, 10 free 3" },
	{ "a cancelled freed job returns its slot", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "2 submit 2 1 2\n" "3 cancel 1\n",
	  "1 free 1, 3 free 2" },
	{ "a channel that leaves lets its waiters go", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "2 submit 2 1 2\n" "3 started 1\n"
	  "4 leave 2 1\n" "5 refused 2\n",
	  "1 free 1, 4 free 2, 4 gone 2, 5 -2" },
	{ "a client goes when its last job ends", "timegraph",
	  "0 join 1 1 a\n" "1 submit 1 1 1\n" "2 started 1\n" "4 leave 1 1\n" "9 done 1\n",
	  "1 free 1, 9 gone 1" },
	{ "a freed job without a fence loses its slot", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "2 submit 2 1 2\n" "200000 started 1\n"
	  "200001 started 2\n" "200100 done 1\n",
	  "1 free 1, 100001 note overlap 1 1, 100001 free 2, 200001 note overlap 2 2" },
	{ "held: from FREE to the fence, and no time on the GPU", "timegraph",
	  STALL "400 started 1 300\n" "1300 done 1\n" "1300 held 1\n" "1300 time 1\n"
	  "1300 budget 1\n" "1301 submit 3 1 2\n" "1400 refused 2\n" "1400 held 3\n"
	  "1401 submit 3 1 3\n" "1500 cancel 3\n" "1500 held 3\n",
	  "0 free 1, 1300 held 300, 1300 used 1000, 1300 budget 0, 1301 free 2, 1400 held 99, "
	  "1401 free 3, 1500 held 198" },
	{ "held: where all are tracked too, and nobody pays", "fifo",
	  STALL "1 submit 2 1 2\n" "7000 started 1\n" "7000 held 1\n" "7000 budget 1\n",
	  "0 free 1, 1 free 2, 7000 held 7000, 7000 budget 1000" },
	{ "held: the reserve pays for stall_us and more, while somebody waits", "timegraph",
	  STALL "1 submit 2 1 2\n" "5000 started 1\n" "5000 budget 1\n" "5000 time 1\n"
	  "5000 budget 2\n" "6000 done 1\n" "6000 budget 1\n",
	  "0 free 1, 5000 budget -4000, 5000 used 0, 5000 budget 1000, 6000 free 2, "
	  "6000 budget -5000" },
	{ "held: not for less", "timegraph",
	  STALL "1 submit 2 1 2\n" "4999 started 1\n" "4999 budget 1\n",
	  "0 free 1, 4999 budget 1000" },
	{ "held: not for more, where nobody waits", "timegraph",
	  STALL "50000 started 1\n" "50000 held 1\n" "50000 budget 1\n",
	  "0 free 1, 50000 held 50000, 50000 budget 1000" },
	{ "held: who waits for the same reserve is no other", "timegraph",
	  STALL "0 join 1 2 a\n" "1 submit 1 2 2\n" "50000 started 1\n" "50000 budget 1\n",
	  "0 free 1, 50000 budget 1000" },
	{ "held: who waits for another engine is no other", "timegraph",
	  STALL "0 join 2 2 b 2\n" "0 join 3 2 h 2\n" "1 submit 2 2 2\n" "2 submit 3 2 3\n"
	  "50000 started 1\n" "50000 budget 1\n" "60000 started 2\n" "60000 budget 2\n",
	  "0 free 1, 1 free 2, 5001 note overlap 2 2, 5001 free 3, 50000 budget 1000, "
	  "60000 budget -4000" },
	{ "held: a submission that is refused, or given up, pays as well", "timegraph",
	  STALL "1 submit 2 1 2\n" "7000 refused 1\n" "7000 budget 1\n" "7001 submit 3 1 3\n"
	  "14000 cancel 2\n" "14000 budget 2\n",
	  "0 free 1, 7000 free 2, 7000 budget -6000, 12000 note overlap 2 2, 12000 free 3, "
	  "14000 budget -4000" },
	{ "held: AE pays too, and learns nothing from it", "timegraph",
	  "0 spec a:prt:ae:1:4000:100000\n" "0 join 1 1 a\n" "0 join 2 1 b\n"
	  "0 submit 1 1 1 71\n" "0 started 1\n" "1000 done 1\n" "1000 submit 1 1 2 71\n"
	  "1001 submit 2 1 3\n" "7000 started 2\n" "8000 done 2\n" "8000 budget 1\n"
	  "8001 started 3\n" "8002 submit 1 1 4 71\n" "9000 done 3\n" "400000 wait\n",
	  "0 free 1, 1000 free 2, 8000 free 3, 8000 budget -4000, 200000 free 4, "
	  "300000 note overlap 1 4" },
	{ "held: a virtual GPU pays, and is the last", "credit",
	  VGPUS "40002 submit 2 1 3\n" "60000 started 1\n" "60001 done 1\n",
	  "40000 free 1, 60001 free 3" },
	{ "held: not where no other one waits", "credit",
	  VGPUS "60000 started 1\n" "60000 submit 2 1 3\n" "60001 done 1\n",
	  "40000 free 1, 60001 free 2" },
	{ "held: a virtual GPU pays that is above its share then", "band",
	  VGPUS "40002 submit 2 1 3\n" "95000 started 1\n" "95001 done 1\n",
	  "40000 free 1, 95001 free 3" },
	/* In the first season b asks, in the others both are sampled; b pays nothing. */
	{ "held: who stalls in each of its samples is held back in the end", "dfq",
	  "0 pknob 2 1\n" "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "1 submit 2 1 2\n"
	  "50000 started 1\n" "50100 done 1\n" "50101 started 2\n" "50201 done 2\n"
	  "100300 submit 1 1 3\n" "100301 submit 2 1 4\n" "100310 idle 1\n"
	  "150310 started 3\n" "150410 done 3\n" "150411 started 4\n" "150511 done 4\n"
	  "240000 idle 1\n" "240000 idle 2\n" "240000 submit 1 1 5\n" "240001 submit 2 1 6\n"
	  "290000 started 5\n" "290100 done 5\n" "290101 started 6\n" "290201 done 6\n"
	  "296000 wait\n",
	  "0 gate 1 ask, 0 free 1, 5000 gate 1 hold, 50100 gate 1 open, 50100 gate 2 ask, "
	  "50100 watch, 50100 free 2, 100200 gate 1 hold, 100200 sync 1, 100200 gate 2 hold, "
	  "100310 gate 1 ask, 100310 free 3, 105310 gate 1 hold, 150410 gate 2 ask, "
	  "150410 free 4, 150521 gate 2 hold, 150521 gate 1 open, 150521 gate 2 open, "
	  "200732 gate 1 hold, 200732 sync 1, 200732 gate 2 hold, 200732 sync 2, "
	  "240000 gate 1 ask, 240000 free 5, 245000 gate 1 hold, 290100 gate 2 ask, "
	  "290100 free 6, 290719 gate 2 hold, 290719 gate 2 open" },
	{ "dfq: one engine's client is sampled, and a client of two goes on on the other", "dfq",
	  "0 join 1 1 a 1\n" "0 submit 1 1 1\n" "0 started 1\n" "1000 join 2 1 b 1\n"
	  "1000 join 2 2 b 2\n" "1001 submit 2 1 2\n" "1002 submit 2 2 3\n" "1003 started 3\n"
	  "2000 done 3\n" "2001 submit 2 2 4\n" "2002 started 4\n" "3000 done 4\n" "6000 done 1\n"
	  "6001 submit 2 2 5\n",
	  "0 gate 1 ask, 0 free 1, 1000 gate 2 ask, 1002 free 3, 2001 free 4, 5000 gate 1 hold, "
	  "6000 gate 1 open, 6000 free 2, 6001 free 5" },
	{ "stall_us: the slot expires while a higher priority waits", "timegraph",
	  STALL "2 submit 3 1 2\n" "5001 started 2\n" "5001 held 1\n" "5001 budget 1\n"
	  "5001 budget 2\n" "8000 started 1\n" "8000 held 1\n",
	  "0 free 1, 5000 note overlap 1 1, 5000 free 2, 5001 held 5000, 5001 budget -4000, "
	  "5001 budget 1000, 8000 held 5000" },
	{ "stall_us: at once, where that comes later", "timegraph",
	  STALL "20000 submit 3 1 2\n" "20001 budget 1\n",
	  "0 free 1, 20000 note overlap 1 1, 20000 free 2, 20001 budget -19000" },
	{ "stall_us: not for an equal, until it is one no more", "timegraph",
	  STALL "1 submit 2 1 2\n" "30000 prio 2 2\n",
	  "0 free 1, 30000 note overlap 1 1, 30000 free 2" },
	{ "stall_us: not for one that its reserve holds back", "timegraph",
	  "0 spec h:prt:pe:9:1000:1000000\n" "0 join 1 1 a\n" "0 join 2 1 h\n" "0 submit 2 1 1\n"
	  "0 started 1\n" "5000 done 1\n" "6000 submit 1 1 2\n" "6001 submit 2 1 3\n"
	  "90000 started 2\n",
	  "0 free 1, 6000 free 2" },
	{ "stall_us: the next one of the same client is looked at in turn", "timegraph",
	  "0 spec a:ht:bg:1:0:0 h:prt:bg:9:0:0\n" "0 join 1 1 a\n" "0 join 2 1 h\n"
	  "0 submit 1 1 1\n" "1000 submit 1 1 2\n" "2000 submit 2 1 3\n" "4000 started 1\n"
	  "6100 done 1\n",
	  "0 free 1, 1000 free 2, 6000 note overlap 1 2, 6100 free 3" },
	{ "stall_us: no longer than freed_timeout_us", "timegraph",
	  "0 knob 1 2000\n" STALL "1 submit 3 1 2\n",
	  "0 free 1" },
	{ "stall_us: who has overlapped is waited for half as long", "timegraph",
	  STALLED "10000 submit 1 1 3\n" "10001 submit 3 1 4\n" "12501 started 4\n"
	  "12502 started 3\n" "13000 done 4\n" "13000 done 3\n" "20000 submit 1 1 5\n"
	  "20001 submit 3 1 6\n" "30000 wait\n",
	  "0 free 1, 5000 note overlap 1 1, 5000 free 2, 10000 free 3, 12500 note overlap 1 3, "
	  "12500 free 4, 20000 free 5, 21250 note overlap 1 5, 21250 free 6" },
	{ "stall_us: not by an equal", "timegraph",
	  STALLED "10000 submit 1 1 3\n" "10001 submit 2 1 4\n" "110000 started 4\n",
	  "0 free 1, 5000 note overlap 1 1, 5000 free 2, 10000 free 3, 110000 note overlap 1 3, "
	  "110000 free 4" },
	{ "stall_us: and as long as before when it has been in time for a while", "timegraph",
	  STALLED GOOD_4 GOOD_4 GOOD_4 GOOD_4 GOOD_4 GOOD_4 GOOD_4 GOOD_4
	  "20000 submit 1 1 3\n" "20001 submit 3 1 4\n" "30000 wait\n",
	  "0 free 1, 5000 note overlap 1 1, 5000 free 2" FREE_4 FREE_4 FREE_4 FREE_4 FREE_4 FREE_4
	  FREE_4 FREE_4 ", 20000 free 3, 25000 note overlap 1 3, 25000 free 4" },
	{ "a lost job is charged, and waiters pass until the engine recovers", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "2 submit 2 1 2\n" "3 started 1\n"
	  "10000100 submit 2 1 3\n" "10000200 started 2\n" "10000201 started 3\n"
	  "10000300 done 2\n" "10000301 submit 2 1 4\n" "10000400 done 3\n",
	  "1 free 1, 10000003 note lost 1 1, 10000003 free 2, 10000100 free 3, "
	  "10000300 note recovered 2 2, 10000400 free 4" },
	{ "a late fence repairs a lost job's accounts", "timegraph",
	  "0 join 1 1 a\n" "1 submit 1 1 1\n" "3 started 1\n" "11000000 done 1\n",
	  "1 free 1, 10000003 note lost 1 1, 11000000 note repaired 1 1, "
	  "11000000 note recovered 1 1" },
	{ "the GPU's clock: a lost job that ended before, and one behind it of which the host hears first",
	  "fifo", TWO_AT_ONCE "12004000 exact 2 20000\n" "12005000 exact 1 19000\n" "12005000 time 1\n"
	  "12005000 time 2\n" "12005000 busy 0\n",
	  "0 free 1, 0 free 2, 10000000 note lost 1 1, 12004000 note recovered 2 2, "
	  "12005000 note repaired 1 1, 12005000 used 19000, 12005000 used 1000, 12005000 busy 20000" },
	{ "and a third one, which had ended before the lost one", "fifo",
	  "0 join 3 1 c\n" "0 submit 3 1 3\n" "0 started 3\n" TWO_AT_ONCE
	  "12004000 exact 2 20000\n" "12005000 exact 1 19000\n" "12006000 exact 3 5000\n"
	  "12006000 time 1\n" "12006000 time 2\n" "12006000 time 3\n",
	  "0 free 3, 0 free 1, 0 free 2, 10000000 note lost 3 3, 12004000 note recovered 2 2, "
	  "12004000 note lost 1 1, 12005000 note repaired 1 1, 12005000 note recovered 1 1, "
	  "12006000 note repaired 3 3, 12006000 used 14000, 12006000 used 1000, 12006000 used 5000" },
	{ "interrupts: what a lost job is charged for, no other is", "fifo",
	  TWO_AT_ONCE "12004000 done 2\n" "12005000 done 1\n" "12005000 time 1\n" "12005000 time 2\n",
	  "0 free 1, 0 free 2, 10000000 note lost 1 1, 12004000 note recovered 2 2, "
	  "12005000 note repaired 1 1, 12005000 used 10001000, 12005000 used 2004000" },
	{ "the deadline counts from the job's turn", "fifo",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "1 started 1\n" "2 submit 2 1 2\n"
	  "2 started 2\n" "9000000 done 1\n" "18000000 done 2\n",
	  "1 free 1, 2 free 2" },
	{ "policy switch drains and hands over", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "1 submit 1 1 1\n" "2 submit 2 1 2\n" "3 started 1\n"
	  "4 policy fifo\n" "5 submit 2 1 3\n" "10 done 1\n" "30 wait\n",
	  "1 free 1, 4 gate 1 hold, 4 gate 2 hold, 10 gate 1 track, 30 free 2, "
	  "30 free 3, 30 gate 2 track, 30 note policy 0 1" },
	{ "policy switch from an open gate syncs first", "none",
	  "0 join 1 1 a\n" "1 policy timegraph\n" "2 submit 1 1 1\n" "5 idle 1\n",
	  "1 gate 1 hold, 1 sync 1, 5 gate 1 ask, 5 note policy 0 2, 5 free 1" },
	{ "a dry run during that does not forget what runs behind the gate", "none",
	  "0 join 1 1 a\n" "1 policy timegraph\n" "2 knob 5 1\n" "3 knob 5 0\n" "9 idle 1\n",
	  "1 gate 1 hold, 1 sync 1, 2 gate 1 track, 2 note dry 0 2, 3 gate 1 hold, 3 sync 1, "
	  "9 gate 1 ask, 9 note policy 0 2" },
	{ "a drain that does not end is cut", "none",
	  "0 join 1 1 a\n" "1 policy fifo\n" "2 submit 1 1 1\n" "10200000 wait\n",
	  "1 gate 1 hold, 1 sync 1, 10000001 note drain_cut 1 0, 10000001 free 1, "
	  "10000001 gate 1 track, 10000001 note policy 0 1, 10100001 note overlap 1 1" },
	{ "a switch during a drain replaces the one that is due", "timegraph",
	  "0 join 1 1 a\n" "1 submit 1 1 1\n" "3 started 1\n" "4 policy fifo\n" "5 policy none\n"
	  "10 done 1\n",
	  "1 free 1, 4 gate 1 hold, 10 gate 1 open, 10 note policy 0 0" },
	{ "another priority during a switch leaves throttled jobs due", "timegraph",
	  "0 spec a:prt:pe:1:1000:10000\n" "0 join 1 1 b\n" "0 join 2 1 b\n" "0 join 3 1 a\n"
	  "0 submit 3 1 1\n" "0 started 1\n" "5000 done 1\n" "5001 submit 3 1 2\n"
	  "5001 submit 1 1 3\n" "5001 started 3\n" "5001 submit 1 1 4\n" "5001 submit 1 1 5\n"
	  "5001 submit 1 1 6\n" "5001 submit 1 1 7\n" "5001 submit 1 1 8\n" "5001 submit 1 1 9\n"
	  "5001 submit 2 1 14\n" "5001 submit 2 1 15\n" "5001 submit 2 1 16\n"
	  "5001 submit 2 1 17\n" "5001 submit 2 1 18\n" "5001 submit 2 1 19\n"
	  "5002 policy fifo\n" "5002 prio 3 9\n",
	  "0 free 1, 5001 free 3, 5002 gate 1 hold, 5002 gate 2 hold" },
	{ "running clients follow a new spec on request", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 c\n" "1 submit 1 1 1\n" "2 submit 2 1 2\n"
	  "3 submit 3 1 3\n" "4 rematch c:prt:bg:9:0:0\n" "5 started 1\n" "10 done 1\n",
	  "1 free 1, 10 free 3" },
	{ "running clients keep theirs until a new channel", "timegraph",
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 c\n" "1 submit 1 1 1\n" "2 submit 2 1 2\n"
	  "3 submit 3 1 3\n" "4 spec c:prt:bg:9:0:0\n" "5 started 1\n" "10 done 1\n" "11 started 2\n"
	  "12 submit 2 1 4\n" "13 join 3 2 c\n" "14 submit 3 2 5\n" "20 done 2\n" "21 started 3\n"
	  "30 done 3\n",
	  "1 free 1, 10 free 2, 20 free 3, 30 free 5" },
	{ "a rematch that exhausts moves waiters to their new reserve", "timegraph",
	  "0 spec a:prt:pe:1:1000:10000:reserve=r b:prt:pe:1:1000:10000:reserve=r\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" "5000 done 1\n"
	  "5001 submit 2 1 2\n" "5002 rematch a:prt:pe:1:1000:10000:reserve=r\n",
	  "0 free 1, 5002 free 2" },
	{ "opening a channel forgives no debt", "timegraph",
	  "0 spec a:prt:pe:1:1000:10000\n" "0 join 1 1 a\n" "0 submit 1 1 1\n" "0 started 1\n"
	  "5000 done 1\n" "5001 join 1 2 a\n" "5002 submit 1 2 2\n" "60000 wait\n",
	  "0 free 1, 50000 free 2" },
	{ "malformed events change nothing", "timegraph",
	  "0 join 1 1 a\n" "0 join 1 1 a\n" "1 submit 1 2 1\n" "1 submit 1 1 1\n" "1 submit 1 1 1\n"
	  "2 done 1\n" "2 idle 1\n" "3 started 1\n" "3 cancel 1\n" "4 leave 7 1\n" "5 knob 0 1\n"
	  "5 knob 99 1\n" "6 idle 9\n",
	  "0 -17, 1 -2, 1 free 1, 1 -17, 2 -16, 2 -16, 3 -16, 4 -2, 5 -22, 5 -22, 6 -2" },
	{ "knobs: a shorter deadline", "timegraph",
	  "0 knob 0 5000\n" "0 join 1 1 a\n" "1 submit 1 1 1\n" "2 started 1\n" "6000 wait\n",
	  "1 free 1, 5002 note lost 1 1" },
};

/* A client with a job that waits, and their places in the tables. */
_Static_assert(sizeof(struct tg_client) + sizeof(struct tg_channel) + sizeof(struct tg_job) +
	       3 * sizeof(void *) <= 512, "a waiting client takes 512 bytes at most");

int main(void)
{
	return run_rows(rows, ARRAY_SIZE(rows));
}
