/* SPDX-License-Identifier: GPL-2.0 */
/*
 * infence - what its files share. See main.c.
 */
#ifndef INFENCE_H
#define INFENCE_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <nouveau_drm.h>

#include "../uapi.h"

#define MS		1000000ll	/* ns */
#define PAGE		4096u
#define COMMANDS_VA	0x10000000ull
#define KERNEL_VA	(1ull << 39)
#define KERNEL_BYTES	(1ull << 38)
#define THREADS_MAX	8
#define TIMELINE	1		/* of a sync's flags */

struct vgem_attach {
	uint32_t handle, flags, out_fence, pad;
};

struct vgem_signal {
	uint32_t fence, flags;
};

#define VGEM_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 0x1, struct vgem_attach)
#define VGEM_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 0x2, struct vgem_signal)
#define VGEM_WRITE	1		/* of the former's flags */

/**
 * struct foreign - a fence of vgem's
 * @bo: the buffer that it is at
 * @id: vgem's number
 */
struct foreign {
	uint32_t bo, id;
};

/* A fence that another thread signals. */
struct later {
	pthread_t thread;
	long long ms;
	struct foreign f;
	void (*before)(void *arg);	/* NULL, or called first; then it waits for @ms again */
	void *arg;
};

extern int nouveau, vgem;
extern volatile sig_atomic_t over;	/* SIGTERM has come: `hold` and `swap` end, as if time were up */

/* ---- driver.c ---- */

/* Writes one line and ends with status 1. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);
/* Fails unless @ret is 0; @ret is 0 or a negative errno. */
void must(const char *what, int ret);
long long now_ns(void);
void sleep_ms(long long ms);
/* An ioctl, begun anew after signals. Return: 0 or a negative errno. */
int talk(int fd, unsigned long request, void *args);
/*
 * The first device of the driver @name whose number, from @first on, makes @format a file's name.
 */
int open_driver(const char *format, int first, const char *name);

struct foreign foreign_new(void);
/* Signals it, unless vgem has done so after ten seconds. */
void foreign_signal(const struct foreign *f);
/* A file that stands for the fence. */
int foreign_file(const struct foreign *f);
uint32_t syncobj_new(void);
void syncobj_set(uint32_t handle, const struct foreign *f);
bool syncobj_signalled(uint32_t handle, long long ms);

/* A buffer that the GPU does not find yet. Return: its memory. */
uint32_t *buffer_new(uint64_t bytes, uint32_t *handle);
/* A buffer that the GPU finds at @va. Return: its memory. */
uint32_t *buffer_at(uint64_t va, uint64_t bytes);
/* Opens nouveau; the address space holds a page of commands that do nothing. */
void gpu_open(void);
int channel_new(void);
/* One EXEC: the kernel's answer alone, also to a signal. @pushes: 0 or 1. */
int exec_once(int channel, unsigned int pushes, const struct sync *wait, const struct sync *done);
/* One EXEC, begun anew after signals. */
int exec(int channel, const struct sync *wait, const struct sync *done);
/* One EXEC with arrays of fences. */
int exec_with(int channel, const void *wait, uint32_t waits, const void *done, uint32_t dones);
/* The commands of each EXEC: they do nothing, until `slow` has made others. */
extern struct exec_push group;
/* A file of timegraph's stats/. */
long long stat_value(const char *name);

/* Signals @f after @ms. */
void later_start(struct later *later, const struct foreign *f, long long ms);
void later_end(struct later *later);
/* @ms, or more on a slow guest: TG_SLOW says how slow it is, in tenths, 10 on an idle machine. */
long long slow(long long ms);
/* Fails unless between @least and @most ms have passed since @from. */
void took(const char *what, long long from, long long least, long long most);

/* ---- commands ---- */

void do_hold(char **args);		/* wait.c */
void do_slow(char **args);
void do_signals(char **args);
void do_kill(char **args);
void do_destroy(char **args);
void do_timeline(char **args);		/* order.c */
void do_merged(char **args);
void do_own(char **args);
void do_empty(char **args);
void do_swap(char **args);		/* swap.c */
void do_errnos(char **args);		/* refuse.c */
void do_faults(char **args);
void do_binds(char **args);		/* binds.c */

#endif
