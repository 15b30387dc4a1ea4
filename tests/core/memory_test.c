// SPDX-License-Identifier: GPL-2.0
/*
 * The books of memory, by example. memory_random.c tests them at random.
 *
 * A row is a script of events and the answers that must come out, as in script.h; times in
 * milliseconds, sizes in any unit, since the core does not care. After every event all invariants
 * are checked, and that it has answered at most one request beside its own; TIMERs follow in time.
 *
 *	size N		ask ACCOUNT REQUEST SIZE	told ACCOUNT SIZE
 *	cancel REQUEST	free ACCOUNT SIZE		knob NAME VALUE
 *	join CLIENT ACCOUNT COMM [PAYER]		leave CLIENT
 *	many ACCOUNT REQUEST COUNT	(asks of 1, numbered from REQUEST on)
 *	prio CLIENT N	spec TEXT	rematch TEXT	wait
 *	vgpu NAME SHARE			(of memory, by hand; 0: remove it)
 *	used ACCOUNT	(logs `used N`)			resv CLIENT	(logs `pe`, `ae` or `bg`)
 *	again ACCOUNT SIZE MS	(logs `again` or `enough`: what the driver refused, so long ago)
 */
#include <stdarg.h>
#include <stdlib.h>
#include <tg/policy.h>
#include "../lib/test.h"
#include "start.h"

#define LOG_MAX	4096
#define SPARE	160	/* objects in each pool of a row's host */

struct row {
	const char *name, *script, *expected;
};

/* A virtual GPU with 40 percent of the memory, and two clients of it. */
#define V40	"[vgpu\"v\"]:1:1:40"
#define A	"a:prt:bg:0:0:0:vgpu=v"
#define B	"b:prt:bg:0:0:0:vgpu=v"

