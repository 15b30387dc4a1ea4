// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Launches and memory: what a program's threads do with the page. Called by the layer, in the
 * program's threads and in those of the driver; by connect.c's helper.
 *
 * tgu.lock is held for the few words of a record, never while a thread waits. A waiting thread looks
 * every CHECK whether the daemon is still there, whatever became of the helper; and whether it is
 * stopped: then the program goes on without it, until the helper has an answer again.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

#define FUTEX_WAIT_SHARED	0
#define FUTEX_WAKE_SHARED	1
#define CHECK			50000000	/* ns */
#define SPINS			100
#define QUIET			1000000000	/* ns without a beat after which one is asked for */
#define STOPPED			3000000000	/* ns after which there is none */
#define PATIENCE		1000000000	/* ns: a daemon may take to answer a cancel */
#define LOOK			2000000		/* ns between looks of a thread that waits; doubles up to: */
#define LOOK_MOST		8000000

int64_t tgu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void tgu_wake(uint32_t *word, uint32_t how_many)
{
	syscall(SYS_futex, word, FUTEX_WAKE_SHARED, how_many, NULL, NULL, 0);
}

/* Return: a signal handler has ended the sleep. */
bool tgu_sleep(uint32_t *word, uint32_t value, int64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	return syscall(SYS_futex, word, FUTEX_WAIT_SHARED, value, &t, NULL, 0) && errno == EINTR;
}

/* --- records: under the lock --- */

void tgu_ring(const struct tgu *u)
{
	uint64_t one = 1;

	if (u->bell >= 0)
		syscall(SYS_write, u->bell, &one, sizeof(one));
}

/*
 * A thread that waits looks for a beat of the daemon. Time counts that threads have seen pass,
 * CHECK at most from one look to the next: if the program or the whole machine was stopped, nothing
 * is known of the daemon. Return: it is stopped.
 */
static bool is_stopped(struct tgu *u, uint32_t term)
{
	const int64_t now = tgu_now();
	char line[256];
	uint64_t beat;
	bool stopped;
	int len = 0;

	pthread_mutex_lock(&u->lock);
	beat = u->term == term ? __atomic_load_n(&u->page->beat, __ATOMIC_ACQUIRE) : 0;
	if (!beat || beat != u->beat || term != u->beat_term)
		u->silent = 0;
	else
		u->silent += now - u->looked < CHECK ? now - u->looked : CHECK;
	u->beat = beat;
	u->beat_term = term;
	u->looked = now;
	if (u->silent > QUIET)
		tgu_ring(u);
	stopped = u->silent > STOPPED;
	if (stopped && !u->told_stopped) {
		len = snprintf(line, sizeof(line), "timegraph: %.150s: tgd is stopped; this program"
			       " runs unscheduled until it answers\n", u->device->name);
		u->told_stopped = true;
	}
	pthread_mutex_unlock(&u->lock);
	if (len > 0)
		syscall(SYS_write, STDERR_FILENO, line, len);	/* stdio would be a cancellation point */
	return stopped;
}

/* The connection @term is over, or is now, since the daemon has gone or is stopped. */
static bool is_over(struct tgu *u, uint32_t term)
{
	if (!tgu_hung_up(u, term) && !is_stopped(u, term))
		return false;
	tgu_lost(u, term);
	return true;
}

/*
 * Publish @r for a job of connection @term; if that is over, nothing. The lock is given up while the
 * ring is full.
 */
void tgu_publish(struct tgu *u, uint32_t term, struct tgd_record *r)
{
	const struct timespec moment = { 0, 50000 };

	for (;;) {
		if (u->term != term || u->socket < 0)
			return;
		switch (tgd_push(u->page, r)) {
		case TGD_RING_BELL:
			tgu_ring(u);
			return;
		case TGD_QUIET:
			return;
		default:
			break;
		}
		tgu_ring(u);
		pthread_mutex_unlock(&u->lock);
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment, NULL);
		is_over(u, term);
		pthread_mutex_lock(&u->lock);
	}
}

