/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the applications share: memory on the device, random numbers, and, under nvcc, what lets an
 * application's code run as a plain kernel too, without a device loop.
 */
#ifndef GLOOP_APPS_APP_H
#define GLOOP_APPS_APP_H

#include <algorithm>
#include <string>
#include <vector>

#include "../gloop.h"

namespace apps {

/* An array in the device's memory */
template <class T> class buffer {
public:
	explicit buffer(size_t n) : p((T *)gloop::env::device_alloc(n * sizeof(T))), n(n)
	{
		if (!p) {
			fprintf(stderr, "gloop: no memory for %zu bytes on the device\n",
				n * sizeof(T));
			exit(1);
		}
	}
	explicit buffer(const std::vector<T> &v) : buffer(v.size()) { put(v); }
	buffer(const buffer &) = delete;
	buffer &operator=(const buffer &) = delete;
	~buffer() { gloop::env::device_free(p); }

	T *get() const { return p; }
	void put(const std::vector<T> &v)
	{
		must(gloop::env::to_device(p, v.data(), v.size() * sizeof(T)));
	}
	void clear() { must(gloop::env::clear(p, n * sizeof(T))); }
	std::vector<T> take() const
	{
		std::vector<T> v(n);

		must(gloop::env::to_host(v.data(), p, n * sizeof(T)));
		return v;
	}

private:
	static void must(bool done)
	{
		if (done)
			return;
		fprintf(stderr, "gloop: the device's memory cannot be read or written\n");
		exit(1);
	}

	T *p;
	size_t n;
};

/* Numbers that are the same in each run */
class random {
public:
	explicit random(uint64_t seed) : x(seed * 2654435761u + 88172645463325252ull) { }
	uint32_t operator()()
	{
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		return x >> 32;
	}
	uint32_t below(uint32_t n) { return (uint64_t)(*this)() * n >> 32; }

private:
	uint64_t x;
};

/* launch() - and no way back from an error: an application has nothing else to do */
template <int Threads = 0, int Blocks = 0, class F>
void launch(gloop::HostLoop *host, const gloop::launch_config &config, const F &entry,
	    gloop::launch_stats *stats = nullptr)
{
	if (!host->launch<Threads, Blocks>(config, entry, stats))
		return;
	fprintf(stderr, "%s\n", host->why());
	exit(1);
}

#ifdef __CUDACC__
/* Answers an application's questions as a DeviceLoop does, for a plain kernel */
struct plain {
	__device__ uint32_t thread() const { return threadIdx.x; }
	__device__ uint32_t threads() const { return blockDim.x; }
	__device__ uint32_t logicalBlock() const { return blockIdx.x; }
	__device__ void barrier() const { __syncthreads(); }
	__device__ void *shared() const
	{
		return gloop::env::shared(nullptr);
	}
};

template <class F> __global__ void plain_kernel(const F f)
{
	plain p;

	f.plain(&p);
}

/* run_plain() - f.plain() as a kernel, and wait for its end */
template <class F> void run_plain(uint32_t blocks, uint32_t threads, uint32_t shared, const F &f)
{
	plain_kernel<<<blocks, threads, shared>>>(f);
	cudaError_t e = cudaDeviceSynchronize();

	if (e) {
		fprintf(stderr, "gloop: a plain kernel failed: %s\n", cudaGetErrorString(e));
		exit(1);
	}
}
#endif

}	/* namespace apps */

#endif /* GLOOP_APPS_APP_H */