static const struct row rows[] = {
	{ "of unknown size everything fits", "0 knob vram_order 1\n" "0 ask 1 1 1000\n",
	  "0 grant 1" },
	{ "by default nobody waits", "0 size 10\n" "0 ask 1 1 8\n" "0 ask 2 2 8\n" "0 used 2\n",
	  "0 grant 1, 0 grant 2, 0 used 8" },
	{ "fifo: who does not fit waits until there is room",
	  "0 size 10\n" "0 knob vram_order 1\n" "0 ask 1 1 8\n" "1 ask 2 2 8\n" "2 free 1 4\n"
	  "3 free 1 2\n", "0 grant 1, 3 grant 2" },
	{ "fifo: and holds up all behind",
	  "0 size 10\n" "0 knob vram_order 1\n" "0 ask 1 1 6\n" "1 ask 2 2 8\n" "2 ask 3 3 1\n"
	  "3 free 1 6\n", "0 grant 1, 3 grant 2, 3 grant 3" },
	{ "mmu: the first that fits goes",
	  "0 size 10\n" "0 knob vram_order 2\n" "0 ask 1 1 6\n" "1 ask 2 2 8\n" "2 ask 3 3 1\n"
	  "3 ask 4 4 3\n" "4 ask 5 5 1\n" "5 free 1 6\n" "6 free 4 3\n" "6 free 3 1\n",
	  "0 grant 1, 2 grant 3, 3 grant 4, 5 grant 5, 6 grant 2" },
	{ "pfifo: the highest priority first, and it holds up all behind",
	  "0 size 10\n" "0 knob vram_order 3\n" "0 spec h:prt:bg:9:0:0 l:prt:bg:1:0:0\n"
	  "0 join 2 2 l\n" "0 join 3 3 h\n" "0 join 4 4 h\n" "0 ask 1 1 8\n" "1 ask 2 2 1\n"
	  "2 ask 3 3 9\n" "3 ask 4 4 2\n" "4 free 1 8\n" "5 free 3 9\n",
	  "0 grant 1, 1 grant 2, 4 grant 3, 5 grant 4" },
	{ "pfifo: it holds up equals, and those below",
	  "0 size 10\n" "0 knob vram_order 3\n" "0 spec h:prt:bg:9:0:0 l:prt:bg:1:0:0\n"
	  "0 join 2 2 l\n" "0 join 3 3 h\n" "0 join 4 4 h\n" "0 ask 1 1 8\n" "1 ask 3 3 9\n"
	  "2 ask 4 4 1\n" "3 ask 2 2 1\n" "4 cancel 3\n", "0 grant 1, 4 grant 4, 4 grant 2" },
	{ "pmmu: the first that fits of the highest priority, nobody below",
	  "0 size 10\n" "0 knob vram_order 4\n" "0 spec h:prt:bg:9:0:0 l:prt:bg:1:0:0\n"
	  "0 join 2 2 l\n" "0 join 3 3 h\n" "0 join 4 4 h\n" "0 ask 1 1 8\n" "1 ask 3 3 9\n"
	  "2 ask 4 4 1\n" "3 ask 2 2 1\n" "4 cancel 3\n", "0 grant 1, 2 grant 4, 4 grant 2" },
	{ "a priority by hand moves a request",
	  "0 size 10\n" "0 knob vram_order 3\n" "0 join 2 2 a\n" "0 join 3 3 b\n" "0 ask 1 1 10\n"
	  "1 ask 2 2 9\n" "2 ask 3 3 9\n" "3 prio 3 5\n" "4 free 1 10\n" "5 free 3 9\n",
	  "0 grant 1, 4 grant 3, 5 grant 2" },
	{ "a process without a channel is of the lowest priority",
	  "0 size 10\n" "0 knob vram_order 3\n" "0 spec l:prt:bg:1:0:0\n" "0 join 3 3 l\n"
	  "0 ask 1 1 10\n" "1 ask 2 2 9\n" "2 ask 3 3 9\n" "4 free 1 10\n",
	  "0 grant 1, 4 grant 3" },
	{ "timeout", "0 size 10\n" "0 knob vram_order 1\n" "0 knob vram_timeout_us 5000\n"
	  "0 ask 1 1 8\n" "1 ask 2 2 8\n" "3 ask 3 3 8\n" "20 free 1 8\n" "21 ask 2 4 10\n",
	  "0 grant 1, 6 note vram-late 0, 6 refuse 2, 8 note vram-late 0, 8 refuse 3, 21 grant 4" },
	{ "one user has 96 of the 128 places, with however many processes",
	  "0 size 200\n" "0 knob vram_order 1\n" "0 join 1 1 a 7\n" "0 join 2 2 b 7\n"
	  "0 join 3 3 c 8\n" "0 ask 9 1 200\n" "1 many 1 1000 60\n" "1 many 2 2000 36\n"
	  "2 ask 1 1100 1\n" "2 ask 2 2100 1\n" "3 many 3 3000 31\n" "4 many 4 4000 1\n"
	  "5 ask 3 3100 1\n" "6 cancel 1000\n" "6 ask 2 2200 1\n" "6 ask 1 1200 1\n",
	  "0 grant 1, 2 refuse 1100, 2 refuse 2100, 5 refuse 3100, 6 refuse 1200" },
	{ "and so have processes without a client, all together",
	  "0 size 200\n" "0 knob vram_order 1\n" "0 ask 1 1 200\n" "1 many 4 1000 60\n"
	  "1 many 5 2000 37\n" "2 many 6 3000 1\n" "3 join 3 3 c 8\n" "3 many 3 4000 32\n"
	  "4 ask 3 5000 1\n",
	  "0 grant 1, 1 refuse 2036, 2 refuse 3000, 4 refuse 5000" },
	{ "ageing: the oldest is not passed any more",
	  "0 size 10\n" "0 knob vram_order 2\n" "0 knob vram_ageing_us 5000\n" "0 ask 1 1 5\n"
	  "1 ask 2 2 8\n" "2 ask 3 3 1\n" "5 ask 4 4 1\n" "7 ask 5 5 1\n" "8 free 3 1\n"
	  "9 free 4 1\n" "10 free 1 5\n",
	  "0 grant 1, 2 grant 3, 5 grant 4, 10 grant 2, 10 grant 5" },
	{ "ageing: it goes ahead of higher priorities",
	  "0 size 10\n" "0 knob vram_order 3\n" "0 knob vram_ageing_us 5000\n"
	  "0 spec h:prt:bg:9:0:0\n" "0 join 3 3 h\n" "0 ask 1 1 5\n" "1 ask 2 2 6\n"
	  "2 ask 3 3 7\n" "3 free 1 1\n" "4 ask 4 4 2\n" "7 wait\n", "0 grant 1, 6 grant 2" },
	{ "what could not be if all gave back is refused at once",
	  "0 size 10\n" "0 knob vram_order 2\n" "0 ask 1 1 11\n" "1 ask 1 2 6\n" "2 ask 1 3 5\n"
	  "3 ask 2 4 5\n" "4 free 1 6\n", "0 refuse 1, 1 grant 2, 2 refuse 3, 4 grant 4" },
	{ "deadlock: of holders that wait for each other the youngest is refused",
	  "0 size 10\n" "0 knob vram_order 2\n" "0 ask 1 1 4\n" "0 ask 2 2 5\n" "1 ask 1 3 4\n"
	  "2 ask 3 5 2\n" "3 ask 2 4 3\n" "4 free 2 5\n",
	  "0 grant 1, 0 grant 2, 3 note vram-deadlock 0, 3 refuse 4, 4 grant 3, 4 grant 5" },
	{ "deadlock: of three, with one that waits and holds nothing",
	  "0 size 9\n" "0 knob vram_order 1\n" "0 ask 1 1 3\n" "0 ask 2 2 3\n" "0 ask 3 3 3\n"
	  "1 ask 1 4 1\n" "2 ask 4 5 9\n" "3 ask 2 6 1\n" "4 ask 3 7 1\n" "5 free 3 3\n"
	  "6 free 1 4\n" "7 free 2 4\n",
	  "0 grant 1, 0 grant 2, 0 grant 3, 4 note vram-deadlock 0, 4 refuse 7, 5 grant 4, "
	  "5 grant 6, 7 grant 5" },
	{ "deadlock: of two holders, fifo",
	  "0 size 10\n" "0 knob vram_order 1\n" "0 ask 1 1 5\n" "0 ask 2 2 5\n" "1 ask 1 3 2\n"
	  "2 ask 2 4 2\n" "3 free 2 5\n",
	  "0 grant 1, 0 grant 2, 2 note vram-deadlock 0, 2 refuse 4, 3 grant 3" },
	{ "deadlock: of two holders, mmu",
	  "0 size 10\n" "0 knob vram_order 2\n" "0 ask 1 1 5\n" "0 ask 2 2 5\n" "1 ask 1 3 2\n"
	  "2 ask 2 4 2\n" "3 free 2 5\n",
	  "0 grant 1, 0 grant 2, 2 note vram-deadlock 0, 2 refuse 4, 3 grant 3" },
	{ "deadlock: of two holders, pfifo, whatever their priorities",
	  "0 size 10\n" "0 knob vram_order 3\n" "0 spec h:prt:bg:9:0:0 l:prt:bg:1:0:0\n"
	  "0 join 1 1 l\n" "0 join 2 2 h\n" "0 ask 1 1 5\n" "0 ask 2 2 5\n" "1 ask 1 3 2\n"
	  "2 ask 2 4 2\n" "3 free 2 5\n",
	  "0 grant 1, 0 grant 2, 2 note vram-deadlock 2, 2 refuse 4, 3 grant 3" },
	{ "deadlock: of two holders, pmmu, whatever their priorities",
	  "0 size 10\n" "0 knob vram_order 4\n" "0 spec h:prt:bg:9:0:0 l:prt:bg:1:0:0\n"
	  "0 join 1 1 h\n" "0 join 2 2 l\n" "0 ask 1 1 5\n" "0 ask 2 2 5\n" "1 ask 1 3 2\n"
	  "2 ask 2 4 2\n" "3 free 2 5\n",
	  "0 grant 1, 0 grant 2, 2 note vram-deadlock 2, 2 refuse 4, 3 grant 3" },
	{ "deadlock: of two holders of low priority, beside one of high priority that holds nothing",
	  "0 size 10\n" "0 knob vram_order 4\n" "0 spec h:prt:bg:9:0:0\n" "0 join 3 3 h\n"
	  "0 ask 1 1 4\n" "0 ask 2 2 4\n" "0 ask 4 3 2\n" "1 ask 3 4 2\n" "2 ask 1 5 3\n"
	  "3 ask 2 6 3\n" "4 free 4 2\n" "5 free 2 4\n",
	  "0 grant 1, 0 grant 2, 0 grant 3, 3 note vram-deadlock 0, 3 refuse 6, 4 grant 4, 5 grant 5" },
	{ "deadlock: of two, beside a third that could get all: found when that one has had its turn",
	  "0 size 12\n" "0 knob vram_order 1\n" "0 ask 1 1 4\n" "0 ask 2 2 4\n" "0 ask 3 3 1\n"
	  "0 ask 4 4 3\n" "1 ask 3 5 2\n" "2 ask 1 6 6\n" "3 ask 2 7 6\n" "4 free 4 3\n"
	  "5 free 3 3\n" "6 free 2 4\n",
	  "0 grant 1, 0 grant 2, 0 grant 3, 0 grant 4, 4 grant 5, 4 note vram-deadlock 0, 4 refuse 7, "
	  "6 grant 6" },
	{ "deadlock: of two for whom all is set aside",
	  "0 size 10\n" "0 knob vram_order 1\n" "0 spec a:prt:bg:0:0:0:mem=5 b:prt:bg:0:0:0:mem=5\n"
	  "0 join 1 1 a\n" "0 join 2 2 b\n" "1 ask 1 1 7\n" "2 ask 2 2 7\n" "3 leave 2\n",
	  "2 note vram-deadlock 2, 2 refuse 2, 3 gone 2, 3 grant 1" },
	{ "a line that an aged request holds up in vain is passed by a holder",
	  "0 size 10\n" "0 knob vram_order 2\n" "0 knob vram_ageing_us 5000\n" "0 ask 1 1 4\n"
	  "0 ask 3 2 5\n" "1 ask 2 3 8\n" "2 ask 1 4 3\n" "7 free 3 2\n" "8 free 1 7\n"
	  "9 free 3 3\n", "0 grant 1, 0 grant 2, 7 grant 4, 9 grant 3" },
	{ "a holder of low priority passes a line that would not move",
	  "0 size 10\n" "0 knob vram_order 4\n" "0 spec h:prt:bg:9:0:0\n" "0 join 2 2 h\n"
	  "0 ask 1 1 4\n" "0 ask 3 2 5\n" "1 ask 2 3 7\n" "2 ask 4 4 2\n" "3 ask 1 5 3\n"
	  "4 free 3 1\n" "5 free 3 1\n" "6 free 1 7\n" "7 free 2 7\n",
	  "0 grant 1, 0 grant 2, 5 grant 5, 6 grant 3, 7 grant 4" },
	{ "no deadlock while one that waits for nothing holds some",
	  "0 size 10\n" "0 knob vram_order 2\n" "0 ask 1 1 4\n" "0 ask 2 2 4\n" "0 ask 3 3 2\n"
	  "1 ask 1 4 2\n" "2 ask 2 5 4\n" "3 free 3 2\n" "4 free 1 6\n",
	  "0 grant 1, 0 grant 2, 0 grant 3, 3 grant 4, 4 grant 5" },
	{ "a holder that the line holds up, and that holds up the line, passes it",
	  "0 size 10\n" "0 knob vram_order 1\n" "0 ask 1 1 4\n" "1 ask 2 2 8\n" "2 ask 1 3 1\n"
	  "3 ask 3 4 1\n" "4 free 1 5\n", "0 grant 1, 2 grant 3, 4 grant 2, 4 grant 4" },
	{ "threads of one process wait, and are no deadlock of it with itself",
	  "0 size 10\n" "0 knob vram_order 2\n" "0 ask 1 1 4\n" "0 ask 2 2 5\n" "1 ask 1 3 3\n"
	  "1 ask 1 4 3\n" "2 free 2 5\n", "0 grant 1, 0 grant 2, 2 grant 3, 2 grant 4" },
	{ "what the driver rounds up is booked without a question",
	  "0 size 10\n" "0 knob vram_order 1\n" "0 ask 1 1 9\n" "0 told 1 3\n" "0 used 1\n"
	  "1 ask 2 2 1\n" "2 free 1 3\n" "3 free 1 9\n" "4 ask 2 3 9\n",
	  "0 grant 1, 0 used 12, 2 grant 2, 4 grant 3" },
	{ "a death gives all back", "0 size 10\n" "0 knob vram_order 2\n" "0 join 1 1 a\n"
	  "0 ask 1 1 5\n" "0 ask 1 2 4\n" "1 ask 2 3 8\n" "2 ask 3 4 7\n" "3 leave 1\n"
	  "4 free 1 5\n" "5 free 1 4\n" "6 cancel 4\n",
	  "0 grant 1, 0 grant 2, 3 gone 1, 5 grant 3" },
	{ "a shorter timeout holds for those that wait, and no order lets all go",
	  "0 size 10\n" "0 knob vram_order 1\n" "0 ask 1 1 8\n" "1 ask 2 2 8\n" "20 ask 3 3 8\n"
	  "21 knob vram_timeout_us 10000\n" "22 knob vram_order 0\n",
	  "0 grant 1, 21 note vram-late 0, 21 refuse 2, 22 grant 3" },
	{ "what is wrong changes nothing",
	  "0 size 10\n" "0 knob vram_order 1\n" "0 ask 0 1 1\n" "0 ask 1 1 0\n" "0 free 1 1\n"
	  "0 ask 1 1 10\n" "0 free 1 11\n" "0 ask 2 2 1\n" "0 ask 2 2 1\n" "0 cancel 3\n"
	  "0 size 1125899906842625\n", "0 -22, 0 -22, 0 -2, 0 grant 1, 0 -22, 0 -17, 0 -2, 0 -22" },
	{ "mem=: what is set aside is kept from others, and its own does not wait",
	  "0 size 1000\n" "0 spec a:prt:bg:0:0:0:mem=600\n" "0 join 1 1 a\n" "0 ask 2 1 400\n"
	  "1 ask 3 2 1\n" "2 ask 1 3 500\n" "3 ask 1 4 100\n" "4 ask 1 5 50\n" "5 free 2 100\n"
	  "6 free 1 600\n" "7 leave 1\n",
	  "0 grant 1, 2 grant 3, 3 grant 4, 5 grant 2, 5 grant 5, 7 gone 1" },
	{ "mem=: what is set aside comes free with the client",
	  "0 size 1000\n" "0 spec a:prt:bg:0:0:0:mem=600\n" "0 join 1 1 a\n" "0 ask 2 1 900\n"
	  "1 leave 1\n", "1 gone 1, 1 grant 1" },
	{ "a new spec keeps a promise from a request that waits",
	  "0 size 1000\n" "0 knob vram_order 1\n" "0 spec a:prt:pe:0:1:2:mem=600\n" "0 join 1 1 a\n"
	  "1 ask 2 2 500\n" "2 rematch a:prt:pe:0:1:2:mem=600\n" "2 resv 1\n" "3 ask 1 3 600\n"
	  "4 rematch a:prt:bg:0:0:0\n" "5 free 1 600\n",
	  "2 resv pe, 3 grant 3, 5 grant 2" },
	{ "mem=: that does not fit takes the reserve along",
	  "0 size 1000\n" "0 spec a:prt:pe:0:1:2:mem=600 b:prt:pe:0:1:2:mem=600\n"
	  "0 join 1 1 a\n" "0 join 2 2 b\n" "0 resv 1\n" "0 resv 2\n" "0 ask 3 1 400\n" "1 leave 1\n"
	  "2 rematch a:prt:pe:0:1:2:mem=600 b:prt:pe:0:1:2:mem=600\n" "2 resv 2\n" "2 ask 2 2 600\n",
	  "0 note no-vram 2, 0 resv pe, 0 resv bg, 0 grant 1, 1 gone 1, 2 resv pe, 2 grant 2" },
	{ "mem=: a reserve that does not fit takes the memory along",
	  "0 size 1000\n" "0 knob admission_percent 10\n" "0 spec a:prt:pe:0:1:2:mem=600\n"
	  "0 join 1 1 a\n" "0 resv 1\n" "0 ask 2 1 1000\n",
	  "0 note not-admitted 1, 0 resv bg, 0 grant 1" },
	{ "mem=: told once, not at each channel",
	  "0 size 1000\n" "0 spec a:prt:bg:0:0:0:mem=2000\n" "0 join 1 1 a\n" "1 join 1 1 a\n",
	  "0 note no-vram 1" },
	{ "mem=: what others hold counts, and what it holds itself does not",
	  "0 size 1000\n" "0 ask 1 1 500\n" "0 ask 2 2 300\n" "0 spec a:prt:pe:0:1:2:mem=701\n"
	  "0 join 1 1 a\n" "1 rematch a:prt:pe:0:1:2:mem=700\n" "1 resv 1\n",
	  "0 grant 1, 0 grant 2, 0 note no-vram 1, 1 resv pe" },
	{ "mem=: a process's latest client speaks for it",
	  "0 size 1000\n" "0 spec a:prt:bg:0:0:0:mem=600\n" "0 join 1 1 a\n" "1 join 2 1 a\n"
	  "2 leave 1\n" "3 ask 2 1 500\n" "4 leave 2\n", "2 gone 1, 4 gone 2, 4 grant 1" },
	{ "a dry run delays nothing, and lets those that wait go",
	  "0 size 10\n" "0 knob vram_order 1\n" "0 ask 1 1 8\n" "1 ask 2 2 8\n" "2 knob dry_run 1\n"
	  "3 ask 3 3 8\n", "0 grant 1, 2 grant 2, 2 note dry 0, 3 grant 3" },
	{ "again: not where nobody has to wait", "0 again 1 1 0\n" "0 knob vram_order 1\n"
	  "0 again 1 1 0\n" "0 knob vram_order 0\n" "0 size 10\n" "0 ask 1 1 8\n" "0 again 1 8 0\n",
	  "0 enough, 0 enough, 0 grant 1, 0 enough" },
	{ "again: what fits, for as long as a request may wait",
	  "0 size 10\n" "0 knob vram_order 2\n" "0 knob vram_timeout_us 5000\n" "0 again 9 10 0\n"
	  "0 ask 1 1 8\n" "0 again 1 10 4\n" "0 again 1 10 5\n" "0 again 1 11 0\n"
	  "1 knob dry_run 1\n" "1 again 1 10 4\n",
	  "0 again, 0 grant 1, 0 again, 0 enough, 0 enough, 1 note dry 0, 1 enough" },
	{ "again: where the spec sets memory aside",
	  "0 size 1000\n" "0 again 1 1 0\n" "0 spec a:prt:bg:0:0:0:mem=600\n" "0 again 1 1 0\n",
	  "0 enough, 0 again" },
	{ "again: in a virtual GPU, and not beside it",
	  "0 size 100\n" "0 spec " V40 " " A "\n" "0 join 1 1 a\n" "0 ask 1 1 9\n" "0 ask 2 2 9\n"
	  "0 again 1 9 0\n" "0 again 2 9 0\n", "0 grant 1, 0 grant 2, 0 again, 0 enough" },
	{ "vgpu: its clients never have more than its share, others may have the rest",
	  "0 size 100\n" "0 spec " V40 " " A " " B "\n" "0 join 1 1 a\n" "0 join 2 2 b\n"
	  "0 ask 1 1 30\n" "1 ask 2 2 20\n" "2 ask 3 3 60\n" "3 ask 2 4 1\n" "4 free 1 30\n",
	  "0 grant 1, 2 grant 3, 4 grant 2, 4 grant 4" },
	{ "vgpu: more than the share is refused at once",
	  "0 size 100\n" "0 spec " V40 " " A "\n" "0 join 1 1 a\n" "0 ask 1 1 41\n"
	  "1 ask 1 2 20\n" "2 ask 1 3 21\n" "3 ask 1 4 20\n",
	  "0 refuse 1, 1 grant 2, 2 refuse 3, 3 grant 4" },
	{ "vgpu: an odd size is divided without a remainder to fight for",
	  "0 size 7\n" "0 knob vram_order 1\n" "0 spec " V40 " " A "\n" "0 join 1 1 a\n"
	  "0 ask 1 1 3\n" "1 ask 1 2 2\n" "2 ask 2 3 5\n" "3 ask 2 4 4\n",
	  "0 refuse 1, 1 grant 2, 2 refuse 3, 3 grant 4" },
	{ "vgpu: the rest waits for nothing, and is held to its part where somebody waits",
	  "0 size 100\n" "0 spec " V40 " " A "\n" "0 ask 2 1 90\n" "1 knob vram_order 1\n"
	  "1 ask 2 2 1\n" "2 ask 3 3 61\n" "3 ask 3 4 60\n" "5 free 2 90\n",
	  "0 grant 1, 1 refuse 2, 2 refuse 3, 5 grant 4" },
	{ "vgpu: nothing is left for the rest",
	  "0 size 100\n" "0 spec [vgpu\"v\"]:1:1:100 " A "\n" "0 join 1 1 a\n" "0 ask 2 1 9\n"
	  "1 knob vram_order 2\n" "1 ask 2 2 1\n" "1 ask 1 3 100\n",
	  "0 grant 1, 1 refuse 2, 1 grant 3" },
	{ "vgpu: who does not fit in one holds up nobody in another",
	  "0 size 100\n" "0 knob vram_order 1\n" "0 spec " V40 " [vgpu\"w\"]:1:1:30 " A " " B
	  " c:prt:bg:0:0:0:vgpu=w\n" "0 join 1 1 a\n" "0 join 2 2 b\n" "0 join 3 3 c\n"
	  "0 ask 1 1 30\n" "1 ask 2 2 20\n" "2 ask 3 3 30\n" "3 ask 4 4 30\n" "4 free 1 30\n",
	  "0 grant 1, 2 grant 3, 3 grant 4, 4 grant 2" },
	{ "vgpu: its own deadlock, whatever is free elsewhere",
	  "0 size 100\n" "0 spec " V40 " " A " " B "\n" "0 join 1 1 a\n" "0 join 2 2 b\n"
	  "0 ask 1 1 20\n" "0 ask 2 2 15\n" "1 ask 1 3 10\n" "2 ask 2 4 10\n" "3 free 2 15\n",
	  "0 grant 1, 0 grant 2, 2 note vram-deadlock 2, 2 refuse 4, 3 grant 3" },
	{ "vgpu: mem= is set aside from its share",
	  "0 size 1000\n" "0 spec [vgpu\"v\"]:1:1:40 a:prt:pe:0:1:2:mem=401,vgpu=v "
	  "b:prt:pe:0:1:2:mem=400,vgpu=v " "c:prt:bg:0:0:0:vgpu=v\n" "0 join 1 1 a\n"
	  "0 join 2 2 b\n" "0 join 3 3 c\n" "0 resv 1\n" "0 resv 2\n" "1 ask 3 1 1\n"
	  "2 ask 4 2 600\n" "3 leave 2\n",
	  "0 note no-vram 1, 0 resv bg, 0 resv pe, 2 grant 2, 3 gone 2, 3 grant 1" },
	{ "vgpu: a process comes with what it holds, and leaves it there",
	  "0 size 100\n" "0 spec " V40 " " A " " B "\n" "0 ask 1 1 30\n" "0 join 1 1 a\n"
	  "0 join 2 2 b\n" "1 ask 2 2 20\n" "2 leave 1\n" "3 free 1 20\n",
	  "0 grant 1, 2 gone 1, 3 grant 2" },
	{ "vgpu: and with what it waits for, which keeps its place",
	  "0 size 100\n" "0 knob vram_order 1\n" "0 spec " V40 " " A " " B "\n" "0 join 2 2 b\n"
	  "0 join 3 3 b\n" "0 ask 4 1 60\n" "0 ask 2 2 35\n" "1 ask 1 3 30\n" "2 ask 3 4 10\n"
	  "4 join 1 1 a\n" "5 free 2 35\n", "0 grant 1, 0 grant 2, 5 grant 3, 5 grant 4" },
	{ "vgpu: a larger share lets go, a smaller one takes nothing away",
	  "0 size 100\n" "0 spec " V40 " " A " " B "\n" "0 join 1 1 a\n" "0 join 2 2 b\n"
	  "0 ask 1 1 30\n" "1 ask 2 2 20\n" "2 vgpu v 50\n" "3 ask 1 3 5\n" "4 vgpu v 20\n"
	  "5 used 1\n" "6 free 1 30\n" "7 free 2 10\n" "7 ask 2 4 10\n",
	  "0 grant 1, 2 grant 2, 4 refuse 3, 5 used 30, 7 grant 4" },
	{ "vgpu: what waits for more than a smaller share is refused",
	  "0 size 100\n" "0 spec " V40 " " A " " B "\n" "0 join 1 1 a\n" "0 join 2 2 b\n"
	  "0 ask 1 1 10\n" "1 ask 2 2 35\n" "2 ask 2 3 25\n" "3 vgpu v 30\n" "4 free 1 10\n",
	  "0 grant 1, 3 refuse 2, 4 grant 3" },
	{ "vgpu: one that goes leaves its memory and its line to the rest",
	  "0 size 100\n" "0 knob vram_order 1\n" "0 spec " V40 " " A " " B "\n" "0 join 1 1 a\n"
	  "0 join 2 2 b\n" "0 ask 1 1 40\n" "0 ask 3 2 50\n" "1 ask 2 3 20\n" "2 ask 4 4 20\n"
	  "3 leave 1\n" "4 vgpu v 0\n" "5 ask 4 5 10\n" "6 free 3 50\n",
	  "0 grant 1, 0 grant 2, 3 gone 1, 6 grant 3, 6 grant 4, 6 grant 5" },
	{ "vgpu: what one that went has left counts with the rest, not with the next in its place",
	  "0 size 100\n" "0 knob vram_order 1\n" "0 spec " V40 " " A " " B "\n" "0 join 1 1 a\n"
	  "0 ask 1 1 30\n" "1 leave 1\n" "2 vgpu v 0\n" "2 vgpu v 40\n" "3 join 2 2 b\n"
	  "3 ask 2 2 40\n" "4 ask 3 3 40\n" "5 free 1 10\n",
	  "0 grant 1, 1 gone 1, 3 grant 2, 5 grant 3" },
	{ "vgpu: a dry run asks no share",
	  "0 size 100\n" "0 knob dry_run 1\n" "0 spec " V40 " " A "\n" "0 join 1 1 a\n"
	  "0 ask 1 1 41\n", "0 note dry 0, 0 grant 1" },
};