static int find_slot(struct tgu *u)
{
	int i;

	for (i = 0; i < TGD_SLOTS / 64; i++)
		if (~u->used[i])
			return i * 64 + __builtin_ctzll(~u->used[i]);
	return -1;
}

static void take_slot(struct tgu *u, int slot)
{
	u->used[slot / 64] |= 1ULL << slot % 64;
}

static void release_slot(struct tgu *u, int slot)
{
	u->used[slot / 64] &= ~(1ULL << slot % 64);
	__atomic_fetch_add(&u->ended, 1, __ATOMIC_SEQ_CST);
}

/* Something may be free: outside the lock, after release_slot(). */
static void wake_waiters(struct tgu *u)
{
	if (__atomic_load_n(&u->waiting, __ATOMIC_SEQ_CST))
		tgu_wake(&u->ended, INT32_MAX);
}

/* --- waiting --- */

/*
 * Wait for the answer in @slot of connection @term. Return: enum tgd_answer, TGD_LOST when the
 * connection is over. With @until also TGD_WAIT: it is late, and TGD_SLEEP: a signal handler has
 * run.
 */
static uint32_t wait_answer(struct tgu *u, struct tgd_page *page, uint32_t term, int slot,
			    const int64_t *until)
{
	uint32_t *word = &page->slot[slot], answer, wait;
	int64_t left = CHECK;
	bool interrupted;
	int i;

	for (i = 0; i < SPINS; i++) {
		answer = __atomic_load_n(word, __ATOMIC_ACQUIRE);
		if (answer != TGD_WAIT && answer != TGD_SLEEP)
			return answer;
		__builtin_ia32_pause();
	}
	for (;;) {
		wait = TGD_WAIT;
		__atomic_compare_exchange_n(word, &wait, TGD_SLEEP, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE);
		if (wait != TGD_WAIT && wait != TGD_SLEEP)
			return wait;
		if (until)
			left = *until - tgu_now();
		if (left <= 0)
			return TGD_WAIT;
		interrupted = tgu_sleep(word, TGD_SLEEP, left < CHECK ? left : CHECK);
		answer = __atomic_load_n(word, __ATOMIC_ACQUIRE);
		if (answer != TGD_SLEEP && answer != TGD_WAIT)
			return answer;
		if (until && interrupted)
			return TGD_SLEEP;
		if (is_over(u, term))
			return TGD_LOST;
	}
}

/* Ask, under the lock, which is given up: SUBMIT or MEM_REQUEST. wait_answer() is next. */
static void ask(struct tgu *u, struct tgd_record *r)
{
	struct tgd_page *page = u->page;
	const bool leased = tgd_state_of(tgd_load(&page->word)) == TGD_LEASE;

	__atomic_store_n(&page->slot[r->slot], TGD_WAIT, __ATOMIC_RELAXED);
	tgu_publish(u, u->term, r);
	pthread_mutex_unlock(&u->lock);
	/* The record has given the lease back. */
	if (leased)
		u->device->told(u->device->owner);
}

/*
 * Under the lock, which is given up: no slot is free, or no place under the lease. A job has to end
 * first.
 */
static void wait_end(struct tgu *u, bool leased)
{
	const uint32_t ended = __atomic_load_n(&u->ended, __ATOMIC_ACQUIRE), term = u->term;

	pthread_mutex_unlock(&u->lock);
	if (leased && u->device->settle(u->device->owner))
		return;
	__atomic_fetch_add(&u->waiting, 1, __ATOMIC_SEQ_CST);
	tgu_sleep(&u->ended, ended, CHECK);	/* not, if it has grown */
	__atomic_fetch_sub(&u->waiting, 1, __ATOMIC_SEQ_CST);
	is_over(u, term);
}

/* --- launches --- */

