/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The host loop: launches a program's kernel, does the I/O that its device loops ask for, and
 * suspends and resumes it. One thread calls all of it.
 *
 * A launch is a row of turns. In a turn the kernel is on the GPU. It ends when the kernel has
 * finished, when the slice is over and another program waits, or when each block waits for events.
 * Then the kernel's blocks save themselves, the kernel ends, and the turn goes back. The next turn
 * launches the kernel again, and each block goes on where it was.
 */
#ifndef GLOOP_HOST_H
#define GLOOP_HOST_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "io_pool.h"
#include "io_uring.h"
#include "loop.h"
#include "turn.h"

namespace gloop {

enum io_kind { IO_ANY, IO_URING, IO_THREADS };

struct launch_config {
	uint32_t logical = 1;		/* blocks of the program */
	uint32_t physical = 0;		/* blocks of the kernel; 0: as many as fit */
	uint32_t threads = 1;		/* of each block; on the host always one */
	uint32_t shared_bytes = 0;	/* shared memory of the program's own */
	bool shared_slots = true;	/* two callback slots in shared memory */
	uint32_t pages = 2;		/* of each block, for I/O: at most 32 */
	uint32_t page_bytes = 65536;
	uint32_t signal_us = 20;	/* between two looks of a block at the signal */
	uint32_t rest_us = 200;		/* all blocks wait for so long: give the turn back */
	uint32_t suspend_us = 0;	/* suspend so often, whether another program waits or not */
};

struct launch_stats {
	static constexpr uint32_t kept = 4096;