struct host {
	struct tg_gpu gpu;
	struct tg_actions actions;
	s64 armed;
	u64 asking;		/* the request that the event brings */
	u32 answers;		/* of this event, to others */
	struct tg_identity ids[8];
	u32 channels[8];
	struct tg_spec spec[4];
	char text[4][256];
	u32 nr_spec;
	void *objects[TG_POOLS][SPARE];
	char log[LOG_MAX];
};

__attribute__((format(printf, 2, 3)))
static void say(struct host *h, const char *format, ...)
{
	size_t len = strlen(h->log);
	va_list args;

	len += snprintf(h->log + len, LOG_MAX - len, "%s%lld ", len ? ", " : "",
			(long long)(h->gpu.now / TG_MSEC));
	va_start(args, format);
	vsnprintf(h->log + len, LOG_MAX - len, format, args);
	va_end(args);
}

static void emit(struct tg_actions *out, const struct tg_action *a)
{
	static const char *const notes[TG_NOTES] = {
		[TG_NOTE_DRY] = "dry", [TG_NOTE_NOT_ADMITTED] = "not-admitted",
		[TG_NOTE_NO_VRAM] = "no-vram", [TG_NOTE_VRAM_LATE] = "vram-late",
		[TG_NOTE_VRAM_DEADLOCK] = "vram-deadlock",
	};
	struct host *h = container_of(out, struct host, actions);
	const bool answer = a->kind == TG_ACT_MEM_GRANT || a->kind == TG_ACT_MEM_REFUSE;

	h->answers += answer && a->job != h->asking;
	if (a->kind == TG_ACT_ARM)
		h->armed = a->at;
	else if (a->kind == TG_ACT_MEM_GRANT)
		say(h, "grant %llu", (unsigned long long)a->job);
	else if (a->kind == TG_ACT_MEM_REFUSE)
		say(h, "refuse %llu", (unsigned long long)a->job);
	else if (a->kind == TG_ACT_GONE)
		say(h, "gone %u", a->client);
	else if (a->kind == TG_ACT_NOTE)
		say(h, "note %s %u", notes[a->arg], a->client);
}