static bool goes_open(struct tgu *u)
{
	struct tgd_page *page;

	__atomic_fetch_add(&u->begun, 1, __ATOMIC_SEQ_CST);
	page = __atomic_load_n(&u->page, __ATOMIC_ACQUIRE);
	if (tgd_state_of(__atomic_load_n(&page->word, __ATOMIC_SEQ_CST)) == TGD_OPEN)
		return true;
	__atomic_fetch_sub(&u->begun, 1, __ATOMIC_SEQ_CST);
	return false;
}

/* One try, under the lock, which is given up. @lease: it may go under one. Return: false: once more. */
static bool try_enter(struct tgu *u, uint32_t channel, bool lease, uint64_t work, struct tgu_job *job)
{
	struct tgd_record r = { .kind = TGD_REC_BYPASSED, .channel = channel };
	const uint64_t word = tgd_load(&u->page->word);
	enum tgd_claimed claimed = TGD_MUST_ASK;
	int slot = find_slot(u);
	bool bell = false;

	if (tgd_state_of(word) == TGD_OPEN) {
		pthread_mutex_unlock(&u->lock);
		job->way = TGU_OPEN;
		return goes_open(u);
	}
	if (slot < 0) {
		wait_end(u, tgd_state_of(word) == TGD_LEASE);
		return false;
	}
	job->term = u->term;
	job->page = u->page;
	job->slot = r.slot = slot;
	r.at = tgu_now();
	if (channel == 1 && lease)
		claimed = tgd_claim(u->page, &r, u->inflight, &bell);
	if (bell)
		tgu_ring(u);
	if (claimed == TGD_CLAIMED) {
		job->way = TGU_LEASED;
		take_slot(u, slot);
		u->inflight++;
		pthread_mutex_unlock(&u->lock);
		return true;
	}
	if (claimed == TGD_MUST_WAIT) {
		wait_end(u, true);
		return false;
	}
	take_slot(u, slot);
	u->inflight += channel == 1;
	r.kind = TGD_REC_SUBMIT;
	r.arg = work;
	job->way = TGU_ASKED;
	/* If the connection is lost meanwhile, the job's reports come to nothing. */
	ask(u, &r);
	return true;
}

static void enter(struct tgu *u, uint32_t channel, bool lease, uint64_t work, void (*look)(void),
		  struct tgu_job *job)
{
	*job = (struct tgu_job){ .u = u, .channel = channel, .way = TGU_OPEN };
	if (!u || goes_open(u))
		return;
	for (;;) {
		pthread_mutex_lock(&u->lock);
		if (channel > u->device->engines)
			channel = job->channel = 1;
		if (try_enter(u, channel, lease, work, job))
			return;
		if (look)
			look();
	}
}

void tgu_enter(struct tgu *u, uint32_t channel, uint64_t work, struct tgu_job *job)
{
	enter(u, channel, true, work, NULL, job);
	if (job->way == TGU_ASKED)
		wait_answer(u, job->page, job->term, job->slot, NULL);
}

void tgu_enter_looking(struct tgu *u, uint32_t channel, uint64_t work, void (*look)(void),
		       struct tgu_job *job)
{
	int64_t pause = LOOK, until;
	uint32_t answer;

	enter(u, channel, true, work, look, job);
	if (job->way != TGU_ASKED)
		return;
	until = tgu_now() + pause;
	for (;;) {
		answer = wait_answer(u, job->page, job->term, job->slot, &until);
		if (answer != TGD_WAIT && answer != TGD_SLEEP)
			return;
		if (answer == TGD_SLEEP)	/* a signal handler has run: it goes on waiting */
			continue;
		look();
		pause = pause * 2 < LOOK_MOST ? pause * 2 : LOOK_MOST;
		until = tgu_now() + pause;
	}
}

void tgu_ask(struct tgu *u, uint32_t channel, struct tgu_job *job)
{
	enter(u, channel, false, 0, NULL, job);
}

