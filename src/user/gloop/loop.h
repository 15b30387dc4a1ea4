/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The device loop: one for each physical thread block. It calls callbacks, one after the other.
 *
 * All threads of a block make the same calls with the same arguments (coalesced calls), and run
 * each callback together. So each thread keeps its own copy of the loop's state, and the copies
 * stay equal without a lock. What may differ between threads goes through thread 0 and a barrier:
 * the clock, the signal, what the host has done. A callback captures the same values in all
 * threads; thread 0 saves it.
 *
 * One turn of the loop has one barrier. Behind it all threads have left the callback that ran, so
 * its slot is free, and they see what thread 0 has saved. The same barrier tells whether the clock
 * of any thread has passed `deadline`. Then service() reads the signal, which costs a read of the
 * device's memory, and what the host has completed, which costs a read across the bus.
 *
 * A loop leaves its kernel only between callbacks: when no logical block is left, or when the host
 * has raised the signal. It then saves its state, and the next launch goes on with it. The content
 * of shared memory is lost.
 *
 * User programs call the functions at the end of this file, and those of fs.h and net.h.
 */
#ifndef GLOOP_LOOP_H
#define GLOOP_LOOP_H

#include <errno.h>
#include <new>
#include <stdint.h>
#include <type_traits>

#include "env.h"
#include "rpc.h"

