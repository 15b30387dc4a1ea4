/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Turns: which of several programs runs its kernel. A host loop takes them from a `turn_source`:
 * `tgd` (tgd.h), between programs that need not trust each other, or `turns`.
 *
 * `turns` does weighted fair queueing (the paper's section 5.3) among processes that share a mapping
 * and trust each other.
 *
 * Each user has a queue with a weight and a virtual time, which is the time that its programs held
 * the turn, divided by the weight. The turn goes to the queue with the least virtual time, in it to
 * the program that waits longest. A queue that becomes active starts at the least virtual time,
 * which is that of the queue that had the last turn, or where it stood, if that is later: else a
 * program could wipe out what it has used by a moment's sleep. It may be behind by one slice: a
 * program between two launches does not lose what it is owed.
 *
 * `lock` guards everything. It and `alive` are robust: a process that dies gives them up. `change`
 * is a futex, not a pthread_cond_t: a process that dies while it waits leaves nothing behind in it.
 */
#ifndef GLOOP_TURN_H
#define GLOOP_TURN_H

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace gloop {

/* What a host loop takes its turns from. One thread makes all calls. */
class turn_source {
public:
	virtual ~turn_source() { }
	/* take() - ask for the turn, unless that was done, and wait for it at most @wait_us */
	virtual bool take(uint32_t wait_us) = 0;
	/* over() - is the turn to end, which has lasted @held_ns? Called again and again */
	virtual bool over(uint64_t held_ns) = 0;
	/* give() - the turn back, or what was asked for. @again: the next take() comes at once */
	virtual void give(bool again) = 0;
	/* joined() - false: there are too many programs */
	virtual bool joined() { return true; }
};

class turns {
public:
	/* create() - in memory that is shared with processes that fork() from here on */
	static turns *create()
	{
		void *p = mmap(nullptr, sizeof(turns), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		turns *t = (turns *)p;

		if (p == MAP_FAILED)
			return nullptr;
		robust(&t->lock);
		t->holder = -1;
		t->slice_us = 10000;
		t->now = monotonic;
		return t;
	}

	static void destroy(turns *t) { munmap(t, sizeof(*t)); }

	/* A program that keeps the turn for @bound_us past its slice is named, and if @end killed */
	void limit(uint32_t bound, bool kill_it)
	{
		bound_us = bound;
		end = kill_it;
	}

	/* join() - a program of @user; by the thread that will take turns. -1: there are too many. */
	int join(uint32_t user, uint32_t weight)
	{
		int q, s;

		take_lock();
		for (s = 0; s < most && programs[s].state != NONE; s++)
			;
		for (q = 0; q < most && !(queues[q].programs && queues[q].user == user); q++)
			;
		for (int i = 0; q == most && i < most; i++)
			if (!queues[i].programs)
				queues[q = i] = queue{user, 0, 0, 0, 0};
		if (s < most && q < most) {
			queues[q].weight = weight ? weight : 1;
			queues[q].programs++;
			robust(&programs[s].alive);
			pthread_mutex_trylock(&programs[s].alive);	/* it is new */
			programs[s].queue = q;
			programs[s].pid = getpid();
			programs[s].state = AWAY;
		}
		pthread_mutex_unlock(&lock);
		return s < most && q < most ? s : -1;
	}

	void leave(int s)
	{
		take_lock();
		pthread_mutex_unlock(&programs[s].alive);
		drop(s);
		pthread_mutex_unlock(&lock);
	}

	/* take() - ask for the turn, and wait for it at most @wait_us */
	bool take(int s, uint32_t wait_us)
	{
		uint64_t until = now() + wait_us * 1000ull;
		bool got;

		take_lock();
		if (programs[s].state == AWAY) {
			activate(programs[s].queue);
			programs[s].state = WAITS;
			programs[s].asked = now();
		}
		while (!(got = pick() == s) && now() < until) {
			judge();
			wait(until);
		}
		if (got) {
			programs[s].state = HOLDS;
			holder = s;
			if (least < queues[programs[s].queue].time)
				least = queues[programs[s].queue].time;
			since = now();
			named = false;
		}
		pthread_mutex_unlock(&lock);
		return got;
	}

	/* give() - the turn back; the time since take() is charged. @again: it will take() at once. */
	void give(int s, bool again)
	{
		take_lock();
		if (holder == s)
			charge();
		programs[s].state = again ? WAITS : AWAY;
		programs[s].asked = now();
		wake();
		pthread_mutex_unlock(&lock);
	}

	bool holds(int s)
	{
		bool held;

		take_lock();
		held = holder == s;
		pthread_mutex_unlock(&lock);
		return held;
	}

	/* wanted() - does another program wait? */
	bool wanted()
	{
		bool any = false;

		take_lock();
		for (int i = 0; i < most; i++)
			any |= programs[i].state == WAITS;
		pthread_mutex_unlock(&lock);
		return any;
	}

	/* used_ns() - how long programs of @user have held the turn */
	uint64_t used_ns(uint32_t user)
	{
		uint64_t used = 0;

		take_lock();
		for (int q = 0; q < most; q++)
			if (queues[q].programs && queues[q].user == user)
				used = queues[q].used_ns;
		pthread_mutex_unlock(&lock);
		return used;
	}

	uint32_t slice_us;
	uint64_t (*now)();		/* ns; of the machine's clock, but in tests */

private:
	enum state { NONE, AWAY, WAITS, HOLDS };
	static constexpr int most = 64;
	struct queue { uint32_t user, weight, programs; uint64_t time, used_ns; };
	struct program {
		pthread_mutex_t alive;		/* held as long as the program lives */
		enum state state;
		int queue;
		pid_t pid;
		uint64_t asked;
	};

	static uint64_t monotonic()
	{
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC, &t);
		return t.tv_sec * 1000000000ull + t.tv_nsec;
	}

	static void robust(pthread_mutex_t *m)
	{
		pthread_mutexattr_t attr;

		pthread_mutexattr_init(&attr);
		pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
		pthread_mutex_init(m, &attr);
		pthread_mutexattr_destroy(&attr);
	}

	void take_lock()
	{
		if (pthread_mutex_lock(&lock) == EOWNERDEAD)
			pthread_mutex_consistent(&lock);
	}

	/* wait() - without `lock`, until wake(), @until or, to judge the holder, for 5 ms */
	void wait(uint64_t until)
	{
		uint64_t t = now(), left = until > t ? until - t : 0;
		struct timespec most = {0, (long)(left < 5000000 ? left : 5000000)};
		uint32_t seen = change;

		pthread_mutex_unlock(&lock);
		syscall(SYS_futex, &change, FUTEX_WAIT, seen, &most, nullptr, 0);
		take_lock();
	}

	/* wake() - all that wait(); with `lock` */
	void wake()
	{
		change++;
		syscall(SYS_futex, &change, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
	}

	void drop(int s)
	{
		if (holder == s)
			charge();
		queues[programs[s].queue].programs--;
		programs[s].state = NONE;
		wake();
	}

	/* A turn of many slices, since nobody else wanted one: each of them began in its turn */
	void advance()
	{
		uint64_t held = now() - since, slice = slice_us * 1000ull, then;
		queue *q;

		if (holder < 0 || held <= slice)
			return;
		q = queues + programs[holder].queue;
		then = q->time + (held - slice) * 1024 / q->weight;
		least = least < then ? then : least;
	}

	void charge()
	{
		uint64_t held = now() - since;
		queue *q = queues + programs[holder].queue;

		advance();
		q->time += held * 1024 / q->weight;
		q->used_ns += held;
		holder = -1;
	}

	bool active(int q)
	{
		for (int i = 0; i < most; i++)
			if (programs[i].state > AWAY && programs[i].queue == q)
				return true;
		return false;
	}

	void activate(int q)
	{
		uint64_t owed = slice_us * 1024000ull / queues[q].weight;

		advance();
		if (!active(q) && queues[q].time + owed < least)
			queues[q].time = least - owed;
	}

	/* pick() - the program whose turn it is; -1: one holds it, or none waits */
	int pick()
	{
		int best = -1;

		for (int i = 0; holder < 0 && i < most; i++) {
			uint64_t a, b;

			if (programs[i].state != WAITS)
				continue;
			a = queues[programs[i].queue].time;
			b = best < 0 ? UINT64_MAX : queues[programs[best].queue].time;
			if (a < b || (a == b && programs[i].asked < programs[best].asked))
				best = i;
		}
		return best;
	}

	/* judge() - programs that have died leave; one that does not give its turn back is named */
	void judge()
	{
		for (int i = 0; i < most; i++) {
			if (programs[i].state == NONE || programs[i].pid == getpid())
				continue;
			if (pthread_mutex_trylock(&programs[i].alive) != EOWNERDEAD)
				continue;
			pthread_mutex_consistent(&programs[i].alive);
			pthread_mutex_unlock(&programs[i].alive);
			drop(i);
		}
		if (holder < 0 || !bound_us || named ||
		    now() < since + slice_us * 1000ull + bound_us * 1000ull)
			return;
		named = true;
		fprintf(stderr, "gloop: process %d has kept the GPU for %llu ms, %u are its turn%s\n",
			(int)programs[holder].pid, (unsigned long long)(now() - since) / 1000000,
			slice_us / 1000, end ? "; it is ended" : "");
		if (end)
			kill(programs[holder].pid, SIGKILL);
	}

	pthread_mutex_t lock;
	uint32_t change;		/* how often wake() was called */
	int holder;
	uint64_t since, least;		/* least: the virtual time at which the last slice began */
	bool named, end;
	uint32_t bound_us;
	struct queue queues[most];
	struct program programs[most];
};

/* A program's place among those that share `turns` */
class turns_seat : public turn_source {
public:
	turns_seat(turns *t, uint32_t user, uint32_t weight)
		: t(t), seat(t->join(user, weight)), owner(getpid())
	{
	}
	~turns_seat() override
	{
		if (seat >= 0 && owner == getpid())	/* not a copy, by fork(), of another's */
			t->leave(seat);
	}
	turns_seat(const turns_seat &) = delete;
	turns_seat &operator=(const turns_seat &) = delete;

	bool take(uint32_t wait_us) override { return t->take(seat, wait_us); }
	bool over(uint64_t held_ns) override
	{
		return held_ns >= t->slice_us * 1000ull && t->wanted();
	}
	void give(bool again) override { t->give(seat, again); }
	bool joined() override { return seat >= 0; }

private:
	turns *t;
	int seat;
	pid_t owner;
};

}	/* namespace gloop */

#endif /* GLOOP_TURN_H */
