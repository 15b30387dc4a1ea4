// SPDX-License-Identifier: GPL-2.0
/*
 * Turns: the shares that weights give, in virtual time; programs that come back, that die with the
 * turn, and that keep it. None of them has a kernel.
 */
#include <sys/wait.h>

#include <string>
#include <vector>

#include "../../lib/test.h"
#include "overheard.h"
#include "../../../src/user/gloop/turn.h"

using gloop::turns;

static uint64_t virtual_ns;
static uint64_t virtual_now() { return virtual_ns; }

/* A program that always wants the turn, and keeps it for @slice_ms */
struct load { uint32_t user, weight; double slice_ms, want; };

/* play() - @loads for @ms; each one's share in percent */
static std::vector<double> play(turns *t, const std::vector<int> &programs,
				const std::vector<load> &loads, double ms)
{
	uint64_t end = virtual_ns + ms * 1e6, from = virtual_ns;
	std::vector<double> held(loads.size());

	while (virtual_ns < end) {
		size_t who = loads.size();

		for (size_t i = 0; i < loads.size(); i++)
			t->take(programs[i], 0);
		/* All wait. The one that gets the turn asked for it again behind the others. */
		for (size_t i = 0; i < loads.size() && who == loads.size(); i++)
			if (t->take(programs[i], 0) || t->holds(programs[i]))
				who = i;
		virtual_ns += loads[who].slice_ms * 1e6;
		held[who] += loads[who].slice_ms;
		t->give(programs[who], true);
	}
	for (double &h : held)
		h *= 1e8 / (virtual_ns - from);
	return held;
}

static void shares(const char *name, const std::vector<load> &loads)
{
	turns *t = turns::create();
	std::vector<int> programs;
	std::string text;
	bool right = true;

	t->now = virtual_now;
	for (const load &l : loads)
		programs.push_back(t->join(l.user, l.weight));
	std::vector<double> got = play(t, programs, loads, 60000);
	for (size_t i = 0; i < loads.size(); i++) {
		double off = got[i] - loads[i].want;

		text += " " + std::to_string(got[i]);
		right &= off < 1 && off > -1;
	}
	test_row(name, right, "shares%s", text.c_str());
	for (int p : programs)
		t->leave(p);
	turns::destroy(t);
}

/* A program is away for a minute while another one works. It gets half from then on, not all. */
static void comes_back()
{
	turns *t = turns::create();
	std::vector<load> both = {{1, 1, 10, 50}, {2, 1, 10, 50}};
	std::vector<int> programs;

	t->now = virtual_now;
	for (const load &l : both)
		programs.push_back(t->join(l.user, l.weight));
	play(t, programs, both, 1000);
	t->give(programs[1], false);
	play(t, {programs[0]}, {both[0]}, 60000);
	double got = play(t, programs, both, 400)[1];
	test_row("a program that comes back after a minute has no credit of a minute",
		 got > 47 && got < 53, "it got %.1f %% of the next 400 ms", got);
	t->leave(programs[0]);
	t->leave(programs[1]);
	turns::destroy(t);
}

/* A program works alone for a minute before the other one joins. It gets half from then on, not none. */
static void was_alone()
{
	turns *t = turns::create();
	std::vector<load> both = {{1, 1, 10, 50}, {2, 1, 10, 50}};
	std::vector<int> programs;

	t->now = virtual_now;
	programs.push_back(t->join(1, 1));
	play(t, programs, {{1, 1, 60000, 50}}, 60000);
	t->give(programs[0], false);
	programs.push_back(t->join(2, 1));
	play(t, {programs[1]}, {both[1]}, 100);
	double got = play(t, programs, both, 400)[0];
	test_row("a program that was alone for a minute owes nothing for it", got > 47 && got < 53,
		 "it got %.1f %% of the next 400 ms", got);
	t->leave(programs[0]);
	t->leave(programs[1]);
	turns::destroy(t);
}

static void many()
{
	turns *t = turns::create();
	int last = 0, n = 0;

	while ((last = t->join(n, 1)) >= 0)
		n++;
	test_row("64 programs take turns, the next one is refused", n == 64 && last == -1, "%d", n);
	turns::destroy(t);
}

/*
 * A child takes the turn, and does @then. Returns whether the parent gets the turn within @tries of
 * 100 ms, the status of a child that has ended, and what was written to standard error.
 */
