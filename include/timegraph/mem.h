/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Admission by GPU memory, for programs that do not use OpenCL: libtimegraph-mem. Link with
 * -ltimegraph-mem.
 *
 * A program says how much memory of a device it is about to get, waits until the books have room
 * for it, and says when it has given it back. So programs that need more memory together than
 * there is wait for each other instead of failing. With CUDA:
 *
 *	char gpu[32];
 *
 *	cudaDeviceGetPCIBusId(gpu, sizeof(gpu), 0);
 *	tg_mem_init(0);
 *	if (tg_mem_pre_alloc(gpu, bytes, -1))		// waits
 *		return 1;
 *	cudaMalloc(&data, bytes);
 *	...
 *	cudaFree(data);
 *	tg_mem_post_free(gpu, bytes);
 *	tg_mem_fini();
 *
 * These are the functions of the schedGPU paper (section 4): schedGPUInit(), preCudaMalloc(),
 * postCudaFree(), and its shutdown.
 *
 * All functions return 0, or a negative errno, and leave errno alone. Threads may call them at
 * any time; a thread that waits in one is not cancelled there. After fork() the child holds
 * nothing, and calls tg_mem_init() anew. A program that executes another one, ends or is killed
 * gives back all.
 *
 * Books. The user chooses for all programs, by the environment; a program that chose for itself
 * would not see the others:
 *
 *	TG_MEM_BOOKS	tgd	the daemon tgd(1), which the first program starts. The default
 *			lock	shared memory, a file lock and signals; no daemon
 *			mutex	shared memory and mutexes; no daemon
 *	TG_MEM_ORDER	of lock and mutex: 1 to 4, as the knob vram_order, which tgd's have
 *	TG_MEM_DEVICES	sizes of devices that no driver tells: KEY=BYTES;KEY=BYTES. K, M or G may
 *			stand behind BYTES
 *
 * Devices. A device is named by its PCI address, 0000:65:00.0, as CUDA, NVML and lspci write it.
 * Its size is what TG_MEM_DEVICES says, else NVML (libnvidia-ml.so.1), else amdgpu.
 * TG_MEM_DEVICES may name others by any key of tgd's: uuid:HEX, platform:NAME:INDEX.
 *
 * Without tgd. If none can be started, or it refuses this program, programs go on as without this
 * library: tg_mem_pre_alloc() returns 0. If it ends, the next one is told what the program holds.
 *
 * lock and mutex book for one user. They are what the paper compares; tgd is what to use: its books
 * are joint with OpenCL programs, and no program that is stopped holds it up.
 */
#ifndef TIMEGRAPH_MEM_H
#define TIMEGRAPH_MEM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * tg_mem_init() - begin; may be called again, tg_mem_fini() then as often
 * @flags: 0
 *
 * Return: 0; -EINVAL: unknown @flags, or a wrong variable, which a line on standard error names.
 * With lock and mutex also: -EPERM: their file, or its directory, is not this user's alone;
 * -EUSERS: 128 programs have begun; what open(), mkdir(), mmap() and posix_fallocate() say.
 */
int tg_mem_init(unsigned int flags);

/**
 * tg_mem_pre_alloc() - before memory is got: wait until there is room for it
 * @device: its PCI address, or a key of TG_MEM_DEVICES
 * @bytes: how many; 0: nothing is booked
 * @timeout_ms: how long to wait; 0: do not; negative: for as long as it takes
 *
 * tgd ends each wait after its knob vram_timeout_us (60 s) with -ENOMEM.
 *
 * Return: 0: get it; else nothing is booked:
 *	-EAGAIN		there is no room now, and @timeout_ms is 0. (tgd may hear a moment later
 *			of what another program has just given back.)
 *	-ETIMEDOUT	there was none for so long
 *	-ENOMEM		refused: it never fits beside what this program holds; or, with tgd, programs
 *			that hold memory wait for each other: give some back. (With lock and mutex
 *			these wait on.)
 *	-EINTR		there was no room, and a signal handler has run; SA_RESTART or not, as
 *			with poll()
 *	-ENODEV		no such device, or nothing tells its size
 *	-EINVAL		@device is NULL, empty, or longer than 127 bytes
 *	-ENOTCONN	no tg_mem_init() in this process
 *	-ENOSPC		with lock and mutex: there are 8 devices, or 128 threads wait
 *	-EBADF		likewise: the program has closed the library's descriptor
 */
int tg_mem_pre_alloc(const char *device, uint64_t bytes, int timeout_ms);

/**
 * tg_mem_post_free() - memory has been given back to the driver, or was not got after all
 * @device: as it was given to tg_mem_pre_alloc()
 * @bytes: how many; part of what was booked, or the sum of several bookings, will do
 *
 * Return: 0; -EINVAL: @bytes is more than this program holds, or @device as above: the books stay
 * as they are; -ENODEV; -ENOTCONN.
 */
int tg_mem_post_free(const char *device, uint64_t bytes);

/**
 * tg_mem_fini() - end: all that is held goes back
 *
 * A program may as well just end.
 *
 * Return: 0; -EBUSY: a thread is in tg_mem_pre_alloc() or tg_mem_post_free(); -ENOTCONN.
 */
int tg_mem_fini(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* TIMEGRAPH_MEM_H */