/* Is the connection over under which the launch entered? After fork() it is, in the child. */
static bool is_lost(const struct tgu_job *job)
{
	bool lost;

	pthread_mutex_lock(&job->u->lock);
	lost = job->u->term != job->term;
	pthread_mutex_unlock(&job->u->lock);
	return lost;
}

bool tgu_wait(const struct tgu_job *job, int64_t until)
{
	uint32_t answer = TGD_GO;

	if (job->way == TGU_ASKED && !is_lost(job))
		do {
			answer = wait_answer(job->u, job->page, job->term, job->slot, &until);
		} while (answer == TGD_SLEEP);
	return answer != TGD_WAIT;
}

bool tgu_to_end(const struct tgu_job *job)
{
	if (!job->u || job->way == TGU_LEASED)
		return false;
	if (job->way == TGU_OPEN || is_lost(job))
		return !tgu_open_now(job->u);
	return __atomic_load_n(&job->page->slot[job->slot], __ATOMIC_ACQUIRE) == TGD_YIELD;
}

bool tgu_found(struct tgu *u)
{
	bool found;

	pthread_mutex_lock(&u->lock);
	found = u->error || u->socket >= 0;
	pthread_mutex_unlock(&u->lock);
	return found;
}

bool tgu_pass(struct tgu *u)
{
	return !u || goes_open(u);
}

void tgu_passed(struct tgu *u)
{
	if (u)
		__atomic_fetch_add(&u->gone, 1, __ATOMIC_SEQ_CST);
}

void tgu_leave(struct tgu_job *job)
{
	tgu_passed(job->u);
}

bool tgu_leased(struct tgu *u)
{
	const struct tgd_page *page = __atomic_load_n(&u->page, __ATOMIC_ACQUIRE);

	return tgd_state_of(tgd_load(&page->word)) == TGD_LEASE;
}

bool tgu_open_now(struct tgu *u)
{
	const struct tgd_page *page;

	if (!u)
		return true;
	page = __atomic_load_n(&u->page, __ATOMIC_ACQUIRE);
	return tgd_state_of(tgd_load(&page->word)) == TGD_OPEN;
}

static void report(const struct tgu_job *job, uint32_t kind, int64_t at, uint64_t arg)
{
	struct tgd_record r = { .kind = kind, .slot = job->slot, .channel = job->channel,
				.at = at, .arg = arg };
	const bool ends = kind != TGD_REC_STARTED;
	struct tgu *u = job->u;
	bool waits = false;

	if (!u || job->way == TGU_OPEN)
		return;
	pthread_mutex_lock(&u->lock);
	if (u->term == job->term) {
		tgu_publish(u, job->term, &r);
		if (ends && u->term == job->term) {
			u->inflight -= job->channel == 1;
			release_slot(u, job->slot);
			waits = true;
		}
	}
	pthread_mutex_unlock(&u->lock);
	if (waits)
		wake_waiters(u);
}

void tgu_started(const struct tgu_job *job, int64_t at)
{
	report(job, TGD_REC_STARTED, at ? at : tgu_now(), 0);
}

void tgu_refused(const struct tgu_job *job)
{
	report(job, TGD_REC_REFUSED, 0, 0);
}

void tgu_done(const struct tgu_job *job, int64_t at, bool exact)
{
	report(job, TGD_REC_DONE, at, exact);
}

/*
 * The slot is in use until the daemon has said that it has no job there any more: a late TGD_GO
 * would let another launch go.
 */
void tgu_cancel(const struct tgu_job *job)
{
	const struct timespec moment = { 0, 100000 };
	const int64_t until = tgu_now() + PATIENCE;
	struct tgd_record r = { .kind = TGD_REC_CANCEL, .slot = job->slot, .channel = job->channel };
	struct tgu *u = job->u;

	if (job->way == TGU_OPEN)
		tgu_leave((struct tgu_job *)job);
	if (!u || job->way != TGU_ASKED)
		return;
	pthread_mutex_lock(&u->lock);
	tgu_publish(u, job->term, &r);
	pthread_mutex_unlock(&u->lock);
	while (!is_lost(job) &&
	       __atomic_load_n(&job->page->slot[job->slot], __ATOMIC_ACQUIRE) != TGD_CANCELLED) {
		if (tgu_now() > until)
			tgu_lost(u, job->term);
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment, NULL);
	}
	pthread_mutex_lock(&u->lock);
	if (u->term == job->term) {
		u->inflight -= job->channel == 1;
		release_slot(u, job->slot);
	}
	pthread_mutex_unlock(&u->lock);
	wake_waiters(u);
}

