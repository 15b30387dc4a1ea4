// SPDX-License-Identifier: GPL-2.0
/*
 * The core by example: reserves (PE, AE, shared ones, Background), admission, and the early choice
 * by prediction (`lead_us`). script.h explains the rows.
 */
#include "script.h"

/* Group 3 is a long one of a's, 4 a short one of b's, both known, and their reserve is in debt. */
#define SHARED_AE \
	"0 spec a:prt:ae:1:1000:10000:reserve=r b:prt:ae:1:1000:10000:reserve=r " \
	"h:prt:ae:9:1000:10000:reserve=r\n" \
	"0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 h\n" "0 submit 1 1 1 71\n" "0 started 1\n" \
	"5000 done 1\n" "6000 submit 2 1 2 71\n" "40001 started 2\n" "40801 done 2\n" \
	"41000 submit 1 1 3 71\n" "41001 submit 2 1 4 71\n"

/* The same after b has had six more groups, so that it has had more than a. */
#define LIKE_2(time, job) \
	time "000 submit 2 1 " job " 71\n" time "001 started " job "\n" time "801 done " job "\n"
#define SHARED_AE_MORE \
	"0 spec a:prt:ae:1:1000:10000:reserve=r b:prt:ae:1:1000:10000:reserve=r " \
	"h:prt:ae:9:1000:10000:reserve=r\n" \
	"0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 h\n" "0 submit 1 1 1 71\n" "0 started 1\n" \
	"5000 done 1\n" "6000 submit 2 1 2 71\n" "40001 started 2\n" "40801 done 2\n" \
	LIKE_2("60", "11") LIKE_2("70", "12") LIKE_2("80", "13") LIKE_2("90", "14") \
	LIKE_2("100", "15") LIKE_2("110", "16") \
	"111000 submit 1 1 3 71\n" "111001 submit 2 1 4 71\n"
#define AE_MORE \
	"0 free 1, 40000 free 2, 60000 free 11, 70000 free 12, 80000 free 13, 90000 free 14, " \
	"100000 free 15, 110000 free 16"

/* The first group takes 600 of the budget of 1000; the next two are like it. */
#define LEAVES_400 \
	"0 submit 1 1 1 71\n" "0 started 1\n" "600 done 1\n" "601 submit 1 1 2 71\n" \
	"10001 started 2\n" "10601 done 2\n" "10602 submit 1 1 3 71\n" "30000 wait\n"

/* Group 2 runs from 1010, and is predicted to take 1000; b, c: no priority, h: a high one. */
#define LEAD \
	"0 spec a:prt:ae:1:1000:1000 h:prt:bg:9:0:0\n" "0 pknob 1 100\n" "0 join 1 1 a\n" \
	"0 join 2 1 b\n" "0 join 3 1 c\n" "0 join 4 1 h\n" "0 submit 1 1 1\n" "0 started 1\n" \
	"1000 done 1\n" "1000 submit 1 1 2\n" "1010 started 2\n"

/* A guaranteed reserve beside groups of 1 ms at most. */
#define CBS \
	"0 knob 12 1000\n" "0 spec a:prt:cbs:1:1000:10000\n" "0 join 1 1 a\n" "0 join 2 1 x\n"