static const char *feed(struct host *h, struct tg_event *ev)
{
	int rc;

	if (ev->kind != TG_EV_KNOB)
		ev->at = ev->now;
	h->asking = ev->kind == TG_EV_MEM_REQUEST ? ev->job : 0;
	h->answers = 0;
	rc = tg_gpu_feed(&h->gpu, ev, &h->actions);
	if (rc) {
		h->gpu.now = ev->now;
		say(h, "%d", rc);
	}
	return h->answers > 1 ? "an event answers several requests" : tg_gpu_check(&h->gpu);
}

/* Feed the TIMERs that are due by @now. */
static const char *run_timers(struct host *h, s64 now)
{
	const char *wrong = NULL;

	while (!wrong && h->armed <= now) {
		struct tg_event timer = { .now = h->armed, .kind = TG_EV_TIMER };

		h->armed = TG_NEVER;
		wrong = feed(h, &timer);
	}
	return wrong;
}

static void parse_spec(struct host *h, struct tg_event *ev, const char *text)
{
	struct tg_spec *s = &h->spec[h->nr_spec];
	struct tg_spec_error err;
	char *copy = h->text[h->nr_spec++];
	size_t i, len = strlen(text);

	for (i = 0; i <= len; i++)
		copy[i] = text[i] == ' ' ? '\n' : text[i];
	s->text = copy;
	s->entries = calloc(tg_spec_room(copy, len), sizeof(*s->entries));
	if (!s->entries || tg_spec_parse(s, len, &err))
		abort();
	ev->new_spec = s;
}