namespace gloop {
GLOOP_SIZED {

class DeviceLoop {
public:
	GLOOP_DEVICE DeviceLoop(const context *c, uint32_t block, void *shared)
		: c(c), state(c->blocks + block), post_box(c->mails + block), block(block),
		  given(shared), near_slots(c->shared_slots ? 2 : 0),
		  k(state->control)
	{
	}

	/* What takes the place of blockIdx and gridDim, threadIdx and blockDim */
	GLOOP_DEVICE uint32_t logicalBlock() const { return k.logical; }
	GLOOP_DEVICE uint32_t logicalBlocks() const { return c->logical; }
	GLOOP_DEVICE uint32_t thread() const { return env::thread(); }
	GLOOP_DEVICE uint32_t threads() const { return env::threads(); }
	GLOOP_DEVICE void barrier() const { env::barrier(); }

	/* Shared memory of the program's own: launch_config.shared_bytes. Lost between callbacks. */
	GLOOP_DEVICE void *shared() const { return near() + near_slots; }

	/* The most that one read, write, receive or send moves */
	GLOOP_DEVICE uint32_t pageBytes() const { return c->page_bytes; }

	template <class F> GLOOP_DEVICE void post(const F &f)
	{
		int s = take(f);

		if (s < 0)
			return;
		if (next || k.ready.count) {
			push(&k.ready, s);
			return;
		}
		next = at(s);
		next_slot = s;
		next_call = call<F>;
	}

	/* Should the block leave what it does to other callbacks or other programs? */
	template <class F> GLOOP_DEVICE bool postIfDue(const F &f)
	{
		if (!env::barrier_or(env::clock() >= deadline))
			return false;
		if (!service() && !k.ready.count && !next)
			return false;
		post(f);
		return true;
	}

	/* request() - have the host do @r; then @f runs, and result() and more() tell */
	template <class F> GLOOP_DEVICE void request(const struct rpc &r, const F &f);

	/* withPage() - run @f(loop, page) as soon as one of the block's pages is free */
	template <class F> GLOOP_DEVICE void withPage(const F &f);
	GLOOP_DEVICE void freePage(uint32_t page);
	GLOOP_DEVICE uint8_t *page(uint32_t n) const
	{
		return c->page_memory + (size_t)c->page_bytes * (block * c->pages + n);
	}

	/* Of the event whose callback runs */
	GLOOP_DEVICE int64_t result() const { return state->result[running]; }
	GLOOP_DEVICE uint64_t more() const { return state->more[running]; }

	/* run() - all there is to do; the kernel calls it once */
	template <class F> GLOOP_DEVICE void run(const F &entry);

private:
	GLOOP_DEVICE struct slot *near() const { return (struct slot *)env::shared(given); }

	GLOOP_DEVICE struct slot *at(uint32_t s)
	{
		return s < near_slots ? near() + s : state->slots + s;
	}

	GLOOP_DEVICE static void push(struct fifo *q, uint32_t s)
	{
		q->at[(q->first + q->count++) % GLOOP_SLOTS] = (uint8_t)s;
	}

	GLOOP_DEVICE static uint32_t pop(struct fifo *q)
	{
		uint32_t s = q->at[q->first];

		q->first = (uint8_t)((q->first + 1) % GLOOP_SLOTS);
		q->count--;
		return s;
	}

	template <class F> GLOOP_DEVICE static void call(DeviceLoop *loop, const void *data)
	{
		F f = *(const F *)data;

		f(loop);
	}

	template <class F> GLOOP_DEVICE int take(const F &f);
	template <class F> GLOOP_DEVICE bool begin(const F &entry);
	GLOOP_RARE void fail(int error);
	GLOOP_RARE bool service();
	GLOOP_DEVICE uint32_t collect();
	GLOOP_DEVICE void tell(uint32_t status);
	GLOOP_RARE void copy_slots(bool save);
	GLOOP_RARE void save(uint32_t status);

	const context *c;
	struct block_state *state;
	struct mail *post_box;
	uint32_t block;
	void *given;			/* on the host: what stands for shared memory */
	uint32_t near_slots;		/* slots 0 to near_slots - 1 are in shared memory */
	uint32_t running = 0;		/* the slot whose callback runs */
	uint32_t told = RUNNING;
	uint64_t deadline = 0;		/* of the clock: then look at the signal */
	bool failed = false, suspended = false;
	/* The first of `k.ready`, or NULL. It is kept apart: a block mostly has but one task. */
	struct slot *next = nullptr;
	uint32_t next_slot = 0;
	void (*next_call)(DeviceLoop *loop, const void *data) = nullptr;
	struct control k;
};

/* A block that has failed runs no more callbacks; the host ends the launch, and says why */
GLOOP_RARE inline void DeviceLoop::fail(int error)
{
	failed = true;
	deadline = 0;
	if (!env::thread())
		env::store(c->failure, (uint32_t)error);
}

/* take() - save @f in a free slot; -1: there is none */
template <class F> GLOOP_DEVICE int DeviceLoop::take(const F &f)
{
	static_assert(sizeof(F) <= GLOOP_SLOT_BYTES, "a callback captures too much");
	static_assert(std::is_trivially_copyable<F>::value, "a callback captures plain values");
	static_assert(alignof(F) <= alignof(slot), "a callback captures nothing aligned to more than 16 bytes");
	uint32_t unused = ~k.used & (uint32_t)((1ull << GLOOP_SLOTS) - 1), s;

	if (!unused) {
		fail(ENOBUFS);
		return -1;
	}
	s = env::lowest(unused);
	k.used |= 1u << s;
	if (!env::thread()) {
		new (at(s)->data) F(f);
		at(s)->call = call<F>;
		at(s)->event = false;
	}
	return s;
}

template <class F> GLOOP_DEVICE void DeviceLoop::request(const struct rpc &r, const F &f)
{
	int s = take(f);
	uint32_t number = block * GLOOP_SLOTS + s, ticket;
	struct rpc *to = c->rpcs + number;

	if (s < 0)
		return;
	k.waiting |= 1u << s;
	env::fence_system();
	env::barrier();		/* the page is complete */
	if (env::thread())
		return;
	at(s)->event = true;
	*to = r;
	ticket = env::fetch_add(c->ring_tail, 1u);
	env::store(c->ring + (ticket & c->ring_mask), (uint64_t)(ticket + 1) << 32 | number);
}

template <class F> GLOOP_DEVICE void DeviceLoop::withPage(const F &f)
{
	auto later = [=](DeviceLoop *loop) { f(loop, (uint32_t)loop->result()); };
	uint32_t p = 0;
	int s;

	while (p < c->pages && k.pages >> p & 1)
		p++;
	if (p < c->pages) {
		k.pages |= 1u << p;
		f(this, p);
		return;
	}
	s = take(later);
	if (s >= 0)
		push(&k.want, s);
}

/* freePage() - the block is done with @page: the callback that waits longest gets it */
GLOOP_DEVICE inline void DeviceLoop::freePage(uint32_t page)
{
	uint32_t s;

	if (!k.want.count) {
		k.pages &= ~(1u << page);
		return;
	}
	s = pop(&k.want);
	if (!env::thread())
		state->result[s] = page;
	push(&k.ready, s);
}

GLOOP_DEVICE inline void DeviceLoop::tell(uint32_t status)
{
	if (told == status)
		return;
	told = status;
	if (!env::thread())
		env::store(&post_box->status, status);
}

/* collect() - in thread 0: fetch results of completed events; returns their slots */
GLOOP_DEVICE inline uint32_t DeviceLoop::collect()
{
	uint32_t done = 0;

	if (!k.waiting || env::peek(&post_box->completed) == k.consumed)
		return 0;
	for (uint32_t s = 0; s < GLOOP_SLOTS; s++) {
		struct rpc *r = c->rpcs + block * GLOOP_SLOTS + s;

		if (!(k.waiting >> s & 1) || !env::load(&r->done))
			continue;
		state->result[s] = *(volatile int64_t *)&r->result;
		state->more[s] = *(volatile uint64_t *)&r->more;
		done |= 1u << s;
	}
	return done;
}

/* service() - a look at the outside. Returns whether the block has to leave the GPU. */
GLOOP_RARE inline bool DeviceLoop::service()
{
	uint32_t done = 0;
	bool signal = false;

	if (!env::thread()) {
		signal = env::peek(c->signal) == c->epoch;
		done = collect();
		state->done = done;
	}
	suspended = env::barrier_or(signal);
	if (k.waiting && env::barrier_or(done)) {
		done = state->done;
		for (uint32_t s = 0; s < GLOOP_SLOTS; s++) {
			if (!(done >> s & 1))
				continue;
			k.consumed++;
			push(&k.ready, s);
		}
		k.waiting &= ~done;
	}
	/* A signal that has been seen is seen again at the next look, by all threads alike */
	deadline = suspended || failed ? 0 : env::clock() + c->signal_ticks;
	return suspended || failed;
}

/* begin() - call @entry for the next logical block; false: there is none */
template <class F> GLOOP_DEVICE bool DeviceLoop::begin(const F &entry)
{
	uint32_t next = k.begun ? state->next[k.parity] : block;

	if (next >= c->logical)
		return false;
	k.logical = next;
	k.begun = 1;
	k.parity ^= 1;
	/* The next one is fetched ahead: its number is there when this block has ended */
	if (!env::thread())
		state->next[k.parity] = env::fetch_add(c->next_logical, 1u);
	entry(this);
	return true;
}

GLOOP_RARE inline void DeviceLoop::copy_slots(bool save)
{
	uint64_t *from = (uint64_t *)(save ? near() : state->slots);
	uint64_t *to = (uint64_t *)(save ? state->slots : near());

	if (!c->shared_slots)
		return;
	env::barrier();
	for (uint32_t i = env::thread(); i < 2 * sizeof(struct slot) / 8; i += env::threads())
		to[i] = from[i];
	env::barrier();
}

GLOOP_RARE inline void DeviceLoop::save(uint32_t status)
{
	if (next) {
		k.ready.first = (uint8_t)((k.ready.first + GLOOP_SLOTS - 1) % GLOOP_SLOTS);
		k.ready.at[k.ready.first] = (uint8_t)next_slot;
		k.ready.count++;
	}
	copy_slots(true);
	if (!env::thread()) {
		state->control = k;
		post_box->consumed = k.consumed;
	}
	tell(status);
}

template <class F> GLOOP_DEVICE void DeviceLoop::run(const F &entry)
{
	/* What the mail says is of the launch before */
	if (!env::thread())
		env::store(&post_box->status, (uint32_t)RUNNING);
	copy_slots(false);
	deadline = env::clock() + c->signal_ticks;
	for (;;) {
		/* Read all at once: each of these costs a trip to memory. service() changes none. */
		struct slot *s = next;
		uint32_t n = next_slot;
		void (*f)(DeviceLoop *loop, const void *data) = next_call;
		/* Callbacks that wait, and none to run: look at the outside again and again */
		bool idle = !s && !k.ready.count && k.used;
		bool look = env::barrier_or(env::clock() >= deadline || idle);

		if (look && service()) {
			save(s || k.ready.count || !k.used ? SUSPENDED : RESTING);
			return;
		}
		if (s) {
			tell(RUNNING);
			running = n;
			next = nullptr;
			f(this, s->data);
			k.used &= ~(1u << n);
		} else if (k.ready.count) {
			tell(RUNNING);
			running = pop(&k.ready);
			at(running)->call(this, at(running)->data);
			k.used &= ~(1u << running);
		} else if (k.used) {
			tell(WAITING);
			env::pause();
		} else if (!begin(entry)) {
			save(FINISHED);
			return;
		}
	}
}

}	/* GLOOP_SIZED */

/* postTask() - call @f(loop) in its turn */
template <class F> GLOOP_DEVICE void postTask(DeviceLoop *loop, const F &f)
{
	loop->post(f);
}

/*
 * postTaskIfNecessary() - for long loops. Nearly always false: go on with the loop. True: @f is
 * saved, and the callback must return, since other callbacks wait, or another program.
 */
template <class F> GLOOP_DEVICE bool postTaskIfNecessary(DeviceLoop *loop, const F &f)
{
	return loop->postIfDue(f);
}

}	/* namespace gloop */

#endif /* GLOOP_LOOP_H */
