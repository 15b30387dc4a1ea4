/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The client's side of tgd (uapi/tgd.h), for layers under programs: OpenCL's is src/user/cl.
 *
 * A layer opens each device once, enters before each launch, and reports what became of it. All
 * functions may be called from any thread, at any time; none of those that are called often is a
 * cancellation point. Without a daemon, launches go at once.
 *
 * Kept across a loss of the daemon: the memory that is held, which the next daemon is told. What is
 * in flight then is not reported any more.
 */
#ifndef TGU_H
#define TGU_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct tgu_device - what a layer tells of a device; kept by the layer
 * @key: as struct tgd_hello
 * @name: for people
 * @memory: bytes; 0: not known
 * @engines: 1 or 2
 * @yields: launches can be ended early: the layer looks at tgu_to_end() while one runs
 * @told: report the ends of all jobs as they happen, from now on: the lease is over. It may be
 *	called with nothing in flight
 * @drain: return once nothing that was launched is in flight. From a thread of its own
 * @settle: report the end of one job that went under the lease, and wait for it if none has ended.
 *	Return: false: there is none
 * @owner: their argument
 */
struct tgu_device {
	const char *key, *name;
	uint64_t memory;
	uint32_t engines;
	bool yields;
	void (*told)(void *owner);
	void (*drain)(void *owner);
	bool (*settle)(void *owner);
	void *owner;
};

struct tgu;
struct tgd_page;

/** enum tgu_way - how a launch may go */
enum tgu_way { TGU_OPEN, TGU_LEASED, TGU_ASKED };

/**
 * struct tgu_job - a launch that has entered
 * @u: of which device
 * @term: of which connection
 * @slot: its slot
 * @channel: 1 computes, 2 copies
 * @way: enum tgu_way
 * @page: of that connection
 */
struct tgu_job {
	struct tgu *u;
	struct tgd_page *page;
	uint32_t term;
	uint16_t slot;
	uint8_t channel, way;
};

/**
 * tgu_open() - become a client of a device
 * @device: it
 *
 * Starts a daemon if there is none. Return: never NULL unless memory is out: without a daemon all
 * launches go at once.
 */
struct tgu *tgu_open(const struct tgu_device *device);

/** tgu_close() - stop being a client. No thread may use @u any more; its tgu_device is to stay */
void tgu_close(struct tgu *u);

/**
 * tgu_enter() - before a launch: waits until it may go
 * @u: the device; NULL: goes at once
 * @channel: 1 or 2
 * @work: what is launched: the same number for launches that should take equally long; 0: not known
 * @job: filled in; report what becomes of it, but for TGU_OPEN: then tgu_leave() alone
 */
void tgu_enter(struct tgu *u, uint32_t channel, uint64_t work, struct tgu_job *job);

/**
 * tgu_enter_looking() - as tgu_enter(), and calls @look every few ms while it waits
 *
 * For a layer that may be called in the thread in which the driver tells it of ends: while that
 * thread waits here, nobody else would look for them. A wait costs 125 looks a second at most, and
 * none in its first 2 ms.
 */
void tgu_enter_looking(struct tgu *u, uint32_t channel, uint64_t work, void (*look)(void),
		       struct tgu_job *job);

/**
 * tgu_ask() - as tgu_enter() of work that is not known, but does not wait, and takes no lease
 * @u: the device; NULL: goes at once
 * @channel: 1 or 2
 * @job: filled in; tgu_wait() says when it may go
 */
void tgu_ask(struct tgu *u, uint32_t channel, struct tgu_job *job);

/** tgu_wait() - wait until a launch that has asked may go. Return: false: not by @until, tgu_now() */
bool tgu_wait(const struct tgu_job *job, int64_t until);

/** tgu_cancel() - give up a launch that has asked and has not gone, answered or not */
void tgu_cancel(const struct tgu_job *job);

/**
 * tgu_to_end() - is a launch to end early?
 * @job: it runs
 *
 * True: suspend it; tgu_ask() for what is left of it; then report its end. So the client keeps its
 * place. Also true for a launch that the daemon does not know of, once the daemon wants to be asked.
 */
bool tgu_to_end(const struct tgu_job *job);

/** tgu_found() - did a daemon answer, if only to refuse this program, which it has said then? */
bool tgu_found(struct tgu *u);

/**
 * tgu_pass() - go through the open gate, if it is open: the short way of tgu_enter()
 * @u: the device; NULL: the gate is open
 *
 * Return: true: tgu_passed() once the launch has gone to the driver. false: tgu_enter() it.
 */
bool tgu_pass(struct tgu *u);

/** tgu_passed() - the launch that tgu_pass() let go has gone to the driver */
void tgu_passed(struct tgu *u);

/** tgu_leave() - the launch that TGU_OPEN let go has gone to the driver */
void tgu_leave(struct tgu_job *job);

/** tgu_started() - the launch is in the device's queue since @at, 0: now */
void tgu_started(const struct tgu_job *job, int64_t at);

/** tgu_refused() - the driver has refused it */
void tgu_refused(const struct tgu_job *job);

/** tgu_done() - it has ended @at; @exact: by the device's own clock */
void tgu_done(const struct tgu_job *job, int64_t at, bool exact);

/** tgu_leased() - is the lease out to this process? */
bool tgu_leased(struct tgu *u);

/** tgu_open_now() - would a launch go without a question? By the time of the answer this may have changed */
bool tgu_open_now(struct tgu *u);

/** tgu_mem_request() - before memory is got: waits until it may be. Return: false: refused */
bool tgu_mem_request(struct tgu *u, uint64_t bytes);

/**
 * tgu_mem_try() - as tgu_mem_request(), but the time and signals end the wait
 * @u: the device; NULL: granted
 * @bytes: how many
 * @until: by tgu_now()
 *
 * Return: 0: granted; -ENOMEM: refused; -ETIMEDOUT; -EINTR: a signal handler has run.
 */
int tgu_mem_try(struct tgu *u, uint64_t bytes, int64_t until);

/** tgu_mem_free() - memory has gone back, or the driver refused what was granted */
void tgu_mem_free(struct tgu *u, uint64_t bytes);

/** tgu_thread() - start a thread that nobody joins, and that takes none of the program's signals */
bool tgu_thread(void *(*run)(void *), void *arg);

/** tgu_now() - ns of CLOCK_MONOTONIC */
int64_t tgu_now(void);

#endif /* TGU_H */
