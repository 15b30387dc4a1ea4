// SPDX-License-Identifier: GPL-2.0
/*
 * The page that a client and tgd share (uapi/tgd.h), under an exhaustive scheduler.
 *
 * The real functions run, as two coroutines. TGD_STEP() stops a side before each of its accesses to
 * the page, and the scheduler goes through every order in which the two can take their steps; in the
 * rows about death, the client also ends at each of them. x86 and Arm may reorder beyond that: the
 * orders that matter are acquire and release on word and tail, which the compiler is told of.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

static void step(void);
#define TGD_STEP()	step()
#include <uapi/tgd.h>

#include "../lib/test.h"

#define STEPS	64
#define STACK	(64 << 10)

enum { CLIENT, DAEMON, SIDES };

/* What a run has seen; zero at its start. */
struct seen {
	struct tgd_page *page;
	unsigned long taken;		/* by the daemon */
	unsigned int sent, claimed, told;	/* records; launches under a lease; of those, drained */
	unsigned int inflight, granted, depth;
	bool bell, leased, over;		/* leased: as the daemon knows */
	const char *wrong;
};

/* A row of the table. */
struct row {
	const char *name;
	void (*side[SIDES])(void);
	bool dies;
	unsigned long first;		/* number of the first record */
	unsigned int behind;		/* records that the daemon has yet to take */
};

static struct seen seen;
static struct tgd_page *page;
static const struct row *row;
static jmp_buf back, side[SIDES];		/* where each goes on: cheaper than swapcontext() */
static ucontext_t fresh[SIDES];
static bool begun[SIDES], ended[SIDES];
static int running;

static void step(void)
{
	if (running >= 0 && !_setjmp(side[running]))
		_longjmp(back, 1);
}

static void wrong(const char *what)
{
	if (!seen.wrong)
		seen.wrong = what;
}

/* --- the client --- */

/* A record says its number, so that one that is torn, lost or doubled is seen. */
static struct tgd_record make(__u32 kind)
{
	return (struct tgd_record){ .kind = kind, .slot = seen.sent % TGD_SLOTS, .channel = 1,
				    .at = seen.sent + 1, .arg = seen.sent };
}

static bool launch(void)
{
	struct tgd_record r = make(TGD_REC_BYPASSED);
	_Bool bell;

	if (tgd_claim(page, &r, seen.inflight, &bell) != TGD_CLAIMED)
		return false;
	seen.sent++;
	seen.claimed++;
	seen.bell |= bell;
	if (++seen.inflight > seen.depth)
		wrong("more in flight than the lease allows");
	if (seen.over)
		wrong("a launch after the lease was taken back");
	return true;
}

static bool push(__u32 kind)
{
	struct tgd_record r = make(kind);

	switch (tgd_push(page, &r)) {
	case TGD_RING_BELL:
		seen.bell = true;
		break;
	case TGD_QUIET:
		if (kind == TGD_REC_SUBMIT)
			wrong("a question without a bell");
		break;
	default:
		return false;
	}
	seen.sent++;
	return true;
}

static void done(void)
{
	if (push(TGD_REC_DONE))
		seen.inflight--;
}

static void client_launches(void)
{
	if (launch())
		done();
	launch();
}

static void client_asks(void)
{
	bool went = launch();

	push(TGD_REC_SUBMIT);
	if (went)
		done();
}

static void client_fills(void)
{
	push(TGD_REC_STARTED);
	push(TGD_REC_STARTED);
	push(TGD_REC_STARTED);
}

static void client_dies_asking(void)
{
	launch();
	push(TGD_REC_SUBMIT);
}

/* --- the daemon --- */

static void drain(unsigned long head)
{
	struct tgd_record r;

	while (seen.taken != head) {
		tgd_take(page, seen.taken, &r);
		if (r.arg != seen.taken - row->first || r.at != (__s64)r.arg + 1)
			wrong("a record is torn, lost or doubled");
		seen.told += r.kind == TGD_REC_BYPASSED;
		seen.taken++;
	}
}

static void drain_all(void)
{
	seen.bell = false;
	drain(tgd_head_of(tgd_load(&page->word)));
}

static void grant(void)
{
	seen.depth = 1;		/* before it can be seen */
	seen.over = false;
	if (tgd_grant(page, seen.taken, 1, 1LL << 62))
		seen.granted++;
	else
		seen.over = true;
}

/* Take the lease back: what an event of another client would then find. */
static void revoke(void)
{
	const unsigned long head = tgd_set_state(page, TGD_ASK);

	seen.over = true;
	if (head != row->first + seen.sent)
		wrong("head is not what was published");
	drain(head);
	if (seen.told != seen.claimed)
		wrong("a launch was not told of before another client's event");
}

static void daemon_leases(void)
{
	grant();
	revoke();
}

static void daemon_leases_twice(void)
{
	grant();
	drain_all();
	revoke();
	grant();
}

static void daemon_drains(void)
{
	grant();
	drain_all();
	drain_all();
}