/* --- memory --- */

/* A request that waits is given up. Return: TGD_CANCELLED, or what had answered it before. */
static uint32_t give_up(struct tgu *u, struct tgd_page *page, uint32_t term, int slot)
{
	struct tgd_record r = { .kind = TGD_REC_MEM_CANCEL, .slot = slot };
	const int64_t until = tgu_now() + PATIENCE;
	uint32_t answer;

	pthread_mutex_lock(&u->lock);
	tgu_publish(u, term, &r);
	pthread_mutex_unlock(&u->lock);
	do {
		answer = wait_answer(u, page, term, slot, &until);
	} while (answer == TGD_SLEEP);
	if (answer != TGD_WAIT)
		return answer;
	tgu_lost(u, term);	/* it is stopped: it must not grant this later */
	return TGD_CANCELLED;
}

/* One try, under the lock, given up meanwhile. Return: enum tgd_answer; @why: of TGD_CANCELLED. */
static uint32_t try_request(struct tgu *u, struct tgd_record *r, const int64_t *until, int *why)
{
	struct tgd_page *page = u->page;
	const uint32_t term = u->term;
	const int slot = find_slot(u);
	uint32_t answer;

	if (slot < 0) {
		wait_end(u, false);
		pthread_mutex_lock(&u->lock);
		return until && tgu_now() >= *until ? TGD_CANCELLED : TGD_LOST;
	}
	r->slot = slot;
	take_slot(u, slot);
	ask(u, r);
	answer = wait_answer(u, page, term, slot, until);
	if (answer == TGD_WAIT || answer == TGD_SLEEP) {
		*why = answer == TGD_SLEEP ? -EINTR : -ETIMEDOUT;
		answer = give_up(u, page, term, slot);
	}
	pthread_mutex_lock(&u->lock);
	if (u->term != term)
		return answer == TGD_GO ? TGD_LOST : answer;
	release_slot(u, slot);
	return answer;
}

static int request(struct tgu *u, uint64_t bytes, const int64_t *until)
{
	struct tgd_record r = { .kind = TGD_REC_MEM_REQUEST, .arg = bytes };
	uint32_t answer = TGD_LOST;
	int ret = -ETIMEDOUT;

	if (!u)
		return 0;
	pthread_mutex_lock(&u->lock);
	/* A daemon that is lost meanwhile has not booked it: the next one is asked. */
	while (answer == TGD_LOST && u->socket >= 0)
		answer = try_request(u, &r, until, &ret);
	if (answer == TGD_NO_MEMORY)
		ret = -ENOMEM;
	else if (answer != TGD_CANCELLED)
		ret = 0;
	if (!ret)
		u->held += bytes;
	pthread_mutex_unlock(&u->lock);
	wake_waiters(u);
	return ret;
}

bool tgu_mem_request(struct tgu *u, uint64_t bytes)
{
	return !request(u, bytes, NULL);
}

int tgu_mem_try(struct tgu *u, uint64_t bytes, int64_t until)
{
	return request(u, bytes, &until);
}

void tgu_mem_free(struct tgu *u, uint64_t bytes)
{
	struct tgd_record r = { .kind = TGD_REC_MEM_FREE, .arg = bytes };

	if (!u)
		return;
	pthread_mutex_lock(&u->lock);
	u->held -= bytes;
	tgu_publish(u, u->term, &r);
	pthread_mutex_unlock(&u->lock);
}