static const char *step(struct host *h, const char *line);

static const char *many(struct host *h, u64 t, u64 account, u64 request, u64 count)
{
	const char *wrong = NULL;
	char line[64];

	for (; count && !wrong; count--, request++) {
		snprintf(line, sizeof(line), "%llu ask %llu %llu 1", (unsigned long long)t,
			 (unsigned long long)account, (unsigned long long)request);
		wrong = step(h, line);
	}
	return wrong;
}

static const char *step(struct host *h, const char *line)
{
	static const char *const resv[] = { "pe", "ae", "bg", "cbs" };
	unsigned long long t, a = 0, b = 0, c = 0;
	char word[16], rest[256] = "", name[32];
	struct tg_event ev = { };
	struct tg_vgpu_conf conf = { };
	const char *wrong;

	if (sscanf(line, "%llu %15s %255[^\n]", &t, word, rest) < 2)
		return "a line that the test cannot read";
	sscanf(rest, "%llu %llu %llu", &a, &b, &c);
	wrong = run_timers(h, t * TG_MSEC);
	if (wrong)
		return wrong;
	ev.now = t * TG_MSEC;
	ev.client = a;
	if (!strcmp(word, "wait"))
		return NULL;
	if (!strcmp(word, "used") || !strcmp(word, "resv")) {
		h->gpu.now = ev.now;
		if (*word == 'u')
			say(h, "used %llu",
			    (unsigned long long)tg_mem_account(&h->gpu.mem, a)->used);
		else
			say(h, "resv %s", resv[tg_gpu_client(&h->gpu, a)->resv]);
		return NULL;
	}
	if (!strcmp(word, "many"))
		return many(h, t, a, b, c);
	if (!strcmp(word, "again")) {
		say(h, "%s", tg_gpu_again(&h->gpu, a, b, c * TG_MSEC) ? "again" : "enough");
		return NULL;
	}
	if (!strcmp(word, "size")) {
		ev.kind = TG_EV_MEM_SIZE;
		ev.client = 0;
		ev.mem.bytes = a;
	} else if (!strcmp(word, "ask")) {
		ev.kind = TG_EV_MEM_REQUEST;
		ev.mem.request = b;
		ev.mem.bytes = c;
	} else if (!strcmp(word, "told")) {
		ev.kind = TG_EV_MEM_REQUEST;
		ev.taken = 1;
		ev.mem.bytes = b;
	} else if (!strcmp(word, "cancel")) {
		ev.kind = TG_EV_MEM_CANCEL;
		ev.mem.request = a;
	} else if (!strcmp(word, "free")) {
		ev.kind = TG_EV_MEM_FREE;
		ev.mem.bytes = b;
	} else if (!strcmp(word, "knob")) {
		ev.kind = TG_EV_KNOB;
		sscanf(rest, "%31s %llu", name, &b);
		while (strcmp(tg_core_params[ev.knob.number].name, name))
			ev.knob.number++;
		ev.knob.value = b;
	} else if (!strcmp(word, "join")) {
		ev.kind = TG_EV_JOIN;
		ev.channel = ++h->channels[a];
		ev.join.engines = 1;
		ev.join.account = b;
		sscanf(rest, "%*u %*u %15s %u", h->ids[a].comm, &h->ids[a].payer);
		ev.identity = &h->ids[a];
	} else if (!strcmp(word, "leave")) {
		ev.kind = TG_EV_LEAVE;
		ev.channel = h->channels[a]--;
	} else if (!strcmp(word, "prio")) {
		ev.kind = TG_EV_PRIO;
		ev.prio.level = b;
	} else if (!strcmp(word, "vgpu")) {
		ev.kind = TG_EV_VGPU;
		ev.client = 0;
		ev.vgpu = &conf;
		sscanf(rest, "%31s %u", conf.name, &conf.share[TG_MEMORY]);
		conf.share[TG_COMPUTE] = !!conf.share[TG_MEMORY];
		conf.share[TG_COPY] = !!conf.share[TG_MEMORY];
	} else {
		ev.kind = TG_EV_SPEC;
		ev.client = 0;
		ev.spec.rematch = *word == 'r';
		parse_spec(h, &ev, rest);
	}
	return feed(h, &ev);
}