	uint64_t wall_ns, held_ns;
	uint32_t turns, suspensions, rests, events;
	uint32_t physical;
	/* Of the first suspensions: from the signal to the end; UINT32_MAX: that or more */
	uint32_t idle_ns[kept];
};

GLOOP_SIZED {

class HostLoop {
public:
	/* Without @shared and @source its kernels run when they like */
	explicit HostLoop(enum io_kind kind = IO_ANY, turns *shared = nullptr, uint32_t user = 0,
			  uint32_t weight = 1)
		: kind(kind), own(shared ? new turns_seat(shared, user, weight) : nullptr), source(own)
	{
	}

	HostLoop(enum io_kind kind, turn_source *source) : kind(kind), source(source) { }

	~HostLoop()
	{
		delete own;
		release();
	}

	HostLoop(const HostLoop &) = delete;
	HostLoop &operator=(const HostLoop &) = delete;

	/*
	 * launch() - run @entry(loop) once for each logical block; 0 or an errno, and why() tells.
	 * @Threads, @Blocks: of a kernel that is to fit so often on one processor of the GPU, as of
	 * __launch_bounds__().
	 */
	template <int Threads = 0, int Blocks = 0, class F>
	int launch(const struct launch_config &config, const F &entry,
		   struct launch_stats *stats = nullptr);

	/* stop() - have launch() return ECANCELED; from any thread, also a signal's handler */
	void stop() { __atomic_store_n(&stopped, 1, __ATOMIC_RELAXED); }

	const char *why() const { return message; }
	/* What the last launch did its I/O with */
	const char *io_name() const { return io_used; }

private:
	static uint64_t now()
	{
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC, &t);
		return t.tv_sec * 1000000000ull + t.tv_nsec;
	}

	int refuse(int error, const char *text)
	{
		snprintf(message, sizeof(message), "gloop: %s: %s", text, strerror(error));
		return error;
	}

	int check(const struct launch_config &c);
	int prepare(const struct launch_config &c, uint32_t physical);
	int start_io();
	void release();
	uint32_t pump(uint32_t wait_us);
	void finish(const struct completion &c);
	uint32_t count(uint32_t status) const;
	bool due(uint64_t begun);
	void wait_idle(uint64_t begun);
	int after_turn(bool *more);
	int wait_turn();
	void end_io();
	void close_unseen();

	enum io_kind kind;
	turns_seat *own = nullptr;
	turn_source *source;
	int stopped = 0;
	int io_error = 0;		/* of start_io(); `message` says why */
	char message[200] = "";
	io *worker = nullptr;
	const char *io_used = "none";
	env::engine gpu;
	struct launch_config config;
	struct launch_stats stats;
	struct context c = {};
	struct request *requests = nullptr;
	uint32_t ring_head = 0, under_way = 0;
	size_t allotted = 0;		/* bytes of pages */
	uint64_t quiet_since = 0;	/* the last event that began or ended */
};

inline int HostLoop::check(const struct launch_config &k)
{
	if (!k.logical || !k.threads)
		return refuse(EINVAL, "logical and threads must be 1 or more");
	if (k.shared_bytes > UINT32_MAX - 2 * sizeof(struct slot))
		return refuse(EINVAL, "a block does not fit on the GPU");
	if (k.pages > 32 || (k.pages && k.page_bytes < 64) || k.page_bytes % 16)
		return refuse(EINVAL, "at most 32 pages, of 64 bytes or more, a multiple of 16");
	if (source && !source->joined())
		return refuse(EUSERS, "64 programs take turns already");
	return 0;
}

inline void HostLoop::release()
{
	env::mapped_free(c.rpcs);
	env::mapped_free(c.mails);
	env::mapped_free(c.ring);
	env::mapped_free(c.failure);
	env::mapped_free(c.page_memory);
	env::device_free(c.ring_tail);
	env::device_free(c.blocks);
	free(requests);
	requests = nullptr;
	allotted = 0;
	c = context{};
}

/* prepare() - memory for @physical blocks: what there is, if it is of the right size */
inline int HostLoop::prepare(const struct launch_config &k, uint32_t physical)
{
	uint32_t depth = physical * GLOOP_SLOTS, ring = 1;
	size_t pages = (size_t)physical * k.pages * k.page_bytes;

	/* Then `depth` and `ring` have no room for it */
	if (physical > (1u << 31) / GLOOP_SLOTS)
		return refuse(ENOMEM, "no memory for the blocks");
	while (ring < depth)
		ring *= 2;
	if (c.physical != physical || allotted != pages) {
		release();
		c.rpcs = (struct rpc *)env::mapped_alloc(depth * sizeof(*c.rpcs));
		c.mails = (struct mail *)env::mapped_alloc(physical * sizeof(*c.mails));
		c.ring = (uint64_t *)env::mapped_alloc(ring * sizeof(*c.ring));
		c.failure = (uint32_t *)env::mapped_alloc(sizeof(*c.failure));
		c.page_memory = (uint8_t *)env::mapped_alloc(pages ? pages : 1);
		c.ring_tail = (uint32_t *)env::device_alloc(3 * 64);
		c.blocks = (struct block_state *)env::device_alloc(physical * sizeof(*c.blocks));
		requests = (struct request *)calloc(depth, sizeof(*requests));
		c.physical = physical;
		allotted = pages;
		if (!c.rpcs || !c.mails || !c.ring || !c.failure || !c.page_memory || !c.ring_tail ||
		    !c.blocks || !requests) {
			release();
			return refuse(ENOMEM, "no memory for the blocks");
		}
	}
	memset((void *)c.rpcs, 0, depth * sizeof(*c.rpcs));
	memset((void *)c.mails, 0, physical * sizeof(*c.mails));
	memset(c.ring, 0, ring * sizeof(*c.ring));
	*c.failure = 0;
	c.signal = c.ring_tail + 16;
	c.next_logical = c.ring_tail + 32;
	c.ring_mask = ring - 1;
	c.logical = k.logical;
	c.pages = k.pages;
	c.page_bytes = k.page_bytes;
	c.shared_slots = k.shared_slots;
	c.epoch = 0;
	c.signal_ticks = k.signal_us * gpu.ticks_per_us();
	ring_head = under_way = io_error = 0;
	if (!env::clear(c.ring_tail, 3 * 64) ||
	    !env::clear(c.blocks, physical * sizeof(*c.blocks)) ||
	    !env::to_device(c.next_logical, &physical, sizeof(physical)))
		return refuse(EIO, "the device's memory cannot be written");
	return 0;
}

/* start_io() - with a launch's first event */
inline int HostLoop::start_io()
{
	uint32_t depth = c.physical * GLOOP_SLOTS;
	io_uring_io *ring = kind == IO_THREADS ? nullptr : new io_uring_io;
	int error = ring ? ring->init(requests, depth) : ENOSYS;
	io_pool *pool;

	if (!error) {
		worker = ring;
		io_used = ring->name();
		return 0;
	}
	delete ring;
	if (kind == IO_URING)
		return refuse(error, "no io_uring");
	pool = new io_pool;
	error = pool->init(requests, depth);
	if (error) {
		delete pool;
		return refuse(error, "no threads for I/O");
	}
	worker = pool;
	io_used = pool->name();
	return 0;
}

inline void HostLoop::finish(const struct completion &e)
{
	struct mail *m = c.mails + e.number / GLOOP_SLOTS;
	struct rpc *r = c.rpcs + e.number;

	r->result = e.result;
	r->more = e.more;
	__atomic_store_n(&r->done, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&m->completed, m->completed + 1, __ATOMIC_RELEASE);
	under_way--;
	stats.events++;
	quiet_since = now();
}

/* pump() - begin what device loops have asked for, and tell them what has ended; returns how many */
inline uint32_t HostLoop::pump(uint32_t wait_us)
{
	struct completion done[64];
	uint32_t n = 0;
	int got;

	for (;;) {
		uint64_t e = __atomic_load_n(c.ring + (ring_head & c.ring_mask), __ATOMIC_ACQUIRE);
		uint32_t number = (uint32_t)e;

		if (e >> 32 != (uint32_t)(ring_head + 1))
			break;
		ring_head++;
		struct request *r = requests + number;
		uint32_t page = number / GLOOP_SLOTS * c.pages + c.rpcs[number].page;
		*r = request{};
		r->args = c.rpcs + number;
		r->page = c.page_memory + (size_t)page * c.page_bytes;
		r->number = number;
		if (!worker && (io_error || (io_error = start_io())))
			return n;
		under_way++;
		quiet_since = now();
		if (!worker->start(r, done)) {
			finish(done[0]);
			n++;
		}
	}
	if (!under_way) {
		if (wait_us)
			usleep(wait_us);
		return n;
	}
	got = worker->reap(done, 64, n ? 0 : wait_us);
	for (int i = 0; i < got; i++)
		finish(done[i]);
	return n + got;
}

inline uint32_t HostLoop::count(uint32_t status) const
{
	uint32_t n = 0;

	for (uint32_t b = 0; b < c.physical; b++)
		n += __atomic_load_n(&c.mails[b].status, __ATOMIC_ACQUIRE) == status;
	return n;
}

/* due() - is this turn over? */
inline bool HostLoop::due(uint64_t begun)
{
	uint64_t t = now();

	if (__atomic_load_n(&stopped, __ATOMIC_RELAXED) || io_error ||
	    __atomic_load_n(c.failure, __ATOMIC_RELAXED))
		return true;
	if (config.suspend_us && t - begun >= config.suspend_us * 1000ull)
		return true;
	if (source && source->over(t - begun))
		return true;
	if (t - quiet_since >= config.rest_us * 1000ull &&
	    count(WAITING) && !count(RUNNING)) {
		stats.rests++;
		return true;
	}
	return false;
}

inline void HostLoop::wait_idle(uint64_t begun)
{
	uint64_t signalled = 0, looked = begun, t;

	quiet_since = begun;
	while (!gpu.idle()) {
		pump(env::spin_us);
		t = now();
		/* A look costs a lock and a read of each block's status: not in each round */
		if (signalled || t - looked < 20000)
			continue;
		looked = t;
		if (due(begun)) {
			signalled = now();
			gpu.suspend(c.signal, c.epoch);
		}
	}
	if (!signalled)
		return;
	t = now() - signalled;
	if (stats.suspensions < launch_stats::kept)
		stats.idle_ns[stats.suspensions] = t < UINT32_MAX ? (uint32_t)t : UINT32_MAX;
	stats.suspensions++;
}

/* after_turn() - 0, and whether the kernel has to go on; or an errno */
inline int HostLoop::after_turn(bool *more)
{
	if (gpu.error())
		return refuse(EIO, gpu.error());
	if (io_error)
		return io_error;
	if (*c.failure)
		return refuse(*c.failure, "a block has more callbacks than slots");
	if (__atomic_load_n(&stopped, __ATOMIC_RELAXED))
		return refuse(ECANCELED, "the launch was stopped");
	*more = count(FINISHED) < c.physical;
	if (!*more)
		return 0;
	/* What each block waits for takes its time: the turn is another program's */
	for (;;) {
		pump(0);
		if (io_error)
			return io_error;
		if (count(SUSPENDED))
			return 0;
		for (uint32_t b = 0; b < c.physical; b++)
			if (c.mails[b].status != FINISHED &&
			    c.mails[b].consumed != c.mails[b].completed)
				return 0;
		if (!under_way)
			return refuse(EDEADLK, "each block waits for a page, and none is released");
		if (__atomic_load_n(&stopped, __ATOMIC_RELAXED))
			return refuse(ECANCELED, "the launch was stopped");
		pump(50000);
	}
}

/* wait_turn() - 0, and the turn is this program's; or an errno */
inline int HostLoop::wait_turn()
{
	while (source && !source->take(20000)) {
		if (__atomic_load_n(&stopped, __ATOMIC_RELAXED))
			return refuse(ECANCELED, "the launch was stopped");
		pump(0);
	}
	return 0;
}

/* A launch that failed leaves nothing under way that could write into its pages */
inline void HostLoop::end_io()
{
	struct completion done[64];
	int n;

	while (under_way) {
		worker->cancel();
		n = worker->reap(done, 64, 10000);
		for (int i = 0; i < n; i++)
			finish(done[i]);
	}
	delete worker;
	worker = nullptr;
}

/* close_unseen() - after a launch that failed: descriptors that no callback has been given */
inline void HostLoop::close_unseen()
{
	struct block_state *b = (struct block_state *)malloc(sizeof(*b));

	for (uint32_t i = 0; b && i < c.physical; i++) {
		if (!env::to_host(b, c.blocks + i, sizeof(*b)))
			break;
		for (uint32_t s = 0; s < GLOOP_SLOTS; s++) {
			const struct rpc *r = c.rpcs + i * GLOOP_SLOTS + s;

			if (b->control.used >> s & 1 && b->slots[s].event && r->done &&
			    r->result >= 0 && (r->op == OP_OPEN || r->op == OP_CONNECT ||
					       r->op == OP_LISTEN || r->op == OP_ACCEPT))
				::close((int)r->result);
		}
	}
	free(b);
}

template <int Threads, int Blocks, class F>
int HostLoop::launch(const struct launch_config &k, const F &entry, struct launch_stats *result)
{
	uint32_t bytes = k.shared_bytes + (k.shared_slots ? 2 * (uint32_t)sizeof(struct slot) : 0);
	uint64_t begun = now(), turn;
	uint32_t physical = k.physical;
	bool more = true;
	int error = check(k);

	config = k;
	stats = launch_stats{};
	io_used = "none";
	if (!error && !physical)
		physical = gpu.blocks<DeviceLoop, Threads, Blocks, F>(k.threads, bytes);
	if (!error && !physical)
		error = refuse(EINVAL, gpu.error() ? gpu.error() : "a block does not fit on the GPU");
	if (physical > k.logical)
		physical = k.logical;
	if (!error)
		error = prepare(k, physical);
	while (!error && more) {
		error = wait_turn();
		if (error)
			break;
		c.epoch++;
		turn = now();
		error = gpu.start<DeviceLoop, Threads, Blocks>(c, entry, k.threads, bytes);
		if (error)
			refuse(error, gpu.error() ? gpu.error() : "the kernel cannot be launched");
		else
			wait_idle(turn);
		stats.held_ns += now() - turn;
		stats.turns++;
		if (source)
			source->give(!error && count(SUSPENDED));
		if (!error)
			error = after_turn(&more);
	}
	end_io();
	if (error && stats.turns)
		close_unseen();
	if (source && source->joined())
		source->give(false);
	if (__atomic_exchange_n(&stopped, 0, __ATOMIC_RELAXED) && !error)
		error = refuse(ECANCELED, "the launch was stopped");
	stats.wall_ns = now() - begun;
	stats.physical = physical;
	if (result)
		*result = stats;
	return error;
}

}	/* GLOOP_SIZED */
}	/* namespace gloop */

#endif /* GLOOP_HOST_H */