static bool from_child(bool end, void (*then)(), int tries, int *status, std::string *said,
		       uint32_t bound_us = 20000)
{
	overheard errors;
	turns *t = turns::create();
	int ready[2], me = t->join(1, 1);
	bool got = false;
	char c = 0;

	t->limit(bound_us, end);
	if (pipe(ready))
		return false;
	pid_t child = fork();
	if (!child) {
		int s = t->join(2, 1);

		while (!t->take(s, 100000))
			;
		if (write(ready[1], &c, 1) == 1)
			then();
		_exit(0);
	}
	if (read(ready[0], &c, 1) != 1)
		return false;
	for (int i = 0; i < tries && !got; i++)
		got = t->take(me, 100000);
	if (!got)
		kill(child, SIGKILL);
	waitpid(child, status, 0);
	*said = errors.text();
	close(ready[0]);
	close(ready[1]);
	t->give(me, false);
	t->leave(me);
	turns::destroy(t);
	return got;
}

/*
 * A program is killed while it waits for the turn; two others go on. Returns whether they come to
 * the end: a condition variable would have them wait for the one that is dead.
 */
static bool waiter_dies()
{
	turns *t = turns::create();
	int status = -1;
	pid_t giver = fork(), waiter, other;

	if (!giver) {
		int me = t->join(1, 1);

		alarm(30);
		t->take(me, 0);
		if (!(waiter = fork())) {
			t->take(t->join(2, 1), 600000000);
			_exit(0);
		}
		while (!t->wanted())
			usleep(1000);
		usleep(50000);
		kill(waiter, SIGKILL);
		waitpid(waiter, nullptr, 0);
		if (!(other = fork())) {
			int s = t->join(3, 1);

			for (alarm(30); ; t->give(s, true))
				while (!t->take(s, 20000))
					;
		}
		for (int i = 0; i < 50; i++) {
			t->give(me, true);
			while (!t->take(me, 20000))
				;
		}
		kill(other, SIGKILL);
		_exit(0);
	}
	waitpid(giver, &status, 0);
	turns::destroy(t);
	return !status;
}

/* How often is a program named? */
static int named(const std::string &said)
{
	static const char text[] = " has kept the GPU for ";
	int n = 0;

	for (size_t at = said.find(text); at != said.npos; at = said.find(text, at + 1))
		n++;
	return n;
}

static void dies() { _exit(0); }
static void stays() { for (;;) pause(); }

int main()
{
	std::string said;
	int status;
	bool got;

	shares("two of equal weight", {{1, 1, 10, 50}, {2, 1, 10, 50}});
	shares("four of equal weight", {{1, 1, 10, 25}, {2, 1, 10, 25}, {3, 1, 10, 25}, {4, 1, 10, 25}});
	shares("eight of equal weight", std::vector<load>{
	       {1, 1, 10, 12.5}, {2, 1, 10, 12.5}, {3, 1, 10, 12.5}, {4, 1, 10, 12.5},
	       {5, 1, 10, 12.5}, {6, 1, 10, 12.5}, {7, 1, 10, 12.5}, {8, 1, 10, 12.5}});
	shares("66:34", {{1, 2, 10, 66.67}, {2, 1, 10, 33.33}});
	shares("66 % beside three", {{1, 6, 10, 66.67}, {2, 1, 10, 11.11}, {3, 1, 10, 11.11},
				     {4, 1, 10, 11.11}});
	shares("50, 25, 12.5, 12.5", {{1, 4, 10, 50}, {2, 2, 10, 25}, {3, 1, 10, 12.5},
				      {4, 1, 10, 12.5}});
	shares("one gives its turns back late", {{1, 1, 37, 50}, {2, 1, 10, 50}});
	shares("one gives its turns back early", {{1, 1, 3, 50}, {2, 1, 10, 50}});
	shares("a user's three programs have the share of one",
	       {{1, 1, 10, 50}, {2, 1, 10, 16.67}, {2, 1, 10, 16.67}, {2, 1, 10, 16.67}});
	comes_back();
	was_alone();
	many();
	got = from_child(false, dies, 100, &status, &said);
	test_row("a program that dies with the turn loses it", got, "the turn never came");
	test_row("a program that dies while it waits for the turn holds up nobody", waiter_dies(),
		 "no turn for half a minute");
	got = from_child(true, stays, 100, &status, &said);
	test_row("a program that keeps the turn is ended where that was asked for",
		 got && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %d", status);
	test_row("it is named", named(said) == 1 && said.find("; it is ended\n") != said.npos, "\"%s\"",
		 said.c_str());
	got = from_child(false, stays, 3, &status, &said);
	test_row("where that was not asked for it is named, once, and keeps the turn",
		 !got && named(said) == 1 && said.find("ended") == said.npos, "\"%s\"", said.c_str());
	got = from_child(true, stays, 3, &status, &said, UINT32_MAX);
	test_row("a limit of more than an hour is one", !got && said.empty(), "\"%s\"", said.c_str());
	return test_end();
}