static const struct row rows[] = {
	{ "PE: overrun is paid back before the next group", "timegraph",
	  "0 spec b:prt:pe:1:2500:25000\n" "0 join 1 1 b\n"
	  "1000 submit 1 1 1\n" "1000 started 1\n" "1001 submit 1 1 2\n" "21000 done 1\n"
	  "290000 wait\n",
	  "1000 free 1, 200000 free 2" },
	{ "PE: the budget is cut to C at a refill", "timegraph",
	  "0 spec b:prt:pe:1:10000:100000\n" "0 join 1 1 b\n"
	  "500000 submit 1 1 1\n" "500000 started 1\n" "512000 done 1\n" "512000 submit 1 1 2\n"
	  "600000 wait\n",
	  "500000 free 1, 600000 free 2" },
	{ "PE: a group that runs across refills loses none of them", "timegraph",
	  "0 spec b:prt:pe:1:20000:25000\n" "0 join 1 1 b\n"
	  "10000 submit 1 1 1\n" "10000 started 1\n" "30000 submit 1 1 2\n" "90000 done 1\n"
	  "130000 wait\n",
	  "10000 free 1, 100000 free 2" },
	{ "PE: an exhausted client does not hold up another", "timegraph",
	  "0 spec b:prt:pe:9:1000:100000 g:prt:bg:1:0:0\n" "0 join 1 1 b\n" "0 join 2 1 g\n"
	  "0 submit 1 1 1\n" "0 started 1\n" "10 submit 1 1 2\n" "20 submit 2 1 3\n" "5000 done 1\n"
	  "5001 started 3\n" "6000 done 3\n",
	  "0 free 1, 5000 free 3" },
	{ "PE: a shared reserve is one budget", "timegraph",
	  "0 spec a:prt:pe:1:1000:100000:reserve=r b:prt:pe:1:1000:100000:reserve=r\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" "10 submit 2 1 2\n"
	  "1500 done 1\n" "100000 wait\n",
	  "0 free 1, 100000 free 2" },
	{ "CBS: of two the earlier deadline goes first, and both before any priority", "timegraph",
	  "0 knob 12 1000\n"
	  "0 spec a:prt:cbs:1:2000:10000 b:prt:cbs:50:4000:20000 x:ht:bg:99:0:0\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 x\n" "0 submit 3 1 1\n" "0 started 1\n"
	  "5 submit 3 1 4\n" "10 submit 2 1 2\n" "20 submit 1 1 3\n" "1000 done 1\n"
	  "1001 started 3\n" "2000 done 3\n" "2001 started 2\n" "3000 done 2\n",
	  "0 free 1, 1000 free 3, 2000 free 2, 3000 free 4" },
	{ "CBS: a group that overruns the budget goes by a later deadline", "timegraph",
	  "0 knob 12 3000\n" "0 spec a:prt:cbs:1:1000:10000 b:prt:cbs:1:2000:15000\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" "3000 done 1\n"
	  "30000 submit 2 1 2\n" "30000 started 2\n" "30010 submit 1 1 3\n"
	  "30020 submit 2 1 4\n" "31000 done 2\n" "31001 started 4\n" "32000 done 4\n",
	  "0 free 1, 30000 free 2, 31000 free 4, 32000 free 3" },
	{ "CBS: what a client uses moves the deadline of those that share its reserve", "timegraph",
	  "0 knob 12 2000\n"
	  "0 spec a:prt:cbs:1:2000:10000:reserve=r b:prt:cbs:1:2000:10000:reserve=r "
	  "c:prt:cbs:1:1000:12000\n" "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 c\n"
	  "0 join 4 1 x\n"
	  "0 submit 4 1 1\n" "0 started 1\n" "10 submit 1 1 2\n" "20 submit 2 1 3\n"
	  "30 submit 3 1 4\n" "1000 done 1\n" "1000 started 2\n" "2500 done 2\n" "2500 started 4\n"
	  "3000 done 4\n",
	  "0 free 1, 1000 free 2, 2500 free 4, 3000 free 3" },
	{ "CBS: an exhausted one waits for its deadline though the engine idles", "timegraph",
	  CBS "0 submit 1 1 1\n" "0 started 1\n" "1000 done 1\n" "1001 submit 1 1 2\n"
	  "20000 wait\n",
	  "0 free 1, 10000 free 2" },
	{ "CBS: more left than C/T of the time begins a fresh period", "timegraph",
	  CBS "5000 submit 1 1 1\n" "5000 started 1\n" "6000 done 1\n" "6001 submit 1 1 2\n"
	  "20000 wait\n",
	  "5000 free 1, 15000 free 2" },
	{ "CBS: less left does not", "timegraph",
	  CBS "0 submit 1 1 1\n" "0 started 1\n" "900 done 1\n" "2000 submit 1 1 2\n"
	  "2000 started 2\n" "2200 done 2\n" "2201 submit 1 1 3\n" "20000 wait\n",
	  "0 free 1, 2000 free 2, 10000 free 3" },
	{ "CBS: a debt stays", "timegraph",
	  CBS "0 submit 1 1 1\n" "0 started 1\n" "3000 exact 1 3000\n" "12000 submit 1 1 2\n"
	  "40000 wait\n",
	  "0 free 1, 3000 note overlong 1 1, 30000 free 2" },
	{ "CBS: one that was PE begins a fresh period", "timegraph",
	  "0 spec a:prt:pe:1:1000:10000\n" "0 join 1 1 a\n" "7000 submit 1 1 1\n" "7000 started 1\n"
	  "7001 submit 1 1 2\n" "8000 rematch a:prt:cbs:1:1000:10000\n" "8100 done 1\n"
	  "30000 wait\n",
	  "7000 free 1, 18000 free 2" },
	{ "CBS: what a late one has left at a refill is kept", "timegraph",
	  "0 knob 12 4000\n" "0 spec a:prt:cbs:1:5000:10000\n" "0 join 1 1 a\n" "0 join 2 1 x\n"
	  "0 submit 2 1 1\n" "0 started 1\n" "10 submit 1 1 2\n" "11 submit 1 1 3\n"
	  "9000 exact 1 9000\n" "9001 started 2\n" "11000 done 2\n" "11000 budget 1\n",
	  "0 free 1, 9000 note overlong 2 1, 9000 free 2, 11000 free 3, 11000 budget 8001" },
	{ "CBS: what is left of one without jobs is not", "timegraph",
	  CBS "0 submit 1 1 1\n" "0 started 1\n" "500 done 1\n" "30100 submit 1 1 2\n"
	  "30100 budget 1\n",
	  "0 free 1, 30100 free 2, 30100 budget 1000" },
	{ "CBS: PE, AE and others keep their order beside it", "timegraph",
	  "0 knob 12 1000\n"
	  "0 spec a:prt:cbs:0:1000:10000 p:prt:pe:5:1000:10000 q:prt:ae:9:1000:10000 "
	  "x:prt:bg:7:0:0\n"
	  "0 join 1 1 a\n" "0 join 2 1 p\n" "0 join 3 1 q\n" "0 join 4 1 x\n" "0 submit 4 1 1\n"
	  "0 started 1\n" "1 submit 4 1 2\n" "2 submit 2 1 3\n" "3 submit 3 1 4\n"
	  "4 submit 1 1 5\n"
	  "100 done 1\n" "100 started 5\n" "200 done 5\n" "200 started 4\n" "300 done 4\n"
	  "300 started 2\n" "400 done 2\n",
	  "0 free 1, 100 free 5, 200 free 4, 300 free 2, 400 free 3" },
	{ "CBS: no group follows another while a guarantee is there, but its own", "timegraph",
	  "0 knob 12 1000\n" "0 spec a:ht:cbs:1:2000:10000 x:ht:bg:9:0:0\n" "0 join 1 1 a\n"
	  "0 join 2 1 x\n" "0 submit 2 1 1\n" "0 started 1\n" "1 submit 2 1 2\n" "100 done 1\n"
	  "100 started 2\n" "200 done 2\n" "300 submit 1 1 3\n" "300 started 3\n" "400 done 3\n"
	  "500 submit 1 1 4\n" "500 started 4\n" "510 submit 1 1 5\n",
	  "0 free 1, 100 free 2, 300 free 3, 500 free 4, 510 free 5" },
	{ "CBS: 12.5/25 ms beside groups of 20 ms is refused, beside 12.5 ms not", "timegraph",
	  "0 knob 12 20000\n" "0 spec a:prt:cbs:1:12500:25000\n" "0 join 1 1 a\n"
	  "1 knob 12 12500\n" "2 join 2 1 a\n" "3 join 3 1 a\n",
	  "0 note not-admitted 1 0, 3 note not-admitted 3 0" },
	{ "CBS: the shortest period bounds the longest group", "timegraph",
	  "0 knob 12 2000\n"
	  "0 spec a:prt:cbs:1:10000:50000 b:prt:cbs:1:1000:3000 c:prt:cbs:1:1000:4000\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "1 join 3 1 c\n" "2 leave 1 1\n" "3 join 4 1 c\n"
	  "4 join 5 1 c\n",
	  "0 note not-admitted 2 0, 2 gone 1, 4 note not-admitted 5 0" },
	{ "CBS: without max_group_us the longest that was measured counts", "timegraph",
	  "0 spec a:prt:cbs:1:5000:10000\n" "0 join 1 1 x\n" "0 join 2 1 a\n" "0 submit 1 1 1\n"
	  "0 started 1\n" "5000 done 1\n" "5001 leave 2 1\n" "5002 join 3 1 a\n" "5003 leave 3 1\n"
	  "5004 submit 1 1 2\n" "5004 started 2\n" "10005 done 2\n" "10006 join 4 1 a\n",
	  "0 free 1, 5001 gone 2, 5003 gone 3, 5004 free 2, 10006 note not-admitted 4 0" },
	{ "CBS: a rematch, or writing the knob, begins to measure anew", "timegraph",
	  "0 spec a:prt:cbs:1:5000:10000\n" "0 join 1 1 x\n" "0 submit 1 1 1\n" "0 started 1\n"
	  "6000 done 1\n" "6001 join 2 1 a\n" "6002 rematch a:prt:cbs:1:5000:10000\n"
	  "6003 submit 1 1 2\n" "6003 started 2\n" "11000 done 2\n" "11001 join 2 2 a\n"
	  "11002 leave 2 1\n" "11002 leave 2 2\n" "11003 submit 1 1 3\n" "11003 started 3\n"
	  "17000 done 3\n" "17001 knob 12 0\n" "17002 join 4 1 a\n",
	  "0 free 1, 6001 note not-admitted 2 0, 6003 free 2, 11002 gone 2, 11003 free 3" },
	{ "CBS: a guaranteed one that stays away is waited for no longer than others", "timegraph",
	  "0 knob 12 1000\n" "0 knob 10 2000\n"
	  "0 spec a:prt:cbs:1:2000:10000 b:prt:cbs:1:4000:20000\n" "0 join 1 1 a\n"
	  "0 join 2 1 b\n" "0 submit 1 1 1\n" "100 submit 2 1 2\n" "2500 started 2\n",
	  "0 free 1, 2000 note overlap 1 1, 2000 free 2" },
	{ "CBS: but not for another client of its own reserve", "timegraph",
	  "0 knob 12 1000\n" "0 knob 10 2000\n"
	  "0 spec a:prt:cbs:1:2000:10000:reserve=r b:prt:cbs:1:2000:10000:reserve=r\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "100 submit 2 1 2\n"
	  "2500 started 1\n" "2600 done 1\n",
	  "0 free 1, 2600 free 2" },
	{ "CBS: nor does a blamed client of its own reserve hide those that wait", "timegraph",
	  "0 knob 12 1000\n" "0 knob 10 2000\n"
	  "0 spec a:prt:cbs:1:2000:10000:reserve=r y:prt:cbs:1:2000:10000:reserve=r "
	  "b:prt:cbs:1:4000:20000\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 y\n" "0 submit 3 1 1\n" "0 started 1\n"
	  "1500 exact 1 1500\n" "20000 submit 1 1 2\n" "20010 submit 3 1 3\n"
	  "20020 submit 2 1 4\n" "23000 started 4\n",
	  "0 free 1, 1500 note overlong 3 1, 20000 free 2, 22000 note overlap 1 2, 22000 free 4" },
	{ "CBS: the sum of a refusal leaves out what its shared reserve has", "timegraph",
	  "0 knob 12 1000\n"
	  "0 spec a:prt:cbs:1:3000:10000:reserve=r c:prt:cbs:1:2000:10000\n" "0 join 1 1 a\n"
	  "0 join 2 1 c\n" "1 spec a:prt:cbs:1:8000:10000:reserve=r\n" "2 join 3 1 a\n"
	  "2 others 3\n",
	  "2 note not-admitted 3 0, 2 others 20" },
	{ "CBS: the client of a group that breaks a guarantee is named, and goes last", "timegraph",
	  CBS "0 join 3 1 y\n" "0 submit 1 1 1\n" "0 started 1\n" "500 done 1\n"
	  "600 submit 2 1 2\n"
	  "600 started 2\n" "1601 exact 2 1601\n" "1602 submit 2 1 3\n" "1700 submit 3 1 4\n"
	  "1700 started 4\n" "1800 done 4\n" "2000 submit 1 1 5\n" "2000 started 5\n"
	  "2400 done 5\n"
	  "20000 started 3\n" "22000 done 3\n" "22001 submit 2 1 6\n",
	  "0 free 1, 600 free 2, 1601 note overlong 2 2, 1700 free 4, 2000 free 5, 12400 free 3, "
	  "22001 free 6" },
	{ "CBS: until a spec comes to it", "timegraph",
	  CBS "0 submit 1 1 1\n" "0 started 1\n" "500 done 1\n" "600 submit 2 1 2\n"
	  "600 started 2\n"
	  "1601 exact 2 1601\n" "1602 submit 2 1 3\n" "1603 rematch a:prt:cbs:1:1000:10000\n",
	  "0 free 1, 600 free 2, 1601 note overlong 2 2, 1603 free 3" },
	{ "CBS: a shared one with users does not become one, or a cap, without a rematch", "timegraph",
	  "0 knob 12 1000\n" "0 spec a:prt:pe:1:1000:10000:reserve=r x:prt:bg:99:0:0\n"
	  "0 join 1 1 a\n" "0 join 3 1 x\n"
	  "10 spec a:prt:cbs:1:1000:10000:reserve=r b:prt:cbs:1:1000:10000:reserve=r "
	  "x:prt:bg:99:0:0\n"
	  "11 join 2 1 b\n" "20 submit 3 1 1\n" "20 started 1\n" "21 submit 3 1 2\n"
	  "22 submit 1 1 3\n" "30 done 1\n" "30 started 2\n" "40 done 2\n" "40 started 3\n"
	  "50 leave 2 1\n"
	  "60 join 1 2 a\n" "61 submit 3 1 4\n" "70 done 3\n" "70 started 4\n"
	  "71 submit 1 1 5\n"
	  "72 submit 3 1 6\n" "80 done 4\n" "90 spec b:prt:pe:1:10000:10000:reserve=r\n"
	  "91 join 4 1 b\n",
	  "11 note not-admitted 2 0, 20 free 1, 30 free 2, 40 free 3, 50 gone 2, 70 free 4, "
	  "80 free 5, 91 note not-admitted 4 0" },
	{ "CBS: ten short groups do not wipe out the long one before them", "timegraph",
	  "0 knob 12 3000\n" "0 spec a:prt:cbs:1:1000:10000 b:prt:cbs:1:5000:35000\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 x\n" "0 submit 1 1 1\n" "0 started 1\n"
	  "3000 done 1\n"
	  "30000 submit 1 1 2\n" "30000 started 2\n" "30001 done 2\n"
	  "30002 submit 1 1 3\n" "30002 started 3\n" "30003 done 3\n"
	  "30004 submit 1 1 4\n" "30004 started 4\n" "30005 done 4\n"
	  "30006 submit 1 1 5\n" "30006 started 5\n" "30007 done 5\n"
	  "30008 submit 1 1 6\n" "30008 started 6\n" "30009 done 6\n"
	  "30010 submit 1 1 7\n" "30010 started 7\n" "30011 done 7\n"
	  "30012 submit 1 1 8\n" "30012 started 8\n" "30013 done 8\n"
	  "30014 submit 1 1 9\n" "30014 started 9\n" "30015 done 9\n"
	  "30016 submit 1 1 10\n" "30016 started 10\n" "30017 done 10\n"
	  "30018 submit 1 1 11\n" "30018 started 11\n" "30019 done 11\n"
	  "30020 submit 3 1 12\n" "30020 started 12\n" "30021 submit 1 1 13\n"
	  "30021 submit 2 1 14\n" "30030 done 12\n" "30030 started 14\n" "30040 done 14\n",
	  "0 free 1, 30000 free 2, 30002 free 3, 30004 free 4, 30006 free 5, 30008 free 6, "
	  "30010 free 7, 30012 free 8, 30014 free 9, 30016 free 10, 30018 free 11, 30020 "
	  "free 12, 30030 free 14, 30040 free 13" },
	{ "CBS: one that is admitted stays so when L has grown, with more channels and processes",
	  "timegraph",
	  "0 knob 12 1000\n"
	  "0 spec a:prt:cbs:1:5000:10000 b:prt:cbs:1:500:10000:reserve=r\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "1 knob 12 9000\n" "2 join 1 2 a\n"
	  "3 join 3 1 b\n" "4 join 4 1 a\n"
	  "5 spec a:prt:cbs:1:5001:10000 b:prt:cbs:1:500:10000:reserve=r\n" "6 join 1 3 a\n"
	  "7 join 2 2 b\n",
	  "4 note not-admitted 4 0, 6 note not-admitted 1 0" },
	{ "CBS: under a policy that guarantees nothing it goes by priority", "tick",
	  "0 spec a:prt:cbs:1:1000:10000 x:prt:bg:50:0:0\n" "0 join 1 1 a\n" "0 join 2 1 x\n"
	  "10 submit 1 1 2\n" "15 submit 2 1 1\n" "20 submit 2 1 3\n" "1000 started 1\n"
	  "2500 done 1\n" "3500 wait\n",
	  "1000 free 1, 3000 free 3" },
	{ "CBS: a completion that the GPU has not written blames at the second time only", "timegraph",
	  CBS "0 submit 2 1 1\n" "0 started 1\n" "1500 done 1\n" "20000 submit 2 1 2\n"
	  "20000 started 2\n" "21500 done 2\n",
	  "0 free 1, 20000 free 2, 21500 note overlong 2 2" },
	{ "CBS: or does not, when the first was long ago", "timegraph",
	  CBS "0 submit 2 1 1\n" "0 started 1\n" "1500 done 1\n" "11000000 submit 2 1 2\n"
	  "11000000 started 2\n" "11001500 done 2\n",
	  "0 free 1, 11000000 free 2" },
	{ "CBS: who is late by itself does not save up what it may use meanwhile", "timegraph",
	  "0 knob 12 4000\n" "0 spec a:prt:cbs:1:16000:40000 b:prt:cbs:1:20000:40000\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "89000 submit 1 1 2\n"
	  "90000 started 1\n" "90050 submit 2 1 3\n" "90100 done 1\n" "90100 budget 1\n",
	  "0 free 1, 90100 free 2, 90100 budget 15900" },
	{ "CBS: and keeps what it had", "timegraph",
	  "0 knob 12 4000\n" "0 spec a:prt:cbs:1:16000:40000 b:prt:cbs:1:20000:40000\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 2 1 1\n" "0 started 1\n"
	  "0 submit 1 1 2\n" "45000 done 1\n" "90000 started 2\n" "90100 done 2\n"
	  "90100 budget 1\n",
	  "0 free 1, 45000 free 2, 90100 budget 31900" },
	{ "CBS: blame lapses after 10 s", "timegraph",
	  "0 knob 12 5000\n" "0 spec g:prt:cbs:1:10000:25000 x:prt:bg:99:0:0\n" "0 join 1 1 g\n"
	  "0 join 2 1 x\n" "0 join 3 1 y\n" "0 submit 2 1 1\n" "0 started 1\n"
	  "5001 exact 1 5001\n"
	  "9900000 submit 3 1 2\n" "9900000 started 2\n" "9900001 submit 3 1 3\n"
	  "9900001 submit 2 1 4\n" "9900002 done 2\n" "9900002 started 3\n" "9900003 done 3\n"
	  "9900003 started 4\n" "9900004 done 4\n"
	  "10100000 submit 3 1 5\n" "10100000 started 5\n" "10100001 submit 3 1 6\n"
	  "10100001 submit 2 1 7\n" "10100002 done 5\n",
	  "0 free 1, 5001 note overlong 2 1, 9900000 free 2, 9900002 free 3, 9900003 free 4, "
	  "10100000 free 5, 10100002 free 7" },
	{ "CBS: and ends with the last guarantee", "timegraph",
	  "0 knob 12 5000\n" "0 spec g:prt:cbs:1:10000:25000 x:prt:bg:99:0:0\n" "0 join 1 1 g\n"
	  "0 join 2 1 x\n" "0 join 3 1 y\n" "0 submit 2 1 1\n" "0 started 1\n"
	  "5001 exact 1 5001\n" "5002 leave 1 1\n" "5010 submit 3 1 2\n" "5010 started 2\n"
	  "5011 submit 3 1 4\n" "5011 submit 2 1 3\n" "6000 done 2\n",
	  "0 free 1, 5001 note overlong 2 1, 5002 gone 1, 5010 free 2, 6000 free 3" },
	{ "CBS: of a wedged engine none is blamed but the lost one", "timegraph",
	  "0 knob 12 5000\n" "0 spec g:prt:cbs:1:10000:25000\n" "0 join 1 1 g\n" "0 join 2 1 x\n"
	  "0 join 3 1 v\n" "0 submit 2 1 1\n" "0 started 1\n" "1 submit 3 1 2\n"
	  "10000000 wait\n" "10000001 started 2\n" "10000002 submit 1 1 3\n"
	  "10000003 started 3\n" "10007000 exact 2 10007000\n" "10014000 exact 3 10014000\n",
	  "0 free 1, 10000000 note overlong 2 1, 10000000 note lost 2 1, 10000000 free 2, "
	  "10000002 free 3, 10007000 note recovered 3 2" },
	{ "admission: what does not fit is in Background, and asks again at a rematch", "timegraph",
	  "0 knob 6 100\n"
	  "0 spec a:prt:pe:1:600:1000 b:prt:pe:1:300:1000 c:prt:pe:1:200:1000\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 c\n" "0 join 3 2 c\n"
	  "10 submit 3 1 1\n" "10 started 1\n" "910 done 1\n" "911 submit 3 1 2\n" "911 started 2\n"
	  "1911 done 2\n" "1911 leave 2 1\n"
	  "2000 rematch a:prt:pe:1:600:1000 b:prt:pe:1:300:1000 c:prt:pe:1:200:1000\n"
	  "2010 submit 3 1 3\n" "2010 started 3\n" "2310 done 3\n" "2311 submit 3 1 4\n"
	  "3000 wait\n",
	  "0 note not-admitted 3 0, 10 free 1, 911 free 2, 1911 gone 2, 2010 free 3, 3000 free 4" },
	{ "admission: a shared reserve counts once, and its members are admitted with it", "timegraph",
	  "0 knob 6 50\n"
	  "0 spec a:prt:pe:1:500:1000:reserve=r b:prt:pe:1:500:1000:reserve=r c:prt:pe:1:1:1000\n"
	  "0 join 1 1 a\n" "0 join 2 1 b\n" "0 join 3 1 c\n" "1 leave 1 1\n" "2 join 4 1 c\n"
	  "3 leave 2 1\n" "4 join 5 1 c\n",
	  "0 note not-admitted 3 0, 1 gone 1, 2 note not-admitted 4 0, 3 gone 2" },
	{ "admission: thirds make a whole", "timegraph",
	  "0 knob 6 100\n" "0 spec a:prt:pe:1:1:3\n"
	  "0 join 1 1 a\n" "0 join 2 1 a\n" "0 join 3 1 a\n" "0 join 4 1 a\n",
	  "0 note not-admitted 4 0" },
	{ "admission: a spec may swap what clients have", "timegraph",
	  "0 knob 6 100\n" "0 spec a:prt:pe:1:700:1000 b:prt:pe:1:300:1000\n"
	  "0 join 1 1 b\n" "0 join 2 1 a\n"
	  "1 rematch a:prt:pe:1:300:1000 b:prt:pe:1:700:1000\n"
	  "2 knob 6 50\n" "3 join 2 2 a\n" "4 join 1 2 b\n",
	  "3 note not-admitted 2 0, 4 note not-admitted 1 0" },
	{ "Background is unlimited until it is configured", "timegraph",
	  "0 join 1 1 a\n" "0 submit 1 1 1\n" "0 started 1\n" "5000000 submit 1 1 2\n"
	  "9000000 done 1\n",
	  "0 free 1, 9000000 free 2" },
	{ "Background configured by the spec", "timegraph",
	  "0 spec a:prt:bg:1:1000:10000\n"
	  "0 join 1 1 x\n" "0 submit 1 1 1\n" "0 started 1\n" "10 submit 1 1 2\n" "2000 done 1\n"
	  "20000 wait\n",
	  "0 free 1, 20000 free 2" },
	{ "AE: a group goes when its prediction fits", "timegraph",
	  "0 spec a:prt:ae:1:1000:10000\n" "0 join 1 1 a\n" "0 submit 1 1 1\n" "0 started 1\n"
	  "3000 done 1\n" "3000 submit 1 1 2\n" "100000 wait\n",
	  "0 free 1, 50000 free 2" },
	{ "AE: each key has its own prediction, a new one the worst", "timegraph",
	  "0 spec a:prt:ae:1:1000:10000\n" "0 join 1 1 a\n" "0 submit 1 1 1 71\n" "0 started 1\n"
	  "500 done 1\n" "500 submit 1 1 2 72\n" "500 started 2\n" "510 done 2\n"
	  "511 submit 1 1 3 72\n" "511 started 3\n" "521 done 3\n" "522 submit 1 1 4 71\n"
	  "20000 wait\n",
	  "0 free 1, 500 free 2, 511 free 3, 10000 free 4" },
	{ "AE: a shared budget is saved for who has had less", "timegraph",
	  SHARED_AE_MORE "150001 started 3\n" "155001 done 3\n" "170000 wait\n",
	  AE_MORE ", 150000 free 3, 160000 free 4" },
	{ "AE: of two that can go, who has had less goes first", "timegraph",
	  SHARED_AE "100001 started 4\n" "100801 done 4\n" "120001 started 3\n" "125001 done 3\n",
	  "0 free 1, 40000 free 2, 100000 free 4, 110000 free 3" },
	{ "AE: a higher priority passes who waits first", "timegraph",
	  SHARED_AE_MORE "112000 submit 3 1 5\n" "112001 started 5\n" "112101 done 5\n"
	  "160001 started 3\n" "165001 done 3\n" "180000 wait\n",
	  AE_MORE ", 112000 free 5, 160000 free 3, 165001 free 4" },
	{ "AE: so does one that is given one while it waits", "timegraph",
	  SHARED_AE "65000 prio 2 5\n" "65001 started 4\n" "65801 done 4\n" "120000 wait\n",
	  "0 free 1, 40000 free 2, 65000 free 4, 110000 free 3" },
	{ "AE: after one's own group no switch is predicted", "timegraph",
	  "0 spec a:prt:ae:1:1000:10000\n" "0 knob 4 200\n" "0 join 1 1 a\n" "0 join 2 1 b\n"
	  "0 submit 1 1 1 71\n" "0 started 1\n" "600 done 1\n" "651 submit 1 1 3 71\n"
	  "20000 wait\n",
	  "0 free 1, 651 free 3" },
	{ "AE: after another's group the switch is added", "timegraph",
	  "0 spec a:prt:ae:1:1000:10000\n" "0 knob 4 200\n" "0 join 1 1 a\n" "0 join 2 1 b\n"
	  "0 submit 1 1 1 71\n" "0 started 1\n" "600 done 1\n" "601 submit 2 1 2\n"
	  "601 started 2\n" "650 done 2\n" "651 submit 1 1 3 71\n" "20000 wait\n",
	  "0 free 1, 601 free 2, 10000 free 3" },
	{ "AE: another's group that is let in before adds the switch, too", "timegraph",
	  "0 spec a:ht:ae:1:2050:10000 b:prt:bg:9:0:0\n" "0 knob 4 200\n" "0 join 1 1 a\n"
	  "0 join 2 1 b\n" "0 submit 1 1 1 71\n" "0 started 1\n" "600 done 1\n"
	  "600 submit 1 1 2 71\n" "600 started 2\n" "605 submit 2 1 3\n" "610 submit 1 1 4 71\n"
	  "1100 done 2\n" "1101 started 3\n" "1150 done 3\n" "1151 submit 1 1 5 71\n"
	  "1152 started 4\n" "1752 done 4\n" "20000 wait\n",
	  "0 free 1, 600 free 2, 1100 free 3, 1150 free 4, 10000 free 5" },
	{ "AE: a channel that is gone is no other's", "timegraph",
	  "0 spec a:prt:ae:1:1000:10000\n" "0 knob 4 200\n" "0 join 1 1 a\n" "0 join 2 1 b\n"
	  "0 submit 1 1 1 71\n" "0 started 1\n" "600 done 1\n" "610 leave 1 1\n"
	  "611 join 3 1 a 1 7\n" "612 submit 3 1 3 71\n" "612 started 3\n" "1212 done 3\n"
	  "1213 submit 3 1 4 71\n" "20000 wait\n",
	  "0 free 1, 612 free 3, 1213 free 4" },
	{ "AE: a waiter that moves to PE predicts no more", "timegraph",
	  "0 spec a:prt:ae:1:1000:10000\n" "0 join 1 1 a\n" "0 submit 1 1 1 71\n" "0 started 1\n"
	  "800 done 1\n" "801 submit 1 1 2 71\n" "802 rematch a:prt:pe:1:1000:10000:reserve=r\n"
	  "803 started 2\n" "813 done 2\n" "814 rematch a:prt:ae:1:1000:10000\n"
	  "815 submit 1 1 3 71\n" "816 started 3\n" "826 done 3\n" "827 submit 1 1 4 71\n",
	  "0 free 1, 802 free 2, 815 free 3, 827 free 4" },
	{ "AE: what is left, less than x, is not cut off at a refill", "timegraph",
	  "0 spec a:prt:ae:1:1000:10000\n" "0 join 1 1 a\n" LEAVES_400,
	  "0 free 1, 10000 free 2, 10602 free 3" },
	{ "AE: it is with ae_faithful", "timegraph",
	  "0 knob 11 1\n" "0 spec a:prt:ae:1:1000:10000\n" "0 join 1 1 a\n" LEAVES_400,
	  "0 free 1, 10000 free 2, 20000 free 3" },
	{ "AE: what was refilled before a costly group came is bounded without it", "timegraph",
	  "0 spec a:prt:ae:1:1000:10000\n" "0 join 1 1 a\n" "0 submit 1 1 1 71\n" "0 started 1\n"
	  "3000 done 1\n" "205000 submit 1 1 2 71\n" "230000 wait\n",
	  "0 free 1, 220000 free 2" },
	{ "AE: another channel of the client does not cut the budget", "timegraph",
	  "0 spec a:prt:ae:1:1000:10000\n" "0 join 1 1 a\n" "0 submit 1 1 1 71\n" "0 started 1\n"
	  "1100 done 1\n" "1101 submit 1 1 2 71\n" "20001 started 2\n" "20500 join 1 2 a\n"
	  "21101 done 2\n" "21102 submit 1 1 3 71\n" "50000 wait\n",
	  "0 free 1, 20000 free 2, 30000 free 3" },
	{ "lead: the next goes before the end that is predicted, and only one", "timegraph",
	  LEAD "1011 submit 2 1 3\n" "1012 submit 3 1 4\n" "1920 started 3\n" "2010 done 2\n"
	  "3000 done 3\n",
	  "0 free 1, 1000 free 2, 1910 free 3, 3000 free 4" },
	{ "lead: 0 is off", "timegraph",
	  LEAD "1010 pknob 1 0\n" "1011 submit 2 1 3\n" "2010 done 2\n",
	  "0 free 1, 1000 free 2, 2010 free 3" },
	{ "lead: who arrives in time goes first", "timegraph",
	  LEAD "1011 submit 2 1 3\n" "1909 submit 4 1 4\n" "1910 wait\n",
	  "0 free 1, 1000 free 2, 1910 free 4" },
	{ "lead: who arrives later waits for one more", "timegraph",
	  LEAD "1011 submit 2 1 3\n" "1911 submit 4 1 4\n" "1920 started 3\n" "2010 done 2\n"
	  "2020 wait\n" "3000 done 3\n",
	  "0 free 1, 1000 free 2, 1910 free 3, 3000 free 4" },
	{ "lead: one that ends sooner than predicted is followed then", "timegraph",
	  LEAD "1011 submit 2 1 3\n" "1500 done 2\n",
	  "0 free 1, 1000 free 2, 1500 free 3" },
	{ "lead: one that lasts longer is followed by one", "timegraph",
	  LEAD "1011 submit 2 1 3\n" "1012 submit 3 1 4\n" "1920 started 3\n" "5000 done 2\n"
	  "5500 done 3\n",
	  "0 free 1, 1000 free 2, 1910 free 3, 5500 free 4" },
	{ "lead: who comes within it goes at once", "timegraph",
	  LEAD "1950 submit 2 1 3\n",
	  "0 free 1, 1000 free 2, 1950 free 3" },
	{ "lead: not before the one that was freed has started", "timegraph",
	  "0 spec a:prt:ae:1:1000:1000\n" "0 pknob 1 100\n" "0 join 1 1 a\n" "0 join 2 1 b\n"
	  "0 submit 1 1 1\n" "0 started 1\n" "1000 done 1\n" "1000 submit 1 1 2\n"
	  "1010 submit 2 1 3\n" "5000 started 2\n" "10000 wait\n",
	  "0 free 1, 1000 free 2, 5900 free 3" },
	{ "lead: not beside one of which nothing is predicted", "timegraph",
	  "0 pknob 1 100\n" "0 join 1 1 a\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n"
	  "10 submit 2 1 2\n" "1000 done 1\n",
	  "0 free 1, 1000 free 2" },
	{ "lead: not one whose reserve limits it", "timegraph",
	  LEAD "1010 spec b:prt:pe:9:1000:10000\n" "1010 join 5 1 b\n" "1011 submit 5 1 3\n"
	  "1012 submit 3 1 4\n" "2010 done 2\n",
	  "0 free 1, 1000 free 2, 2010 free 3" },
	{ "lead: not while the next needs several engines", "timegraph",
	  LEAD "1011 join 5 1 e 3\n" "1011 submit 5 1 3\n" "1012 submit 2 1 4\n" "2010 done 2\n",
	  "0 free 1, 1000 free 2, 2010 free 3" },
};

int main(void)
{
	return run_rows(rows, ARRAY_SIZE(rows));
}
