// SPDX-License-Identifier: GPL-2.0
/*
 * Clients that leave and owe something (src/core/debt.c), by example.
 */
#include "script.h"

#define PE	"0 spec a:prt:pe:1:1000:10000\n"
/* Client 1, of payer 7, uses 5 ms of its 1 ms, which takes its reserve four refills more. */
#define JOINS	"0 join 1 1 a 1 7\n" "0 submit 1 1 1\n" "0 started 1\n"
#define OWES	JOINS "5000 done 1\n"

static const struct row rows[] = {
	{ "who leaves and comes back has the budget of before", "timegraph",
	  PE OWES "6000 leave 1 1\n" "7000 join 2 1 a 1 7\n" "7000 budget 1\n" "7001 submit 1 1 2\n"
	  "60000 wait\n",
	  "0 free 1, 7000 back 1, 7000 budget -4000, 50000 free 2" },
	{ "less what the reserve has paid meanwhile", "timegraph",
	  PE OWES "6000 leave 1 1\n" "27000 join 2 1 a 1 7\n" "27001 submit 1 1 2\n" "60000 wait\n"
	  "60000 budget 1\n",
	  "0 free 1, 27000 back 1, 50000 free 2, 60000 budget 1000" },
	{ "when that is all of it, the client goes", "timegraph",
	  PE OWES "6000 leave 1 1\n" "190000 wait\n" "190000 join 2 1 a 1 7\n" "190000 budget 2\n",
	  "0 free 1, 106000 gone 1, 190000 budget 1000" },
	{ "who owes nothing goes at once", "timegraph",
	  PE "0 join 1 1 a 1 7\n" "0 submit 1 1 1\n" "0 cancel 1\n" "6000 leave 1 1\n",
	  "0 free 1, 6000 gone 1" },
	{ "one comes back, and the next one is new", "timegraph",
	  PE OWES "6000 leave 1 1\n" "7000 join 2 1 a 1 7\n" "7000 join 3 1 a 1 7\n"
	  "7000 budget 1\n" "7000 budget 3\n",
	  "0 free 1, 7000 back 1, 7000 budget -4000, 7000 budget 1000" },
	{ "another payer is new", "timegraph",
	  PE OWES "6000 leave 1 1\n" "7000 join 2 1 a 1 8\n" "7000 budget 2\n"
	  "7000 join 3 1 a 1 7\n" "7000 budget 1\n",
	  "0 free 1, 7000 budget 1000, 7000 back 1, 7000 budget -4000" },
	{ "so is one of another line", "timegraph",
	  "0 spec a:prt:pe:1:1000:10000 b:prt:pe:1:1000:10000\n" OWES "6000 leave 1 1\n"
	  "7000 join 2 1 b 1 7\n" "7000 budget 2\n" "7000 join 3 1 a 1 7\n" "7000 budget 1\n",
	  "0 free 1, 7000 budget 1000, 7000 back 1, 7000 budget -4000" },
	{ "another name of the same line is not", "timegraph",
	  "0 spec uid=*:prt:pe:1:1000:10000\n" OWES "6000 leave 1 1\n" "7000 join 2 1 b 1 7\n"
	  "7000 budget 1\n",
	  "0 free 1, 7000 back 1, 7000 budget -4000" },
	{ "with another spec all debts are forgiven", "timegraph",
	  PE OWES "6000 leave 1 1\n" "6500 spec a:prt:pe:1:1000:10000\n" "7000 join 2 1 a 1 7\n"
	  "7000 budget 2\n",
	  "0 free 1, 6500 gone 1, 7000 budget 1000" },
	{ "also of those whose jobs are in flight", "timegraph",
	  PE JOINS "100 leave 1 1\n" "200 spec a:prt:pe:1:1000:10000\n" "300 join 2 1 a 1 7\n"
	  "5000 done 1\n" "5000 budget 2\n",
	  "0 free 1, 5000 gone 1, 5000 budget 1000" },
	{ "while one is away others may have its share", "timegraph",
	  "0 knob 6 100\n" "0 spec a:prt:pe:1:6000:10000 b:prt:pe:1:6000:10000\n" OWES "6000 leave 1 1\n"
	  "6001 join 2 1 b\n" "6002 budget 2\n" "7000 join 3 1 a 1 7\n" "7000 leave 2 1\n"
	  "7001 join 4 1 b\n" "7001 budget 4\n",
	  "0 free 1, 6002 budget 6000, 7000 note not-admitted 3 0, 7000 gone 2, 7001 budget 6000" },
	{ "who cannot have it back does not come back, and the debt stays", "timegraph",
	  "0 knob 6 100\n" "0 spec a:prt:pe:1:6000:10000 b:prt:pe:1:6000:10000\n"
	  "0 join 1 1 a 1 7\n" "0 submit 1 1 1\n" "0 started 1\n" "50000 done 1\n"
	  "50000 leave 1 1\n" "50001 join 2 1 b\n" "50002 join 3 1 a 1 7\n" "50003 leave 2 1\n"
	  "50003 leave 3 1\n" "50004 join 4 1 a 1 7\n" "50004 budget 1\n",
	  "0 free 1, 50002 note not-admitted 3 0, 50003 gone 2, 50003 gone 3, 50004 back 1, "
	  "50004 budget -14000" },
	{ "a shared reserve is the others' while one is away", "timeslice",
	  "0 knob 6 100\n" "0 spec a:prt:pe:1:6000:10000:reserve=r b:prt:pe:1:6000:10000\n"
	  "0 join 1 1 a 1 7\n" "0 join 2 1 c\n" "0 submit 1 1 1\n" "0 started 1\n"
	  "1 submit 2 1 2\n" "90000 done 1\n" "90000 leave 1 1\n" "90001 join 3 1 b\n"
	  "90002 budget 3\n",
	  "0 free 1, 90000 free 2, 90002 budget 6000" },
	{ "a job in flight is charged to who came back", "timegraph",
	  PE JOINS "100 leave 1 1\n" "200 join 2 1 a 1 7\n" "201 submit 1 1 2\n" "5000 done 1\n"
	  "5000 budget 1\n" "60000 wait\n",
	  "0 free 1, 200 back 1, 5000 budget -4000, 50000 free 2" },
	{ "and to who came back after that", "timegraph",
	  PE JOINS "100 leave 1 1\n" "200 join 2 2 a 1 7\n" "300 leave 1 2\n" "400 join 3 3 a 1 7\n"
	  "5000 done 1\n" "5000 budget 1\n",
	  "0 free 1, 200 back 1, 400 back 1, 5000 budget -4000" },
	{ "a process that opens its device again has left, too", "timegraph",
	  PE JOINS "100 leave 1 1\n" "200 join 1 2 a 1 7\n" "300 join 2 1 a 1 7\n" "5000 done 1\n"
	  "5000 budget 1\n" "5000 budget 2\n",
	  "0 free 1, 5000 budget -4000, 5000 budget 1000" },
	{ "a priority given by hand does not come back", "timegraph",
	  PE OWES "5000 prio 1 77\n" "6000 leave 1 1\n" "7000 join 2 1 a 1 7\n" "7000 prio? 1\n",
	  "0 free 1, 7000 back 1, 7000 prio 1" },
	{ "under timeslice who comes back is as far ahead as before", "timeslice",
	  "0 join 1 1 a 1 7\n" "0 join 2 1 b\n" "0 submit 1 1 1\n" "0 started 1\n" "1 submit 2 1 2\n"
	  "90000 done 1\n" "90000 leave 1 1\n" "90001 join 3 1 a 1 7\n" "90001 submit 1 1 3\n"
	  "90001 started 2\n" "90002 submit 2 1 4\n" "140000 done 2\n" "140001 started 4\n"
	  "140002 submit 2 1 5\n" "190000 done 4\n",
	  "0 free 1, 90000 free 2, 90001 back 1, 140000 free 4, 190000 free 3" },
};

int main(void)
{
	return run_rows(rows, ARRAY_SIZE(rows));
}