static void daemon_takes_two(void)
{
	drain(seen.taken + 1);
	drain(seen.taken + 1);
}

static void daemon_opens(void)
{
	tgd_set_state(page, TGD_OPEN);
	drain_all();
	tgd_set_state(page, TGD_ASK);
	drain_all();
}

/* --- the scheduler --- */

static void enter(int which)
{
	row->side[which]();
	ended[which] = true;
	_longjmp(back, 1);
}

static void begin(void)
{
	unsigned long n;
	int i;

	memset(&seen, 0, sizeof(seen));
	seen.taken = row->first;
	seen.over = true;
	for (n = row->first; n < row->first + row->behind; n++) {
		struct tgd_record r = make(TGD_REC_STARTED);

		page->ring[n % TGD_RING] = r;
		seen.sent++;
	}
	page->word = tgd_word(TGD_ASK, 0, row->first + row->behind);
	page->tail = row->first;
	for (i = 0; i < SIDES; i++) {
		begun[i] = false;
		ended[i] = false;
	}
}

static void go(int which)
{
	running = which;
	if (!_setjmp(back)) {
		if (begun[which])
			_longjmp(side[which], 1);
		begun[which] = true;
		setcontext(&fresh[which]);
	}
	running = -1;
}

/* What must hold when both have ended, or the client has died. */
static void judge(bool died)
{
	const __u64 word = page->word;

	if (!died && !row->behind && tgd_head_of(word) != seen.taken && !seen.bell && tgd_state_of(word) != TGD_LEASE)
		wrong("a record is left that no bell told of");
	if (tgd_head_of(word) != row->first + seen.sent)
		wrong("head is not what was published");
	drain(tgd_set_state(page, TGD_OPEN));
	if (seen.told != seen.claimed)
		wrong("a launch is not told of in the end");
}

/*
 * One run by the choices in @choice, of which @nr are given; the others are made here: the client
 * first, then the daemon, then death. @options: how many there were. Return: how many were made.
 */
static int run(unsigned char *choice, unsigned char *options, int nr)
{
	int n = 0, pick, can[3], k;
	bool died = false;

	begin();
	for (;;) {
		k = 0;
		if (!ended[CLIENT] && !died)
			can[k++] = CLIENT;
		if (!ended[DAEMON])
			can[k++] = DAEMON;
		if (row->dies && !ended[CLIENT] && !died)
			can[k++] = SIDES;
		if (!k || n == STEPS)
			break;
		if (n >= nr)
			choice[n] = 0;
		options[n] = k;
		pick = can[choice[n++]];
		if (pick == SIDES)
			died = true;
		else
			go(pick);
	}
	if (n == STEPS)
		wrong("too many steps");
	judge(died);
	return n;
}

static void explore(void)
{
	unsigned char choice[STEPS], options[STEPS];
	unsigned long runs = 0;
	int n = 0;

	do {
		n = run(choice, options, n);
		runs++;
		while (n && choice[n - 1] + 1 == options[n - 1])
			n--;
		if (n)
			choice[n - 1]++;
	} while (n && !seen.wrong);
	test_row(row->name, !seen.wrong, "%s, in run %lu", seen.wrong ?: "", runs);
	if (!seen.wrong)
		printf("   %lu orders\n", runs);
}

static const struct row rows[] = {
	{ "launches against a lease and its end", { client_launches, daemon_leases }, false, 0, 0 },
	{ "launches against two leases", { client_launches, daemon_leases_twice }, false, 0, 0 },
	{ "launches against reports that are taken under the lease", { client_launches, daemon_drains }, false, 0, 0 },
	{ "a client that asks while it has the lease", { client_asks, daemon_leases }, false, 0, 0 },
	{ "a client that asks, and two leases", { client_asks, daemon_leases_twice }, false, 0, 0 },
	{ "the gate opens and closes", { client_asks, daemon_opens }, false, 0, 0 },
	{ "a full ring", { client_fills, daemon_takes_two }, false, 0, TGD_RING - 2 },
	{ "the ring's end", { client_launches, daemon_leases }, false, TGD_RING - 2, 0 },
	{ "the numbers' end", { client_launches, daemon_leases }, false, (1UL << 48) - 4 * TGD_RING, 0 },
	{ "death between launches", { client_launches, daemon_leases }, true, 0, 0 },
	{ "death while asking", { client_dies_asking, daemon_leases }, true, 0, 0 },
	{ "death before a full ring", { client_fills, daemon_takes_two }, true, 0, TGD_RING - 2 },
};

int main(void)
{
	size_t i;

	running = -1;
	page = aligned_alloc(4096, (sizeof(*page) + 4095) & ~4095UL);
	for (i = 0; i < SIDES; i++) {
		getcontext(&fresh[i]);
		fresh[i].uc_stack.ss_sp = malloc(STACK);
		fresh[i].uc_stack.ss_size = STACK;
		makecontext(&fresh[i], (void (*)(void))enter, 1, i);
	}
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		row = &rows[i];
		explore();
	}
	return test_end();
}