static void run_row(const struct row *row)
{
	struct host *h = calloc(1, sizeof(*h));
	const char *line = row->script, *wrong = NULL;
	u32 pool, i;

	if (!h)
		abort();
	h->actions.emit = emit;
	h->armed = TG_NEVER;
	start(&h->gpu);
	for (pool = 0; pool < TG_POOLS; pool++)
		for (i = 0; i < (pool == TG_POOL_DRY ? 1 : SPARE); i++) {
			h->objects[pool][i] = calloc(1, tg_pool_size[pool]);
			tg_gpu_give(&h->gpu, pool, h->objects[pool][i]);
		}
	while (!wrong && line && *line) {
		wrong = step(h, line);
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	wrong = wrong ?: run_timers(h, h->gpu.now + TG_MSEC);
	if (wrong)
		test_row(row->name, false, "%s", wrong);
	else
		test_row(row->name, !strcmp(h->log, row->expected), "got\n\t%s\nexpected\n\t%s",
			 h->log, row->expected);
	for (pool = 0; pool < TG_POOLS; pool++)
		for (i = 0; i < SPARE; i++)
			free(h->objects[pool][i]);
	for (i = 0; i < ARRAY_SIZE(h->spec); i++)
		free(h->spec[i].entries);
	free(h);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		run_row(&rows[i]);
	return test_end();
}
