/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The environment of a device loop on a GPU, by CUDA. env.h includes this under nvcc; env_host.h is
 * its counterpart.
 */
#ifndef GLOOP_ENV_CUDA_H
#define GLOOP_ENV_CUDA_H

#include <cuda_runtime.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "rpc.h"

#define GLOOP_DEVICE __device__
#define GLOOP_RARE __device__ __noinline__	/* keeps out of the registers of what calls it */

namespace gloop {
namespace env {

/* As a device loop sees it */
__device__ inline uint32_t thread() { return threadIdx.x; }
__device__ inline uint32_t threads() { return blockDim.x; }
/* The compiler knows of this pointer that it leads into shared memory */
__device__ inline void *shared(void *)
{
	extern __shared__ uint4 gloop_shared[];

	return gloop_shared;
}

__device__ inline void barrier() { __syncthreads(); }
__device__ inline bool barrier_or(bool x) { return __syncthreads_or(x); }
__device__ inline void fence_system() { __threadfence_system(); }
__device__ inline uint64_t clock() { return clock64(); }
__device__ inline void pause() { __nanosleep(200); }

/* Words that the host writes or reads while the kernel runs; peek() orders nothing */
__device__ inline uint32_t peek(const uint32_t *p)
{
	uint32_t x;

	asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
	return x;
}

__device__ inline uint32_t load(const uint32_t *p)
{
	uint32_t x;

	asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
	return x;
}

__device__ inline void store(uint32_t *p, uint32_t x)
{
	asm volatile("st.release.sys.u32 [%0], %1;" : : "l"(p), "r"(x) : "memory");
}

__device__ inline void store(uint64_t *p, uint64_t x)
{
	asm volatile("st.release.sys.u64 [%0], %1;" : : "l"(p), "l"(x) : "memory");
}

__device__ inline uint32_t fetch_add(uint32_t *p, uint32_t x) { return atomicAdd(p, x); }

__device__ inline void fetch_min(uint32_t *p, uint32_t x) { atomicMin(p, x); }
__device__ inline uint32_t lowest(uint32_t x) { return __ffs(x) - 1; }

/* All threads copy. What the host has written must not come out of a cache: __ldcv(). */
__device__ inline void copy_from_host(void *to, const void *from, uint64_t n)
{
	uint64_t wide = (uintptr_t)to % 16 ? 0 : n / 16;

	for (uint64_t i = threadIdx.x; i < wide; i += blockDim.x)
		((int4 *)to)[i] = __ldcv((const int4 *)from + i);
	for (uint64_t i = wide * 16 + threadIdx.x; i < n; i += blockDim.x)
		((char *)to)[i] = __ldcv((const char *)from + i);
}

__device__ inline void copy_to_host(void *to, const void *from, uint64_t n)
{
	uint64_t wide = (uintptr_t)from % 16 ? 0 : n / 16;

	for (uint64_t i = threadIdx.x; i < wide; i += blockDim.x)
		((int4 *)to)[i] = ((const int4 *)from)[i];
	for (uint64_t i = wide * 16 + threadIdx.x; i < n; i += blockDim.x)
		((char *)to)[i] = ((const char *)from)[i];
}

/* As the host sees it */
inline void *device_alloc(size_t n)
{
	void *p = nullptr;

	return cudaMalloc(&p, n) || cudaMemset(p, 0, n) ? nullptr : p;
}
inline void device_free(void *p) { cudaFree(p); }
inline void *mapped_alloc(size_t n)
{
	void *p = nullptr;

	return cudaHostAlloc(&p, n, cudaHostAllocMapped) ? nullptr : memset(p, 0, n);
}
inline void mapped_free(void *p) { cudaFreeHost(p); }
inline bool to_device(void *to, const void *from, size_t n)
{
	return !cudaMemcpy(to, from, n, cudaMemcpyHostToDevice);
}
inline bool to_host(void *to, const void *from, size_t n)
{
	return !cudaMemcpy(to, from, n, cudaMemcpyDeviceToHost);
}
inline bool clear(void *p, size_t n) { return !cudaMemset(p, 0, n) && !cudaDeviceSynchronize(); }
constexpr uint32_t spin_us = 0;
/* device_key() - what tgd knows the GPU by */
inline bool device_key(char *key, size_t n)
{
	int device = 0;

	snprintf(key, n, "pci:");
	if (n < 32 || cudaGetDevice(&device) || cudaDeviceGetPCIBusId(key + 4, n - 4, device))
		return false;
	for (char *c = key; *c; c++)
		*c |= *c >= 'A' && *c <= 'F' ? 32 : 0;
	return true;
}

template <class L, class F>
__device__ inline void work(const context *c, const F &entry)
{
	L loop(c, blockIdx.x, nullptr);

	loop.run(entry);
}

/* fitting() - @blocks, or what one processor of the GPU has threads for */
constexpr int fitting(int threads, int blocks)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
	int most = 1024;
#elif defined(__CUDA_ARCH__) && \
	((__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100)
	int most = 1536;
#else
	int most = 2048;	/* threads of a processor */
#endif

	return blocks * threads <= most ? blocks : most / threads;
}

/*
 * @Threads and @Blocks are those of __launch_bounds__(): the compiler uses so few registers that
 * @Blocks blocks of @Threads threads fit on one processor of the GPU. @Threads 0 is free_kernel():
 * it uses as many registers as it likes.
 */
template <class L, class F, int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, fitting(Threads, Blocks))
kernel(const __grid_constant__ context c, const __grid_constant__ F entry)
{
	work<L>(&c, entry);
}

template <class L, class F>
__global__ void free_kernel(const __grid_constant__ context c, const __grid_constant__ F entry)
{
	work<L>(&c, entry);
}

template <class L, class F, int Threads, int Blocks> constexpr auto kernel_of()
{
	if constexpr (Threads == 0)
		return free_kernel<L, F>;
	else
		return kernel<L, F, Threads, Blocks>;
}

/* A stream for the kernel, and one for the word that suspends it while it runs */
class engine {
public:
	~engine()
	{
		if (word)
			cudaFreeHost(word);
		if (run)
			cudaStreamDestroy(run);
		if (side)
			cudaStreamDestroy(side);
	}

