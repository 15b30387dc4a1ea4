/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The environment of a device loop on host threads: a physical block is one thread, which is alone
 * in its block. env.h includes this when the compiler is not nvcc; env_cuda.h is its counterpart.
 */
#ifndef GLOOP_ENV_HOST_H
#define GLOOP_ENV_HOST_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rpc.h"

#define GLOOP_DEVICE
#define GLOOP_RARE

namespace gloop {
namespace env {

/* As a device loop sees it */
inline uint32_t thread() { return 0; }
inline uint32_t threads() { return 1; }
inline void *shared(void *given) { return given; }
inline void barrier() { }
inline bool barrier_or(bool x) { return x; }
inline void fence_system() { }
inline uint32_t lowest(uint32_t x) { return __builtin_ctz(x); }

inline uint64_t clock()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Between two looks at what the host has done */
inline void pause() { usleep(20); }

inline uint32_t peek(const uint32_t *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
template <class T> T load(const T *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }
template <class T> void store(T *p, T x) { __atomic_store_n(p, x, __ATOMIC_RELEASE); }
template <class T> T fetch_add(T *p, T x) { return __atomic_fetch_add(p, x, __ATOMIC_RELAXED); }
inline void fetch_min(uint32_t *p, uint32_t x)
{
	uint32_t old = load(p);

	while (x < old && !__atomic_compare_exchange_n(p, &old, x, false, __ATOMIC_RELAXED,
						       __ATOMIC_RELAXED))
		;
}
inline void copy_from_host(void *to, const void *from, uint64_t n) { memcpy(to, from, n); }
inline void copy_to_host(void *to, const void *from, uint64_t n) { memcpy(to, from, n); }

/* As the host sees it */
inline void *device_alloc(size_t n) { return calloc(1, n); }
inline void device_free(void *p) { free(p); }
inline void *mapped_alloc(size_t n)
{
	void *p = nullptr;

	return posix_memalign(&p, 4096, n) ? nullptr : memset(p, 0, n);
}
inline void mapped_free(void *p) { free(p); }
inline bool to_device(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
inline bool to_host(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
inline bool clear(void *p, size_t n) { return memset(p, 0, n); }
/* device_key() - what tgd knows the GPU by */
inline bool device_key(char *key, size_t n)
{
	return snprintf(key, n, "platform:host-threads:0") > 0;
}
/* What the host does between two looks at what device loops have asked for */
constexpr uint32_t spin_us = 20;

/* The threads that stand for a kernel's blocks. They sleep between launches. */
class engine {
public:
	~engine() { resize(0, 0); }

	template <class L, int, int, class F> uint32_t blocks(uint32_t, uint32_t)
	{
		long n = sysconf(_SC_NPROCESSORS_ONLN);

		return n > 0 ? (uint32_t)n : 1;
	}
	uint64_t ticks_per_us() { return 1000; }

	/* @c and @entry stay until the engine is idle */
	template <class L, int, int, class F>
	int start(const context &c, const F &entry, uint32_t, uint32_t shared_bytes)
	{
		int error = resize(c.physical, shared_bytes);

		if (error)
			return error;
		__atomic_store_n(&busy, count, __ATOMIC_RELAXED);
		post(job{run_block<L, F>, &c, &entry, 0});
		return 0;
	}

	bool idle() { return !__atomic_load_n(&busy, __ATOMIC_ACQUIRE); }
	void suspend(uint32_t *signal, uint32_t epoch) { store(signal, epoch); }
	const char *error() { return nullptr; }

private:
	struct worker { engine *e; uint32_t block; pthread_t thread; void *shared; };
	struct job {
		void (*run)(const struct job *j, struct worker *w);
		const context *c;
		const void *entry;
		uint64_t number;
	};

	template <class L, class F> static void run_block(const struct job *j, struct worker *w)
	{
		L loop(j->c, w->block, w->shared);

		loop.run(*(const F *)j->entry);
	}

	static void *work(void *arg)
	{
		struct worker *w = (struct worker *)arg;
		uint64_t seen = 0;

		for (;;) {
			pthread_mutex_lock(&w->e->lock);
			while (w->e->now.number == seen)
				pthread_cond_wait(&w->e->more, &w->e->lock);
			struct job j = w->e->now;
			pthread_mutex_unlock(&w->e->lock);
			seen = j.number;
			if (!j.run)
				return nullptr;
			j.run(&j, w);
			__atomic_fetch_sub(&w->e->busy, 1, __ATOMIC_RELEASE);
		}
	}

	void post(struct job j)
	{
		pthread_mutex_lock(&lock);
		j.number = now.number + 1;
		now = j;
		pthread_cond_broadcast(&more);
		pthread_mutex_unlock(&lock);
	}

	int resize(uint32_t n, uint32_t shared)
	{
		bool mine = owner == getpid();	/* else they are of before fork(), and not here */

		if (mine && n == count && shared <= shared_size)
			return 0;
		if (mine && count)
			post(job{});
		for (uint32_t i = 0; i < count; i++) {
			if (mine)
				pthread_join(workers[i].thread, nullptr);
			free(workers[i].shared);
		}
		free(workers);
		if (!mine) {
			lock = PTHREAD_MUTEX_INITIALIZER;
			more = PTHREAD_COND_INITIALIZER;
			owner = getpid();
		}
		count = 0;
		shared_size = shared;
		now = job{};
		workers = n ? (struct worker *)calloc(n, sizeof(*workers)) : nullptr;
		if (n && !workers)
			return ENOMEM;
		for (; count < n; count++) {
			struct worker *w = workers + count;

			*w = worker{this, count, 0, calloc(1, shared ? shared : 1)};
			if (!w->shared || pthread_create(&w->thread, nullptr, work, w)) {
				free(w->shared);
				return EAGAIN;
			}
		}
		return 0;
	}

	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t more = PTHREAD_COND_INITIALIZER;
	struct worker *workers = nullptr;
	uint32_t count = 0, shared_size = 0, busy = 0;
	pid_t owner = 0;		/* the process that has the threads */
	struct job now = {};
};

}	/* namespace env */
}	/* namespace gloop */

#endif /* GLOOP_ENV_HOST_H */