	template <class L, int Threads, int Blocks, class F>
	uint32_t blocks(uint32_t threads, uint32_t shared_bytes)
	{
		int device = 0, each = 0, processors = 0;

		failed = cudaGetDevice(&device);
		if (!failed)
			failed = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
				&each, kernel_of<L, F, Threads, Blocks>(), threads, shared_bytes);
		if (!failed)
			failed = cudaDeviceGetAttribute(&processors,
							cudaDevAttrMultiProcessorCount, device);
		return failed ? 0 : each * processors;
	}

	uint64_t ticks_per_us()
	{
		int device = 0, khz = 0;

		failed = cudaGetDevice(&device);
		if (!failed)
			failed = cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device);
		return failed || khz < 1000 ? 1000 : khz / 1000;
	}

	template <class L, int Threads, int Blocks, class F>
	int start(const context &c, const F &entry, uint32_t threads, uint32_t shared_bytes)
	{
		auto f = kernel_of<L, F, Threads, Blocks>();

		if (!run) {
			failed = cudaStreamCreateWithFlags(&run, cudaStreamNonBlocking);
			if (!failed)
				failed = cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
			if (!failed)
				failed = cudaHostAlloc((void **)&word, sizeof(*word), 0);
		}
		if (!failed && shared_bytes > 48 * 1024)
			failed = cudaFuncSetAttribute(
				f, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
		if (failed)
			return EIO;
		f<<<c.physical, threads, shared_bytes, run>>>(c, entry);
		failed = cudaGetLastError();
		return failed ? EIO : 0;
	}

	bool idle()
	{
		cudaError_t e = cudaStreamQuery(run);

		if (e == cudaErrorNotReady)
			return false;
		failed = e;
		return true;
	}

	void suspend(uint32_t *signal, uint32_t epoch)
	{
		/* The copy of an earlier epoch may still read the word */
		cudaStreamSynchronize(side);
		*word = epoch;
		cudaMemcpyAsync(signal, word, sizeof(*word), cudaMemcpyHostToDevice, side);
	}

	const char *error() { return failed ? cudaGetErrorString(failed) : nullptr; }

private:
	cudaStream_t run = nullptr, side = nullptr;
	uint32_t *word = nullptr;
	cudaError_t failed = cudaSuccess;
};

}	/* namespace env */
}	/* namespace gloop */

#endif /* GLOOP_ENV_CUDA_H */
